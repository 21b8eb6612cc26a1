//! Roots: the folders an operator allows, each held open as a directory handle.
//! A caller's path is matched against them as text only to find which handle it
//! means; the handle then refuses whatever leads out, whatever the text said.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::StoreError;
use super::mounts::Mounts;
use super::private::is_private_path;

/// Longest path a caller may give, in bytes.
const PATH_BYTES: usize = 4096;

/// A root as configured: `DIR`, or `SEEN=REAL` where callers see the shared
/// folder under another path than this process does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSpec {
    seen: PathBuf,
    real: PathBuf,
}

impl RootSpec {
    /// Reads `DIR` or `SEEN=REAL`.
    pub fn parse(spec: &str) -> RootSpec {
        match spec.split_once('=') {
            Some((seen, real)) => RootSpec { seen: seen.into(), real: real.into() },
            None => RootSpec { seen: spec.into(), real: spec.into() },
        }
    }
}

/// An open root.
#[derive(Debug)]
pub(super) struct Root {
    /// Absolute, normalised: as callers spell it.
    seen: PathBuf,
    /// Absolute, links resolved: as the kernel spells it.
    real: PathBuf,
    dir: Dir,
}

impl Root {
    /// True where its path leads to another folder than the one that is open.
    fn is_replaced(&self) -> bool {
        let (open, there) = (rustix::fs::fstat(&self.dir), rustix::fs::stat(&self.real));
        let same = |open: rustix::fs::Stat, there: rustix::fs::Stat| {
            (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino)
        };
        !open.is_ok_and(|open| there.is_ok_and(|there| same(open, there)))
    }

    /// True where it is the other or lies in it, whatever either is called.
    fn is_within(&self, other: &Root) -> bool {
        let same = |folder: &Path| {
            let (folder, other) = (rustix::fs::stat(folder), rustix::fs::fstat(&other.dir));
            folder.is_ok_and(|a| other.is_ok_and(|b| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)))
        };
        self.real.starts_with(&other.real) || self.real.ancestors().any(same)
    }
}

/// Every allowed root; relative paths are read against the working directory.
#[derive(Debug)]
pub struct Roots {
    roots: Vec<Arc<Root>>,
    here: PathBuf,
}

impl Roots {
    /// Opens the configured roots. A root that does not exist is an error: an
    /// operator's typing mistake must not surface as lost files later.
    pub fn open(specs: &[RootSpec]) -> Result<Roots, StoreError> {
        let here = std::env::current_dir()
            .map_err(|source| StoreError::Root { path: ".".to_owned(), source })?;
        let mut roots = Vec::new();
        for spec in specs {
            let fail = |source| StoreError::Root { path: spec.real.display().to_string(), source };
            let real = spec.real.canonicalize().map_err(fail)?;
            let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(fail)?;
            roots.push(Arc::new(Root { seen: normal(&here.join(&spec.seen)), real, dir }));
        }
        Ok(Roots { roots, here })
    }

    /// The place a caller's path means.
    pub fn locate(&self, path: &str) -> Result<Location, StoreError> {
        let bad = |reason| StoreError::BadPath { path: path.chars().take(80).collect(), reason };
        if path.is_empty() {
            return Err(bad("it is empty"));
        }
        if path.len() > PATH_BYTES {
            return Err(bad("it is longer than 4096 bytes"));
        }
        // A line break would break the reference line that names a file in it.
        if path.contains(|c: char| c.is_control()) {
            return Err(bad("it holds a control character"));
        }
        let full = normal(&self.here.join(path));
        // The longest match wins, so that a root inside another keeps its own handle.
        let found = self
            .roots
            .iter()
            .flat_map(|root| [(root, &root.seen), (root, &root.real)])
            .filter_map(|(root, base)| Some((root, base, full.strip_prefix(base).ok()?)))
            // What is the service's own is nothing that a caller may name.
            .filter(|(.., relative)| !is_private_path(relative))
            .max_by_key(|(_, base, _)| base.as_os_str().len());
        let (root, _, relative) = found.ok_or_else(|| StoreError::Outside {
            path: path.chars().take(200).collect(),
            roots: self.spelled(),
        })?;
        Ok(Location {
            root: Arc::clone(root),
            relative: relative.to_path_buf(),
            spelled: path.to_owned(),
        })
    }

    /// The first root: where a search without a path looks.
    pub fn first(&self) -> Option<Location> {
        let root = self.roots.first()?;
        Some(Location {
            root: Arc::clone(root),
            relative: PathBuf::new(),
            spelled: root.seen.display().to_string(),
        })
    }

    /// Every root, as a place.
    pub fn all(&self) -> impl Iterator<Item = Location> {
        self.roots.iter().map(|root| Location {
            root: Arc::clone(root),
            relative: PathBuf::new(),
            spelled: root.seen.display().to_string(),
        })
    }

    /// Why a root cannot be written now, if one cannot.
    pub fn unwritable(&self) -> Option<String> {
        let access = rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK;
        self.roots.iter().find_map(|root| {
            let flags = rustix::fs::AtFlags::empty();
            // The path is looked at, too: a folder that was removed stays open.
            let open = rustix::fs::accessat(&root.dir, ".", access, flags);
            let there = rustix::fs::access(&root.real, access);
            let seen = root.seen.display();
            match open.and(there) {
                Err(error) => Some(format!("the root \"{seen}\" cannot be written: {error}")),
                // Another folder under the same name is none that this process has open.
                Ok(()) if root.is_replaced() => Some(format!(
                    "the root \"{seen}\" was removed or replaced since the start; \
                     a restart opens the folder that is there now"
                )),
                Ok(()) => None,
            }
        })
    }

