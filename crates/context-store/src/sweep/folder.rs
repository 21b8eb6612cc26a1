//! Sweeps one folder. Files are swept in batches under the index's lock: each is locked and
//! examined again, the ends of all are recorded, then each is deleted and unlocked.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, Metadata, MetadataExt};

use super::forget::{end_unfinished, forget_ended, remove_temporary};
use super::options::{Coverage, SweepOptions};
use super::report::{ExpiredFile, SweepEvent, SweepReport};
use crate::clock::eras::Clock;
use crate::clock::folder_clock;
use crate::folder::Folder as OpenFolder;
use crate::index::batches::{BATCH, PAUSE};
use crate::index::ends::write_ends;
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::lease::lifetimes::{is_expired, is_lro, read_head};
use crate::local::location::Location;
use crate::local::mtime::modified;
use crate::local::open::{found, is_own, open_to_read, try_lock};
use crate::local::publish::is_temporary;
use crate::names::file_name::{FileName, has_own_ttl};
use crate::objects::sweep_lock::SweepLock;
use crate::records::record::{End, Record};
use crate::records::timestamp::unix_day;
use crate::report::{PathError, Run};

/// The beginning of a large result's file.
const HEADER: &[u8] = b"{\"type\":\"lro_header\"";

/// The error for a given folder that does not exist.
const NO_FOLDER: &str = "there is no such folder; accepted is the folder of a store";

/// A sweep in progress.
pub(super) struct Sweeper<'a> {
    pub(super) options: &'a SweepOptions<'a>,
    pub(super) events: &'a mut dyn FnMut(SweepEvent<'_>),
    pub(super) report: SweepReport,
    /// The lock that keeps other replicas from sweeping the same objects.
    pub(super) lock: Option<SweepLock>,
}

/// The folder that is being swept.
struct Folder<'a> {
    options: &'a SweepOptions<'a>,
    at: &'a Location,
    dir: &'a Dir,
    index: Option<Index>,
    clock: Clock,
}

/// A file whose lease may have expired.
struct Candidate {
    name: FileName,
    ttl: Option<Duration>,
}

/// A file whose lease has expired.
struct Expired {
    name: FileName,
    /// The record, if there is one that can be read.
    record: Option<Record>,
    /// The open file, locked in a real run: it cannot be renewed while this value lives.
    locked: Option<File>,
    bytes: u64,
    age: Duration,
}

impl Expired {
    /// Returns the name and the record after the end.
    fn ended(&self, at: SystemTime) -> (&FileName, Record) {
        let ended = self.record.as_ref().map(|record| record.ended(at, End::Expired));
        (&self.name, ended.unwrap_or_else(|| Record::unknown((at, End::Expired))))
    }
}

