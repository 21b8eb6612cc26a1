//! The ends of files: a record states that a file ended, and is on the disk, before the file is
//! deleted. So a crash leaves either the file or a 410, never a 404.

use std::io;
use std::thread::{self, Builder};

use super::records::{RecordState, Records};
use crate::folder::{Folder, until_unchanged};
use crate::names::file_name::FileName;
use crate::records::record::Record;

/// Number of records that are synced in parallel: the disk merges the syncs. These are not the
/// writers' threads, which may wait for the lock that is held here.
const THREADS: usize = 8;

/// Replaces the records of files that ended; returns for each whether it is on the disk. The index
/// must be locked.
pub(crate) fn write_ends(records: &Records, ends: &[(&FileName, Record)]) -> Vec<bool> {
    let write = |ends: &[(&FileName, Record)]| -> Vec<bool> {
        ends.iter().map(|(name, record)| write_one(records, name, record)).collect()
    };
    let written = if ends.len() > 1 { in_threads(ends, write) } else { write(ends) };
    let is_synced = written.contains(&true) && records.sync().is_ok();
    written.into_iter().map(|is_written| is_written && is_synced).collect()
}

/// The outcome of removing a file that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// The file is gone.
    Done,
    /// Another process revived it before.
    LivesAgain,
}

/// Removes a file whose end is recorded. Without locks, the record first states that this life has
/// ended permanently: from then on no process reads, writes or revives it, however late its removal
/// arrives.
pub(crate) fn remove_ended(
    folder: &Folder,
    records: &Records,
    name: &FileName,
) -> io::Result<Removal> {
    if folder.local().is_some() {
        return folder.remove(name.as_str()).map(|()| Removal::Done);
    }
    until_unchanged(|| {
        let RecordState::Present(record) = records.read(name)? else {
            return Ok(Removal::LivesAgain);
        };
        if record.ended.is_none() {
            return Ok(Removal::LivesAgain);
        }
        records.replace(name, &record.over())?;
        folder.unmark(&record.file(name))?;
        Ok(Removal::Done)
    })
}

fn in_threads(
    ends: &[(&FileName, Record)],
    write: impl Fn(&[(&FileName, Record)]) -> Vec<bool> + Sync,
) -> Vec<bool> {
    let write = &write;
    let mut written = Vec::with_capacity(ends.len());
    thread::scope(|scope| {
        let mut begun = Vec::new();
        for part in ends.chunks(ends.len().div_ceil(THREADS)) {
            begun.push((part, Builder::new().spawn_scoped(scope, move || write(part)).ok()));
        }
        for (part, thread) in begun {
            written.extend(match thread {
                Some(thread) => thread.join().unwrap_or_else(|_| vec![false; part.len()]),
                None => write(part),
            });
        }
    });
    written
}

fn write_one(records: &Records, name: &FileName, record: &Record) -> bool {
    let written = records.replace_synced(name, record);
    written.inspect_err(|error| tracing::warn!(%error, "an end could not be recorded")).is_ok()
}
