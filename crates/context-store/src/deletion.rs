//! Deleting a chat: the files that were made for it, but for those that another chat
//! mentions too, and every word of it in the index.
//!
//! Only names that the chat has markers for are looked at. Its markers are taken away
//! from it first; then files go in batches under the index's lock: ends are noted and
//! synced, it is looked whether another chat has come, files are deleted, markers
//! removed, in that order. Whatever happens in between leaves a marker beside what is
//! still there, so that the same call again finishes; and a file that is gone is a 410
//! from the first moment.

use std::collections::HashSet;
use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;

use super::deletion_batch::Batch;
use super::ends::BATCH;
use super::index::Index;
use super::migrate::{Migrated, migrate};
use super::walk::walk;
use super::{Chat, Deletion, FileName, Location, Roots, Run, Trouble, manifest};

/// How often a chat's markers are taken away that posts while it is deleted.
const ROUNDS: usize = 16;

/// Time for others to take the lock between two batches.
const PAUSE: Duration = Duration::from_millis(2);

/// A pause between two rounds is twice the one before it, so often: 0.26 seconds.
const LONGEST_PAUSE: usize = 7;

/// Deletes a chat from `folders`, or from every store under the roots.
///
/// A chat that no store knows is no error: nothing is left of it. Files without
/// a record that says which chat they were made for are never touched.
pub fn delete_chat(
    roots: &Roots,
    folders: Option<Vec<Location>>,
    chat: Chat,
    now: SystemTime,
    run: Run,
) -> Deletion {
    let (folders, complete) = match folders {
        Some(folders) => (folders, true),
        None => {
            let found = walk(roots);
            (found.folders, found.complete)
        }
    };
    let mut deletion = Deletion { complete, ..Deletion::default() };
    let mut seen = HashSet::new();
    for at in folders.iter().filter(|at| seen.insert(at.key())) {
        if let Err(error) = delete_from(at, chat, now, run, &mut deletion) {
            let trouble = Trouble { path: at.spelled().to_owned(), why: error.to_string() };
            deletion.errors.push(trouble);
        }
    }
    deletion.deleted.sort();
    deletion.kept.sort();
    deletion
}

fn delete_from(
    at: &Location,
    chat: Chat,
    now: SystemTime,
    run: Run,
    deletion: &mut Deletion,
) -> io::Result<()> {
    let dir = match at.dir().open_dir(at.relative()) {
        Ok(dir) => dir,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    deletion.folders += 1;
    // What an old manifest says is unknown then; what the index says is not.
    if let Err(error) = migrated(&dir, run) {
        let trouble = Trouble { path: at.spelled().to_owned(), why: error.to_string() };
        deletion.errors.push(trouble);
    }
    let Some(index) = Index::open(&dir)? else { return Ok(()) };
    let mut batch = Batch { at, dir: &dir, index: &index, chat, now, deletion };
    if run == Run::Dry {
        for markers in [index.doomed_names_of(chat)?, index.names_of(chat)?].iter().flatten() {
            each_batch(markers, |names| {
                batch.look(&names);
                Ok(())
            })?;
        }
        return Ok(());
    }
    // What a call that crashed has left, then what is there; then what a post that goes on
    // has written meanwhile, with ever more time for it to come to its end.
    for round in 0..ROUNDS {
        if round > 1 {
            std::thread::sleep(PAUSE * (1 << round.min(LONGEST_PAUSE)));
        }
        let mut is_left = false;
        if let Some(markers) = index.doomed_names_of(chat)? {
            let failures = batch.failures();
            each_batch(&markers, |names| batch.delete(&names, &markers))?;
            is_left = !index.end_doom(chat)?;
            if is_left && batch.failures() > failures {
                return Ok(());
            }
        }
        if !index.doom(chat)? && !is_left {
            return Ok(());
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "the chat posts without end"))
}

/// A folder of an earlier version is moved into the index first.
fn migrated(dir: &Dir, run: Run) -> io::Result<()> {
    let why = match run {
        Run::Real if migrate(dir)? == Migrated::Foreign => {
            "\".unburden-files.jsonl\" is not this user's own plain file: what it says of the \
             chat is unknown"
        }
        Run::Dry if manifest::open(dir)?.is_some() => {
            "the folder still has the manifest of an earlier version: a sweep moves it into the \
             index, then a dry run can tell"
        }
        Run::Real | Run::Dry => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}

/// Calls `each` with the names that a folder of markers has, in batches.
fn each_batch(
    markers: &Dir,
    mut each: impl FnMut(Vec<FileName>) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in markers.entries()? {
        names.extend(entry?.file_name().to_str().and_then(FileName::of_minted));
        if names.len() >= BATCH {
            each(std::mem::take(&mut names))?;
            std::thread::sleep(PAUSE);
        }
    }
    if names.is_empty() { Ok(()) } else { each(names) }
}

#[cfg(test)]
#[path = "deletion_tests.rs"]
mod tests;
