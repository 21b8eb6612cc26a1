//! The folder of a store: opens it, creates it, and syncs the entries that lead to it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{DirBuilder, DirBuilderExt};

use super::file_cache::FileCache;
use super::folder::LocalFolder;
use super::location::Location;
use super::open::found;
use super::publish::{Durability, sync_folder};
use crate::error::StoreError;
use crate::folder::Folder;
use crate::names::file_name::FileName;

/// The folder of a store, with the process's cache.
pub(crate) struct StoreFolder {
    pub(crate) location: Location,
    pub(crate) durability: Durability,
    pub(crate) cache: Arc<FileCache>,
}

impl StoreFolder {
    /// Opens the folder; creates it and its missing parents, private to this user.
    pub(crate) fn make(&self) -> Result<Folder, StoreError> {
        let Some((dir, relative)) = self.location.local() else {
            let opened = self.location.open_folder();
            let opened = opened.and_then(|folder| folder.ok_or(io::ErrorKind::NotFound.into()));
            return opened.map_err(|source| self.error("opening", None, source));
        };
        self.make_missing().map_err(|source| self.error("making", None, source))?;
        if self.durability == Durability::Sync {
            self.sync_parents().map_err(|source| self.error("syncing", None, source))?;
        }
        let opened = dir.open_dir(relative).map(LocalFolder::open);
        opened.map_err(|source| self.error("opening", None, source))
    }

    fn make_missing(&self) -> io::Result<()> {
        let Some((dir, relative)) = self.location.local() else { return Ok(()) };
        let mut missing: Vec<&Path> = Vec::new();
        let paths = relative.ancestors();
        for at in paths.filter(|at| !at.as_os_str().is_empty()) {
            if found(dir.symlink_metadata(at))?.is_some() {
                break;
            }
            missing.push(at);
        }
        if !missing.is_empty() {
            // Before it is created: a process that then finds it syncs its parents, too.
            self.cache.remove_synced_dir(&self.location.key());
        }
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        for folder in missing.into_iter().rev() {
            match dir.create_dir_with(folder, &builder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Syncs every folder between the root and this one, once. An existing folder may have been
    /// created by a process that crashed before it could sync, or by another thread that has not
    /// synced yet: its name would not survive a power cut.
    pub(crate) fn sync_parents(&self) -> io::Result<()> {
        if self.cache.is_synced_dir(&self.location.key()) {
            return Ok(());
        }
        let Some((dir, relative)) = self.location.local() else { return Ok(()) };
        for at in relative.ancestors().skip(1) {
            let at = if at.as_os_str().is_empty() { Path::new(".") } else { at };
            match dir.open_dir(at).and_then(|folder| sync_folder(&folder)) {
                // This user created nothing in a folder that it may not open.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                synced => synced?,
            }
        }
        self.cache.add_synced_dir(self.location.key());
        Ok(())
    }

    /// Returns the key of a file in the cache.
    pub(crate) fn cache_key(&self, name: &FileName) -> PathBuf {
        self.location.child(name.as_str()).key()
    }

    /// Returns the path of a file as the caller spells it.
    pub(crate) fn path_of(&self, name: &FileName) -> String {
        self.location.child(name.as_str()).spelled().to_owned()
    }

    /// Returns the error of a step on a file, or on the folder.
    pub(crate) fn error(
        &self,
        step: &'static str,
        name: Option<&FileName>,
        source: io::Error,
    ) -> StoreError {
        let path = name.map_or_else(|| self.location.spelled().to_owned(), |n| self.path_of(n));
        StoreError::Io { step, path, source }
    }
}
