//! Files that are gone: told from files that never were by their records.

use std::time::SystemTime;

use super::index::Index;
use super::record::Record;
use super::{Call, End, FileName, Location};

/// A file that was stored and is no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// The call that made it, as far as it is remembered.
    pub call: Call,
    /// When it was deleted, in whole seconds, and why; None where it was removed by
    /// somebody else.
    pub ended: Option<(SystemTime, End)>,
}

/// What is known of a stored file that is not at `at` any more; None where there
/// never was one. To be asked only after opening `at` said that it is not there:
/// a file is noted as ended before it is deleted, so a 404 is never a file
/// that was swept a moment ago.
pub fn expired(at: &Location) -> Option<Gone> {
    let record = record_of(at)?;
    Some(Gone { call: record.origin.call, ended: record.ended })
}

/// The hash of what the file at `at` was stored with, whatever became of it.
pub(super) fn recorded(at: &Location) -> Option<blake3::Hash> {
    record_of(at)?.hash
}

fn record_of(at: &Location) -> Option<Record> {
    let (folder, name) = at.parent()?;
    let name = FileName::of_minted(name)?;
    let folder = folder.dir().open_dir(folder.relative()).ok()?;
    Index::open(&folder).ok()??.record(&name)
}

#[cfg(test)]
#[path = "expired_tests.rs"]
mod tests;
