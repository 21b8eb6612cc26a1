//! Markers: empty files of the index that say one thing each, and say it again for free.
//! Nothing grows with the number of posts.
//!
//! - `chats/<chat>/<name>`: the chat made or mentions the file.
//! - `shared/<name>/<chat>`: a chat that is not the maker mentions it.
//! - `calls/<hash>/<name>`: a file of the call whose id, or of the large result whose
//!   identity, has that hash.
//! - `ended/<day>/<name>`: the words of this file are forgotten some time after that day.

use std::io;

use cap_std::fs::{Dir, MetadataExt};

use super::index::Index;
use super::origin::cut;
use super::{Chat, FileName, own_file};

const CHATS: &str = "chats";
const SHARED: &str = "shared";
const CALLS: &str = "calls";
const ENDED: &str = "ended";

/// How often a folder is made again that a deletion removes at the same moment.
const TRIES: usize = 64;

/// Most files of one call that are looked at.
const OF_CALL: usize = 1_000;

/// A folder of a chat's markers for as long as it is not replaced: a deletion of the
/// chat takes it away first. An inode is given out again, but not with the same birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation {
    pub(super) inode: u64,
    pub(super) born: u128,
}

impl Generation {
    /// The generation of an open folder of markers; None where the file system does not
    /// tell one from another.
    pub(super) fn of(folder: &Dir) -> Option<Generation> {
        let metadata = folder.dir_metadata().ok()?;
        let born = metadata.created().ok()?.into_std();
        let born = born.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
        Some(Generation { inode: metadata.ino(), born })
    }
}

impl Index {
    /// Notes that a chat made or mentions a file.
    pub(super) fn note_chat(&self, chat: Chat, name: &FileName) -> io::Result<()> {
        self.note(CHATS, &chat.to_string(), name.as_str())
    }

    pub(super) fn is_noted(&self, chat: Chat, name: &FileName) -> io::Result<bool> {
        self.has(CHATS, &chat.to_string(), name.as_str())
    }

    /// The folder of the markers of a chat that files are to be written for, which is made
    /// where there is none.
    pub(super) fn begin(&self, chat: Chat) -> io::Result<Dir> {
        for _ in 0..TRIES {
            let made = own_file::make_folder(&self.private, CHATS)
                .and_then(|folder| own_file::make_folder(&folder, &chat.to_string()));
            match made {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok(folder) => return Ok(folder),
            }
        }
        Err(removed_again())
    }

    /// Forgets that a chat mentions a file.
    pub(super) fn forget_chat(&self, chat: Chat, name: &FileName) -> io::Result<()> {
        self.forget(CHATS, &chat.to_string(), name.as_str())
    }

    /// The generation of a chat's folder of markers.
    pub(super) fn generation(&self, chat: Chat) -> Option<Generation> {
        Generation::of(&self.group(CHATS, &chat.to_string()).ok()??)
    }

    /// The folder of a chat's markers.
    pub(super) fn names_of(&self, chat: Chat) -> io::Result<Option<Dir>> {
        self.group(CHATS, &chat.to_string())
    }

    /// The folder of the markers that a deletion of the chat is to work through.
    pub(super) fn doomed_names_of(&self, chat: Chat) -> io::Result<Option<Dir>> {
        self.group(CHATS, &doomed(chat))
    }

