//! A name belongs to one content, for good.

use super::*;
use crate::media::on_both;
use crate::testing::{Shop, after, name, shop, shop_in, start};
use crate::{Chat, ClaimedFile, End, Origin, Run, delete_chat};

fn claim(shop: &Shop, stem: &Stem, content: &str) -> Claim {
    let wanted = [(stem.clone(), blake3::hash(content.as_bytes()))];
    shop.store.claim(&mut Claims::default(), &wanted).unwrap().remove(0)
}

fn of_call(content: &str) -> Stem {
    Stem::of_call(Some("1"), &blake3::hash(content.as_bytes()))
}

on_both! {
    fn a_name_is_never_another_contents_after_its_end() {
        for expires in [true, false] {
            let shop = shop();
            let first = shop.made_for("a", "1", "of a");
            if expires {
                shop.age(&first, start());
                assert_eq!(shop.sweep(after(9_000)).expired.len(), 1);
            } else {
                let deletion = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Real);
                assert_eq!(deletion.deleted.len(), 1);
            }
            let shop = shop_in(shop.temp);
            let other = claim(&shop, &of_call("of b"), "of b");
            assert_ne!(other.name, first);
            // A writer that claimed it before gets the next name, too.
            let late = Claim { name: first.clone(), stored: false, ..other.clone() };
            let files = [ClaimedFile { stem: of_call("of b"), claim: late, origin: Origin::default() }];
            assert_eq!(shop.store.write(&files, |_| "of b".into()).unwrap()[0].name, other.name);
            // The same content may get its former name again.
            assert_eq!(shop.made_for("c", "1", "of a"), first);
            assert_eq!(shop.record(&first).unwrap().origin.chat, Some(Chat::of("c")));
        }
    }
}

on_both! {
    fn a_claimed_file_is_held_until_its_chat_is_deleted() {
        let shop = shop();
        let state = |claims: &[&Claim]| shop.store.state_of(claims);
        let unwritten = claim(&shop, &of_call("one"), "one");
        assert_eq!((state(&[]), state(&[&unwritten])), (FilesState::Held, FilesState::Gone));
        shop.made_for("a", "1", "one");
        let one = claim(&shop, &of_call("one"), "one");
        let other = Claim { hash: blake3::hash(b"other"), ..one.clone() };
        assert_eq!(state(&[&one]), FilesState::Held);
        assert_eq!(state(&[&one, &other]), FilesState::Broken);
        delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Real);
        assert_eq!(state(&[&one]), FilesState::Gone);
    }
}

#[test]
fn a_file_without_a_record_is_what_it_holds() {
    let shop = shop();
    let planted = shop.plant("tool_call_1.txt", "one", start());
    assert!(claim(&shop, &of_call("one"), "one").stored);
    assert_ne!(claim(&shop, &of_call("two"), "two").name, planted);
}

#[test]
fn a_file_that_was_edited_is_nobodys() {
    let shop = shop();
    let first = shop.made_for("a", "1", "one");
    std::fs::write(shop.path(first.as_str()), "two").unwrap();
    let shop = shop_in(shop.temp);
    for content in ["one", "two"] {
        let claim = claim(&shop, &of_call(content), content);
        assert!(claim.name != first && !claim.stored, "{content}");
    }
}

#[test]
fn what_cannot_be_read_as_a_record_is_taken() {
    let shop = shop();
    shop.made_for("a", "seed", "x");
    std::fs::write(shop.path(".unburden/names/tool_call_1.txt.json"), "half a rec").unwrap();
    assert_ne!(claim(&shop, &of_call("x"), "x").name, name("tool_call_1.txt"));
    assert_ne!(shop.made_for("a", "1", "x"), name("tool_call_1.txt"));
}

#[test]
fn numbers_go_on_and_equal_content_finds_its_number() {
    let shop = shop();
    let group = |content: &str| shop.write(Stem::of_group("c", 0), content);
    for number in 0..40 {
        let name = group(&number.to_string());
        assert_eq!(name.as_str(), format!("compressed_group_c_{number}.json"));
    }
    for number in 0..40 {
        std::fs::remove_file(shop.path(&format!("compressed_group_c_{number}.json"))).unwrap();
    }
    let shop = shop_in(shop.temp);
    let stem = Stem::of_group("c", 0);
    assert_eq!(claim(&shop, &stem, "new").name.as_str(), "compressed_group_c_40.json");
    assert_eq!(claim(&shop, &stem, "7").name.as_str(), "compressed_group_c_7.json");
    let least = Stem::of_group("c", 50);
    assert_eq!(claim(&shop, &least, "new").name.as_str(), "compressed_group_c_50.json");
    let list = claim(&shop, &Stem::of_file_list("c", 0), "new");
    assert_eq!(list.name.as_str(), "compressed_files_c_0.txt");
}

#[test]
fn a_file_that_came_to_its_end_is_not_held() {
    let shop = shop();
    let name = shop.made_for("a", "1", "x");
    let claim = Claim { name: name.clone(), hash: blake3::hash(b"x"), stored: true };
    assert_eq!(shop.store.state_of(&[&claim]), FilesState::Held);
    let ended = shop.record(&name).unwrap().ended(after(1), End::Expired);
    shop.index().records.replace(&name, &ended).unwrap();
    assert!(shop.has(name.as_str()));
    assert_eq!(shop.store.state_of(&[&claim]), FilesState::Gone);
}

/// Another process takes a name between claim and write: with the same content, the name is shared
/// and its lease restarts; with other content, the file gets the next name.
#[test]
fn a_name_that_is_taken_in_between_is_shared_only_with_its_content() {
    for (planted, stored) in [("one", true), ("two", false)] {
        let shop = shop();
        let early = claim(&shop, &of_call("one"), "one");
        assert!(!early.stored);
        let taken = shop.plant(early.name.as_str(), planted, after(0));
        let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
        shop.age(&taken, old);
        let files = [ClaimedFile { stem: of_call("one"), claim: early, origin: Origin::default() }];
        let written = shop.store.write(&files, |_| "one".into()).unwrap().remove(0);
        assert_eq!((written.stored, written.name == taken), (stored, stored), "{planted}");
        assert_eq!(std::fs::read_to_string(shop.path(written.name.as_str())).unwrap(), "one");
        let modified = shop.path(taken.as_str()).metadata().unwrap().modified().unwrap();
        assert_eq!(modified > old, stored, "{planted}");
    }
}
