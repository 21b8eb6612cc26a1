//! What goes with a chat, what stays, and that nothing in between is lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::super::testing::{Shop, after, entry, name, shop, shop_in, start};
use super::super::{Claims, Entry, Folder, Stem, expired};
use super::*;

/// Words that only the call of a chat has.
fn made(shop: &Shop, chat: Option<&str>, id: &str, content: &str) -> FileName {
    let name = shop.write_call(id, content);
    record(shop, chat, &name, content);
    name
}

fn record(shop: &Shop, chat: Option<&str>, name: &FileName, content: &str) {
    let call = Call {
        tool: Some(format!("tool of {}", chat.unwrap_or("nobody"))),
        call_id: Some(format!("id of {}", chat.unwrap_or("nobody"))),
        arguments: Some(format!("arguments of {}", chat.unwrap_or("nobody"))),
    };
    let chat = chat.map(Chat::of);
    shop.store.record(&[Entry { chat, call, ..entry(name, content, start(), None) }]);
}

fn mention(shop: &Shop, chat: &str, name: &FileName) {
    shop.store.mention(Chat::of(chat), std::slice::from_ref(name), Folder::Store);
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

fn kept(deletion: &Deletion) -> Vec<(String, Keeping)> {
    let paths = names(deletion.kept.iter().map(|file| file.path.clone()));
    paths.into_iter().zip(deletion.kept.iter().map(|file| file.why)).collect()
}

/// True where the manifest says nothing of a chat: neither its hash nor a word.
fn is_forgotten(shop: &Shop, chat: &str) -> bool {
    let manifest = shop.manifest();
    !manifest.contains(&Chat::of(chat).to_string()) && !manifest.contains(&format!("of {chat}\""))
}

#[test]
fn a_chat_goes_and_what_others_mention_stays() {
    let shop = shop();
    let own = made(&shop, Some("a"), "1", "one");
    let shared = made(&shop, Some("a"), "2", "two");
    let other = made(&shop, Some("b"), "3", "three");
    mention(&shop, "b", &shared);
    let before = shop.manifest();
    let dry = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Dry);
    assert!(shop.has(own.as_str()) && shop.manifest() == before);
    let deletion = delete(&shop, "a");
    assert_eq!(dry, deletion);
    assert_eq!(deleted(&deletion), [own.as_str()]);
    assert_eq!((deletion.bytes, deletion.folders), (3, 1));
    assert_eq!(kept(&deletion), [(shared.to_string(), Keeping::Shared)]);
    assert!(!shop.has(own.as_str()) && shop.has(shared.as_str()) && shop.has(other.as_str()));
    assert!(is_forgotten(&shop, "a"), "{}", shop.manifest());
    let gone = expired(&shop.at(own.as_str())).unwrap();
    assert_eq!(
        gone,
        super::super::Gone { call: Call::default(), ended: Some((after(9), End::ChatDeleted)) }
    );
    // A second call finds nothing, and writes nothing.
    let manifest = shop.manifest();
    assert_eq!(delete(&shop, "a"), Deletion { folders: 1, complete: true, ..Deletion::default() });
    assert_eq!(shop.manifest(), manifest);
    // What was shared has only one chat left.
    assert_eq!(deleted(&delete(&shop, "b")), [shared.as_str(), other.as_str()]);
    assert!(is_forgotten(&shop, "b"), "{}", shop.manifest());
    let left: Vec<_> = std::fs::read_dir(shop.path("")).unwrap().collect();
    assert_eq!(left.len(), 1, "the manifest alone: {left:?}");
}

