//! The folder of a chat's markers. A deletion of the chat detaches it: posts that go on get
//! a new one.

use std::io;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, MetadataExt};

use super::markers::{CHATS, retry_removed};
use crate::local::open::found;
use crate::local::own_file;
use crate::names::chat::Chat;

/// The identity of one folder of a chat's markers: it changes when the folder is detached
/// and made anew. An inode is used again, but not with the same time of birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    pub(crate) inode: u64,
    pub(crate) born: u128,
}

impl Generation {
    /// Returns the generation of an open folder; None if the file system keeps no time of
    /// birth.
    pub(crate) fn of(folder: &Dir) -> Option<Generation> {
        let metadata = folder.dir_metadata().ok()?;
        let born = metadata.created().ok()?.into_std();
        let born = born.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Generation { inode: metadata.ino(), born })
    }
}

/// The folder of the markers of one chat.
#[derive(Clone, Copy)]
pub(crate) struct ChatMarkers<'a> {
    private: &'a Dir,
    chat: Chat,
}

impl<'a> ChatMarkers<'a> {
    pub(super) fn new(private: &'a Dir, chat: Chat) -> ChatMarkers<'a> {
        ChatMarkers { private, chat }
    }

    /// Opens the folder, which is made if there is none.
    pub(crate) fn make(self) -> io::Result<Dir> {
        retry_removed(|| {
            let chats = own_file::make_folder(self.private, CHATS)?;
            own_file::make_folder(&chats, &self.chat.to_string())
        })
    }

    /// Opens the folder; None if there is none.
    pub(crate) fn open(self) -> io::Result<Option<Dir>> {
        self.open_as(&self.chat.to_string())
    }

    /// Returns the generation of the folder; None if there is none, or the file system
    /// keeps no time of birth.
    pub(crate) fn generation(self) -> Option<Generation> {
        Generation::of(&self.open().ok()??)
    }

    /// Detaches the folder for a deletion to work through; false if there is none.
    pub(crate) fn detach(self) -> io::Result<bool> {
        let Some(chats) = self.chats()? else { return Ok(false) };
        match found(chats.rename(self.chat.to_string(), &chats, self.detached())) {
            // Another deletion has detached some; what is left is for later.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(true),
            renamed => Ok(renamed?.is_some()),
        }
    }

    /// Opens the detached folder; None if there is none.
    pub(crate) fn open_detached(self) -> io::Result<Option<Dir>> {
        self.open_as(&self.detached())
    }

    /// Removes the detached folder; false if a marker is left in it.
    pub(crate) fn remove_detached(self) -> io::Result<bool> {
        let Some(chats) = self.chats()? else { return Ok(true) };
        match found(chats.remove_dir(self.detached())) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            removed => removed.map(|_| true),
        }
    }

    fn chats(self) -> io::Result<Option<Dir>> {
        own_file::open_folder(self.private, CHATS)
    }

    fn open_as(self, name: &str) -> io::Result<Option<Dir>> {
        match self.chats()? {
            Some(chats) => own_file::open_folder(&chats, name),
            None => Ok(None),
        }
    }

    fn detached(self) -> String {
        format!("{}~", self.chat)
    }
}
