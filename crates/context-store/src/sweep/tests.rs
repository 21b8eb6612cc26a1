//! Files that a sweep deletes, files that it leaves, and parallel readers.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::testing::{
    after, ended_of, lifetimes, moment, paths, read_in_parallel, seconds, set_modified, shop,
    shop_in, start,
};
use crate::{End, FileName, Lease, Lifetimes, LroPrefix, Moment, Run, Stem};

const HEADER: &str = "{\"type\":\"lro_header\",\"operation\":\"x\"";

#[test]
fn every_kind_of_file_expires_and_nothing_else() {
    let shop = shop();
    let mut kinds = [
        shop.made("1", "x", start()),
        shop.write(Stem::of_group("c", 0), "{}"),
        shop.write(Stem::of_file_list("c", 0), "a"),
        shop.write(Stem::of_snapshot(&blake3::hash(b"k")), "{}"),
        shop.write_lro(&format!("{HEADER}}}\n{{}}\n")),
    ];
    let others = ["notes.txt", "tool_call_.txt", "tool_notes.txt", "lro-x.jsonl", "c.json"];
    for other in others {
        std::fs::write(shop.path(other), "mine").unwrap();
        set_modified(&shop.path(other), start());
    }
    kinds.iter().for_each(|name| shop.age(name, start()));
    let before = shop.sweep(after(3_599));
    assert!(before.expired.is_empty());
    let swept = shop.sweep(after(3_600));
    assert_eq!(before.stored - swept.stored, 5);
    assert_eq!(before.stored_bytes - swept.stored_bytes, swept.bytes);
    assert!(swept.errors.is_empty() && swept.complete, "{swept:?}");
    assert_eq!((swept.folders, swept.examined), (1, 5));
    kinds.sort();
    assert_eq!(paths(&swept.expired), kinds.iter().map(FileName::as_str).collect::<Vec<_>>());
    assert_eq!(swept.expired.iter().filter(|file| file.lro).count(), 1);
    assert_eq!(swept.bytes, swept.expired.iter().map(|file| file.bytes).sum::<u64>());
    assert!(swept.expired.iter().all(|file| file.age == seconds(3_600)));
    assert!(others.iter().all(|other| shop.has(other)));
    assert!(kinds.iter().all(|name| ended_of(&shop.at(name.as_str())).is_some()));
}

#[test]
fn a_dry_run_writes_nothing() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let before = shop.private();
    let mut told = Vec::new();
    let mut hear = |event: SweepEvent<'_>| match event {
        SweepEvent::Expired(file) => told.push(file.clone()),
        SweepEvent::Failed(error) => panic!("{error:?}"),
    };
    let swept = shop.sweep_roots(&moment(after(4_000)), Run::Dry, &mut hear);
    assert_eq!(paths(&swept.expired), [name.as_str()]);
    assert_eq!(told, *swept.expired);
    assert_eq!(told[0].call.tool.as_deref(), Some("tool of nobody"));
    assert!(shop.has(name.as_str()));
    assert_eq!(shop.private(), before);
}

#[test]
fn without_an_index_only_large_results_that_say_so_go() {
    let shop = shop();
    let lro = |ulid: &str, content: &str| {
        shop.plant(&format!("lro-search-{ulid}.jsonl"), content, start())
    };
    let ours = lro("01ARZ3NDEKTSV4RRFFQ69G5FAV", &format!("{HEADER}}}\n"));
    let theirs = lro("01ARZ3NDEKTSV4RRFFQ69G5FAW", "{\"some\":\"records\"}\n");
    let result = shop.plant("tool_call_1.txt", "x", start());
    let temporary = shop.path(".unburden-00000000000000000000000000.tmp");
    std::fs::write(&temporary, "x").unwrap();
    set_modified(&temporary, start());
    let now = moment(after(9_000));
    let none = shop.sweep_roots(&now, Run::Real, &mut |_| {});
    assert_eq!((none.folders, none.expired.len()), (0, 0));
    let swept = shop.sweep(after(9_000));
    assert_eq!(paths(&swept.expired), [ours.as_str()]);
    assert!(shop.has(theirs.as_str()) && shop.has(result.as_str()) && temporary.exists());
    assert!(shop.private().is_empty());
}

