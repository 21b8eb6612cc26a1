//! Leases: how long a stored file is readable. A file's lease runs from its
//! modification time for its lifetime; what is used again is renewed, only ever
//! forward. Renewing and sweeping lock the file, so that a file is either
//! renewed or gone, never both.

use std::collections::HashMap;
use std::io::{self, Read};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use rayon::prelude::*;
use rustix::fs::{FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

use super::file::{is_own, lock_within, open_named};
use super::ledger::{Print, Recorded};
use super::manifest::Manifest;
use super::{FileName, LOOKS, Stem, Store};

/// How much of a large result's beginning a [`HeaderTtl`] is shown, in bytes.
pub const HEADER_BYTES: usize = 64 * 1024;

/// How often, a millisecond apart, a renewal asks for a file that a sweep holds.
const LOCK_TRIES: u32 = 1_000;

/// Reads a lifetime in seconds from the first bytes of a large result's file:
/// None where its header says nothing, `Some(None)` where it says never.
pub type HeaderTtl = fn(&[u8]) -> Option<Option<u64>>;

/// How long files live that say nothing of their own.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// Tool results, groups, lists, kept snapshots; None = for good.
    pub store: Option<Duration>,
    /// Large results; None = for good.
    pub lro: Option<Duration>,
    /// What a process that died left half written.
    pub temporary: Duration,
    /// How a large result's header is read.
    pub header_ttl: HeaderTtl,
}

impl Lifetimes {
    /// The lifetime of `name`: what its header says, else what the manifest says
    /// (`listed`, in seconds), else the folder's.
    pub(super) fn of(&self, name: &FileName, listed: Option<u64>, head: &[u8]) -> Option<Duration> {
        let lro = has_own_time(name);
        if lro && let Some(own) = (self.header_ttl)(head) {
            return own.map(Duration::from_secs);
        }
        match listed {
            Some(seconds) => Some(Duration::from_secs(seconds)),
            None if lro => self.lro,
            None => self.store,
        }
    }
}

/// True where a lease that began at `modified` has run out. A moment that the
/// clock cannot name never comes, and a file from the future is not old.
pub(super) fn is_over(modified: SystemTime, ttl: Option<Duration>, now: SystemTime) -> bool {
    let end = ttl.and_then(|ttl| modified.checked_add(ttl));
    end.is_some_and(|end| now >= end)
}

/// True for a large result that was given out by itself. One of a compaction names
/// no moment, says no lifetime, and lives as its chat does.
fn has_own_time(name: &FileName) -> bool {
    Stem::lro_identity(name.as_str()).is_some_and(|lro| lro.ulid.timestamp_ms() > 0)
}

pub(super) fn is_lro(name: &FileName) -> bool {
    Stem::lro_identity(name.as_str()).is_some()
}

/// The first bytes of a large result, empty for any other file.
pub(super) fn head(file: &File, name: &FileName) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    if is_lro(name) {
        file.take(HEADER_BYTES as u64).read_to_end(&mut head)?;
    }
    Ok(head)
}

pub(super) fn modified(metadata: &Metadata) -> io::Result<SystemTime> {
    Ok(metadata.modified()?.into_std())
}

/// What became of a lease that was to be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// The file is there, and no sweep takes it before seven eighths of its
    /// lifetime have passed. A file that is not this user's is never swept.
    Held,
    /// There is no such file any more: it must be written again.
    Gone,
}

impl Store {
    /// Renews the leases of files that are used again, in order. A lease that
    /// has more than seven eighths left is left alone, so that a history that is
    /// posted again costs little. A lease only ever moves forward.
    ///
    /// After a claim that found its content stored, this is what makes sure that
    /// no sweep took the file in between.
    pub fn renew(&self, names: &[FileName], lifetimes: &Lifetimes, now: SystemTime) -> Vec<Lease> {
        let Ok(folder) = self.folder().dir().open_dir(self.folder().relative()) else {
            return vec![Lease::Gone; names.len()];
        };
        let mut renewal = Renewal { store: self, folder, lifetimes, now, listed: None };
        // Most leases are fresh, and a look without opening says so.
        let looked = names.par_iter().with_min_len(LOOKS);
        let fresh: Vec<bool> = looked.map(|name| renewal.is_seen_fresh(name)).collect();
        let renew = |(name, fresh)| if fresh { Lease::Held } else { renewal.renew(name) };
        names.iter().zip(fresh).map(renew).collect()
    }
}

struct Renewal<'a> {
    store: &'a Store,
    folder: Dir,
    lifetimes: &'a Lifetimes,
    now: SystemTime,
    /// The lifetimes of the manifest, once it had to be read.
    listed: Option<HashMap<FileName, Option<u64>>>,
}