impl Folder<'_> {
    fn is_real(&self) -> bool {
        self.options.run == Run::Real
    }

    fn path_of(&self, name: &str) -> String {
        self.at.child(name).spelled().to_owned()
    }

    fn is_expired(&self, modified: SystemTime, ttl: Option<Duration>) -> bool {
        is_expired(self.clock.since(modified), ttl, self.options.now.wall)
    }

    fn is_old_temporary(&self, modified: SystemTime) -> bool {
        self.is_expired(modified, Some(self.options.lifetimes.temporary))
    }

    fn record(&self, name: &FileName) -> Option<Record> {
        self.index.as_ref()?.records.get(name).ok()?
    }

    /// Returns the lifetime of a file; `None` if the file is not the store's.
    fn ttl(&self, name: &FileName) -> io::Result<Option<Option<Duration>>> {
        // Only a large result must be opened to find its lifetime.
        let mut head = Vec::new();
        if is_lro(name) && (has_own_ttl(name) || self.index.is_none()) {
            head = read_head(&open_to_read(self.dir, name.as_str())?.0, name)?;
            if self.index.is_none() && !head.starts_with(HEADER) {
                return Ok(None);
            }
        }
        let recorded = || self.record(name)?.origin.ttl_seconds;
        Ok(Some(self.options.lifetimes.of(name, recorded, &head)))
    }

    /// Returns true for a file without a record that looks like one of this service.
    fn is_adopted(&self, name: &FileName, metadata: &Metadata) -> bool {
        metadata.mode() & 0o777 == 0o600 || is_lro(name) || self.index.is_none()
    }

    /// Locks the file and examines its lease again; this decides.
    fn lock(&self, candidate: &Candidate) -> io::Result<Option<Expired>> {
        let Candidate { name, ttl } = candidate;
        let (file, _) = open_to_read(self.dir, name.as_str())?;
        if self.is_real()
            && let Ok(false) = try_lock(&file)
        {
            return Ok(None);
        }
        let metadata = file.metadata()?;
        let since = modified(&metadata)?;
        if metadata.nlink() == 0 || !is_own(&metadata) || !self.is_expired(since, *ttl) {
            return Ok(None);
        }
        let now = self.options.now.wall;
        let age = now.duration_since(self.clock.since(since)).unwrap_or_default();
        Ok(Some(Expired {
            name: name.clone(),
            record: self.record(name),
            locked: self.is_real().then_some(file),
            bytes: metadata.len(),
            age,
        }))
    }

    /// Removes a temporary file that no process still writes; returns its bytes.
    fn remove_temporary(&self, name: &str) -> io::Result<Option<u64>> {
        let metadata = self.dir.symlink_metadata(name)?;
        let is_old = self.is_old_temporary(modified(&metadata)?);
        if !is_old || !metadata.is_file() || !is_own(&metadata) {
            return Ok(None);
        }
        if self.is_real() {
            self.dir.remove_file(name)?;
        }
        Ok(Some(metadata.len()))
    }

    /// Records the ends of files, and the day from which their origins can be removed; returns for
    /// each whether the end is on the disk.
    fn record_ends(&self, files: &[Expired]) -> Vec<bool> {
        let Some(index) = &self.index else { return vec![true; files.len()] };
        let now = self.options.now.wall;
        for file in files.iter().filter(|file| file.record.is_some()) {
            // If that fails, the origin stays.
            if let Err(error) = index.markers().add(Marker::EndedOn(unix_day(now), &file.name)) {
                tracing::debug!(%error, "the day of an end could not be noted");
            }
        }
        let ends: Vec<_> = files.iter().map(|file| file.ended(now)).collect();
        write_ends(&index.records, &ends)
    }

    /// Removes old temporary files and origins from the index.
    fn tidy_index(&self) -> io::Result<()> {
        let Some(index) = self.index.as_ref().filter(|_| self.is_real()) else { return Ok(()) };
        for folder in [&index.private, index.records.folder()] {
            remove_temporary(folder, |modified| self.is_old_temporary(modified))?;
        }
        let (now, is_old) = (self.options.now.wall, |modified| self.is_old_temporary(modified));
        end_unfinished(index, self.dir, now, is_old)?;
        forget_ended(index, now, &mut || Ok(()))
    }
}

