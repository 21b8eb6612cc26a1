//! Files that are deleted with a chat, files that stay, and that nothing is lost in between.

use std::sync::atomic::Ordering;

use std::time::Duration;

use super::*;
use crate::index::markers::Marker;
use crate::media::on_both;
use crate::records::record::Record;
use crate::testing::{Shop, after, ended_of, origin, read_in_parallel, shop, shop_in, start};
use crate::{Call, Claims, End, EndedFile, FileName, FilesState, KeptReason, MissingIndex, Stem};

fn made(shop: &Shop, chat: &str, id: &str, content: &str) -> FileName {
    shop.made_for(chat, id, content)
}

fn mention(shop: &Shop, chat: &str, name: &FileName) {
    shop.store.note_references(Chat::of(chat), std::slice::from_ref(name), MissingIndex::Create);
}

fn delete(shop: &Shop, chat: &str) -> Deletion {
    let deletion = delete_chat(&shop.roots, None, Chat::of(chat), after(9), Run::Real);
    assert!(deletion.complete && deletion.errors.is_empty(), "{deletion:?}");
    deletion
}

fn names(paths: impl Iterator<Item = String>) -> Vec<String> {
    paths.map(|path| path.rsplit('/').next().unwrap().to_owned()).collect()
}

fn deleted(deletion: &Deletion) -> Vec<String> {
    names(deletion.deleted.iter().map(|file| file.path.clone()))
}

fn kept(deletion: &Deletion) -> Vec<(String, KeptReason)> {
    let paths = names(deletion.kept.iter().map(|file| file.path.clone()));
    paths.into_iter().zip(deletion.kept.iter().map(|file| file.reason)).collect()
}

/// Returns true if the index records nothing of a chat: neither its hash nor a text.
fn is_forgotten(shop: &Shop, chat: &str) -> bool {
    let (hash, word) = (Chat::of(chat).to_string(), format!("of {chat}\""));
    !shop.private().iter().any(|(path, content)| {
        path.contains(&hash) || content.contains(&hash) || content.contains(&word)
    })
}

on_both! {
    fn a_chat_goes_and_what_others_mention_stays() {
        let shop = shop();
        let own = made(&shop, "a", "1", "one");
        let shared = made(&shop, "a", "2", "two");
        let other = made(&shop, "b", "3", "three");
        mention(&shop, "b", &shared);
        let before = shop.private();
        let dry = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Dry);
        assert!(shop.has(own.as_str()) && shop.private() == before);
        let deletion = delete(&shop, "a");
        assert_eq!(dry, deletion);
        assert_eq!(deleted(&deletion), [own.as_str()]);
        assert_eq!((deletion.bytes, deletion.folders), (3, 1));
        assert_eq!(kept(&deletion), [(shared.to_string(), KeptReason::Shared)]);
        assert!(!shop.has(own.as_str()) && shop.has(shared.as_str()) && shop.has(other.as_str()));
        assert!(is_forgotten(&shop, "a"), "{:?}", shop.private());
        let gone = ended_of(&shop.at(own.as_str())).unwrap();
        assert_eq!(
            gone,
            EndedFile { call: Call::default(), ended: Some((after(9), End::ChatDeleted)) }
        );
        // A second call finds nothing, and writes nothing.
        let before = shop.private();
        assert_eq!(delete(&shop, "a"), Deletion { folders: 1, complete: true, ..Deletion::default() });
        assert_eq!(shop.private(), before);
        // A shared file now has only one chat.
        assert_eq!(deleted(&delete(&shop, "b")), [shared.as_str(), other.as_str()]);
        assert!(is_forgotten(&shop, "b"), "{:?}", shop.private());
        assert_eq!(shop.files(), Vec::<String>::new());
    }
}

