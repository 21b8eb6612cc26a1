//! Opening, making and locking the index of a folder.

use std::io;

use cap_std::fs::{Dir, File};

use super::chat_markers::ChatMarkers;
use super::manifest;
use super::markers::Markers;
use super::records::Records;
use crate::clock::folder_clock;
use crate::local::own_file::{self, Synced};
use crate::local::private;
use crate::names::chat::Chat;

/// The folder of records.
const NAMES: &str = "names";

/// The file that states the private folder's format, and the format of this version.
const FORMAT: &str = "format";
const FORMAT_WORDS: &str = "unburden store ";
const VERSION: u32 = 2;

/// The file that is locked while files end.
const LOCK: &str = "lock";

/// Tries for the lock, a millisecond apart: a batch of deletions holds it for much less.
const LOCK_TRIES: u32 = 5_000;

/// The index of one folder.
pub(crate) struct Index {
    /// The private folder.
    pub(crate) private: Dir,
    pub(crate) records: Records,
}

impl Index {
    /// Opens the index of a folder; None if it has none.
    pub(crate) fn open(folder: &Dir) -> io::Result<Option<Index>> {
        let Some(private) = private::open(folder)? else { return Ok(None) };
        check_format(&private)?;
        let names = own_file::open_folder(&private, NAMES)?;
        Ok(names.map(|folder| Index { private, records: Records { folder } }))
    }

    /// Opens the index of a folder, which is made if there is none.
    pub(crate) fn make(folder: &Dir) -> io::Result<Index> {
        let private = private::make(folder)?;
        if !check_format(&private)? {
            // Files of an older version are older than this moment: a sweep, which sees
            // them, begins the clock then.
            if manifest::open(folder)?.is_none() {
                folder_clock::begin(&private)?;
            }
            let words = format!("{FORMAT_WORDS}{VERSION}\n");
            // A power cut that left an empty format would make the folder unusable.
            own_file::create(&private, FORMAT, words.as_bytes(), Synced::Yes)?;
        }
        let folder = own_file::make_folder(&private, NAMES)?;
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

    /// Waits until no other process ends files of this folder; keeps others from it while
    /// the handle lives.
    pub(crate) fn lock(&self) -> io::Result<File> {
        own_file::lock(&self.private, LOCK, LOCK_TRIES)
    }
}

/// Returns true if the private folder has this version's format; false if it is being made.
///
/// # Errors
///
/// Fails for a newer format: this version does not know what it may not do there.
fn check_format(private: &Dir) -> io::Result<bool> {
    let Some(bytes) = own_file::read(private, FORMAT, 64)? else { return Ok(false) };
    let text = String::from_utf8_lossy(&bytes);
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
