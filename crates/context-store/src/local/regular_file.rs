//! Reads one stored file: only regular files, and none in a private folder.

use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;

use super::location::Location;
use super::mtime;
use super::private::is_private;
use crate::objects::file::StoredObject;
use crate::read::file_reader::FileReader;

/// Maximum size of a file that is read whole, in bytes. Agents that share a root can plant a file
/// of any length under any name; the files of a store came in a request and are smaller.
pub const MAX_WHOLE_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// Opens a regular file for reading. A planted FIFO cannot hang the reader.
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
    match location.local() {
        Some((dir, path)) => open_regular(dir, path),
        None => StoredObject::find(location)?.read(location, StoredObject::open),
    }
}

impl Location {
    /// Opens a regular file for reading. A file of an object store is fetched whole, unless it is
    /// cached.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, or it cannot be read.
    pub fn open_file(&self) -> io::Result<File> {
        open_at(self).map(|(file, _)| file)
    }

    /// Opens a regular file for one pass from its start. A large file of an object store is
    /// fetched in ranges as it is read.
    ///
    /// # Errors
    ///
    /// Fails if there is no such file, or it cannot be read.
    pub fn open_reader(&self) -> io::Result<FileReader> {
        match self.local() {
            Some((dir, path)) => open_regular(dir, path).map(|(file, _)| FileReader::file(file)),
            None => StoredObject::find(self)?.read(self, StoredObject::reader),
        }
    }
}

/// Returns the length of a regular file in bytes; opens it as a reader would.
///
/// # Errors
///
/// Fails if the file cannot be opened for reading or is not a regular file.
pub fn regular_len(location: &Location) -> io::Result<u64> {
    match location.local() {
        Some((dir, path)) => Ok(open_regular(dir, path)?.1.len()),
        None => Ok(StoredObject::find(location)?.record.bytes),
    }
}

/// Reads the first bytes of a regular file, at most `max_bytes`.
///
/// # Errors
///
/// Fails if the file cannot be read or is not a regular file.
pub fn read_start(location: &Location, max_bytes: usize) -> io::Result<Vec<u8>> {
    let Some((dir, path)) = location.local() else {
        let object = StoredObject::find(location)?;
        return object.read(location, |object| object.start(max_bytes as u64));
    };
    let (file, _) = open_regular(dir, path)?;
    let mut start = Vec::new();
    file.take(max_bytes as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns when a regular file was written or its lease last renewed.
///
/// # Errors
///
/// Fails if the file cannot be opened for reading or is not a regular file.
pub fn modified(location: &Location) -> io::Result<SystemTime> {
    match location.local() {
        Some((dir, path)) => mtime::modified(&open_regular(dir, path)?.1),
        None => {
            let written = StoredObject::find(location)?.record.version.written_at;
            written.ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }
}
