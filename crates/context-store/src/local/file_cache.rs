//! The cache of stored files: the hashes of files that this process has seen. It avoids reading
//! every file again for a re-posted history. An entry counts only while the file's metadata is
//! unchanged, and the cache may be empty at any time.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use cap_std::fs::{Metadata, MetadataExt};
use quick_cache::sync::Cache;

use crate::key::Key;
use crate::records::record::Record;

/// Maximum number of folders with cached facts.
const FOLDERS: usize = 1_024;

/// The metadata that shows whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

impl FileStamp {
    /// The stamp of a file that never changes.
    pub(crate) const CONSTANT: FileStamp = FileStamp { inode: 0, len: 0, modified: (0, 0) };

    pub(crate) fn of(metadata: &Metadata) -> FileStamp {
        FileStamp {
            inode: metadata.ino(),
            len: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// A cache of hashes, keys and syncs, bounded in number of entries. The stores and
/// readers of a process share one.
///
/// ```
/// use std::sync::Arc;
///
/// let cache = Arc::new(context_store::FileCache::new(100_000));
/// ```
#[derive(Debug)]
pub struct FileCache {
    synced: Cache<PathBuf, (FileStamp, blake3::Hash)>,
    read: Cache<PathBuf, (FileStamp, blake3::Hash)>,
    synced_dirs: Cache<PathBuf, ()>,
    references: Cache<blake3::Hash, Instant>,
    clock_steps: Cache<PathBuf, u64>,
    keys: Cache<PathBuf, (FileStamp, Key)>,
    seen: Cache<PathBuf, SeenObject>,
    operator_key: Option<Key>,
}

/// The facts seen of an object. A name keeps its content for good; the store must be asked whether
/// the file still lives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenObject {
    /// The content's hash.
    pub(crate) hash: blake3::Hash,
    /// Its length in bytes.
    pub(crate) bytes: u64,
    /// The life in which its content was seen.
    pub(crate) life: u32,
    /// When the lease that was seen began, by the clock of the store.
    pub(crate) lease: Option<SystemTime>,
}

impl FileCache {
    /// Returns an empty cache of up to `files` files.
    pub fn new(files: usize) -> FileCache {
        FileCache {
            synced: Cache::new(files),
            read: Cache::new(files),
            synced_dirs: Cache::new(FOLDERS),
            references: Cache::new(files),
            clock_steps: Cache::new(FOLDERS),
            keys: Cache::new(FOLDERS),
            seen: Cache::new(files),
            operator_key: None,
        }
    }

    /// Returns the cache with one key for every folder; with `None`, each folder has its own.
    pub fn with_key(self, key: Option<Key>) -> FileCache {
        FileCache { operator_key: key, ..self }
    }

    /// Returns the operator's key for every folder.
    pub(crate) fn operator_key(&self) -> Option<Key> {
        self.operator_key
    }

    /// Returns the hash of the file at `path` if it is unchanged and known to be synced.
    pub(crate) fn synced_hash(&self, path: &PathBuf, stamp: FileStamp) -> Option<blake3::Hash> {
        unchanged(self.synced.get(path), stamp)
    }

    /// Returns the hash of the file at `path` if it is unchanged. The file may not be synced yet:
    /// this is enough to know its content, but not to return its name.
    pub(crate) fn read_hash(&self, path: &PathBuf, stamp: FileStamp) -> Option<blake3::Hash> {
        unchanged(self.read.get(path), stamp).or_else(|| self.synced_hash(path, stamp))
    }

    /// Adds a file that was read, whoever wrote it.
    pub(crate) fn add_read(&self, path: PathBuf, stamp: FileStamp, hash: blake3::Hash) {
        self.read.insert(path, (stamp, hash));
    }

    /// Adds a file that is complete and synced.
    pub(crate) fn add_synced(&self, path: PathBuf, stamp: FileStamp, hash: blake3::Hash) {
        self.synced.insert(path, (stamp, hash));
    }

    /// Returns the key of the folder at `path` if its file is unchanged.
    pub(crate) fn key(&self, path: &Path, stamp: FileStamp) -> Option<Key> {
        unchanged(self.keys.get(path), stamp)
    }

    /// Adds the key of a folder.
    pub(crate) fn add_key(&self, path: PathBuf, stamp: FileStamp, key: Key) {
        self.keys.insert(path, (stamp, key));
    }

    /// Returns true if the entries that lead to `path` are on the disk.
    pub(crate) fn is_synced_dir(&self, path: &PathBuf) -> bool {
        self.synced_dirs.get(path).is_some()
    }

    /// Adds a path whose entries are on the disk.
    pub(crate) fn add_synced_dir(&self, path: PathBuf) {
        self.synced_dirs.insert(path, ());
    }

    /// Removes a folder that is about to be created anew.
    pub(crate) fn remove_synced_dir(&self, path: &PathBuf) {
        self.synced_dirs.remove(path);
    }

    /// Returns the number of wall clock steps at which the folder's clock was last observed.
    pub(crate) fn clock_steps(&self, path: &PathBuf) -> Option<u64> {
        self.clock_steps.get(path)
    }

    /// Sets the number of wall clock steps at which the folder's clock was last observed.
    pub(crate) fn set_clock_steps(&self, path: PathBuf, steps: u64) {
        self.clock_steps.insert(path, steps);
    }

    /// Returns what was seen of the object at `path`.
    pub(crate) fn seen(&self, path: &PathBuf) -> Option<SeenObject> {
        self.seen.get(path)
    }

    /// Adds an object that exists, with its record.
    pub(crate) fn see(&self, path: PathBuf, record: &Record) {
        if let Some(hash) = record.hash {
            let (bytes, life, lease) = (record.bytes, record.life, record.version.written_at);
            self.seen.insert(path, SeenObject { hash, bytes, life, lease });
        }
    }

    /// Adds an object that was just written.
    pub(crate) fn see_object(&self, path: PathBuf, seen: SeenObject) {
        self.seen.insert(path, seen);
    }

    /// Removes an object that is gone.
    pub(crate) fn forget(&self, path: &PathBuf) {
        self.seen.remove(path);
    }

    /// Returns when the index was last seen to hold a reference.
    pub(crate) fn reference_seen(&self, key: &blake3::Hash) -> Option<Instant> {
        self.references.get(key)
    }

    /// Adds a reference that the index holds.
    pub(crate) fn add_reference(&self, key: blake3::Hash, at: Instant) {
        self.references.insert(key, at);
    }
}

fn unchanged<T>(entry: Option<(FileStamp, T)>, stamp: FileStamp) -> Option<T> {
    entry.filter(|(seen, _)| *seen == stamp).map(|(_, value)| value)
}
