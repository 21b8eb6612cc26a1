//! A folder of objects: a prefix. Every folder exists; if nothing was written to it, it is empty.

use std::io;
use std::sync::{Arc, PoisonError};

use cap_std::fs::Dir;

use super::client::{Head, Objects};
use super::open::listed_name;
use super::patience::Patience;
use super::series::Series;
use crate::folder::{Folder, FolderOps, Generation, Locked, Names, Small, Stat, Version};
use crate::local::own_file::Synced;
use crate::local::private::PRIVATE;
use crate::local::publish::Durability;

/// The folder of contents in the private folder.
pub(super) const FILES: &str = "files";

/// The folder, at the top of a prefix, that lists its stores.
pub(super) const STORES: &str = ".unburden-stores";

/// Small objects that are created once and never change.
const CONSTANTS: [&str; 2] = ["format", "key"];

/// A prefix of an object store, for one operation.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) objects: Arc<Objects>,
    pub(crate) patience: Arc<Patience>,
    /// The key of the folder.
    pub(crate) key: String,
}

impl Place {
    /// Returns the key of an entry directly inside.
    pub(super) fn key_of(&self, name: &str) -> String {
        if self.key.is_empty() { name.to_owned() } else { format!("{}/{name}", self.key) }
    }

    pub(crate) fn child(&self, name: &str) -> Place {
        Place { key: self.key_of(name), ..self.clone() }
    }

    /// Returns the folder of the contents of a store.
    pub(crate) fn contents(&self) -> Place {
        self.child(PRIVATE).child(FILES)
    }

    /// Lists the entries directly inside: their names and facts.
    fn list(&self) -> impl Iterator<Item = io::Result<(String, Head)>> + use<> {
        self.list_below().filter(|entry| !matches!(entry, Ok((name, _)) if name.contains('/')))
    }

    /// Lists the entries inside, and in the folders inside: their paths and facts.
    pub(crate) fn list_below(&self) -> impl Iterator<Item = io::Result<(String, Head)>> + use<> {
        let Place { objects, patience, key } = self.clone();
        let mut listing = Some(objects.list(&key));
        std::iter::from_fn(move || {
            let next = objects.next(listing.as_mut()?, &patience);
            if !matches!(next, Some(Ok(_))) {
                listing = None;
            }
            next
        })
    }

    /// Lists the folders directly inside.
    pub(crate) fn folders(&self) -> io::Result<Vec<String>> {
        self.objects.folders(&self.key, &self.patience)
    }

    pub(super) fn names(&self) -> Names {
        Box::new(self.list().map(|entry| entry.map(|(name, _)| name)))
    }
}

/// The purpose of a prefix.
enum Role {
    /// The folder of a store, whose files are contents.
    Store,
    /// A folder of small objects.
    Small,
    /// A generation of a series of folders.
    Generation(Generation),
    /// The generations that were set aside, which are only listed and emptied.
    Aside(Vec<Place>),
}

/// A folder of objects.
pub(crate) struct ObjectFolder {
    at: Place,
    /// The folder whose files the operations concern.
    files: Place,
    role: Role,
}

impl ObjectFolder {
    /// Returns the folder of a store.
    pub(crate) fn store(at: Place) -> Folder {
        let files = at.contents();
        Arc::new(ObjectFolder { at, files, role: Role::Store })
    }

    pub(super) fn small(at: Place) -> Folder {
        Arc::new(ObjectFolder { files: at.clone(), at, role: Role::Small })
    }

    pub(super) fn generation(at: Place, generation: Generation) -> Folder {
        Arc::new(ObjectFolder { files: at.clone(), at, role: Role::Generation(generation) })
    }

    pub(super) fn aside(at: Place, folders: Vec<Place>) -> Folder {
        Arc::new(ObjectFolder { files: at.clone(), at, role: Role::Aside(folders) })
    }

    /// Returns the prefixes whose objects are the folder's files.
    fn places(&self) -> &[Place] {
        match &self.role {
            Role::Aside(folders) => folders,
            Role::Store | Role::Small | Role::Generation(_) => std::slice::from_ref(&self.files),
        }
    }

    fn objects(&self) -> &Objects {
        &self.files.objects
    }

    fn series(&self, name: &str) -> Series {
        Series { at: self.at.child(name) }
    }

    /// Registers the folder as a store, before anything is written to it.
    fn register(&self) -> io::Result<()> {
        let (objects, key) = (self.objects(), &self.at.key);
        let registered = || objects.registered.lock().unwrap_or_else(PoisonError::into_inner);
        if registered().contains(key) {
            return Ok(());
        }
        let top = Place { key: objects.prefix.clone(), ..self.at.clone() };
        let below = key.strip_prefix(&objects.prefix).unwrap_or(key).trim_start_matches('/');
        top.child(STORES).child(&listed_name(below)).mark()?;
        registered().insert(key.clone());
        Ok(())
    }
}