#[test]
fn a_name_that_looks_alike_is_another_chat() {
    let shop = shop();
    let made = |chat: &str, content: &str| {
        let name = shop.write(Stem::of_group(chat, 0), content);
        record(&shop, Some(chat), &name, content);
        name
    };
    let (slash, dash) = (made("a/b", "one"), made("a_b", "two"));
    assert_eq!(dash.as_str(), "compressed_group_a_b_1.json");
    assert_eq!(deleted(&delete(&shop, "a_b")), [dash.as_str()]);
    assert_eq!(deleted(&delete(&shop, "a b")), Vec::<String>::new());
    assert!(shop.has(slash.as_str()));
}

#[test]
fn what_no_line_gives_to_a_chat_is_not_touched() {
    let shop = shop();
    let old = made(&shop, None, "old", "made before chats were noted");
    let unlisted = shop.write_call("unlisted", "its line was lost");
    let link = made(&shop, Some("a"), "link", "x");
    for name in [&old, &unlisted] {
        mention(&shop, "a", name);
    }
    let outside = shop.temp.path().join("outside");
    std::fs::write(&outside, "outside").unwrap();
    std::fs::remove_file(shop.path(link.as_str())).unwrap();
    std::os::unix::fs::symlink(&outside, shop.path(link.as_str())).unwrap();
    let deletion = delete(&shop, "a");
    assert_eq!(deleted(&deletion), Vec::<String>::new());
    let unknown = Keeping::UnknownMaker;
    assert_eq!(
        kept(&deletion),
        [
            (link.to_string(), Keeping::Foreign),
            (old.to_string(), unknown),
            (unlisted.to_string(), unknown),
        ]
    );
    assert!(shop.has(old.as_str()) && shop.has(unlisted.as_str()) && outside.exists());
    assert!(is_forgotten(&shop, "a"), "{}", shop.manifest());
    assert!(shop.manifest().contains("of nobody"), "what is unknown keeps its line");
}

/// What made this file could not be noted: it may be of a chat that nobody knows.
#[test]
fn a_file_made_after_its_tombstone_is_not_the_one_that_ended() {
    let shop = shop();
    let name = made(&shop, Some("a"), "1", "x");
    let long_ago = UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    manifest::append_expired(&shop.open(), std::slice::from_ref(&name), long_ago).unwrap();
    let deletion = delete(&shop, "a");
    assert_eq!(kept(&deletion), [(name.to_string(), Keeping::UnknownMaker)]);
    assert!(shop.has(name.as_str()) && is_forgotten(&shop, "a"));
}

/// The words of a file that expired are in the manifest for a while, also behind
/// those of a chat that made it again.
#[test]
fn words_of_files_that_are_gone_go_too() {
    let shop = shop();
    let gone = made(&shop, Some("a"), "gone", "x");
    let again = made(&shop, Some("a"), "again", "y");
    for name in [&gone, &again] {
        shop.age(name, start());
    }
    assert_eq!(shop.sweep(after(9_000)).expired.len(), 2);
    let removed = made(&shop, Some("a"), "removed", "z");
    std::fs::remove_file(shop.path(removed.as_str())).unwrap();
    assert_eq!(made(&shop, Some("b"), "again", "y"), again);
    assert!(shop.manifest().contains("arguments of a"));
    let deletion = delete(&shop, "a");
    assert_eq!(deleted(&deletion), Vec::<String>::new());
    assert_eq!(kept(&deletion), [(again.to_string(), Keeping::Shared)]);
    assert!(is_forgotten(&shop, "a"), "{}", shop.manifest());
    assert!(shop.has(again.as_str()) && shop.manifest().contains("arguments of b"));
    let end = |name: &FileName| expired(&shop.at(name.as_str())).unwrap().ended.unwrap();
    assert_eq!(end(&gone), (after(9_000), End::Expired), "it had expired before");
    assert_eq!(end(&removed).1, End::ChatDeleted);
}

