//! The sweep: deletes expired files (`lro-spec-1600`, "Cleanup and Lifecycle"). One bad file does
//! not stop it. Its memory does not grow with the number of files.

pub(crate) mod folder;
pub(crate) mod forget;
pub(crate) mod objects;
pub(crate) mod options;
pub(crate) mod report;

use std::collections::HashSet;

use crate::folder::is_changed;
use crate::read::store_folders::{StoreFolders, find_store_folders};
use crate::report::Run;
use folder::Sweeper;
use options::{Coverage, SweepOptions};
use report::{SweepEvent, SweepReport};

/// Sweeps folders and reports; calls `events` after each file was handled.
///
/// Only regular files of this process's user are ever deleted. A file that is renewed while the
/// sweep runs survives: both lock it. On a file system without locks, the lease is read again
/// directly before the file is deleted, and only a renewal between these two calls is lost.
pub fn sweep(options: &SweepOptions<'_>, events: &mut dyn FnMut(SweepEvent<'_>)) -> SweepReport {
    let report = SweepReport { complete: true, ..SweepReport::default() };
    let mut sweeper = Sweeper { options, events, report, lock: None };
    if let Some(objects) = options.roots.objects().filter(|_| options.run == Run::Real) {
        match objects.sweep_lock() {
            Ok(lock) => sweeper.lock = lock,
            Err(error) => sweeper.failed("", &error),
        }
        if sweeper.lock.is_none() {
            sweeper.report.elsewhere = sweeper.report.errors.is_empty();
            return sweeper.report;
        }
    }
    let found = match options.coverage {
        Coverage::Roots => find_store_folders(options.roots),
        Coverage::Folders => StoreFolders { folders: Vec::new(), complete: true },
    };
    sweeper.report.complete = found.complete;
    let mut seen = HashSet::new();
    for folder in options.folders.iter().chain(&found.folders) {
        if !seen.insert(folder.key()) {
            continue;
        }
        if let Err(error) = sweeper.keep_lock() {
            sweeper.report.elsewhere = is_changed(&error);
            sweeper.failed(folder.spelled(), &error);
            break;
        }
        sweeper.sweep(&folder.unhurried());
    }
    sweeper.report
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod life_tests;
