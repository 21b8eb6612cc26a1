//! The cache of snapshots: stores those of a decision in a file of the store, so that the next post
//! of the history, on any replica, has them without another call of a model.

use crate::pipeline::chat::chat_of;
use crate::pipeline::commit::record::{mention, own_origin};
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::cached::{CachedSnapshots, originals_hash};
use crate::pipeline::snapshots::plan::{Compression, plan_compression};
use crate::pipeline::snapshots::set::Snapshots;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use context_store::{ClaimedFile, Claims, Stem, StoreError};

/// Stores the snapshots for the next call. If that fails, this answer remains valid.
///
/// Returns false if posts of the history have other snapshots by now: of two concurrent posts, both
/// get the snapshots that were cached first.
pub(crate) fn cache(
    context: &Context<'_>,
    compression: &Compression,
    snapshots: &Snapshots,
    moves: &[Move],
) -> bool {
    let blocks: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
    let has_others = || has_others(context, compression, &blocks, moves);
    let chat = blake3::hash(chat_of(context).to_string().as_bytes());
    let _lock = context.offloader.snapshot_locks.take(chat.as_bytes());
    if has_others() {
        return false;
    }
    let originals = snapshots.blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
    let hashed = |path: String| {
        let hash = originals_hash(context, &path)?;
        Some((path, hash.to_hex().to_string()))
    };
    let (report, retention) = (snapshots.report.clone(), snapshots.retention);
    // A file that cannot be read makes the record useless, so hashing stops there.
    let record = CachedSnapshots::new(
        &compression.key,
        blocks.clone(),
        report,
        retention,
        originals.map_while(hashed).collect(),
        moves,
    );
    match write(context, &record, &compression.key) {
        Ok(is_first) => is_first || !has_others(),
        Err(error) => {
            tracing::warn!(%error, "a snapshot could not be kept for its next use");
            true
        }
    }
}

/// Returns true if snapshots other than these were cached since the compression was planned, and
/// they leave no group to compress.
fn has_others(
    context: &Context<'_>,
    compression: &Compression,
    blocks: &[String],
    moves: &[Move],
) -> bool {
    context.reader.forget_missing();
    let known = compression.cached.as_ref().map(|(end, _)| *end);
    let Ok(Some(now)) = plan_compression(context, moves, false) else { return false };
    now.groups.is_empty()
        && now.cached.is_some_and(|(end, cached)| known != Some(end) && cached.blocks != blocks)
}

/// Writes a record. Returns false if another record has its key.
fn write(
    context: &Context<'_>,
    record: &CachedSnapshots,
    key: &blake3::Hash,
) -> Result<bool, StoreError> {
    let text = record.sealed(&context.key()?);
    let wanted = [(Stem::of_snapshot(key), blake3::hash(text.as_bytes()))];
    let claims = context.store.claim(&mut Claims::default(), &wanted)?;
    let [(stem, _)] = wanted;
    let new = |claim| ClaimedFile { stem: stem.clone(), claim, origin: own_origin(context) };
    let files: Vec<ClaimedFile> = claims.into_iter().map(new).collect();
    let written = context.store.write(&files, |_| text.as_str().into())?;
    let is_first =
        written.iter().all(|claim| stem.names(&claim.hash).next().as_ref() == Some(&claim.name));
    let stored = written.into_iter().filter(|claim| claim.stored);
    mention(context, &stored.map(|claim| claim.name).collect::<Vec<_>>());
    Ok(is_first)
}
