//! Series of folders that can be set aside: an object names the current generation, and each
//! generation is a prefix of its own. A writer to a generation that was set aside finds another one
//! when it checks again.

use std::io;

use super::folder::{ObjectFolder, Place};
use crate::folder::{Folder, Generation, Version, is_changed};

/// The object that names the current generation.
const CURRENT: &str = "generation";

/// Maximum length of a name of a generation, in bytes.
const NAME_BYTES: u64 = 64;

/// A series of folders.
pub(super) struct Series {
    pub(super) at: Place,
}

/// The name of a generation, with the version of the object that names it.
type Current = (ulid::Ulid, Version);

impl Series {
    /// Opens the current folder, and creates it if there is none.
    pub(super) fn make(&self) -> io::Result<Folder> {
        let (objects, patience) = (&self.at.objects, &self.at.patience);
        loop {
            if let Some((generation, _)) = self.current()? {
                return Ok(self.folder(generation));
            }
            // If a removed generation came back, it would make deleted files seem to exist.
            let mut new = ulid::Ulid::nil();
            let fresh = || {
                new = ulid::Ulid::generate();
                new.to_string()
            };
            if objects.create_unique(&self.at.key_of(CURRENT), fresh, patience)? {
                return Ok(self.folder(new));
            }
        }
    }

    /// Opens the current folder; `None` if there is none.
    pub(super) fn open(&self) -> io::Result<Option<Folder>> {
        Ok(self.current()?.map(|(generation, _)| self.folder(generation)))
    }

    /// Makes a new generation the current one. If the current one is empty, removes the series
    /// instead, and returns false.
    pub(super) fn set_aside(&self) -> io::Result<bool> {
        let (objects, patience) = (&self.at.objects, &self.at.patience);
        let Some((generation, seen)) = self.current()? else { return Ok(false) };
        let key = self.at.key_of(CURRENT);
        if self.at.child(&generation.to_string()).names().next().transpose()?.is_none() {
            // A writer in progress finds that its generation is no longer the current one.
            objects.delete(&key, patience)?;
            return Ok(false);
        }
        let new = ulid::Ulid::generate().to_string();
        match objects.replace(&key, new.as_bytes(), &seen, patience) {
            // Another deletion was first.
            Err(error) if is_changed(&error) => Ok(true),
            replaced => replaced.map(|()| true),
        }
    }

    fn current(&self) -> io::Result<Option<Current>> {
        let (objects, patience) = (&self.at.objects, &self.at.patience);
        let Some(read) = objects.get(&self.at.key_of(CURRENT), Some(NAME_BYTES), patience)? else {
            return Ok(None);
        };
        let name = std::str::from_utf8(&read.bytes).ok();
        let Some(name) = name.and_then(|name| ulid::Ulid::from_string(name).ok()) else {
            let reason = "the generation of a chat's markers cannot be read; restore it";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        };
        Ok(Some((name, read.version)))
    }

    fn folder(&self, generation: ulid::Ulid) -> Folder {
        let at = self.at.child(&generation.to_string());
        ObjectFolder::generation(at, Generation { inode: 0, born: generation.0 })
    }
}

impl Series {
    /// Opens the generations that were set aside; `None` if nothing is left of them.
    pub(super) fn aside(&self) -> io::Result<Option<Folder>> {
        let at = &self.at;
        let mut names = at.objects.folders(&at.key, &at.patience)?;
        if let Some((current, _)) = self.current()? {
            names.retain(|name| *name != current.to_string());
        }
        let mut folders = Vec::new();
        for folder in names.iter().map(|name| at.child(name)) {
            // Some servers list empty folders.
            if folder.names().next().transpose()?.is_some() {
                folders.push(folder);
            }
        }
        Ok((!folders.is_empty()).then(|| ObjectFolder::aside(at.clone(), folders)))
    }
}
