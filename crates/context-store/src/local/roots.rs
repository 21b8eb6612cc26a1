//! Roots: the folders that an operator allows, each held open as a directory handle. A caller's
//! path is compared with them as text only to find its handle; the handle then rejects every path
//! that leads out, whatever the text.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::location::{Location, Medium, Root};
use super::mounts::Mounts;
use super::private::is_private_path;
use crate::error::StoreError;
use crate::objects::client::Objects;
use crate::objects::patience::Patience;

/// Maximum length of a path from a caller, in bytes.
const PATH_BYTES: usize = 4096;

/// A root as configured: `DIR`, or `SEEN=REAL` if callers see the shared folder under
/// another path than this process does.
///
/// ```
/// use context_store::RootSpec;
///
/// assert_ne!(RootSpec::parse("/workspace=/mnt/share"), RootSpec::parse("/workspace"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSpec {
    seen: PathBuf,
    real: PathBuf,
}

impl RootSpec {
    /// Parses `DIR` or `SEEN=REAL`.
    pub fn parse(spec: &str) -> RootSpec {
        match spec.split_once('=') {
            Some((seen, real)) => RootSpec { seen: seen.into(), real: real.into() },
            None => RootSpec { seen: spec.into(), real: spec.into() },
        }
    }
}

/// The allowed roots. Relative paths are resolved against the working directory.
///
/// ```
/// use context_store::{RootSpec, Roots};
///
/// let folder = tempfile::tempdir()?;
/// let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
/// let location = roots.locate(&folder.path().join("chat").display().to_string())?;
/// assert_eq!(location.relative().display().to_string(), "chat");
/// assert!(roots.locate("/etc").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Roots {
    roots: Vec<Arc<Root>>,
    here: PathBuf,
    /// How long the operation that these roots are for waits for an object store in total; `None`:
    /// each location is for an operation of its own.
    patience: Option<Arc<Patience>>,
}

impl Roots {
    /// Opens the configured roots.
    ///
    /// # Errors
    ///
    /// Fails if a root cannot be opened, also if it does not exist: an operator's typing mistake
    /// must not lead to lost files later.
    pub fn open(specs: &[RootSpec]) -> Result<Roots, StoreError> {
        let here = std::env::current_dir()
            .map_err(|source| StoreError::Root { path: ".".to_owned(), source })?;
        let mut roots = Vec::new();
        for spec in specs {
            let fail = |source| StoreError::Root { path: spec.real.display().to_string(), source };
            let real = spec.real.canonicalize().map_err(fail)?;
            let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(fail)?;
            let seen = normal(&here.join(&spec.seen));
            roots.push(Arc::new(Root { seen, real, medium: Medium::Local(dir) }));
        }
        Ok(Roots { roots, here, patience: None })
    }

    /// Returns the roots of an object store: prefixes, which need not exist. `SEEN=REAL` maps the
    /// path that callers see to a path below the store's prefix; any other root is at its own
    /// absolute path.
    ///
    /// # Errors
    ///
    /// Fails if there is no working directory.
    pub fn of_objects(specs: &[RootSpec], objects: &Arc<Objects>) -> Result<Roots, StoreError> {
        let here = std::env::current_dir()
            .map_err(|source| StoreError::Root { path: ".".to_owned(), source })?;
        let root = |spec: &RootSpec| {
            let seen = normal(&here.join(&spec.seen));
            let real = if spec.real == spec.seen { seen.clone() } else { spec.real.clone() };
            let real = normal(&Path::new("/").join(real));
            Arc::new(Root { seen, real, medium: Medium::Objects(Arc::clone(objects)) })
        };
        Ok(Roots { roots: specs.iter().map(root).collect(), here, patience: None })
    }

    /// Returns the roots for one operation: it waits for an object store no longer than one request
    /// may, however many files it names.
    pub fn for_operation(&self) -> Roots {
        let (roots, here) = (self.roots.clone(), self.here.clone());
        Roots { roots, here, patience: Some(self.patience()) }
    }

    pub(crate) fn patience(&self) -> Arc<Patience> {
        let new = || match self.objects() {
            None => Patience::unlimited(),
            Some(objects) => Patience::of(objects.timeout()),
        };
        self.patience.clone().unwrap_or_else(|| Arc::new(new()))
    }

    /// Resolves a caller's path, which need not exist. Opens nothing.
    ///
    /// # Errors
    ///
    /// Fails if the path is empty, longer than 4096 bytes, holds a control character, or
    /// lies outside the roots or in a private folder.
    pub fn locate(&self, path: &str) -> Result<Location, StoreError> {
        let bad = |reason| StoreError::BadPath { path: path.chars().take(80).collect(), reason };
        if path.is_empty() {
            return Err(bad("it is empty"));
        }
        if path.len() > PATH_BYTES {
            return Err(bad("it is longer than 4096 bytes"));
        }
        // A reference line that names a file cannot contain a line break.
        if path.contains(|c: char| c.is_control()) {
            return Err(bad("it holds a control character"));
        }
        let full = normal(&self.here.join(path));
        // The longest match wins, so that a root inside another keeps its own handle.
        let found = self
            .roots
            .iter()
            .flat_map(|root| {
                let is_local = matches!(root.medium, Medium::Local(_));
                let real = is_local.then_some((root, &root.real));
                [(root, &root.seen)].into_iter().chain(real)
            })
            .filter_map(|(root, base)| Some((root, base, full.strip_prefix(base).ok()?)));
        // Callers must not name the store's own data.
        let (private, found): (Vec<_>, Vec<_>) =
            found.partition(|(.., relative)| is_private_path(relative));
        let found = found.into_iter().max_by_key(|(_, base, _)| base.as_os_str().len());
        let (root, _, relative) = found.ok_or_else(|| {
            let (path, roots) = (path.chars().take(200).collect(), self.spelled());
            match private.is_empty() {
                true => StoreError::Outside { path, roots },
                false => StoreError::Private { path, roots },
            }
        })?;
        let (root, relative) = (Arc::clone(root), relative.to_path_buf());
        Ok(Location::new(root, relative, path.to_owned(), self.patience()))
    }

