//! Chooses the moves: the texts that the plan names, and as many more as a hard target requires.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{Move, tokens_left};
use crate::pipeline::moves::make::make_moves;
use crate::pipeline::moves::plan::{Candidate, Plan, Skipped, plan};
use crate::pipeline::moves::reserve::Reserve;
use crate::pipeline::replay::replay;
use crate::pipeline::settings::{Mode, Settings};
use crate::pipeline::snapshots::region::{min_tokens_after, tokens_after};
use crate::pipeline::snapshots::standing::Standing;
use crate::snapshot::group::{FAIR_SNAPSHOT_TOKENS, MIN_SNAPSHOT_TOKENS};
use context_store::{Claims, StoreError};

/// A decision in progress.
#[derive(Default)]
pub(crate) struct Draft {
    /// The texts that move.
    pub(crate) moves: Vec<Move>,
    /// The moves that are not due yet.
    waiting: Vec<Move>,
    /// The large texts that stay.
    pub(crate) skipped: Vec<Skipped>,
    /// The names claimed for the moves and the snapshots.
    pub(crate) claims: Claims,
    /// The reasons why there are no other snapshots, the first one first.
    pub(crate) warnings: Vec<String>,
    /// True if the target was exceeded before the moves.
    pub(crate) is_due: bool,
}

impl Draft {
    /// Returns the moves, and the texts that stay, both in the order of the messages.
    pub(crate) fn sorted(mut self, settings: &Settings) -> (Vec<Move>, Vec<Skipped>) {
        let why = match settings.target_tokens {
            Some(_) => "waits until target_tokens is exceeded",
            None => "waits until a rewrite frees rewrite_when_saved_ratio of its tokens",
        };
        let skipped = |item: Move| Skipped { candidate: item.candidate, why };
        self.skipped.extend(self.waiting.into_iter().map(skipped));
        self.moves.sort_by_key(|m| m.candidate.at());
        self.skipped.sort_by_key(|skipped| skipped.candidate.at());
        (self.moves, self.skipped)
    }

    /// Adds moves in place of all that was decided of the same texts.
    fn replace(&mut self, moves: Vec<Move>) {
        self.forget(moves.iter().map(|item| &item.candidate));
        self.moves.extend(moves);
    }

    /// Removes the moves of these texts, and the reasons why they stay.
    fn forget<'a>(&mut self, candidates: impl Iterator<Item = &'a Candidate>) {
        let places: HashSet<_> = candidates.map(Candidate::at).collect();
        self.moves.retain(|item| !places.contains(&item.candidate.at()));
        self.skipped.retain(|skipped| !places.contains(&skipped.candidate.at()));
    }
}

/// Turns candidates into moves: claims names, renders replacements, and applies the target.
pub(crate) fn choose_moves(
    context: &Context<'_>,
    plan: Plan,
    draft: &mut Draft,
) -> Result<(), StoreError> {
    let preview = context.settings.preview();
    draft.skipped = plan.skipped;
    draft.moves = make_moves(context, plan.moves, preview, &mut draft.claims, &mut draft.skipped)?;
    draft.moves.sort_by_key(|m| m.candidate.at());
    match context.settings.target_tokens {
        Some(target) if context.settings.mode() == Mode::Compact => {
            keep_due(context, target, None, plan.reserve, draft)?;
            move_more(context, draft, None, &|moves| tokens_left(context, moves))?;
        }
        Some(target) => {
            let standing = Standing::of(context, &draft.moves);
            let others = plan.reserve.iter().chain(&plan.newest);
            make_again(context, &standing, others, draft)?;
            if context.settings.mode() == Mode::Auto {
                // Snapshots free the tokens that the reserve would.
                keep_due(context, target, Some(&standing), Vec::new(), draft)?;
            }
            let is_due = draft.is_due;
            let fits = |moves: &[Move], snapshot| {
                let is_met = || standing.level(context, &tokens_after(context, moves)) <= target;
                (!is_due && is_met()) || min_tokens_after(context, moves, snapshot) <= target
            };
            // In a smaller snapshot, the user's rules would have to give way to the newest results.
            let is_fair = |moves: &[Move]| fits(moves, FAIR_SNAPSHOT_TOKENS);
            move_recent(context, plan.newest, draft, &is_fair)?;
            let moved = draft.moves.iter().map(|item| item.candidate.clone()).collect();
            give_up_previews(context, moved, draft, &|moves| fits(moves, MIN_SNAPSHOT_TOKENS))?;
        }
        None => delay(context, draft),
    }
    finish(context, draft);
    Ok(())
}

