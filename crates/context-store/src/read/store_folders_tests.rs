//! The folders that a walk finds.

use std::os::unix::fs::{DirBuilderExt, symlink};

use super::*;
use crate::testing::{shop, start};

#[test]
fn stores_are_found_and_links_are_not_followed() {
    let shop = shop();
    shop.made("1", "x", start());
    let base = shop.temp.path();
    for folder in ["a/b/c", "1/2/3/4/5/6", "1/2/3/4/5/6/7", "target/x", ".git/x", "empty"] {
        std::fs::create_dir_all(base.join(folder)).unwrap();
        if folder != "empty" {
            make_store(&base.join(folder));
        }
    }
    let outside = tempfile::tempdir().unwrap();
    make_store(outside.path());
    symlink(outside.path(), base.join("link")).unwrap();
    symlink(base, base.join("a/loop")).unwrap();
    let found = find_store_folders(&shop.roots);
    assert!(found.complete);
    let real = base.canonicalize().unwrap();
    let mut paths: Vec<String> = found
        .folders
        .iter()
        .map(|at| at.key().strip_prefix(&real).unwrap().display().to_string())
        .collect();
    paths.sort();
    assert_eq!(paths, ["1/2/3/4/5/6", "a/b/c", "store"]);
    assert!(!find_within(&shop.roots, Bounds { folders: 3, ..BOUNDS }).complete);
    assert!(!find_within(&shop.roots, Bounds { entries: 3, ..BOUNDS }).complete);
}

fn make_store(folder: &std::path::Path) {
    std::fs::DirBuilder::new().mode(0o700).create(folder.join(PRIVATE)).unwrap();
}

/// A store with many files is not listed to find out that it contains no other store.
#[test]
fn files_of_a_store_do_not_count() {
    let shop = shop();
    (0..20).for_each(|n| drop(shop.made(&n.to_string(), "x", start())));
    let few = Bounds { folders: 5, entries: 5 };
    let found = find_within(&shop.roots, few);
    assert!(found.complete && found.folders.len() == 1);
    // With a folder in it, it is listed.
    std::fs::create_dir(shop.path("deeper")).unwrap();
    assert!(!find_within(&shop.roots, few).complete);
}

#[test]
fn other_users_folders_are_not_entered() {
    let shop = shop();
    shop.made("1", "x", start());
    let owner = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(shop.path(""), owner, None).is_ok() {
        assert!(find_store_folders(&shop.roots).folders.is_empty());
    }
}
