//! Faults of object stores only: answers that are lost, requests that arrive late, servers that are
//! not available, and several replicas in parallel.

use std::io;
use std::time::{Duration, Instant};

use super::fake::Fault;
use super::self_test::self_test;
use crate::index::ends::remove_ended;
use crate::media::{Medium, on};
use crate::testing::{Shop, after, ended_of, lifetimes, name, origin, read, seconds};
use crate::{
    Chat, ClaimedFile, Claims, End, FileName, FilesState, Lease, MissingIndex, Run, Stem, Store,
    StoreError, delete_chat, is_away,
};

pub(super) fn shop() -> Shop {
    on(Medium::Objects, crate::testing::shop)
}

/// Writes the result of a call for a chat, as a post does.
pub(super) fn post(
    store: &Store,
    chat: &str,
    id: &str,
    text: &str,
) -> Result<FileName, StoreError> {
    let hash = blake3::hash(text.as_bytes());
    let stem = Stem::of_call(Some(id), &hash);
    let claim = store.claim(&mut Claims::default(), &[(stem.clone(), hash)])?.remove(0);
    if claim.stored {
        let names = std::slice::from_ref(&claim.name);
        let now = std::time::SystemTime::now();
        store.renew(names, &lifetimes(), now);
        store.note_references(Chat::of(chat), names, MissingIndex::Create);
    }
    let files = [ClaimedFile { stem, claim, origin: origin(Some(chat), id) }];
    let claim = store.write(&files, |_| text.into())?.remove(0);
    if store.state_of(&[&claim]) == FilesState::Held {
        return Ok(claim.name);
    }
    let source = io::Error::other("not held");
    Err(StoreError::Io { step: "holding", path: claim.name.to_string(), source })
}

pub(super) fn delete(shop: &Shop, chat: &str) -> crate::Deletion {
    delete_chat(&shop.roots, None, Chat::of(chat), after(9), Run::Real)
}

#[test]
fn a_store_is_used_only_if_the_test_finds_what_the_rules_need() {
    for (fault, word) in [
        (Fault::None, None),
        (Fault::LostAnswers, None),
        (Fault::Fails(3), None),
        (Fault::Breaks(3), None),
        (Fault::Cuts(3), None),
        (Fault::Conflicts(3), None),
        (Fault::NotAtomic, Some("not atomic")),
        (Fault::StaleLists, Some("not listed")),
        (Fault::Away, Some("503 Slow Down")),
    ] {
        let shop = shop();
        let fake = shop.fake.as_ref().unwrap();
        fake.set_fault(fault);
        let tested = self_test(shop.roots.objects().unwrap());
        match (tested, word) {
            (Ok(()), None) => assert_eq!(fake.all(), [], "{fault:?}: it leaves nothing"),
            (Err(error), Some(word)) => assert!(error.to_string().contains(word), "{error}"),
            (tested, _) => panic!("{fault:?}: {tested:?}"),
        }
    }
}

/// Temporary faults: each request is retried, and finds the effect of its first try.
#[test]
fn faults_that_pass_change_no_name_and_no_byte() {
    for fault in
        [Fault::LostAnswers, Fault::Fails(3), Fault::Breaks(3), Fault::Cuts(3), Fault::Conflicts(3)]
    {
        let shop = shop();
        shop.fake.as_ref().unwrap().set_fault(fault);
        for n in 0..40 {
            let (id, text) = (n.to_string(), format!("text {n}"));
            let name = post(&shop.store, "a", &id, &text).unwrap();
            assert_eq!(name.as_str(), format!("tool_call_{n}.txt"), "{fault:?}");
            assert_eq!(read(&shop.replica().folder().child(name.as_str())).unwrap(), text);
        }
        let deletion = delete(&shop, "a");
        assert!(deletion.complete && deletion.errors.is_empty(), "{fault:?}: {deletion:?}");
        assert_eq!((deletion.deleted.total(), shop.files().len()), (40, 0), "{fault:?}");
    }
}

