//! Moves: candidates with a name and a replacement. What is decided here is which
//! of them are worth it, and how many a hard target asks for.

use std::cmp::Reverse;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rayon::prelude::*;

use super::materials::Records;
use super::plan::{Candidate, Kept, Plan};
use super::run::Job;
use super::standing::{Standing, standing};
use crate::compaction::preview::{Budget, Moved, Spec, replacement};
use crate::history::footprint::{ENTRY, block};
use crate::history::message::SlotKind;
use crate::history::splice::{Edit, quote};
use crate::reload::read_back::ReadBack;
use crate::store::{Claim, Claims, Stem, StoreError};
use crate::tokens::Tokenizer;

/// Replacements by content, path and settings.
pub type Replacements = Cache<blake3::Hash, Arc<Replacement>, Literals>;

/// The size of a replacement, for a bounded cache.
#[derive(Clone)]
pub struct Literals;

impl Weighter<blake3::Hash, Arc<Replacement>> for Literals {
    fn weight(&self, _: &blake3::Hash, replacement: &Arc<Replacement>) -> u64 {
        ENTRY + (size_of::<Replacement>() + block(replacement.literal.len())) as u64
    }
}

/// A cache of up to `bytes` of replacements.
pub fn replacements(bytes: u64) -> Replacements {
    let entries = usize::try_from(bytes / 512).unwrap_or(usize::MAX);
    Cache::with_weighter(entries, bytes, Literals)
}

/// Why a broken reference stays; also what the report warns of.
pub(super) const BROKEN: &str = "is a reference whose file is gone or changed";

/// A rendered replacement.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// The new text as a JSON string literal.
    pub(super) literal: Box<str>,
    /// What it costs.
    pub(super) tokens: u64,
}

impl Replacement {
    fn new(text: &str, tokenizer: Tokenizer) -> Replacement {
        Replacement { literal: quote(text).into(), tokens: tokenizer.count(text) }
    }
}

/// A text with its new place.
pub(super) struct Move {
    pub(super) candidate: Candidate,
    pub(super) budget: Budget,
    pub(super) path: String,
    pub(super) replacement: Arc<Replacement>,
    pub(super) target: Target,
}

pub(super) enum Target {
    /// A file of its own, named by the claim; of records where it has material.
    File { stem: Stem, claim: Claim, records: Option<Records> },
    /// The file it was read back from.
    Source { bytes: u64 },
}

impl Move {
    /// The edits of a history whose message begins at byte `start`.
    pub(super) fn edits(&self, start: usize) -> Vec<Edit> {
        self.candidate.slot.slot.replaced(start, &self.replacement.literal, SlotKind::String)
    }

    /// The name of the file that the text gets, where it gets one.
    pub(super) fn claim(&self) -> Option<&Claim> {
        match &self.target {
            Target::File { claim, .. } => Some(claim),
            Target::Source { .. } => None,
        }
    }

    pub(super) fn saves(&self) -> u64 {
        self.candidate.slot.tokens.saturating_sub(self.replacement.tokens)
    }
}

