//! An open folder of a store: the content that belongs to a name.

use std::io;
use std::sync::Arc;

use super::confirmed::{Confirmed, HELD, KnownChat};
use crate::error::StoreError;
use crate::folder::Folder;
use crate::index::folder_index::Index;
use crate::index::records::RecordState;
use crate::local::file_cache::{FileStamp, SeenObject};
use crate::local::publish::Durability;
use crate::local::regular_file::{hash_content, open_regular};
use crate::local::store_folder::StoreFolder;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::record::Record;

/// Number of checks of a name whose file is deleted and written again meanwhile.
const LOOKS: usize = 8;

/// The content that belongs to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameState {
    /// The name was never assigned.
    Free,
    /// The file is gone; only this content may have the name again.
    Reserved(blake3::Hash),
    /// The file holds this content.
    Stored(blake3::Hash),
    /// The name belongs to unknown content, a file that does not match its record, a folder, a link
    /// or a device.
    Taken,
}

/// A store's folder, open, with its index.
pub(crate) struct Opened<'s> {
    pub(crate) store: &'s StoreFolder,
    pub(crate) folder: Folder,
    /// `None` if the folder has no index.
    pub(crate) index: Option<Index>,
    /// The chat that files are written for, with the folder of its markers. A deletion may detach
    /// that folder meanwhile: the deletion watch handles this.
    pub(crate) markers: Option<(Chat, Folder)>,
    /// The known references of the request's chat in an object store.
    pub(crate) confirmed: Option<Arc<Confirmed>>,
}

impl<'s> Opened<'s> {
    /// Opens the folder; `None` if there is none.
    pub(crate) fn open(
        store: &'s StoreFolder,
        chat: &KnownChat,
    ) -> Result<Option<Opened<'s>>, StoreError> {
        let folder = store.location.open_folder();
        let folder = folder.map_err(|source| store.error("opening", None, source))?;
        let Some(folder) = folder else { return Ok(None) };
        let index = Index::open(&folder)
            .map_err(|source| store.error("opening the index of", None, source))?;
        let objects = index.as_ref().filter(|_| folder.local().is_none());
        let confirmed = objects.and_then(|index| chat.confirmed(&store.location, index));
        Ok(Some(Opened { store, folder, index, markers: None, confirmed }))
    }

    /// Reads the record of a name.
    pub(crate) fn read_record(&self, name: &FileName) -> io::Result<RecordState> {
        self.index.as_ref().map_or(Ok(RecordState::Absent), |index| index.records.read(name))
    }

    fn record(&self, name: &FileName) -> io::Result<Option<Record>> {
        self.read_record(name).map(RecordState::record)
    }

    /// Returns the state of a name by metadata alone; `None` if the file must be read.
    pub(crate) fn known_state(&self, name: &FileName) -> io::Result<Option<NameState>> {
        if self.folder.local().is_none() {
            return self.recorded_state(name).map(Some);
        }
        let Some(stat) = self.folder.stat(name.as_str())? else {
            return Ok(Some(match self.read_record(name)? {
                RecordState::Absent => NameState::Free,
                RecordState::Present(record) => {
                    record.hash.map_or(NameState::Taken, NameState::Reserved)
                }
                RecordState::Unreadable => NameState::Taken,
            }));
        };
        if !stat.is_file {
            return Ok(Some(NameState::Taken));
        }
        let known = |stamp| self.store.cache.synced_hash(&self.store.cache_key(name), stamp);
        Ok(stat.stamp.and_then(known).map(NameState::Stored))
    }

    /// Returns the state of a name by its record, which decides if there are no locks.
    fn recorded_state(&self, name: &FileName) -> io::Result<NameState> {
        if let Some(seen) = self.confirmed(name) {
            return Ok(NameState::Stored(seen.hash));
        }
        let key = self.store.cache_key(name);
        let record = match self.read_record(name)? {
            RecordState::Absent => return Ok(NameState::Free),
            RecordState::Unreadable => return Ok(NameState::Taken),
            RecordState::Present(record) => record,
        };
        let Some(hash) = record.hash else { return Ok(NameState::Taken) };
        // A content that was seen is complete, and exists as long as its life.
        let is_seen = self.store.cache.seen(&key).is_some_and(|seen| seen.life == record.life);
        let is_there = || Ok::<_, io::Error>(is_seen || self.folder.is_there(&record.file(name))?);
        if record.ended.is_some() || !is_there()? {
            return Ok(NameState::Reserved(hash));
        }
        self.store.cache.see(key, &record);
        Ok(NameState::Stored(hash))
    }

    /// Returns the facts of a file that exists for the chat of the request.
    fn confirmed(&self, name: &FileName) -> Option<SeenObject> {
        self.confirmed.as_ref()?.seen(&self.store.cache, name, HELD)
    }

    /// Returns the state of a name; reads its file only if metadata is not sufficient.
    pub(crate) fn state(&self, name: &FileName) -> io::Result<NameState> {
        for _ in 0..LOOKS {
            if let Some(state) = self.known_state(name)? {
                return Ok(state);
            }
            match self.read_state(name) {
                // A deletion removed the file between the two checks.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                read => return read,
            }
        }
        self.read_state(name)
    }

    /// Returns the state of a name by the content of its file.
    fn read_state(&self, name: &FileName) -> io::Result<NameState> {
        // Without a local folder, the record has already decided.
        let Some(folder) = self.folder.local() else { return Ok(NameState::Taken) };
        let (mut file, _) = open_regular(folder, name.as_str().as_ref())?;
        let hash = hash_content(&mut file)?;
        // A file must match its record, if it has one.
        if self.record(name)?.is_some_and(|record| record.hash != Some(hash)) {
            return Ok(NameState::Taken);
        }
        // Its writer may have crashed before the sync: its name is not returned before that.
        if self.store.durability == Durability::Sync {
            file.sync_all()?;
            self.folder.sync()?;
            self.store.sync_parents()?;
        }
        if let Ok(metadata) = file.metadata() {
            let stamp = FileStamp::of(&metadata);
            self.store.cache.add_synced(self.store.cache_key(name), stamp, hash);
        }
        Ok(NameState::Stored(hash))
    }

    /// Returns true if no record states that the file ended. A deletion withdraws an end if it
    /// finds another chat, so this waits for an end in progress.
    pub(crate) fn is_alive(&self, name: &FileName) -> bool {
        let is_alive = || {
            let record = self.record(name);
            record.is_ok_and(|record| record.is_none_or(|record| record.ended.is_none()))
        };
        let is_locked_and_alive = |index: &Index| index.lock().is_ok_and(|_locked| is_alive());
        self.confirmed(name).is_some()
            || is_alive()
            || self.index.as_ref().is_some_and(is_locked_and_alive)
    }
}