impl Sweeper<'_> {
    /// Sweeps one folder. It may be missing, unless only given folders are swept.
    pub(super) fn sweep(&mut self, at: &Location) {
        match at.open_folder() {
            Ok(Some(folder)) => {
                self.report.folders += 1;
                if let Err(error) = self.sweep_opened(at, &folder) {
                    self.failed(at.spelled(), &error);
                }
            }
            Ok(None) if self.options.coverage == Coverage::Roots => {}
            Ok(None) => self.failed(at.spelled(), &io::Error::other(NO_FOLDER)),
            Err(error) => self.failed(at.spelled(), &error),
        }
    }

    fn sweep_opened(&mut self, at: &Location, opened: &OpenFolder) -> io::Result<()> {
        let Some(dir) = opened.local() else { return self.sweep_objects(at, opened) };
        let options = self.options;
        // If the index cannot be read, no file is certain to be the store's.
        let index = Index::open(opened)?;
        // A folder without an index uses the wall clock.
        let clock = index.as_ref().map_or_else(Clock::default, |index| {
            folder_clock::observe(opened, &index.private, options.now, options.run)
        });
        let folder = Folder { options, at, dir, index, clock };
        self.sweep_entries(&folder)?;
        folder.tidy_index()
    }

    fn sweep_entries(&mut self, folder: &Folder<'_>) -> io::Result<()> {
        let mut batch = Vec::new();
        for entry in folder.dir.entries()? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            if folder.index.is_some() && is_temporary(name) {
                self.sweep_temporary(folder, name);
                continue;
            }
            let Some(name) = FileName::parse(name) else { continue };
            if folder.index.is_none() && !is_lro(&name) {
                continue;
            }
            let examined = self.examine(folder, &name);
            batch.extend(self.unless_failed(folder, name.as_str(), examined));
            if batch.len() >= BATCH {
                self.end(folder, std::mem::take(&mut batch));
                std::thread::sleep(PAUSE);
            }
        }
        self.end(folder, batch);
        Ok(())
    }

    /// Returns the file if it is this user's own and its lease has expired.
    fn examine(&mut self, folder: &Folder<'_>, name: &FileName) -> io::Result<Option<Candidate>> {
        let metadata = folder.dir.symlink_metadata(name.as_str())?;
        if !metadata.is_file() || !is_own(&metadata) {
            return Ok(None);
        }
        self.report.stored += 1;
        self.report.stored_bytes += metadata.len();
        let since = modified(&metadata)?;
        let Some(ttl) = folder.ttl(name)? else { return Ok(None) };
        let is_expired = folder.is_expired(since, ttl);
        let has_record = || folder.record(name).is_some();
        if !(folder.is_adopted(name, &metadata) || is_expired && has_record()) {
            return Ok(None);
        }
        self.report.examined += 1;
        Ok(is_expired.then(|| Candidate { name: name.clone(), ttl }))
    }

    /// Ends a batch of files and deletes them.
    fn end(&mut self, folder: &Folder<'_>, batch: Vec<Candidate>) {
        if batch.is_empty() {
            return;
        }
        let index = folder.index.as_ref().filter(|_| folder.is_real());
        let _locked = match index.map(Index::lock).transpose() {
            Ok(locked) => locked,
            Err(error) => return self.failed(folder.at.spelled(), &error),
        };
        let mut expired = Vec::new();
        for candidate in batch {
            let locked = folder.lock(&candidate);
            expired.extend(self.unless_failed(folder, candidate.name.as_str(), locked));
        }
        if folder.is_real() {
            self.delete(folder, &mut expired);
        }
        for file in &expired {
            self.expired(folder, file);
        }
    }

    /// Records the ends of files, then deletes them; keeps those that were deleted. If an end could
    /// not be recorded, a file with a record is deleted first, which frees space.
    fn delete(&mut self, folder: &Folder<'_>, expired: &mut Vec<Expired>) {
        let mut recorded = folder.record_ends(expired).into_iter();
        let mut are_recorded = true;
        expired.retain_mut(|file| {
            let is_recorded = recorded.next().unwrap_or(false);
            if !is_recorded && file.record.is_none() {
                are_recorded = false;
                return false;
            }
            let removed = folder.dir.remove_file(file.name.as_str()).map(Some);
            let is_removed = self.unless_failed(folder, file.name.as_str(), removed).is_some();
            if let Some(index) = folder.index.as_ref().filter(|_| is_removed && !is_recorded) {
                // An open file still takes space.
                file.locked = None;
                let end = file.ended(folder.options.now.wall);
                are_recorded &= write_ends(&index.records, &[end]) == [true];
            }
            is_removed
        });
        if !are_recorded {
            let reason = "the ends of files could not be recorded; is the disk full?";
            self.failed(folder.at.spelled(), &io::Error::other(reason));
        }
    }

    fn expired(&mut self, folder: &Folder<'_>, file: &Expired) {
        let call = file.record.as_ref().map(|record| record.origin.call.clone());
        let expired = ExpiredFile {
            path: folder.path_of(file.name.as_str()),
            lro: is_lro(&file.name),
            bytes: file.bytes,
            age: file.age,
            call: call.unwrap_or_default(),
        };
        (self.events)(SweepEvent::Expired(&expired));
        self.report.bytes += file.bytes;
        self.report.stored = self.report.stored.saturating_sub(1);
        self.report.stored_bytes = self.report.stored_bytes.saturating_sub(file.bytes);
        self.report.expired.push(expired);
    }

    fn sweep_temporary(&mut self, folder: &Folder<'_>, name: &str) {
        let removed = folder.remove_temporary(name);
        if let Some(bytes) = self.unless_failed(folder, name, removed) {
            self.report.temporary += 1;
            self.report.bytes += bytes;
        }
    }

    /// Returns the value. Reports an error, unless it is that the file is gone.
    fn unless_failed<T>(
        &mut self,
        folder: &Folder<'_>,
        name: &str,
        result: io::Result<Option<T>>,
    ) -> Option<T> {
        found(result)
            .inspect_err(|error| self.failed(&folder.path_of(name), error))
            .ok()
            .flatten()
            .flatten()
    }

    /// Keeps the lock of sweeps while this one continues.
    pub(super) fn keep_lock(&mut self) -> io::Result<()> {
        self.lock.as_mut().map_or(Ok(()), SweepLock::keep)
    }

    pub(super) fn failed(&mut self, path: &str, error: &io::Error) {
        let error = PathError { path: path.to_owned(), reason: error.to_string() };
        (self.events)(SweepEvent::Failed(&error));
        self.report.errors.push(error);
    }
}
