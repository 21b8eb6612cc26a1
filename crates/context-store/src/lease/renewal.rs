//! Renewing leases. A renewal and a sweep lock the file, so that it is either renewed or
//! gone, never both.

use std::io;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, File, Metadata, MetadataExt};
use fair_share::on;
use rayon::prelude::*;
use rustix::io::Errno;

use super::lifetimes::{Lifetimes, read_head};
use super::recorded;
use crate::clock::folder_clock;
use crate::folder::Folder;
use crate::index::folder_index::Index;
use crate::local::file_cache::FileStamp;
use crate::local::mtime::{SAME_MOMENT, modified, set_modified};
use crate::local::open::{is_own, lock_within, open_to_read};
use crate::local::private::PRIVATE;
use crate::local::store_folder::StoreFolder;
use crate::names::file_name::{FileName, has_own_ttl};
use crate::parallel::MIN_FILES_PER_TASK;
use crate::write::confirmed::KnownChat;

/// Tries for the lock of a file that a sweep holds, a millisecond apart.
const LOCK_TRIES: u32 = 1_000;

/// The state of a file after an attempt to renew its lease, or to record a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// The file exists, and no sweep deletes it before seven eighths of its lifetime have passed. A
    /// file of another user is never swept.
    Held,
    /// The file no longer exists: it must be written again.
    Gone,
}

/// Renews the leases of files. A lease with more than seven eighths left is not changed, so that
/// posting a history again is cheap. A lease moves forward, or back from a time in the future,
/// which only a wrong clock can have set.
pub(crate) fn renew(
    (store, chat): (&StoreFolder, &KnownChat),
    names: &[FileName],
    lifetimes: &Lifetimes,
    now: SystemTime,
) -> Vec<Lease> {
    let Ok(Some(folder)) = store.location.open_folder() else {
        return vec![Lease::Gone; names.len()];
    };
    let Some(dir) = folder.local() else {
        return recorded::renew(store, &folder, names, lifetimes, chat);
    };
    let renewal = Renewal { store, folder: &folder, dir, lifetimes, now };
    // Most leases are fresh, which their metadata shows.
    let look = |name| renewal.is_known_fresh(name);
    let fresh: Vec<bool> =
        on(|| names.par_iter().with_min_len(MIN_FILES_PER_TASK).map(look).collect());
    if fresh.contains(&false)
        && let Ok(Some(private)) = folder.open_folder(PRIVATE)
    {
        folder_clock::observe_if_set(store, &folder, &private);
    }
    let renew = |(name, fresh)| if fresh { Lease::Held } else { renewal.renew(name) };
    names.iter().zip(fresh).map(renew).collect()
}

struct Renewal<'a> {
    store: &'a StoreFolder,
    folder: &'a Folder,
    dir: &'a Dir,
    lifetimes: &'a Lifetimes,
    now: SystemTime,
}

impl Renewal<'_> {
    fn renew(&self, name: &FileName) -> Lease {
        match self.try_renew(name) {
            Ok(lease) => lease,
            Err(error) if matches!(error.raw_os_error(), None | Some(NOENT | LOOP)) => Lease::Gone,
            // The file exists, but its time cannot be set, or not even read.
            Err(error) => {
                tracing::warn!(%error, "a lease could not be renewed");
                Lease::Held
            }
        }
    }

    /// Returns true if metadata shows that the file needs no renewal. For a large result, the file
    /// must be opened to know its lifetime.
    fn is_known_fresh(&self, name: &FileName) -> bool {
        let is_fresh = || -> io::Result<bool> {
            let metadata = self.dir.symlink_metadata(name.as_str())?;
            let ttl = self.lifetimes.store;
            Ok(metadata.is_file() && (!is_own(&metadata) || self.is_fresh(&metadata, ttl)?))
        };
        !has_own_ttl(name) && is_fresh().unwrap_or(false)
    }

    fn try_renew(&self, name: &FileName) -> io::Result<Lease> {
        let (file, metadata) = open_to_read(self.dir, name.as_str())?;
        if !is_own(&metadata) {
            return Ok(Lease::Held);
        }
        let recorded =
            || Index::open(self.folder).ok()??.records.get(name).ok()??.origin.ttl_seconds;
        let ttl = self.lifetimes.of(name, recorded, &read_head(&file, name)?);
        if self.is_fresh(&metadata, ttl)? {
            return Ok(Lease::Held);
        }
        // Without locks, a sweep checks once more directly before it deletes, which limits the race
        // to a few microseconds.
        if let Ok(false) = lock_within(&file, LOCK_TRIES) {
            return Ok(Lease::Gone);
        }
        self.renew_locked(name, &file)
    }

    /// Returns true if no more than an eighth of the lifetime has passed, and the lease did not
    /// begin in the future: once the clock is corrected, the file's age would be wrong.
    fn is_fresh(&self, metadata: &Metadata, ttl: Option<Duration>) -> io::Result<bool> {
        let since = modified(metadata)?;
        Ok(ttl.is_none_or(|ttl| match self.now.duration_since(since) {
            Ok(age) => age <= ttl / 8,
            Err(ahead) => ahead.duration() <= SAME_MOMENT,
        }))
    }

    /// Sets the time of a locked file and updates its entry in the cache.
    fn renew_locked(&self, name: &FileName, file: &File) -> io::Result<Lease> {
        let before = file.metadata()?;
        if before.nlink() == 0 {
            return Ok(Lease::Gone);
        }
        // Another renewal may have come first, a moment later by its clock.
        let since = modified(&before)?;
        if since >= self.now && since <= self.now + SAME_MOMENT {
            return Ok(Lease::Held);
        }
        set_modified(file, self.now)?;
        let (cache, key) = (&self.store.cache, self.store.cache_key(name));
        if let Some(hash) = cache.synced_hash(&key, FileStamp::of(&before))
            && let Ok(metadata) = file.metadata()
        {
            cache.add_synced(key, FileStamp::of(&metadata), hash);
        }
        Ok(Lease::Held)
    }
}

const NOENT: i32 = Errno::NOENT.raw_os_error();
const LOOP: i32 = Errno::LOOP.raw_os_error();

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
