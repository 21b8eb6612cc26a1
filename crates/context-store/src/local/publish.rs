//! Publishes files: readers see the whole file or none. Writes a temporary file next to it, syncs
//! it, then renames it without replacing.

use std::io::{self, Write};

use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::RenameFlags;
use rustix::io::Errno;
use ulid::Ulid;

use super::mtime::correct_modified;

/// How durable a file must be before its name is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// File and folder are on the disk: survive a power cut.
    Sync,
    /// File and folder are in the system's cache: survive only a crash of this process.
    Relaxed,
}

/// Writes a temporary file and renames it to `name`. Returns its metadata; reading these may fail
/// after the file was published.
///
/// Every path is one name inside `folder`: the kernel renames it without cap-std, so no component
/// may need resolving.
///
/// # Errors
///
/// Fails with [`io::ErrorKind::AlreadyExists`] if the name is taken, or with the system's reason.
/// The temporary file is then removed.
pub(crate) fn publish(
    folder: &Dir,
    name: &str,
    content: &[u8],
    durability: Durability,
) -> io::Result<io::Result<Metadata>> {
    let temporary = format!(".unburden-{}.tmp", Ulid::generate());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = folder.open_with(&temporary, &options)?;
    let published = (|| {
        file.write_all(content)?;
        correct_modified(&file)?;
        if durability == Durability::Sync {
            file.sync_all()?;
        }
        rename_new(folder, &temporary, name)
    })();
    if published.is_err() {
        // It may be gone already, or the disk may have failed; then this has no effect.
        let _ = folder.remove_file(&temporary);
    }
    published.map(|()| file.metadata())
}

/// Returns true for the name of a temporary file: `.unburden-{ulid}.tmp`.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".unburden-").is_some_and(is_ulid_tmp)
}

/// Returns true for `{ulid}.tmp`.
pub(crate) fn is_ulid_tmp(name: &str) -> bool {
    name.strip_suffix(".tmp").is_some_and(|text| Ulid::from_string(text).is_ok())
}

/// Renames without replacing. On a file system without such a rename, a hard link has the same
/// effect.
pub(super) fn rename_new(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            folder.hard_link(from, folder, to)?;
            folder.remove_file(from)
        }
        Err(error) => Err(error.into()),
    }
}

/// Syncs the entries of a folder.
pub(crate) fn sync_folder(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}
