//! Sweeping one folder. A file's expiry is noted before the file is deleted, so
//! that whatever happens in between leaves a file or a 410, never a 404. Files go
//! in batches: each is locked and looked at again, all are noted in one write,
//! then each is deleted and let go.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, MetadataExt};
use rustix::fs::{FlockOperation, Mode, OFlags};

use super::file::{is_own, open_named, try_lock};
use super::lease::{head, is_lro, is_over, modified};
use super::manifest::{Listing, Manifest, append_expired};
use super::tidy::tidy;
use super::{
    Call, ExpiredFile, FileName, Lifetimes, Location, Run, SweepEvent, SweepReport, Trouble,
};

/// Most files held open and locked at a time.
const BATCH: usize = 64;

/// How the file of a large result begins.
const HEADER: &[u8] = b"{\"type\":\"lro_header\"";

/// A sweep under way.
pub(super) struct Sweeper<'a> {
    pub(super) lifetimes: &'a Lifetimes,
    pub(super) now: SystemTime,
    pub(super) run: Run,
    pub(super) events: &'a mut dyn FnMut(SweepEvent<'_>),
    pub(super) report: SweepReport,
}

/// The folder that is being swept.
struct Swept<'a> {
    at: &'a Location,
    dir: Dir,
    manifest: Option<Manifest>,
}

/// A file whose lease has run out.
struct Candidate {
    name: FileName,
    /// Open and locked, in a real run: it cannot be renewed while this lives.
    _held: Option<File>,
    bytes: u64,
    age: Duration,
}