    /// A root of one that shows a folder of a root of the other, if there is one: by its
    /// path, by another path to the same folder, or by a mount within either.
    pub fn overlap(&self, other: &Roots) -> Option<String> {
        let mounts = Mounts::read();
        let meet = |one: &Root, two: &Root| {
            one.is_within(two) || two.is_within(one) || mounts.overlap(&one.real, &two.real)
        };
        let met = self.roots.iter().find(|one| other.roots.iter().any(|two| meet(one, two)));
        met.map(|one| one.real.display().to_string())
    }

    /// The roots as the kernel spells them.
    pub fn real(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|root| root.real.as_path())
    }

    /// The roots for a message, as callers spell them.
    pub fn spelled(&self) -> String {
        let names: Vec<String> =
            self.roots.iter().map(|root| format!("\"{}\"", root.seen.display())).collect();
        names.join(", ")
    }
}

/// A place under a root. It need not exist.
#[derive(Debug, Clone)]
pub struct Location {
    root: Arc<Root>,
    relative: PathBuf,
    spelled: String,
}

impl Location {
    /// The root's handle: the only way to the file system from here.
    pub fn dir(&self) -> &Dir {
        &self.root.dir
    }

    /// The path inside the root; `.` for the root itself.
    pub fn relative(&self) -> &Path {
        if self.relative.as_os_str().is_empty() { Path::new(".") } else { &self.relative }
    }

    /// The path as the caller spelled it.
    pub fn spelled(&self) -> &str {
        &self.spelled
    }

    /// The absolute path, as callers see the root.
    pub fn absolute(&self) -> String {
        self.root.seen.join(&self.relative).display().to_string()
    }

    /// A file directly under this folder, spelled the way the folder was.
    pub fn child(&self, name: &str) -> Location {
        let folder = self.spelled.trim_end_matches('/');
        Location {
            root: Arc::clone(&self.root),
            relative: self.relative.join(name),
            spelled: format!("{folder}/{name}"),
        }
    }

    /// The folder that this place lies in, and its name there; None for a root.
    pub fn parent(&self) -> Option<(Location, &str)> {
        let name = self.relative.file_name()?.to_str()?;
        let spelled = Path::new(&self.spelled).parent().and_then(Path::to_str);
        let folder = Location {
            root: Arc::clone(&self.root),
            relative: self.relative.parent()?.to_path_buf(),
            spelled: spelled.unwrap_or_default().to_owned(),
        };
        Some((folder, name))
    }

    /// The name of `other` where it is a file directly under this folder.
    pub fn name_of(&self, other: &Location) -> Option<String> {
        let same = Arc::ptr_eq(&self.root, &other.root);
        let inside = other.relative.parent() == Some(self.relative.as_path());
        (same && inside).then(|| other.relative.file_name()?.to_str().map(str::to_owned)).flatten()
    }

    /// A key for this place among all places of this process.
    pub fn key(&self) -> PathBuf {
        self.root.real.join(&self.relative)
    }
}

/// The path without `.`, and with `..` taken back as text. The handle decides
/// what may be opened; this only finds the handle.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outer and an inner root; the outer one is named first, or last.
    fn roots(outer_first: bool) -> (tempfile::TempDir, Roots) {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().display();
        std::fs::create_dir_all(temp.path().join("outer/inner")).unwrap();
        let mut specs = [format!("/ws={real}/outer"), format!("/ws/deep={real}/outer/inner")];
        if !outer_first {
            specs.reverse();
        }
        let roots = Roots::open(&specs.map(|spec| RootSpec::parse(&spec))).unwrap();
        (temp, roots)
    }

    /// The longest of several roots has the path, in whatever order they were named.
    #[test]
    fn a_path_is_in_the_longest_root() {
        for outer_first in [true, false] {
            let (_temp, roots) = roots(outer_first);
            for (path, end) in [
                ("/ws/deep/x", "outer/inner/x"),
                ("/ws/deep", "outer/inner"),
                ("/ws/x", "outer/x"),
                ("/ws/deeper/x", "outer/deeper/x"),
            ] {
                let key = roots.locate(path).unwrap().key();
                assert!(key.ends_with(end), "{path}: {}", key.display());
                // Through the outer root it would be a part more.
                let relative = roots.locate(path).unwrap().relative().components().count();
                assert_eq!(relative, if path == "/ws/deeper/x" { 2 } else { 1 }, "{path}");
            }
        }
    }

    #[test]
    fn no_path_has_a_control_character_or_leads_to_the_private_folder() {
        let (_temp, roots) = roots(true);
        for control in ['\n', '\r', '\t', '\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}'] {
            let found = roots.locate(&format!("/ws/a{control}b"));
            assert!(matches!(found, Err(StoreError::BadPath { .. })), "{control:?}");
        }
        for path in ["/ws/.unburden", "/ws/.unburden/key", "/ws/store/.unburden/names/x"] {
            assert!(matches!(roots.locate(path), Err(StoreError::Outside { .. })), "{path}");
        }
        assert!(roots.locate("/ws/.unburdened").is_ok());
    }
}
