//! Files that ended: their records tell them from files that never existed.

use std::io;
use std::time::SystemTime;

use crate::index::folder_index::Index;
use crate::local::location::Location;
use crate::names::file_name::FileName;
use crate::records::origin::Call;
use crate::records::record::{End, Record};

/// A file that was stored and is not there any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file ended")]
pub struct EndedFile {
    /// The call that made it, as far as it is remembered.
    pub call: Call,
    /// When it was deleted, in whole seconds, and why; None if somebody else removed it.
    pub ended: Option<(SystemTime, End)>,
}

impl EndedFile {
    pub(crate) fn of(record: Record) -> EndedFile {
        EndedFile { call: record.origin.call, ended: record.ended }
    }

    /// Returns what an error says of the file that it is about: it was read with its end.
    pub fn of_error(error: &io::Error) -> Option<EndedFile> {
        error.get_ref()?.downcast_ref().cloned()
    }
}

/// Returns the record of a stored file that is not at `at` any more; None if it never
/// existed. Ask only after opening `at` failed: the end of a file is recorded before the
/// file is deleted, so this never misses one that was swept a moment ago.
///
/// # Errors
///
/// Fails if the record cannot be read.
pub fn ended_file(at: &Location) -> io::Result<Option<EndedFile>> {
    let record = record_of(at)?;
    Ok(record.map(EndedFile::of))
}

/// Returns the record of the file at `at`, whether it is there or not.
pub(crate) fn record_of(at: &Location) -> io::Result<Option<Record>> {
    let Some((folder, name)) = at.parent() else { return Ok(None) };
    let Some(name) = FileName::parse(name) else { return Ok(None) };
    let Some(folder) = folder.open_folder()? else { return Ok(None) };
    Index::open(&folder)?.map_or(Ok(None), |index| index.records.get(&name))
}

#[cfg(test)]
#[path = "ended_tests.rs"]
mod tests;
