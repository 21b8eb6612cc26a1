//! I20 over random lives: readable before made or renewed + lifetime, gone after
//! one sweep past that, known when expired, unknown when it never was.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::super::testing::{entry, lifetimes, shop, shop_in, start};
use super::super::{Lease, expired, read_regular};

#[derive(Debug, Clone)]
enum Step {
    /// Makes the file, with a lifetime of its own or the folder's; with a line in
    /// the manifest or without.
    Write(u8, Option<u64>, bool),
    Renew(u8),
    /// Sets the clock by so many seconds, back, too.
    Clock(i32),
    Sweep,
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..6u8, prop::option::of(1..5_000u64), any::<bool>())
            .prop_map(|(file, ttl, listed)| Step::Write(file, ttl, listed)),
        3 => (0..6u8).prop_map(Step::Renew),
        4 => (-2_000..6_000i32).prop_map(Step::Clock),
        4 => Just(Step::Sweep),
        1 => Just(Step::Restart),
    ]
}

/// What is known of a file.
#[derive(Debug, Clone, Copy)]
struct Life {
    /// Seconds from the start.
    since: i64,
    ttl: i64,
    there: bool,
    /// True where a line tells the call.
    known: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_life_ends_when_it_said(steps in prop::collection::vec(step(), 1..40)) {
        let mut shop = shop();
        // The folder has a manifest from its first file on.
        shop.made("first", "x", start() + Duration::from_secs(1 << 30));
        let mut lives: BTreeMap<u8, Life> = BTreeMap::new();
        let mut clock = 1_000_000i64;
        let at = |clock: i64| start() + Duration::from_secs(u64::try_from(clock).unwrap());
        for step in steps {
            match step {
                Step::Clock(by) => clock = (clock + i64::from(by)).max(0),
                Step::Restart => shop = shop_in(shop.temp),
                Step::Write(file, ttl, listed) => {
                    if lives.get(&file).is_some_and(|life| life.there) {
                        continue;
                    }
                    let name = shop.write_call(&file.to_string(), "content");
                    shop.age(&name, at(clock));
                    let before = lives.get(&file);
                    let (ttl, known) = if listed {
                        shop.store.record(&[entry(&name, "content", at(clock), ttl)]);
                        (ttl.map_or(3_600, |ttl| i64::try_from(ttl).unwrap()), true)
                    } else {
                        // A line that was lost tells no lifetime; one from an
                        // earlier life of the name still does.
                        before.map_or((3_600, false), |life| (life.ttl, life.known))
                    };
                    lives.insert(file, Life { since: clock, ttl, there: true, known });
                }
                Step::Renew(file) => {
                    let Some(life) = lives.get_mut(&file) else { continue };
                    let name = super::super::testing::name(&format!("tool_call_{file}.txt"));
                    let lease = shop.store.renew(&[name], &lifetimes(), at(clock))[0];
                    prop_assert_eq!(lease == Lease::Held, life.there);
                    if life.there && clock > life.since && (clock - life.since) * 8 > life.ttl {
                        life.since = clock;
                    }
                }
                Step::Sweep => {
                    let swept = shop.sweep(at(clock));
                    prop_assert!(swept.errors.is_empty(), "{:?}", swept);
                    for life in lives.values_mut() {
                        life.there &= clock < life.since + life.ttl;
                    }
                }
            }
            for file in 0..6u8 {
                let place = shop.at(&format!("tool_call_{file}.txt"));
                let read = read_regular(&place).ok();
                match lives.get(&file) {
                    None => prop_assert_eq!((read, expired(&place)), (None, None)),
                    Some(life) if life.there => prop_assert_eq!(read.as_deref(), Some("content")),
                    Some(life) => {
                        prop_assert_eq!(read, None);
                        let told = expired(&place).map(|gone| gone.call.tool.is_some());
                        prop_assert_eq!(told, Some(life.known));
                    }
                }
            }
        }
    }
}
