//! The report on a chat's deletion.

use serde::Serialize;

use crate::report::{Bounded, PathError};

/// A file that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DeletedFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The file's length in bytes.
    pub bytes: u64,
}

/// The reason why a file of a chat stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptReason {
    /// Another chat refers to it, too.
    Shared,
    /// No record names the chat that it was made for.
    UnknownMaker,
    /// It is not a regular file of this user.
    Foreign,
}

/// A file that the chat referred to and that stays.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The reason.
    pub reason: KeptReason,
}

/// The report on a chat's deletion. All files are counted, but only the first are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deletion {
    /// Folders that were searched.
    pub folders: usize,
    /// Files that were deleted; in a dry run, that would be.
    pub deleted: Bounded<DeletedFile>,
    /// Files that stay.
    pub kept: Bounded<KeptFile>,
    /// Bytes freed.
    pub bytes: u64,
    /// Failures; the same call again retries them.
    pub errors: Bounded<PathError>,
    /// False if the roots held too many folders or entries to search all of them.
    pub complete: bool,
}
