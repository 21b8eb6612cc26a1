//! Leases: the files that a posted history mentions live on, and those that its
//! groups and lists mention with them (promises.md §1, line 1); and they are noted as
//! mentioned by its chat, so that no other chat's deletion takes them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::mentions::{MENTIONS, mentions};
use super::moves::{Move, Target};
use super::run::Job;
use crate::compaction::reference;
use crate::history::message::SlotKind;
use crate::store::{
    Call, Claim, Entry, FileName, Folder, Lease, Location, Roots, Stem, Store, memory_key,
    read_regular,
};
use crate::tokens::measure::text_of;

/// Files whose own mentions were looked at for a chat, and when.
pub type Followed = Cache<blake3::Hash, Instant>;

/// How long what a group or a list mentions is taken as renewed.
const FOLLOWED: Duration = Duration::from_secs(3_600);
/// Most files of one history whose own mentions are looked at.
const FILES: usize = 256;
/// Messages are searched in runs of at least this many.
const RUN: usize = 16;

impl Job<'_> {
    /// Renews what the history mentions. Nothing is opened where it mentions
    /// nothing.
    pub(super) fn renew_mentioned(&self) {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        let referred = self.referred();
        let mut found: BTreeSet<&str> = referred.iter().map(String::as_str).collect();
        let each = self.history().messages().par_iter().with_min_len(RUN).map(|raw| {
            let mut found = BTreeSet::new();
            mentions(raw, &mut found);
            found
        });
        let each: Vec<BTreeSet<&str>> = each.collect();
        // The latest messages first: there is a bound.
        for path in each.into_iter().rev().flatten() {
            if found.len() >= MENTIONS {
                break;
            }
            found.insert(path);
        }
        let mut next: Vec<Location> = self.located(&found, None, &mut seen);
        let mut left = FILES;
        while !next.is_empty() {
            self.renew(&next);
            let mut further = Vec::new();
            for at in next.iter().filter(|at| leads_on(at)) {
                let key = memory_key(self.chat(), at);
                let fresh = self.offloader.followed.get(&key);
                if left == 0 || fresh.is_some_and(|then| then.elapsed() < FOLLOWED) {
                    continue;
                }
                left -= 1;
                let Ok(content) = read_regular(at) else { continue };
                self.offloader.followed.insert(key, Instant::now());
                let mut found = BTreeSet::new();
                mentions(&content, &mut found);
                further.extend(self.located(&found, Some(at), &mut seen));
            }
            next = further;
        }
    }

    /// The paths of references, whatever characters their folder has.
    fn referred(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for (raw, measured) in self.history().messages().iter().zip(&self.measured) {
            let view = &measured.view;
            let results = view.results.iter().flat_map(|result| &result.slots);
            for slot in results.chain(&view.texts) {
                // A look at the end of the literal spares unescaping nearly every text.
                if slot.kind != SlotKind::String || !raw[slot.span.clone()].ends_with(")\"") {
                    continue;
                }
                let text = text_of(raw, slot).text;
                paths.extend(reference::parse(&text).map(|found| found.path.to_owned()));
            }
        }
        paths
    }

    /// The places that paths mean. A name also means the file beside the one that
    /// says it, or in the store: its folder may be spelled with what ends a path.
    fn located(
        &self,
        paths: &BTreeSet<&str>,
        beside: Option<&Location>,
        seen: &mut HashSet<PathBuf>,
    ) -> Vec<Location> {
        let roots: &Roots = &self.offloader.roots;
        let folder = beside.and_then(Location::parent).map(|(folder, _)| folder);
        let folder = folder.as_ref().unwrap_or(self.store.folder());
        let places = |path: &&str| {
            let name = path.rsplit('/').next().map(|name| folder.child(name));
            let place = path.contains('/').then(|| roots.locate(path).ok()).flatten();
            [name, place].into_iter().flatten()
        };
        paths.iter().flat_map(places).filter(|at| seen.insert(at.key())).collect()
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

    /// Notes what made the files that this call wrote, and renews those that were
    /// there. The check of the answer comes after it: a file that another chat's
    /// deletion took before this chat was noted is missed there.
    pub(super) fn record(&self, moves: &[Move], created: &[bool]) {
        let now = SystemTime::now();
        let (mut entries, mut stored, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (item, created) in moves.iter().zip(created) {
            let Target::File { claim, records, .. } = &item.target else {
                sources.extend(self.offloader.roots.locate(&item.path));
                continue;
            };
            if !created {
                stored.push(claim.name.clone());
                continue;
            }
            let bytes = item.candidate.slot.bytes as u64;
            entries.push(Entry {
                name: claim.name.clone(),
                hash: claim.hash,
                bytes: records.as_ref().map_or(bytes, |records| records.material.bytes),
                created_at: now,
                ttl_seconds: None,
                call: self.call_of(item),
                chat: Some(self.chat()),
            });
        }
        self.store.record(&entries);
        self.renew(&sources);
        if !stored.is_empty() {
            self.store.renew(&stored, &self.offloader.lifetimes, now);
            self.store.mention(self.chat(), &stored, Folder::Store);
        }
    }

    /// The same for files of a compression, each with its length and whether this
    /// call wrote it.
    pub(super) fn record_own(&self, files: &[(&Claim, u64, bool)]) {
        let call = Call { tool: Some("context_offload".to_owned()), ..Call::default() };
        let entry = |(claim, bytes, _): &(&Claim, u64, bool)| Entry {
            name: claim.name.clone(),
            hash: claim.hash,
            bytes: *bytes,
            created_at: SystemTime::now(),
            ttl_seconds: None,
            call: call.clone(),
            chat: Some(self.chat()),
        };
        let (new, stored): (Vec<_>, Vec<_>) = files.iter().partition(|(.., created)| *created);
        self.store.record(&new.into_iter().map(entry).collect::<Vec<_>>());
        let stored: Vec<FileName> = stored.iter().map(|(claim, ..)| claim.name.clone()).collect();
        if !stored.is_empty() {
            self.store.mention(self.chat(), &stored, Folder::Store);
        }
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
