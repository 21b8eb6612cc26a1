//! The sweep: deletes the files that expired (`lro-spec-1600`, "Cleanup and Lifecycle"). One
//! bad file does not stop it. Its memory does not grow with the number of files.

pub(crate) mod folder;
pub(crate) mod forget;
pub(crate) mod objects;
pub(crate) mod options;
pub(crate) mod report;

use std::collections::HashSet;

use crate::objects::client::Objects;
use crate::read::store_folders::find_store_folders;
use crate::report::Run;
use folder::Sweeper;
use options::SweepOptions;
use report::{SweepEvent, SweepReport};

/// Sweeps folders and reports; `events` gets each file after it was handled.
///
/// Only regular files of this process's user are ever deleted. A file that is renewed while
/// the sweep runs survives: both lock it. On a file system without locks, the lease is read
/// again right before the file is deleted, and only a renewal between these two calls is
/// lost. The manifest of an earlier version is moved into the index first.
pub fn sweep(options: &SweepOptions<'_>, events: &mut dyn FnMut(SweepEvent<'_>)) -> SweepReport {
    let report = SweepReport { complete: true, ..SweepReport::default() };
    let mut sweeper = Sweeper { options, events, report, lock: None };
    match options.roots.objects().map(Objects::sweep_lock).transpose() {
        // Another replica sweeps; or nobody else can.
        Ok(Some(None)) if options.run == Run::Real => return sweeper.report,
        Ok(lock) => sweeper.lock = lock.flatten(),
        Err(error) => {
            sweeper.failed("", &error);
            return sweeper.report;
        }
    }
    let found = find_store_folders(options.roots);
    sweeper.report.complete = found.complete;
    let mut seen = HashSet::new();
    for folder in options.folders.iter().chain(&found.folders) {
        if seen.insert(folder.key()) {
            sweeper.sweep(&folder.unhurried());
        }
    }
    sweeper.report
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod life_tests;
