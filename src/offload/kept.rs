//! Kept snapshots: what a prefix of a history was compressed to, by the hash of
//! that prefix. The same history costs no second model call, and a longer one
//! keeps its beginning: the tail is compressed only when it is large again.

use blake3::{Hash, Hasher};
use serde::{Deserialize, Serialize};

use super::report::SnapshotReport;
use super::run::Job;
use crate::compression::block::Block;
use crate::compression::place::Place;
use crate::compression::region::Region;
use crate::compression::retention::Retention;
use crate::store::{Stem, read_regular, regular_len};

/// The form of the record; another is not read.
const VERSION: u32 = 1;

/// A record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    version: u32,
    /// The snapshots, as they stand in the system message.
    pub(super) blocks: Vec<String>,
    /// What was said of them.
    pub(super) snapshot: SnapshotReport,
    pub(super) retention: Retention,
}

impl Kept {
    pub(super) fn new(blocks: Vec<String>, snapshot: SnapshotReport, retention: Retention) -> Kept {
        Kept { version: VERSION, blocks, snapshot, retention }
    }

    /// The snapshots, read.
    pub(super) fn read(&self) -> Vec<Block> {
        Block::find_all(&self.blocks.join("\n\n")).blocks
    }
}

impl Job<'_> {
    /// The hash of each prefix of the region that ends where a unit ends. Of system
    /// messages only the places count: they stay, and may change from turn to turn.
    pub(super) fn prefixes(&self, place: &Place, region: &Region) -> Vec<(usize, Hash)> {
        let settings = self.settings;
        let mut hasher = Hasher::new();
        let about = format!(
            "{VERSION} {:?} {:?} {:?} {} {:?} {:?} {:?}",
            self.offloader.summariser.identity(),
            settings.store_dir,
            settings.chat_id,
            settings.group_token_threshold,
            settings.target_tokens,
            settings.reload_tools,
            self.tokenizer,
        );
        hasher.update(about.as_bytes());
        for block in &place.blocks {
            hasher.update(block.render().as_bytes());
        }
        hasher.update(&(region.range().start as u64).to_le_bytes());
        let mut prefixes = Vec::with_capacity(region.units.len());
        for (unit, _) in &region.units {
            for index in unit.clone() {
                let raw = self.leaves(index).then(|| self.request.history.messages()[index]);
                let length = raw.map_or(u64::MAX, |raw| raw.len() as u64);
                hasher.update(&length.to_le_bytes());
                hasher.update(raw.unwrap_or_default().as_bytes());
            }
            prefixes.push((unit.end, hasher.finalize()));
        }
        prefixes
    }

    /// The snapshot of the longest prefix that has one, and where that ends.
    pub(super) fn kept(&self, prefixes: &[(usize, Hash)]) -> Option<(usize, Kept)> {
        prefixes.iter().rev().find_map(|(end, key)| {
            let name = Stem::of_kept(key).names(key).next()?;
            let at = self.store.folder().child(name.as_str());
            regular_len(&at).ok()?;
            // A record that cannot be read, or whose files are gone, is no record.
            let kept: Kept = serde_json::from_str(&read_regular(&at).ok()?).ok()?;
            let blocks = kept.read();
            let whole = blocks.len() == kept.blocks.len() && kept.version == VERSION;
            let there = |path: &String| {
                let at = self.offloader.roots.locate(path);
                at.is_ok_and(|at| regular_len(&at).is_ok())
            };
            let mut originals = blocks.iter().flat_map(|block| &block.originals);
            let found = originals.all(|group| group.paths.iter().all(there));
            (whole && found).then_some((*end, kept))
        })
    }
}