/// Keeps the moves that are due for a target, and those that cached snapshots were made with.
fn keep_due(
    context: &Context<'_>,
    target: u64,
    standing: Option<&Standing>,
    reserve: Vec<Candidate>,
    draft: &mut Draft,
) -> Result<(), StoreError> {
    let reserve = Reserve::new(context, reserve, &mut draft.claims);
    let replay = replay(context, target, standing, &draft.moves, reserve)?;
    draft.is_due = replay.is_due;
    let is_due = |item: &mut Move| {
        standing.is_some_and(|standing| standing.has_moved(item))
            || replay.moved.contains(&item.candidate.at())
    };
    let due = draft.moves.extract_if(.., is_due).collect();
    draft.waiting = std::mem::replace(&mut draft.moves, due);
    draft.moves.extend(replay.reserve);
    draft.replace(replay.bare);
    Ok(())
}

/// Repeats the moves that cached snapshots were made with, also those of `others`, with their
/// previews of that time.
fn make_again<'a>(
    context: &Context<'_>,
    standing: &Standing,
    others: impl Iterator<Item = &'a Candidate>,
    draft: &mut Draft,
) -> Result<(), StoreError> {
    let moves = draft.moves.iter().map(|item| &item.candidate);
    let skipped = draft.skipped.iter().map(|skipped| &skipped.candidate);
    let mut all: Vec<Candidate> = moves.chain(skipped).cloned().chain(others.cloned()).collect();
    // A large result that stays because it is among the newest is skipped, too.
    let mut seen = HashSet::new();
    all.retain(|candidate| seen.insert(candidate.at()));
    for preview in [context.settings.preview(), PreviewSize::Tokens(0)] {
        let again = all.iter().filter(|candidate| standing.has_moved_at(candidate.at(), preview));
        let (again, mut stays) = (again.cloned().collect(), Vec::new());
        let mut made = make_moves(context, again, preview, &mut draft.claims, &mut stays)?;
        made.retain(|item| standing.has_moved(item));
        draft.replace(made);
    }
    draft.moves.sort_by_key(|item| item.candidate.at());
    Ok(())
}

/// Postpones moves of results that were never moved, if they free too little of what they rewrite.
fn delay(context: &Context<'_>, draft: &mut Draft) {
    // An earlier call moved a text whose file is stored. A text that was read back has no file of
    // its own, and never counts as new.
    let is_new = |item: &Move| item.claim().is_some_and(|claim| !claim.stored);
    let new = || draft.moves.iter().filter(|item| is_new(item));
    let Some(first) = new().map(|item| item.candidate.index).min() else { return };
    let tokens = tokens_after(context, &draft.moves);
    let rewritten: u64 = tokens[first..].iter().sum();
    if new().map(Move::saves).sum::<u64>() < context.settings.asked_of_rewrite(rewritten) {
        (draft.waiting, draft.moves) = draft.moves.drain(..).partition(is_new);
    }
}

/// Makes the moves that wait for a rewrite. Returns false if nothing waits.
pub(crate) fn move_waiting(context: &Context<'_>, draft: &mut Draft) -> bool {
    if draft.waiting.is_empty() || context.settings.target_tokens.is_some() {
        return false;
    }
    draft.moves.append(&mut draft.waiting);
    finish(context, draft);
    true
}

/// Drops the moves if they save too little together.
fn finish(context: &Context<'_>, Draft { moves, skipped, .. }: &mut Draft) {
    let saved: u64 = moves.iter().map(Move::saves).sum();
    if saved < context.settings.min_savings_tokens {
        let why = "is part of a pass that would free less than min_savings_tokens";
        skipped.extend(moves.drain(..).map(|m| Skipped { candidate: m.candidate, why }));
    }
    moves.sort_by_key(|m| m.candidate.at());
}

