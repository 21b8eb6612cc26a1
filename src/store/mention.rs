//! Mentions: which chats refer to a file, beside the one that it was made for. A
//! line says so once; that it is there is remembered for as long as the manifest is
//! not rewritten, so that a history that is posted again costs a look at it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, Metadata, MetadataExt};
use rustix::fs::OFlags;

use super::chat::Chat;
use super::entry::push_mention;
use super::manifest::{self, MANIFEST, Manifest};
use super::{FileName, Location, Store};

/// How long a mention is remembered; less by far than what was deleted is.
const REMEMBERED: Duration = Duration::from_secs(3_600);

/// A manifest for as long as it is not replaced. An inode is given out again, but
/// not with the same birth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Generation {
    device: u64,
    inode: u64,
    born: Option<Duration>,
}

impl Generation {
    pub(super) fn of(metadata: &Metadata) -> Generation {
        let born = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
        let born = born.and_then(|born| born.duration_since(std::time::UNIX_EPOCH).ok());
        Generation { device: metadata.dev(), inode: metadata.ino(), born }
    }

    fn of_folder(folder: &Dir) -> Option<Generation> {
        folder.symlink_metadata(MANIFEST).ok().map(|metadata| Generation::of(&metadata))
    }
}

/// Whether a folder without a manifest gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// It is a store: the files were claimed in it.
    Store,
    /// It is known from a text only.
    Named,
}

/// A key for what a process remembers of a chat and a file, which is another one
/// once the manifest of the file's folder is rewritten: a chat that was deleted and
/// goes on is noted anew.
pub fn memory_key(chat: Chat, at: &Location) -> blake3::Hash {
    let folder = at.parent().and_then(|(at, _)| at.dir().open_dir(at.relative()).ok());
    key(folder.as_ref().and_then(Generation::of_folder), chat, &at.key())
}

fn key(generation: Option<Generation>, chat: Chat, path: &std::path::Path) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    if let Some(Generation { device, inode, born }) = generation {
        hasher.update(&device.to_le_bytes()).update(&inode.to_le_bytes());
        hasher.update(&born.unwrap_or_default().as_nanos().to_le_bytes());
    }
    hasher.update(chat.as_bytes());
    hasher.update(path.as_os_str().as_encoded_bytes());
    hasher.finalize()
}

impl Store {
    /// Notes that a chat mentions files of this folder, which are there. To be done
    /// before it is looked whether they still are: then a deletion of another chat
    /// either knows of the mention, or was before the look.
    ///
    /// A manifest that cannot be written is logged, and tried again by the next
    /// request of the chat.
    pub fn mention(&self, chat: Chat, names: &[FileName], kind: Folder) {
        if names.is_empty() {
            return;
        }
        let Ok(folder) = self.folder().dir().open_dir(self.folder().relative()) else { return };
        let generation = Generation::of_folder(&folder);
        let fresh = |name: &&FileName| {
            let then = self.ledger.mentioned(&key(generation, chat, &self.key(name)));
            then.is_none_or(|then| then.elapsed() >= REMEMBERED)
        };
        let names: BTreeSet<&FileName> = names.iter().filter(fresh).collect();
        if names.is_empty() || (generation.is_none() && kind == Folder::Named) {
            return;
        }
        if let Err(error) = self.append_mentions(&folder, chat, &names) {
            tracing::warn!(%error, files = names.len(), "mentions could not be noted");
        }
    }

    fn append_mentions(
        &self,
        folder: &Dir,
        chat: Chat,
        names: &BTreeSet<&FileName>,
    ) -> std::io::Result<()> {
        let file = manifest::open(folder, OFlags::RDONLY)?;
        let read = file.as_ref().map(cap_std::fs::File::metadata).transpose()?;
        let read = read.map(|metadata| Generation::of(&metadata));
        let known = file.map(Manifest::of).transpose()?.unwrap_or_default();
        let said = |name: &FileName| known.files.get(name).is_some_and(|l| l.belongs_to(chat));
        let (told, new): (Vec<&FileName>, Vec<&FileName>) =
            names.iter().copied().partition(|name| said(name));
        told.iter().for_each(|name| self.note_mentioned(read, chat, name));
        if new.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::new();
        new.iter().for_each(|name| push_mention(&mut lines, name, chat));
        // The manifest that these go to may be a later one than that which was read.
        let generation = manifest::append(folder, &lines)?;
        new.iter().for_each(|name| self.note_mentioned(Some(generation), chat, name));
        Ok(())
    }

    /// Notes that the manifest has a line on a chat and a file.
    pub(super) fn note_mentioned(
        &self,
        generation: Option<Generation>,
        chat: Chat,
        name: &FileName,
    ) {
        self.ledger.note_mentioned(key(generation, chat, &self.key(name)), Instant::now());
    }
}

#[cfg(test)]
#[path = "mention_tests.rs"]
mod tests;