impl Swept<'_> {
    /// True where the manifest says what made the file, or that it came to its end.
    fn lists(&self, name: &FileName) -> bool {
        let files = self.manifest.as_ref().map(|manifest| &manifest.files);
        files.and_then(|files| files.get(name)).is_some_and(Listing::is_told)
    }

    fn call(&self, name: &FileName) -> Call {
        let listing = self.manifest.as_ref().and_then(|manifest| manifest.files.get(name));
        let entry = listing.and_then(|listing| listing.entry.as_ref());
        entry.map(|entry| entry.call.clone()).unwrap_or_default()
    }

    fn listed_ttl(&self, name: &FileName) -> Option<u64> {
        self.manifest.as_ref()?.files.get(name)?.entry.as_ref()?.ttl_seconds
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
        let swept = match Manifest::read(&dir) {
            Ok(manifest) => Swept { at, dir, manifest },
            // Without knowing what it says, nothing is certain to be the store's.
            Err(error) => return self.failed(at.spelled(), &error),
        };
        if let Err(error) = self.entries(&swept) {
            self.failed(at.spelled(), &error);
        }
        if let (Run::Real, Some(manifest)) = (self.run, &swept.manifest)
            && let Err(error) = tidy(&swept.dir, manifest, self.now)
        {
            self.failed(at.spelled(), &error);
        }
    }

    fn entries(&mut self, swept: &Swept<'_>) -> io::Result<()> {
        let mut batch = Vec::new();
        for entry in swept.dir.entries()? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            if swept.manifest.is_some() && is_temporary(name) {
                self.temporary(swept, name);
                continue;
            }
            let Some(name) = FileName::of_minted(name) else { continue };
            if swept.manifest.is_none() && !is_lro(&name) {
                continue;
            }
            match self.examine(swept, &name) {
                Ok(candidate) => batch.extend(candidate),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => self.failed(swept.at.child(name.as_str()).spelled(), &error),
            }
            if batch.len() >= BATCH {
                self.delete(swept, std::mem::take(&mut batch));
            }
        }
        self.delete(swept, batch);
        Ok(())
    }

    /// The file, where it is this user's own and its lease has run out.
    fn examine(&mut self, swept: &Swept<'_>, name: &FileName) -> io::Result<Option<Candidate>> {
        let metadata = swept.dir.symlink_metadata(name.as_str())?;
        if !metadata.is_file() || !is_own(&metadata) {
            return Ok(None);
        }
        // What no line names is adopted only if it looks as this service writes it.
        let private = metadata.mode() & 0o777 == 0o600;
        if !swept.lists(name) && !private && !is_lro(name) {
            return Ok(None);
        }
        let listed = swept.listed_ttl(name);
        let first = modified(&metadata)?;
        // Only a large result must be opened to know its lifetime.
        if !is_lro(name) {
            self.report.examined += 1;
            if !is_over(first, self.lifetimes.of(name, listed, b""), self.now) {
                return Ok(None);
            }
        }
        let file = open_named(&swept.dir, name.as_str(), OFlags::RDONLY, Mode::empty())?;
        let head = head(&file, name)?;
        if swept.manifest.is_none() && !head.starts_with(HEADER) {
            return Ok(None);
        }
        self.report.examined += usize::from(is_lro(name));
        let ttl = self.lifetimes.of(name, listed, &head);
        if !is_over(first, ttl, self.now) {
            return Ok(None);
        }
        self.hold(name, file, ttl)
    }

    /// Locks the file, then looks at its lease once more: this look decides.
    fn hold(
        &self,
        name: &FileName,
        file: File,
        ttl: Option<Duration>,
    ) -> io::Result<Option<Candidate>> {
        let real = self.run == Run::Real;
        if real && let Ok(false) = try_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            return Ok(None);
        }
        let metadata = file.metadata()?;
        let since = modified(&metadata)?;
        if metadata.nlink() == 0 || !is_own(&metadata) || !is_over(since, ttl, self.now) {
            return Ok(None);
        }
        let age = self.now.duration_since(since).unwrap_or_default();
        let held = real.then_some(file);
        Ok(Some(Candidate { name: name.clone(), _held: held, bytes: metadata.len(), age }))
    }

    /// Notes a batch as expired, then deletes it.
    fn delete(&mut self, swept: &Swept<'_>, mut batch: Vec<Candidate>) {
        if batch.is_empty() {
            return;
        }
        let noted = match self.run {
            Run::Dry => true,
            Run::Real => self.note(swept, &mut batch),
        };
        let mut unnoted = Vec::new();
        for candidate in batch {
            let removed = match self.run {
                Run::Dry => Ok(()),
                Run::Real => swept.dir.remove_file(candidate.name.as_str()),
            };
            match removed {
                Ok(()) if !noted => unnoted.push(candidate.name.clone()),
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.failed(swept.at.child(candidate.name.as_str()).spelled(), &error);
                    continue;
                }
            }
            self.expired(swept, &candidate);
        }
        // The disk was full; now there is room.
        if !unnoted.is_empty()
            && let Err(error) = append_expired(&swept.dir, &unnoted, self.now)
        {
            self.failed(swept.at.spelled(), &error);
        }
    }

    /// Notes a batch as expired; false where that could not be written. Then only
    /// what the manifest lists stays in the batch: its line alone makes a 410.
    fn note(&mut self, swept: &Swept<'_>, batch: &mut Vec<Candidate>) -> bool {
        if swept.manifest.is_none() {
            return true;
        }
        let names: Vec<FileName> = batch.iter().map(|candidate| candidate.name.clone()).collect();
        match append_expired(&swept.dir, &names, self.now) {
            Ok(()) => true,
            Err(error) => {
                self.failed(swept.at.spelled(), &error);
                batch.retain(|candidate| swept.lists(&candidate.name));
                false
            }
        }
    }

    fn expired(&mut self, swept: &Swept<'_>, candidate: &Candidate) {
        let expired = ExpiredFile {
            path: swept.at.child(candidate.name.as_str()).spelled().to_owned(),
            lro: is_lro(&candidate.name),
            bytes: candidate.bytes,
            age: candidate.age,
            call: swept.call(&candidate.name),
        };
        (self.events)(SweepEvent::Expired(&expired));
        self.report.bytes += candidate.bytes;
        self.report.expired.push(expired);
    }

    /// Removes a half-written file that nobody writes any more.
    fn temporary(&mut self, swept: &Swept<'_>, name: &str) {
        let removed = (|| {
            let metadata = swept.dir.symlink_metadata(name)?;
            let lifetime = Some(self.lifetimes.temporary);
            let old = is_over(modified(&metadata)?, lifetime, self.now);
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

    fn failed(&mut self, path: &str, error: &io::Error) {
        let trouble = Trouble { path: path.to_owned(), why: error.to_string() };
        (self.events)(SweepEvent::Failed(&trouble));
        self.report.errors.push(trouble);
    }
}

/// True for the private files that become stored files: `.unburden-{ulid}.tmp`.
fn is_temporary(name: &str) -> bool {
    let ulid = name.strip_prefix(".unburden-").and_then(|rest| rest.strip_suffix(".tmp"));
    ulid.is_some_and(|text| ulid::Ulid::from_string(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{after, lifetimes, seconds, shop, start};
    use super::*;

    #[test]
    fn the_look_at_the_locked_file_decides() {
        let shop = shop();
        let name = shop.made("1", "x", start());
        let lives = lifetimes();
        for run in [Run::Real, Run::Dry] {
            let sweeper = Sweeper {
                lifetimes: &lives,
                now: after(3_600),
                run,
                events: &mut |_| {},
                report: SweepReport::default(),
            };
            let hold = |at: SystemTime| {
                shop.age(&name, at);
                let file =
                    open_named(&shop.open(), name.as_str(), OFlags::RDONLY, Mode::empty()).unwrap();
                sweeper.hold(&name, file, Some(seconds(3_600))).unwrap().is_some()
            };
            assert!(hold(start()));
            assert!(!hold(after(1)), "renewed since the first look");
        }
    }
}
