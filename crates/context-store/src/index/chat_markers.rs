//! The folder of a chat's markers. A deletion of the chat sets it aside: posts in progress get a
//! new one.

use std::io;

use super::markers::{CHATS, retry_removed};
use crate::folder::{Folder, Generation};
use crate::names::chat::Chat;

/// The folder of the markers of one chat.
#[derive(Clone, Copy)]
pub(crate) struct ChatMarkers<'a> {
    private: &'a Folder,
    chat: Chat,
}

impl<'a> ChatMarkers<'a> {
    pub(super) fn new(private: &'a Folder, chat: Chat) -> ChatMarkers<'a> {
        ChatMarkers { private, chat }
    }

    /// Opens the folder, and creates it if there is none.
    pub(crate) fn make(self) -> io::Result<Folder> {
        retry_removed(|| self.private.make_folder(CHATS)?.make_series(&self.chat.to_string()))
    }

    /// Opens the folder; `None` if there is none.
    pub(crate) fn open(self) -> io::Result<Option<Folder>> {
        match self.chats()? {
            Some(chats) => chats.open_series(&self.chat.to_string()),
            None => Ok(None),
        }
    }

    /// Returns the generation of the folder; `None` if there is none, or if it is unknown.
    pub(crate) fn generation(self) -> Option<Generation> {
        self.open().ok()??.generation()
    }

    /// Sets the folder aside, so that a deletion can process it. Returns false if there is none.
    pub(crate) fn set_aside(self) -> io::Result<bool> {
        match self.chats()? {
            Some(chats) => chats.set_aside(&self.chat.to_string()),
            None => Ok(false),
        }
    }

    /// Opens the folder that was set aside; `None` if there is none.
    pub(crate) fn open_aside(self) -> io::Result<Option<Folder>> {
        match self.chats()? {
            Some(chats) => chats.open_aside(&self.chat.to_string()),
            None => Ok(None),
        }
    }

    /// Removes the folder that was set aside. Returns false if it still has a marker.
    pub(crate) fn remove_aside(self) -> io::Result<bool> {
        match self.chats()? {
            Some(chats) => chats.remove_aside(&self.chat.to_string()),
            None => Ok(true),
        }
    }

    fn chats(self) -> io::Result<Option<Folder>> {
        self.private.open_folder(CHATS)
    }
}
