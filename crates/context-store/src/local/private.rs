//! The private folder: a hidden folder in each store's folder, with the store's own data. Callers
//! never read it. Nothing in it is trusted if another user could have written it.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

/// The name of the private folder in a store's folder.
pub const PRIVATE: &str = ".unburden";

/// Returns true if the path leads into a private folder.
pub(crate) fn is_private_path(path: &Path) -> bool {
    path.iter().any(|part| part == PRIVATE)
}

/// Returns true if `opened`, the file or folder at `path` below `dir`, lies in a private
/// folder, whichever links led to it.
pub fn is_private(dir: &Dir, path: &Path, opened: impl AsFd) -> bool {
    let real = match path_of(opened.as_fd()) {
        // This is the usual case; it needs no path of `dir`.
        Ok(opened) if !is_private_path(&opened) => return false,
        Ok(opened) => path_of(dir.as_fd())
            .ok()
            .and_then(|dir| opened.strip_prefix(dir).map(Path::to_path_buf).ok()),
        // There is no `/proc`.
        Err(_) => dir.canonicalize(path).ok(),
    };
    real.is_some_and(|real| is_private_path(&real))
}

/// Returns the kernel's path of an open file.
fn path_of(opened: BorrowedFd<'_>) -> io::Result<PathBuf> {
    let link = format!("/proc/self/fd/{}", opened.as_raw_fd());
    let path = rustix::fs::readlink(link, Vec::new())?;
    Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::local::own_file::{make_folder, open_folder};
    use crate::testing::folder;

    #[test]
    fn it_is_made_once_and_private() {
        let (temp, dir) = folder();
        assert!(open_folder(&dir, PRIVATE).unwrap().is_none());
        make_folder(&dir, PRIVATE).unwrap();
        make_folder(&dir, PRIVATE).unwrap();
        let mode = temp.path().join(PRIVATE).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(open_folder(&dir, PRIVATE).unwrap().is_some());
    }

    #[test]
    fn a_link_or_an_open_folder_is_refused() {
        let (temp, dir) = folder();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), temp.path().join(PRIVATE)).unwrap();
        assert!(open_folder(&dir, PRIVATE).is_err() && make_folder(&dir, PRIVATE).is_err());
        std::fs::remove_file(temp.path().join(PRIVATE)).unwrap();
        make_folder(&dir, PRIVATE).unwrap();
        let open_mode = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(temp.path().join(PRIVATE), open_mode).unwrap();
        assert!(open_folder(&dir, PRIVATE).is_err());
    }

    /// Whatever link leads to it; folders around `dir` do not count.
    #[test]
    fn what_lies_in_it_is_private() {
        let (temp, dir) = folder();
        make_folder(&dir, PRIVATE).unwrap();
        let of_private = Path::new(PRIVATE).join("names");
        dir.write(&of_private, "x").unwrap();
        dir.write("notes.txt", "x").unwrap();
        std::os::unix::fs::symlink(&of_private, temp.path().join("link")).unwrap();
        let is_private_at = |path: &Path| is_private(&dir, path, dir.open(path).unwrap());
        assert!(is_private_at(&of_private));
        assert!(is_private_at(Path::new("link")));
        assert!(!is_private_at(Path::new("notes.txt")));
        let inner = dir.open_dir(PRIVATE).unwrap();
        assert!(!is_private(&inner, Path::new("names"), inner.open("names").unwrap()));
    }
}
