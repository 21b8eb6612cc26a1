//! The bodies of the fuzz targets without a fuzzer: random bytes and mutated seeds, on
//! the stable compiler and without AddressSanitizer. There is no coverage to guide it,
//! and it tries some ten times as many inputs a second: what goes wrong in one history
//! of ten thousand is found here.
//!
//! An input is known by its number, so a run can be seen again.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arbitrary::{Result, Unstructured};

use crate::seeds::{seeds_of, targets};

const USAGE: &str = "SOAK_SECONDS=600 SOAK_TARGET=pairing cargo test --locked --test it \
                     soak::soak -- --ignored --nocapture";

#[test]
#[ignore = "runs for as long as it is told: see fuzz/README.md"]
fn soak() {
    let setting = |name: &str| std::env::var(name).ok();
    let number = |name: &str| setting(name).map(|text| text.parse::<u64>().expect(USAGE));
    let name = setting("SOAK_TARGET").unwrap_or_else(|| "pairing".to_owned());
    let body = targets::ALL.iter().find(|target| target.0 == name).expect(USAGE).1;
    let seeds: Vec<Vec<u8>> =
        seeds_of(&name).iter().map(|seed| std::fs::read(seed).unwrap()).collect();
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    let first = number("SOAK_FROM").unwrap_or(u64::try_from(now % 1_000_000_000_000).unwrap());
    let end = Instant::now() + Duration::from_secs(number("SOAK_SECONDS").unwrap_or(60));
    let (next, findings) = (AtomicU64::new(first), AtomicU64::new(0));
    let until_the_end = || {
        while Instant::now() < end {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let input = input(&seeds, number).unwrap();
            if std::panic::catch_unwind(|| body(&input)).is_err() {
                findings.fetch_add(1, Ordering::Relaxed);
                keep(&name, number, &input);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(until_the_end);
        }
    });
    let (inputs, findings) = (next.into_inner() - first, findings.into_inner());
    println!("{name}: {inputs} inputs from {first}, {findings} findings");
    assert_eq!(findings, 0, "see fuzz/artifacts/{name}");
}

/// Every other input is random, and every other a seed with a few changes.
fn input(seeds: &[Vec<u8>], number: u64) -> Result<Vec<u8>> {
    let mut dice = vec![0; 1_024];
    blake3::Hasher::new().update(&number.to_le_bytes()).finalize_xof().fill(&mut dice);
    if number.is_multiple_of(2) {
        dice.truncate(40 + number as usize / 2 % 700);
        return Ok(dice);
    }
    let mut u = Unstructured::new(&dice);
    let mut input = u.choose(seeds)?.clone();
    for _ in 0..u.int_in_range(1..=6)? {
        change(&mut input, &mut u, seeds)?;
    }
    input.truncate(8_192);
    Ok(input)
}

fn change(input: &mut Vec<u8>, u: &mut Unstructured<'_>, seeds: &[Vec<u8>]) -> Result<()> {
    if input.is_empty() {
        return Ok(());
    }
    let at = u.choose_index(input.len())?;
    let to = (at + u.int_in_range(1..=80)?).min(input.len());
    match u.int_in_range(0..=4)? {
        0 => input[at] = u.arbitrary()?,
        1 => input[at] ^= 1 << u.int_in_range(0..=7)?,
        2 => drop(input.drain(at..to)),
        3 => {
            let piece = input[at..to].to_vec();
            let behind = u.int_in_range(0..=input.len())?;
            drop(input.splice(behind..behind, piece));
        }
        _ => {
            let other = u.choose(seeds)?;
            input.truncate(at);
            input.extend(&other[u.int_in_range(0..=other.len())?..]);
        }
    }
    Ok(())
}

/// Where the findings of the fuzzer are too.
fn keep(name: &str, number: u64, input: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/artifacts").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("soak-{number}")), input).unwrap();
}
