//! What a rewritten manifest keeps, with appenders at work.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::entry::push_expired;
use super::super::expired;
use super::super::testing::{after, entry, name, shop, start};
use super::*;

const DAY: u64 = 86_400;

fn read(shop: &super::super::testing::Shop) -> Manifest {
    Manifest::read(&shop.open()).unwrap().unwrap()
}

#[test]
fn what_expired_long_ago_is_forgotten() {
    let shop = shop();
    let old = shop.made("old", "old", start());
    shop.sweep(after(DAY));
    let young = shop.made("young", "young", after(20 * DAY));
    shop.sweep(after(21 * DAY));
    shop.made("live", "live", after(32 * DAY));
    assert_eq!(shop.manifest().lines().count(), 5);
    let swept = shop.sweep(after(32 * DAY));
    assert!(swept.errors.is_empty() && swept.expired.is_empty(), "{swept:?}");
    assert_eq!(shop.manifest().lines().count(), 3);
    assert_eq!(expired(&shop.at(old.as_str())), None);
    assert!(expired(&shop.at(young.as_str())).unwrap().call.tool.is_some());
    assert_eq!(tidy(&shop.open(), &read(&shop), after(32 * DAY)).unwrap(), Tidied::NotWorth);
    let left: Vec<_> = std::fs::read_dir(shop.path("")).unwrap().collect();
    assert_eq!(left.len(), 2, "no private file stays");
}

#[test]
fn the_highest_number_is_never_forgotten() {
    let shop = shop();
    let group = |content: &str| {
        let name = shop.write(Stem::of_group("a_b", 0), content);
        shop.age(&name, start());
        shop.store.record(&[entry(&name, content, start(), None)]);
        name
    };
    for content in ["0", "1", "2"] {
        group(content);
    }
    shop.sweep(after(DAY));
    shop.sweep(after(40 * DAY));
    assert_eq!(shop.manifest().lines().count(), 1);
    shop.sweep(after(400 * DAY));
    assert_eq!(group("3").as_str(), "compressed_group_a_b_3.json");
    assert!(expired(&shop.at("compressed_group_a_b_2.json")).is_some());
}

#[test]
fn a_manifest_in_use_is_left_alone() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let mut lines = Vec::new();
    (0..9).for_each(|_| entry(&name, "x", start(), None).push_line(&mut lines));
    manifest::append(&shop.open(), &lines).unwrap();
    let file = manifest::open(&shop.open(), OFlags::RDONLY).unwrap().unwrap();
    rustix::fs::flock(&file, FlockOperation::LockShared).unwrap();
    assert_eq!(tidy(&shop.open(), &read(&shop), start()).unwrap(), Tidied::Busy);
    drop(file);
    assert_eq!(tidy(&shop.open(), &read(&shop), start()).unwrap(), Tidied::Rewritten);
    assert_eq!(shop.manifest().lines().count(), 1);
}

#[test]
fn no_line_is_lost_to_a_rewriting_sweep() {
    let shop = shop();
    shop.made("seed", "x", start());
    let done = AtomicBool::new(false);
    let folder = shop.open();
    let mut rewritten = 0;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|thread| {
                let folder = &folder;
                scope.spawn(move || {
                    for n in 0..200 {
                        let name = name(&format!("tool_call_{thread}_{n}.txt"));
                        let mut lines = Vec::new();
                        // Three times: most of it is worth rewriting.
                        let entry = entry(&name, "x", start(), None);
                        (0..3).for_each(|_| entry.push_line(&mut lines));
                        manifest::append(folder, &lines).unwrap();
                        std::thread::sleep(Duration::from_micros(100));
                    }
                })
            })
            .collect();
        let (done, folder) = (&done, &folder);
        let tidier = scope.spawn(move || {
            let mut rewritten = 0;
            while !done.load(Ordering::Relaxed) {
                let read = Manifest::read(folder).unwrap().unwrap();
                rewritten +=
                    usize::from(tidy(folder, &read, start()).unwrap() == Tidied::Rewritten);
            }
            rewritten
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
        rewritten = tidier.join().unwrap();
    });
    assert!(rewritten > 0, "the sweep never came to rewriting");
    assert_eq!(read(&shop).files.len(), 8 * 200 + 1);
}

#[test]
fn a_file_that_outlived_its_tombstone_keeps_its_lines() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let mut lines = Vec::new();
    // The deletion failed, thirty days ago; the other line is of a file long gone.
    push_expired(&mut lines, &name, after(DAY));
    push_expired(&mut lines, &super::super::testing::name("tool_call_2.txt"), after(DAY));
    manifest::append(&shop.open(), &lines).unwrap();
    let read = read(&shop);
    assert_eq!(tidy(&shop.open(), &read, after(40 * DAY)).unwrap(), Tidied::Rewritten);
    assert_eq!(shop.manifest().lines().count(), 2);
    assert!(expired(&shop.at(name.as_str())).unwrap().call.tool.is_some());
}
