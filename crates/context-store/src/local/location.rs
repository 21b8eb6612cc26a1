//! Locations: paths under an open root.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use super::folder::LocalFolder;
use super::open::found;
use crate::folder::Folder;
use crate::objects::client::Objects;
use crate::objects::folder::{ObjectFolder, Place};
use crate::objects::key_path::key_of;
use crate::objects::patience::Patience;

/// An open root.
#[derive(Debug)]
pub(crate) struct Root {
    /// Absolute and normalised: as callers spell it.
    pub(super) seen: PathBuf,
    /// Absolute, with links resolved: as the kernel spells it. For objects, the path below the
    /// prefix.
    pub(super) real: PathBuf,
    pub(super) medium: Medium,
}

/// The storage of a root's files.
#[derive(Debug)]
pub(crate) enum Medium {
    /// A local folder, open.
    Local(Dir),
    /// A prefix of an object store.
    Objects(Arc<Objects>),
}

impl Root {
    /// Returns true if the path leads to another folder than the open one.
    pub(super) fn is_replaced(&self) -> bool {
        let Medium::Local(dir) = &self.medium else { return false };
        let (open, there) = (rustix::fs::fstat(dir), rustix::fs::stat(&self.real));
        let same = |open: rustix::fs::Stat, there: rustix::fs::Stat| {
            (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino)
        };
        !open.is_ok_and(|open| there.is_ok_and(|there| same(open, there)))
    }

    /// Returns true if this root is `other` or lies in it, whatever their paths.
    pub(super) fn is_within(&self, other: &Root) -> bool {
        let Medium::Local(dir) = &other.medium else { return self.real.starts_with(&other.real) };
        let same = |folder: &Path| {
            let (folder, other) = (rustix::fs::stat(folder), rustix::fs::fstat(dir));
            folder.is_ok_and(|a| other.is_ok_and(|b| (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)))
        };
        self.real.starts_with(&other.real) || self.real.ancestors().any(same)
    }
}

/// A path under a root; nothing need exist there. [`Roots::locate`](crate::Roots::locate) returns
/// one.
#[derive(Debug, Clone)]
pub struct Location {
    root: Arc<Root>,
    relative: PathBuf,
    spelled: String,
    /// How long the operation that located it waits for an object store.
    patience: Arc<Patience>,
}

impl Location {
    pub(super) fn new(
        root: Arc<Root>,
        relative: PathBuf,
        spelled: String,
        patience: Arc<Patience>,
    ) -> Location {
        Location { root, relative, spelled, patience }
    }

    /// Returns the location for background work, without a time limit.
    pub(crate) fn unhurried(&self) -> Location {
        Location { patience: Arc::new(Patience::unlimited()), ..self.clone() }
    }

    /// Returns the prefix of objects at this path; `None` in a local folder.
    pub(crate) fn place(&self) -> Option<Place> {
        let Medium::Objects(objects) = &self.root.medium else { return None };
        let below = key_of(&self.root.real.join(&self.relative));
        let key = objects.key_below(&below);
        Some(Place { objects: Arc::clone(objects), patience: Arc::clone(&self.patience), key })
    }

    /// Opens the folder at this path; `None` if there is none.
    pub(crate) fn open_folder(&self) -> io::Result<Option<Folder>> {
        match (self.local(), self.place()) {
            (Some((dir, path)), _) => Ok(found(dir.open_dir(path))?.map(LocalFolder::open)),
            (None, place) => Ok(place.map(ObjectFolder::store)),
        }
    }

    /// Returns the root's handle, through which every file is opened, and the path inside it;
    /// `None` for a path in an object store.
    pub fn local(&self) -> Option<(&Dir, &Path)> {
        match &self.root.medium {
            Medium::Local(dir) => Some((dir, self.relative())),
            Medium::Objects(_) => None,
        }
    }

    /// Returns the path inside the root; `.` for the root itself.
    pub fn relative(&self) -> &Path {
        if self.relative.as_os_str().is_empty() { Path::new(".") } else { &self.relative }
    }

    /// Returns the path as the caller spelled it.
    pub fn spelled(&self) -> &str {
        &self.spelled
    }

    /// Returns the absolute path, as callers see the root.
    pub fn absolute(&self) -> String {
        self.root.seen.join(&self.relative).display().to_string()
    }

    /// Returns the path of a file directly in this folder, spelled as the folder was.
    pub fn child(&self, name: &str) -> Location {
        let folder = self.spelled.trim_end_matches('/');
        Location {
            root: Arc::clone(&self.root),
            relative: self.relative.join(name),
            spelled: format!("{folder}/{name}"),
            patience: Arc::clone(&self.patience),
        }
    }

    /// Returns the folder of this path and the name in it; `None` for a root.
    pub fn parent(&self) -> Option<(Location, &str)> {
        let name = self.relative.file_name()?.to_str()?;
        let spelled = Path::new(&self.spelled).parent().and_then(Path::to_str);
        let folder = Location {
            root: Arc::clone(&self.root),
            relative: self.relative.parent()?.to_path_buf(),
            spelled: spelled.unwrap_or_default().to_owned(),
            patience: Arc::clone(&self.patience),
        };
        Some((folder, name))
    }

    /// Returns the name of `other` if it lies directly in this folder.
    pub fn name_of(&self, other: &Location) -> Option<String> {
        let same = Arc::ptr_eq(&self.root, &other.root);
        let inside = other.relative.parent() == Some(self.relative.as_path());
        (same && inside).then(|| other.relative.file_name()?.to_str().map(str::to_owned)).flatten()
    }

    /// Returns the absolute path with links of the root resolved, as a key in this process.
    pub fn key(&self) -> PathBuf {
        match &self.root.medium {
            Medium::Local(_) => self.root.real.join(&self.relative),
            Medium::Objects(objects) => {
                let below = self.root.real.join(&self.relative);
                format!("{objects:?}/{}", key_of(&below)).into()
            }
        }
    }
}