    /// Returns the location of a path below an object store's prefix; `None` if no root has it.
    pub(crate) fn at_real(&self, below: &Path) -> Option<Location> {
        let path = Path::new("/").join(below);
        let found = self.roots.iter().filter_map(|root| {
            let relative = path.strip_prefix(&root.real).ok()?;
            Some((root, relative.to_owned()))
        });
        let (root, relative) = found.max_by_key(|(root, _)| root.real.as_os_str().len())?;
        let spelled = root.seen.join(&relative).display().to_string();
        Some(Location::new(Arc::clone(root), relative, spelled, self.patience()))
    }

    /// Returns the first root: a search without a path looks there.
    pub fn first(&self) -> Option<Location> {
        self.all().next()
    }

    /// Returns the location of every root.
    pub fn all(&self) -> impl Iterator<Item = Location> {
        self.roots.iter().map(|root| {
            let spelled = root.seen.display().to_string();
            Location::new(Arc::clone(root), PathBuf::new(), spelled, self.patience())
        })
    }

    /// Returns why a root cannot be written to at the moment, also because it is full; `None` if
    /// all can.
    pub fn unwritable(&self) -> Option<String> {
        let access = rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK;
        self.roots.iter().find_map(|root| {
            let flags = rustix::fs::AtFlags::empty();
            let dir = match &root.medium {
                Medium::Local(dir) => dir,
                Medium::Objects(objects) => {
                    return Some(format!("the store {objects:?} fails: {}", objects.failure()?));
                }
            };
            // Also tests the path, because a removed folder stays open.
            let open = rustix::fs::accessat(dir, ".", access, flags);
            let there = rustix::fs::access(&root.real, access);
            let seen = root.seen.display();
            match open.and(there).and_then(|()| probe(dir)) {
                Err(error) => Some(format!("the root \"{seen}\" cannot be written: {error}")),
                // A different folder under the same name is not the open one.
                Ok(()) if root.is_replaced() => Some(format!(
                    "the root \"{seen}\" was removed or replaced since the start; \
                     a restart opens the folder that is there now"
                )),
                Ok(()) => None,
            }
        })
    }

    /// Returns a root that overlaps a root of `other`: by its path, by another path to the
    /// same folder, or by a mount within either.
    pub fn overlap(&self, other: &Roots) -> Option<String> {
        let mounts = Mounts::read();
        let overlap = |one: &Root, two: &Root| {
            let is_local = matches!(one.medium, Medium::Local(_));
            let within = one.is_within(two) || two.is_within(one);
            within || is_local && mounts.overlap(&one.real, &two.real)
        };
        let found = self.roots.iter().find(|one| other.roots.iter().any(|two| overlap(one, two)));
        found.map(|one| one.real.display().to_string())
    }

    /// Returns the roots as the kernel spells them.
    pub fn real(&self) -> impl Iterator<Item = &Path> {
        let local = self.roots.iter().filter(|root| matches!(root.medium, Medium::Local(_)));
        local.map(|root| root.real.as_path())
    }

    /// Returns the object store that keeps the files; `None` for local folders.
    pub fn objects(&self) -> Option<&Arc<Objects>> {
        self.roots.iter().find_map(|root| match &root.medium {
            Medium::Local(_) => None,
            Medium::Objects(objects) => Some(objects),
        })
    }

    /// Returns the roots for a message, as callers spell them.
    pub fn spelled(&self) -> String {
        let names: Vec<String> =
            self.roots.iter().map(|root| format!("\"{}\"", root.seen.display())).collect();
        names.join(", ")
    }
}

/// Returns the path without `.` and with `..` resolved as text. This only finds the handle; the
/// handle decides which files may be opened.
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

/// Writes a byte to an unnamed file, which disappears when it is closed. Fails if the disk is full
/// or not writable. Limits of the process and file systems without unnamed files are not failures.
fn probe(dir: &Dir) -> rustix::io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = rustix::fs::openat(dir, ".", flags, Mode::RUSR | Mode::WUSR);
    match file.and_then(|file| rustix::io::write(file, b"x")) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::ROFS | Errno::IO)) => Err(error),
        _ => Ok(()),
    }
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

    /// The longest matching root has the path, whatever the order of the roots.
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
                // In the outer root, the path would have one more component.
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
            assert!(matches!(roots.locate(path), Err(StoreError::Private { .. })), "{path}");
        }
        assert!(roots.locate("/ws/.unburdened").is_ok());
    }
}
