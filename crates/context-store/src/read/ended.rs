//! Files that ended: their records distinguish them from files that never existed.

use std::io;
use std::time::SystemTime;

use crate::index::folder_index::Index;
use crate::local::location::Location;
use crate::names::file_name::FileName;
use crate::records::origin::Call;
use crate::records::record::{End, Record};

/// A file that was stored, but no longer exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file ended")]
pub struct EndedFile {
    /// The call that made it, as far as it is recorded.
    pub call: Call,
    /// When it was deleted, in whole seconds, and why; `None` if another process removed it.
    pub ended: Option<(SystemTime, End)>,
}

impl EndedFile {
    pub(crate) fn of(record: Record) -> EndedFile {
        EndedFile { call: record.origin.call, ended: record.ended }
    }

    /// Returns the ended file that an error describes, if it does.
    pub fn of_error(error: &io::Error) -> Option<EndedFile> {
        error.get_ref()?.downcast_ref().cloned()
    }
}

/// Returns the record of a stored file that no longer exists at `at`; `None` if it never existed.
/// Call this only after opening `at` has failed: the end of a file is recorded before the file is
/// deleted, so a file that was just swept is always found.
///
/// # Errors
///
/// Fails if the record cannot be read.
pub fn ended_file(at: &Location) -> io::Result<Option<EndedFile>> {
    let record = record_of(at)?;
    Ok(record.map(EndedFile::of))
}

/// Returns the record of the file at `at`, whether or not the file exists.
pub(crate) fn record_of(at: &Location) -> io::Result<Option<Record>> {
    let Some((folder, name)) = at.parent() else { return Ok(None) };
    let Some(name) = FileName::parse(name) else { return Ok(None) };
    let Some(folder) = folder.open_folder()? else { return Ok(None) };
    Index::open(&folder)?.map_or(Ok(None), |index| index.records.get(&name))
}

#[cfg(test)]
#[path = "ended_tests.rs"]
mod tests;
