//! References are recorded once, if there is an index, and again after the chat is deleted.

use super::*;
use crate::media::on_both;
use crate::testing::{Shop, after, shop, shop_in, start};
use crate::{PRIVATE, Run, delete_chat};

/// Returns the number of markers of chats that share another chat's file.
fn shared(shop: &Shop) -> usize {
    shop.private().keys().filter(|path| path.starts_with("shared/")).count()
}

on_both! {
    fn a_mention_is_noted_once_for_each_chat() {
        let shop = shop();
        let (a, b) = (Chat::of("a"), Chat::of("b"));
        let names = [shop.made_for("a", "1", "x")];
        shop.store.note_references(a, &names, MissingIndex::Create);
        assert_eq!(shared(&shop), 0, "its record says whom it was made for");
        shop.store.note_references(b, &names, MissingIndex::Create);
        assert_eq!(shared(&shop), 1);
        let before = shop.private();
        // A process with an empty cache finds the marker.
        let other = shop_in(shop.temp);
        for _ in 0..3 {
            other.store.note_references(b, &names, MissingIndex::Skip);
            other.store.note_references(a, &names, MissingIndex::Skip);
        }
        assert_eq!(other.private(), before, "nothing grows with posts");
    }
}

on_both! {
    fn what_is_remembered_costs_no_looking() {
        let shop = shop();
        let name = shop.made("1", "x", start());
        let chat = Chat::of("a");
        shop.store.note_references(chat, std::slice::from_ref(&name), MissingIndex::Create);
        // A check would find that the marker is missing, and write it again.
        shop.index().markers().remove(Marker::SharedWith(&name, chat)).unwrap();
        shop.store.note_references(chat, std::slice::from_ref(&name), MissingIndex::Create);
        assert_eq!(shared(&shop), 0);
        let shop = shop_in(shop.temp);
        shop.store.note_references(chat, std::slice::from_ref(&name), MissingIndex::Create);
        assert_eq!(shared(&shop), 1, "another process looks");
    }
}

#[test]
fn a_folder_that_is_only_named_gets_no_index() {
    let shop = shop();
    let names = [shop.plant("tool_call_1.txt", "x", start())];
    shop.store.note_references(Chat::of("a"), &names, MissingIndex::Skip);
    assert!(!shop.has(PRIVATE));
    shop.store.note_references(Chat::of("a"), &names, MissingIndex::Create);
    assert_eq!(shared(&shop), 1);
}

on_both! {
    fn a_chat_that_was_deleted_and_goes_on_is_noted_anew() {
        let shop = shop();
        let (a, b) = (Chat::of("a"), Chat::of("b"));
        let name = shop.made_for("a", "1", "x");
        let names = [name.clone()];
        shop.store.note_references(b, &names, MissingIndex::Create);
        let key = reference_key(b, &shop.at(name.as_str()));
        let deletion = delete_chat(&shop.roots, None, b, after(9), Run::Real);
        assert_eq!((deletion.deleted.len(), deletion.kept.len()), (0, 1));
        assert_eq!(shared(&shop), 0);
        assert_ne!(reference_key(b, &shop.at(name.as_str())), key);
        // It posts again: its reference protects the file from the other chat's deletion.
        shop.store.note_references(b, &names, MissingIndex::Create);
        assert_eq!(delete_chat(&shop.roots, None, a, after(9), Run::Real).deleted.total(), 0);
        assert!(shop.has(name.as_str()));
    }
}

#[test]
fn a_file_that_is_only_mentioned_is_nobodys() {
    let shop = shop();
    shop.made("seed", "x", after(1_000_000));
    // A user's own file with a name of our form, readable by others.
    std::fs::write(shop.path("tool_call_notes.txt"), "mine").unwrap();
    let name = crate::testing::name("tool_call_notes.txt");
    shop.age(&name, start());
    shop.store.note_references(Chat::of("a"), std::slice::from_ref(&name), MissingIndex::Create);
    assert_eq!(shop.sweep(after(9_000)).expired.total(), 0);
    let verified = crate::verify(shop.store.folder()).unwrap();
    assert_eq!((verified.unlisted.len(), verified.missing.len()), (1, 0));
    let deletion = delete_chat(&shop.roots, None, Chat::of("a"), after(9_000), Run::Real);
    assert_eq!((deletion.deleted.len(), deletion.kept.len()), (0, 1));
    assert!(shop.has(name.as_str()));
}

#[test]
fn words_of_an_expired_file_are_forgotten_after_thirty_days() {
    let shop = shop();
    let name = shop.made_for("a", "1", "x");
    shop.age(&name, start());
    shop.store.note_references(Chat::of("b"), std::slice::from_ref(&name), MissingIndex::Create);
    assert_eq!(shop.sweep(after(9_000)).expired.total(), 1);
    let words = |shop: &Shop| shop.record(&name).unwrap().origin.call.tool.is_some();
    shop.sweep(after(29 * 86_400));
    assert!(words(&shop));
    shop.sweep(after(9_000 + 32 * 86_400));
    assert!(!words(&shop));
    let left: Vec<String> = shop.private().into_keys().collect();
    assert_eq!(left, ["format", "lock", "names/tool_call_1.txt.json"], "the name stays taken");
}

#[test]
fn the_words_of_a_call_go_with_its_maker_though_another_chat_saved_the_file() {
    let shop = shop();
    let (name, b) = (shop.made_for("a", "1", "x"), Chat::of("b"));
    // A sweep crashed after it recorded the end, and before it deleted the file.
    let ended = shop.record(&name).unwrap().ended(after(5), crate::End::Expired);
    shop.index().records.replace(&name, &ended).unwrap();
    shop.store.note_references(b, std::slice::from_ref(&name), MissingIndex::Create);
    assert!(shop.record(&name).unwrap().ended.is_none(), "it lives on");
    let deletion = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Real);
    assert_eq!((deletion.deleted.total(), deletion.kept.len()), (0, 1));
    let record = shop.record(&name).unwrap();
    assert_eq!((record.origin.chat, record.origin.call), (Some(b), crate::Call::default()));
    assert!(shop.has(name.as_str()));
}