#[test]
fn a_header_decides_for_its_file() {
    let shop = shop();
    shop.made("1", "x", after(9_000));
    let file = |more: &str| {
        let name = shop.write_lro(&format!("{HEADER}{more}}}\n"));
        shop.age(&name, start());
        name
    };
    let (short, never) = (file(",\"ttl_seconds\":5"), file(",\"ttl_seconds\":null"));
    let usual = file("");
    assert_eq!(paths(&shop.sweep(after(5)).expired), [short.as_str()]);
    assert_eq!(paths(&shop.sweep(after(9_000)).expired), [usual.as_str()]);
    assert!(shop.has(never.as_str()));
}

#[test]
fn half_written_files_go_when_nobody_writes_them() {
    let shop = shop();
    shop.made("1", "x", after(9_000));
    let [old, young] = [0, 1].map(|n| shop.path(&format!(".unburden-{n:026}.tmp")));
    let other = shop.path(".unburden-else.tmp");
    for (path, at) in [(&old, 0), (&young, 8_000), (&other, 0)] {
        std::fs::write(path, "half").unwrap();
        set_modified(path, after(at));
    }
    let swept = shop.sweep(after(9_000));
    assert_eq!((swept.temporary, swept.bytes), (1, 4));
    assert!(!old.exists() && young.exists() && other.exists());
}

#[test]
fn links_and_folders_are_never_deleted() {
    let shop = shop();
    shop.made("1", "x", after(9_000));
    let target = shop.temp.path().join("theirs.txt");
    std::fs::write(&target, "x").unwrap();
    set_modified(&target, start());
    std::os::unix::fs::symlink(&target, shop.path("tool_call_link.txt")).unwrap();
    std::fs::create_dir(shop.path("tool_call_dir.txt")).unwrap();
    set_modified(&shop.path("tool_call_dir.txt"), start());
    let swept = shop.sweep(after(9_000));
    assert!(swept.expired.is_empty() && swept.errors.is_empty(), "{swept:?}");
    assert!(target.exists() && shop.has("tool_call_link.txt") && shop.has("tool_call_dir.txt"));
}

#[test]
fn what_is_locked_for_renewal_survives() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let file = std::fs::File::open(shop.path(name.as_str())).unwrap();
    file.lock().unwrap();
    assert!(shop.sweep(after(9_000)).expired.is_empty());
    drop(file);
    assert_eq!(shop.sweep(after(9_000)).expired.len(), 1);
}

#[test]
fn an_end_is_noted_before_the_deletion() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    // After a crash in between, the file still exists, recorded as expired.
    let ended = shop.record(&name).unwrap().ended(after(4_000), End::Expired);
    shop.index().records.replace(&name, &ended).unwrap();
    assert!(shop.has(name.as_str()) && ended_of(&shop.at(name.as_str())).is_some());
    // The next sweep completes it.
    let swept = shop.sweep(after(4_001));
    assert_eq!(swept.expired[0].call.tool.as_deref(), Some("tool of nobody"));
    let ended = ended_of(&shop.at(name.as_str())).unwrap().ended;
    assert_eq!(ended, Some((after(4_001), End::Expired)));
}

#[test]
fn a_swept_number_stays_taken_after_a_restart() {
    let shop = shop();
    shop.made("1", "x", start());
    // It has no record, but its name makes it a file of the store.
    shop.plant("compressed_group_c_0.json", "{}", start());
    assert_eq!(shop.sweep(after(9_000)).expired.len(), 2);
    let shop = shop_in(shop.temp);
    let next = shop.write(Stem::of_group("c", 0), "{}");
    assert_eq!(next.as_str(), "compressed_group_c_1.json");
}

#[test]
fn a_swept_name_can_be_made_again() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    shop.sweep(after(9_000));
    assert_eq!(shop.made("1", "x", after(9_001)), name);
    assert!(shop.sweep(after(9_002)).expired.is_empty());
    assert_eq!(shop.sweep(after(13_000)).expired.len(), 1);
    let ended = ended_of(&shop.at(name.as_str())).unwrap().ended;
    assert_eq!(ended, Some((after(13_000), End::Expired)));
}