#[test]
fn a_deleted_number_is_never_given_out_again() {
    let shop = shop();
    let hash = blake3::hash(b"3");
    let groups = ["0", "1", "2"].map(|content| {
        let name = shop.write(Stem::of_group("c", 0), content);
        record(&shop, Some("c"), &name, content);
        name
    });
    assert_eq!(delete(&shop, "c").deleted.len(), 3);
    let shop = shop_in(shop.temp);
    let next = || shop.store.claim(&mut Claims::default(), &[(Stem::of_group("c", 0), hash)]);
    assert_eq!(next().unwrap()[0].name.as_str(), "compressed_group_c_3.json");
    // Nor when the tombstones are forgotten, but for the last.
    shop.sweep(after(400 * 86_400));
    assert!(expired(&shop.at(groups[2].as_str())).is_some());
    assert!(!shop.manifest().contains(groups[0].as_str()), "{}", shop.manifest());
    assert_eq!(next().unwrap()[0].name.as_str(), "compressed_group_c_3.json");
}

/// A crash after each step, and the same call again.
#[test]
fn a_crash_in_between_is_finished_by_the_next_call() {
    for removed in [0, 1, 2] {
        let shop = shop();
        let own = ["1", "2"].map(|id| made(&shop, Some("a"), id, id));
        let shared = made(&shop, Some("a"), "3", "3");
        mention(&shop, "b", &shared);
        let mut lines = Vec::new();
        own.iter().for_each(|name| push_end(&mut lines, name, after(9), End::ChatDeleted));
        manifest::append(&shop.open(), &lines).unwrap();
        for name in own.iter().take(removed) {
            std::fs::remove_file(shop.path(name.as_str())).unwrap();
            assert!(expired(&shop.at(name.as_str())).unwrap().ended.is_some(), "a 410 at once");
        }
        let deletion = delete(&shop_in(shop.temp), "a");
        assert_eq!(deletion.deleted.len(), 2 - removed);
        assert_eq!(kept(&deletion), [(shared.to_string(), Keeping::Shared)]);
    }
}

/// What cannot be deleted keeps its lines: the next call tries again.
#[test]
fn what_could_not_be_deleted_is_tried_again() {
    let shop = shop();
    let names = ["1", "2"].map(|id| made(&shop, Some("a"), id, id));
    let stuck = std::fs::File::open(shop.path(names[0].as_str())).unwrap();
    let set = |flags| rustix::fs::ioctl_setflags(&stuck, flags);
    if set(rustix::fs::IFlags::IMMUTABLE).is_err() {
        return; // Needs the superuser and a file system with flags.
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
fn nothing_is_deleted_beside_a_manifest_that_is_not_ours() {
    let shop = shop();
    let name = made(&shop, Some("a"), "1", "x");
    let manifest = shop.path(manifest::MANIFEST);
    let mode = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&manifest, mode).unwrap();
    };
    // Others may write it: they could make any file anybody's.
    mode(0o622);
    let folder = vec![shop.store.folder().clone()];
    let deletion = delete_chat(&shop.roots, Some(folder), Chat::of("a"), after(9), Run::Real);
    assert!(deletion.deleted.is_empty() && shop.has(name.as_str()));
    mode(0o600);
    assert_eq!(deleted(&delete(&shop, "a")), [name.as_str()]);
}

