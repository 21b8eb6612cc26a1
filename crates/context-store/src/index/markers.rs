//! Markers: empty files of the index, each for one fact. Noting a fact again changes
//! nothing, so nothing grows with the number of posts.

use std::io;

use cap_std::fs::Dir;

use crate::local::own_file;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::{Origin, cut};

/// The folder with a folder for each chat.
pub(super) const CHATS: &str = "chats";
const SHARED: &str = "shared";
const CALLS: &str = "calls";
const ENDED: &str = "ended";

/// How often a folder is made again that a deletion removes at the same moment.
const TRIES: usize = 64;

/// Most files of one call that are listed.
const MAX_OF_CALL: usize = 1_000;

/// A fact that a marker stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Marker<'a> {
    /// The chat made the file, or refers to it: `chats/<chat>/<name>`.
    OfChat(Chat, &'a FileName),
    /// A chat other than the maker refers to the file: `shared/<name>/<chat>`.
    SharedWith(&'a FileName, Chat),
    /// The file is one of the call with this id, or of the large result with this identity:
    /// `calls/<hash>/<name>`.
    OfCall(&'a str, &'a FileName),
    /// The origin of the file can be forgotten some time after the day of its end:
    /// `ended/<day>/<name>`.
    EndedOn(u64, &'a FileName),
}

impl Marker<'_> {
    /// Returns the folder, the folder in it, and the file of the marker.
    fn path(self) -> (&'static str, String, String) {
        match self {
            Marker::OfChat(chat, name) => (CHATS, chat.to_string(), name.to_string()),
            Marker::SharedWith(name, chat) => (SHARED, name.to_string(), chat.to_string()),
            Marker::OfCall(id, name) => (CALLS, call_folder(id), name.to_string()),
            Marker::EndedOn(day, name) => (ENDED, day.to_string(), name.to_string()),
        }
    }
}

/// The markers of a folder.
#[derive(Clone, Copy)]
pub(crate) struct Markers<'a> {
    private: &'a Dir,
}

impl<'a> Markers<'a> {
    pub(super) fn new(private: &'a Dir) -> Markers<'a> {
        Markers { private }
    }

    /// Adds a marker; no-op if it is there.
    pub(crate) fn add(self, marker: Marker<'_>) -> io::Result<()> {
        let (kind, group, file) = marker.path();
        retry_removed(|| {
            let folder = own_file::make_folder(self.private, kind)?;
            own_file::mark(&own_file::make_folder(&folder, &group)?, &file)
        })
    }

    /// Returns true if the marker is there.
    pub(crate) fn has(self, marker: Marker<'_>) -> io::Result<bool> {
        let (kind, group, file) = marker.path();
        match self.open(kind, &group)? {
            Some(folder) => own_file::is_there(&folder, &file),
            None => Ok(false),
        }
    }

    /// Removes a marker; no-op if it is not there.
    pub(crate) fn remove(self, marker: Marker<'_>) -> io::Result<()> {
        let (kind, group, file) = marker.path();
        let Some(kind) = own_file::open_folder(self.private, kind)? else { return Ok(()) };
        let Some(folder) = own_file::open_folder(&kind, &group)? else { return Ok(()) };
        own_file::unmark(&folder, &file)?;
        // Fails unless this was its last marker.
        let _ = kind.remove_dir(group);
        Ok(())
    }

    /// Adds the markers that lead from the call of a file to it.
    pub(crate) fn add_call(self, name: &FileName, origin: &Origin) -> io::Result<()> {
        origin.keys(name).try_for_each(|key| self.add(Marker::OfCall(&key, name)))
    }

    /// Removes the markers that lead from the call of a file to it.
    pub(crate) fn remove_call(self, name: &FileName, origin: &Origin) -> io::Result<()> {
        origin.keys(name).try_for_each(|key| self.remove(Marker::OfCall(&key, name)))
    }

    /// Returns a chat other than `own` that shares the file.
    pub(crate) fn sharer_except(self, name: &FileName, own: Chat) -> io::Result<Option<Chat>> {
        let Some(folder) = self.open(SHARED, name.as_str())? else { return Ok(None) };
        for entry in folder.entries()? {
            let chat = entry?.file_name().to_str().and_then(Chat::parse);
            if let Some(chat) = chat.filter(|chat| *chat != own) {
                return Ok(Some(chat));
            }
        }
        Ok(None)
    }

    /// Returns the files of calls whose key has the hash of this one. The caller compares
    /// the keys themselves.
    pub(crate) fn names_of_call(self, key: &str) -> Vec<FileName> {
        let Ok(Some(folder)) = self.open(CALLS, &call_folder(key)) else { return Vec::new() };
        let entries = folder.entries().into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| FileName::parse(entry.file_name().to_str()?));
        names.take(MAX_OF_CALL).collect()
    }

    /// Returns the days on which files ended, in order.
    pub(crate) fn end_days(self) -> io::Result<Vec<u64>> {
        let Some(ended) = own_file::open_folder(self.private, ENDED)? else { return Ok(vec![]) };
        let entries = ended.entries()?.flatten();
        let mut days: Vec<u64> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// Opens the folder of the files that ended on a day.
    pub(crate) fn open_day(self, day: u64) -> io::Result<Option<Dir>> {
        self.open(ENDED, &day.to_string())
    }

    fn open(self, kind: &str, group: &str) -> io::Result<Option<Dir>> {
        match own_file::open_folder(self.private, kind)? {
            Some(folder) => own_file::open_folder(&folder, group),
            None => Ok(None),
        }
    }
}

/// Tries again while a folder on the way is removed at the same moment.
pub(super) fn retry_removed<T>(make: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..TRIES {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            made => return made,
        }
    }
    let reason = "a folder of the index is removed again and again; try again";
    Err(io::Error::new(io::ErrorKind::WouldBlock, reason))
}

/// Returns the folder of a call: the hash of as much of its id as is recorded.
fn call_folder(id: &str) -> String {
    blake3::hash(cut(id).as_bytes()).to_hex()[..16].to_owned()
}
