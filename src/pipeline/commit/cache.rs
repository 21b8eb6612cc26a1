//! The cache of snapshots: those of a decision as a file of the store, so that the next post of
//! the history, on any replica, has them without another call of a model.

use crate::pipeline::commit::record::{mention, own_origin};
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::cached::{CachedSnapshots, originals_hash};
use crate::pipeline::snapshots::plan::Compression;
use crate::pipeline::snapshots::set::Snapshots;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use context_store::{ClaimedFile, Claims, Stem, StoreError};

/// Keeps the snapshots for the next call. Whether that works or not, this
/// answer stands.
pub(crate) fn cache(
    context: &Context<'_>,
    compression: &Compression,
    snapshots: &Snapshots,
    moves: &[Move],
) {
    let blocks = snapshots.blocks.iter().map(Block::render).collect();
    let originals = snapshots.blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
    let hashed = |path: String| {
        let hash = originals_hash(context, &path)?;
        Some((path, hash.to_hex().to_string()))
    };
    let (report, retention) = (snapshots.report.clone(), snapshots.retention);
    // A file that cannot be read makes the record useless, and ends the search.
    let record = CachedSnapshots::new(
        &compression.key,
        blocks,
        report,
        retention,
        originals.map_while(hashed).collect(),
        moves,
    );
    if let Err(error) = write(context, &record, &compression.key) {
        tracing::warn!(%error, "a snapshot could not be kept for its next use");
    }
}

fn write(
    context: &Context<'_>,
    record: &CachedSnapshots,
    key: &blake3::Hash,
) -> Result<(), StoreError> {
    let text = record.sealed(&context.key()?);
    let wanted = [(Stem::of_snapshot(key), blake3::hash(text.as_bytes()))];
    let claims = context.store.claim(&mut Claims::default(), &wanted)?;
    let [(stem, _)] = wanted;
    let new = |claim| ClaimedFile { stem: stem.clone(), claim, origin: own_origin(context) };
    let files: Vec<ClaimedFile> = claims.into_iter().map(new).collect();
    let written = context.store.write(&files, |_| text.as_str().into())?;
    let stored = written.into_iter().filter(|claim| claim.stored);
    mention(context, &stored.map(|claim| claim.name).collect::<Vec<_>>());
    Ok(())
}
