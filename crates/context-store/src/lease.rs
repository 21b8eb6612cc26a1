//! Leases: how long a stored file is readable. A file's lease runs from its
//! modification time for its lifetime; what is used again is renewed, only ever
//! forward. Renewing and sweeping lock the file, so that a file is either
//! renewed or gone, never both.

use std::io::{self, Read};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use fair_share::on;
use rayon::prelude::*;
use rustix::fs::{FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

use super::file::{is_own, lock_within, open_named};
use super::index::Index;
use super::ledger::Print;
use super::{FileName, LOOKS, Stem, Store, private};

/// How much of a large result's beginning a [`HeaderTtl`] is shown, in bytes.
pub const HEADER_BYTES: usize = 64 * 1024;

/// How often, a millisecond apart, a renewal asks for a file that a sweep holds.
const LOCK_TRIES: u32 = 1_000;

/// How far apart two clocks are that show the same moment.
const SAME_MOMENT: Duration = Duration::from_secs(2);

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
    /// The lifetime of `name`: of a large result that was given out by itself, what its
    /// header says, else its record (`recorded`, in seconds); else the folder's.
    pub(super) fn of(
        &self,
        name: &FileName,
        recorded: impl FnOnce() -> Option<u64>,
        head: &[u8],
    ) -> Option<Duration> {
        if !has_own_time(name) {
            return self.store;
        }
        match (self.header_ttl)(head) {
            Some(own) => own.map(Duration::from_secs),
            None => recorded().map(Duration::from_secs).or(self.lro),
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
pub(super) fn has_own_time(name: &FileName) -> bool {
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
    /// posted again costs little. A lease moves forward, or back from a future that
    /// only a wrong clock can have set.
    ///
    /// After a claim that found its content stored, this is what makes sure that
    /// no sweep took the file in between.
    pub fn renew(&self, names: &[FileName], lifetimes: &Lifetimes, now: SystemTime) -> Vec<Lease> {
        let Ok(folder) = self.folder().dir().open_dir(self.folder().relative()) else {
            return vec![Lease::Gone; names.len()];
        };
        let renewal = Renewal { store: self, folder, lifetimes, now };
        // Most leases are fresh, and a look without opening says so.
        let look = |name| renewal.is_seen_fresh(name);
        let fresh: Vec<bool> = on(|| names.par_iter().with_min_len(LOOKS).map(look).collect());
        if fresh.contains(&false)
            && let Ok(Some(private)) = private::open(&renewal.folder)
        {
            self.observe_clock(&renewal.folder, &private);
        }
        let renew = |(name, fresh)| if fresh { Lease::Held } else { renewal.renew(name) };
        names.iter().zip(fresh).map(renew).collect()
    }

    /// Begins the lease of a file anew that was written before and is given out again.
    pub(super) fn touch(&self, folder: &Dir, name: &FileName) {
        let touched = open_named(folder, name.as_str(), OFlags::RDONLY, Mode::empty()).and_then(
            |(file, metadata)| match is_own(&metadata) {
                true => date(&file, SystemTime::now()),
                false => Ok(()),
            },
        );
        if let Err(error) = touched {
            tracing::warn!(%error, "a lease could not be renewed");
        }
    }
}

/// Sets the time of a file that was just written where the file system has another
/// clock than this process.
pub(super) fn date_by_this_clock(file: &File) -> io::Result<()> {
    let (now, written) = (SystemTime::now(), modified(&file.metadata()?)?);
    let apart = now.duration_since(written).unwrap_or_else(|later| later.duration());
    if apart > SAME_MOMENT { date(file, now) } else { Ok(()) }
}

fn date(file: &File, at: SystemTime) -> io::Result<()> {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: since.subsec_nanos().into() },
    };
    Ok(rustix::fs::futimens(file, &times)?)
}

struct Renewal<'a> {
    store: &'a Store,
    folder: Dir,
    lifetimes: &'a Lifetimes,
    now: SystemTime,
}

impl Renewal<'_> {
    fn renew(&self, name: &FileName) -> Lease {
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

    /// True where a look at a file says that it needs no renewal; a large result must be
    /// opened to know its lifetime.
    fn is_seen_fresh(&self, name: &FileName) -> bool {
        let looked = || -> io::Result<bool> {
            let metadata = self.folder.symlink_metadata(name.as_str())?;
            let ttl = self.lifetimes.store;
            Ok(metadata.is_file() && (!is_own(&metadata) || self.is_fresh(&metadata, ttl)?))
        };
        !has_own_time(name) && looked().unwrap_or(false)
    }

    fn try_renew(&self, name: &FileName) -> io::Result<Lease> {
        let (file, metadata) =
            open_named(&self.folder, name.as_str(), OFlags::RDONLY, Mode::empty())?;
        if !is_own(&metadata) {
            return Ok(Lease::Held);
        }
        let recorded = || Index::open(&self.folder).ok()??.record(name)?.origin.ttl_seconds;
        let ttl = self.lifetimes.of(name, recorded, &head(&file, name)?);
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

    /// True where no more than an eighth of the lifetime has passed, and the lease did
    /// not begin in the future: its age would count from there when the clock is right.
    fn is_fresh(&self, metadata: &Metadata, ttl: Option<Duration>) -> io::Result<bool> {
        let since = modified(metadata)?;
        Ok(ttl.is_none_or(|ttl| match self.now.duration_since(since) {
            Ok(age) => age <= ttl / 8,
            Err(ahead) => ahead.duration() <= SAME_MOMENT,
        }))
    }

    /// Sets the time of a locked file and notes it with the hash it is known by.
    fn set(&self, name: &FileName, file: &File) -> io::Result<Lease> {
        let before = file.metadata()?;
        if before.nlink() == 0 {
            return Ok(Lease::Gone);
        }
        // Another renewal may have come first, a moment later.
        let since = modified(&before)?;
        if since >= self.now && since <= self.now + SAME_MOMENT {
            return Ok(Lease::Held);
        }
        date(file, self.now)?;
        let key = self.store.key(name);
        if let Some(hash) = self.store.ledger.content(&key, Print::of(&before)) {
            self.store.ledger.note(key, &file.metadata(), hash);
        }
        Ok(Lease::Held)
    }
}

const NOENT: i32 = rustix::io::Errno::NOENT.raw_os_error();
const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
