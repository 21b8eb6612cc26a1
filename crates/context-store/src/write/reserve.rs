//! Reserves a name before its file is written: first the chat's marker, then the record. If the
//! file ended and is made again, its record still states the end until the new file exists: a crash
//! in between changes nothing for readers.

use std::io;

use super::claim::Claim;
use super::opened::Opened;
use crate::folder::{changed, is_changed};
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::index::records::RecordState;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::Record;
use crate::records::timestamp::unix_day;

/// How often a record is read while other processes create and end it.
const TRIES: usize = 16;

/// A name that is reserved for a content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reservation {
    /// The state of the record.
    pub(super) state: ReservedState,
    /// The name of the stored content, in its life.
    pub(super) file: String,
    pub(super) life: u32,
    /// The length of the content in bytes.
    pub(super) bytes: u64,
}

/// The state of a reserved name's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReservedState {
    /// The file lives.
    Alive,
    /// The file ended: [`revive`] follows once the file exists.
    Ended,
}

impl Reservation {
    fn of(state: ReservedState, record: &Record, name: &FileName) -> Reservation {
        let (file, life, bytes) = (record.file(name), record.life, record.bytes);
        Reservation { state, file, life, bytes }
    }
}

/// Records the origin of a file before it is written; returns `None` if the name belongs to other
/// content.
pub(super) fn reserve(
    opened: &Opened<'_>,
    claim: &Claim,
    bytes: u64,
    origin: &Origin,
) -> io::Result<Option<Reservation>> {
    let name = &claim.name;
    let day = opened.store.location.place().map(|place| unix_day(place.objects.server_now()));
    let record = Record { day, ..Record::new(claim.hash, bytes, origin.clone()) };
    let alive = |record: &Record| Ok(Some(Reservation::of(ReservedState::Alive, record, name)));
    let Some(index) = &opened.index else { return alive(&record) };
    for look in 0..TRIES {
        let state = index.records.read(name)?;
        if !is_for(&state, claim) {
            return Ok(None);
        }
        if let Some(chat) = origin.chat {
            mark_chat(opened, index, name, chat)?;
        }
        index.markers().add_call(name, origin)?;
        match state {
            RecordState::Absent => {
                index.markers().begin(name)?;
                if index.records.create(name, &record)? {
                    return alive(&record);
                }
            }
            RecordState::Present(known) if known.ended.is_some() => {
                return Ok(Some(Reservation::of(ReservedState::Ended, &known, name)));
            }
            RecordState::Present(known) => {
                // If the record is the lease, no sweep ends it before the file exists. A record
                // that changed since the first read got a new lease by that change.
                if look == 0 && !begin_lease(index, name, &known)? {
                    continue;
                }
                let Some(chat) = origin.chat else { return alive(&known) };
                if known.origin.chat == Some(chat) || share(index, name, chat)? {
                    return alive(&known);
                }
            }
            RecordState::Unreadable => return Ok(None),
        }
    }
    let reason = "the record of the name changes again and again; try again";
    Err(io::Error::new(io::ErrorKind::WouldBlock, reason))
}

/// Returns true if the name is free, or belongs to the claimed content.
fn is_for(state: &RecordState, claim: &Claim) -> bool {
    match state {
        RecordState::Absent => true,
        RecordState::Present(known) => known.hash == Some(claim.hash),
        RecordState::Unreadable => false,
    }
}

/// Records that a chat made a file, in the open folder of the chat's markers; in a new one if a
/// deletion detached it.
fn mark_chat(opened: &Opened<'_>, index: &Index, name: &FileName, chat: Chat) -> io::Result<()> {
    if let Some((_, markers)) = opened.markers.as_ref().filter(|(of, _)| *of == chat) {
        match markers.mark(name.as_str()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            marked => return marked,
        }
    }
    index.markers().add(Marker::OfChat(chat, name))
}

/// Records a chat that shares another chat's file. Returns false if the file has ended since. The
/// markers come first, so that either the maker's deletion finds them, or this call finds the end.
fn share(index: &Index, name: &FileName, chat: Chat) -> io::Result<bool> {
    index.markers().add(Marker::SharedWith(name, chat))?;
    index.markers().add(Marker::OfChat(chat, name))?;
    Ok(index.records.get(name)?.is_some_and(|record| record.ended.is_none()))
}

/// Restarts the lease of a record, if the record is the lease. Returns false if the record changed
/// since it was read.
fn begin_lease(index: &Index, name: &FileName, known: &Record) -> io::Result<bool> {
    if index.private.local().is_some() {
        return Ok(true);
    }
    match index.records.replace(name, known) {
        Err(error) if is_changed(&error) => Ok(false),
        replaced => replaced.map(|()| true),
    }
}

/// Replaces a record that states that the file ended. The index must be locked. `record` is of the
/// life in which the file exists.
///
/// # Errors
///
/// Fails with the error of [`changed`] if that life is over, or if another process revived it.
pub(super) fn revive(index: &Index, name: &FileName, record: &Record) -> io::Result<()> {
    let known = index.records.get(name)?.filter(|known| known.life == record.life);
    let known = known.filter(|known| known.ended.is_some()).ok_or_else(changed)?;
    // The history of the chat for which it was made before may still refer to it.
    if let Some(before) = known.origin.chat.filter(|before| record.origin.chat != Some(*before)) {
        index.markers().add(Marker::SharedWith(name, before))?;
    }
    index.records.replace(name, &Record { version: known.version, ..record.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::verify::verify;
    use crate::testing::{origin, seconds, shop};
    use crate::{Claims, Stem};

    /// A process crashes after it wrote the record, or after it wrote the file.
    #[test]
    fn a_write_that_did_not_finish_is_told_from_a_lost_file() {
        let shop = shop();
        let lost = shop.made_for("a", "lost", "x");
        shop.remove_file(&lost);
        let mut names = Vec::new();
        for id in ["again", "never", "there"] {
            let hash = blake3::hash(b"text");
            let stem = Stem::of_call(Some(id), &hash);
            let claim =
                shop.store.claim(&mut Claims::default(), &[(stem, hash)]).unwrap().remove(0);
            reserve(&shop.opened(), &claim, 4, &origin(Some("a"), id)).unwrap().unwrap();
            names.push(claim.name);
        }
        let spelled = |names: &[&FileName]| -> Vec<String> {
            names.iter().map(|name| shop.at(name.as_str()).spelled().to_owned()).collect()
        };
        let state = || {
            let report = verify(shop.store.folder()).unwrap();
            let lists = [&report.missing, &report.unfinished, &report.expired];
            (report.intact, lists.map(|list| list.to_vec()))
        };
        let [again, never, there] = [&names[0], &names[1], &names[2]];
        shop.put_file(there, "text");
        assert_eq!(state(), (1, [spelled(&[&lost]), spelled(&[again, never]), vec![]]));
        shop.made_for("a", "again", "text");
        let now = std::time::SystemTime::now();
        shop.sweep(now + seconds(1_800));
        assert_eq!(state(), (2, [spelled(&[&lost]), spelled(&[never]), vec![]]));
        shop.sweep(now + seconds(3_700));
        let (_, [missing, unfinished, expired]) = state();
        assert_eq!((missing, unfinished), (spelled(&[&lost]), vec![]));
        assert_eq!(expired, spelled(&[again, never, there]));
        assert!(shop.private().keys().all(|marker| !marker.starts_with("unfinished/")));
    }
}
