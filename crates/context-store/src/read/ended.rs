//! Files that ended: their records tell them from files that never existed.

use std::time::SystemTime;

use crate::index::folder_index::Index;
use crate::local::location::Location;
use crate::names::file_name::FileName;
use crate::records::origin::Call;
use crate::records::record::{End, Record};

/// A file that was stored and is not there any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedFile {
    /// The call that made it, as far as it is remembered.
    pub call: Call,
    /// When it was deleted, in whole seconds, and why; None if somebody else removed it.
    pub ended: Option<(SystemTime, End)>,
}

/// Returns the record of a stored file that is not at `at` any more; None if it never
/// existed. Ask only after opening `at` failed: the end of a file is recorded before the
/// file is deleted, so this never misses one that was swept a moment ago.
pub fn ended_file(at: &Location) -> Option<EndedFile> {
    let record = record_of(at)?;
    Some(EndedFile { call: record.origin.call, ended: record.ended })
}

/// Returns the hash that the file at `at` was stored with, whether it is there or not.
pub(crate) fn recorded_hash(at: &Location) -> Option<blake3::Hash> {
    record_of(at)?.hash
}

/// Returns the lifetime that the file at `at` was given out with, in seconds.
pub(crate) fn recorded_ttl(at: &Location) -> Option<u64> {
    record_of(at)?.origin.ttl_seconds
}

fn record_of(at: &Location) -> Option<Record> {
    let (folder, name) = at.parent()?;
    let name = FileName::parse(name)?;
    Index::open(&folder.open_folder().ok()??).ok()??.records.get(&name)
}

#[cfg(test)]
#[path = "ended_tests.rs"]
mod tests;
