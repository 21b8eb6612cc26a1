//! Markers: empty files of the index, one for each fact. Recording a fact again changes nothing, so
//! the number of posts does not matter.

use std::io;

use super::chat_markers::ChatMarkers;
use crate::folder::Folder;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::{Origin, cut};

/// The folder with a folder for each chat.
pub(super) const CHATS: &str = "chats";
const SHARED: &str = "shared";
const CALLS: &str = "calls";
const ENDED: &str = "ended";
/// The folder with a marker for each unfinished write.
const UNFINISHED: &str = "unfinished";

/// Maximum number of tries to create a folder that a deletion removes at the same time.
const TRIES: usize = 64;

/// Maximum number of files of one call to list.
const MAX_OF_CALL: usize = 1_000;

/// A fact that a marker records.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Marker<'a> {
    /// The chat made the file, or refers to it: `chats/<chat>/<name>`.
    OfChat(Chat, &'a FileName),
    /// A chat other than the maker refers to the file: `shared/<name>/<chat>`.
    SharedWith(&'a FileName, Chat),
    /// The file is one of the call with this id, or of the large result with this identity:
    /// `calls/<hash>/<name>`.
    OfCall(&'a str, &'a FileName),
    /// The origin of the file can be removed some time after the day of its end:
    /// `ended/<day>/<name>`.
    EndedOn(u64, &'a FileName),
}

impl Marker<'_> {
    /// Returns the folder of the marker, the folder in it, and the file name.
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
    private: &'a Folder,
}

impl<'a> Markers<'a> {
    pub(super) fn new(private: &'a Folder) -> Markers<'a> {
        Markers { private }
    }

    /// Adds a marker; no-op if it exists.
    pub(crate) fn add(self, marker: Marker<'_>) -> io::Result<()> {
        let (kind, group, file) = marker.path();
        retry_removed(|| match marker {
            Marker::OfChat(chat, _) => ChatMarkers::new(self.private, chat).make()?.mark(&file),
            _ => self.private.make_folder(kind)?.make_folder(&group)?.mark(&file),
        })
    }

    /// Returns true if the marker exists.
    pub(crate) fn has(self, marker: Marker<'_>) -> io::Result<bool> {
        match self.open(marker)? {
            Some(folder) => folder.is_there(&marker.path().2),
            None => Ok(false),
        }
    }

    /// Removes a marker; no-op if it does not exist.
    pub(crate) fn remove(self, marker: Marker<'_>) -> io::Result<()> {
        let (kind, group, file) = marker.path();
        let Some(folder) = self.open(marker)? else { return Ok(()) };
        folder.unmark(&file)?;
        // Succeeds only if this was its last marker. A failure leaves an empty folder.
        if let Some(kind) = self.private.open_folder(kind)? {
            let _ = kind.remove_folder(&group);
        }
        Ok(())
    }

    /// Marks a file whose name is about to be recorded for the first time: its write is unfinished
    /// until the file exists. In an object store, this would cost two requests per file.
    pub(crate) fn begin(self, name: &FileName) -> io::Result<()> {
        match self.private.local() {
            Some(_) => self.private.make_folder(UNFINISHED)?.mark(name.as_str()),
            None => Ok(()),
        }
    }

    /// Removes the mark of a file that now exists; no-op if it has none.
    pub(crate) fn finish(self, name: &FileName) -> io::Result<()> {
        self.unfinished()?.map_or(Ok(()), |folder| folder.unmark(name.as_str()))
    }

    /// Opens the folder of the files whose write is unfinished, also because of a crash.
    pub(crate) fn unfinished(self) -> io::Result<Option<Folder>> {
        match self.private.local() {
            Some(_) => self.private.open_folder(UNFINISHED),
            None => Ok(None),
        }
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
        let Some(folder) = self.open_group(SHARED, name.as_str())? else { return Ok(None) };
        for entry in folder.names()? {
            if let Some(chat) = Chat::parse(&entry?).filter(|chat| *chat != own) {
                return Ok(Some(chat));
            }
        }
        Ok(None)
    }

    /// Returns the files of calls whose key has the same hash as this one. The caller must compare
    /// the keys themselves.
    pub(crate) fn names_of_call(self, key: &str) -> io::Result<Vec<FileName>> {
        let Some(folder) = self.open_group(CALLS, &call_folder(key))? else { return Ok(vec![]) };
        let names = folder.names()?.take(MAX_OF_CALL);
        names.filter_map(|name| name.map(|name| FileName::parse(&name)).transpose()).collect()
    }

    /// Returns the days on which files ended, in order.
    pub(crate) fn end_days(self) -> io::Result<Vec<u64>> {
        let Some(ended) = self.private.open_folder(ENDED)? else { return Ok(vec![]) };
        let mut days: Vec<u64> =
            ended.folders()?.flatten().filter_map(|name| name.parse().ok()).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// Opens the folder of the files that ended on a day.
    pub(crate) fn open_day(self, day: u64) -> io::Result<Option<Folder>> {
        self.open_group(ENDED, &day.to_string())
    }

    fn open(self, marker: Marker<'_>) -> io::Result<Option<Folder>> {
        match marker {
            Marker::OfChat(chat, _) => ChatMarkers::new(self.private, chat).open(),
            _ => self.open_group(marker.path().0, &marker.path().1),
        }
    }

    fn open_group(self, kind: &str, group: &str) -> io::Result<Option<Folder>> {
        match self.private.open_folder(kind)? {
            Some(folder) => folder.open_folder(group),
            None => Ok(None),
        }
    }
}

/// Repeats `make` while another process removes a folder on the way.
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

/// Returns the folder of a call: the hash of the recorded part of its id.
fn call_folder(id: &str) -> String {
    blake3::hash(cut(id).as_bytes()).to_hex()[..16].to_owned()
}
