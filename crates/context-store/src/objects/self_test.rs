//! The test of an object store at the start: it must have the properties that the rules rely on.
//! Some servers accept a conditional put but ignore its condition, or respect it only for
//! sequential requests.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::client::Objects;
use super::folder::Place;
use super::health::is_away;
use super::patience::Patience;
use crate::folder::{Version, is_changed};

/// The folder of the test, at the top of the prefix.
const CHECK: &str = ".unburden-check";

/// Writers that race for one key.
const RACERS: usize = 64;

/// Maximum number of races, until the answer to one winner arrives: it can be lost.
const RACES: usize = 3;

/// Minimum time for the whole test.
const TIME: Duration = Duration::from_secs(30);

/// Tests the store, and reads its clock.
///
/// # Errors
///
/// Fails with the reason why the store cannot be used.
pub(super) fn self_test(objects: &Arc<Objects>) -> io::Result<()> {
    let patience = Arc::new(Patience::of(TIME.max(objects.timeout * 2)));
    let top = Place { objects: Arc::clone(objects), patience, key: objects.prefix.clone() };
    let at = top.child(CHECK).child(&ulid::Ulid::generate().to_string());
    let tested = read_after_write(&at)
        .and_then(|()| race(&at, "create", |key, text| at.objects.create(key, text, &at.patience)))
        .and_then(|()| race_of_replacements(&at))
        .and_then(|()| list_after_write(&at));
    for name in at.names().filter_map(Result::ok) {
        let _ = objects.delete(&at.key_of(&name), &at.patience);
    }
    tested
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, reason.to_owned())
}

fn read_after_write(at: &Place) -> io::Result<()> {
    let (objects, patience, key) = (&at.objects, &at.patience, at.key_of("read"));
    for text in ["one", "two"] {
        objects.put(&key, text.into(), patience)?;
        let read = objects.get(&key, None, patience)?;
        if read.is_none_or(|read| read.bytes != text.as_bytes()) {
            return Err(refused("an object that was just written is not read back"));
        }
    }
    let head = objects.head(&key, patience)?;
    if let Some(at) = head.and_then(|head| head.version.written_at) {
        objects.clock.set(at);
    }
    objects.delete(&key, patience)?;
    match objects.get(&key, None, patience)? {
        None => Ok(()),
        Some(_) => Err(refused("an object that was just deleted is still read")),
    }
}

/// Lets many writers change one key in parallel: exactly one may succeed, and the key must have its
/// bytes.
fn race(
    at: &Place,
    what: &str,
    change: impl Fn(&str, &[u8]) -> io::Result<bool> + Sync,
) -> io::Result<()> {
    for race in 0..RACES {
        let key = at.key_of(&format!("{what}-{race}"));
        let (won, winner) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let outcomes: Vec<io::Result<()>> = std::thread::scope(|scope| {
            let racer = |number: usize| {
                let (key, won, winner, change) = (&key, &won, &winner, &change);
                scope.spawn(move || {
                    if change(key, number.to_string().as_bytes())? {
                        won.fetch_add(1, Ordering::Relaxed);
                        winner.store(number, Ordering::Relaxed);
                    }
                    Ok(())
                })
            };
            let racers: Vec<_> = (0..RACERS).map(racer).collect();
            let died = || Err(io::Error::other("a racer died"));
            racers.into_iter().map(|racer| racer.join().unwrap_or_else(|_| died())).collect()
        });
        // A store that is overloaded may answer only some of them.
        let is_answered = |outcome: &io::Result<()>| !outcome.as_ref().is_err_and(is_away);
        let is_busy = outcomes.iter().any(is_answered);
        let outcomes = outcomes.into_iter().filter(|outcome| !is_busy || is_answered(outcome));
        outcomes.collect::<io::Result<()>>()?;
        let (won, winner) = (won.into_inner(), winner.into_inner());
        if won > 1 {
            return Err(refused(&format!(
                "{won} of {RACERS} writers that {what} one object at once succeeded: its \
                 conditional put is not atomic. Use a store with an atomic If-None-Match and \
                 If-Match, such as AWS S3"
            )));
        }
        let read = at.objects.get(&key, None, &at.patience)?;
        match (won, read) {
            (1, Some(read)) if read.bytes == winner.to_string().as_bytes() => return Ok(()),
            // The winner's answer was lost.
            (0, _) => {}
            _ => return Err(refused("the object of a race holds another writer's bytes")),
        }
    }
    Err(refused("nobody won a race of writers: answers are lost again and again"))
}

fn race_of_replacements(at: &Place) -> io::Result<()> {
    let (objects, patience) = (&at.objects, &at.patience);
    let mut seen: HashMap<String, Version> = HashMap::new();
    for number in 0..RACES {
        let key = at.key_of(&format!("replace-{number}"));
        objects.put(&key, b"first".to_vec(), patience)?;
        let head = objects.head(&key, patience)?;
        let head = head.ok_or_else(|| refused("an object that was just written is missing"))?;
        if head.version.tag.is_none() {
            return Err(refused("its objects have no ETag"));
        }
        seen.insert(key, head.version);
    }
    race(at, "replace", |key, text| {
        let Some(seen) = seen.get(key) else { return Ok(false) };
        match objects.replace(key, text, seen, patience) {
            Err(error) if is_changed(&error) => Ok(false),
            replaced => replaced.map(|()| true),
        }
    })
}

fn list_after_write(at: &Place) -> io::Result<()> {
    let (objects, patience, key) = (&at.objects, &at.patience, at.key_of("listed"));
    let is_listed = || -> io::Result<bool> {
        let names = at.names().collect::<io::Result<Vec<String>>>()?;
        Ok(names.iter().any(|name| name == "listed"))
    };
    objects.put(&key, Vec::new(), patience)?;
    if !is_listed()? {
        return Err(refused("an object that was just written is not listed"));
    }
    objects.delete(&key, patience)?;
    if is_listed()? {
        return Err(refused("an object that was just deleted is still listed"));
    }
    Ok(())
}
