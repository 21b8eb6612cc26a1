//! The sweep: deletes what has expired, in the folders it is given and in every
//! folder under the roots that holds a manifest (lro-spec-1600, "Cleanup and
//! Lifecycle"). One bad file does not stop it.

use std::collections::HashSet;
use std::time::SystemTime;

use super::sweep_folder::Sweeper;
use super::walk::walk;
use super::{Lifetimes, Location, Roots, Run, SweepEvent, SweepReport};

/// Sweeps `folders` and every folder under `roots` that holds a manifest.
///
/// In a folder with a manifest, all of the store's files can expire. In one
/// without, only large results that say so themselves can, and only where the
/// folder is one of `folders`. Only regular files of this process's user are
/// ever deleted. `now` is handed in ([`super::SweepClock`]); a file from after
/// it has not expired. `events` hears of each file after it was dealt with.
///
/// A file that is renewed while the sweep runs survives: both lock it. Where the
/// file system has no locks, the lease is read again right before the file is
/// deleted, and only a renewal between these two calls is lost.
pub fn sweep(
    roots: &Roots,
    folders: &[Location],
    lifetimes: &Lifetimes,
    now: SystemTime,
    run: Run,
    events: &mut dyn FnMut(SweepEvent<'_>),
) -> SweepReport {
    let found = walk(roots);
    let report = SweepReport { complete: found.complete, ..SweepReport::default() };
    let mut sweeper = Sweeper { lifetimes, now, run, events, report };
    let mut seen = HashSet::new();
    for folder in folders.iter().chain(&found.folders) {
        if seen.insert(folder.key()) {
            sweeper.folder(folder);
        }
    }
    sweeper.report
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "sweep_life_tests.rs"]
mod life_tests;
