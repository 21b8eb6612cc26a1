//! Files and folders in the private folder, which are believed only where they
//! are this user's own, plain, and nobody else can write to them or has another name for
//! them. Anything else is never read, written or appended to.

use std::io::{self, Read, Write};

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, File, Metadata, MetadataExt};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::file::{is_own, lock_within, open_named};
use super::write::rename_new;

/// Opens a folder right inside `parent`; None where there is none. One that is a link,
/// or another user's, or that others may write to, is an error.
pub(super) fn open_folder(parent: &Dir, name: &str) -> io::Result<Option<Dir>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let folder = match rustix::fs::openat(parent, name, flags, Mode::empty()) {
        Ok(handle) => Dir::from(handle),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = folder.dir_metadata()?;
    if !is_own(&metadata) || metadata.mode() & 0o022 != 0 {
        let why = format!("the folder \"{name}\" is another user's, or others may write to it");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(Some(folder))
}

/// Opens a folder right inside `parent`, which is made where there is none.
pub(super) fn make_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
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

/// Opens a file right inside `folder`, which must be this user's own and have no other
/// name.
pub(super) fn open(folder: &Dir, name: &str, flags: OFlags) -> io::Result<File> {
    open_looked_at(folder, name, flags).map(|(file, _)| file)
}

fn open_looked_at(folder: &Dir, name: &str, flags: OFlags) -> io::Result<(File, Metadata)> {
    let (file, metadata) = open_named(folder, name, flags, Mode::RUSR | Mode::WUSR)?;
    if !is_own(&metadata) || metadata.mode() & 0o022 != 0 || metadata.nlink() != 1 {
        let why = format!(
            "the file \"{name}\" is another user's, has another name, or others may write to it"
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok((file, metadata))
}

/// The content of a file; None where there is none. One that is not this user's own, or
/// has more than `most` bytes, is an error.
pub(super) fn read(folder: &Dir, name: &str, most: usize) -> io::Result<Option<Vec<u8>>> {
    let (mut file, metadata) = match open_looked_at(folder, name, OFlags::RDONLY) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(length) = usize::try_from(metadata.len()).ok().filter(|length| *length <= most) else {
        let why = format!("the file \"{name}\" has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    };
    // It is whole as soon as it has its name: nobody makes it longer or shorter.
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

/// Whether a file must be on the disk before it has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Synced {
    Yes,
    No,
}

/// Writes a file of a name that nothing has yet; false where something has it. It is
/// seen whole or not at all.
pub(super) fn create(folder: &Dir, name: &str, bytes: &[u8], synced: Synced) -> io::Result<bool> {
    write_then(folder, bytes, synced, |from| match rename_new(folder, from, name) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    })
}

/// Replaces a file as a whole.
pub(super) fn replace(folder: &Dir, name: &str, bytes: &[u8], synced: Synced) -> io::Result<()> {
    write_then(folder, bytes, synced, |from| {
        rustix::fs::renameat(folder, from, folder, name)?;
        Ok(true)
    })
    .map(drop)
}

/// Writes a temporary file next to the one that it becomes, and lets `publish` give it
/// its name. A kernel whose Landlock is old moves no file to another folder.
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
        // Whatever the reason, the temporary file must not stay.
        let _ = folder.remove_file(&temporary);
    }
    published
}

/// Makes an empty file; one that is there stays.
pub(super) fn mark(folder: &Dir, name: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    match open_named(folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Removes a file; one that is not there is gone already.
pub(super) fn unmark(folder: &Dir, name: &str) -> io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// True where anything has the name.
pub(super) fn is_there(folder: &Dir, name: &str) -> io::Result<bool> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Locks a file against every other process that locks it, for as long as the handle
/// lives. Where the file system has no locks, the handle is all there is.
pub(super) fn lock(folder: &Dir, name: &str, tries: u32) -> io::Result<File> {
    let file = open(folder, name, OFlags::RDWR | OFlags::CREATE)?;
    match lock_within(&file, FlockOperation::NonBlockingLockExclusive, tries) {
        Ok(false) => {
            let why = "another process works on this store's folder for too long; try again";
            Err(io::Error::new(io::ErrorKind::WouldBlock, why))
        }
        Ok(true) | Err(_) => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::testing::folder;
    use super::*;

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
