//! Renews leases: of the files that a posted history refers to, and of those that its groups
//! and lists refer to. The files are recorded as this chat's, so that no other chat's
//! deletion takes them. Only proven references and snapshots count: text of a tool that
//! names a file keeps nothing alive.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use chat_history::History;
use chat_history::message::MessageView;
use fair_share::on;
use rayon::prelude::*;

use crate::pipeline::chat::chat_of;
use crate::pipeline::context::Context;
use crate::reading::restore::proof::{originals, reference_texts};
use crate::snapshot::format::block::{Block, FileLine};
use context_store::{Ahead, FileName, Lease, Location, MissingIndex, Store, reference_key};

/// The time for which files that a group or a list refers to count as renewed.
const EXPANSION_INTERVAL: Duration = Duration::from_secs(3_600);
/// Most files of one history whose own references are looked at.
const FILES: usize = 256;
/// Most files of one history that are renewed, the latest first.
const RENEWED: usize = 10_000;
/// Messages are searched in runs of at least this many.
const RUN: usize = 16;

/// Renews what the history refers to. Nothing is opened where it refers to nothing.
pub(crate) fn renew_leases(context: &Context<'_>) {
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut next = files_of_blocks(context, &context.place().blocks);
    next.extend(referred_files(context, context.history(), &context.views()));
    let mut left = FILES;
    loop {
        let room = RENEWED.saturating_sub(seen.len());
        next.retain(|at| seen.insert(at.key()));
        next.truncate(room);
        if next.is_empty() {
            return;
        }
        renew(context, &next);
        let mut further = Vec::new();
        for at in next.iter().filter(|at| contains_references(at)) {
            let key = reference_key(chat_of(context), at);
            let fresh = context.offloader.expanded_files.get(&key);
            if left == 0 || fresh.is_some_and(|then| then.elapsed() < EXPANSION_INTERVAL) {
                continue;
            }
            left -= 1;
            let Ok(file) = context.reader.text(at) else { continue };
            context.offloader.expanded_files.insert(key, Instant::now());
            further.extend(files_inside(context, at, &file.text));
        }
        next = further;
    }
}

/// Returns the files of the proven references of a history, the latest first.
fn referred_files(
    context: &Context<'_>,
    history: &History<'_>,
    views: &[&MessageView],
) -> Vec<Location> {
    let prover = context.prover();
    let messages: Vec<(&str, &MessageView)> =
        history.messages().iter().copied().zip(views.iter().copied()).collect();
    prover.look_ahead(messages.iter().copied(), Ahead::Records);
    let of = |(raw, view): &(&str, &MessageView)| {
        let proven = reference_texts(raw, view).filter_map(|(id, text)| prover.proven(&text, id));
        proven.flat_map(|proven| prover.files(&proven)).collect::<Vec<Location>>()
    };
    let found: Vec<Vec<Location>> = on(|| messages.par_iter().with_min_len(RUN).map(of).collect());
    found.into_iter().rev().flatten().collect()
}

/// The files that snapshots name: originals, results, lists.
fn files_of_blocks(context: &Context<'_>, blocks: &[Block]) -> Vec<Location> {
    let files = blocks.iter().flat_map(|block| &block.files).map(|file| file.path.clone());
    let lists = blocks.iter().filter_map(|block| Some(block.more.as_ref()?.list.clone()));
    let roots = &context.roots;
    let paths = files.chain(lists).chain(originals(blocks));
    paths.take(RENEWED).filter_map(|path| roots.locate(&path).ok()).collect()
}

/// The files that a stored group or list refers to.
fn files_inside(context: &Context<'_>, at: &Location, content: &str) -> Vec<Location> {
    if at.spelled().ends_with(".json") {
        // A group of a history in another format refers to nothing that this one does.
        let Ok(group) = context.history().reparse(content) else { return Vec::new() };
        let views: Vec<MessageView> =
            (0..group.messages().len()).filter_map(|index| group.view(index).ok()).collect();
        if views.len() < group.messages().len() {
            return Vec::new();
        }
        return referred_files(context, &group, &views.iter().collect::<Vec<_>>());
    }
    let lines = content.lines().filter_map(FileLine::read);
    lines.filter_map(|line| context.roots.locate(&line.path).ok()).collect()
}

/// Renews files, and records that this chat refers to them.
pub(crate) fn renew(context: &Context<'_>, files: &[Location]) {
    let mut folders: BTreeMap<PathBuf, (Location, Vec<FileName>)> = BTreeMap::new();
    for at in files {
        let Some((folder, name)) = at.parent() else { continue };
        let Some(name) = FileName::parse(name) else { continue };
        let entry = folders.entry(folder.key());
        entry.or_insert_with(|| (folder, Vec::new())).1.push(name);
    }
    let (offloader, now) = (context.offloader, SystemTime::now());
    for (folder, names) in folders.into_values() {
        let file_cache = Arc::clone(&offloader.file_cache);
        let store = Store::new(folder, offloader.durability, file_cache);
        store.set_chat(chat_of(context), offloader.lifetimes);
        let leases = store.renew(&names, &offloader.lifetimes, now);
        let held = names.into_iter().zip(leases).filter(|(_, lease)| *lease == Lease::Held);
        let held: Vec<FileName> = held.map(|(name, _)| name).collect();
        if !held.is_empty() {
            store.note_references(chat_of(context), &held, MissingIndex::Skip);
        }
    }
}

/// Returns true for a group or a list, which refers to other files.
fn contains_references(at: &Location) -> bool {
    let name = at.parent().map(|(_, name)| name.to_owned()).unwrap_or_default();
    context_store::contains_references(&name)
}
