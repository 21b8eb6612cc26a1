//! The ledger: which content this process has seen in which file. It saves a
//! re-posted history from reading every file again; it is never trusted beyond
//! what the file's own metadata still says, and it may be empty at any time.

use std::io;
use std::path::PathBuf;

use cap_std::fs::{Metadata, MetadataExt};
use quick_cache::sync::Cache;

/// What tells that a file is still the one that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Print {
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

impl Print {
    pub(super) fn of(metadata: &Metadata) -> Print {
        Print {
            inode: metadata.ino(),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// Seen files, bounded in number.
#[derive(Debug)]
pub struct Ledger(Cache<PathBuf, (Print, blake3::Hash)>);

impl Ledger {
    /// A ledger of up to `files` entries.
    pub fn new(files: usize) -> Ledger {
        Ledger(Cache::new(files))
    }

    /// The content of the file at `path`, as far as it is known and unchanged.
    pub(super) fn content(&self, path: &PathBuf, print: Print) -> Option<blake3::Hash> {
        self.0.get(path).filter(|(seen, _)| *seen == print).map(|(_, hash)| hash)
    }

    /// Notes a file that is complete and synced.
    pub(super) fn note(&self, path: PathBuf, metadata: &io::Result<Metadata>, hash: blake3::Hash) {
        if let Ok(metadata) = metadata {
            self.0.insert(path, (Print::of(metadata), hash));
        }
    }
}
