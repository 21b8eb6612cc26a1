//! The cache of contents: data that this process read from or wrote to the object store, in local
//! files named by the hash of their content. It is not needed for durability: a file that is
//! missing or changed is fetched again.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use blake3::Hash;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use rustix::fs::{Mode, OFlags};

use crate::local::file_cache::FileStamp;
use crate::local::open::{open_named, open_to_read};
use crate::local::own_file::make_folder;
use crate::local::regular_file::hash_content;

/// The age from which on a half-written file counts as left by a crashed process.
const LEFT: Duration = Duration::from_secs(3_600);

/// A folder of contents with a size limit.
#[derive(Debug)]
pub(crate) struct ContentCache {
    dir: Dir,
    /// Its path, for the process's confinement.
    path: PathBuf,
    most_bytes: u64,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    files: HashMap<Hash, Entry>,
    /// By last use, oldest first.
    used: BTreeMap<u64, Hash>,
    tick: u64,
    bytes: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    bytes: u64,
    used: u64,
    /// The file's stamp when its hash was last checked.
    checked: Option<FileStamp>,
}

/// A content that is being fetched.
pub(crate) struct Fetched {
    cache: Arc<ContentCache>,
    name: String,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl ContentCache {
    /// Opens the cache in a folder, creates it if it is missing, and adds the contents that an
    /// earlier process left. Without a `path` it is in the system's temporary folder, where any
    /// user can create folders.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created. One in the system's temporary folder must also belong
    /// to this user and not be writable by others.
    pub(crate) fn open(path: Option<PathBuf>, most_bytes: u64) -> io::Result<ContentCache> {
        use std::os::unix::fs::DirBuilderExt;
        let (path, dir) = match path {
            Some(path) => {
                std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
                let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
                (path, dir)
            }
            None => default_folder(&std::env::temp_dir())?,
        };
        let cache = ContentCache { dir, path, most_bytes, known: Mutex::default() };
        for entry in cache.dir.entries()?.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let Ok(metadata) = entry.metadata() else { continue };
            let bytes = metadata.len();
            let age = metadata.modified().ok().and_then(|at| at.into_std().elapsed().ok());
            match Hash::from_hex(name) {
                Ok(hash) => cache.add(hash, Entry { bytes, used: 0, checked: None }),
                // Another process may still be writing a younger one.
                Err(_) if name.ends_with(".tmp") && age.is_some_and(|age| age > LEFT) => {
                    drop(cache.dir.remove_file(name));
                }
                Err(_) => {}
            }
        }
        Ok(cache)
    }

    /// Returns the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a cached content; `None` if it is not cached. Checks a content that this process has
    /// not checked yet, or that has changed since.
    pub(crate) fn get(&self, hash: &Hash) -> Option<File> {
        let entry = self.touch(hash)?;
        let opened = open_to_read(&self.dir, hash.to_hex().as_str());
        let Ok((mut file, metadata)) = opened else {
            self.forget(hash);
            return None;
        };
        let stamp = FileStamp::of(&metadata);
        if entry.checked != Some(stamp) {
            if !hash_content(&mut file).is_ok_and(|found| found == *hash) {
                self.forget(hash);
                return None;
            }
            file.rewind().ok()?;
            self.check(hash, stamp);
        }
        Some(file)
    }

    /// Adds a content that was written. A failure only costs a later fetch.
    pub(crate) fn put(self: &Arc<Self>, hash: Hash, content: &[u8]) {
        if content.len() as u64 > self.most_bytes || self.touch(&hash).is_some() {
            return;
        }
        let added = self.begin().and_then(|mut fetched| {
            fetched.write(content)?;
            fetched.end(&hash).map(drop)
        });
        if let Err(error) = added {
            tracing::debug!(%error, "a content was not cached");
        }
    }