/// I14, I20: a reader sees all bytes or a 410.
#[test]
fn readers_see_whole_files_or_a_410() {
    let shop = shop();
    let content = "a line of some length\n".repeat(10_000);
    let hash = blake3::hash(content.as_bytes());
    let (current, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (read, gone) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let read_once = || {
        let at = shop.at(&format!("tool_call_{}.txt", current.load(Ordering::Acquire)));
        match super::super::read_regular(&at) {
            Ok(text) => {
                assert_eq!(blake3::hash(text.as_bytes()), hash);
                read.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => {
                assert_eq!(error.kind(), io::ErrorKind::NotFound);
                let gone_then = expired(&at).and_then(|gone| gone.ended);
                assert!(gone_then.is_some(), "a 404 for a file that was there");
                gone.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    made(&shop, Some("0"), "0", &content);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    read_once();
                }
            });
        }
        for round in 1..25usize {
            let chat = round.to_string();
            made(&shop, Some(&chat), &chat, &content);
            current.store(round, Ordering::Release);
            std::thread::sleep(std::time::Duration::from_millis(4));
            assert_eq!(delete(&shop, &chat).deleted.len(), 1);
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(read.into_inner() > 0 && gone.into_inner() > 0);
}

/// One chat finds the other's file while that chat is deleted: what was noted and
/// then seen is there for good.
#[test]
fn a_file_is_found_by_another_chat_or_deleted_but_not_both() {
    let shop = shop();
    let (mut found, mut missed) = (0, 0);
    // One is far ahead, or neither.
    let wait = |ahead: bool| std::time::Duration::from_millis(if ahead { 20 } else { 0 });
    for round in 0..200 {
        let (a, b, id) = (format!("a{round}"), format!("b{round}"), round.to_string());
        let name = made(&shop, Some(&a), &id, "the same");
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
                shop.store.holds(&[&claims[0]])
            });
            std::thread::sleep(wait(round % 3 == 2));
            delete(&shop, &a);
            find.join().unwrap()
        });
        assert_eq!(held, shop.has(name.as_str()), "round {round}");
        *(if held { &mut found } else { &mut missed }) += 1;
        if held {
            assert_eq!(deleted(&delete(&shop, &b)), [name.as_str()]);
        }
    }
    assert!(found > 0 && missed > 0, "{found} found, {missed} missed");
}

#[test]
fn no_line_is_lost_to_deletions() {
    let shop = shop();
    made(&shop, Some("seed"), "seed", "x");
    let done = AtomicBool::new(false);
    let mut deletions = 0;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|thread| {
                let folder = shop.open();
                scope.spawn(move || {
                    for n in 0..100 {
                        let name = name(&format!("tool_call_{thread}_{n}.txt"));
                        let mut lines = Vec::new();
                        entry(&name, "x", start(), None).push_line(&mut lines);
                        manifest::append(&folder, &lines).unwrap();
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                })
            })
            .collect();
        let (done, shop) = (&done, &shop);
        let deleter = scope.spawn(move || {
            let mut count = 0;
            while !done.load(Ordering::Relaxed) || count == 0 {
                let chat = format!("chat {count}");
                made(shop, Some(&chat), &format!("of_{count}"), "y");
                assert_eq!(delete(shop, &chat).deleted.len(), 1);
                count += 1;
            }
            count
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::Relaxed);
        deletions = deleter.join().unwrap();
    });
    let read = Manifest::read(&shop.open()).unwrap().unwrap();
    assert_eq!(read.files.len(), 4 * 100 + 1 + deletions);
}

#[test]
fn every_store_under_the_roots_or_those_that_are_named() {
    let shop = shop();
    made(&shop, Some("a"), "1", "x");
    let second = shop.roots.locate(shop.temp.path().join("two").to_str().unwrap()).unwrap();
    let ledger = std::sync::Arc::new(super::super::Ledger::new(10));
    let two = super::super::Store::new(second.clone(), super::super::Durability::Relaxed, ledger);
    let two =
        Shop { temp: tempfile::tempdir().unwrap(), roots: Roots::open(&[]).unwrap(), store: two };
    let other = made(&two, Some("a"), "2", "x");
    let there = |folders| delete_chat(&shop.roots, folders, Chat::of("a"), after(9), Run::Dry);
    assert_eq!((there(None).folders, there(None).deleted.len()), (2, 2));
    let twice = there(Some(vec![second.clone(), second.clone()]));
    assert_eq!((twice.folders, deleted(&twice)), (1, vec![other.to_string()]));
    let nowhere = shop.roots.locate(shop.temp.path().join("no").to_str().unwrap()).unwrap();
    assert_eq!(there(Some(vec![nowhere])).folders, 0);
}
