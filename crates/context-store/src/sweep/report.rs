//! The report on a sweep.

use std::time::Duration;

use crate::records::origin::Call;
use crate::report::{Bounded, PathError};

/// An expired file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// True for a large result (`OffloadFileExpired` of `lro-spec-1600`).
    pub lro: bool,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The time since the file was made or its lease last renewed.
    pub age: Duration,
    /// The call that made it, as far as it was recorded.
    pub call: Call,
}

/// An event of a sweep.
#[derive(Debug, Clone, Copy)]
pub enum SweepEvent<'a> {
    /// A file was deleted; in a dry run, would be.
    Expired(&'a ExpiredFile),
    /// A file or folder failed; the sweep continues.
    Failed(&'a PathError),
}

/// The report on a sweep. All files are counted, but only the first are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Folders that were searched.
    pub folders: usize,
    /// Files that were examined, because they may have expired.
    pub examined: usize,
    /// Files that stay, of any lifetime; in an object store only those that were listed.
    pub stored: usize,
    /// Their size, in bytes.
    pub stored_bytes: u64,
    /// Files that expired.
    pub expired: Bounded<ExpiredFile>,
    /// Temporary files that were removed.
    pub temporary: usize,
    /// Bytes freed.
    pub bytes: u64,
    /// Failures.
    pub errors: Bounded<PathError>,
    /// False if the roots held too many folders or entries to search all of them.
    pub complete: bool,
    /// True if another replica swept the same objects: nothing was done, or only a part.
    pub elsewhere: bool,
}
