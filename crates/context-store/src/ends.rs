//! Ending files: records say that they ended, and are on the disk, before a file is
//! deleted. So whatever happens in between leaves a file or a 410, never a 404.

use std::thread::{self, Builder};

use super::FileName;
use super::index::Index;
use super::record::Record;

/// Most files that are ended at a time, under one lock.
pub(super) const BATCH: usize = 256;

/// Records that are synced side by side: the disk merges the syncs. These threads are
/// none of the writers, who may wait for the lock that is held here.
const THREADS: usize = 8;

/// Replaces the records of files that ended; true for each where that is on the disk.
/// The index must be locked.
pub(super) fn put(index: &Index, records: &[(&FileName, Record)]) -> Vec<bool> {
    let put = |records: &[(&FileName, Record)]| -> Vec<bool> {
        records.iter().map(|(name, record)| put_one(index, name, record)).collect()
    };
    if records.len() <= 1 {
        let is_put = put(records);
        return is_put.into_iter().map(|is_put| is_put && index.sync().is_ok()).collect();
    }
    let put = &put;
    let mut is_put = Vec::with_capacity(records.len());
    thread::scope(|scope| {
        let mut begun = Vec::new();
        for part in records.chunks(records.len().div_ceil(THREADS)) {
            begun.push((part, Builder::new().spawn_scoped(scope, move || put(part)).ok()));
        }
        for (part, thread) in begun {
            is_put.extend(match thread {
                Some(thread) => thread.join().unwrap_or_else(|_| vec![false; part.len()]),
                None => put(part),
            });
        }
    });
    let is_synced = index.sync().is_ok();
    is_put.into_iter().map(|is_put| is_put && is_synced).collect()
}

fn put_one(index: &Index, name: &FileName, record: &Record) -> bool {
    let put = index.replace_synced(name, record);
    put.inspect_err(|error| tracing::warn!(%error, "the end of a file could not be noted")).is_ok()
}
