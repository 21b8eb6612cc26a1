//! Reading one stored file: regular files only, opened so that a FIFO planted
//! in the store cannot hang the reader.

use std::io::{self, Read};
use std::sync::LazyLock;

use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::Location;
use super::private::is_private;

/// Opens a regular file under its root, for reading.
pub(super) fn open_regular(dir: &Dir, path: &std::path::Path) -> io::Result<File> {
    open_looked_at(dir, path).map(|(file, _)| file)
}

pub(super) fn open_looked_at(dir: &Dir, path: &std::path::Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = dir.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if is_private(dir, path, &file) {
        return Err(io::ErrorKind::NotFound.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata))
}

/// Opens the regular file `name` right inside `folder`, never through a link.
///
/// `name` goes to the kernel without cap-std: it must be one component.
pub(super) fn open_named(
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

/// True where the file belongs to the user that this process acts as.
pub(super) fn is_own(metadata: &Metadata) -> bool {
    // It is asked of every file, and never changes: nothing here sets it.
    static OWN: LazyLock<u32> = LazyLock::new(|| rustix::process::geteuid().as_raw());
    metadata.uid() == *OWN
}

/// Asks once for a lock on an open file; false where another holds it. An error
/// means that the file system has no locks.
pub(super) fn try_lock(file: &File, operation: FlockOperation) -> io::Result<bool> {
    loop {
        match rustix::fs::flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// As [`try_lock`], asking up to `tries` times, a millisecond apart: a lock is
/// held for a few of them, and nobody waits for good on a process that hangs.
pub(super) fn lock_within(file: &File, operation: FlockOperation, tries: u32) -> io::Result<bool> {
    for _ in 0..tries {
        if try_lock(file, operation)? {
            return Ok(true);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Ok(false)
}

/// Largest file that is read whole, in bytes. The agents that share a root can plant
/// a file of any length under any name; what this service stores came in a body and
/// is smaller.
pub const WHOLE_BYTES: u64 = 256 * 1024 * 1024;

/// The length of a regular file, in bytes; opens it as a reader would.
pub fn regular_len(location: &Location) -> io::Result<u64> {
    Ok(open_looked_at(location.dir(), location.relative())?.1.len())
}

/// The first bytes of a regular file, at most `most` of them.
pub fn read_start(location: &Location, most: usize) -> io::Result<Vec<u8>> {
    let file = open_regular(location.dir(), location.relative())?;
    let mut start = Vec::new();
    file.take(most as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// When a file was written or last renewed.
pub fn modified(location: &Location) -> io::Result<std::time::SystemTime> {
    let file = open_regular(location.dir(), location.relative())?;
    Ok(file.metadata()?.modified()?.into_std())
}
