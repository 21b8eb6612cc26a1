//! Reads whole stored files for one operation. A request can name any file any number of times, so
//! the whole operation has limits on bytes, memory and time. Each is checked before a file is read,
//! and no file is read twice.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use cap_std::fs::{File, Metadata};

use super::ended;
use crate::index::folder_index::Index;
use crate::key::Key;
use crate::lease::lifetimes::Lifetimes;
use crate::local::file_cache::{FileCache, FileStamp, SeenObject};
use crate::local::folder_key::known_key;
use crate::local::location::Location;
use crate::local::regular_file::{MAX_WHOLE_FILE_BYTES, open_regular, regular_len};
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::objects::file::StoredObject;
use crate::write::confirmed::{Confirmed, HELD};

/// Bytes that are read between two checks of the time.
const STEP: u64 = 4 * 1024 * 1024;

/// Maximum number of bytes of texts that one operation searches: the texts are in memory already,
/// but can be named any number of times.
const SEARCHED: u64 = 4 * 1024 * 1024 * 1024;

/// The limits of one operation.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use context_store::{Allowance, FileCache, Reader};
///
/// let until = Instant::now() + Duration::from_secs(30);
/// let allowance = Allowance { bytes: 1 << 30, until, hold: &|_bytes| true };
/// let cache = FileCache::new(1000);
/// assert!(!Reader::new(&cache, allowance).is_late());
/// ```
#[derive(Clone, Copy)]
pub struct Allowance<'a> {
    /// Maximum number of bytes read from all files; a file that is named again counts once.
    pub bytes: u64,
    /// Nothing is read after this moment.
    pub until: Instant,
    /// Reserves memory for a text, in bytes; returns false if there is none.
    pub hold: &'a (dyn Fn(u64) -> bool + Sync),
}

/// The reason why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is missing, not a regular file, or cannot be read.
    #[error("no such file")]
    Missing(#[source] io::Error),
    /// The file is larger than any that the operation reads whole.
    #[error("the file has {found} bytes; at most {limit} are read")]
    TooLarge {
        /// The length in bytes.
        found: u64,
        /// The maximum accepted length in bytes.
        limit: u64,
    },
    /// The operation would read more than this number of bytes.
    #[error("this operation reads at most {0} bytes of stored files")]
    Allowance(u64),
    /// The operation would search more than 4 GiB.
    #[error("this operation searches at most {SEARCHED} bytes of stored files")]
    Searched,
    /// The deadline of the operation has passed.
    #[error("the time for this operation is over")]
    Deadline,
    /// There is not enough memory for the file at the moment.
    #[error("there is no memory for it now")]
    Memory,
    /// The file is not UTF-8 from this byte on, counted from 0.
    #[error("the file holds no text at byte {0}")]
    NotText(u64),
}

/// The text of a file.
#[derive(Debug)]
pub struct StoredText {
    /// The text.
    pub text: String,
    hash: OnceLock<blake3::Hash>,
    /// The file's metadata; `None` if it changed while it was read.
    stamp: Option<FileStamp>,
}

impl StoredText {
    /// Returns the hash of the file's bytes; computed on first use, because most readers need none.
    pub fn hash(&self) -> blake3::Hash {
        *self.hash.get_or_init(|| blake3::hash(self.text.as_bytes()))
    }
}

/// Reads stored files for one operation.
pub struct Reader<'a> {
    cache: &'a FileCache,
    allowance: Allowance<'a>,
    pub(super) left: AtomicU64,
    unsearched: AtomicU64,
    texts: Mutex<HashMap<PathBuf, Arc<StoredText>>>,
    keys: Mutex<HashMap<PathBuf, Option<Key>>>,
    /// The files of an object store that the operation has requested; `None` for a missing file.
    pub(super) objects: Mutex<HashMap<PathBuf, Option<StoredObject>>>,
    /// The chat of the operation: its references in an object store may be known.
    chat: OnceLock<(Chat, Lifetimes)>,
    confirmed: Mutex<HashMap<PathBuf, Option<Arc<Confirmed>>>>,
}

