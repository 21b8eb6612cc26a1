//! The known references of a chat in an object store. A file to which a chat refers exists until
//! its lease expires or this chat is deleted. While the chat's markers are of the same generation
//! and the lease is fresh, no request is necessary.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::references::{CACHED, key};
use crate::folder::Generation;
use crate::index::folder_index::Index;
use crate::lease::lifetimes::Lifetimes;
use crate::local::file_cache::{FileCache, SeenObject};
use crate::local::location::Location;
use crate::names::chat::Chat;
use crate::names::file_name::{FileName, has_own_ttl};

/// A lease of which at most one part in this many has passed outlives a request.
pub(crate) const HELD: u32 = 2;

/// The references of a chat to the files of a folder, since its generation was read.
#[derive(Debug)]
pub(crate) struct Confirmed {
    folder: Location,
    chat: Chat,
    lifetimes: Lifetimes,
    generation: Generation,
}

impl Confirmed {
    /// Reads the generation of the chat's markers; returns `None` if there is none.
    pub(crate) fn of(
        folder: &Location,
        index: &Index,
        (chat, lifetimes): (Chat, Lifetimes),
    ) -> Option<Confirmed> {
        let generation = index.chat_markers(chat).generation()?;
        Some(Confirmed { folder: folder.clone(), chat, lifetimes, generation })
    }

    /// Adds a file that existed and to which the chat referred in that generation.
    pub(crate) fn add(
        cache: &FileCache,
        folder: &Location,
        (chat, generation): (Chat, Generation),
        name: &FileName,
    ) {
        let at = folder.child(name.as_str()).key();
        cache.add_reference(key(Some(generation), chat, &at), Instant::now());
    }

    /// Returns the facts of a file that still exists for the chat and of whose lease at most one
    /// part in `parts` has passed. Returns `None` if the store must be asked.
    pub(crate) fn seen(
        &self,
        cache: &FileCache,
        name: &FileName,
        parts: u32,
    ) -> Option<SeenObject> {
        let at = self.folder.child(name.as_str()).key();
        let noted = cache.reference_seen(&key(Some(self.generation), self.chat, &at))?;
        let seen = cache.seen(&at)?;
        let is_fresh = match self.lifetimes.store {
            _ if has_own_ttl(name) => false,
            None => true,
            Some(ttl) => self.age(&seen).is_some_and(|age| age <= ttl / parts),
        };
        (is_fresh && noted.elapsed() < CACHED).then_some(seen)
    }

    fn age(&self, seen: &SeenObject) -> Option<Duration> {
        let now = self.folder.place()?.objects.server_now();
        Some(now.duration_since(seen.lease?).unwrap_or_default())
    }
}

/// The chat of a request, and its references in the store's folder.
#[derive(Debug, Default)]
pub(crate) struct KnownChat {
    chat: OnceLock<(Chat, Lifetimes)>,
    confirmed: Mutex<Option<Arc<Confirmed>>>,
}

impl KnownChat {
    /// Sets the chat, once.
    pub(crate) fn set(&self, chat: Chat, lifetimes: Lifetimes) {
        let _ = self.chat.set((chat, lifetimes));
    }

    /// Returns the references of the chat, looked up once; `None` if nothing is known.
    pub(crate) fn confirmed(&self, folder: &Location, index: &Index) -> Option<Arc<Confirmed>> {
        let chat = *self.chat.get()?;
        let mut known = self.confirmed.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Confirmed::of(folder, index, chat).map(Arc::new);
        }
        known.clone()
    }
}
