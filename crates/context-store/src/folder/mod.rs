//! The interface between the rules of a store and the storage of its files: the operations on one
//! open folder. A local folder and a prefix of an object store both implement it.
//!
//! | operation | local folder | objects |
//! |---|---|---|
//! | create a name once | rename without replacing | conditional put (`If-None-Match: *`) |
//! | replace a record | rename, under the index's lock | conditional put (`If-Match`) of the version that was read |
//! | begin a lease again | modification time, under the file's lock | a conditional put of the record |
//! | set markers aside | rename of their folder | a new generation in an object of its own |
//! | keep others out | advisory lock | nothing: what a rule read must be unchanged when it writes |
//!
//! Without locks, the record of a name decides: each change of a record is conditional, and the
//! content of a name that ended never appears under its old key again
//! ([`Record::file`](crate::records::record::Record::file)).

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::{Dir, File};

use crate::local::file_cache::FileStamp;
use crate::local::own_file::Synced;
use crate::local::publish::Durability;

/// An open folder.
pub(crate) type Folder = Arc<dyn FolderOps>;

/// The names directly inside a folder, in no order.
pub(crate) type Names = Box<dyn Iterator<Item = io::Result<String>>>;

/// The version of a small file as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Version {
    /// The entity tag of an object; `None` for a local file.
    pub(crate) tag: Option<String>,
    /// When an object was written, by the clock of its store.
    pub(crate) written_at: Option<SystemTime>,
}

/// Two values are equal, whatever versions they were read from.
impl PartialEq for Version {
    fn eq(&self, _: &Version) -> bool {
        true
    }
}

impl Eq for Version {}

/// A small file.
#[derive(Debug)]
pub(crate) struct Small {
    pub(crate) bytes: Vec<u8>,
    pub(crate) version: Version,
}

/// The facts of a file that are known without reading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stat {
    /// The length in bytes.
    pub(crate) len: u64,
    /// When the file was written or, if leases are file times, last renewed.
    pub(crate) modified: SystemTime,
    /// False for a folder, a link or a device.
    pub(crate) is_file: bool,
    /// True if the file belongs to this process's user.
    pub(crate) is_own: bool,
    /// The identity of a local file's content; `None` for an object, because its key never gets
    /// other content.
    pub(crate) stamp: Option<FileStamp>,
}

/// The identity of one folder of a chat's markers: it changes when the folder is set aside and
/// created anew. An inode can be reused, but not with the same time of birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    pub(crate) inode: u64,
    pub(crate) born: u128,
}

/// A lock that is held while this value lives; empty for storage without locks.
pub(crate) struct Locked {
    pub(crate) _file: Option<File>,
}

/// The operations on one open folder. Every name is a single component.
pub(crate) trait FolderOps: Send + Sync {
    /// Returns the handle of a local folder; `None` for a prefix of objects.
    fn local(&self) -> Option<&Dir>;

    /// Opens a trusted folder directly inside; `None` if there is none.
    fn open_folder(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Opens a trusted folder directly inside, and creates it if there is none.
    fn make_folder(&self, name: &str) -> io::Result<Folder>;

    /// Removes an empty folder. Returns false if it is not empty.
    fn remove_folder(&self, name: &str) -> io::Result<bool>;

    /// Opens the current folder of a series that can be set aside, and creates it if there is none.
    fn make_series(&self, name: &str) -> io::Result<Folder>;

    /// Opens the current folder of a series; `None` if there is none.
    fn open_series(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Sets the current folder of a series aside, so that the next call to create it makes a new
    /// one. Returns false if there is none.
    fn set_aside(&self, name: &str) -> io::Result<bool>;

    /// Opens the folders of a series that were set aside; `None` if there are none.
    fn open_aside(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Removes the folders of a series that were set aside. Returns false if they are not empty.
    fn remove_aside(&self, name: &str) -> io::Result<bool>;

    /// Returns the identity of this folder in its series; `None` if it is unknown.
    fn generation(&self) -> Option<Generation>;

    /// Reads a trusted small file; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Fails if it is not this user's own, or has more than `max_bytes`.
    fn read(&self, name: &str, max_bytes: usize) -> io::Result<Option<Small>>;

    /// Writes a small file under a free name. Returns false if the name is taken. Readers see the
    /// whole file or none.
    fn create(&self, name: &str, bytes: &[u8], synced: Synced) -> io::Result<bool>;

    /// Replaces a whole small file. `seen` is the version on which the new content is based.
    ///
    /// # Errors
    ///
    /// Fails with an error for which [`is_changed`] is true if the object has another version.
    fn replace(&self, name: &str, bytes: &[u8], synced: Synced, seen: &Version) -> io::Result<()>;

    /// Creates an empty file; no-op if it exists.
    fn mark(&self, name: &str) -> io::Result<()>;

    /// Removes a file; no-op if it does not exist.
    fn unmark(&self, name: &str) -> io::Result<()>;

    /// Returns true if the name is taken.
    fn is_there(&self, name: &str) -> io::Result<bool>;

    /// Lists the names of everything directly inside.
    fn names(&self) -> io::Result<Names>;

    /// Lists the names of the folders directly inside.
    fn folders(&self) -> io::Result<Names>;

    /// Syncs the entries of the folder, so that they survive a power cut.
    fn sync(&self) -> io::Result<()>;

    /// Locks a file against every other process that locks it; tries `tries` times, a millisecond
    /// apart. No-op for storage without locks.
    fn lock(&self, name: &str, tries: u32) -> io::Result<Locked>;

    /// Returns the facts of a stored file; `None` if the name is free.
    fn stat(&self, name: &str) -> io::Result<Option<Stat>>;

    /// Writes a stored file under a free name; returns the facts of the file, if they are known.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::AlreadyExists`] if the name is taken.
    fn publish(
        &self,
        name: &str,
        content: &[u8],
        durability: Durability,
    ) -> io::Result<Option<Stat>>;

    /// Removes a stored file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Restarts the lease of a stored file, if leases are file times.
    fn touch(&self, name: &str);
}

/// Returns the error of a replacement whose file was changed by another process.
pub(crate) fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, "another process changed it; try again")
}

/// Returns true for the error of [`changed`].
pub(crate) fn is_changed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::StaleNetworkFileHandle
}

/// Repeats `change` while other processes change the data that it read.
///
/// # Errors
///
/// Fails as `change` does, and if every try conflicts.
pub(crate) fn until_unchanged<T>(mut change: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    /// Maximum number of tries.
    const TRIES: usize = 16;
    for _ in 1..TRIES {
        match change() {
            Err(error) if is_changed(&error) => {}
            done => return done,
        }
    }
    change()
}