/// A failure of one operation does not affect another.
#[test]
fn an_operation_fails_by_its_own_requests_only() {
    let shop = shop();
    let own = post(&shop.store, "a", "1", "one").unwrap();
    shop.fake.as_ref().unwrap().set_fault(Fault::FailsFor("tool_call_2"));
    for _ in 0..5 {
        let error = post(&shop.store, "b", "2", "two").unwrap_err();
        assert!(error.to_string().contains("500 Internal Server Error"), "{error}");
        assert_eq!(read(&shop.at(own.as_str())).unwrap(), "one");
        let missing = read(&shop.at("tool_call_3.txt")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        post(&shop.store, "a", "4", "four").unwrap();
    }
    shop.fake.as_ref().unwrap().set_fault(Fault::Away);
    let ended = crate::ended_file(&shop.at("tool_call_3.txt")).unwrap_err();
    let found = crate::find_results(shop.store.folder(), "1").unwrap_err();
    assert!(is_away(&ended) && is_away(&found), "{ended} {found}");
    shop.fake.as_ref().unwrap().set_fault(Fault::None);
    post(&shop.store, "b", "2", "two").unwrap();
}

#[test]
fn a_store_that_is_away_is_said_to_be_and_comes_back() {
    let shop = shop();
    let fake = shop.fake.as_ref().unwrap();
    let own = post(&shop.store, "a", "1", "one").unwrap();
    fake.set_fault(Fault::Away);
    let Err(StoreError::Io { source, .. }) = post(&shop.replica(), "a", "2", "two") else {
        panic!("it must fail");
    };
    assert!(is_away(&source), "{source}");
    let error = read(&shop.at(own.as_str())).unwrap_err();
    assert_eq!(error.to_string(), "the object store failed: 503 Slow Down");
    assert!(shop.roots.unwritable().unwrap().contains("503 Slow Down"));
    fake.set_fault(Fault::None);
    assert_eq!(shop.roots.unwritable(), None, "a probe of readiness finds that it is back");
    assert_eq!(read(&shop.at(own.as_str())).unwrap(), "one");
    post(&shop.store, "a", "2", "two").unwrap();
}

/// All requests of an operation share its time limit.
#[test]
fn a_slow_store_holds_an_operation_no_longer_than_said() {
    let shop = shop();
    let fake = shop.fake.as_ref().unwrap();
    let cache = shop.temp.path().join("slow");
    let objects = fake.replica_that_waits(&cache, Duration::from_millis(400));
    let specs = [crate::RootSpec::parse(shop.temp.path().to_str().unwrap())];
    let roots = crate::Roots::of_objects(&specs, &objects).unwrap();
    fake.set_fault(Fault::Slow(Duration::from_millis(150)));
    let begun = Instant::now();
    let at = roots.locate(shop.store.folder().spelled()).unwrap();
    let cache = std::sync::Arc::new(crate::FileCache::new(10));
    let store = Store::new(at, crate::Durability::Sync, cache);
    let posted = post(&store, "a", "1", "one");
    let took = begun.elapsed();
    assert!(posted.is_err() && took < Duration::from_millis(900), "{took:?} {posted:?}");
    fake.set_fault(Fault::None);
    assert!(!shop.has("tool_call_1.txt"), "nothing half-written is seen");
}

#[test]
fn a_writer_that_stalls_brings_no_deleted_file_back() {
    let shop = shop();
    let own = post(&shop.store, "a", "1", "secret").unwrap();
    let file = shop.record(&own).unwrap().file(&own);
    assert_eq!(delete(&shop, "a").deleted.total(), 1);
    // Its content arrives now, in a life that is over.
    shop.folder().publish(&file, b"secret", crate::Durability::Sync).unwrap();
    assert!(!shop.has(own.as_str()));
    let ended = ended_of(&shop.at(own.as_str())).unwrap().ended.unwrap();
    assert_eq!(ended.1, End::ChatDeleted);
    let listed = shop.store.folder().files_below(10, &|_| true).unwrap().0;
    let opened = crate::Location::open_readers(&[listed[0].1.clone()]).remove(0);
    assert_eq!(opened.unwrap_err().kind(), io::ErrorKind::NotFound);
    // The same content may get its former name again, as a new life.
    shop.fake.as_ref().unwrap().set_now(after(3_000));
    assert_eq!(post(&shop.replica(), "b", "1", "secret").unwrap(), own);
    assert_eq!(shop.files(), [own.to_string(), format!("{own}!1")]);
    // A sweep removes the late content, not the living file.
    shop.fake.as_ref().unwrap().set_date(&format!("/files/{file}"), after(0));
    let swept = shop.sweep(after(3_600));
    assert_eq!((swept.temporary, shop.files()), (1, vec![format!("{own}!1")]));
    assert!(shop.has(own.as_str()));
}

#[test]
fn a_deleter_that_stalls_takes_no_later_life() {
    let shop = shop();
    let own = post(&shop.store, "a", "1", "text").unwrap();
    let record = shop.record(&own).unwrap();
    delete(&shop, "a");
    post(&shop.replica(), "b", "1", "text").unwrap();
    // The deleter of the first life continues: with the content, and with the record.
    shop.folder().unmark(&record.file(&own)).unwrap();
    let ended = record.ended(after(9), End::ChatDeleted);
    assert!(shop.index().records.replace(&own, &ended).is_err());
    let removed = remove_ended(&shop.folder(), &shop.index().records, &own).unwrap();
    assert_eq!(removed, crate::index::ends::Removal::LivesAgain);
    assert_eq!(read(&shop.at(own.as_str())).unwrap(), "text");
}

#[test]
fn what_one_replica_did_the_others_see_at_once() {
    let shop = shop();
    let replicas = [shop.replica(), shop.replica(), shop.replica()];
    let own = post(&replicas[0], "a", "1", "text").unwrap();
    for replica in &replicas {
        assert_eq!(read(&replica.folder().child(own.as_str())).unwrap(), "text");
        // The same post gets the same name and creates no object.
        let before = shop.fake.as_ref().unwrap().all().len();
        assert_eq!(post(replica, "a", "1", "text").unwrap(), own);
        assert_eq!(shop.fake.as_ref().unwrap().all().len(), before);
        assert_eq!(replica.key_or_new().unwrap(), replicas[0].key_or_new().unwrap());
    }
    assert_eq!(delete(&shop, "a").deleted.total(), 1);
    for replica in &replicas {
        let at = replica.folder().child(own.as_str());
        assert_eq!(read(&at).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(ended_of(&at).unwrap().ended.is_some());
        replica.set_chat(Chat::of("a"), lifetimes());
        let leases = replica.renew(std::slice::from_ref(&own), &lifetimes(), after(0));
        assert_eq!(leases, [Lease::Gone]);
    }
}

#[test]
fn what_a_replica_renewed_no_other_sweeps() {
    let shop = shop();
    let (kept, gone) = (name("tool_call_1.txt"), name("tool_call_2.txt"));
    for (id, own) in [("1", &kept), ("2", &gone)] {
        assert_eq!(post(&shop.store, "a", id, id).unwrap(), *own);
        shop.age(own, after(0));
    }
    let fake = shop.fake.as_ref().unwrap();
    fake.set_now(after(3_000));
    let replica = shop.replica();
    let leases = replica.renew(std::slice::from_ref(&kept), &lifetimes(), after(0));
    assert_eq!(leases, [Lease::Held]);
    assert_eq!(shop.sweep(after(3_599)).expired.total(), 0);
    let swept = shop.sweep(after(3_600));
    assert!(swept.errors.is_empty(), "{swept:?}");
    assert_eq!(crate::testing::paths(&swept.expired), [gone.as_str()]);
    assert!(shop.has(kept.as_str()) && !shop.has(gone.as_str()));
    let ended = ended_of(&shop.at(gone.as_str())).unwrap();
    assert_eq!(ended.ended.unwrap().1, End::Expired);
    assert_eq!(ended.call.call_id.as_deref(), Some("2"));
    // A replica that saw it before finds that it is gone, and writes it again.
    assert_eq!(post(&replica, "b", "2", "2").unwrap(), gone);
    assert_eq!(read(&shop.at(gone.as_str())).unwrap(), "2");
}

/// Number of requests in a turn: they cost money and a reader's time.
#[test]
fn requests_of_a_turn_do_not_grow_with_the_history() {
    let shop = shop();
    let chat = Chat::of("a");
    let objects = shop.roots.objects().unwrap();
    let mut names: Vec<FileName> = Vec::new();
    let mut last = objects.requests();
    let mut turns = Vec::new();
    for turn in 0..30 {
        let text = format!("text {turn}");
        let cache = std::sync::Arc::clone(&shop.store.folder.cache);
        let store = Store::new(shop.store.folder().clone(), crate::Durability::Sync, cache);
        store.set_chat(chat, lifetimes());
        // The earlier history, as the client posts it again.
        for (n, own) in names.iter().enumerate() {
            let hash = blake3::hash(format!("text {n}").as_bytes());
            let stem = Stem::of_call(Some(&n.to_string()), &hash);
            let claim = store.claim(&mut Claims::default(), &[(stem, hash)]).unwrap();
            assert!(claim[0].stored && claim[0].name == *own);
        }
        let now = std::time::SystemTime::now();
        store.renew(&names, &lifetimes(), now);
        store.note_references(chat, &names, MissingIndex::Create);
        names.push(post(&store, "a", &turn.to_string(), &text).unwrap());
        let now = objects.requests();
        turns.push([
            now.put - last.put,
            now.get - last.get,
            now.head - last.head,
            now.list - last.list,
        ]);
        last = now;
    }
    assert_eq!(turns[29], turns[10], "{turns:?}");
    let [put, get, head, list] = turns[29];
    assert_eq!((put, list), (3, 0), "marker, record, content: {turns:?}");
    assert!(get <= 14 && head <= 3, "{turns:?}");
}

#[test]
fn a_sweep_lists_the_days_that_are_due() {
    const DAY: u64 = 86_400;
    let shop = shop();
    let fake = shop.fake.as_ref().unwrap();
    let lifetimes = crate::Lifetimes { store: Some(seconds(30 * DAY)), ..lifetimes() };
    let of_day = |day: u64| {
        let now = after(day * DAY);
        fake.set_now(now);
        // A replica reads the store's clock when it starts.
        let replica = shop.replica();
        let own = post(&replica, "a", &day.to_string(), "text").unwrap();
        shop.age(&own, now);
        own
    };
    let names = [0, 10, 20].map(of_day);
    let examined = |day: u64| {
        let report = shop.sweep_with(&lifetimes, after(day * DAY));
        (report.examined, report.expired.total(), report.stored)
    };
    assert_eq!(examined(29), (0, 0, 0));
    assert_eq!(examined(30), (1, 1, 0));
    // A renewed file is examined from its day on.
    shop.age(&names[1], after(35 * DAY));
    assert_eq!(examined(40), (1, 0, 1));
    assert_eq!(examined(50), (2, 1, 1));
    assert_eq!(examined(65), (1, 1, 0));
    assert_eq!(shop.files(), [] as [String; 0]);
    // If nothing expires, only recent leftovers of writers are examined.
    let of_late = of_day(70);
    let forever = crate::Lifetimes { store: None, ..lifetimes };
    let examined = |day: u64| shop.sweep_with(&forever, after(day * DAY)).examined;
    assert_eq!((examined(71), examined(72)), (1, 0));
    assert!(shop.has(of_late.as_str()));
}

/// A sweep only lists the live files of due days, without reading them.
#[test]
fn a_sweep_lists_what_lives_and_reads_what_is_due() {
    let shop = shop();
    let (objects, fake) = (shop.roots.objects().unwrap(), shop.fake.as_ref().unwrap());
    let names: Vec<FileName> =
        (0..20).map(|n| post(&shop.store, "a", &n.to_string(), "text").unwrap()).collect();
    names.iter().for_each(|name| shop.age(name, after(0)));
    fake.set_fault(Fault::Slow(Duration::from_millis(2)));
    let mut last = objects.requests();
    let mut swept = |at: u64, expired: usize| {
        assert_eq!(shop.sweep(after(at)).expired.total(), expired);
        let now = objects.requests();
        let counts = [
            now.put - last.put,
            now.get - last.get,
            now.head - last.head,
            now.list - last.list,
            now.delete - last.delete,
        ];
        last = now;
        counts
    };
    // The lock, its time and its removal; the stores, the days, the contents of one day, and the
    // days of ends.
    assert_eq!(swept(3_599, 0), [1, 0, 1, 4, 1]);
    // The end of a file is marked and recorded.
    assert_eq!(swept(3_600, 20), [1 + 2 * 20, 20, 1, 4, 1 + 20]);
    assert!(fake.most_in_flight() >= 8, "they end in parallel");
    // After a month, its origin is removed.
    assert_eq!(swept(3_600 + 32 * 86_400, 0), [1 + 20, 2 * 20, 1, 4 + 20, 1 + 2 * 20]);
    assert_eq!(swept(3_600 + 32 * 86_400, 0), [1, 0, 1, 3, 1]);
}

#[test]
fn a_place_is_a_prefix_below_the_root() {
    let shop = shop();
    let at = |path: &str| shop.roots.locate(&format!("{}/{path}", shop.temp.path().display()));
    let key = |path: &str| at(path).unwrap().place().unwrap().key;
    assert!(key("my chat/x").ends_with("/my!20chat/x"), "{}", key("my chat/x"));
    assert!(key("x").starts_with("some/prefix/"));
    assert!(at("../../..").is_err() && at(".unburden/key").is_err());
    assert!(shop.at("../../etc/passwd").open_file().is_err());
    // With a mapping, the path that callers see differs from that in the bucket.
    let objects = shop.roots.objects().unwrap();
    let specs = [crate::RootSpec::parse("/workspace=team/one")];
    let mapped = crate::Roots::of_objects(&specs, objects).unwrap();
    let place = mapped.locate("/workspace/store").unwrap().place().unwrap();
    assert_eq!(place.key, "some/prefix/team/one/store");
    let other = [crate::RootSpec::parse("/elsewhere=team/one/store")];
    let other = crate::Roots::of_objects(&other, objects).unwrap();
    assert!(mapped.overlap(&other).is_some());
    assert!(mapped.locate("/team/one/store").is_err(), "callers know the seen path only");
}

#[test]
fn an_hour_of_the_local_clock_is_no_hour_of_the_store() {
    let shop = shop();
    let own = post(&shop.store, "a", "1", "x").unwrap();
    let now = std::time::SystemTime::now();
    let wrong = crate::testing::moment(now + seconds(1_000_000));
    let options = crate::SweepOptions {
        roots: &shop.roots,
        folders: &[],
        coverage: crate::Coverage::Roots,
        lifetimes: &lifetimes(),
        now: &wrong,
        run: Run::Real,
    };
    assert_eq!(crate::sweep(&options, &mut |_| {}).expired.total(), 0);
    assert!(shop.has(own.as_str()));
}
