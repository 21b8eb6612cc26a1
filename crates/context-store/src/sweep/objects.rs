//! Sweeps a store of objects. Contents are stored by the day on which their names were first
//! assigned. The sweep lists those of days that are old enough to have expired, and reads their
//! records. It ends an expired record unless a process has renewed it since it was read, and then
//! removes the content. It also removes leftovers of writers that crashed or were too late.

use std::io;
use std::time::{Duration, SystemTime};

use super::folder::Sweeper;
use super::options::SweepOptions;
use super::report::{ExpiredFile, SweepEvent};
use crate::folder::{Folder, is_changed};
use crate::index::ends::{Removal, remove_ended};
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::index::records::RecordState;
use crate::lease::lifetimes::{is_expired, is_lro};
use crate::lease::recorded::lifetime;
use crate::local::location::Location;
use crate::local::writers;
use crate::names::file_name::{FileName, has_own_ttl};
use crate::objects::client::Head;
use crate::records::record::{End, OWN_LIFETIME, Record};
use crate::records::timestamp::unix_day;
use crate::report::Run;

/// Number of contents that are swept in parallel, mostly waiting. So few take less time in a slow
/// store than the lock of sweeps lasts.
const BATCH: usize = 32;

/// A store's folder that is being swept.
struct Objects<'a> {
    options: &'a SweepOptions<'a>,
    at: &'a Location,
    folder: &'a Folder,
    index: &'a Index,
    /// The time by the clock of the store.
    now: SystemTime,
}

/// A listed content.
struct Content {
    name: FileName,
    life: u32,
    file: String,
    head: Head,
}

impl Content {
    /// Returns the content of an object; `None` if the object is not the store's.
    fn of((file, head): (String, Head)) -> Option<Content> {
        let (name, life) = Record::parse_file(&file)?;
        Some(Content { name, life, file, head })
    }
}

/// The outcome for a content.
enum Fate {
    /// It lives, or is not the store's.
    Kept,
    /// Nobody refers to it: its writer crashed, or arrived after its end.
    Lost,
    /// Its lease expired; the time since it was renewed.
    Expired(Box<Record>, Duration),
}

impl Sweeper<'_> {
    pub(super) fn sweep_objects(&mut self, at: &Location, folder: &Folder) -> io::Result<()> {
        let (Some(place), Some(index)) = (at.place(), Index::open(folder)?) else {
            return Ok(());
        };
        let now = place.objects.server_now();
        let swept = Objects { options: self.options, at, folder, index: &index, now };
        let due = place.contents().folders()?.into_iter().filter(|folder| swept.is_due(folder));
        let listed = due.flat_map(|folder| {
            let entries = place.contents().child(&folder).list_below();
            entries.map(move |entry| entry.map(|(name, head)| (format!("{folder}/{name}"), head)))
        });
        let mut contents = listed.filter_map(|entry| entry.map(Content::of).transpose());
        loop {
            let batch: Vec<Content> = contents.by_ref().take(BATCH).collect::<io::Result<_>>()?;
            if batch.is_empty() {
                break;
            }
            self.keep_lock()?;
            let fates = writers::all(batch.len(), |at| swept.sweep(&batch[at]));
            for (content, fate) in batch.iter().zip(fates) {
                self.note(&swept, content, fate);
            }
        }
        match self.options.run {
            Run::Real => super::forget::forget_ended(&index, now, &mut || self.keep_lock()),
            Run::Dry => Ok(()),
        }
    }

    /// Reports the outcome for a content.
    fn note(&mut self, swept: &Objects<'_>, content: &Content, fate: io::Result<Fate>) {
        self.report.examined += 1;
        let path = || swept.at.child(content.name.as_str()).spelled().to_owned();
        let bytes = content.head.len;
        match fate {
            Err(error) => self.failed(&path(), &error),
            Ok(Fate::Kept) => {
                self.report.stored += 1;
                self.report.stored_bytes += bytes;
            }
            Ok(Fate::Lost) => {
                self.report.temporary += 1;
                self.report.bytes += bytes;
            }
            Ok(Fate::Expired(record, age)) => {
                let (lro, call) = (is_lro(&content.name), record.origin.call);
                let expired = ExpiredFile { path: path(), lro, bytes, age, call };
                (self.events)(SweepEvent::Expired(&expired));
                self.report.bytes += bytes;
                self.report.expired.push(expired);
            }
        }
    }
}

impl Objects<'_> {
    /// Returns true if contents in a folder may have expired: their leases began on its day or
    /// later. If nothing expires, returns true for today and yesterday, because a writer may have
    /// crashed.
    fn is_due(&self, folder: &str) -> bool {
        let Ok(day) = folder.parse::<u64>() else { return folder == OWN_LIFETIME };
        match self.options.lifetimes.store {
            Some(ttl) => self.now.checked_sub(ttl).is_some_and(|since| day <= unix_day(since)),
            None => day + 1 >= unix_day(self.now),
        }
    }

    /// Sweeps a content; returns its outcome.
    fn sweep(&self, content: &Content) -> io::Result<Fate> {
        let fate = self.fate(content)?;
        if self.options.run == Run::Dry {
            return Ok(fate);
        }
        match &fate {
            Fate::Kept => {}
            Fate::Lost => self.folder.unmark(&content.file)?,
            Fate::Expired(record, _) => {
                if !self.end(&content.name, record)? {
                    return Ok(Fate::Kept);
                }
            }
        }
        Ok(fate)
    }

    fn fate(&self, Content { name, life, head, .. }: &Content) -> io::Result<Fate> {
        let lifetimes = self.options.lifetimes;
        let age = |since: Option<SystemTime>| {
            since.and_then(|since| self.now.duration_since(since).ok()).unwrap_or_default()
        };
        let is_old = age(head.version.written_at) >= lifetimes.temporary;
        // A record is never older than its content.
        let may_expire = lifetimes.store.is_some_and(|ttl| age(head.version.written_at) >= ttl);
        if !is_old && !may_expire && !has_own_ttl(name) {
            return Ok(Fate::Kept);
        }
        let lost = if is_old { Fate::Lost } else { Fate::Kept };
        let record = match self.index.records.read(name)? {
            RecordState::Absent => return Ok(lost),
            RecordState::Unreadable => return Ok(Fate::Kept),
            RecordState::Present(record) => record,
        };
        if record.life != *life {
            return Ok(if record.life > *life { lost } else { Fate::Kept });
        }
        let ttl = lifetime(self.at, lifetimes, name, &record)?;
        let since = record.version.written_at.unwrap_or(self.now);
        Ok(match is_expired(since, ttl, self.now) {
            true => Fate::Expired(Box::new(record.clone()), age(Some(since))),
            false => Fate::Kept,
        })
    }

    /// Ends a file. Returns false if it was renewed since its record was read.
    fn end(&self, name: &FileName, record: &Record) -> io::Result<bool> {
        if record.ended.is_some() {
            let removed = remove_ended(self.folder, &self.index.records, name)?;
            return Ok(removed == Removal::Done);
        }
        // If that fails, the origin stays.
        if let Err(error) = self.index.markers().add(Marker::EndedOn(unix_day(self.now), name)) {
            tracing::debug!(%error, "the day of an end could not be noted");
        }
        match self.index.records.replace(name, &record.ended(self.now, End::Expired).over()) {
            Err(error) if is_changed(&error) => return Ok(false),
            replaced => replaced?,
        }
        // Whatever a crash leaves counts as lost, and a later sweep removes it.
        self.folder.unmark(&record.file(name))?;
        Ok(true)
    }
}
