//! When a lease moves, and when it does not.

use super::*;
use crate::Run;
use crate::lease::lifetimes::is_expired;
use crate::testing::{after, lifetimes, moment, name, seconds, set_modified, shop, start};

fn modified_at(path: &std::path::Path) -> SystemTime {
    path.metadata().unwrap().modified().unwrap()
}

#[test]
fn a_lease_moves_forward_only_and_not_for_little() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let path = shop.path(name.as_str());
    let renew = |now| shop.store.renew(std::slice::from_ref(&name), &lifetimes(), now);
    for (now, expected) in [
        (after(450), start()),
        (after(451), after(451)),
        (after(450), after(451)),
        (after(2_000), after(2_000)),
    ] {
        assert_eq!(renew(now), [Lease::Held]);
        assert_eq!(modified_at(&path), expected);
    }
    // A lease that began in the future would seem old once the clock is corrected.
    assert_eq!(renew(after(100)), [Lease::Held]);
    assert_eq!(modified_at(&path), after(100));
    std::fs::remove_file(path).unwrap();
    assert_eq!(renew(after(9_000)), [Lease::Gone]);
}

#[test]
fn a_renewed_file_is_not_read_again() {
    let shop = shop();
    let name = shop.write_call("1", "x");
    let path = shop.path(name.as_str());
    let real = modified_at(&path);
    let known = || {
        let metadata = shop.open().symlink_metadata(name.as_str()).unwrap();
        let store = &shop.store.folder;
        store.cache.synced_hash(&store.cache_key(&name), FileStamp::of(&metadata))
    };
    assert_eq!(known(), Some(blake3::hash(b"x")));
    let names = std::slice::from_ref(&name);
    shop.store.renew(names, &lifetimes(), real + seconds(1_000));
    assert_eq!(modified_at(&path), real + seconds(1_000));
    assert_eq!(known(), Some(blake3::hash(b"x")));
    // The cache does not trust a file that somebody else touched.
    set_modified(&path, real + seconds(1_500));
    shop.store.renew(names, &lifetimes(), real + seconds(3_000));
    assert_eq!(known(), None);
}

#[test]
fn a_lifetime_is_the_headers_then_the_records_then_the_folders() {
    let lives = lifetimes();
    let head = |text: &str| text.as_bytes().to_vec();
    let recorded = || Some(9);
    let lro = name("lro-x-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl");
    let own = head("{\"type\":\"lro_header\",\"ttl_seconds\":7}\n{}\n");
    assert_eq!(lives.of(&lro, recorded, &own), Some(seconds(7)));
    let never = head("{\"type\":\"lro_header\",\"ttl_seconds\":null}\n");
    assert_eq!(lives.of(&lro, recorded, &never), None);
    let silent = head("{\"type\":\"lro_header\"}\n");
    assert_eq!(lives.of(&lro, recorded, &silent), Some(seconds(9)));
    assert_eq!(lives.of(&lro, || None, &silent), Some(seconds(3600)));
    // A file of a compaction has no time in its name, and has its chat's lifetime.
    let of_chat = name("lro-x-0000000000TSV4RRFFQ69G5FAV.jsonl");
    assert_eq!(lives.of(&of_chat, recorded, &own), lives.store);
    let result = name("tool_call_1.txt");
    assert_eq!(lives.of(&result, recorded, &own), lives.store);
    let good = Lifetimes { store: None, ..lives };
    assert_eq!(good.of(&result, || None, b""), None);
}

#[test]
fn only_own_regular_files_are_touched() {
    let shop = shop();
    let target = shop.temp.path().join("target.txt");
    std::fs::write(&target, "x").unwrap();
    set_modified(&target, start());
    std::os::unix::fs::symlink(&target, shop.path("tool_call_link.txt")).unwrap();
    std::fs::create_dir(shop.path("tool_call_dir.txt")).unwrap();
    let names = [name("tool_call_link.txt"), name("tool_call_dir.txt")];
    let leases = shop.store.renew(&names, &lifetimes(), after(3_000));
    assert_eq!(leases, [Lease::Gone, Lease::Gone]);
    assert_eq!(modified_at(&target), start());

    let theirs = shop.made("theirs", "x", start());
    let owner = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(shop.path(theirs.as_str()), owner, None).is_ok() {
        let names = std::slice::from_ref(&theirs);
        assert_eq!(shop.store.renew(names, &lifetimes(), after(3_000)), [Lease::Held]);
        assert_eq!(modified_at(&shop.path(theirs.as_str())), start());
        for run in [Run::Real, Run::Dry] {
            let swept = shop.sweep_roots(&moment(after(90_000)), run, &mut |_| {});
            assert_eq!((swept.folders, swept.expired.len()), (1, 0));
        }
    }
}

#[test]
fn ends_that_no_clock_can_name_never_come() {
    assert!(is_expired(start(), Some(seconds(5)), after(5)));
    assert!(!is_expired(start(), Some(seconds(5)), after(4)));
    assert!(!is_expired(after(100), Some(seconds(5)), after(50)));
    assert!(!is_expired(start(), Some(Duration::MAX), after(u64::from(u32::MAX))));
    assert!(!is_expired(start(), None, after(u64::from(u32::MAX))));
}