    /// Takes a chat's markers away from it, for a deletion to work through; false where
    /// it has none.
    pub(super) fn doom(&self, chat: Chat) -> io::Result<bool> {
        let Some(chats) = own_file::open_folder(&self.private, CHATS)? else { return Ok(false) };
        match chats.rename(chat.to_string(), &chats, doomed(chat)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            // Another deletion of the chat has taken some; what is left is for later.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Removes the folder of a deletion that is done; false where something is left in it.
    pub(super) fn end_doom(&self, chat: Chat) -> io::Result<bool> {
        let Some(chats) = own_file::open_folder(&self.private, CHATS)? else { return Ok(true) };
        match chats.remove_dir(doomed(chat)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Notes that a chat mentions a file of another.
    pub(super) fn note_shared(&self, name: &FileName, chat: Chat) -> io::Result<()> {
        self.note(SHARED, name.as_str(), &chat.to_string())
    }

    pub(super) fn is_shared(&self, name: &FileName, chat: Chat) -> io::Result<bool> {
        self.has(SHARED, name.as_str(), &chat.to_string())
    }

    pub(super) fn forget_shared(&self, name: &FileName, chat: Chat) -> io::Result<()> {
        self.forget(SHARED, name.as_str(), &chat.to_string())
    }

    /// The first of the chats beside `own` that mention a file of another.
    pub(super) fn sharer_beside(&self, name: &FileName, own: Chat) -> io::Result<Option<Chat>> {
        let Some(folder) = self.group(SHARED, name.as_str())? else { return Ok(None) };
        for entry in folder.entries()? {
            let chat = entry?.file_name().to_str().and_then(Chat::parse);
            if let Some(chat) = chat.filter(|chat| *chat != own) {
                return Ok(Some(chat));
            }
        }
        Ok(None)
    }

    /// Notes a file of a call that the id alone does not lead to.
    pub(super) fn note_call(&self, id: &str, name: &FileName) -> io::Result<()> {
        self.note(CALLS, &of_id(id), name.as_str())
    }

    pub(super) fn forget_call(&self, id: &str, name: &FileName) -> io::Result<()> {
        self.forget(CALLS, &of_id(id), name.as_str())
    }

    /// Files that the id of a call leads to; the id itself must be compared.
    pub(super) fn names_of_call(&self, id: &str) -> Vec<FileName> {
        let Ok(Some(folder)) = self.group(CALLS, &of_id(id)) else { return Vec::new() };
        let entries = folder.entries().into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| FileName::of_minted(entry.file_name().to_str()?));
        names.take(OF_CALL).collect()
    }

    /// Notes that the words of a file can be forgotten some time after `day`.
    pub(super) fn note_end(&self, day: u64, name: &FileName) -> io::Result<()> {
        self.note(ENDED, &day.to_string(), name.as_str())
    }

    pub(super) fn forget_end(&self, day: u64, name: &FileName) -> io::Result<()> {
        self.forget(ENDED, &day.to_string(), name.as_str())
    }

    /// The days that files ended on.
    pub(super) fn days(&self) -> io::Result<Vec<u64>> {
        let Some(ended) = own_file::open_folder(&self.private, ENDED)? else { return Ok(vec![]) };
        let entries = ended.entries()?.flatten();
        let mut days: Vec<u64> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// The folder of the files that ended on a day.
    pub(super) fn ended_on(&self, day: u64) -> io::Result<Option<Dir>> {
        self.group(ENDED, &day.to_string())
    }

    fn group(&self, kind: &str, group: &str) -> io::Result<Option<Dir>> {
        match own_file::open_folder(&self.private, kind)? {
            Some(folder) => own_file::open_folder(&folder, group),
            None => Ok(None),
        }
    }

    fn note(&self, kind: &str, group: &str, marker: &str) -> io::Result<()> {
        for _ in 0..TRIES {
            let marked = own_file::make_folder(&self.private, kind)
                .and_then(|folder| own_file::make_folder(&folder, group))
                .and_then(|folder| own_file::mark(&folder, marker));
            match marked {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                marked => return marked,
            }
        }
        Err(removed_again())
    }

    fn has(&self, kind: &str, group: &str, marker: &str) -> io::Result<bool> {
        match self.group(kind, group)? {
            Some(folder) => own_file::is_there(&folder, marker),
            None => Ok(false),
        }
    }

    fn forget(&self, kind: &str, group: &str, marker: &str) -> io::Result<()> {
        let Some(kind) = own_file::open_folder(&self.private, kind)? else { return Ok(()) };
        let Some(folder) = own_file::open_folder(&kind, group)? else { return Ok(()) };
        own_file::unmark(&folder, marker)?;
        // Removed with its last marker; another may be there.
        let _ = kind.remove_dir(group);
        Ok(())
    }
}

fn removed_again() -> io::Error {
    io::Error::new(io::ErrorKind::WouldBlock, "a folder is removed again and again")
}

fn doomed(chat: Chat) -> String {
    format!("{chat}~")
}

/// The group of a call: by as much of its id as is recorded.
fn of_id(id: &str) -> String {
    blake3::hash(cut(id).as_bytes()).to_hex()[..16].to_owned()
}
