//! Renews the leases of the files that a posted history refers to, and of those that its groups and
//! lists refer to. Records that this chat refers to them, so that no other chat's deletion removes
//! them. Only proven references and snapshots count: a tool's text that names a file keeps nothing
//! alive. A file that `/offload_result` returned is renewed wherever its name occurs, because
//! nobody can guess the name; it still belongs to no chat.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use chat_history::History;
use chat_history::footprint::{CACHE_ENTRY_BYTES, block_bytes};
use chat_history::message::MessageView;
use fair_share::on;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rayon::prelude::*;

use crate::measure::text_of;
use crate::pipeline::chat::chat_of;
use crate::pipeline::context::Context;
use crate::reading::restore::proof::{originals, reference_texts};
use crate::snapshot::format::block::{Block, FileLine};
use context_store::{
    Ahead, FileName, Lease, Location, MissingIndex, Store, has_own_ttl, names_in, path_at,
    reference_key,
};

/// The time after which a group or a list is read again: a reference in it may have been unproven,
/// because a file could not be read at that time.
const EXPANSION_INTERVAL: Duration = Duration::from_secs(3_600);
/// Maximum number of files of one history that are read for their own references.
const FILES: usize = 256;
/// Maximum number of files of one history that are renewed, the latest first.
const RENEWED: usize = 10_000;
/// Maximum number of bytes before a name in which its path may begin.
const PATH_BYTES: usize = 4_096;
/// Minimum number of messages in a run that is searched.
const RUN: usize = 16;

/// The paths that groups and lists refer to, by chat and file.
pub(crate) type ExpandedFiles = Cache<blake3::Hash, Arc<Expansion>, ExpansionBytes>;

/// The references inside a group or a list.
#[derive(Debug)]
pub(crate) struct Expansion {
    read_at: Instant,
    paths: Box<[Box<str>]>,
}

/// The size of an expansion, for a bounded cache.
#[derive(Clone)]
pub(crate) struct ExpansionBytes;

impl Weighter<blake3::Hash, Arc<Expansion>> for ExpansionBytes {
    fn weight(&self, _: &blake3::Hash, expansion: &Arc<Expansion>) -> u64 {
        let paths = expansion.paths.iter().map(|path| size_of_val(path) + block_bytes(path.len()));
        let paths: usize = paths.sum();
        CACHE_ENTRY_BYTES + (size_of::<Expansion>() + paths) as u64
    }
}

/// Returns a cache of up to `bytes` of expansions.
pub(crate) fn expanded_files(bytes: u64) -> ExpandedFiles {
    let entries = usize::try_from(bytes / 1_024).unwrap_or(usize::MAX);
    Cache::with_weighter(entries, bytes, ExpansionBytes)
}

/// Renews the files that the history refers to. Opens nothing if it refers to none.
pub(crate) fn renew_leases(context: &Context<'_>) {
    let mut seen: HashSet<PathBuf> = HashSet::new();
    let mut next = files_of_blocks(context, &context.place().blocks);
    next.extend(referred_files(context, context.history(), &context.views()));
    let mut unread = FILES;
    loop {
        let room = RENEWED.saturating_sub(seen.len());
        next.retain(|at| seen.insert(at.key()));
        next.truncate(room);
        if next.is_empty() {
            return;
        }
        renew(context, &next);
        let inside = next.iter().filter(|at| contains_references(at));
        let inside: Vec<Arc<Expansion>> =
            inside.filter_map(|at| expansion(context, at, &mut unread)).collect();
        let paths = inside.iter().flat_map(|expansion| &expansion.paths);
        next = paths.filter_map(|path| context.roots.locate(path).ok()).collect();
    }
}

/// Returns what a group or a list refers to; `None` if it cannot be read, or too many were read.
fn expansion(context: &Context<'_>, at: &Location, unread: &mut usize) -> Option<Arc<Expansion>> {
    let cache = &context.offloader.expanded_files;
    let key = reference_key(chat_of(context), at);
    let known = cache.get(&key);
    let is_fresh = |known: &Arc<Expansion>| known.read_at.elapsed() < EXPANSION_INTERVAL;
    if *unread == 0 || known.as_ref().is_some_and(is_fresh) {
        return known;
    }
    *unread -= 1;
    let Ok(file) = context.reader.text(at) else { return known };
    let files = files_inside(context, at, &file.text);
    let paths = files.iter().map(|at| at.spelled().into()).collect();
    let expansion = Arc::new(Expansion { read_at: Instant::now(), paths });
    cache.insert(key, Arc::clone(&expansion));
    Some(expansion)
}

/// Returns the files of the proven references of a history, and the files of `/offload_result` that
/// it names, the latest first.
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
        let mut files: Vec<Location> = proven.flat_map(|proven| prover.files(&proven)).collect();
        if names_in(raw).any(|name| is_given_out(&raw[name])) {
            for text in texts(raw, view).chain([Cow::Borrowed(*raw)]) {
                files.extend(paths_given_out(&text).filter_map(|p| context.roots.locate(p).ok()));
            }
        }
        files
    };
    let found: Vec<Vec<Location>> = on(|| messages.par_iter().with_min_len(RUN).map(of).collect());
    found.into_iter().rev().flatten().collect()
}

/// Returns the possible paths of the files of `/offload_result` that a text names. A folder's name
/// may contain spaces, so a path may also begin at a quote.
fn paths_given_out(text: &str) -> impl Iterator<Item = &str> {
    let names = names_in(text).filter(|name| is_given_out(&text[name.clone()]));
    names.flat_map(|name| {
        let from = text.floor_char_boundary(name.start.saturating_sub(PATH_BYTES));
        let quote = text[from..name.start].rfind('"').map_or(from, |quote| from + quote + 1);
        [path_at(text, name.clone()), &text[quote..name.end]]
    })
}

fn is_given_out(name: &str) -> bool {
    FileName::parse(name).is_some_and(|name| has_own_ttl(&name))
}

/// Returns the texts of a message.
fn texts<'m>(raw: &'m str, view: &'m MessageView) -> impl Iterator<Item = Cow<'m, str>> {
    let results = view.results.iter().flat_map(|result| &result.slots);
    results.chain(&view.texts).map(|slot| text_of(raw, slot).text)
}

/// Returns the files that snapshots name: originals, results, lists.
fn files_of_blocks(context: &Context<'_>, blocks: &[Block]) -> Vec<Location> {
    let files = blocks.iter().flat_map(|block| &block.files).map(|file| file.path.clone());
    let lists = blocks.iter().filter_map(|block| Some(block.more.as_ref()?.list.clone()));
    let roots = &context.roots;
    let paths = files.chain(lists).chain(originals(blocks));
    paths.take(RENEWED).filter_map(|path| roots.locate(&path).ok()).collect()
}

/// Returns the files that a stored group or list refers to.
fn files_inside(context: &Context<'_>, at: &Location, content: &str) -> Vec<Location> {
    if at.spelled().ends_with(".json") {
        // A group in another format than the history refers to nothing.
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
        let held = held.map(|(name, _)| name).filter(|name| !has_own_ttl(name));
        let held: Vec<FileName> = held.collect();
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
