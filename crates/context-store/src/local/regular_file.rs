//! Reading one stored file: regular files only, and none of a private folder.

use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::location::Location;
use super::mtime;
use super::private::is_private;

/// Largest file that is read whole, in bytes. Agents that share a root can plant a file of
/// any length under any name; the files of a store came in a request and are smaller.
pub const MAX_WHOLE_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// Opens a regular file for reading. A FIFO that was planted cannot hang the reader.
pub(crate) fn open_regular(dir: &Dir, path: &Path) -> io::Result<(File, Metadata)> {
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

/// Returns the hash of an open file's content.
pub(crate) fn hash_content(file: &mut File) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    io::copy(file, &mut hasher)?;
    Ok(hasher.finalize())
}

fn open_at(location: &Location) -> io::Result<(File, Metadata)> {
    open_regular(location.dir(), location.relative())
}

/// Returns the length of a regular file in bytes; opens it as a reader would.
///
/// # Errors
///
/// Fails if the file cannot be opened for reading or is no regular file.
pub fn regular_len(location: &Location) -> io::Result<u64> {
    Ok(open_at(location)?.1.len())
}

/// Reads the first bytes of a regular file, at most `max_bytes`.
///
/// # Errors
///
/// Fails if the file cannot be read or is no regular file.
pub fn read_start(location: &Location, max_bytes: usize) -> io::Result<Vec<u8>> {
    let (file, _) = open_at(location)?;
    let mut start = Vec::new();
    file.take(max_bytes as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns when a regular file was written or its lease last renewed.
///
/// # Errors
///
/// Fails if the file cannot be opened for reading or is no regular file.
pub fn modified(location: &Location) -> io::Result<SystemTime> {
    mtime::modified(&open_at(location)?.1)
}
