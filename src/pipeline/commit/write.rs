//! Writes the files of a decision. If another request takes a name in the meantime, the file gets
//! the next name, and the replacement in the history refers to that.

use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

use crate::pipeline::answer::CreatedFiles;
use crate::pipeline::commit::record::{origin_of, own_origin};
use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::stored_text;
use crate::pipeline::moves::item::{Destination, Move};
use crate::pipeline::moves::render::{FileContent, render_settings, replacement_of};
use crate::pipeline::snapshots::set::Snapshots;
use context_store::{Claim, ClaimedFile, FileName, Lease, StoreError};

/// Writes results, originals and lists; returns which files are new.
pub(crate) fn write(
    context: &Context<'_>,
    decision: &mut Decision,
) -> Result<CreatedFiles, StoreError> {
    renew_stored(context, decision);
    let moves = write_moves(context, &mut decision.moves)?;
    let files = match &mut decision.snapshots {
        Some((_, snapshots)) => write_files(context, snapshots)?,
        None => Vec::new(),
    };
    Ok(CreatedFiles { moves, files })
}

/// Renews the leases of existing files. Files that have ended since they were claimed are written
/// again.
fn renew_stored(context: &Context<'_>, decision: &mut Decision) {
    let moved = decision.moves.iter_mut().filter_map(|item| match &mut item.destination {
        Destination::NewFile { claim, .. } => Some(claim),
        Destination::ExistingFile { .. } => None,
    });
    let own = decision.snapshots.iter_mut().flat_map(|(_, snapshots)| &mut snapshots.files);
    let claims = moved.chain(own.map(|file| &mut file.claim));
    let stored: Vec<&mut Claim> = claims.filter(|claim| claim.stored).collect();
    let names: Vec<FileName> = stored.iter().map(|claim| claim.name.clone()).collect();
    if names.is_empty() {
        return;
    }
    let lifetimes = &context.offloader.lifetimes;
    let leases = context.store.renew(&names, lifetimes, SystemTime::now());
    for (claim, lease) in stored.into_iter().zip(leases) {
        claim.stored = lease == Lease::Held;
    }
}

/// Writes the originals and lists of snapshots.
fn write_files(context: &Context<'_>, snapshots: &mut Snapshots) -> Result<Vec<bool>, StoreError> {
    let new: Vec<usize> =
        (0..snapshots.files.len()).filter(|n| !snapshots.files[*n].claim.stored).collect();
    let mut created = vec![false; snapshots.files.len()];
    let mut renamed = HashMap::new();
    // Sequentially, so that the numbers of existing files have no gap, and another request with the
    // same messages finds the same files.
    for n in new {
        let file = &snapshots.files[n];
        let (stem, claim) = (file.stem.clone(), file.claim.clone());
        let files = [ClaimedFile { stem, claim, origin: own_origin(context) }];
        let others = |name: &FileName| {
            snapshots.names(&context.store.path_of(name))
                || snapshots.files.iter().any(|file| file.claim.name == *name)
        };
        let content = |_| file.content.as_str().into();
        let claim = context.store.write_except(&others, &files, content)?.remove(0);
        created[n] = !claim.stored;
        let old = context.store.path_of(&file.claim.name);
        let path = context.store.path_of(&claim.name);
        if old != path {
            renamed.insert(old, path);
        }
        snapshots.files[n].claim = claim;
    }
    snapshots.rename(&renamed);
    Ok(created)
}

/// Writes the missing files; returns which moves wrote one.
fn write_moves(context: &Context<'_>, moves: &mut [Move]) -> Result<Vec<bool>, StoreError> {
    let mut seen = HashSet::new();
    let mut new: Vec<usize> = Vec::new();
    for (index, item) in moves.iter().enumerate() {
        if let Destination::NewFile { claim, .. } = &item.destination
            && !claim.stored
            && seen.insert(claim.name.clone())
        {
            new.push(index);
        }
    }
    let files: Vec<ClaimedFile> = new
        .iter()
        .filter_map(|index| match &moves[*index].destination {
            Destination::NewFile { stem, claim, .. } => Some(ClaimedFile {
                stem: stem.clone(),
                claim: claim.clone(),
                origin: origin_of(context, &moves[*index]),
            }),
            Destination::ExistingFile { .. } => None,
        })
        .collect();
    if files.is_empty() {
        return Ok(vec![false; moves.len()]);
    }
    let text = |index: usize| stored_text(context, &moves[new[index]]);
    let written = context.store.write(&files, text)?;
    for (ClaimedFile { claim: asked, .. }, got) in files.iter().zip(&written) {
        if asked.name != got.name {
            rename_moves(context, moves, asked, got)?;
        }
    }
    let mut created = vec![false; moves.len()];
    for (index, claim) in new.iter().zip(&written) {
        created[*index] = !claim.stored;
    }
    Ok(created)
}

/// Renames moves: another request took a name in the meantime, and their content got the next one.
fn rename_moves(
    context: &Context<'_>,
    moves: &mut [Move],
    asked: &Claim,
    got: &Claim,
) -> Result<(), StoreError> {
    for item in moves.iter_mut() {
        let Destination::NewFile { claim, records, .. } = &mut item.destination else { continue };
        if claim.name == asked.name {
            *claim = got.clone();
            item.path = context.store.path_of(&got.name);
            let (records, words) = (records.as_ref(), render_settings(context, item.budget)?);
            let file = FileContent { path: &item.path, content: got.hash };
            item.replacement = replacement_of(context, &item.candidate, records, file, &words);
        }
    }
    Ok(())
}
