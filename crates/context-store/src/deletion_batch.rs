//! A batch of the files that a deletion works through.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Dir;

use super::ends;
use super::index::{Index, Told};
use super::record::{End, Record};
use super::write::sync_folder;
use super::{
    Chat, DeletedFile, Deletion, FileName, Keeping, KeptFile, Location, Origin, Trouble, file,
    own_file,
};

/// A deletion at work in one folder.
pub(super) struct Batch<'a> {
    pub(super) at: &'a Location,
    pub(super) dir: &'a Dir,
    pub(super) index: &'a Index,
    pub(super) chat: Chat,
    pub(super) now: SystemTime,
    pub(super) deletion: &'a mut Deletion,
}

/// The fate of a file of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is deleted, so many bytes.
    Goes(u64),
    /// It is gone already; only words are left of it.
    Gone,
    Stays(Keeping),
    /// It is another's file, which the chat never mentioned.
    Strange,
    /// It could not be deleted.
    Failed,
}

struct File<'a> {
    name: &'a FileName,
    record: Option<Record>,
    fate: Fate,
    /// True where the record says that the file ended, on the disk.
    is_noted: bool,
}

impl Batch<'_> {
    /// Tells what a deletion would do.
    pub(super) fn look(&mut self, names: &[FileName]) {
        let files = self.files(names);
        self.tell(&files);
    }

    /// The number of failures so far.
    pub(super) fn failures(&self) -> usize {
        self.deletion.errors.total()
    }

    /// Deletes what may go of the files, and their markers.
    pub(super) fn delete(&mut self, names: &[FileName], markers: &Dir) -> io::Result<()> {
        let _locked = self.index.lock()?;
        let mut files = self.files(names);
        self.note_ends(&mut files);
        for file in files.iter_mut().filter(|file| matches!(file.fate, Fate::Goes(_))) {
            file.fate = self.remove(file);
        }
        // What is deleted must not come back with a power cut that follows.
        sync_folder(self.dir)?;
        self.tell(&files);
        for file in files.iter().filter(|file| file.fate != Fate::Failed) {
            let forgotten = self.forget(file);
            if let Err(error) =
                forgotten.and_then(|()| own_file::unmark(markers, file.name.as_str()))
            {
                self.failed(file.name, &error);
            }
        }
        Ok(())
    }

    /// The files with what is to become of each.
    fn files<'n>(&mut self, names: &'n [FileName]) -> Vec<File<'n>> {
        let mut file = |name: &'n FileName| {
            let told = self.index.told(name);
            let fate = told.and_then(|told| Ok((self.fate(name, &told)?, told.record())));
            let (fate, record) = fate.unwrap_or_else(|error| {
                self.failed(name, &error);
                (Fate::Failed, None)
            });
            File { name, record, fate, is_noted: false }
        };
        names.iter().map(&mut file).collect()
    }

    fn fate(&self, name: &FileName, told: &Told) -> io::Result<Fate> {
        let metadata = match self.dir.symlink_metadata(name.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fate::Gone),
            Err(error) => return Err(error),
        };
        let record = match told {
            Told::Record(record) => Some(record),
            Told::Nothing | Told::Unreadable => None,
        };
        let maker = record.and_then(|record| record.origin.chat);
        let is_own = maker == Some(self.chat) || record.is_some_and(is_left);
        if !is_own && !self.index.is_shared(name, self.chat)? {
            return Ok(Fate::Strange);
        }
        let why = if !metadata.is_file() || !file::is_own(&metadata) {
            Keeping::Foreign
        } else if maker.is_some_and(|maker| maker != self.chat)
            || self.index.sharer_beside(name, self.chat)?.is_some()
        {
            Keeping::Shared
        } else if !is_own {
            Keeping::UnknownMaker
        } else {
            return Ok(Fate::Goes(metadata.len()));
        };
        Ok(Fate::Stays(why))
    }

    /// Notes the end of each file before it is deleted, and forgets the words of those
    /// that are gone. Where the disk has no room for that, deleting makes some: it is
    /// noted then.
    fn note_ends(&mut self, files: &mut [File<'_>]) {
        let (chat, mut ending) = (self.chat, Vec::new());
        for file in files.iter_mut().filter(|file| file.ends(chat)) {
            match file.record.as_ref().map_or(Ok(()), |record| self.forget_keys(file.name, record))
            {
                Ok(()) => ending.push(file),
                Err(error) => self.failed(file.name, &error),
            }
        }
        let records: Vec<(&FileName, Record)> =
            ending.iter().map(|file| (file.name, file.ended(self.now))).collect();
        let noted = ends::put(self.index, &records);
        ending.into_iter().zip(noted).for_each(|(file, noted)| file.is_noted = noted);
    }

    /// Deletes a file, unless another chat came to mention it before its end was noted.
    fn remove(&mut self, file: &File<'_>) -> Fate {
        let removed = match self.index.sharer_beside(file.name, self.chat) {
            Ok(Some(_)) => return Fate::Stays(Keeping::Shared),
            Ok(None) => self.dir.remove_file(file.name.as_str()),
            Err(error) => Err(error),
        };
        match removed {
            Ok(()) => file.fate,
            // A sweep was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Fate::Gone,
            Err(error) => {
                self.failed(file.name, &error);
                Fate::Failed
            }
        }
    }

    /// Takes the chat out of what is said of a file.
    fn forget(&self, file: &File<'_>) -> io::Result<()> {
        let name = file.name;
        match (file.fate, &file.record) {
            (Fate::Goes(_) | Fate::Gone, _) if file.ends(self.chat) && !file.is_noted => {
                self.index.replace_synced(name, &file.ended(self.now))?;
            }
            (Fate::Stays(_), Some(record)) if file.is_of(self.chat) => {
                self.hand_over(name, record)?;
            }
            _ => {}
        }
        self.index.forget_shared(name, self.chat)
    }

    /// A file of the chat that stays: the call was this chat's, others have their own.
    fn hand_over(&self, name: &FileName, record: &Record) -> io::Result<()> {
        self.forget_keys(name, record)?;
        let heir = self.index.sharer_beside(name, self.chat)?;
        if let Some(heir) = heir {
            self.index.note_chat(heir, name)?;
        }
        let ttl_seconds = record.origin.ttl_seconds;
        let origin = Origin { chat: heir, ttl_seconds, ..Origin::default() };
        let ended = record.ended.filter(|_| heir.is_none());
        self.index.replace(name, &Record { origin, ended, ..record.clone() })?;
        heir.map_or(Ok(()), |heir| self.index.forget_shared(name, heir))
    }

    /// Removes the ways that lead from a call to its file.
    fn forget_keys(&self, name: &FileName, record: &Record) -> io::Result<()> {
        record.origin.keys(name).try_for_each(|key| self.index.forget_call(&key, name))
    }

    fn tell(&mut self, files: &[File<'_>]) {
        for file in files {
            let path = self.at.child(file.name.as_str()).spelled().to_owned();
            match file.fate {
                Fate::Goes(bytes) => {
                    self.deletion.bytes += bytes;
                    self.deletion.deleted.push(DeletedFile { path, bytes });
                }
                Fate::Stays(why) => self.deletion.kept.push(KeptFile { path, why }),
                Fate::Gone | Fate::Strange | Fate::Failed => {}
            }
        }
    }

    fn failed(&mut self, name: &FileName, error: &io::Error) {
        let path = self.at.child(name.as_str()).spelled().to_owned();
        self.deletion.errors.push(Trouble { path, why: error.to_string() });
    }
}

impl File<'_> {
    /// True where it was made for the chat, or is what a crashed deletion left.
    fn is_of(&self, chat: Chat) -> bool {
        let record = self.record.as_ref();
        record.is_some_and(|record| record.origin.chat == Some(chat) || is_left(record))
    }

    /// True where its record is to say that it ended, and no more.
    fn ends(&self, chat: Chat) -> bool {
        let is_told =
            |record: &Record| record.ended.is_some() && record.origin == Origin::default();
        match self.fate {
            Fate::Goes(_) | Fate::Gone => {
                self.is_of(chat) && !self.record.as_ref().is_some_and(is_told)
            }
            Fate::Stays(_) | Fate::Strange | Fate::Failed => false,
        }
    }

    /// Its record after its end: what had ended before keeps its moment.
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

/// True for a file whose end with its chat was noted before a crash.
fn is_left(record: &Record) -> bool {
    let is_deleted = record.ended.is_some_and(|(_, why)| why == End::ChatDeleted);
    is_deleted && record.origin.chat.is_none()
}
