//! What is recorded, what is skipped, and whose manifest is believed.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::testing::{after, entry, name, shop, start};
use super::super::{Stem, expired};
use super::*;

#[test]
fn a_file_is_recorded_once() {
    let shop = shop();
    let name = shop.made("1", "content", start());
    let first = shop.manifest();
    assert_eq!(first.lines().count(), 1);
    shop.store.record(&[entry(&name, "content", after(9), None)]);
    assert_eq!(shop.manifest(), first);
    let mode = shop.path(MANIFEST).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_new_file_under_an_old_name_is_recorded_again() {
    let shop = shop();
    let name = shop.made("1", "content", start());
    std::fs::remove_file(shop.path(name.as_str())).unwrap();
    shop.made("1", "content", after(9));
    assert_eq!(shop.manifest().lines().count(), 2);
}

#[test]
fn a_torn_line_swallows_no_other() {
    let shop = shop();
    shop.made("1", "one", start());
    let mut torn = shop.manifest();
    torn += "{\"name\":\"tool_call_9.txt\",\"bla";
    std::fs::write(shop.path(MANIFEST), torn).unwrap();
    shop.made("2", "two", start());
    let manifest = Manifest::read(&shop.open()).unwrap().unwrap();
    let names: Vec<&str> = manifest.files.keys().map(FileName::as_str).collect();
    assert_eq!(names, ["tool_call_1.txt", "tool_call_2.txt"]);
    assert_eq!(manifest.lines, 3);
}

#[test]
fn a_line_without_end_is_skipped() {
    let shop = shop();
    let mut lines = b"{\"name\":\"tool_call_0.txt\",".to_vec();
    lines.resize(300_000, b' ');
    lines.push(b'\n');
    entry(&name("tool_call_1.txt"), "x", start(), None).push_line(&mut lines);
    std::fs::write(shop.path(MANIFEST), lines).unwrap();
    std::fs::set_permissions(shop.path(MANIFEST), PermissionsExt::from_mode(0o600)).unwrap();
    let manifest = Manifest::read(&shop.open()).unwrap().unwrap();
    assert_eq!(manifest.files.len(), 1);
}

#[test]
fn what_is_not_ours_is_no_manifest() {
    let shop = shop();
    let name = shop.made("1", "one", start());
    let mut trap = Vec::new();
    entry(&name, "one", start(), Some(1)).push_line(&mut trap);
    let outside = shop.temp.path().join("theirs");
    std::fs::write(&outside, &trap).unwrap();
    std::fs::remove_file(shop.path(MANIFEST)).unwrap();
    symlink(&outside, shop.path(MANIFEST)).unwrap();
    assert!(Manifest::read(&shop.open()).unwrap().is_none());
    assert_eq!(expired(&shop.at(name.as_str())), None);
    assert!(append(&shop.open(), b"{}\n").is_err());
    assert_eq!(std::fs::read(&outside).unwrap(), trap);
    assert!(shop.sweep(after(1_000_000)).expired.is_empty());
    assert!(shop.has(name.as_str()));

    // One that others may write.
    std::fs::remove_file(shop.path(MANIFEST)).unwrap();
    std::fs::write(shop.path(MANIFEST), &trap).unwrap();
    std::fs::set_permissions(shop.path(MANIFEST), PermissionsExt::from_mode(0o622)).unwrap();
    assert!(Manifest::read(&shop.open()).unwrap().is_none());

    // A folder and a pipe; neither hangs.
    std::fs::remove_file(shop.path(MANIFEST)).unwrap();
    std::fs::create_dir(shop.path(MANIFEST)).unwrap();
    assert!(Manifest::read(&shop.open()).unwrap().is_none());
    assert!(append(&shop.open(), b"{}\n").is_err());
    std::fs::remove_dir(shop.path(MANIFEST)).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, shop.path(MANIFEST), fifo, Mode::RUSR | Mode::WUSR, 0)
        .unwrap();
    assert!(Manifest::read(&shop.open()).unwrap().is_none());
    assert!(append(&shop.open(), b"{}\n").is_err());
}

#[test]
fn another_users_manifest_is_none() {
    let shop = shop();
    let name = shop.made("1", "one", start());
    let owner = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(shop.path(MANIFEST), owner, None).is_err() {
        return; // Only the superuser can give a file away.
    }
    assert!(Manifest::read(&shop.open()).unwrap().is_none());
    assert!(shop.sweep(after(1_000_000)).expired.is_empty());
    assert!(shop.has(name.as_str()));
}

#[test]
fn a_manifest_that_cannot_be_written_is_no_error() {
    let shop = shop();
    std::fs::create_dir(shop.path(MANIFEST)).unwrap();
    let name = shop.made("1", "one", start());
    assert!(shop.has(name.as_str()));
    std::fs::remove_dir(shop.path(MANIFEST)).unwrap();
    // What was not written is not taken for recorded.
    shop.store.record(&[entry(&name, "one", start(), None)]);
    assert_eq!(shop.manifest().lines().count(), 1);
}

#[test]
fn a_number_is_not_given_out_again() {
    let shop = shop();
    let group = |content: &str| shop.write(Stem::of_group("chat", 0), content);
    for at in 0..3 {
        let content = at.to_string();
        let name = group(&content);
        assert_eq!(name.as_str(), format!("compressed_group_chat_{at}.json"));
        shop.store.record(&[entry(&name, &content, start(), None)]);
    }
    for at in 0..3 {
        std::fs::remove_file(shop.path(&format!("compressed_group_chat_{at}.json"))).unwrap();
    }
    assert_eq!(group("new").as_str(), "compressed_group_chat_3.json");
    let list = shop.write(Stem::of_file_list("chat", 0), "list");
    assert_eq!(list.as_str(), "compressed_files_chat_0.txt");
}

#[test]
fn the_last_line_on_a_name_counts() {
    let name = name("tool_call_1.txt");
    let mut listing = Listing::default();
    listing.take(Line::Made(entry(&name, "a", start(), None)));
    listing.take(Line::Made(entry(&name, "a", after(5), Some(9))));
    let known = listing.entry.clone().unwrap();
    assert_eq!((known.created_at, known.ttl_seconds), (start(), Some(9)));
    listing.take(Line::Ended(name.clone(), after(20), End::Expired));
    assert_eq!(listing.ended, Some((after(20), End::Expired)));
    listing.take(Line::Made(entry(&name, "a", after(30), None)));
    assert_eq!((listing.ended, listing.entry.unwrap().created_at), (None, after(30)));
}
