//! Which folders a walk finds.

use std::os::unix::fs::symlink;

use super::super::testing::{shop, start};
use super::*;

#[test]
fn folders_with_a_manifest_are_found_and_links_are_not_followed() {
    let shop = shop();
    shop.made("1", "x", start());
    let base = shop.temp.path();
    let manifest = shop.path(manifest::MANIFEST);
    for folder in ["a/b/c", "1/2/3/4/5/6", "1/2/3/4/5/6/7", "target/x", ".git/x", "empty"] {
        std::fs::create_dir_all(base.join(folder)).unwrap();
        if folder != "empty" {
            std::fs::copy(&manifest, base.join(folder).join(manifest::MANIFEST)).unwrap();
        }
    }
    let outside = tempfile::tempdir().unwrap();
    std::fs::copy(&manifest, outside.path().join(manifest::MANIFEST)).unwrap();
    symlink(outside.path(), base.join("link")).unwrap();
    symlink(base, base.join("a/loop")).unwrap();
    let walk = walk(&shop.roots);
    assert!(walk.complete);
    let real = base.canonicalize().unwrap();
    let mut found: Vec<String> = walk
        .folders
        .iter()
        .map(|at| at.key().strip_prefix(&real).unwrap().display().to_string())
        .collect();
    found.sort();
    assert_eq!(found, ["1/2/3/4/5/6", "a/b/c", "store"]);
    assert!(!walk_within(&shop.roots, 3).complete);
}

#[test]
fn other_users_folders_are_not_entered() {
    let shop = shop();
    shop.made("1", "x", start());
    let owner = Some(rustix::fs::Uid::from_raw(65_534));
    if rustix::fs::chown(shop.path(""), owner, None).is_ok() {
        assert!(walk(&shop.roots).folders.is_empty());
    }
}