/// Replaces previews by bare references for all candidates, if the target has no room for previews.
fn give_up_previews(
    context: &Context<'_>,
    candidates: Vec<Candidate>,
    draft: &mut Draft,
    fits: &dyn Fn(&[Move]) -> bool,
) -> Result<(), StoreError> {
    if fits(&draft.moves) {
        return Ok(());
    }
    draft.forget(candidates.iter());
    let Draft { moves, skipped, claims, .. } = draft;
    moves.extend(make_moves(context, candidates, PreviewSize::Tokens(0), claims, skipped)?);
    Ok(())
}

/// Moves the largest results of the newest messages, until the moves satisfy `fits`.
fn move_recent(
    context: &Context<'_>,
    mut newest: Vec<Candidate>,
    draft: &mut Draft,
    fits: &dyn Fn(&[Move]) -> bool,
) -> Result<(), StoreError> {
    newest.sort_by_key(|candidate| Reverse(candidate.slot.tokens));
    for candidate in newest {
        for budget in [context.settings.preview(), PreviewSize::Tokens(0)] {
            if fits(&draft.moves) {
                return Ok(());
            }
            let (asked, mut unasked) = (vec![candidate.clone()], Vec::new());
            let made = make_moves(context, asked, budget, &mut draft.claims, &mut unasked)?;
            draft.replace(made);
        }
    }
    Ok(())
}

/// Moves smaller results, and then the newest, if the other moves do not meet the target. Without
/// snapshots, moves as many as the target requires; with snapshots in place of the messages `gone`,
/// only results after these. If the target cannot be met, it leaves nothing for the next post to
/// move (I3).
pub(crate) fn move_more(
    context: &Context<'_>,
    draft: &mut Draft,
    gone: Option<&Range<usize>>,
    left: &dyn Fn(&[Move]) -> u64,
) -> Result<(), StoreError> {
    let Some(target) = context.settings.target_tokens else { return Ok(()) };
    let aim = gone.map_or_else(|| context.settings.aim(context.tokens_before()), |_| target);
    if left(&draft.moves) <= target {
        return Ok(());
    }
    let fits = |moves: &[Move]| left(moves) <= target;
    let is_behind = |candidate: &Candidate| gone.is_none_or(|gone| gone.end <= candidate.index);
    let planned = |moves: &[Move]| {
        let tokens = tokens_after(context, moves);
        plan(context.history(), &context.measured, &tokens, context.settings)
    };
    let plan = planned(&[]);
    if context.settings.mode() != Mode::Compress {
        let known: HashSet<_> = draft.moves.iter().map(|m| m.candidate.at()).collect();
        let is_new = |candidate: &&Candidate| !known.contains(&candidate.at());
        let reserve = plan.reserve.iter().filter(|candidate| is_behind(candidate));
        // Large results first: the next post finds them moved, and needs no small ones.
        if !fits(&draft.moves) {
            let waiting = draft.waiting.extract_if(.., |item| is_behind(&item.candidate));
            draft.moves.extend(waiting);
        }
        let new = reserve.clone().filter(is_new).cloned().collect();
        let mut excess = left(&draft.moves).saturating_sub(aim);
        let mut smaller = Reserve::new(context, new, &mut draft.claims);
        while excess > 0
            && let Some(item) = smaller.next_before(usize::MAX)?
        {
            excess = excess.saturating_sub(item.saves());
            draft.moves.push(item);
        }
        let large = plan.moves.iter().filter(|candidate| is_behind(candidate));
        give_up_previews(context, large.chain(reserve).cloned().collect(), draft, &fits)?;
    }
    let mut newest = plan.newest;
    let mut tried = HashSet::new();
    while !newest.is_empty() {
        tried.extend(newest.iter().map(Candidate::at));
        move_recent(context, newest, draft, &fits)?;
        if fits(&draft.moves) {
            break;
        }
        // The moves free tokens: for the next post, more messages are among the newest.
        newest = planned(&draft.moves).newest;
        newest.retain(|candidate| is_behind(candidate) && !tried.contains(&candidate.at()));
    }
    finish(context, draft);
    Ok(())
}
