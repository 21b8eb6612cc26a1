//! Sweeping one folder. Files go in batches, under the index's lock: each is locked and
//! looked at again, the ends of all are noted, then each is deleted and let go.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use rustix::fs::{FlockOperation, Mode, OFlags};

use super::clock::{self, Clock};
use super::ends::{self, BATCH};
use super::file::{is_own, open_named, try_lock};
use super::index::Index;
use super::lease::{has_own_time, head, is_lro, is_over, modified};
use super::migrate::{Migrated, migrate};
use super::record::Record;
use super::sweep_forget::{day_of, forget_ended, tidy};
use super::{
    End, ExpiredFile, FileName, Lifetimes, Location, Moment, Run, SweepEvent, SweepReport, Trouble,
};

/// How the file of a large result begins.
const HEADER: &[u8] = b"{\"type\":\"lro_header\"";

/// Time for others to take the lock between two batches.
const PAUSE: Duration = Duration::from_millis(2);

/// A sweep under way.
pub(super) struct Sweeper<'a> {
    pub(super) lifetimes: &'a Lifetimes,
    pub(super) now: &'a Moment,
    pub(super) run: Run,
    pub(super) events: &'a mut dyn FnMut(SweepEvent<'_>),
    pub(super) report: SweepReport,
}

/// The folder that is being swept.
struct Swept<'a> {
    at: &'a Location,
    dir: Dir,
    index: Option<Index>,
    clock: Clock,
}

/// A file whose lease has run out.
struct Candidate {
    name: FileName,
    ttl: Option<Duration>,
}

/// The same, when it is certain.
struct Expired {
    name: FileName,
    /// Its record, where it has one to believe.
    record: Option<Record>,
    /// Open and locked, in a real run: it cannot be renewed while this lives.
    _held: Option<File>,
    bytes: u64,
    age: Duration,
}

impl Expired {
    /// Its record after its end.
    fn ended(&self, at: SystemTime) -> (&FileName, Record) {
        let ended = self.record.as_ref().map(|record| record.ended(at, End::Expired));
        (&self.name, ended.unwrap_or_else(|| Record::unknown((at, End::Expired))))
    }
}

impl Swept<'_> {
    fn is_over(&self, at: SystemTime, ttl: Option<Duration>, now: SystemTime) -> bool {
        is_over(self.clock.since(at), ttl, now)
    }

    fn ttl(&self, lifetimes: &Lifetimes, name: &FileName, head: &[u8]) -> Option<Duration> {
        let recorded = || self.index.as_ref()?.record(name)?.origin.ttl_seconds;
        lifetimes.of(name, recorded, head)
    }
}

