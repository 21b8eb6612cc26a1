//! The file of a folder's clock, in its private folder.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::eras::{Clock, STEP_MS};
use super::moment::Moment;
use crate::folder::{Folder, Version};
use crate::local::own_file::Synced;
use crate::local::store_folder::StoreFolder;
use crate::names::file_name::FileName;
use crate::report::Run;

/// The clock's file in the private folder.
const CLOCK: &str = "clock";

/// Maximum size of a clock's file, in bytes; this service's files are smaller.
pub(crate) const CLOCK_BYTES: usize = 16 * 1_024;

/// Observes the clock of a new private folder.
pub(crate) fn begin(private: &Folder) -> io::Result<()> {
    if private.local().is_none() {
        return Ok(());
    }
    let now = Moment::now();
    let mut clock = Clock::of(now.wall);
    clock.observe(&now);
    private.create(CLOCK, &clock.render(), Synced::No).map(drop)
}

/// Observes the clock of a folder. If it was never observed before, the time of the newest file is
/// the last known one. A clock that cannot be written is not an error: the time until the next
/// observation then counts for no file. For objects, the store sets the time.
pub(crate) fn observe(folder: &Folder, private: &Folder, now: &Moment, run: Run) -> Clock {
    if private.local().is_none() {
        return Clock::default();
    }
    let read = private.read(CLOCK, CLOCK_BYTES);
    let known = read.ok().flatten().and_then(|read| Clock::parse(&read.bytes));
    let mut clock = known.unwrap_or_else(|| {
        Clock::of(newest(folder).map_or(now.wall, |newest| newest.min(now.wall)))
    });
    clock.observe(now);
    if run == Run::Real {
        let written = private.replace(CLOCK, &clock.render(), Synced::No, &Version::default());
        if let Err(error) = written {
            tracing::warn!(%error, "the clock of a folder could not be written");
        }
    }
    clock
}

/// Observes the clock of a folder before a file gets a time: the first time, and whenever this
/// process noticed that the wall clock was set.
pub(crate) fn observe_if_set(store: &StoreFolder, folder: &Folder, private: &Folder) {
    let (now, key) = (Moment::now(), store.location.key());
    let steps = steps(&now);
    if store.cache.clock_steps(&key) != Some(steps) {
        observe(folder, private, &now, Run::Real);
        store.cache.set_clock_steps(key, steps);
    }
}

/// Returns the time of the newest file.
fn newest(folder: &Folder) -> Option<SystemTime> {
    let ours = folder.names().ok()?.flatten().filter(|name| FileName::parse(name).is_some());
    ours.filter_map(|name| Some(folder.stat(&name).ok()??.modified)).max()
}

/// Returns how often this process noticed that the wall clock was set.
fn steps(now: &Moment) -> u64 {
    static SEEN: Mutex<Option<(Moment, u64)>> = Mutex::new(None);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (base, steps) = seen.get_or_insert_with(|| (now.clone(), 0));
    let expected = base.wall_ms().saturating_add(now.up_ms() - base.up_ms());
    if now.wall_ms().saturating_sub(expected).abs() > STEP_MS {
        *steps += 1;
        *base = now.clone();
    }
    *steps
}
