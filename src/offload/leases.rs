//! Leases: the files that a posted history refers to live on, and those that its
//! groups and lists refer to with them; and they are noted as this chat's, so that no
//! other chat's deletion takes them. Only references and snapshots that prove themselves
//! count: the words of a tool that name a file keep nothing alive.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::moves::{Move, Target};
use super::run::Job;
use crate::compression::block::{Block, FileLine};
use crate::history::History;
use crate::history::message::{MessageView, Slot, SlotKind};
use crate::pools::on;
use crate::reload::proof::originals;
use crate::store::{
    Call, Claim, FileName, Folder, Lease, Location, Origin, Stem, Store, memory_key,
};
use crate::tokens::measure::text_of;

/// Files whose own references were looked at for a chat, and when.
pub type Followed = Cache<blake3::Hash, Instant>;

/// How long what a group or a list refers to is taken as renewed.
const FOLLOWED: Duration = Duration::from_secs(3_600);
/// Most files of one history whose own references are looked at.
const FILES: usize = 256;
/// Most files of one history that are renewed, the latest first.
const RENEWED: usize = 10_000;
/// Messages are searched in runs of at least this many.
const RUN: usize = 16;

impl Job<'_> {
    /// Renews what the history refers to. Nothing is opened where it refers to nothing.
    pub(super) fn renew_referred(&self) {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        let mut next = self.of_blocks(&self.place().blocks);
        next.extend(self.referred(self.history(), &self.views()));
        let mut left = FILES;
        loop {
            let room = RENEWED.saturating_sub(seen.len());
            next.retain(|at| seen.insert(at.key()));
            next.truncate(room);
            if next.is_empty() {
                return;
            }
            self.renew(&next);
            let mut further = Vec::new();
            for at in next.iter().filter(|at| leads_on(at)) {
                let key = memory_key(self.chat(), at);
                let fresh = self.offloader.followed.get(&key);
                if left == 0 || fresh.is_some_and(|then| then.elapsed() < FOLLOWED) {
                    continue;
                }
                left -= 1;
                let Ok(file) = self.reader.text(at) else { continue };
                self.offloader.followed.insert(key, Instant::now());
                further.extend(self.inside(at, &file.text));
            }
            next = further;
        }
    }

    /// The files that proven references of a history stand for, the latest first.
    fn referred(&self, history: &History<'_>, views: &[&MessageView]) -> Vec<Location> {
        let prover = self.prover();
        let messages: Vec<(&str, &MessageView)> =
            history.messages().iter().copied().zip(views.iter().copied()).collect();
        let of = |(raw, view): &(&str, &MessageView)| {
            let results = view.results.iter().flat_map(|result| {
                result.slots.iter().map(|slot| (result.call_id.as_deref(), slot))
            });
            let all = results.chain(view.texts.iter().map(|slot| (None, slot)));
            // A look at the end of the literal spares unescaping nearly every text.
            let ends = |(_, slot): &(Option<&str>, &Slot)| {
                slot.kind == SlotKind::String && raw[slot.span.clone()].ends_with(")\"")
            };
            let proven =
                |(id, slot): (Option<&str>, &Slot)| prover.proven(&text_of(raw, slot).text, id);
            let proven = all.filter(ends).filter_map(proven);
            proven.flat_map(|proven| prover.files(&proven)).collect::<Vec<Location>>()
        };
        let found: Vec<Vec<Location>> =
            on(|| messages.par_iter().with_min_len(RUN).map(of).collect());
        found.into_iter().rev().flatten().collect()
    }

    /// The files that snapshots name: originals, results, lists.
    fn of_blocks(&self, blocks: &[Block]) -> Vec<Location> {
        let files = blocks.iter().flat_map(|block| &block.files).map(|file| file.path.clone());
        let lists = blocks.iter().filter_map(|block| Some(block.more.as_ref()?.list.clone()));
        let roots = &self.offloader.roots;
        let paths = files.chain(lists).chain(originals(blocks));
        paths.take(RENEWED).filter_map(|path| roots.locate(&path).ok()).collect()
    }

    /// The files that a stored group or list refers to.
    fn inside(&self, at: &Location, content: &str) -> Vec<Location> {
        if at.spelled().ends_with(".json") {
            // A group of a history in another format refers to nothing that this one does.
            let Ok(group) = self.history().alike(content) else { return Vec::new() };
            let views: Vec<MessageView> =
                (0..group.messages().len()).filter_map(|index| group.view(index).ok()).collect();
            if views.len() < group.messages().len() {
                return Vec::new();
            }
            return self.referred(&group, &views.iter().collect::<Vec<_>>());
        }
        let lines = content.lines().filter_map(FileLine::read);
        lines.filter_map(|line| self.offloader.roots.locate(&line.path).ok()).collect()
    }

    fn renew(&self, files: &[Location]) {
        let mut folders: BTreeMap<PathBuf, (Location, Vec<FileName>)> = BTreeMap::new();
        for at in files {
            let Some((folder, name)) = at.parent() else { continue };
            let Some(name) = FileName::of_minted(name) else { continue };
            let entry = folders.entry(folder.key());
            entry.or_insert_with(|| (folder, Vec::new())).1.push(name);
        }
        let (offloader, now) = (self.offloader, SystemTime::now());
        for (folder, names) in folders.into_values() {
            let ledger = Arc::clone(&offloader.ledger);
            let store = Store::new(folder, offloader.durability, ledger);
            let leases = store.renew(&names, &offloader.lifetimes, now);
            let held = names.into_iter().zip(leases).filter(|(_, lease)| *lease == Lease::Held);
            let held: Vec<FileName> = held.map(|(name, _)| name).collect();
            if !held.is_empty() {
                store.mention(self.chat(), &held, Folder::Named);
            }
        }
    }

    /// Renews the files of moves that were there, and notes that this chat has them. The
    /// check of the answer comes after it: a file that another chat's deletion took
    /// before this chat was noted is missed there.
    pub(super) fn record(&self, moves: &[Move], created: &[bool]) {
        let (mut stored, mut sources) = (Vec::new(), Vec::new());
        for (item, created) in moves.iter().zip(created) {
            match &item.target {
                Target::File { claim, .. } if !created => stored.push(claim.name.clone()),
                Target::File { .. } => {}
                Target::Source { .. } => sources.extend(self.offloader.roots.locate(&item.path)),
            }
        }
        self.renew(&sources);
        if !stored.is_empty() {
            self.store.renew(&stored, &self.offloader.lifetimes, SystemTime::now());
            self.store.mention(self.chat(), &stored, Folder::Store);
        }
    }

    /// The same for files of a compression, each with whether this call wrote it.
    pub(super) fn record_own(&self, files: &[(&Claim, bool)]) {
        let stored = files.iter().filter(|(_, created)| !created);
        let stored: Vec<FileName> = stored.map(|(claim, _)| claim.name.clone()).collect();
        if !stored.is_empty() {
            self.store.mention(self.chat(), &stored, Folder::Store);
        }
    }

    /// The call and chat that make the file of a move.
    pub(super) fn origin_of(&self, item: &Move) -> Origin {
        Origin { call: self.call_of(item), chat: Some(self.chat()), ttl_seconds: None }
    }

    /// The call and chat that make a file of a compression.
    pub(super) fn own_origin(&self) -> Origin {
        let call = Call { tool: Some("context_offload".to_owned()), ..Call::default() };
        Origin { call, chat: Some(self.chat()), ttl_seconds: None }
    }

    fn call_of(&self, item: &Move) -> Call {
        let candidate = &item.candidate;
        // What an expired file's error shows to the agent.
        let arguments = candidate.arguments.as_ref().map(|(index, slot)| {
            let text = text_of(self.history().messages()[*index], slot).text;
            self.offloader.redact.text(text).into_owned()
        });
        Call { arguments, ..self.call_shown(candidate) }
    }
}

/// True for a file that is made of messages or names: it mentions others.
fn leads_on(at: &Location) -> bool {
    let name = at.parent().map(|(_, name)| name.to_owned()).unwrap_or_default();
    Stem::leads_on(&name)
}