impl Job<'_> {
    /// Turns candidates into moves: names, replacements, and the target's demand.
    pub(super) fn decide(
        &self,
        plan: Plan,
        claims: &mut Claims,
    ) -> Result<(Vec<Move>, Vec<Kept>), StoreError> {
        let mut kept = plan.kept;
        let mut moves = self.moves(plan.moves, self.settings.preview, claims, &mut kept)?;
        if let Some(target) = self.settings.target_tokens {
            self.reach(target, plan.reserve, &mut moves, claims, &mut kept)?;
            let fits = |moves: &[Move]| self.least(moves) <= target;
            self.open(plan.newest, &mut moves, claims, &mut kept, &fits)?;
        }
        self.settle(&mut moves, &mut kept);
        Ok((moves, kept))
    }

    /// Opens more of the newest messages than was reckoned with, where what stays
    /// after all, by `left`, does not meet the target.
    pub(super) fn open_more(
        &self,
        moves: &mut Vec<Move>,
        kept: &mut Vec<Kept>,
        claims: &mut Claims,
        left: &dyn Fn(&[Move]) -> u64,
    ) -> Result<(), StoreError> {
        let Some(target) = self.settings.target_tokens.filter(|target| left(moves) > *target)
        else {
            return Ok(());
        };
        self.open(self.plan().newest, moves, claims, kept, &|moves| left(moves) <= target)?;
        self.settle(moves, kept);
        Ok(())
    }

    /// Drops a pass that is not worth it, and puts the others in order.
    fn settle(&self, moves: &mut Vec<Move>, kept: &mut Vec<Kept>) {
        let saved: u64 = moves.iter().map(Move::saves).sum();
        if saved < self.settings.min_savings_tokens {
            let why = "is part of a pass that would free less than min_savings_tokens";
            kept.extend(moves.drain(..).map(|m| Kept { candidate: m.candidate, why }));
        }
        moves.sort_by_key(|m| (m.candidate.index, m.candidate.slot.slot.span.start));
        kept.sort_by_key(|k| (k.candidate.index, k.candidate.slot.slot.span.start));
    }

    /// Moves more, oldest first, until the target is met; then gives up previews.
    fn reach(
        &self,
        target: u64,
        reserve: Vec<Candidate>,
        moves: &mut Vec<Move>,
        claims: &mut Claims,
        kept: &mut Vec<Kept>,
    ) -> Result<(), StoreError> {
        let before = self.tokens_before();
        let mut left = before - moves.iter().map(Move::saves).sum::<u64>();
        // In growing batches: a name and a preview cost more than a sum.
        let mut reserve = reserve.into_iter();
        let mut batch = 4;
        while left > target {
            let next: Vec<Candidate> = reserve.by_ref().take(batch).collect();
            if next.is_empty() {
                break;
            }
            let mut unasked = Vec::new();
            for more in self.moves(next, self.settings.preview, claims, &mut unasked)? {
                if left > target {
                    left -= more.saves();
                    moves.push(more);
                }
            }
            batch *= 2;
        }
        if left > target {
            let bare: Vec<Candidate> = moves.drain(..).map(|m| m.candidate).collect();
            *moves = self.moves(bare, Budget::Tokens(0), claims, kept)?;
        }
        Ok(())
    }

    /// Where even a snapshot of everything else would not meet the target, the
    /// largest results of the newest messages move, until it `fits`.
    fn open(
        &self,
        mut newest: Vec<Candidate>,
        moves: &mut Vec<Move>,
        claims: &mut Claims,
        kept: &mut Vec<Kept>,
        fits: &dyn Fn(&[Move]) -> bool,
    ) -> Result<(), StoreError> {
        newest.sort_by_key(|candidate| Reverse(candidate.slot.tokens));
        for candidate in newest {
            if fits(moves) {
                break;
            }
            let at = (candidate.index, candidate.slot.slot.span.start);
            for budget in [self.settings.preview, Budget::Tokens(0)] {
                let mut unasked = Vec::new();
                let made = self.moves(vec![candidate.clone()], budget, claims, &mut unasked)?;
                if made.is_empty() {
                    continue;
                }
                moves.retain(|m| (m.candidate.index, m.candidate.slot.slot.span.start) != at);
                kept.retain(|k| (k.candidate.index, k.candidate.slot.slot.span.start) != at);
                moves.extend(made);
                if fits(moves) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn moves(
        &self,
        candidates: Vec<Candidate>,
        budget: Budget,
        claims: &mut Claims,
        kept: &mut Vec<Kept>,
    ) -> Result<Vec<Move>, StoreError> {
        let history = self.history();
        let roots = &self.offloader.roots;
        let standings: Vec<Standing> = candidates
            .par_iter()
            .map(|c| standing(history, c, roots, self.store.folder()))
            .collect();
        let bytes = |candidate: &Candidate| candidate.slot.bytes;
        let mut content = Vec::new();
        let mut moves = Vec::new();
        for (candidate, standing) in candidates.into_iter().zip(standings) {
            match standing {
                Standing::Content => content.push(candidate),
                Standing::Reference => kept.push(Kept { candidate, why: "is a reference already" }),
                Standing::Broken => kept.push(Kept { candidate, why: BROKEN }),
                Standing::ReadBack(from) => match self.read_back(&candidate, &from) {
                    Some(item) => moves.push(item),
                    None => content.push(candidate),
                },
            }
        }
        let jobs = longest_first(content, bytes, |candidate| {
            let records = self.records(&candidate);
            (candidate, records)
        });
        let wanted: Vec<(Stem, blake3::Hash)> =
            jobs.iter().map(|(candidate, records)| self.wanted(candidate, records)).collect();
        let granted = self.store.claim(claims, &wanted)?;
        let jobs: Vec<_> = jobs.into_iter().zip(wanted).zip(granted).collect();
        let named = |(((candidate, records), (stem, _)), claim): (_, Claim)| {
            let path = self.store.spell(&claim.name);
            let replacement = self.replacement(&candidate, &records, &path, budget);
            let target = Target::File { stem, claim, records };
            Move { candidate, budget, path, replacement, target }
        };
        moves.append(&mut longest_first(jobs, |(((candidate, _), _), _)| bytes(candidate), named));
        let (smaller, larger): (Vec<Move>, Vec<Move>) =
            moves.into_iter().partition(|m| m.replacement.tokens < m.candidate.slot.tokens);
        let why = "would not become smaller by a preview and a reference";
        kept.extend(larger.into_iter().map(|m| Kept { candidate: m.candidate, why }));
        Ok(smaller)
    }

    fn wanted(&self, candidate: &Candidate, records: &Option<Records>) -> (Stem, blake3::Hash) {
        if let Some(Records { material, .. }) = records {
            return (material.stem.clone(), material.hash);
        }
        let hash =
            candidate.slot.hash.unwrap_or_else(|| blake3::hash(self.text(candidate).as_bytes()));
        (Stem::of_call(candidate.call_id.as_deref(), &hash), hash)
    }

    /// What was read back shrinks to its source; not where the words that must stay,
    /// such as the pattern of a search, hold a secret: then it moves as any text.
    fn read_back(&self, candidate: &Candidate, from: &ReadBack) -> Option<Move> {
        let text = from.replacement(candidate.slot.tokens, &self.settings.reload_tools);
        if !self.offloader.redact.secrets(&text).none() {
            return None;
        }
        Some(Move {
            path: from.path.clone(),
            replacement: Arc::new(Replacement::new(&text, self.tokenizer)),
            target: Target::Source { bytes: from.bytes },
            budget: self.settings.preview,
            candidate: candidate.clone(),
        })
    }

    /// The replacement of a text, from the cache where it was made before.
    pub(super) fn replacement(
        &self,
        candidate: &Candidate,
        records: &Option<Records>,
        path: &str,
        budget: Budget,
    ) -> Arc<Replacement> {
        let (tools, redact) = (self.settings.reload_tools.clone(), self.offloader.redact);
        let spec = Spec { budget, tokenizer: self.tokenizer, tools, redact };
        let make = || {
            if let Some(records) = records {
                let text = self.descriptor(candidate, records, path, budget.whole() > 0);
                return Arc::new(Replacement::new(&text, self.tokenizer));
            }
            let text = self.text(candidate);
            let slot = &candidate.slot;
            let kind = slot.slot.kind;
            let moved = Moved { text: &text, kind, tokens: slot.tokens, path };
            Arc::new(Replacement::new(&replacement(&moved, &spec), self.tokenizer))
        };
        let Some(hash) = candidate.slot.hash else { return make() };
        let json = candidate.slot.slot.kind == SlotKind::Json;
        // A file of records has the richness and the text's own tokens besides.
        let of_records =
            records.as_ref().map(|_| (self.settings.descriptor, candidate.slot.tokens));
        let key =
            blake3::hash(format!("{hash} {path:?} {spec:?} {json} {of_records:?}").as_bytes());
        if let Some(known) = self.offloader.replacements.get(&key) {
            return known;
        }
        let made = make();
        self.offloader.replacements.insert(key, Arc::clone(&made));
        made
    }
}

/// Does `work` for each item on all cores, the longest first: then what is done last is
/// short, and no core waits long for another. What comes out is in the items' order.
fn longest_first<T: Send, R: Send>(
    items: Vec<T>,
    length: impl Fn(&T) -> usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut items: Vec<(usize, T)> = items.into_iter().enumerate().collect();
    items.sort_by_key(|(_, item)| Reverse(length(item)));
    let items = items.into_par_iter().with_max_len(1);
    let mut done: Vec<(usize, R)> = items.map(|(place, item)| (place, work(item))).collect();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