impl Sweeper<'_> {
    /// Sweeps one folder. One that is not there holds nothing.
    pub(super) fn folder(&mut self, at: &Location) {
        let dir = match at.dir().open_dir(at.relative()) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.failed(at.spelled(), &error),
        };
        self.report.folders += 1;
        if let Err(error) = self.migrated(&dir) {
            self.failed(at.spelled(), &error);
        }
        let index = match Index::open(&dir) {
            Ok(index) => index,
            // Without knowing what it says, nothing is certain to be the store's.
            Err(error) => return self.failed(at.spelled(), &error),
        };
        let clock = self.clock(&dir, index.as_ref());
        let swept = Swept { at, dir, index, clock };
        if let Err(error) = self.entries(&swept).and_then(|()| self.forgotten(&swept)) {
            self.failed(at.spelled(), &error);
        }
    }

    fn migrated(&self, dir: &Dir) -> io::Result<()> {
        if self.run == Run::Real && migrate(dir)? == Migrated::Foreign {
            let why = "\".unburden-files.jsonl\" is not this user's own plain file with one name: \
                       it is left alone";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(())
    }

    /// The folder's clock; a folder without an index goes by the wall clock.
    fn clock(&self, dir: &Dir, index: Option<&Index>) -> Clock {
        index.map_or_else(Clock::default, |index| {
            clock::observe(dir, &index.private, self.now, self.run)
        })
    }

    fn entries(&mut self, swept: &Swept<'_>) -> io::Result<()> {
        let mut batch = Vec::new();
        for entry in swept.dir.entries()? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            if swept.index.is_some() && is_temporary(name) {
                self.temporary(swept, name);
                continue;
            }
            let Some(name) = FileName::of_minted(name) else { continue };
            if swept.index.is_none() && !is_lro(&name) {
                continue;
            }
            match self.examine(swept, &name) {
                Ok(candidate) => batch.extend(candidate),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.failed(swept.at.child(name.as_str()).spelled(), &error),
            }
            if batch.len() >= BATCH {
                self.end(swept, std::mem::take(&mut batch));
                std::thread::sleep(PAUSE);
            }
        }
        self.end(swept, batch);
        Ok(())
    }

    /// The file, where it is this user's own and its lease has run out.
    fn examine(&mut self, swept: &Swept<'_>, name: &FileName) -> io::Result<Option<Candidate>> {
        let metadata = swept.dir.symlink_metadata(name.as_str())?;
        if !metadata.is_file() || !is_own(&metadata) {
            return Ok(None);
        }
        let (since, now) = (modified(&metadata)?, self.now.wall);
        // Only a large result must be opened to know its lifetime.
        let mut start = Vec::new();
        if is_lro(name) && (has_own_time(name) || swept.index.is_none()) {
            let (file, _) = open_named(&swept.dir, name.as_str(), OFlags::RDONLY, Mode::empty())?;
            start = head(&file, name)?;
            if swept.index.is_none() && !start.starts_with(HEADER) {
                return Ok(None);
            }
        }
        let is_adopted = is_adopted(swept, name, &metadata);
        let ttl = swept.ttl(self.lifetimes, name, &start);
        let is_over = swept.is_over(since, ttl, now);
        // What no record tells of is not the store's but for how it looks.
        let has_record = || swept.index.as_ref().is_some_and(|index| index.record(name).is_some());
        if !(is_adopted || is_over && has_record()) {
            return Ok(None);
        }
        self.report.examined += 1;
        Ok(is_over.then(|| Candidate { name: name.clone(), ttl }))
    }

    /// Ends a batch and deletes it.
    fn end(&mut self, swept: &Swept<'_>, batch: Vec<Candidate>) {
        if batch.is_empty() {
            return;
        }
        let real = self.run == Run::Real;
        let locked = swept.index.as_ref().filter(|_| real).map(Index::lock).transpose();
        let _locked = match locked {
            Ok(locked) => locked,
            Err(error) => return self.failed(swept.at.spelled(), &error),
        };
        let mut expired = Vec::new();
        for candidate in batch {
            match self.hold(swept, &candidate) {
                Ok(held) => expired.extend(held),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    self.failed(swept.at.child(candidate.name.as_str()).spelled(), &error);
                }
            }
        }
        if real {
            self.delete(swept, &mut expired);
        }
        for expired in &expired {
            self.expired(swept, expired);
        }
    }

    /// Locks the file, then looks at its lease once more: this look decides.
    fn hold(&self, swept: &Swept<'_>, candidate: &Candidate) -> io::Result<Option<Expired>> {
        let Candidate { name, ttl } = candidate;
        let (file, _) = open_named(&swept.dir, name.as_str(), OFlags::RDONLY, Mode::empty())?;
        let real = self.run == Run::Real;
        if real && let Ok(false) = try_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            return Ok(None);
        }
        let metadata = file.metadata()?;
        let since = modified(&metadata)?;
        let over = swept.is_over(since, *ttl, self.now.wall);
        if metadata.nlink() == 0 || !is_own(&metadata) || !over {
            return Ok(None);
        }
        let age = self.now.wall.duration_since(swept.clock.since(since)).unwrap_or_default();
        let record = swept.index.as_ref().and_then(|index| index.record(name));
        let (name, held) = (name.clone(), real.then_some(file));
        Ok(Some(Expired { name, record, _held: held, bytes: metadata.len(), age }))
    }

    /// Notes the ends of files, then deletes them. A file whose end could not be noted
    /// goes where a record tells of it: deleting makes room for that.
    fn delete(&mut self, swept: &Swept<'_>, expired: &mut Vec<Expired>) {
        let now = self.now.wall;
        let noted = match &swept.index {
            Some(index) => note_ends(index, expired, now),
            None => vec![true; expired.len()],
        };
        if noted.contains(&false) {
            let why = "the ends of files could not be noted: is the disk full?";
            self.failed(swept.at.spelled(), &io::Error::other(why));
        }
        let mut noted = noted.into_iter();
        expired.retain(|file| {
            let noted = noted.next().unwrap_or(false);
            if !noted && file.record.is_none() {
                return false;
            }
            match swept.dir.remove_file(file.name.as_str()) {
                Ok(()) => {
                    if let Some(index) = swept.index.as_ref().filter(|_| !noted) {
                        ends::put(index, &[file.ended(now)]);
                    }
                    true
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                Err(error) => {
                    self.failed(swept.at.child(file.name.as_str()).spelled(), &error);
                    false
                }
            }
        });
    }

    fn expired(&mut self, swept: &Swept<'_>, file: &Expired) {
        let Expired { name, record, .. } = file;
        let call = record.as_ref().map(|record| record.origin.call.clone()).unwrap_or_default();
        let expired = ExpiredFile {
            path: swept.at.child(name.as_str()).spelled().to_owned(),
            lro: is_lro(name),
            bytes: file.bytes,
            age: file.age,
            call,
        };
        (self.events)(SweepEvent::Expired(&expired));
        self.report.bytes += file.bytes;
        self.report.expired.push(expired);
    }

    /// Removes a half-written file that nobody writes any more.
    fn temporary(&mut self, swept: &Swept<'_>, name: &str) {
        let removed = (|| {
            let metadata = swept.dir.symlink_metadata(name)?;
            let old = swept.is_over(modified(&metadata)?, self.temporary_ttl(), self.now.wall);
            if !old || !metadata.is_file() || !is_own(&metadata) {
                return Ok(None);
            }
            if self.run == Run::Real {
                swept.dir.remove_file(name)?;
            }
            Ok(Some(metadata.len()))
        })();
        match removed {
            Ok(Some(bytes)) => {
                self.report.temporary += 1;
                self.report.bytes += bytes;
            }
            Ok(None) => {}
            Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => {}
            Err(error) => self.failed(swept.at.child(name).spelled(), &error),
        }
    }

    fn temporary_ttl(&self) -> Option<Duration> {
        Some(self.lifetimes.temporary)
    }

    /// Forgets in the index what is old.
    fn forgotten(&self, swept: &Swept<'_>) -> io::Result<()> {
        let Some(index) = swept.index.as_ref().filter(|_| self.run == Run::Real) else {
            return Ok(());
        };
        for folder in [&index.private, &index.names] {
            tidy(folder, |at| swept.is_over(at, self.temporary_ttl(), self.now.wall))?;
        }
        forget_ended(index, self.now.wall)
    }

    fn failed(&mut self, path: &str, error: &io::Error) {
        let trouble = Trouble { path: path.to_owned(), why: error.to_string() };
        (self.events)(SweepEvent::Failed(&trouble));
        self.report.errors.push(trouble);
    }
}

/// Notes the ends of files, and that their words are to be forgotten.
fn note_ends(index: &Index, files: &[Expired], now: SystemTime) -> Vec<bool> {
    for file in files.iter().filter(|file| file.record.is_some()) {
        // Where that fails, the words of the call stay.
        if let Err(error) = index.note_end(day_of(now), &file.name) {
            tracing::debug!(%error, "the day of an end could not be noted");
        }
    }
    ends::put(index, &files.iter().map(|file| file.ended(now)).collect::<Vec<_>>())
}

/// True for a file that looks as this service writes it.
fn is_adopted(swept: &Swept<'_>, name: &FileName, metadata: &Metadata) -> bool {
    let private = metadata.mode() & 0o777 == 0o600;
    private || is_lro(name) || swept.index.is_none()
}

/// True for the private files that become stored files: `.unburden-{ulid}.tmp`.
fn is_temporary(name: &str) -> bool {
    let ulid = name.strip_prefix(".unburden-").and_then(|rest| rest.strip_suffix(".tmp"));
    ulid.is_some_and(|text| ulid::Ulid::from_string(text).is_ok())
}
