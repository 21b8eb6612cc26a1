//! Opens and locks one file directly inside an open folder, never through a link.

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// Opens the regular file `name` of `folder`.
///
/// `name` is passed to the kernel without cap-std, so it must be one component. Opening does not
/// block, so a planted FIFO cannot hang the caller.
pub(crate) fn open_named(
    folder: &Dir,
    name: &str,
    extra: OFlags,
    mode: Mode,
) -> io::Result<(File, Metadata)> {
    if name.contains('/') || [".", "..", ""].contains(&name) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"));
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | extra;
    let file = File::from(rustix::fs::openat(folder, name, flags, mode)?);
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Opens the regular file `name` of `folder` for reading.
pub(crate) fn open_to_read(folder: &Dir, name: &str) -> io::Result<(File, Metadata)> {
    open_named(folder, name, OFlags::RDONLY, Mode::empty())
}

/// Returns the metadata of `name` without following a link; `None` if the name is free.
pub(crate) fn metadata_of(folder: &Dir, name: &str) -> io::Result<Option<Metadata>> {
    found(folder.symlink_metadata(name))
}

/// Returns `None` for a not-found error.
pub(crate) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if the file belongs to this process's user.
pub(crate) fn is_own(metadata: &Metadata) -> bool {
    // Needed for every file, and constant: nothing here sets the user.
    static OWN: LazyLock<u32> = LazyLock::new(|| rustix::process::geteuid().as_raw());
    metadata.uid() == *OWN
}

/// Tries to lock an open file exclusively. Returns false if another handle holds a lock.
///
/// # Errors
///
/// Fails if the file system has no locks.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    loop {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Like [`try_lock`], with up to `tries` tries, a millisecond apart: a lock is held for a few
/// milliseconds, and nobody waits forever for a process that hangs.
pub(crate) fn lock_within(file: &File, tries: u32) -> io::Result<bool> {
    for _ in 0..tries {
        if try_lock(file)? {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(false)
}