/// A deletion costs in proportion to the chat's files, not to the store's.
#[test]
fn a_deletion_writes_nothing_of_other_chats() {
    let shop = shop();
    made(&shop, "a", "1", "one");
    (0..50).for_each(|n| drop(made(&shop, "b", &format!("b{n}"), "other")));
    let of_others = |shop: &Shop| -> Vec<_> {
        let folder = std::fs::read_dir(shop.path(".unburden/names")).unwrap().flatten();
        let others = folder.filter(|entry| entry.file_name() != "tool_call_1.txt.json");
        let mut found: Vec<_> = others
            .map(|entry| {
                let metadata = entry.metadata().unwrap();
                (entry.file_name(), std::os::unix::fs::MetadataExt::ino(&metadata))
            })
            .collect();
        found.sort();
        found
    };
    let before = of_others(&shop);
    assert_eq!(delete(&shop, "a").deleted.len(), 1);
    assert_eq!(of_others(&shop), before);
}

on_both! {
    fn a_name_that_looks_alike_is_another_chat() {
        let shop = shop();
        let made = |chat: &str, content: &str| {
            shop.write_as(Stem::of_group(chat, 0), content, origin(Some(chat), "group"))
        };
        let (slash, dash) = (made("a/b", "one"), made("a_b", "two"));
        assert_eq!(dash.as_str(), "compressed_group_a_b_1.json");
        assert_eq!(deleted(&delete(&shop, "a_b")), [dash.as_str()]);
        assert_eq!(deleted(&delete(&shop, "a b")), Vec::<String>::new());
        assert!(shop.has(slash.as_str()));
    }
}

#[test]
fn what_no_record_gives_to_a_chat_is_not_touched() {
    let shop = shop();
    let old = shop.made("old", "made for no chat", start());
    let unlisted = shop.plant("tool_call_unlisted.txt", "it has no record", start());
    let link = made(&shop, "a", "link", "x");
    for name in [&old, &unlisted] {
        mention(&shop, "a", name);
    }
    let outside = shop.temp.path().join("outside");
    std::fs::write(&outside, "outside").unwrap();
    std::fs::remove_file(shop.path(link.as_str())).unwrap();
    std::os::unix::fs::symlink(&outside, shop.path(link.as_str())).unwrap();
    let deletion = delete(&shop, "a");
    assert_eq!(deleted(&deletion), Vec::<String>::new());
    let unknown = KeptReason::UnknownMaker;
    assert_eq!(
        kept(&deletion),
        [
            (link.to_string(), KeptReason::Foreign),
            (old.to_string(), unknown),
            (unlisted.to_string(), unknown),
        ]
    );
    assert!(shop.has(old.as_str()) && shop.has(unlisted.as_str()) && outside.exists());
    assert!(is_forgotten(&shop, "a"), "{:?}", shop.private());
    assert!(!is_forgotten(&shop, "nobody"), "what is unknown keeps its words");
}

on_both! {
    /// The origin of files that expired is kept for a while, and removed with its chat, also if
    /// another chat made the file again.
    fn words_of_files_that_are_gone_go_too() {
        let shop = shop();
        let gone = made(&shop, "a", "gone", "x");
        let again = made(&shop, "a", "again", "y");
        for name in [&gone, &again] {
            shop.age(name, start());
        }
        assert_eq!(shop.sweep(after(9_000)).expired.len(), 2);
        let removed = made(&shop, "a", "removed", "z");
        shop.remove_file(&removed);
        assert_eq!(made(&shop, "b", "again", "y"), again);
        assert!(!is_forgotten(&shop, "a"));
        let deletion = delete(&shop, "a");
        assert_eq!(deleted(&deletion), Vec::<String>::new());
        assert_eq!(kept(&deletion), [(again.to_string(), KeptReason::Shared)]);
        assert!(is_forgotten(&shop, "a"), "{:?}", shop.private());
        assert!(shop.has(again.as_str()) && !is_forgotten(&shop, "b"));
        let end = |name: &FileName| ended_of(&shop.at(name.as_str())).unwrap().ended.unwrap();
        assert_eq!(end(&gone), (after(9_000), End::Expired), "it had expired before");
        assert_eq!(end(&removed).1, End::ChatDeleted);
    }
}

