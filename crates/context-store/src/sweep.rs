//! The sweep: deletes what has expired, in the folders it is given and in every
//! store under the roots (lro-spec-1600, "Cleanup and Lifecycle"). One bad file does
//! not stop it. Its memory does not grow with the number of files.

use super::sweep_folder::Sweeper;
use super::walk::walk;
use super::{Lifetimes, Location, Moment, Roots, Run, SweepEvent, SweepReport};
use std::collections::HashSet;

/// Sweeps `folders` and every store under `roots`.
///
/// In a folder with an index, all of the store's files can expire. In one
/// without, only large results that say so themselves can, and only where the
/// folder is one of `folders`. Only regular files of this process's user are
/// ever deleted. `now` is handed in; how old a file is by then, the folder's own
/// clock says. `events` hears of each file after it was dealt with.
///
/// The manifest of an earlier version is moved into the index first.
///
/// A file that is renewed while the sweep runs survives: both lock it. Where the
/// file system has no locks, the lease is read again right before the file is
/// deleted, and only a renewal between these two calls is lost.
pub fn sweep(
    roots: &Roots,
    folders: &[Location],
    lifetimes: &Lifetimes,
    now: &Moment,
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
