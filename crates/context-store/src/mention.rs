//! Mentions: which chats refer to a file, beside the one that it was made for. A marker
//! says so; that it is there is remembered, so that a history that is posted again costs
//! a look at its chat's folder.

use std::io;
use std::time::{Duration, Instant};

use fair_share::on;
use rayon::prelude::*;

use super::claim::Opened;
use super::index::{Index, Told};
use super::markers::Generation;
use super::record::Record;
use super::reserve::revive;
use super::{Chat, FileName, LOOKS, Lease, Location, Origin, Store, own_file};

/// How long a mention is remembered; less by far than what was deleted is.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// Whether a folder without an index gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// It is a store: the files were claimed in it.
    Store,
    /// It is known from a text only.
    Named,
}

/// A key for what a process remembers of a chat and a file, which is another one once
/// the chat is deleted: one that goes on is noted anew.
pub fn memory_key(chat: Chat, at: &Location) -> blake3::Hash {
    let folder = at.parent().and_then(|(at, _)| at.dir().open_dir(at.relative()).ok());
    let index = folder.and_then(|folder| Index::open(&folder).ok()?);
    key(index.and_then(|index| index.generation(chat)), chat, &at.key())
}

fn key(generation: Option<Generation>, chat: Chat, path: &std::path::Path) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    if let Some(Generation { inode, born }) = generation {
        hasher.update(&inode.to_le_bytes()).update(&born.to_le_bytes());
    }
    hasher.update(chat.as_bytes());
    hasher.update(path.as_os_str().as_encoded_bytes());
    hasher.finalize()
}

impl Store {
    /// Notes that a chat mentions files of this folder; returns for each, in order,
    /// whether it is there for the chat from now on. A deletion of another chat either
    /// finds the marker, or this finds that the file came to its end.
    ///
    /// A marker that cannot be written is logged, and tried again by the next request
    /// of the chat.
    pub fn mention(&self, chat: Chat, names: &[FileName], kind: Folder) -> Vec<Lease> {
        let held = || vec![Lease::Held; names.len()];
        if names.is_empty() {
            return held();
        }
        let opened = match self.opened_for(kind) {
            Ok(Some(opened)) => opened,
            Ok(None) => return held(),
            Err(error) => {
                tracing::warn!(%error, files = names.len(), "mentions could not be noted");
                return held();
            }
        };
        let Some(index) = &opened.index else { return held() };
        let begun = || Generation::of(&index.begin(chat).ok()?);
        let generation = index.generation(chat).or_else(begun);
        let is_known = |name: &FileName| {
            generation.is_some() && {
                let then = self.ledger.mentioned(&key(generation, chat, &self.key(name)));
                then.is_some_and(|then| then.elapsed() < REMEMBERED)
            }
        };
        let note = |name: &FileName| {
            if is_known(name) {
                return Ok((Lease::Held, false));
            }
            self.mention_one(&opened, index, chat, name).map(|lease| (lease, true))
        };
        let noted: Vec<io::Result<(Lease, bool)>> =
            on(|| names.par_iter().with_min_len(LOOKS).map(note).collect());
        // What was noted before a deletion of the chat is not remembered for what came after.
        let generation = generation.filter(|before| index.generation(chat) == Some(*before));
        let mut failed = None;
        let leases = names.iter().zip(noted).map(|(name, noted)| match noted {
            Ok((lease, is_new)) => {
                if lease == Lease::Held && is_new && generation.is_some() {
                    let key = key(generation, chat, &self.key(name));
                    self.ledger.note_mentioned(key, Instant::now());
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
            tracing::warn!(%error, "mentions could not be noted");
        }
        leases
    }

    fn opened_for(&self, kind: Folder) -> io::Result<Option<Opened>> {
        let folder = match self.folder().dir().open_dir(self.folder().relative()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let index = match kind {
            Folder::Store => Some(Index::make(&folder)?),
            Folder::Named => Index::open(&folder)?,
        };
        Ok(Some(Opened { folder, index, markers: None }))
    }

    fn mention_one(
        &self,
        opened: &Opened,
        index: &Index,
        chat: Chat,
        name: &FileName,
    ) -> io::Result<Lease> {
        // The marker before the look at the record: a deletion looks the other way round.
        let was_noted = index.is_noted(chat, name)?;
        let mut told = index.told(name)?;
        let is_maker = |told: &Told| match told {
            Told::Record(record) => record.origin.chat == Some(chat),
            Told::Nothing | Told::Unreadable => false,
        };
        if !was_noted || !(is_maker(&told) || index.is_shared(name, chat)?) {
            // The chat's own marker first: by that a deletion of the chat finds the other.
            index.note_chat(chat, name)?;
            if !is_maker(&told) {
                index.note_shared(name, chat)?;
                // Such a deletion may have come between the two.
                index.note_chat(chat, name)?;
            }
            told = index.told(name)?;
        }
        let Told::Record(record) = told else { return Ok(Lease::Held) };
        match record.ended {
            None => Ok(Lease::Held),
            Some(_) => mention_ended(opened, index, chat, name, &record),
        }
    }
}

/// A file that came to its end is gone; where it is still there once whoever ended
/// it is done, a crash left it, and it lives on.
fn mention_ended(
    opened: &Opened,
    index: &Index,
    chat: Chat,
    name: &FileName,
    record: &Record,
) -> io::Result<Lease> {
    let is_there = || own_file::is_there(&opened.folder, name.as_str());
    if !is_there()? {
        return Ok(Lease::Gone);
    }
    let _locked = index.lock()?;
    if !is_there()? {
        return Ok(Lease::Gone);
    }
    // The call is its maker's, whose deletion forgets it.
    let maker = record.origin.chat.unwrap_or(chat);
    let origin = Origin { chat: Some(maker), ..record.origin.clone() };
    revive(index, name, &Record { origin, ended: None, ..record.clone() })?;
    Ok(Lease::Held)
}

#[cfg(test)]
#[path = "mention_tests.rs"]
mod tests;