on_both! {
    fn a_deleted_number_is_never_given_out_again() {
        let shop = shop();
        let hash = blake3::hash(b"3");
        for content in ["0", "1", "2"] {
            shop.write_as(Stem::of_group("c", 0), content, origin(Some("c"), "group"));
        }
        assert_eq!(delete(&shop, "c").deleted.len(), 3);
        let shop = shop_in(shop.temp);
        let next = || shop.store.claim(&mut Claims::default(), &[(Stem::of_group("c", 0), hash)]);
        assert_eq!(next().unwrap()[0].name.as_str(), "compressed_group_c_3.json");
        // The deleted names also stay unused after their origin was removed.
        shop.sweep(after(400 * 86_400));
        assert_eq!(next().unwrap()[0].name.as_str(), "compressed_group_c_3.json");
    }
}

/// A file that cannot be deleted keeps its record, so that the next call retries.
#[test]
fn what_could_not_be_deleted_is_tried_again() {
    let shop = shop();
    let names = ["1", "2"].map(|id| made(&shop, "a", id, id));
    let stuck = std::fs::File::open(shop.path(names[0].as_str())).unwrap();
    let set = |flags| rustix::fs::ioctl_setflags(&stuck, flags);
    if set(rustix::fs::IFlags::IMMUTABLE).is_err() {
        return; // Requires the superuser and a file system with flags.
    }
    let first = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Real);
    set(rustix::fs::IFlags::empty()).unwrap();
    assert_eq!(deleted(&first), [names[1].as_str()]);
    assert_eq!(first.errors.len(), 1, "{first:?}");
    assert!(first.errors[0].path.ends_with(names[0].as_str()));
    assert!(shop.has(names[0].as_str()) && !is_forgotten(&shop, "a"));
    assert_eq!(deleted(&delete(&shop, "a")), [names[0].as_str()]);
    assert!(is_forgotten(&shop, "a"));
}

#[test]
fn nothing_is_deleted_by_an_index_that_others_may_write() {
    let shop = shop();
    let name = made(&shop, "a", "1", "x");
    let mode = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(shop.path(".unburden"), mode).unwrap();
    };
    mode(0o777);
    let folder = vec![shop.store.folder().clone()];
    let deletion = delete_chat(&shop.roots, Some(folder), Chat::of("a"), after(9), Run::Real);
    assert!(deletion.deleted.is_empty() && shop.has(name.as_str()));
    assert_eq!(deletion.errors.len(), 1, "and it says so");
    mode(0o700);
    assert_eq!(deleted(&delete(&shop, "a")), [name.as_str()]);
}

on_both! {
    /// I14, I20: a reader sees all bytes or a 410.
    fn readers_see_whole_files_or_a_410() {
        let shop = shop();
        let content = "a line of some length\n".repeat(10_000);
        made(&shop, "0", "0", &content);
        read_in_parallel(&shop, &content, |current| {
            for round in 1..25usize {
                let chat = round.to_string();
                made(&shop, &chat, &chat, &content);
                current.store(round, Ordering::Release);
                std::thread::sleep(Duration::from_millis(4));
                assert_eq!(delete(&shop, &chat).deleted.len(), 1);
            }
        });
    }
}

on_both! {
    /// One chat finds the other's file while that chat is deleted: if the file was found after the
    /// reference was recorded, it stays.
    fn a_file_is_found_by_another_chat_or_deleted_but_not_both() {
        let shop = shop();
        let (mut found, mut missed) = (0, 0);
        // One thread is far ahead, or neither is.
        let wait = |ahead: bool| Duration::from_millis(if ahead { 20 } else { 0 });
        for round in 0..200 {
            let (a, b, id) = (format!("a{round}"), format!("b{round}"), round.to_string());
            let name = made(&shop, &a, &id, "the same");
            let hash = blake3::hash(b"the same");
            let wanted = [(Stem::of_call(Some(&id), &hash), hash)];
            let held = std::thread::scope(|scope| {
                let find = scope.spawn(|| {
                    std::thread::sleep(wait(round % 3 == 1));
                    let claims = shop.store.claim(&mut Claims::default(), &wanted).unwrap();
                    if !claims[0].stored {
                        return false;
                    }
                    mention(&shop, &b, &claims[0].name);
                    shop.store.state_of(&[&claims[0]]) == FilesState::Held
                });
                std::thread::sleep(wait(round % 3 == 2));
                delete(&shop, &a);
                find.join().unwrap()
            });
            let stays = shop.has(name.as_str());
            assert!(stays || !held, "round {round}");
            *(if stays { &mut found } else { &mut missed }) += 1;
            // If each noticed the other, the file stays and belongs to the other chat.
            if stays {
                assert_eq!(deleted(&delete(&shop, &b)), [name.as_str()]);
            }
        }
        assert!(found > 0 && missed > 0, "{found} found, {missed} missed");
    }
}

