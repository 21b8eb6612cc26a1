//! Reading one stored file: regular files only, opened so that a FIFO planted
//! in the store cannot hang the reader.

use std::io::{self, Read};

use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt};

use super::Location;

/// Opens a regular file under its root, for reading.
pub(super) fn open_regular(dir: &Dir, path: &std::path::Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = dir.open_with(path, &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// The whole content of a regular file, as text.
pub fn read_regular(location: &Location) -> io::Result<String> {
    let mut file = open_regular(location.dir(), location.relative())?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// The length of a regular file, in bytes; opens it as a reader would.
pub fn regular_len(location: &Location) -> io::Result<u64> {
    Ok(open_regular(location.dir(), location.relative())?.metadata()?.len())
}
