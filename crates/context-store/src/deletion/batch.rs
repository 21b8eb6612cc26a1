//! A batch of the files of a chat, under one lock.

use std::collections::BTreeMap;
use std::io;
use std::time::SystemTime;

use super::report::{DeletedFile, Deletion, KeptFile, KeptReason};
use crate::folder::{Folder, is_changed};
use crate::index::ends::{Removal, remove_ended, write_ends};
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::local::location::Location;
use crate::local::writers;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::{End, Record};
use crate::report::PathError;

/// The deletion of a chat from one folder.
pub(super) struct Batch<'a> {
    pub(super) at: &'a Location,
    pub(super) dir: &'a Folder,
    pub(super) index: &'a Index,
    pub(super) chat: Chat,
    pub(super) now: SystemTime,
    /// The files that stay. A chat that posts meanwhile refers to them again, so that a later
    /// round finds them again.
    pub(super) kept: BTreeMap<FileName, KeptReason>,
    pub(super) report: &'a mut Deletion,
}

/// The outcome for a file for which the chat has a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is deleted; it has this many bytes.
    Deleted(u64),
    /// It is already gone; only its record remains.
    Gone,
    /// It stays.
    Kept(KeptReason),
    /// It belongs to another chat, and this one never referred to it.
    Unrelated,
    /// Another process changed its record: the next round examines it again.
    Changed,
    /// It could not be deleted.
    Failed,
}

impl Fate {
    /// Returns true if the file must be examined again, so that its marker stays.
    fn is_open(self) -> bool {
        matches!(self, Fate::Changed | Fate::Failed)
    }
}

struct ChatFile<'a> {
    name: &'a FileName,
    record: Option<Record>,
    fate: Fate,
    /// True if the record on the disk states that the file ended.
    is_recorded: bool,
}