    /// Starts a content that is being fetched.
    pub(crate) fn begin(self: &Arc<Self>) -> io::Result<Fetched> {
        let name = format!("{}.tmp", ulid::Ulid::generate());
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let (file, _) = open_named(&self.dir, &name, flags, Mode::RUSR | Mode::WUSR)?;
        let cache = Arc::clone(self);
        Ok(Fetched { cache, name, file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self, hash: &Hash) -> Option<Entry> {
        let mut known = self.lock();
        let tick = known.next_tick();
        let entry = known.files.get_mut(hash)?;
        let before = std::mem::replace(&mut entry.used, tick);
        let entry = *entry;
        known.used.remove(&before);
        known.used.insert(tick, *hash);
        Some(entry)
    }

    fn check(&self, hash: &Hash, stamp: FileStamp) {
        if let Some(entry) = self.lock().files.get_mut(hash) {
            entry.checked = Some(stamp);
        }
    }

    fn forget(&self, hash: &Hash) {
        self.lock().remove(hash);
        let _ = self.dir.remove_file(hash.to_hex().as_str());
    }

    /// Adds a file; removes the least recently used ones while the total is too large.
    fn add(&self, hash: Hash, entry: Entry) {
        let mut over = Vec::new();
        {
            let mut known = self.lock();
            known.remove(&hash);
            let used = known.next_tick();
            known.bytes += entry.bytes;
            known.used.insert(used, hash);
            known.files.insert(hash, Entry { used, ..entry });
            while known.bytes > self.most_bytes {
                let Some((_, oldest)) = known.used.first_key_value() else { break };
                let oldest = *oldest;
                known.remove(&oldest);
                over.push(oldest);
            }
        }
        for hash in over {
            // Readers that have it open can continue.
            let _ = self.dir.remove_file(hash.to_hex().as_str());
        }
    }
}

impl Known {
    fn next_tick(&mut self) -> u64 {
        self.tick += 1;
        self.tick
    }

    fn remove(&mut self, hash: &Hash) {
        if let Some(entry) = self.files.remove(hash) {
            self.used.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

impl Fetched {
    /// Returns the number of bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns a handle for the bytes written so far. It shares its position with this content, so
    /// it must be read at offsets.
    pub(crate) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Adds bytes to the content.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Finishes the content, which must have this hash; returns its file, open at the beginning.
    pub(crate) fn end(mut self, hash: &Hash) -> io::Result<File> {
        if self.hasher.finalize() != *hash {
            let reason = "the object holds other bytes than its record says";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        self.file.rewind()?;
        let file = self.file.try_clone()?;
        // A content that is too large for the cache lives as long as its handle.
        if self.bytes <= self.cache.most_bytes {
            let name = hash.to_hex();
            self.cache.dir.rename(&self.name, &self.cache.dir, name.as_str())?;
            let checked = file.metadata().ok().map(|metadata| FileStamp::of(&metadata));
            self.cache.add(*hash, Entry { bytes: self.bytes, used: 0, checked });
        }
        Ok(file)
    }
}

impl Drop for Fetched {
    fn drop(&mut self) {
        // It was renamed, or is not needed.
        let _ = self.cache.dir.remove_file(&self.name);
    }
}

/// Opens this user's folder in `temporary`, and creates it if it is missing.
fn default_folder(temporary: &Path) -> io::Result<(PathBuf, Dir)> {
    let name = format!("unburden-cache-{}", rustix::process::geteuid().as_raw());
    let parent = Dir::open_ambient_dir(temporary, ambient_authority())?;
    let dir = make_folder(&parent, &name)?;
    Ok((temporary.join(name), dir))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn text(cache: &ContentCache, hash: &Hash) -> Option<String> {
        let mut text = String::new();
        cache.get(hash)?.read_to_string(&mut text).unwrap();
        Some(text)
    }

    #[test]
    fn what_was_used_last_stays_within_the_bound() {
        let temp = tempfile::tempdir().unwrap();
        let cache = Arc::new(ContentCache::open(Some(temp.path().join("cache")), 10).unwrap());
        let [one, two, three] = ["one1", "two2", "three"].map(|text| {
            let hash = blake3::hash(text.as_bytes());
            cache.put(hash, text.as_bytes());
            if text == "two2" {
                cache.get(&blake3::hash(b"one1")).unwrap();
            }
            hash
        });
        assert_eq!(text(&cache, &one).as_deref(), Some("one1"));
        assert_eq!(text(&cache, &two), None, "the one that was not used for longest");
        assert_eq!(text(&cache, &three).as_deref(), Some("three"));
        let large = blake3::hash(b"eleven byte");
        cache.put(large, b"eleven byte");
        assert_eq!(text(&cache, &large), None);
        // The next process finds them, but no half-written file.
        std::fs::write(temp.path().join("cache/01J.tmp"), "half").unwrap();
        crate::testing::set_modified(&temp.path().join("cache/01J.tmp"), std::time::UNIX_EPOCH);
        let again = ContentCache::open(Some(temp.path().join("cache")), 10).unwrap();
        assert_eq!(text(&again, &one).as_deref(), Some("one1"));
        assert_eq!(std::fs::read_dir(temp.path().join("cache")).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_was_changed_is_no_content() {
        let temp = tempfile::tempdir().unwrap();
        let cache = Arc::new(ContentCache::open(Some(temp.path().to_owned()), 100).unwrap());
        let hash = blake3::hash(b"content");
        cache.put(hash, b"content");
        std::fs::write(temp.path().join(hash.to_hex().as_str()), "CONTENT!").unwrap();
        assert_eq!(text(&cache, &hash), None);
        let mut fetched = cache.begin().unwrap();
        fetched.write(b"other").unwrap();
        assert!(fetched.end(&hash).is_err());
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_default_folder_that_others_could_have_made_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let (path, _) = default_folder(temp.path()).unwrap();
        assert!(default_folder(temp.path()).is_ok(), "its own");
        std::fs::remove_dir(&path).unwrap();
        std::os::unix::fs::symlink(temp.path(), &path).unwrap();
        assert!(default_folder(temp.path()).is_err(), "a link");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let open_mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(&path, open_mode).unwrap();
        assert!(default_folder(temp.path()).is_err(), "writable by others");
    }
}