on_both! {
    /// Chats post, share and are deleted in parallel: each deletion removes only its own files.
    fn deletions_beside_posts_take_what_is_theirs_and_no_more() {
        let shop = shop();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let shop = &shop;
                scope.spawn(move || {
                    for round in 0..12 {
                        let chat = format!("{thread} {round}");
                        for n in 0..5 {
                            made(shop, &chat, &format!("{thread}_{round}_{n}"), "y");
                        }
                        if round % 2 == 0 {
                            assert_eq!(delete(shop, &chat).deleted.len(), 5);
                        }
                    }
                });
            }
        });
        assert_eq!(shop.files().len(), 4 * 6 * 5);
        let records = shop.private().keys().filter(|path| path.starts_with("names/")).count();
        assert_eq!(records, 4 * 12 * 5, "a record for each name that ever was");
    }
}

#[test]
fn a_large_chat_goes_in_batches() {
    let shop = shop();
    let index = shop.index();
    for n in 0..700 {
        let name = shop.plant(&format!("tool_call_{n}.txt"), "x", after(0));
        index.markers().add(Marker::OfChat(Chat::of("a"), &name)).unwrap();
        let record = Record::new(blake3::hash(b"x"), 1, origin(Some("a"), &n.to_string()));
        assert!(index.records.create(&name, &record).unwrap());
    }
    assert_eq!(delete(&shop, "a").deleted.total(), 700);
    assert!(is_forgotten(&shop, "a"));
}

#[test]
fn every_store_under_the_roots_or_those_that_are_named() {
    let shop = shop();
    made(&shop, "a", "1", "x");
    let second = shop.roots.locate(shop.temp.path().join("two").to_str().unwrap()).unwrap();
    let cache = std::sync::Arc::new(crate::FileCache::new(10));
    let two = crate::Store::new(second.clone(), crate::Durability::Relaxed, cache);
    let two = Shop {
        temp: tempfile::tempdir().unwrap(),
        roots: Roots::open(&[]).unwrap(),
        store: two,
        fake: None,
    };
    let other = made(&two, "a", "2", "x");
    let there = |folders| delete_chat(&shop.roots, folders, Chat::of("a"), after(9), Run::Dry);
    assert_eq!((there(None).folders, there(None).deleted.len()), (2, 2));
    let twice = there(Some(vec![second.clone(), second.clone()]));
    assert_eq!((twice.folders, deleted(&twice)), (1, vec![other.to_string()]));
    let nowhere = shop.roots.locate(shop.temp.path().join("no").to_str().unwrap()).unwrap();
    assert_eq!(there(Some(vec![nowhere])).folders, 0);
}

#[path = "crash_tests.rs"]
mod crash_tests;

on_both! {
    /// A deletion waits for a post of its chat that is in progress, and deletes what it wrote: the
    /// two must not merely interrupt each other until the deletion gives up.
    fn a_deletion_outlasts_a_post_of_its_chat() {
        let shop = shop();
        let names: Vec<FileName> = (0..40).map(|n| made(&shop, "other", &n.to_string(), "x")).collect();
        let chat = Chat::of("a");
        std::thread::scope(|scope| {
            let posts = scope.spawn(|| {
                let index = shop.index();
                for _ in 0..40 {
                    // A post writes its markers into the folder that it found.
                    let folder = index.chat_markers(chat).make().unwrap();
                    for name in &names {
                        let _ = folder.mark(name.as_str());
                        index.markers().add(Marker::OfChat(chat, name)).unwrap();
                    }
                }
            });
            while !posts.is_finished() {
                delete(&shop, "a");
            }
        });
        delete(&shop, "a");
        assert!(is_forgotten(&shop, "a"), "{:?}", shop.private());
    }
}
