//! References: which chats refer to a file that was made for another chat. A marker records each.
//! Its existence is cached, so that a re-posted history needs only a check of its chat's folder.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use fair_share::on;
use rayon::prelude::*;

use super::reserve::revive;
use crate::folder::{Folder, Generation, is_changed};
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::index::records::RecordState;
use crate::lease::renewal::Lease;
use crate::local::location::Location;
use crate::local::store_folder::StoreFolder;
use crate::local::writers;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::parallel::MIN_FILES_PER_TASK;
use crate::records::origin::Origin;
use crate::records::record::Record;

/// How long a reference is cached; far shorter than deleted files stay recorded.
pub(super) const CACHED: Duration = Duration::from_secs(3_600);

/// Whether a folder without an index gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingIndex {
    /// The index is created: the files were claimed in this store.
    Create,
    /// Nothing is recorded: only a text names the folder.
    Skip,
}

/// Returns a key for cached facts about a chat and a file. It changes when the chat is deleted, so
/// that later posts of the chat are recorded anew.
pub fn reference_key(chat: Chat, at: &Location) -> blake3::Hash {
    let folder = at.parent().and_then(|(folder, _)| folder.open_folder().ok()?);
    let index = folder.and_then(|folder| Index::open(&folder).ok()?);
    let generation = index.and_then(|index| index.chat_markers(chat).generation());
    key(generation, chat, &at.key())
}

pub(super) fn key(generation: Option<Generation>, chat: Chat, path: &Path) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    if let Some(Generation { inode, born }) = generation {
        hasher.update(&inode.to_le_bytes()).update(&born.to_le_bytes());
    }
    hasher.update(chat.as_bytes());
    hasher.update(path.as_os_str().as_encoded_bytes());
    hasher.finalize()
}

/// Records that a chat refers to files of this folder; returns for each whether it exists for the
/// chat from now on. A failure is logged, and the next request of the chat tries again.
pub(crate) fn note_references(
    store: &StoreFolder,
    chat: Chat,
    names: &[FileName],
    missing: MissingIndex,
) -> Vec<Lease> {
    let held = || vec![Lease::Held; names.len()];
    if names.is_empty() {
        return held();
    }
    match open(store, missing) {
        Ok(Some((folder, index))) => {
            let markers = index.chat_markers(chat);
            let made = || markers.make().ok()?.generation();
            let generation = markers.generation().or_else(made);
            References { store, folder, index: &index, chat, generation }.note_all(names)
        }
        Ok(None) => held(),
        Err(error) => {
            tracing::warn!(%error, files = names.len(), "references could not be noted");
            held()
        }
    }
}

/// Opens the folder and its index; `None` if one of them is missing.
fn open(store: &StoreFolder, missing: MissingIndex) -> io::Result<Option<(Folder, Index)>> {
    let Some(folder) = store.location.open_folder()? else { return Ok(None) };
    let index = match missing {
        MissingIndex::Create => Some(Index::make(&folder)?),
        MissingIndex::Skip => Index::open(&folder)?,
    };
    Ok(index.map(|index| (folder, index)))
}

/// The references of a chat to the files of a folder.
struct References<'a> {
    store: &'a StoreFolder,
    folder: Folder,
    index: &'a Index,
    chat: Chat,
    /// The generation of the chat's markers at the start.
    generation: Option<Generation>,
}

impl References<'_> {
    fn note_all(&self, names: &[FileName]) -> Vec<Lease> {
        let note = |name: &FileName| {
            if self.is_cached(name) {
                return Ok((Lease::Held, false));
            }
            self.note(name).map(|lease| (lease, true))
        };
        let noted: Vec<io::Result<(Lease, bool)>> = match self.folder.local() {
            Some(_) => on(|| names.par_iter().with_min_len(MIN_FILES_PER_TASK).map(note).collect()),
            None => writers::all(names.len(), |at| note(&names[at])),
        };
        // A reference recorded before a deletion of the chat does not count after it.
        let is_deleted = self.generation.is_none()
            || self.index.chat_markers(self.chat).generation() != self.generation;
        let mut failed = None;
        let leases = names.iter().zip(noted).map(|(name, noted)| match noted {
            Ok((lease, is_new)) => {
                if lease == Lease::Held && is_new && !is_deleted {
                    self.store.cache.add_reference(self.cache_key(name), Instant::now());
                }
                lease
            }
            Err(error) => {
                failed = Some(error);
                Lease::Held
            }
        });
        let leases = leases.collect();
        if let Some(error) = failed {
            tracing::warn!(%error, "references could not be noted");
        }
        leases
    }

    fn cache_key(&self, name: &FileName) -> blake3::Hash {
        key(self.generation, self.chat, &self.store.cache_key(name))
    }

    fn is_cached(&self, name: &FileName) -> bool {
        let seen = self.generation.and(self.store.cache.reference_seen(&self.cache_key(name)));
        seen.is_some_and(|seen| seen.elapsed() < CACHED)
    }

    /// Records a reference, then reads the record. A deletion does it in the opposite order: either
    /// it finds the marker, or this call finds the end.
    fn note(&self, name: &FileName) -> io::Result<Lease> {
        let (records, markers) = (&self.index.records, self.index.markers());
        let of_chat = Marker::OfChat(self.chat, name);
        let shared = Marker::SharedWith(name, self.chat);
        let was_noted = markers.has(of_chat)?;
        let mut state = records.read(name)?;
        let is_maker = |state: &RecordState| match state {
            RecordState::Present(record) => record.origin.chat == Some(self.chat),
            RecordState::Absent | RecordState::Unreadable => false,
        };
        if !was_noted || !(is_maker(&state) || markers.has(shared)?) {
            // The chat's own marker first, by which a deletion of the chat finds the other one.
            markers.add(of_chat)?;
            if !is_maker(&state) {
                markers.add(shared)?;
                // Such a deletion may have run between the two.
                markers.add(of_chat)?;
            }
            state = records.read(name)?;
        }
        match state.record().filter(|record| record.ended.is_some()) {
            Some(record) => {
                self.store.cache.forget(&self.store.cache_key(name));
                self.revive(name, &record)
            }
            None => Ok(Lease::Held),
        }
    }

    /// Returns whether a file that ended still exists after the process that ended it is done: then
    /// that process crashed, and the file lives on.
    fn revive(&self, name: &FileName, record: &Record) -> io::Result<Lease> {
        let is_there = || self.folder.is_there(&record.file(name));
        if !is_there()? {
            return Ok(Lease::Gone);
        }
        let _locked = self.index.lock()?;
        if !is_there()? {
            return Ok(Lease::Gone);
        }
        // The call stays its maker's, and is removed with the maker's chat.
        let maker = record.origin.chat.unwrap_or(self.chat);
        let origin = Origin { chat: Some(maker), ..record.origin.clone() };
        match revive(self.index, name, &Record { origin, ended: None, ..record.clone() }) {
            // Its life is over: the next read of the record shows it.
            Err(error) if is_changed(&error) => Ok(Lease::Gone),
            revived => revived.map(|()| Lease::Held),
        }
    }
}

#[cfg(test)]
#[path = "references_tests.rs"]
mod tests;
