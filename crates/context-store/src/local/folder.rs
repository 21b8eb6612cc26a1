//! A local folder: every operation goes through its directory handle, and every name is one
//! component directly inside it.

use std::io;
use std::sync::Arc;

use cap_std::fs::{Dir, Metadata, MetadataExt};

use super::file_cache::FileStamp;
use super::mtime::{modified, touch};
use super::open::{found, is_own, metadata_of};
use super::own_file::{self, Synced};
use super::publish::{Durability, publish, sync_folder};
use crate::folder::{Folder, FolderOps, Generation, Locked, Names, Small, Stat, Version};

/// An open local folder.
pub(crate) struct LocalFolder(Dir);

impl LocalFolder {
    /// Returns the folder of a handle.
    pub(crate) fn open(dir: Dir) -> Folder {
        Arc::new(LocalFolder(dir))
    }
}

impl FolderOps for LocalFolder {
    fn local(&self) -> Option<&Dir> {
        Some(&self.0)
    }

    fn open_folder(&self, name: &str) -> io::Result<Option<Folder>> {
        Ok(own_file::open_folder(&self.0, name)?.map(LocalFolder::open))
    }

    fn make_folder(&self, name: &str) -> io::Result<Folder> {
        own_file::make_folder(&self.0, name).map(LocalFolder::open)
    }

    fn remove_folder(&self, name: &str) -> io::Result<bool> {
        match found(self.0.remove_dir(name)) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            removed => removed.map(|_| true),
        }
    }

    fn make_series(&self, name: &str) -> io::Result<Folder> {
        self.make_folder(name)
    }

    fn open_series(&self, name: &str) -> io::Result<Option<Folder>> {
        self.open_folder(name)
    }

    fn set_aside(&self, name: &str) -> io::Result<bool> {
        match found(self.0.rename(name, &self.0, aside(name))) {
            // Another deletion has set a folder aside; this one stays for a later round.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(true),
            renamed => Ok(renamed?.is_some()),
        }
    }

    fn open_aside(&self, name: &str) -> io::Result<Option<Folder>> {
        self.open_folder(&aside(name))
    }

    fn remove_aside(&self, name: &str) -> io::Result<bool> {
        self.remove_folder(&aside(name))
    }

    /// Returns `None` if the file system stores no time of birth.
    fn generation(&self) -> Option<Generation> {
        let metadata = self.0.dir_metadata().ok()?;
        let born = metadata.created().ok()?.into_std();
        let born = born.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
        Some(Generation { inode: metadata.ino(), born })
    }

    fn read(&self, name: &str, max_bytes: usize) -> io::Result<Option<Small>> {
        let read = own_file::read(&self.0, name, max_bytes)?;
        Ok(read.map(|bytes| Small { bytes, version: Version::default() }))
    }

    fn create(&self, name: &str, bytes: &[u8], synced: Synced) -> io::Result<bool> {
        own_file::create(&self.0, name, bytes, synced)
    }

    fn replace(&self, name: &str, bytes: &[u8], synced: Synced, _: &Version) -> io::Result<()> {
        own_file::replace(&self.0, name, bytes, synced)
    }

    fn mark(&self, name: &str) -> io::Result<()> {
        own_file::mark(&self.0, name)
    }

    fn unmark(&self, name: &str) -> io::Result<()> {
        own_file::unmark(&self.0, name)
    }

    fn is_there(&self, name: &str) -> io::Result<bool> {
        own_file::is_there(&self.0, name)
    }

    fn names(&self) -> io::Result<Names> {
        let entries = self.0.entries()?;
        Ok(Box::new(entries.filter_map(|entry| match entry {
            Ok(entry) => entry.file_name().into_string().ok().map(Ok),
            Err(error) => Some(Err(error)),
        })))
    }

    fn folders(&self) -> io::Result<Names> {
        self.names()
    }

    fn sync(&self) -> io::Result<()> {
        sync_folder(&self.0)
    }

    fn lock(&self, name: &str, tries: u32) -> io::Result<Locked> {
        own_file::lock(&self.0, name, tries).map(|file| Locked { _file: Some(file) })
    }

    fn stat(&self, name: &str) -> io::Result<Option<Stat>> {
        metadata_of(&self.0, name)?.map(|metadata| stat_of(&metadata)).transpose()
    }

    fn publish(
        &self,
        name: &str,
        content: &[u8],
        durability: Durability,
    ) -> io::Result<Option<Stat>> {
        let metadata = publish(&self.0, name, content, durability)?;
        Ok(metadata.and_then(|metadata| stat_of(&metadata)).ok())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove_file(name)
    }

    fn touch(&self, name: &str) {
        touch(&self.0, name);
    }
}

fn stat_of(metadata: &Metadata) -> io::Result<Stat> {
    Ok(Stat {
        len: metadata.len(),
        modified: modified(metadata)?,
        is_file: metadata.is_file(),
        is_own: is_own(metadata),
        stamp: Some(FileStamp::of(metadata)),
    })
}

/// Returns the name of the folder that is set aside.
fn aside(name: &str) -> String {
    format!("{name}~")
}
