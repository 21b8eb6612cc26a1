//! The reported state of each file of a folder.

use super::*;
use crate::testing::{after, shop, start};

#[test]
fn each_file_is_told_for_what_it_is() {
    let shop = shop();
    shop.made("old", "x", start());
    shop.sweep(after(3_600));
    for id in ["good", "bad", "lost"] {
        shop.made(id, "content", after(3_600));
    }
    std::fs::write(shop.path("tool_call_bad.txt"), "Content").unwrap();
    std::fs::remove_file(shop.path("tool_call_lost.txt")).unwrap();
    shop.plant("tool_call_unlisted.txt", "y", start());
    std::fs::write(shop.path("notes.txt"), "not the store's").unwrap();
    let report = verify(shop.store.folder()).unwrap();
    let spelled = |name: &str| [shop.at(name).spelled().to_owned()];
    assert!(report.store && report.errors.is_empty());
    assert_eq!((report.intact, report.bytes), (1, 7));
    assert_eq!(*report.changed, spelled("tool_call_bad.txt"));
    assert_eq!(*report.missing, spelled("tool_call_lost.txt"));
    assert_eq!(*report.expired, spelled("tool_call_old.txt"));
    assert_eq!(*report.unlisted, spelled("tool_call_unlisted.txt"));
}

#[test]
fn a_folder_without_an_index_says_so() {
    let shop = shop();
    shop.plant("tool_call_1.txt", "y", start());
    let report = verify(shop.store.folder()).unwrap();
    assert!(!report.store);
    assert_eq!(report.unlisted.len(), 1);
    assert!(verify(&shop.at("no_such_folder")).is_err());
}

#[test]
fn a_link_in_a_files_place_is_an_error_of_that_file() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let path = shop.path(name.as_str());
    std::fs::rename(&path, shop.temp.path().join("x")).unwrap();
    std::os::unix::fs::symlink(shop.temp.path().join("x"), path).unwrap();
    let report = verify(shop.store.folder()).unwrap();
    assert_eq!((report.intact, report.errors.len()), (0, 1));
}
