//! What a sweep did, or would do.

use std::time::Duration;

use super::{Bounded, Call};

/// Whether a sweep deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// What has expired is deleted.
    Real,
    /// What has expired is only reported; nothing is written.
    Dry,
}

/// A file that expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// True for a large result (`OffloadFileExpired` of lro-spec-1600).
    pub lro: bool,
    /// The file's length.
    pub bytes: u64,
    /// The time since it was made or last renewed.
    pub age: Duration,
    /// What made it, as far as it was recorded.
    pub call: Call,
}

/// Something that could not be read or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The system's reason.
    pub why: String,
}

/// What a sweep tells while it runs.
#[derive(Debug, Clone, Copy)]
pub enum SweepEvent<'a> {
    /// A file was deleted; in a dry run, would be.
    Expired(&'a ExpiredFile),
    /// One file or folder went wrong; the sweep goes on.
    Failed(&'a Trouble),
}

/// What a sweep came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Folders looked into.
    pub folders: usize,
    /// Files that could have expired.
    pub examined: usize,
    /// Files that did: all are counted, the first are listed.
    pub expired: Bounded<ExpiredFile>,
    /// Half-written files removed.
    pub temporary: usize,
    /// Bytes freed.
    pub bytes: u64,
    /// What went wrong.
    pub errors: Bounded<Trouble>,
    /// False where the roots held too many folders or entries to look at all of them.
    pub complete: bool,
}
