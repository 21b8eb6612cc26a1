//! Opens, creates and locks the index of a folder.

use std::io;

use super::chat_markers::ChatMarkers;
use super::markers::Markers;
use super::records::Records;
use crate::clock::folder_clock;
use crate::folder::{Folder, Locked};
use crate::local::own_file::Synced;
use crate::local::private::PRIVATE;
use crate::names::chat::Chat;

/// The folder of records.
const NAMES: &str = "names";

/// The name of the file that states the private folder's format, and the start of its content.
const FORMAT: &str = "format";
const FORMAT_WORDS: &str = "unburden store ";
const VERSION: u32 = 2;

/// The file that is locked while files end.
const LOCK: &str = "lock";

/// Tries for the lock, a millisecond apart: a batch of deletions holds it for much less time.
const LOCK_TRIES: u32 = 5_000;

/// The index of one folder.
pub(crate) struct Index {
    /// The private folder.
    pub(crate) private: Folder,
    pub(crate) records: Records,
}

impl Index {
    /// Opens the index of a folder; `None` if it has none.
    pub(crate) fn open(folder: &Folder) -> io::Result<Option<Index>> {
        let Some(private) = folder.open_folder(PRIVATE)? else { return Ok(None) };
        // A prefix always exists; one without a format is not a store.
        if !check_format(&private)? && private.local().is_none() {
            return Ok(None);
        }
        let names = private.open_folder(NAMES)?;
        Ok(names.map(|folder| Index { private, records: Records { folder } }))
    }

    /// Opens the index of a folder, and creates it if there is none.
    pub(crate) fn make(folder: &Folder) -> io::Result<Index> {
        let private = folder.make_folder(PRIVATE)?;
        if !check_format(&private)? {
            folder_clock::begin(&private)?;
            // On a full disk, files can only end if the lock file exists already.
            private.lock(LOCK, LOCK_TRIES)?;
            let words = format!("{FORMAT_WORDS}{VERSION}\n");
            // If a power cut left an empty format, the folder would be unusable.
            private.create(FORMAT, words.as_bytes(), Synced::Yes)?;
        }
        let folder = private.make_folder(NAMES)?;
        Ok(Index { private, records: Records { folder } })
    }

    /// Returns the markers of the index.
    pub(crate) fn markers(&self) -> Markers<'_> {
        Markers::new(&self.private)
    }

    /// Returns the folder of a chat's markers.
    pub(crate) fn chat_markers(&self, chat: Chat) -> ChatMarkers<'_> {
        ChatMarkers::new(&self.private, chat)
    }

    /// Waits until no other process ends files of this folder, and excludes others while the handle
    /// lives.
    pub(crate) fn lock(&self) -> io::Result<Locked> {
        self.private.lock(LOCK, LOCK_TRIES)
    }
}

/// Returns true if the private folder has this version's format; false if it has no format yet.
///
/// # Errors
///
/// Fails for a newer format, whose rules this version does not know.
fn check_format(private: &Folder) -> io::Result<bool> {
    let Some(read) = private.read(FORMAT, 64)? else { return Ok(false) };
    let text = String::from_utf8_lossy(&read.bytes);
    let version = text.trim_end().strip_prefix(FORMAT_WORDS).and_then(|rest| rest.parse().ok());
    match version {
        Some(VERSION) => Ok(true),
        Some(version) if version > VERSION => {
            let reason = format!(
                "this folder has the format \"{FORMAT_WORDS}{version}\" of a newer version of \
                 Unburden, and this one reads up to {VERSION}; run the newer version, or use \
                 another folder"
            );
            Err(io::Error::new(io::ErrorKind::Unsupported, reason))
        }
        _ => {
            let reason = format!(
                "the file \".unburden/{FORMAT}\" holds {text:?}; accepted is \
                 \"{FORMAT_WORDS}{VERSION}\"; restore it from a backup, or use another folder"
            );
            Err(io::Error::new(io::ErrorKind::InvalidData, reason))
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