impl<'a> Reader<'a> {
    /// Returns a reader for one operation.
    pub fn new(cache: &'a FileCache, allowance: Allowance<'a>) -> Reader<'a> {
        Reader {
            cache,
            allowance,
            left: AtomicU64::new(allowance.bytes),
            unsearched: AtomicU64::new(SEARCHED),
            texts: Mutex::default(),
            keys: Mutex::default(),
            objects: Mutex::default(),
            chat: OnceLock::new(),
            confirmed: Mutex::default(),
        }
    }

    /// Returns true if the deadline of the operation has passed.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.allowance.until
    }

    /// Deducts the search of a text of that many bytes from the allowance.
    ///
    /// # Errors
    ///
    /// Fails if the deadline has passed, or if the operation would search more than 4 GiB.
    pub fn search(&self, bytes: usize) -> Result<(), ReadError> {
        if self.is_late() {
            return Err(ReadError::Deadline);
        }
        let take = |left: u64| left.checked_sub(bytes as u64);
        let taken = self.unsearched.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(drop).map_err(|_| ReadError::Searched)
    }

    /// Returns the text of a file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, is not UTF-8, or exceeds a limit.
    pub fn text(&self, at: &Location) -> Result<Arc<StoredText>, ReadError> {
        let path = at.key();
        if let Some(known) = self.known_text(&path) {
            return Ok(known);
        }
        let (file, metadata) = self.open(at)?;
        if !(self.allowance.hold)(metadata.len()) {
            return Err(ReadError::Memory);
        }
        let text = String::from_utf8(self.bytes(&file, metadata.len())?)
            .map_err(|error| ReadError::NotText(error.utf8_error().valid_up_to() as u64))?;
        let stamp = unchanged(&file, &metadata);
        let read = Arc::new(StoredText { text, hash: OnceLock::new(), stamp });
        lock(&self.texts).insert(path, Arc::clone(&read));
        Ok(read)
    }

    /// Returns the start of a large file of an object store, as far as it is text: at most `bytes`
    /// bytes. Returns `None` for any other file, because reading it whole costs less.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or exceeds a limit.
    pub fn start(&self, at: &Location, bytes: u64) -> Result<Option<String>, ReadError> {
        if at.local().is_some() {
            return Ok(None);
        }
        let object = self.object(at).map_err(ReadError::Missing)?;
        if object.record.bytes <= bytes || object.is_cached() {
            return Ok(None);
        }
        if self.is_late() {
            return Err(ReadError::Deadline);
        }
        self.take(bytes)?;
        if !(self.allowance.hold)(bytes) {
            return Err(ReadError::Memory);
        }
        let start = object.read(at, |object| object.start(bytes)).map_err(ReadError::Missing)?;
        let text = start.utf8_chunks().next().map(|chunk| chunk.valid().to_owned());
        Ok(text)
    }

    /// Returns the length of a file in bytes; opens a local one as a reader would.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be opened for reading or is not a regular file.
    pub fn len(&self, at: &Location) -> io::Result<u64> {
        let known = at.local().is_none().then(|| self.confirmed(at)).flatten();
        known.map_or_else(|| regular_len(at), |seen| Ok(seen.bytes))
    }

    /// Returns the hash of a file, from the cache or by reading it without keeping the text.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or exceeds a limit.
    pub fn hash(&self, at: &Location) -> Result<blake3::Hash, ReadError> {
        let path = at.key();
        if let Some(known) = self.known_text(&path) {
            if let Some(stamp) = known.stamp {
                self.cache.add_read(path, stamp, known.hash());
            }
            return Ok(known.hash());
        }
        let Some((dir, relative)) = at.local() else {
            if let Some(seen) = self.confirmed(at) {
                return Ok(seen.hash);
            }
            // Only contents that match their records are ever read.
            let record = self.object(at).map_err(ReadError::Missing)?.record;
            return record.hash.ok_or_else(|| ReadError::Missing(io::ErrorKind::NotFound.into()));
        };
        let metadata = dir.symlink_metadata(relative).map_err(ReadError::Missing)?;
        if let Some(hash) = self.cache.read_hash(&path, FileStamp::of(&metadata)) {
            return Ok(hash);
        }
        let (file, metadata) = self.open(at)?;
        let mut hasher = blake3::Hasher::new();
        self.each(&file, metadata.len(), |part| {
            hasher.update(part);
        })?;
        let hash = hasher.finalize();
        if let Some(stamp) = unchanged(&file, &metadata) {
            self.cache.add_read(path, stamp, hash);
        }
        Ok(hash)
    }

    /// Returns the hash with which the file at `at` was stored, whether or not the file exists;
    /// `None` if it has no record.
    pub fn recorded_hash(&self, at: &Location) -> Option<blake3::Hash> {
        ended::record_of(at).ok()??.hash
    }

    /// Returns the key of a folder, looked up once.
    pub fn key(&self, folder: &Location) -> Option<Key> {
        let path = folder.key();
        if let Some(known) = lock(&self.keys).get(&path) {
            return *known;
        }
        let key = known_key(self.cache, folder);
        lock(&self.keys).insert(path, key);
        key
    }

    /// Adds the key of a folder that was just created.
    pub fn add_key(&self, folder: &Location, key: Key) {
        lock(&self.keys).insert(folder.key(), Some(key));
    }

    /// Forgets which files were missing, because others may have created them since.
    pub fn forget_missing(&self) {
        lock(&self.objects).retain(|_, found| found.is_some());
    }

    /// Sets the chat of the operation, once. Files of an object store to which the chat is known to
    /// refer then need no request.
    pub fn set_chat(&self, chat: Chat, lifetimes: Lifetimes) {
        let _ = self.chat.set((chat, lifetimes));
    }

    /// Returns the facts of a file to which the chat is known to refer.
    pub(super) fn confirmed(&self, at: &Location) -> Option<SeenObject> {
        let chat = *self.chat.get()?;
        let (folder, name) = at.parent()?;
        let name = FileName::parse(name)?;
        let known = lock(&self.confirmed)
            .entry(folder.key())
            .or_insert_with(|| {
                let index = Index::open(&folder.open_folder().ok()??).ok()??;
                Confirmed::of(&folder, &index, chat).map(Arc::new)
            })
            .clone()?;
        known.seen(self.cache, &name, HELD)
    }

    fn known_text(&self, path: &PathBuf) -> Option<Arc<StoredText>> {
        lock(&self.texts).get(path).cloned()
    }

    /// Opens a file that the operation may still read whole, and deducts its bytes from the
    /// allowance.
    fn open(&self, at: &Location) -> Result<(File, Metadata), ReadError> {
        if self.is_late() {
            return Err(ReadError::Deadline);
        }
        let (dir, path) = match at.local() {
            Some(local) => local,
            None => {
                let object = self.object(at).map_err(ReadError::Missing)?;
                // Its length is known before it is fetched.
                self.take(object.record.bytes)?;
                return object.read(at, StoredObject::open).map_err(ReadError::Missing);
            }
        };
        let opened = open_regular(dir, path).map_err(ReadError::Missing)?;
        self.take(opened.1.len())?;
        Ok(opened)
    }

    /// Deducts the bytes of a file from the allowance.
    fn take(&self, bytes: u64) -> Result<(), ReadError> {
        let limit = MAX_WHOLE_FILE_BYTES.min(self.allowance.bytes);
        if bytes > limit {
            return Err(ReadError::TooLarge { found: bytes, limit });
        }
        let take = |left: u64| left.checked_sub(bytes);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map(drop).map_err(|_| ReadError::Allowance(self.allowance.bytes))
    }

    /// Reads `bytes` of a file in steps. A file that grows meanwhile is truncated.
    fn each(&self, file: &File, bytes: u64, mut take: impl FnMut(&[u8])) -> Result<(), ReadError> {
        let mut file = file.take(bytes);
        let mut part = vec![0; usize::try_from(STEP.min(bytes).max(1)).unwrap_or(1)];
        loop {
            match file.read(&mut part) {
                Ok(0) => return Ok(()),
                Ok(read) => take(&part[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Missing(error)),
            }
            if self.is_late() {
                return Err(ReadError::Deadline);
            }
        }
    }

    /// Returns up to `length` bytes of a file, read in steps directly into the result.
    fn bytes(&self, mut file: &File, length: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        loop {
            let step = (length - bytes.len() as u64).min(STEP);
            let read = Read::by_ref(&mut file).take(step).read_to_end(&mut bytes);
            if read.map_err(ReadError::Missing)? == 0 {
                return Ok(bytes);
            }
            if self.is_late() {
                return Err(ReadError::Deadline);
            }
        }
    }
}

/// Returns the metadata of a file that did not change while it was read.
fn unchanged(file: &File, before: &Metadata) -> Option<FileStamp> {
    let stamp = FileStamp::of(before);
    file.metadata().is_ok_and(|now| FileStamp::of(&now) == stamp).then_some(stamp)
}

pub(super) fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // The map is consistent after every call, so a panic elsewhere does not matter.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
