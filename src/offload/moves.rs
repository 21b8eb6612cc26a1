//! Moves: candidates with a name and a replacement. What is decided here is which
//! of them are worth it, and how many a hard target asks for.

use std::cmp::Reverse;
use std::sync::Arc;

use rayon::prelude::*;

use super::materials::Records;
use super::plan::{Candidate, Kept, Plan};
use super::replacement::{Place, Replacement, Words};
use super::run::Job;
use super::standing::{Standing, standing};
use crate::compaction::preview::Budget;
use crate::history::message::SlotKind;
use crate::history::splice::Edit;
use crate::pools::on;
use crate::reload::read_back::ReadBack;
use crate::store::{Claim, Claims, Stem, StoreError};

/// Why a broken reference stays; also what the report warns of.
pub(super) const BROKEN: &str = "is a reference whose file is gone or changed";

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
    Source { bytes: u64, content: blake3::Hash },
}

/// A candidate with its place, and what stays of it where that is known.
struct Named {
    candidate: Candidate,
    target: Target,
    path: String,
    known: Option<Arc<Replacement>>,
}

impl Target {
    pub(super) fn records(&self) -> Option<&Records> {
        match self {
            Target::File { records, .. } => records.as_ref(),
            Target::Source { .. } => None,
        }
    }

    /// The hash that the code of a reference to it covers.
    fn content(&self) -> blake3::Hash {
        match self {
            Target::File { claim, .. } => claim.hash,
            Target::Source { content, .. } => *content,
        }
    }
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
    pub(super) fn chosen(
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

    /// Drops a pass that is not worth it, and puts the others in order.
    pub(super) fn settle(&self, moves: &mut Vec<Move>, kept: &mut Vec<Kept>) {
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
    pub(super) fn open(
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
        let prover = self.prover();
        let of = |candidate| standing(history, candidate, &prover, self.store.folder());
        let standings: Vec<Standing> = on(|| candidates.par_iter().map(of).collect());
        let (mut content, mut moves) = (Vec::new(), Vec::new());
        if standings.iter().all(|standing| matches!(standing, Standing::Reference)) {
            let why = "is a reference already";
            kept.extend(candidates.into_iter().map(|candidate| Kept { candidate, why }));
            return Ok(moves);
        }
        let words = self.words(budget)?;
        for (candidate, standing) in candidates.into_iter().zip(standings) {
            match standing {
                Standing::Content => content.push(candidate),
                Standing::Reference => kept.push(Kept { candidate, why: "is a reference already" }),
                Standing::Broken => kept.push(Kept { candidate, why: BROKEN }),
                Standing::ReadBack(from) => match self.read_back(&candidate, &from, &words) {
                    Some(item) => moves.push(item),
                    None => content.push(candidate),
                },
            }
        }
        let named = self.named(content, &words, claims)?;
        let work = |item: &Named| if item.known.is_some() { 0 } else { item.candidate.slot.bytes };
        moves.append(&mut longest_first(
            named,
            work,
            |Named { candidate, target, path, known }| {
                let place = Place { path: &path, content: target.content() };
                let made = || self.replacement(&candidate, target.records(), place, &words);
                let replacement = known.unwrap_or_else(made);
                Move { candidate, budget, path, replacement, target }
            },
        ));
        let (smaller, larger): (Vec<Move>, Vec<Move>) =
            moves.into_iter().partition(|m| m.replacement.tokens < m.candidate.slot.tokens);
        let why = "would not become smaller by a preview and a reference";
        kept.extend(larger.into_iter().map(|m| Kept { candidate: m.candidate, why }));
        Ok(smaller)
    }

    /// Gives candidates their places, in order.
    fn named(
        &self,
        candidates: Vec<Candidate>,
        words: &Words,
        claims: &mut Claims,
    ) -> Result<Vec<Named>, StoreError> {
        let bytes = |candidate: &Candidate| candidate.slot.bytes;
        let found = longest_first(candidates, bytes, |candidate| {
            let records = self.records(&candidate);
            (candidate, records)
        });
        let wanted: Vec<(Stem, blake3::Hash)> =
            found.iter().map(|(candidate, records)| self.wanted(candidate, records)).collect();
        let granted = self.store.claim(claims, &wanted)?;
        let places = wanted.into_iter().zip(granted);
        let named = |((candidate, records), ((stem, _), claim)): (_, (_, Claim))| {
            let path = self.store.spell(&claim.name);
            let place = Place { path: &path, content: claim.hash };
            let known = self.known(&candidate, Option::as_ref(&records), place, words);
            Named { candidate, target: Target::File { stem, claim, records }, path, known }
        };
        Ok(found.into_iter().zip(places).map(named).collect())
    }

    fn wanted(&self, candidate: &Candidate, records: &Option<Records>) -> (Stem, blake3::Hash) {
        if let Some(Records { material, .. }) = records {
            return (material.stem.clone(), material.hash);
        }
        let hash =
            candidate.slot.hash.unwrap_or_else(|| blake3::hash(self.text(candidate).as_bytes()));
        (Stem::of_call(self.call_shown(candidate).call_id.as_deref(), &hash), hash)
    }

    /// What was read back shrinks to its source; not where the words that must stay,
    /// such as the pattern of a search, hold a secret: then it moves as any text.
    fn read_back(&self, candidate: &Candidate, from: &ReadBack, words: &Words) -> Option<Move> {
        let text = from.replacement(candidate.slot.tokens, &self.settings.reload_tools);
        if !self.offloader.redact.secrets(&text).none() {
            return None;
        }
        Some(Move {
            path: from.path.clone(),
            replacement: self.sealed(&text, candidate, &from.content, words),
            target: Target::Source { bytes: from.bytes, content: from.content },
            budget: self.settings.preview,
            candidate: candidate.clone(),
        })
    }
}

/// Texts of so many bytes are worth more than one core, together.
const WORTH_CORES: usize = 16 * 1024;

/// Does `work` for each item on all cores, the longest first: then what is done last is
/// short, and no core waits long for another. What comes out is in the items' order.
fn longest_first<T: Send, R: Send>(
    items: Vec<T>,
    length: impl Fn(&T) -> usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut items: Vec<(usize, usize, T)> =
        items.into_iter().enumerate().map(|(place, item)| (length(&item), place, item)).collect();
    if items.iter().map(|(length, ..)| length).sum::<usize>() < WORTH_CORES {
        return items.into_iter().map(|(.., item)| work(item)).collect();
    }
    items.sort_by_key(|(length, ..)| Reverse(*length));
    let mut done: Vec<(usize, R)> = on(|| {
        let items = items.into_par_iter().with_max_len(1);
        items.map(|(_, place, item)| (place, work(item))).collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
