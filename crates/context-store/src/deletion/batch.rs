//! A batch of the files of a chat, under one lock.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Dir;

use super::report::{DeletedFile, Deletion, KeptFile, KeptReason};
use crate::index::ends::write_ends;
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::local::location::Location;
use crate::local::open::{is_own, metadata_of};
use crate::local::own_file;
use crate::local::publish::sync_folder;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::{End, Record};
use crate::report::PathError;

/// The deletion of a chat from one folder.
pub(super) struct Batch<'a> {
    pub(super) at: &'a Location,
    pub(super) dir: &'a Dir,
    pub(super) index: &'a Index,
    pub(super) chat: Chat,
    pub(super) now: SystemTime,
    pub(super) report: &'a mut Deletion,
}

/// The fate of a file that the chat has a marker for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is deleted; it has this many bytes.
    Deleted(u64),
    /// It is gone already; only its record is left.
    Gone,
    /// It stays.
    Kept(KeptReason),
    /// It belongs to another chat, and this one never referred to it.
    Unrelated,
    /// It could not be deleted.
    Failed,
}

struct ChatFile<'a> {
    name: &'a FileName,
    record: Option<Record>,
    fate: Fate,
    /// True if the record on the disk says that the file ended.
    is_recorded: bool,
}

impl Batch<'_> {
    /// Reports what a deletion would do.
    pub(super) fn look(&mut self, names: &[FileName]) {
        let files = self.files(names);
        self.report(&files);
    }

    /// Returns the number of failures so far.
    pub(super) fn failures(&self) -> usize {
        self.report.errors.total()
    }

    /// Deletes the files that may be deleted, and removes the markers of all.
    pub(super) fn delete(&mut self, names: &[FileName], markers: &Dir) -> io::Result<()> {
        let _locked = self.index.lock()?;
        let mut files = self.files(names);
        self.record_ends(&mut files);
        for file in files.iter_mut().filter(|file| matches!(file.fate, Fate::Deleted(_))) {
            file.fate = self.remove(file);
        }
        // A deleted file must not come back with a power cut.
        sync_folder(self.dir)?;
        self.report(&files);
        for file in files.iter().filter(|file| file.fate != Fate::Failed) {
            let unmark = || own_file::unmark(markers, file.name.as_str());
            if let Err(error) = self.forget(file).and_then(|()| unmark()) {
                self.failed(file.name, &error);
            }
        }
        Ok(())
    }

    /// Returns the files with the fate of each.
    fn files<'n>(&mut self, names: &'n [FileName]) -> Vec<ChatFile<'n>> {
        let mut file = |name: &'n FileName| {
            let looked = self.index.records.read(name).and_then(|state| {
                let record = state.record();
                Ok((self.fate(name, record.as_ref())?, record))
            });
            let (fate, record) = looked.unwrap_or_else(|error| {
                self.failed(name, &error);
                (Fate::Failed, None)
            });
            ChatFile { name, record, fate, is_recorded: false }
        };
        names.iter().map(&mut file).collect()
    }

    fn fate(&self, name: &FileName, record: Option<&Record>) -> io::Result<Fate> {
        let Some(metadata) = metadata_of(self.dir, name.as_str())? else { return Ok(Fate::Gone) };
        let markers = self.index.markers();
        let maker = record.and_then(|record| record.origin.chat);
        let is_made_here = maker == Some(self.chat) || record.is_some_and(is_left);
        if !is_made_here && !markers.has(Marker::SharedWith(name, self.chat))? {
            return Ok(Fate::Unrelated);
        }
        let reason = if !metadata.is_file() || !is_own(&metadata) {
            KeptReason::Foreign
        } else if maker.is_some_and(|maker| maker != self.chat)
            || markers.sharer_except(name, self.chat)?.is_some()
        {
            KeptReason::Shared
        } else if !is_made_here {
            KeptReason::UnknownMaker
        } else {
            return Ok(Fate::Deleted(metadata.len()));
        };
        Ok(Fate::Kept(reason))
    }

    /// Records the end of each file before it is deleted, and forgets the origin of those
    /// that are gone. If the disk is full, the end is recorded after the deletion, which
    /// makes room.
    fn record_ends(&mut self, files: &mut [ChatFile<'_>]) {
        let (chat, mut ending) = (self.chat, Vec::new());
        for file in files.iter_mut().filter(|file| file.ends(chat)) {
            let markers = self.index.markers();
            let forget = |record: &Record| markers.remove_call(file.name, &record.origin);
            match file.record.as_ref().map_or(Ok(()), forget) {
                Ok(()) => ending.push(file),
                Err(error) => self.failed(file.name, &error),
            }
        }
        let records: Vec<(&FileName, Record)> =
            ending.iter().map(|file| (file.name, file.ended(self.now))).collect();
        let recorded = write_ends(&self.index.records, &records);
        for (file, is_recorded) in ending.into_iter().zip(recorded) {
            file.is_recorded = is_recorded;
        }
    }

    /// Deletes a file, unless another chat referred to it before its end was recorded.
    fn remove(&mut self, file: &ChatFile<'_>) -> Fate {
        let removed = match self.index.markers().sharer_except(file.name, self.chat) {
            Ok(Some(_)) => return Fate::Kept(KeptReason::Shared),
            Ok(None) => self.dir.remove_file(file.name.as_str()),
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) => file.fate,
            // A sweep deleted it first.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Fate::Gone,
            Err(error) => {
                self.failed(file.name, &error);
                Fate::Failed
            }
        }
    }

    /// Removes the chat from the record and the markers of a file.
    fn forget(&self, file: &ChatFile<'_>) -> io::Result<()> {
        let name = file.name;
        match (file.fate, &file.record) {
            (Fate::Deleted(_) | Fate::Gone, _) if file.ends(self.chat) && !file.is_recorded => {
                self.index.records.replace_synced(name, &file.ended(self.now))?;
            }
            (Fate::Kept(_), Some(record)) if file.is_of(self.chat) => {
                self.hand_over(name, record)?;
            }
            _ => {}
        }
        self.index.markers().remove(Marker::SharedWith(name, self.chat))
    }

    /// Hands a file of the chat that stays to another chat. The call was this chat's: it is
    /// forgotten.
    fn hand_over(&self, name: &FileName, record: &Record) -> io::Result<()> {
        let markers = self.index.markers();
        markers.remove_call(name, &record.origin)?;
        let heir = markers.sharer_except(name, self.chat)?;
        if let Some(heir) = heir {
            markers.add(Marker::OfChat(heir, name))?;
        }
        let ttl_seconds = record.origin.ttl_seconds;
        let origin = Origin { chat: heir, ttl_seconds, ..Origin::default() };
        let ended = record.ended.filter(|_| heir.is_none());
        self.index.records.replace(name, &Record { origin, ended, ..record.clone() })?;
        heir.map_or(Ok(()), |heir| markers.remove(Marker::SharedWith(name, heir)))
    }

    fn report(&mut self, files: &[ChatFile<'_>]) {
        for file in files {
            let path = self.at.child(file.name.as_str()).spelled().to_owned();
            match file.fate {
                Fate::Deleted(bytes) => {
                    self.report.bytes += bytes;
                    self.report.deleted.push(DeletedFile { path, bytes });
                }
                Fate::Kept(reason) => self.report.kept.push(KeptFile { path, reason }),
                Fate::Gone | Fate::Unrelated | Fate::Failed => {}
            }
        }
    }

    fn failed(&mut self, name: &FileName, error: &io::Error) {
        let path = self.at.child(name.as_str()).spelled().to_owned();
        self.report.errors.push(PathError { path, reason: error.to_string() });
    }
}

