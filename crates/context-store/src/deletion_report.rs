//! The report on a chat's deletion.

use super::{Bounded, Trouble};

/// A file that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeletedFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The file's length.
    pub bytes: u64,
}

/// Why a file of a chat stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Keeping {
    /// Another chat mentions it too.
    Shared,
    /// No record says which chat it was made for.
    UnknownMaker,
    /// It is no regular file of this user.
    Foreign,
}

/// A file that the chat mentioned and that stays.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// Why.
    pub why: Keeping,
}

/// The report on a chat's deletion. All files are counted, the first are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deletion {
    /// Folders looked into.
    pub folders: usize,
    /// Files deleted; in a dry run, that would be.
    pub deleted: Bounded<DeletedFile>,
    /// Files that stay.
    pub kept: Bounded<KeptFile>,
    /// Bytes freed.
    pub bytes: u64,
    /// Failures; the same call again retries them.
    pub errors: Bounded<Trouble>,
    /// False where the roots held too many folders or entries to look at all of them.
    pub complete: bool,
}
