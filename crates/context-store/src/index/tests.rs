//! Records that are written, trusted and rejected.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::index::markers::Marker;
use crate::index::records::RecordState;
use crate::records::record::Record;
use crate::testing::{ended_of, name, origin, shop, shop_in};
use crate::{Chat, PRIVATE, Stem, delete_chat};

/// If no file can be created, files can still be deleted, which frees space.
#[test]
fn the_first_lock_of_a_store_needs_no_new_file() {
    let shop = shop();
    shop.made_for("a", "1", "content");
    let count = || std::fs::read_dir(shop.path(PRIVATE)).unwrap().count();
    let before = count();
    let _locked = shop.opened().index.unwrap().lock().unwrap();
    assert_eq!(count(), before);
}

#[test]
fn a_file_is_recorded_before_it_is_seen() {
    let shop = shop();
    let first = shop.made_for("a", "1", "content");
    let chat = Chat::of("a");
    let files: Vec<String> = shop.private().into_keys().collect();
    let [marker, record] = [format!("chats/{chat}/{first}"), format!("names/{first}.json")];
    assert_eq!(files, [&*marker, "format", "lock", &*record]);
    let record = shop.record(&first).unwrap();
    assert_eq!((record.bytes, record.hash), (7, Some(blake3::hash(b"content"))));
    assert_eq!(record.origin, origin(Some("a"), "1"));
    let mode = |name: &str| shop.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".unburden/names/tool_call_1.txt.json"), 0o600);
    assert_eq!(mode(".unburden/names"), 0o700);
    // Again, by this process and by another: nothing grows.
    let before = shop.private();
    let shop = shop_in(shop.temp);
    assert_eq!(shop.made_for("a", "1", "content"), first);
    assert_eq!(shop.private(), before);
}

/// After a crash at any step of a write, a deletion of its chat finds everything: markers, records
/// and files are created in this order.
#[test]
fn what_a_crash_leaves_of_a_write_is_found_by_a_deletion() {
    for step in 0..4 {
        let shop = shop();
        shop.made_for("other", "seed", "x");
        let own = name("tool_call_1-01234567.txt");
        let (index, chat) = (shop.index(), Chat::of("a"));
        let id = "words of a".to_owned();
        let mut origin = origin(Some("a"), "1");
        origin.call.call_id = Some(id.clone());
        if step > 0 {
            index.markers().add(Marker::OfChat(chat, &own)).unwrap();
        }
        if step > 1 {
            index.markers().add(Marker::OfCall(&id, &own)).unwrap();
            index.records.create(&own, &Record::new(blake3::hash(b"secret"), 6, origin)).unwrap();
        }
        if step > 2 {
            shop.plant(own.as_str(), "secret", std::time::SystemTime::now());
        }
        let now = std::time::SystemTime::now();
        let run = crate::Run::Real;
        let deletion = delete_chat(&shop.roots, None, chat, now, run);
        assert!(deletion.complete && deletion.errors.is_empty(), "{deletion:?}");
        assert_eq!(deletion.deleted.len(), usize::from(step > 2));
        assert!(!shop.has(own.as_str()));
        for (path, content) in shop.private() {
            let is_of_a = path.contains(&chat.to_string()) || content.contains("of a");
            assert!(!is_of_a && !path.starts_with("calls"), "{path}: {content}");
        }
    }
}

#[test]
fn a_private_folder_that_is_not_ours_is_never_written_to() {
    let shop = shop();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), shop.path(PRIVATE)).unwrap();
    let hash = blake3::hash(b"x");
    let wanted = [(Stem::of_call(Some("1"), &hash), hash)];
    let claimed = shop.store.claim(&mut crate::Claims::default(), &wanted);
    assert!(claimed.is_err(), "no name is given out without an index");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// Links, hard links, other users' files and files that are too large count as missing.
#[test]
fn a_record_that_is_not_plainly_ours_is_not_believed() {
    let shop = shop();
    let own = shop.made_for("a", "1", "x");
    let path = shop.path(&format!(".unburden/names/{own}.json"));
    let good = std::fs::read(&path).unwrap();
    let elsewhere = shop.temp.path().join("elsewhere");
    std::fs::write(&elsewhere, &good).unwrap();
    type Plant<'a> = &'a dyn Fn();
    let plants: [Plant<'_>; 4] = [
        &|| symlink(&elsewhere, &path).unwrap(),
        &|| std::fs::hard_link(&elsewhere, &path).unwrap(),
        &|| {
            std::fs::write(&path, &good).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        },
        &|| std::fs::write(&path, [good.clone(), vec![b' '; 9_000]].concat()).unwrap(),
    ];
    for (n, plant) in plants.iter().enumerate() {
        std::fs::remove_file(&path).unwrap();
        plant();
        assert_eq!(shop.index().records.read(&own).unwrap(), RecordState::Unreadable, "{n}");
        std::fs::rename(shop.path(own.as_str()), shop.path("aside")).unwrap();
        assert_eq!(ended_of(&shop.at(own.as_str())), None, "{n}");
        std::fs::rename(shop.path("aside"), shop.path(own.as_str())).unwrap();
    }
    assert_eq!(std::fs::read(&elsewhere).unwrap(), good);
}

#[test]
fn a_newer_form_is_refused_with_what_to_do() {
    let shop = shop();
    shop.made_for("a", "1", "x");
    std::fs::write(shop.path(".unburden/format"), "unburden store 3\n").unwrap();
    let error = Index::open(&shop.folder()).err().unwrap().to_string();
    assert!(error.contains("newer version") && error.contains("unburden store 3"), "{error}");
    let swept = shop.sweep(crate::testing::after(1));
    assert_eq!((swept.expired.len(), swept.errors.len()), (0, 1));
    std::fs::write(shop.path(".unburden/format"), "something\n").unwrap();
    assert!(Index::open(&shop.folder()).is_err());
}

#[test]
fn records_of_one_name_are_created_once() {
    let shop = shop();
    shop.made_for("a", "seed", "x");
    let own = name("tool_call_race.txt");
    let won = std::thread::scope(|scope| {
        let create = |n: usize| {
            let record = Record::new(blake3::hash(&n.to_le_bytes()), 1, origin(None, "x"));
            let (own, index) = (&own, shop.index());
            scope.spawn(move || usize::from(index.records.create(own, &record).unwrap()))
        };
        let threads: Vec<_> = (0..32).map(create).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(won, 1);
}
