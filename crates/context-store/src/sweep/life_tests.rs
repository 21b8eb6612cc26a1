//! I20 over random lives: a file is readable for its lifetime after it was made or renewed, gone
//! after a sweep past that, recorded if it expired, and unknown if it never existed.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use crate::Lease;
use crate::testing::{ended_of, lifetimes, shop, shop_in, start};

#[derive(Debug, Clone)]
enum Step {
    /// Makes the file, with a record or without.
    Write(u8, bool),
    Renew(u8),
    /// This many seconds pass.
    Pass(u32),
    Sweep,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u8, any::<bool>()).prop_map(|(file, listed)| Step::Write(file, listed)),
        3 => (0..6u8).prop_map(Step::Renew),
        4 => (0..6_000u32).prop_map(Step::Pass),
        4 => Just(Step::Sweep),
        1 => Just(Step::Restart),
    ]
}

/// The expected state of a file.
#[derive(Debug, Clone, Copy)]
struct Life {
    /// Seconds from the start.
    since: i64,
    there: bool,
    /// True if a record holds the call.
    known: bool,
}

const TTL: i64 = 3_600;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_life_ends_when_it_said(steps in prop::collection::vec(step(), 1..40)) {
        let mut shop = shop();
        // The folder has an index from its first file on.
        shop.made("first", "x", start() + Duration::from_secs(1 << 30));
        let mut lives: BTreeMap<u8, Life> = BTreeMap::new();
        let mut clock = 1_000_000i64;
        let at = |clock: i64| start() + Duration::from_secs(u64::try_from(clock).unwrap());
        for step in steps {
            match step {
                Step::Pass(by) => clock += i64::from(by),
                Step::Restart => shop = shop_in(shop.temp),
                Step::Write(file, recorded) => {
                    let life = lives.get(&file).copied();
                    if life.is_some_and(|life| life.there || !life.known) {
                        continue;
                    }
                    let known = recorded || life.is_some_and(|life| life.known);
                    if recorded {
                        shop.made(&file.to_string(), "content", at(clock));
                    } else {
                        shop.plant(&format!("tool_call_{file}.txt"), "content", at(clock));
                    }
                    lives.insert(file, Life { since: clock, there: true, known });
                }
                Step::Renew(file) => {
                    let Some(life) = lives.get_mut(&file) else { continue };
                    let name = crate::testing::name(&format!("tool_call_{file}.txt"));
                    let lease = shop.store.renew(&[name], &lifetimes(), at(clock))[0];
                    prop_assert_eq!(lease == Lease::Held, life.there);
                    if life.there && clock > life.since && (clock - life.since) * 8 > TTL {
                        life.since = clock;
                    }
                }
                Step::Sweep => {
                    let swept = shop.sweep(at(clock));
                    prop_assert!(swept.errors.is_empty(), "{:?}", swept);
                    for life in lives.values_mut() {
                        life.there &= clock < life.since + TTL;
                    }
                }
            }
            for file in 0..6u8 {
                let place = shop.at(&format!("tool_call_{file}.txt"));
                let read = crate::testing::read(&place).ok();
                match lives.get(&file) {
                    None => prop_assert_eq!((read, ended_of(&place)), (None, None)),
                    Some(life) if life.there => prop_assert_eq!(read.as_deref(), Some("content")),
                    Some(life) => {
                        prop_assert_eq!(read, None);
                        let told = ended_of(&place).map(|gone| gone.call.tool.is_some());
                        prop_assert_eq!(told, Some(life.known));
                    }
                }
            }
        }
    }
}