impl Renewal<'_> {
    fn renew(&mut self, name: &FileName) -> Lease {
        match self.try_renew(name) {
            Ok(lease) => lease,
            Err(error) if matches!(error.raw_os_error(), None | Some(NOENT | LOOP)) => Lease::Gone,
            // The file is there, but its time cannot be set, or not even read.
            Err(error) => {
                tracing::warn!(%error, "a lease could not be renewed");
                Lease::Held
            }
        }
    }

    /// True where the ledger knows the lifetime of a file, and a look at it says that it
    /// needs no renewal.
    fn is_seen_fresh(&self, name: &FileName) -> bool {
        let known = self.store.ledger.recorded(&self.store.key(name));
        let Some(known) = known.filter(|_| !has_own_time(name)) else { return false };
        let metadata = self.folder.symlink_metadata(name.as_str());
        metadata.and_then(|m| self.looks_fresh(name, &m, known.ttl_seconds)).unwrap_or(false)
    }

    fn looks_fresh(
        &self,
        name: &FileName,
        metadata: &Metadata,
        listed: Option<u64>,
    ) -> io::Result<bool> {
        let ttl = self.lifetimes.of(name, listed, b"");
        Ok(metadata.is_file() && (!is_own(metadata) || self.is_fresh(metadata, ttl)?))
    }

    fn try_renew(&mut self, name: &FileName) -> io::Result<Lease> {
        if !has_own_time(name) {
            let metadata = self.folder.symlink_metadata(name.as_str())?;
            let listed = self.listed_ttl(name);
            if self.looks_fresh(name, &metadata, listed)? {
                return Ok(Lease::Held);
            }
        }
        let file = open_named(&self.folder, name.as_str(), OFlags::RDONLY, Mode::empty())?;
        let metadata = file.metadata()?;
        if !is_own(&metadata) {
            return Ok(Lease::Held);
        }
        let listed = self.listed_ttl(name);
        let ttl = self.lifetimes.of(name, listed, &head(&file, name)?);
        if self.is_fresh(&metadata, ttl)? {
            return Ok(Lease::Held);
        }
        // Where the file system has no locks, a sweep looks once more right
        // before it deletes; that window is a few microseconds.
        if let Ok(false) = lock_within(&file, FlockOperation::NonBlockingLockExclusive, LOCK_TRIES)
        {
            return Ok(Lease::Gone);
        }
        self.set(name, &file)
    }

    /// True where no more than an eighth of the lifetime has passed.
    fn is_fresh(&self, metadata: &Metadata, ttl: Option<Duration>) -> io::Result<bool> {
        let age = self.now.duration_since(modified(metadata)?).unwrap_or_default();
        Ok(ttl.is_none_or(|ttl| age <= ttl / 8))
    }

    /// Sets the time of a locked file and notes it with the hash it is known by.
    fn set(&self, name: &FileName, file: &File) -> io::Result<Lease> {
        let before = file.metadata()?;
        if before.nlink() == 0 {
            return Ok(Lease::Gone);
        }
        // Another renewal may have come first, with a later clock.
        if modified(&before)? >= self.now {
            return Ok(Lease::Held);
        }
        let since = self.now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
        let times = Timestamps {
            last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
            last_modification: Timespec { tv_sec: seconds, tv_nsec: since.subsec_nanos().into() },
        };
        rustix::fs::futimens(file, &times)?;
        let key = self.store.key(name);
        if let Some(hash) = self.store.ledger.content(&key, Print::of(&before)) {
            self.store.ledger.note(key, &file.metadata(), hash);
        }
        Ok(Lease::Held)
    }

    /// The lifetime that the manifest gives the file: from the ledger, or from
    /// the manifest, which is read once for all names of a request.
    fn listed_ttl(&mut self, name: &FileName) -> Option<u64> {
        let key = self.store.key(name);
        if let Some(known) = self.store.ledger.recorded(&key) {
            return known.ttl_seconds;
        }
        let listed = self.listed.get_or_insert_with(|| {
            let manifest = Manifest::read(&self.folder).ok().flatten().unwrap_or_default();
            let ttl = |(name, listing): (FileName, super::manifest::Listing)| {
                Some((name, listing.entry?.ttl_seconds))
            };
            manifest.files.into_iter().filter_map(ttl).collect()
        });
        let ttl_seconds = listed.get(name).copied().flatten();
        self.store.ledger.note_recorded(key, Recorded { hash: None, ttl_seconds });
        ttl_seconds
    }
}

const NOENT: i32 = rustix::io::Errno::NOENT.raw_os_error();
const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
