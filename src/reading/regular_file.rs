//! Opens the regular file or folder that a query names.
//! Opens without blocking and checks the type on the open handle, so a planted FIFO cannot block a
//! reader, and no name can be swapped between check and use. Reading a file fails once its watch
//! has expired.

use std::{io, path::Path};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::{fs::OFlags, io::Errno};

use crate::reading::error::ReloadError;
use crate::reading::target::{Place, Target};
use crate::reading::watch::{Watch, WatchedReader};
use context_store::{EndedFile, FileReader, Location, is_away, is_private};

#[derive(Debug)]
pub(crate) enum Opened<'a> {
    File(WatchedReader<'a, FileReader>),
    Folder(Dir),
    /// A folder of an object store.
    Objects(Location),
}

/// How to handle a symbolic link as the last part of a path. A link that leads outside of the
/// handle never opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symlinks {
    Follow,
    Refuse,
}

/// Opens a path inside `dir`. Returns `None` if it is neither a regular file nor a folder.
pub(crate) fn open<'a>(
    dir: &Dir,
    path: &Path,
    symlinks: Symlinks,
    watch: &'a Watch,
) -> io::Result<Option<Opened<'a>>> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if symlinks == Symlinks::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(i32::from_ne_bytes(flags.bits().to_ne_bytes()));
    let file = match dir.open_with(path, &options) {
        Ok(file) => file,
        // A socket, or a device without a driver.
        Err(error) if is(&error, Errno::NXIO) || is(&error, Errno::NODEV) => return Ok(None),
        Err(error) => return Err(error),
    };
    // A walk follows no links and enters no private folder, so it needs no check.
    if symlinks == Symlinks::Follow && is_private(dir, path, &file) {
        return Err(io::ErrorKind::NotFound.into());
    }
    let kind = file.metadata()?.file_type();
    Ok(if kind.is_file() {
        Some(Opened::File(WatchedReader { inner: FileReader::file(file), watch }))
    } else if kind.is_dir() {
        Some(Opened::Folder(Dir::from_std_file(file.into_std())))
    } else {
        None
    })
}

/// The part of a file of an object store that is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// The whole file.
    Whole,
    /// Only the part that is read, from the start.
    AsRead,
}

/// Opens the caller's target. An impossible path and a path outside of the roots get the same error
/// as a missing file.
pub(crate) fn open_target<'a>(
    target: &Target<'_>,
    fetch: Fetch,
    watch: &'a Watch,
) -> Result<Option<Opened<'a>>, ReloadError> {
    let opened = match target.place {
        Place::Local(dir, path) => open(dir, path, Symlinks::Follow, watch),
        Place::Objects(at) => open_object(at, fetch, watch),
    };
    opened.map_err(|source| unopened(target.spelled.to_owned(), source))
}

/// Opens a file of an object store, or a folder that contains stores.
fn open_object<'a>(
    at: &Location,
    fetch: Fetch,
    watch: &'a Watch,
) -> io::Result<Option<Opened<'a>>> {
    let opened = match fetch {
        Fetch::Whole => at.open_file().map(FileReader::file),
        Fetch::AsRead => at.open_reader(),
    };
    match opened {
        Ok(inner) => Ok(Some(Opened::File(WatchedReader { inner, watch }))),
        Err(error) => {
            let is_absent = error.kind() == io::ErrorKind::NotFound;
            let may_be_folder = is_absent && EndedFile::of_error(&error).is_none();
            let is_folder = may_be_folder && at.has_stores()?;
            if is_folder { Ok(Some(Opened::Objects(at.clone()))) } else { Err(error) }
        }
    }
}

/// Converts the error of a failed open: not found as far as a caller may know, not a file, store
/// unavailable, or an error of the system.
pub(crate) fn unopened(path: String, source: io::Error) -> ReloadError {
    if is_absent(&source) {
        ReloadError::NotFound { path, ended: EndedFile::of_error(&source).map(Box::new) }
    } else if is(&source, Errno::NXIO) || is(&source, Errno::NODEV) {
        ReloadError::NotAFile { path }
    } else if is_away(&source) {
        ReloadError::Away { path, reason: source.to_string() }
    } else {
        ReloadError::Io { path, source }
    }
}

/// Returns true if the error means that nothing exists at the path inside the handle.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    // cap-std reports an attempt to leave the handle as a denied permission without an OS error.
    let escape = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    escape
        || matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidInput
        )
        || [Errno::LOOP, Errno::NAMETOOLONG, Errno::XDEV].into_iter().any(|errno| is(error, errno))
}

fn is(error: &io::Error, errno: Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}