impl Place {
    fn mark(&self) -> io::Result<()> {
        self.objects.put(&self.key, Vec::new(), &self.patience)
    }
}

impl FolderOps for ObjectFolder {
    fn local(&self) -> Option<&Dir> {
        None
    }

    fn open_folder(&self, name: &str) -> io::Result<Option<Folder>> {
        Ok(Some(ObjectFolder::small(self.at.child(name))))
    }

    fn make_folder(&self, name: &str) -> io::Result<Folder> {
        if matches!(self.role, Role::Store) {
            self.register()?;
        }
        Ok(ObjectFolder::small(self.at.child(name)))
    }

    fn remove_folder(&self, _: &str) -> io::Result<bool> {
        Ok(true)
    }

    fn make_series(&self, name: &str) -> io::Result<Folder> {
        self.series(name).make()
    }

    fn open_series(&self, name: &str) -> io::Result<Option<Folder>> {
        self.series(name).open()
    }

    fn set_aside(&self, name: &str) -> io::Result<bool> {
        self.series(name).set_aside()
    }

    fn open_aside(&self, name: &str) -> io::Result<Option<Folder>> {
        self.series(name).aside()
    }

    fn remove_aside(&self, name: &str) -> io::Result<bool> {
        Ok(self.series(name).aside()?.is_none())
    }

    fn generation(&self) -> Option<Generation> {
        match self.role {
            Role::Generation(generation) => Some(generation),
            Role::Store | Role::Small | Role::Aside(_) => None,
        }
    }

    fn read(&self, name: &str, max_bytes: usize) -> io::Result<Option<Small>> {
        let key = self.files.key_of(name);
        let is_constant = CONSTANTS.contains(&name);
        if let Some(bytes) = self.objects().constants.get(&key).filter(|_| is_constant) {
            return Ok(Some(Small { bytes: bytes.to_vec(), version: Version::default() }));
        }
        let most = max_bytes as u64 + 1;
        let Some(read) = self.objects().get(&key, Some(most), &self.files.patience)? else {
            return Ok(None);
        };
        if read.bytes.len() > max_bytes {
            let reason = format!("the object \"{name}\" has more than {max_bytes} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        if is_constant {
            self.objects().constants.insert(key, read.bytes.clone().into());
        }
        Ok(Some(Small { bytes: read.bytes, version: read.version }))
    }

    fn create(&self, name: &str, bytes: &[u8], _: Synced) -> io::Result<bool> {
        self.objects().create(&self.files.key_of(name), bytes, &self.files.patience)
    }

    fn replace(&self, name: &str, bytes: &[u8], _: Synced, seen: &Version) -> io::Result<()> {
        self.objects().replace(&self.files.key_of(name), bytes, seen, &self.files.patience)
    }

    fn mark(&self, name: &str) -> io::Result<()> {
        self.files.child(name).mark()
    }

    fn unmark(&self, name: &str) -> io::Result<()> {
        let delete = |at: &Place| at.objects.delete(&at.key_of(name), &at.patience);
        self.places().iter().try_for_each(delete)
    }

    fn is_there(&self, name: &str) -> io::Result<bool> {
        let key = self.files.key_of(name);
        Ok(self.objects().head(&key, &self.files.patience)?.is_some())
    }

    fn names(&self) -> io::Result<Names> {
        if matches!(self.role, Role::Store) {
            return Ok(Box::new(self.files.list_below().map(|entry| entry.map(|(path, _)| path))));
        }
        let places = self.places().to_vec();
        Ok(Box::new(places.into_iter().flat_map(|place| place.names())))
    }

    fn folders(&self) -> io::Result<Names> {
        Ok(Box::new(self.files.folders()?.into_iter().map(Ok)))
    }

    /// Acknowledged writes are durable.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// There are no locks: a process that changes a record changes the version that it read.
    fn lock(&self, _: &str, _: u32) -> io::Result<Locked> {
        Ok(Locked { _file: None })
    }

    fn stat(&self, name: &str) -> io::Result<Option<Stat>> {
        let key = self.files.key_of(name);
        let head = self.objects().head(&key, &self.files.patience)?;
        Ok(head.map(|head| Stat {
            len: head.len,
            modified: head.version.written_at.unwrap_or(std::time::UNIX_EPOCH),
            is_file: true,
            is_own: true,
            stamp: None,
        }))
    }

    fn publish(&self, name: &str, content: &[u8], _: Durability) -> io::Result<Option<Stat>> {
        let key = self.files.key_of(name);
        if !self.objects().create(&key, content, &self.files.patience)? {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.objects().cache.put(blake3::hash(content), content);
        let (len, modified) = (content.len() as u64, self.objects().server_now());
        Ok(Some(Stat { len, modified, is_file: true, is_own: true, stamp: None }))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.unmark(name)
    }

    /// The lease is the record's, and began when the name was reserved.
    fn touch(&self, _: &str) {}
}
