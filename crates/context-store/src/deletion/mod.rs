//! Deletes a chat: the files that were made for it, except those that another chat refers to, and
//! everything that the index records about it.
//!
//! Only names for which the chat has markers are looked up. First, the chat's markers are set
//! aside. Then files are deleted in batches under the index's lock: ends are recorded and synced,
//! other chats are searched for again, files are deleted, and markers removed, in that order. A
//! crash in between leaves a marker for everything that remains, so that the same call can finish;
//! and a deleted file returns 410 from the beginning.

pub(crate) mod batch;
pub(crate) mod report;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::time::SystemTime;

use crate::index::batches::{PAUSE, each_batch};
use crate::index::folder_index::Index;
use crate::local::location::Location;
use crate::local::roots::Roots;
use crate::names::chat::Chat;
use crate::read::store_folders::find_store_folders;
use crate::report::{PathError, Run};
use batch::Batch;
use report::Deletion;

/// How often the markers of a chat that posts during its deletion are set aside.
const ROUNDS: usize = 16;

/// The number of times that the pause between two rounds doubles: up to 0.26 seconds.
const DOUBLINGS: usize = 7;

/// Deletes a chat from `folders`, or from every store under the roots.
///
/// An unknown chat is not an error. Files without a record of the chat for which they were made are
/// never touched.
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
            let found = find_store_folders(roots);
            (found.folders, found.complete)
        }
    };
    let report = Deletion { complete, ..Deletion::default() };
    let mut deletion = ChatDeletion { chat, now, run, report };
    let mut seen = HashSet::new();
    for at in folders.iter().filter(|at| seen.insert(at.key())) {
        if let Err(error) = deletion.delete_from(&at.unhurried()) {
            deletion.failed(at, &error);
        }
    }
    let mut report = deletion.report;
    report.deleted.sort();
    report.kept.sort();
    report
}

/// The deletion of a chat.
struct ChatDeletion {
    chat: Chat,
    now: SystemTime,
    run: Run,
    report: Deletion,
}

impl ChatDeletion {
    fn delete_from(&mut self, at: &Location) -> io::Result<()> {
        let Some(dir) = at.open_folder()? else { return Ok(()) };
        self.report.folders += 1;
        let Some(index) = Index::open(&dir)? else { return Ok(()) };
        let (chat, now, run) = (self.chat, self.now, self.run);
        let report = &mut self.report;
        let kept = BTreeMap::new();
        let mut batch = Batch { at, dir: &dir, index: &index, chat, now, kept, report };
        let done = match run {
            Run::Dry => dry_run(&mut batch),
            Run::Real => delete(&mut batch),
        };
        batch.report_kept();
        done
    }

    fn failed(&mut self, at: &Location, error: &io::Error) {
        let path = at.spelled().to_owned();
        self.report.errors.push(PathError { path, reason: error.to_string() });
    }
}

fn dry_run(batch: &mut Batch<'_>) -> io::Result<()> {
    let markers = batch.index.chat_markers(batch.chat);
    for folder in [markers.open_aside()?, markers.open()?].iter().flatten() {
        each_batch(folder, |names| {
            batch.look(names);
            Ok(())
        })?;
    }
    Ok(())
}

/// Deletes what a crashed call left, then the present files, then those that a post in progress has
/// written meanwhile; pauses longer after each round, so that the post can finish.
fn delete(batch: &mut Batch<'_>) -> io::Result<()> {
    let markers = batch.index.chat_markers(batch.chat);
    for round in 0..ROUNDS {
        if round > 1 {
            std::thread::sleep(PAUSE * (1 << round.min(DOUBLINGS)));
        }
        let mut is_left = false;
        if let Some(aside) = markers.open_aside()? {
            let failures = batch.failures();
            each_batch(&aside, |names| batch.delete(names, &aside))?;
            is_left = !markers.remove_aside()?;
            if is_left && batch.failures() > failures {
                return Ok(());
            }
        }
        if !markers.set_aside()? && !is_left {
            return Ok(());
        }
    }
    let reason = "the chat posts while it is deleted; delete it again when it has ended";
    Err(io::Error::new(io::ErrorKind::WouldBlock, reason))
}

#[cfg(test)]
mod tests;