impl ChatFile<'_> {
    /// Returns true if the file was made for the chat, or a crashed deletion left it.
    fn is_of(&self, chat: Chat) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|record| record.origin.chat == Some(chat) || is_left(record))
    }

    /// Returns true if the record must still say that the file ended, and no more.
    fn ends(&self, chat: Chat) -> bool {
        let is_said =
            |record: &Record| record.ended.is_some() && record.origin == Origin::default();
        match self.fate {
            Fate::Deleted(_) | Fate::Gone => {
                self.is_of(chat) && !self.record.as_ref().is_some_and(is_said)
            }
            Fate::Kept(_) | Fate::Unrelated | Fate::Failed => false,
        }
    }

    /// Returns the record after the end; a file that had ended before keeps its moment.
    fn ended(&self, now: SystemTime) -> Record {
        let end = (now, End::ChatDeleted);
        match &self.record {
            Some(record) if self.fate == Fate::Gone => {
                let ended = Some(record.ended.unwrap_or(end));
                Record { origin: Origin::default(), ended, ..record.clone() }
            }
            Some(record) => record.ended(end.0, end.1),
            None => Record::unknown(end),
        }
    }
}

/// Returns true for a file whose deletion with its chat was recorded before a crash.
fn is_left(record: &Record) -> bool {
    let is_deleted = record.ended.is_some_and(|(_, why)| why == End::ChatDeleted);
    is_deleted && record.origin.chat.is_none()
}