/// I14, I20: a reader sees all bytes or a 410.
#[test]
fn readers_see_whole_files_or_a_410() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    let content = "a line of some length\n".repeat(10_000);
    let lives = Lifetimes { store: Some(Duration::from_secs(1)), ..lifetimes() };
    let first = shop.write_call("0", &content);
    shop.age(&first, after(2_000_000));
    read_in_parallel(&shop, &content, |current| {
        for round in 1..25u32 {
            let name = shop.write_call(&round.to_string(), &content);
            shop.age(&name, after(u64::from(round)));
            current.store(round as usize, Ordering::Release);
            std::thread::sleep(Duration::from_millis(4));
            let swept = shop.sweep_with(&lives, after(u64::from(round) + 1));
            assert_eq!(paths(&swept.expired), [name.as_str()]);
        }
    });
}

/// An index that can be read but not written, as on a full disk.
#[test]
fn without_room_for_an_end_only_recorded_files_go() {
    let shop = shop();
    let recorded = shop.made("recorded", "x", start());
    let adopted = shop.plant("tool_call_adopted.txt", "y", start());
    let names = std::fs::File::open(shop.path(".unburden/names")).unwrap();
    let set = |flags| rustix::fs::ioctl_setflags(&names, flags);
    if set(rustix::fs::IFlags::IMMUTABLE).is_err() {
        return; // Requires the superuser and a file system with flags.
    }
    let swept = shop.sweep(after(9_000));
    set(rustix::fs::IFlags::empty()).unwrap();
    assert_eq!(paths(&swept.expired), [recorded.as_str()]);
    assert_eq!(swept.errors.len(), 1, "{swept:?}");
    assert!(shop.has(adopted.as_str()));
    assert!(ended_of(&shop.at(recorded.as_str())).unwrap().call.tool.is_some());
    assert_eq!(paths(&shop.sweep(after(9_000)).expired), [adopted.as_str()]);
}

/// Files are deleted in batches, and the report is limited.
#[test]
fn many_files_go_in_batches() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    for n in 0..700 {
        shop.plant(&format!("tool_call_{n}.txt"), "x", start());
    }
    let swept = shop.sweep(after(9_000));
    assert_eq!((swept.expired.total(), swept.errors.total()), (700, 0));
}

/// The clock of the machine is set, forwards or backwards, also between two processes.
#[test]
fn a_wrong_clock_deletes_nothing_early() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    shop.sweep(after(0));
    let name = shop.made("1", "x", after(0));
    let mut now = moment(after(10));
    // Set forwards, with the same steady clock, and after a reboot.
    for boot in [now.boot.clone(), "another".to_owned()] {
        now.boot.clone_from(&boot);
        now.wall = after(10 * 3_600);
        let swept = shop.sweep_at(&lifetimes(), &now);
        assert!(swept.expired.is_empty() && shop.has(name.as_str()), "{boot}");
    }
    // Corrected: it lives for an hour of real time.
    now.wall = after(10);
    for (later, lives) in [(0, true), (3_580, true), (3_595, false)] {
        let now = Moment {
            wall: now.wall + seconds(later),
            up: now.up + seconds(later),
            boot: now.boot.clone(),
        };
        shop.sweep_at(&lifetimes(), &now);
        assert_eq!(shop.has(name.as_str()), lives, "{later}");
    }
}

/// A renewed file exists; a deleted file was not reported as held.
#[test]
fn a_file_is_renewed_or_gone_but_not_both() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    for round in 0..200u64 {
        let name = shop.write(Stem::of_lro(LroPrefix::Lro, "r", round, &blake3::hash(b"r")), "r");
        shop.age(&name, start());
        let (lease, swept) = std::thread::scope(|scope| {
            let renew = scope.spawn(|| {
                shop.store.renew(std::slice::from_ref(&name), &lifetimes(), after(3_600))
            });
            let swept = scope.spawn(|| shop.sweep(after(3_600)));
            (renew.join().unwrap()[0], swept.join().unwrap())
        });
        assert!(swept.errors.is_empty(), "{swept:?}");
        assert_eq!(lease == Lease::Held, shop.has(name.as_str()));
        assert_eq!(lease == Lease::Gone, swept.expired.len() == 1);
        let _ = std::fs::remove_file(shop.path(name.as_str()));
    }
}
