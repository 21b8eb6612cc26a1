//! Cached snapshots: the snapshots of a prefix of a history, stored under the hash of that prefix.
//! The same history needs no second model call. A longer one keeps its beginning, and its tail is
//! summarised only once it is large again.

use std::collections::{BTreeMap, BTreeSet};

use blake3::{Hash, Hasher};
use redact::Redact;
use serde::{Deserialize, Serialize};

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::report::SnapshotReport;
use crate::pipeline::settings::CountedParts;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use crate::snapshot::format::place::Place;
use crate::snapshot::region::Region;
use crate::snapshot::retention::Retention;
use context_store::{Ahead, Code, Key, Location, Stem};

/// The version of the record's format; records of other versions are ignored.
const VERSION: u32 = 5;
/// The purpose that the codes of records are bound to.
const PURPOSE: &str = "kept snapshot";
const OPEN: &str = "{\"code\":\"";
const BETWEEN: &str = "\",\"record\":";
/// Maximum number of prefixes to look up, the longest first. Each look-up costs a disk access, and
/// a tail of more turns than these would be compressed again anyway.
const LOOK_BACK: usize = 4_096;
/// Number of prefixes to look up in parallel in an object store.
const RUN: usize = 32;

/// A record with cached snapshots.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedSnapshots {
    version: u32,
    /// The hash of the prefix that the snapshots replace.
    key: String,
    /// The snapshots, as they are in the system message.
    pub(crate) blocks: Vec<String>,
    /// Their report.
    pub(crate) snapshot: SnapshotReport,
    pub(crate) retention: Retention,
    /// The files with the original messages, each with the hash of its content.
    pub(crate) originals: BTreeMap<String, String>,
    /// The texts after these messages that moved together with them.
    moves: BTreeSet<Moved>,
}

/// A moved text: the index of its message, its first byte in the message, the hash of its file, and
/// the size of its preview.
type Moved = (usize, usize, String, u64);

fn moved(item: &Move) -> Moved {
    let (index, start) = item.candidate.at();
    (index, start, item.destination.content().to_hex().to_string(), item.budget.whole())
}

impl CachedSnapshots {
    pub(crate) fn new(
        key: &Hash,
        blocks: Vec<String>,
        snapshot: SnapshotReport,
        retention: Retention,
        originals: BTreeMap<String, String>,
        moves: &[Move],
    ) -> CachedSnapshots {
        CachedSnapshots {
            version: VERSION,
            key: key.to_hex().to_string(),
            blocks,
            snapshot,
            retention,
            originals,
            moves: moves.iter().map(moved).collect(),
        }
    }

    /// Returns true if this move was made with the snapshots, with a preview of the same size.
    pub(crate) fn has_moved(&self, item: &Move) -> bool {
        self.moves.contains(&moved(item))
    }

    /// Returns true if a text at this position moved with the snapshots, with a preview of this
    /// size.
    pub(crate) fn has_moved_at(&self, at: (usize, usize), preview: PreviewSize) -> bool {
        let behind = self.moves.range((at.0, at.1, String::new(), 0)..);
        let mut there = behind.take_while(|moved| (moved.0, moved.1) == at);
        there.any(|moved| moved.3 == preview.whole())
    }

    /// Parses the snapshots. The record itself was verified before ([`verified`]).
    pub(crate) fn read(&self) -> Vec<Block> {
        Block::find_all(&self.blocks.join("\n\n"), &|_, _| true).blocks
    }

    /// Renders the record for its file, preceded by its code. The code is required because the
    /// content gets into prompts and system messages.
    pub(crate) fn sealed(&self, key: &Key) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let code = key.code(PURPOSE, &[text.as_bytes()]);
        format!("{OPEN}{code}{BETWEEN}{text}}}")
    }
}

/// Returns the record in a file if its code is valid.
fn verified(file: &str, key: &Key) -> Option<CachedSnapshots> {
    let (code, text) = file.strip_prefix(OPEN)?.strip_suffix('}')?.split_once(BETWEEN)?;
    let proven = Code::parse(code)? == key.code(PURPOSE, &[text.as_bytes()]);
    proven.then(|| serde_json::from_str(text).ok()).flatten()
}

/// Returns true if the file at `path` has content with this hash.
fn has_content(context: &Context<'_>, path: &str, hash: &str) -> bool {
    let content = originals_hash(context, path);
    content.is_some_and(|content| content.to_hex().as_str() == hash)
}

