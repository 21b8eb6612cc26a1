//! Mentions are noted once, where a manifest is, and again once it is rewritten.

use super::super::testing::{after, entry, shop, start};
use super::super::{Claims, Entry, Run, Stem, delete_chat};
use super::*;

fn mentions(shop: &super::super::testing::Shop) -> usize {
    shop.manifest().lines().filter(|line| line.starts_with("{\"chat\":")).count()
}

#[test]
fn a_mention_is_noted_once_for_each_chat() {
    let shop = shop();
    let (a, b) = (Chat::of("a"), Chat::of("b"));
    let name = shop.write_call("1", "x");
    shop.store.record(&[Entry { chat: Some(a), ..entry(&name, "x", start(), None) }]);
    let names = [name.clone()];
    shop.store.mention(a, &names, Folder::Store);
    assert_eq!(mentions(&shop), 0, "its own line says whom it was made for");
    for _ in 0..3 {
        shop.store.mention(b, &names, Folder::Store);
        assert_eq!(mentions(&shop), 1);
    }
    // A process that knows nothing reads that it is there.
    let other = super::super::testing::shop_in(shop.temp);
    other.store.mention(b, &names, Folder::Named);
    other.store.mention(a, &names, Folder::Named);
    assert_eq!(mentions(&other), 1);
}

#[test]
fn what_is_remembered_costs_no_reading() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    let chat = Chat::of("a");
    shop.store.mention(chat, std::slice::from_ref(&name), Folder::Store);
    // The same manifest, emptied: a reader would miss the line and write it again.
    std::fs::File::options().write(true).open(shop.path(MANIFEST)).unwrap().set_len(0).unwrap();
    shop.store.mention(chat, std::slice::from_ref(&name), Folder::Store);
    assert_eq!(mentions(&shop), 0);
}

#[test]
fn a_folder_that_is_only_named_gets_no_manifest() {
    let shop = shop();
    let name = shop.write_call("1", "x");
    let names = [name];
    shop.store.mention(Chat::of("a"), &names, Folder::Named);
    assert!(!shop.has(MANIFEST));
    shop.store.mention(Chat::of("a"), &names, Folder::Store);
    assert_eq!(mentions(&shop), 1);
}

#[test]
fn a_manifest_is_the_same_by_its_name_and_by_its_handle() {
    let shop = shop();
    shop.made("1", "x", start());
    let file = manifest::open(&shop.open(), OFlags::RDONLY).unwrap().unwrap();
    let generation = Generation::of(&file.metadata().unwrap());
    assert_eq!(Generation::of_folder(&shop.open()), Some(generation));
    assert!(generation.born.is_some() || cfg!(not(target_os = "linux")));
}

#[test]
fn a_chat_that_was_deleted_and_goes_on_is_noted_anew() {
    let shop = shop();
    let (a, b) = (Chat::of("a"), Chat::of("b"));
    let name = shop.write_call("1", "x");
    shop.store.record(&[Entry { chat: Some(a), ..entry(&name, "x", start(), None) }]);
    let names = [name.clone()];
    shop.store.mention(b, &names, Folder::Store);
    let key = memory_key(b, &shop.at(name.as_str()));
    let deletion = delete_chat(&shop.roots, None, b, after(9), Run::Real);
    assert_eq!((deletion.deleted.len(), deletion.kept.len()), (0, 1));
    assert_eq!(mentions(&shop), 0);
    assert_ne!(memory_key(b, &shop.at(name.as_str())), key);
    // It posts again: its mention keeps the file from the other's deletion.
    shop.store.mention(b, &names, Folder::Store);
    assert_eq!(delete_chat(&shop.roots, None, a, after(9), Run::Real).deleted, []);
    assert!(shop.has(name.as_str()));
}

#[test]
fn a_file_that_is_only_mentioned_is_nobodys() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    // Somebody's own file with a name like ours, readable by others.
    std::fs::write(shop.path("tool_call_notes.txt"), "mine").unwrap();
    let name = super::super::testing::name("tool_call_notes.txt");
    shop.age(&name, start());
    shop.store.mention(Chat::of("a"), std::slice::from_ref(&name), Folder::Store);
    assert_eq!(shop.sweep(after(9_000)).expired, []);
    let verified = super::super::verify(shop.store.folder()).unwrap();
    assert_eq!((verified.unlisted.len(), verified.missing.len()), (1, 0));
    let deletion = delete_chat(&shop.roots, None, Chat::of("a"), after(9_000), Run::Real);
    assert_eq!((deletion.deleted.len(), deletion.kept.len()), (0, 1));
    assert!(shop.has(name.as_str()));
}

#[test]
fn a_sweep_keeps_mentions_for_as_long_as_their_file() {
    let shop = shop();
    let name = shop.made("1", "x", start());
    shop.store.mention(Chat::of("a"), std::slice::from_ref(&name), Folder::Store);
    let hash = blake3::hash(b"other");
    let claims = [(Stem::of_call(Some("2"), &hash), hash)];
    assert!(!shop.store.claim(&mut Claims::default(), &claims).unwrap()[0].stored);
    let mut twice = Vec::new();
    (0..9).for_each(|_| entry(&name, "x", start(), None).push_line(&mut twice));
    manifest::append(&shop.open(), &twice).unwrap();
    shop.sweep(after(1));
    assert_eq!((shop.manifest().lines().count(), mentions(&shop)), (2, 1));
    shop.sweep(after(9_000));
    shop.made("3", "y", after(9_000 + 40 * 86_400));
    shop.sweep(after(9_001 + 40 * 86_400));
    assert_eq!((shop.manifest().lines().count(), mentions(&shop)), (1, 0), "{}", shop.manifest());
}