impl Batch<'_> {
    /// Reports the effect of a deletion.
    pub(super) fn look(&mut self, names: &[FileName]) {
        let files = self.files(names);
        self.report(&files);
    }

    /// Returns the number of failures so far.
    pub(super) fn failures(&self) -> usize {
        self.report.errors.total()
    }

    /// Deletes the files that may be deleted, and removes the markers of all.
    pub(super) fn delete(&mut self, names: &[FileName], markers: &Folder) -> io::Result<()> {
        let _locked = self.index.lock()?;
        let mut files = self.files(names);
        self.record_ends(&mut files);
        let ended: Vec<&mut ChatFile<'_>> =
            files.iter_mut().filter(|file| matches!(file.fate, Fate::Deleted(_))).collect();
        let removed = self.each(ended.len(), |at| self.remove(&*ended[at]));
        for (file, removed) in ended.into_iter().zip(removed) {
            file.fate = removed.unwrap_or_else(|error| {
                self.failed(file.name, &error);
                Fate::Failed
            });
        }
        // A power cut must not restore a deleted file.
        self.dir.sync()?;
        self.report(&files);
        let done: Vec<&ChatFile<'_>> = files.iter().filter(|file| !file.fate.is_open()).collect();
        let forgotten = self.each(done.len(), |at| {
            self.forget(done[at]).and_then(|()| markers.unmark(done[at].name.as_str()))
        });
        for (file, forgotten) in done.into_iter().zip(forgotten) {
            match forgotten {
                // The next round examines it again.
                Err(error) if is_changed(&error) => {}
                Err(error) => self.failed(file.name, &error),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Returns the files with the fate of each.
    fn files<'n>(&mut self, names: &'n [FileName]) -> Vec<ChatFile<'n>> {
        let looked = self.each(names.len(), |at| {
            let record = self.index.records.read(&names[at])?.record();
            Ok((self.fate(&names[at], record.as_ref())?, record))
        });
        let mut file = |(name, looked): (&'n FileName, io::Result<_>)| {
            let (fate, record) = looked.unwrap_or_else(|error| {
                self.failed(name, &error);
                (Fate::Failed, None)
            });
            ChatFile { name, record, fate, is_recorded: false }
        };
        names.iter().zip(looked).map(&mut file).collect()
    }

    /// Runs `work` for each number below `count`; in parallel if each call waits for a request.
    fn each<T: Send + Sync>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
        match self.dir.local() {
            Some(_) => (0..count).map(work).collect(),
            None => writers::all(count, work),
        }
    }

    fn fate(&self, name: &FileName, record: Option<&Record>) -> io::Result<Fate> {
        let file = record.map_or_else(|| name.to_string(), |record| record.file(name));
        let Some(stat) = self.dir.stat(&file)? else { return Ok(Fate::Gone) };
        let markers = self.index.markers();
        let maker = record.and_then(|record| record.origin.chat);
        let is_made_here = maker == Some(self.chat) || record.is_some_and(is_left);
        if !is_made_here && !markers.has(Marker::SharedWith(name, self.chat))? {
            return Ok(Fate::Unrelated);
        }
        let reason = if !stat.is_file || !stat.is_own {
            KeptReason::Foreign
        } else if maker.is_some_and(|maker| maker != self.chat)
            || markers.sharer_except(name, self.chat)?.is_some()
        {
            KeptReason::Shared
        } else if !is_made_here {
            KeptReason::UnknownMaker
        } else {
            return Ok(Fate::Deleted(stat.len));
        };
        Ok(Fate::Kept(reason))
    }

    /// Records the end of each file before it is deleted, and removes the origin of those that are
    /// gone. If the disk is full, the end is recorded after the deletion, which frees space.
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
        let is_local = self.dir.local().is_some();
        for (file, is_recorded) in ending.into_iter().zip(recorded) {
            file.is_recorded = is_recorded;
            // Without a lock, only a recorded end stops others from using the file.
            if !is_recorded && !is_local {
                file.fate = Fate::Changed;
            }
        }
    }

    /// Deletes a file, unless another chat referred to it before its end was recorded.
    fn remove(&self, file: &ChatFile<'_>) -> io::Result<Fate> {
        if self.index.markers().sharer_except(file.name, self.chat)?.is_some() {
            return Ok(Fate::Kept(KeptReason::Shared));
        }
        match remove_ended(self.dir, &self.index.records, file.name) {
            Ok(Removal::Done) => Ok(file.fate),
            Ok(Removal::LivesAgain) => Ok(Fate::Changed),
            // A sweep deleted it before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Fate::Gone),
            Err(error) if is_changed(&error) => Ok(Fate::Changed),
            Err(error) => Err(error),
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

    /// Assigns a file of the chat that stays to another chat. Forgets the call, which was this
    /// chat's.
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
            match file.fate {
                Fate::Deleted(bytes) => {
                    self.kept.remove(file.name);
                    self.report.bytes += bytes;
                    let path = self.path_of(file.name);
                    self.report.deleted.push(DeletedFile { path, bytes });
                }
                Fate::Kept(reason) => _ = self.kept.insert(file.name.clone(), reason),
                Fate::Gone | Fate::Unrelated | Fate::Changed | Fate::Failed => {}
            }
        }
    }

    /// Reports the files that stay, each once.
    pub(super) fn report_kept(&mut self) {
        for (name, reason) in std::mem::take(&mut self.kept) {
            let path = self.path_of(&name);
            self.report.kept.push(KeptFile { path, reason });
        }
    }

    fn path_of(&self, name: &FileName) -> String {
        self.at.child(name.as_str()).spelled().to_owned()
    }

    fn failed(&mut self, name: &FileName, error: &io::Error) {
        let path = self.path_of(name);
        self.report.errors.push(PathError { path, reason: error.to_string() });
    }
}

impl ChatFile<'_> {
    /// Returns true if the file was made for the chat, or a crashed deletion left it behind.
    fn is_of(&self, chat: Chat) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|record| record.origin.chat == Some(chat) || is_left(record))
    }

    /// Returns true if the record must state that the file ended, and does not yet state only that.
    fn ends(&self, chat: Chat) -> bool {
        let is_said =
            |record: &Record| record.ended.is_some() && record.origin == Origin::default();
        match self.fate {
            Fate::Deleted(_) | Fate::Gone => {
                self.is_of(chat) && !self.record.as_ref().is_some_and(is_said)
            }
            Fate::Kept(_) | Fate::Unrelated | Fate::Changed | Fate::Failed => false,
        }
    }

    /// Returns the record after the end; a file that had already ended keeps its time.
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
