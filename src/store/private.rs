//! The private folder: a hidden folder in each store's folder with what the service
//! itself needs to know of its files. No retrieval tool reads it. Nothing in it is
//! trusted that another user could have written.

use std::io;

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, MetadataExt};
use rustix::fs::{Mode, OFlags};

use super::file::is_own;

/// The private folder's name in a store's folder.
pub const PRIVATE: &str = ".unburden";

/// Opens the private folder of a store's folder; None where there is none. One that is
/// a link, or another user's, or that others may write to, is an error.
pub(super) fn open(folder: &Dir) -> io::Result<Option<Dir>> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let private = match rustix::fs::openat(folder, PRIVATE, flags, Mode::empty()) {
        Ok(handle) => Dir::from(handle),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = private.dir_metadata()?;
    if !is_own(&metadata) || metadata.mode() & 0o022 != 0 {
        let why = "the folder \".unburden\" is another user's, or others may write to it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(Some(private))
}

/// Opens the private folder, which is made where there is none.
pub(super) fn make(folder: &Dir) -> io::Result<Dir> {
    if let Some(private) = open(folder)? {
        return Ok(private);
    }
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    match folder.create_dir_with(PRIVATE, &builder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    open(folder)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn folder() -> (tempfile::TempDir, Dir) {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), ambient_authority()).unwrap();
        (temp, dir)
    }

    #[test]
    fn it_is_made_once_and_private() {
        let (temp, dir) = folder();
        assert!(open(&dir).unwrap().is_none());
        make(&dir).unwrap();
        make(&dir).unwrap();
        let mode = temp.path().join(PRIVATE).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(open(&dir).unwrap().is_some());
    }

    #[test]
    fn a_link_or_an_open_folder_is_refused() {
        let (temp, dir) = folder();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), temp.path().join(PRIVATE)).unwrap();
        assert!(open(&dir).is_err() && make(&dir).is_err());
        std::fs::remove_file(temp.path().join(PRIVATE)).unwrap();
        make(&dir).unwrap();
        let open_mode = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(temp.path().join(PRIVATE), open_mode).unwrap();
        assert!(open(&dir).is_err());
    }
}
