//! Races: another process acts between two requests of an operation.

use std::io;
use std::time::Duration;

use super::fake::{Fault, Request};
use super::tests::{delete, post, shop};
use crate::index::ends::remove_ended;
use crate::testing::{Shop, after, ended_of, lifetimes, origin, read};
use crate::{Chat, ClaimedFile, Claims, End, FileName, FilesState, Stem, Store};

/// Ends a file in another process, as a sweep does; if `again` is given, another replica then posts
/// it again.
fn ends_elsewhere(
    shop: &Shop,
    own: &FileName,
    again: Option<&'static str>,
) -> impl FnOnce() + Send + 'static {
    let (replica, own) = (shop.replica(), own.clone());
    move || {
        let folder = replica.folder().open_folder().unwrap().unwrap();
        let index = crate::index::folder_index::Index::open(&folder).unwrap().unwrap();
        let record = index.records.read(&own).unwrap().record().unwrap();
        index.records.replace(&own, &record.ended(after(1), End::Expired)).unwrap();
        remove_ended(&folder, &index.records, &own).unwrap();
        if let Some(text) = again {
            assert_eq!(post(&replica, "b", "1", text).unwrap(), own);
        }
    }
}

/// A writer that loses a race for a record finds that the winner began its lease.
#[test]
fn any_number_of_writers_of_one_content_get_one_name() {
    let shop = shop();
    shop.fake.as_ref().unwrap().set_fault(Fault::Slow(Duration::from_millis(2)));
    for _ in 0..2 {
        let replicas: Vec<Store> = (0..64).map(|_| shop.replica()).collect();
        let start = std::sync::Barrier::new(replicas.len());
        std::thread::scope(|scope| {
            for (number, replica) in replicas.iter().enumerate() {
                let start = &start;
                scope.spawn(move || {
                    let (chat, text) = (format!("chat {number}"), "one text");
                    let hash = blake3::hash(text.as_bytes());
                    let stem = Stem::of_call(Some("1"), &hash);
                    let wanted = [(stem.clone(), hash)];
                    let mut claim =
                        replica.claim(&mut Claims::default(), &wanted).unwrap().remove(0);
                    // As if the claim was made before the file existed.
                    claim.stored = false;
                    start.wait();
                    let files = [ClaimedFile { stem, claim, origin: origin(Some(&chat), "1") }];
                    let claim = replica.write(&files, |_| text.into()).unwrap().remove(0);
                    assert_eq!(claim.name.as_str(), "tool_call_1.txt");
                    assert_eq!(replica.state_of(&[&claim]), FilesState::Held);
                });
            }
        });
    }
}

#[test]
fn a_file_that_ends_while_it_is_made_is_made_again() {
    for chat in ["a", "b"] {
        for part in ["/files/", "/names/"] {
            let shop = shop();
            let own = post(&shop.store, "a", "1", "text").unwrap();
            ends_elsewhere(&shop, &own, None)();
            let replica = shop.replica();
            assert_eq!(post(&replica, "a", "1", "text").unwrap(), own);
            assert_eq!(shop.files(), [format!("{own}!1")]);
            // A writer that does not know that it exists posts it again.
            let hash = blake3::hash(b"text");
            let stem = Stem::of_call(Some("1"), &hash);
            let claim = crate::Claim { name: own.clone(), hash, stored: false };
            let files = [ClaimedFile { stem, claim, origin: origin(Some(chat), "1") }];
            let fake = shop.fake.as_ref().unwrap();
            fake.before(Request::Put, part, ends_elsewhere(&shop, &own, None));
            let claim = shop.store.write(&files, |_| "text".into()).unwrap().remove(0);
            assert_eq!(shop.store.state_of(&[&claim]), FilesState::Held, "{part}");
            assert_eq!(read(&shop.at(own.as_str())).unwrap(), "text");
            assert_eq!(shop.files(), [format!("{own}!2")], "{chat} {part}: nothing is left");
        }
    }
}

/// The markers prove nothing: they are of a generation that the deletion does not process.
#[test]
fn a_writer_that_comes_too_late_leaves_no_content() {
    let shop = shop();
    let own = post(&shop.store, "a", "1", "text").unwrap();
    shop.remove_file(&own);
    let fake = shop.fake.as_ref().unwrap();
    let elsewhere = ends_elsewhere(&shop, &own, Some("text"));
    fake.before(Request::Put, "/files/", elsewhere);
    let hash = blake3::hash(b"text");
    let stem = Stem::of_call(Some("1"), &hash);
    let claim = crate::Claim { name: own.clone(), hash, stored: false };
    let files = [ClaimedFile { stem, claim, origin: origin(Some("a"), "1") }];
    shop.store.write(&files, |_| "text".into()).unwrap();
    assert_eq!(shop.files(), [format!("{own}!1")]);
    for chat in ["a", "b"] {
        assert!(delete(&shop, chat).complete);
    }
    assert_eq!(shop.files(), [] as [String; 0]);
}

#[test]
fn a_reader_finds_the_content_or_the_end() {
    for again in [None, Some("text")] {
        let shop = shop();
        let own = post(&shop.store, "a", "1", "text").unwrap();
        let reader = shop.replica();
        let fake = shop.fake.as_ref().unwrap();
        fake.before(Request::Get, "/files/", ends_elsewhere(&shop, &own, again));
        let at = reader.folder().child(own.as_str());
        match again {
            None => {
                assert_eq!(read(&at).unwrap_err().kind(), io::ErrorKind::NotFound);
                assert_eq!(ended_of(&at).unwrap().ended.unwrap().1, End::Expired);
            }
            Some(text) => assert_eq!(read(&at).unwrap(), text),
        }
    }
}

/// The markers of a chat are created by a write whose first try a server executes late, after a
/// deletion of the chat: a replica that has cached them must not believe that the file exists.
#[test]
fn a_write_that_is_done_late_proves_no_deleted_file() {
    let shop = shop();
    let fake = shop.fake.as_ref().unwrap();
    let replica = shop.replica();
    let request = || {
        let cache = std::sync::Arc::clone(&replica.folder.cache);
        let store = Store::new(replica.folder().clone(), crate::Durability::Sync, cache);
        store.set_chat(Chat::of("a"), lifetimes());
        store
    };
    fake.set_fault(Fault::Late("/chats/"));
    let own = post(&request(), "a", "1", "text").unwrap();
    fake.set_fault(Fault::None);
    assert_eq!(delete(&shop, "a").deleted.total(), 1);
    fake.arrive();
    assert_eq!(post(&request(), "a", "1", "text").unwrap(), own);
    assert!(shop.has(own.as_str()));
}
