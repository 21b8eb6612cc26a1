//! Files and folders in the private folder. They are trusted only if they are plain, belong to this
//! user, are not writable by others, and have one name. Others are never read, written or appended
//! to.

use std::io::{self, Read, Write};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, File, Metadata, MetadataExt};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::open::{found, is_own, lock_within, metadata_of, open_named};
use super::publish::rename_new;

/// Opens a folder directly inside `parent`; `None` if there is none.
///
/// # Errors
///
/// Fails if it is a link, belongs to another user, or is writable by others.
pub(crate) fn open_folder(parent: &Dir, name: &str) -> io::Result<Option<Dir>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let folder = match rustix::fs::openat(parent, name, flags, Mode::empty()) {
        Ok(handle) => Dir::from(handle),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = folder.dir_metadata()?;
    if !is_own(&metadata) || metadata.mode() & 0o022 != 0 {
        let reason = format!(
            "the folder \"{name}\" is another user's, or others may write to it; \
             make it this user's own, with mode 0700"
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok(Some(folder))
}

/// Opens a folder directly inside `parent`, and creates it if there is none.
pub(crate) fn make_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    if let Some(folder) = open_folder(parent, name)? {
        return Ok(folder);
    }
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match parent.create_dir_with(name, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    open_folder(parent, name)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Opens a file directly inside `folder`. It must belong to this user and have one name.
pub(crate) fn open(folder: &Dir, name: &str, flags: OFlags) -> io::Result<File> {
    open_checked(folder, name, flags).map(|(file, _)| file)
}

fn open_checked(folder: &Dir, name: &str, flags: OFlags) -> io::Result<(File, Metadata)> {
    let (file, metadata) = open_named(folder, name, flags, Mode::RUSR | Mode::WUSR)?;
    if !is_own(&metadata) || metadata.mode() & 0o022 != 0 || metadata.nlink() != 1 {
        let reason = format!(
            "the file \"{name}\" is another user's, has another name, or others may write to \
             it; make it this user's own, with mode 0600 and one name"
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok((file, metadata))
}

/// Reads a file; `None` if there is none.
///
/// # Errors
///
/// Fails if it belongs to another user, or has more than `max_bytes`.
pub(crate) fn read(folder: &Dir, name: &str, max_bytes: usize) -> io::Result<Option<Vec<u8>>> {
    let opened = found(open_checked(folder, name, OFlags::RDONLY))?;
    let Some((mut file, metadata)) = opened else { return Ok(None) };
    let length = usize::try_from(metadata.len()).ok().filter(|length| *length <= max_bytes);
    let Some(length) = length else {
        let reason = format!("the file \"{name}\" has more than {max_bytes} bytes; restore it");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    };
    // A file is complete as soon as it has its name, and never changes its length.
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Whether a file is synced before it gets its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Synced {
    Yes,
    No,
}

/// Writes a file under a free name. Returns false if the name is taken. Readers see the whole file
/// or none.
pub(crate) fn create(folder: &Dir, name: &str, bytes: &[u8], synced: Synced) -> io::Result<bool> {
    write_then(folder, bytes, synced, |from| match rename_new(folder, from, name) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    })
}

/// Replaces a whole file.
pub(crate) fn replace(folder: &Dir, name: &str, bytes: &[u8], synced: Synced) -> io::Result<()> {
    write_then(folder, bytes, synced, |from| {
        rustix::fs::renameat(folder, from, folder, name)?;
        Ok(true)
    })
    .map(drop)
}

/// Writes a temporary file, which `publish` renames; removes it unless `publish` returns true. It
/// is in the same folder, because an old Landlock does not allow moving files between folders.
fn write_then(
    folder: &Dir,
    bytes: &[u8],
    synced: Synced,
    publish: impl FnOnce(&str) -> io::Result<bool>,
) -> io::Result<bool> {
    let temporary = format!("{}.tmp", ulid::Ulid::generate());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let (mut file, _) = open_named(folder, &temporary, flags, Mode::RUSR | Mode::WUSR)?;
    let published = file
        .write_all(bytes)
        .and_then(|()| if synced == Synced::Yes { file.sync_data() } else { Ok(()) })
        .and_then(|()| publish(&temporary));
    if !matches!(published, Ok(true)) {
        // It may be gone already; then this has no effect.
        let _ = folder.remove_file(&temporary);
    }
    published
}

/// Creates an empty file; no-op if it exists.
pub(crate) fn mark(folder: &Dir, name: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    match open_named(folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Removes a file; no-op if it does not exist.
pub(crate) fn unmark(folder: &Dir, name: &str) -> io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Returns true if the name is taken.
pub(crate) fn is_there(folder: &Dir, name: &str) -> io::Result<bool> {
    Ok(metadata_of(folder, name)?.is_some())
}

/// Locks a file against every other process that locks it, while the handle lives; tries `tries`
/// times, a millisecond apart. No-op if the file system has no locks.
pub(crate) fn lock(folder: &Dir, name: &str, tries: u32) -> io::Result<File> {
    let file = open(folder, name, OFlags::RDWR | OFlags::CREATE)?;
    match lock_within(&file, tries) {
        Ok(false) => {
            let reason = "another process holds the lock of this store's folder; try again";
            Err(io::Error::new(io::ErrorKind::WouldBlock, reason))
        }
        Ok(true) | Err(_) => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::testing::folder;

    #[test]
    fn a_file_is_created_once_and_replaced_whole() {
        let (temp, dir) = folder();
        assert!(create(&dir, "a", b"one", Synced::No).unwrap());
        assert!(!create(&dir, "a", b"two", Synced::Yes).unwrap());
        assert_eq!(read(&dir, "a", 3).unwrap().unwrap(), b"one");
        assert!(read(&dir, "a", 2).is_err(), "too large");
        replace(&dir, "a", b"2", Synced::Yes).unwrap();
        assert_eq!(read(&dir, "a", 3).unwrap().unwrap(), b"2");
        assert_eq!(read(&dir, "b", 3).unwrap(), None);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1, "nothing temporary is left");
        let mode = temp.path().join("a").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_is_not_plainly_our_own_is_not_opened() {
        let (temp, dir) = folder();
        let path = |name: &str| temp.path().join(name);
        let (outside, _) = folder();
        let target = outside.path().join("target");
        std::fs::write(&target, "x").unwrap();
        symlink(&target, path("link")).unwrap();
        std::fs::hard_link(&target, path("hard")).unwrap();
        std::fs::write(path("open"), "x").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o622)).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        for name in ["link", "hard", "open", "folder"] {
            assert!(read(&dir, name, 9).is_err(), "{name}");
            assert!(lock(&dir, name, 1).is_err(), "{name}");
            assert!(!create(&dir, name, b"y", Synced::No).unwrap(), "{name}");
            mark(&dir, name).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "x");
        assert!(open_folder(&dir, "link").is_err() && make_folder(&dir, "open").is_err());
    }
}
