//! Mounts: which folder of which file system a path shows. With a bind mount, one folder has two
//! paths, neither of which is a prefix of the other: paths alone do not show whether two folders
//! overlap.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The mounts that this process sees; empty if the system does not list them.
#[derive(Debug, Default)]
pub(crate) struct Mounts(Vec<Mount>);

#[derive(Debug)]
struct Mount {
    /// The file system, as the kernel numbers it.
    device: Vec<u8>,
    /// The folder of the file system that is mounted.
    root: PathBuf,
    /// The mount point.
    at: PathBuf,
}

/// A folder of a file system.
struct Place<'a> {
    device: &'a [u8],
    path: PathBuf,
}

impl Mounts {
    /// Reads the mounts of this process.
    pub(crate) fn read() -> Mounts {
        std::fs::read("/proc/self/mountinfo")
            .map_or_else(|_| Mounts::default(), |m| Mounts::parse(&m))
    }

    /// Parses lines of proc_pid_mountinfo(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 …`.
    fn parse(lines: &[u8]) -> Mounts {
        let mount = |line: &[u8]| {
            let mut words = line.split(|byte| *byte == b' ').skip(2);
            let device = words.next()?.to_vec();
            Some(Mount { device, root: path(words.next()?), at: path(words.next()?) })
        };
        Mounts(lines.split(|byte| *byte == b'\n').filter_map(mount).collect())
    }

    /// Returns true if a file of `one` may be a file of `two`. Both are absolute, with links
    /// resolved.
    pub(crate) fn overlap(&self, one: &Path, two: &Path) -> bool {
        let (one, two) = (self.shown_under(one), self.shown_under(two));
        one.iter().any(|one| two.iter().any(|two| one.meets(two)))
    }

    /// Returns the folders that are visible at `path` or mounted somewhere below it.
    fn shown_under(&self, path: &Path) -> Vec<Place<'_>> {
        let over = self.0.iter().filter(|mount| path.starts_with(&mount.at));
        // Of mounts at one mount point, the last one hides the others.
        let own = over.max_by_key(|mount| mount.at.as_os_str().len());
        let own = own.and_then(|mount| {
            let inside = path.strip_prefix(&mount.at).ok()?;
            Some(Place { device: &mount.device, path: mount.root.join(inside) })
        });
        let under = self.0.iter().filter(|mount| mount.at != path && mount.at.starts_with(path));
        let under = under.map(|mount| Place { device: &mount.device, path: mount.root.clone() });
        own.into_iter().chain(under).collect()
    }
}

impl Place<'_> {
    fn meets(&self, other: &Place<'_>) -> bool {
        let inside = self.path.starts_with(&other.path) || other.path.starts_with(&self.path);
        self.device == other.device && inside
    }
}

/// Parses a path in which spaces, line breaks and backslashes are escaped, such as `\040`.
fn path(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = after.get(..3).filter(|_| byte == b'\\').and_then(octal);
        bytes.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes).into()
}

fn octal(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 8:2 / /data rw - ext4 /dev/sda2 rw
24 22 8:2 /acme /mnt/acme rw shared:1 master:2 - ext4 /dev/sda2 rw
25 22 8:2 /acme/inner /mnt/with\\040blank rw - ext4 /dev/sda2 rw
26 23 0:40 / /data/tmp rw - tmpfs tmpfs rw
27 22 0:40 /x /mnt/x rw - tmpfs tmpfs rw
28 22 8:1 /home /mnt/twice rw - ext4 /dev/sda1 rw
29 28 8:3 / /mnt/twice rw - ext4 /dev/sda3 rw
";

    fn overlap(one: &str, two: &str) -> bool {
        let mounts = Mounts::parse(MOUNTS.as_bytes());
        let (one, two) = (Path::new(one), Path::new(two));
        assert_eq!(mounts.overlap(one, two), mounts.overlap(two, one));
        mounts.overlap(one, two)
    }

    #[test]
    fn one_folder_under_two_paths() {
        assert!(overlap("/data/acme", "/mnt/acme"));
        assert!(overlap("/data/acme", "/mnt/acme/deeper"));
        assert!(overlap("/data/acme/inner/x", "/mnt/acme"));
        assert!(overlap("/mnt/acme", "/mnt/with blank"));
        assert!(overlap("/data/acme/inner/x", "/mnt/with blank/x/y"));
    }

    #[test]
    fn a_folder_that_is_mounted_within_the_other() {
        assert!(overlap("/data", "/mnt/x"), "the tmpfs in /data");
        assert!(!overlap("/data/acme", "/mnt/x"));
    }

    #[test]
    fn folders_apart() {
        assert!(!overlap("/data/globex", "/mnt/acme"));
        assert!(!overlap("/data/acme2", "/mnt/acme"));
        assert!(!overlap("/data/acme/other", "/mnt/with blank"));
        assert!(!overlap("/acme", "/mnt/acme"), "of another file system");
        assert!(!overlap("/home", "/mnt/twice"), "what is hidden is not seen");
        assert!(!Mounts::default().overlap(Path::new("/a"), Path::new("/b")));
    }
}
