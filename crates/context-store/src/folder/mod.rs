//! The seam between the rules of a store and what keeps its files: the operations on one
//! open folder. A local folder and a prefix of an object store both give them.
//!
//! | operation | local folder | objects |
//! |---|---|---|
//! | create a name once | rename without replacing | conditional put (`If-None-Match: *`) |
//! | replace a record | rename, under the index's lock | conditional put (`If-Match`) of the version that was read |
//! | begin a lease again | modification time, under the file's lock | a conditional put of the record |
//! | set markers aside | rename of their folder | a new generation in an object of its own |
//! | keep others out | advisory lock | nothing: what a rule read must be unchanged when it writes |
//!
//! Where there are no locks, the record of a name decides: each change of a record is
//! conditional, and the content of a name that ended never stands under its old key again
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

/// The names right inside a folder, in no order.
pub(crate) type Names = Box<dyn Iterator<Item = io::Result<String>>>;

/// The version of a small file as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Version {
    /// The entity tag of an object; None for a local file.
    pub(crate) tag: Option<String>,
    /// When an object was written, by the clock of its store.
    pub(crate) written_at: Option<SystemTime>,
}

/// Two values are the same whatever versions they were read from.
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

/// The facts of a file that need no reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stat {
    /// The length in bytes.
    pub(crate) len: u64,
    /// When the file was written, or its lease last renewed where that is a file's time.
    pub(crate) modified: SystemTime,
    /// False for a folder, a link or a device.
    pub(crate) is_file: bool,
    /// True if the file belongs to the user that this process acts as.
    pub(crate) is_own: bool,
    /// The identity of a local file's content; None for an object, whose key never gets
    /// other content.
    pub(crate) stamp: Option<FileStamp>,
}

/// The identity of one folder of a chat's markers: it changes when the folder is set aside
/// and made anew. An inode is used again, but not with the same time of birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    pub(crate) inode: u64,
    pub(crate) born: u128,
}

/// A lock that is held while this lives; nothing where there are no locks.
pub(crate) struct Locked {
    pub(crate) _file: Option<File>,
}

/// The operations on one open folder. Every name is a single component.
pub(crate) trait FolderOps: Send + Sync {
    /// Returns the handle of a local folder; None for a prefix of objects.
    fn local(&self) -> Option<&Dir>;

    /// Opens a trusted folder right inside; None if there is none.
    fn open_folder(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Opens a trusted folder right inside, which is made if there is none.
    fn make_folder(&self, name: &str) -> io::Result<Folder>;

    /// Removes an empty folder; false if something is left in it.
    fn remove_folder(&self, name: &str) -> io::Result<bool>;

    /// Opens the current folder of a series that can be set aside, which is made if there is
    /// none.
    fn make_series(&self, name: &str) -> io::Result<Folder>;

    /// Opens the current folder of a series; None if there is none.
    fn open_series(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Sets the current folder of a series aside: whoever makes it gets a new one. False if
    /// there is none.
    fn set_aside(&self, name: &str) -> io::Result<bool>;

    /// Opens what was set aside of a series; None if there is nothing.
    fn open_aside(&self, name: &str) -> io::Result<Option<Folder>>;

    /// Removes what was set aside of a series; false if something is left in it.
    fn remove_aside(&self, name: &str) -> io::Result<bool>;

    /// Returns which folder of its series this is; None if that cannot be told.
    fn generation(&self) -> Option<Generation>;

    /// Reads a trusted small file; None if there is none.
    ///
    /// # Errors
    ///
    /// Fails if it is not this user's own, or has more than `max_bytes`.
    fn read(&self, name: &str, max_bytes: usize) -> io::Result<Option<Small>>;

    /// Writes a small file under a name that nothing has; false if something has it. The
    /// file is seen whole or not at all.
    fn create(&self, name: &str, bytes: &[u8], synced: Synced) -> io::Result<bool>;

    /// Replaces a small file as a whole. `seen` is the version that the new content follows
    /// from.
    ///
    /// # Errors
    ///
    /// Fails with an error that [`is_changed`] knows if the object is of another version.
    fn replace(&self, name: &str, bytes: &[u8], synced: Synced, seen: &Version) -> io::Result<()>;

    /// Creates an empty file; no-op if it is there.
    fn mark(&self, name: &str) -> io::Result<()>;

    /// Removes a file; no-op if it is not there.
    fn unmark(&self, name: &str) -> io::Result<()>;

    /// Returns true if anything has the name.
    fn is_there(&self, name: &str) -> io::Result<bool>;

    /// Lists the names of everything right inside.
    fn names(&self) -> io::Result<Names>;

    /// Lists the names of the folders right inside.
    fn folders(&self) -> io::Result<Names>;

    /// Makes the entries of the folder survive a power cut.
    fn sync(&self) -> io::Result<()>;

    /// Locks a file against every other process that locks it; tries that often, a
    /// millisecond apart. No-op where there are no locks.
    fn lock(&self, name: &str, tries: u32) -> io::Result<Locked>;

    /// Returns what is known of a stored file; None if nothing has the name.
    fn stat(&self, name: &str) -> io::Result<Option<Stat>>;

    /// Writes a stored file under a name that nothing has; returns what is known of it then,
    /// if anything.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::AlreadyExists`] if something has the name.
    fn publish(
        &self,
        name: &str,
        content: &[u8],
        durability: Durability,
    ) -> io::Result<Option<Stat>>;

    /// Removes a stored file.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Begins the lease of a stored file again where that is a file's time.
    fn touch(&self, name: &str);
}

/// Returns the error of a replacement whose file was changed by somebody else.
pub(crate) fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, "another process changed it; try again")
}

/// Returns true for the error of [`changed`].
pub(crate) fn is_changed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::StaleNetworkFileHandle
}

/// Calls `change` again while somebody else changes what it read.
///
/// # Errors
///
/// Fails as `change` does, and if that goes on and on.
pub(crate) fn until_unchanged<T>(mut change: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    /// How often a change is tried.
    const TRIES: usize = 16;
    for _ in 1..TRIES {
        match change() {
            Err(error) if is_changed(&error) => {}
            done => return done,
        }
    }
    change()
}
