//! Reserving a name before its file is written: the chat's marker, then the record. A
//! record that is there stays. Where its file came to its end and is made again, it says
//! so until the new file is there: a crash in between changes nothing for readers.

use std::io;

use super::claim::{Claim, Opened};
use super::index::{Index, Told};
use super::record::Record;
use super::{Chat, FileName, Origin, Store, own_file};

/// How often a record is looked at that others make and end at the same moment.
const TRIES: usize = 16;

/// The state of a name before its file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Its record says that the file lives.
    Living,
    /// Its record says that the file came to its end: [`revive`] follows once it is there.
    Ended,
}

impl Store {
    /// Notes what makes a file, before it is written; None where the name stands for
    /// another content.
    pub(super) fn reserve(
        &self,
        opened: &Opened,
        claim: &Claim,
        bytes: u64,
        origin: &Origin,
    ) -> io::Result<Option<Before>> {
        let Some(index) = &opened.index else { return Ok(Some(Before::Living)) };
        let name = &claim.name;
        let record = Record::new(claim.hash, bytes, origin.clone());
        for _ in 0..TRIES {
            let told = index.told(name)?;
            if !is_for(&told, claim) {
                return Ok(None);
            }
            if let Some(chat) = origin.chat {
                note_chat(opened, index, name, chat)?;
            }
            note_call(index, name, origin)?;
            match told {
                Told::Nothing => {
                    if index.create(name, &record)? {
                        return Ok(Some(Before::Living));
                    }
                }
                Told::Record(known) if known.ended.is_some() => return Ok(Some(Before::Ended)),
                Told::Record(known) => {
                    let Some(chat) = origin.chat else { return Ok(Some(Before::Living)) };
                    if known.origin.chat == Some(chat) || share(index, name, chat)? {
                        return Ok(Some(Before::Living));
                    }
                }
                Told::Unreadable => return Ok(None),
            }
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, "the record changes again and again"))
    }
}

/// True where the name is free, or stands for the claimed content.
fn is_for(told: &Told, claim: &Claim) -> bool {
    match told {
        Told::Nothing => true,
        Told::Record(known) => known.hash == Some(claim.hash),
        Told::Unreadable => false,
    }
}

/// Notes that a chat made a file, in the folder that is open for it; in a new one where a
/// deletion took that away.
fn note_chat(opened: &Opened, index: &Index, name: &FileName, chat: Chat) -> io::Result<()> {
    if let Some((_, markers)) = opened.markers.as_ref().filter(|(of, _)| *of == chat) {
        match own_file::mark(markers, name.as_str()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            marked => return marked,
        }
    }
    index.note_chat(chat, name)
}

/// Notes the ways that lead to a file from its call.
pub(super) fn note_call(index: &Index, name: &FileName, origin: &Origin) -> io::Result<()> {
    origin.keys(name).try_for_each(|key| index.note_call(&key, name))
}

/// Notes a chat that shares another's file, then looks whether the file has not come to
/// its end: its maker's deletion sees the one or the chat sees the other.
fn share(index: &Index, name: &FileName, chat: Chat) -> io::Result<bool> {
    index.note_shared(name, chat)?;
    index.note_chat(chat, name)?;
    Ok(index.record(name).is_some_and(|record| record.ended.is_none()))
}

/// Makes a record that ended one that lives, where the index is locked.
pub(super) fn revive(index: &Index, name: &FileName, record: &Record) -> io::Result<()> {
    let Some(known) = index.record(name).filter(|known| known.ended.is_some()) else {
        return Ok(());
    };
    // The history of the chat that it was made for before may still refer to it.
    if let Some(before) = known.origin.chat.filter(|before| record.origin.chat != Some(*before)) {
        index.note_shared(name, before)?;
    }
    index.replace(name, record)
}
