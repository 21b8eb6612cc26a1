//! The snapshots of a compression with their files, or the reason that there are none.

use std::collections::HashMap;

use crate::pipeline::report::SnapshotReport;
use crate::snapshot::format::block::Block;
use crate::snapshot::retention::Retention;
use context_store::{Claim, Key, Stem, StoreError};

/// The reason that there are no snapshots.
pub(crate) enum NoSnapshot {
    /// No snapshot is small enough or retains enough; the history is compacted only.
    Reason(String),
    /// The model returned no acceptable snapshot.
    Model(String),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for NoSnapshot {
    fn from(error: StoreError) -> NoSnapshot {
        NoSnapshot::Store(error)
    }
}

/// A file of a compression.
pub(crate) struct NewFile {
    pub(crate) stem: Stem,
    pub(crate) claim: Claim,
    pub(crate) path: String,
    pub(crate) content: String,
}

/// The snapshots of a compression.
pub(crate) struct Snapshots {
    pub(crate) blocks: Vec<Block>,
    /// Files with originals, and lists of files, in the order of the groups.
    pub(crate) files: Vec<NewFile>,
    pub(crate) report: SnapshotReport,
    pub(crate) retention: Retention,
}

/// Returns true if `path` names a file with originals of one of the snapshots.
pub(crate) fn holds(blocks: &[Block], path: &str) -> bool {
    blocks.iter().flat_map(|block| &block.originals).any(|originals| originals.holds(path))
}

impl Snapshots {
    /// Returns true if `path` names a file of one of the groups or merged snapshots.
    pub(crate) fn names(&self, path: &str) -> bool {
        holds(&self.blocks, path)
    }

    /// Signs each snapshot. Their text must not change afterwards.
    pub(crate) fn seal(&mut self, key: &Key) {
        self.blocks.iter_mut().for_each(|block| block.seal(key));
    }

    /// Renames files whose names were taken by other requests in the meantime. Renames all at once,
    /// because the new name of one file may be the old name of another.
    pub(crate) fn rename(&mut self, renamed: &HashMap<String, String>) {
        let rename = |path: &mut String| {
            if let Some(new) = renamed.get(path) {
                path.clone_from(new);
            }
        };
        self.files.iter_mut().for_each(|file| rename(&mut file.path));
        self.report.groups.iter_mut().for_each(|group| rename(&mut group.path));
        for block in &mut self.blocks {
            block.files.iter_mut().for_each(|file| rename(&mut file.path));
            block.more.iter_mut().for_each(|more| rename(&mut more.list));
            // Only the newest line belongs to this call.
            let own = block.originals.last_mut();
            let path = own.as_ref().and_then(|own| own.paths().next());
            if let (Some(own), Some(new)) = (own, path.and_then(|path| renamed.get(&path))) {
                own.rename(new);
            }
        }
    }
}