/// Returns the hash of a group's file, in any root.
pub(crate) fn originals_hash(context: &Context<'_>, path: &str) -> Option<Hash> {
    let at = context.roots.locate(path).ok()?;
    context.reader.hash(&at).ok()
}

/// Returns the end and the hash of each prefix of the region that ends where a unit ends. For
/// system messages only their positions count, because they stay and may change from turn to turn.
///
/// The settings that decide which texts move count as well, because a snapshot names the files that
/// its messages were moved to.
pub(crate) fn prefix_keys(
    context: &Context<'_>,
    place: &Place,
    region: &Region,
) -> Vec<(usize, Hash)> {
    let settings = context.settings;
    let mut hasher = Hasher::new();
    // The spelling is part of the keys of stored records.
    let about = format!(
        "{VERSION} {summariser:?} {store_dir:?} {chat_id:?} {group_token_threshold} \
         {target_tokens:?} {low_water_ratio} {reload_tools:?} {tokenizer:?} {is_beside} {mode:?} \
         {compact_ratio_threshold} {max_tool_message_tokens} {compact_roles:?} {preview:?} \
         {materialize} {descriptor:?}",
        summariser = context.offloader.summariser.identity(),
        store_dir = settings.store_dir,
        chat_id = settings.chat_id,
        group_token_threshold = settings.group_token_threshold,
        target_tokens = settings.target_tokens,
        low_water_ratio = settings.low_water_ratio,
        reload_tools = settings.reload_tools,
        tokenizer = context.tokenizer,
        is_beside = place.is_beside(),
        mode = settings.mode(),
        compact_ratio_threshold = settings.compact_ratio_threshold,
        max_tool_message_tokens = settings.max_tool_message_tokens,
        compact_roles = settings.compact_roles,
        preview = settings.preview(),
        materialize = settings.materialize,
        descriptor = settings.descriptor,
    );
    hasher.update(about.as_bytes());
    // A snapshot that was made with visible secrets must not be used where they are redacted.
    if context.offloader.redact != Redact::Off {
        hasher.update(format!("{:?}", context.offloader.redact).as_bytes());
    }
    // Otherwise the room for a snapshot differs.
    if settings.counted_parts == CountedParts::Messages {
        hasher.update(b"messages");
    }
    for block in &place.blocks {
        hasher.update(block.render().as_bytes());
    }
    hasher.update(&(region.range().start as u64).to_le_bytes());
    let mut prefixes = Vec::with_capacity(region.units.len());
    for (unit, _) in &region.units {
        for index in unit.clone() {
            let raw =
                context.is_compressible(index).then(|| context.request.history.messages()[index]);
            let length = raw.map_or(u64::MAX, |raw| raw.len() as u64);
            hasher.update(&length.to_le_bytes());
            hasher.update(raw.unwrap_or_default().as_bytes());
        }
        prefixes.push((unit.end, hasher.finalize()));
    }
    prefixes
}

/// Returns the end and the snapshots of the longest prefix that has a record.
pub(crate) fn cached_snapshots(
    context: &Context<'_>,
    prefixes: &[(usize, Hash)],
) -> Option<(usize, CachedSnapshots)> {
    let file_of = |key: &Hash| {
        let name = Stem::of_snapshot(key).names(key).next()?;
        Some(context.store.folder().child(name.as_str()))
    };
    let latest: Vec<&(usize, Hash)> = prefixes.iter().rev().take(LOOK_BACK).collect();
    let runs = latest.chunks(RUN).flat_map(|run| {
        if context.roots.objects().is_some() {
            let files: Vec<Location> = run.iter().filter_map(|(_, key)| file_of(key)).collect();
            context.reader.look_ahead(&files, Ahead::Records);
        }
        run
    });
    runs.into_iter().find_map(|(end, key)| {
        let at = file_of(key)?;
        if let Some((dir, path)) = at.local() {
            dir.symlink_metadata(path).ok()?;
        }
        // A record that cannot be read, or whose files are missing, does not count.
        let stored = context.reader.text(&at).ok()?;
        let kept = verified(&stored.text, &context.reader.key(context.store.folder())?)?;
        let blocks = kept.read();
        let whole = blocks.len() == kept.blocks.len()
            && (kept.version, kept.key.as_str()) == (VERSION, key.to_hex().as_str());
        let mut files = blocks.iter().flat_map(|block| &block.originals).flat_map(Originals::paths);
        let known = &kept.originals;
        // The number of a group may have been assigned again since.
        let held =
            |path: String| known.get(&path).is_some_and(|hash| has_content(context, &path, hash));
        (whole && !known.is_empty() && files.all(held)).then_some((*end, kept))
    })
}
