//! The ledger: which content this process has seen in which file. It saves a
//! re-posted history from reading every file again; it is never trusted beyond
//! what the file's own metadata still says, and it may be empty at any time.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cap_std::fs::{Metadata, MetadataExt};
use quick_cache::sync::Cache;

use super::Key;

/// Folders whose way from the root is known to be on the disk.
const WAYS: usize = 1_024;

/// Folders whose keys are known.
const KEYS: usize = 1_024;

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
pub struct Ledger {
    seen: Cache<PathBuf, (Print, blake3::Hash)>,
    read: Cache<PathBuf, (Print, blake3::Hash)>,
    ways: Cache<PathBuf, ()>,
    mentioned: Cache<blake3::Hash, Instant>,
    observed: Cache<PathBuf, u64>,
    keys: Cache<PathBuf, (Print, Key)>,
    operators_key: Option<Key>,
}

impl Ledger {
    /// A ledger of up to `files` entries.
    pub fn new(files: usize) -> Ledger {
        Ledger {
            seen: Cache::new(files),
            read: Cache::new(files),
            ways: Cache::new(WAYS),
            mentioned: Cache::new(files),
            observed: Cache::new(WAYS),
            keys: Cache::new(KEYS),
            operators_key: None,
        }
    }

    /// The same, with one key for every folder.
    pub fn with_key(self, key: Option<Key>) -> Ledger {
        Ledger { operators_key: key, ..self }
    }

    /// The key for every folder, where the operator gave one.
    pub(super) fn operators_key(&self) -> Option<Key> {
        self.operators_key
    }

    /// The content of the file at `path`, as far as it is known and unchanged.
    pub(super) fn content(&self, path: &PathBuf, print: Print) -> Option<blake3::Hash> {
        self.seen.get(path).filter(|(seen, _)| *seen == print).map(|(_, hash)| hash)
    }

    /// The same, also of a file that may still wait for its sync: enough to know what it
    /// holds, not to give out its name.
    pub(super) fn read_content(&self, path: &PathBuf, print: Print) -> Option<blake3::Hash> {
        let read = self.read.get(path).filter(|(seen, _)| *seen == print).map(|(_, hash)| hash);
        read.or_else(|| self.content(path, print))
    }

    /// Notes a file that was read, whoever wrote it.
    pub(super) fn note_read(&self, path: PathBuf, print: Print, hash: blake3::Hash) {
        self.read.insert(path, (print, hash));
    }

    /// Notes a file that is complete and synced.
    pub(super) fn note(&self, path: PathBuf, metadata: &io::Result<Metadata>, hash: blake3::Hash) {
        if let Ok(metadata) = metadata {
            self.seen.insert(path, (Print::of(metadata), hash));
        }
    }

    /// The key of the folder at `path`, as far as it is known and unchanged.
    pub(super) fn known_key(&self, path: &Path, print: Print) -> Option<Key> {
        self.keys.get(path).filter(|(seen, _)| *seen == print).map(|(_, key)| key)
    }

    /// Notes the key of a folder.
    pub(super) fn note_key(&self, path: PathBuf, print: Print, key: Key) {
        self.keys.insert(path, (print, key));
    }

    /// True where the folders that lead to the one at `path` are on the disk.
    pub(super) fn knows_way(&self, path: &PathBuf) -> bool {
        self.ways.get(path).is_some()
    }

    /// Notes that the folders which lead to the one at `path` are synced.
    pub(super) fn note_way(&self, path: PathBuf) {
        self.ways.insert(path, ());
    }

    /// Forgets it: the folder at `path` is made anew.
    pub(super) fn forget_way(&self, path: &PathBuf) {
        self.ways.remove(path);
    }

    /// After how many steps of the wall clock the folder at `path` was last observed.
    pub(super) fn observed(&self, path: &PathBuf) -> Option<u64> {
        self.observed.get(path)
    }

    /// Notes that the folder's clock was observed after so many steps.
    pub(super) fn note_observed(&self, path: PathBuf, steps: u64) {
        self.observed.insert(path, steps);
    }

    /// When it was last seen that the index has the mention of this key.
    pub(super) fn mentioned(&self, key: &blake3::Hash) -> Option<Instant> {
        self.mentioned.get(key)
    }

    /// Notes that the index has the mention of this key.
    pub(super) fn note_mentioned(&self, key: blake3::Hash, at: Instant) {
        self.mentioned.insert(key, at);
    }
}
