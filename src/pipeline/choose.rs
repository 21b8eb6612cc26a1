//! The choice of moves: the texts that the plan names, and as many more as a hard target
//! asks for.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{Move, tokens_left};
use crate::pipeline::moves::make::make_moves;
use crate::pipeline::moves::plan::{Candidate, Plan, Skipped, plan};
use crate::pipeline::replay::replay;
use crate::pipeline::settings::Mode;
use crate::pipeline::snapshots::region::{min_tokens_after, tokens_after};
use crate::pipeline::snapshots::standing::Standing;
use context_store::{Claims, StoreError};

/// A decision that is being made.
#[derive(Default)]
pub(crate) struct Draft {
    /// The texts that move.
    pub(crate) moves: Vec<Move>,
    /// The texts that stay though they are large.
    pub(crate) skipped: Vec<Skipped>,
    /// The names that the moves and the snapshots have.
    pub(crate) claims: Claims,
    /// The reasons that there are no other snapshots, the first one first.
    pub(crate) warnings: Vec<String>,
    /// True if the target was exceeded before the moves.
    pub(crate) is_due: bool,
}

/// Turns candidates into moves: names, replacements, and the target's demand.
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
        Some(target) => {
            keep_due(context, target, draft);
            if context.settings.mode() == Mode::Compact {
                let aim = context.settings.aim(context.tokens_before());
                let excess = tokens_left(context, &draft.moves).saturating_sub(aim);
                move_reserve(context, plan.reserve, draft, excess)?;
                give_up_previews(context, target, draft)?;
            }
            move_recent(context, plan.newest, draft, &|moves| {
                min_tokens_after(context, moves) <= target
            })?;
        }
        None => delay(context, draft),
    }
    finish(context, draft);
    Ok(())
}

/// Keeps the moves that are due for a target, and those of messages that cached snapshots
/// replace.
fn keep_due(context: &Context<'_>, target: u64, draft: &mut Draft) {
    let standing = match context.settings.mode() {
        Mode::Auto => Some(Standing::of(context, &draft.moves)),
        Mode::Compact => None,
        // It moves no results but the newest.
        Mode::Compress => return,
    };
    let replay = replay(context, target, standing.as_ref(), &draft.moves);
    draft.is_due = replay.is_due;
    let gone = standing.map_or(0..0, |standing| standing.gone());
    let is_due = |m: &Move| m.candidate.index < replay.moved || gone.contains(&m.candidate.index);
    let (due, others) = draft.moves.drain(..).partition(is_due);
    draft.moves = due;
    skip(draft, others, "waits until target_tokens is exceeded");
}

/// Leaves results that were never moved where a caller delays rewrites that free too little.
fn delay(context: &Context<'_>, draft: &mut Draft) {
    // What is stored was moved by an earlier call; a text that was read back has no file that
    // could tell.
    let is_new = |item: &Move| item.claim().is_some_and(|claim| !claim.stored);
    let new = || draft.moves.iter().filter(|item| is_new(item));
    let Some(first) = new().map(|item| item.candidate.index).min() else { return };
    let tokens = tokens_after(context, &draft.moves);
    let rewritten: u64 = tokens[first..].iter().sum();
    if new().map(Move::saves).sum::<u64>() < context.settings.asked_of_rewrite(rewritten) {
        let (delayed, kept) = draft.moves.drain(..).partition(is_new);
        draft.moves = kept;
        skip(draft, delayed, "waits until a rewrite frees rewrite_when_saved_ratio of its tokens");
    }
}

fn skip(draft: &mut Draft, moves: Vec<Move>, why: &'static str) {
    draft.skipped.extend(moves.into_iter().map(|m| Skipped { candidate: m.candidate, why }));
}

/// Drops a pass that is not worth it, and puts the others in order.
fn finish(context: &Context<'_>, Draft { moves, skipped, .. }: &mut Draft) {
    let saved: u64 = moves.iter().map(Move::saves).sum();
    if saved < context.settings.min_savings_tokens {
        let why = "is part of a pass that would free less than min_savings_tokens";
        skipped.extend(moves.drain(..).map(|m| Skipped { candidate: m.candidate, why }));
    }
    moves.sort_by_key(|m| m.candidate.at());
    skipped.sort_by_key(|skipped| skipped.candidate.at());
}

/// Moves more, oldest first, until they free the `excess`.
fn move_reserve(
    context: &Context<'_>,
    reserve: Vec<Candidate>,
    draft: &mut Draft,
    mut excess: u64,
) -> Result<(), StoreError> {
    let Draft { moves, claims, .. } = draft;
    // In growing batches: a name and a preview cost more than a sum.
    let mut reserve = reserve.into_iter();
    let mut batch = 4;
    while excess > 0 {
        let next: Vec<Candidate> = reserve.by_ref().take(batch).collect();
        if next.is_empty() {
            break;
        }
        let mut unasked = Vec::new();
        for more in make_moves(context, next, context.settings.preview(), claims, &mut unasked)? {
            if excess > 0 {
                excess = excess.saturating_sub(more.saves());
                moves.push(more);
            }
        }
        batch *= 2;
    }
    Ok(())
}

/// Leaves the bare references where previews are too much for the target.
fn give_up_previews(
    context: &Context<'_>,
    target: u64,
    Draft { moves, skipped, claims, .. }: &mut Draft,
) -> Result<(), StoreError> {
    if tokens_left(context, moves) > target {
        let bare: Vec<Candidate> = moves.drain(..).map(|m| m.candidate).collect();
        *moves = make_moves(context, bare, PreviewSize::Tokens(0), claims, skipped)?;
    }
    Ok(())
}

/// Moves the largest results of the newest messages, until what moves `fits`.
fn move_recent(
    context: &Context<'_>,
    mut newest: Vec<Candidate>,
    draft: &mut Draft,
    fits: &dyn Fn(&[Move]) -> bool,
) -> Result<(), StoreError> {
    let Draft { moves, skipped, claims, .. } = draft;
    newest.sort_by_key(|candidate| Reverse(candidate.slot.tokens));
    for candidate in newest {
        if fits(moves) {
            break;
        }
        let at = candidate.at();
        for budget in [context.settings.preview(), PreviewSize::Tokens(0)] {
            let mut unasked = Vec::new();
            let made = make_moves(context, vec![candidate.clone()], budget, claims, &mut unasked)?;
            if made.is_empty() {
                continue;
            }
            moves.retain(|m| m.candidate.at() != at);
            skipped.retain(|skipped| skipped.candidate.at() != at);
            moves.extend(made);
            if fits(moves) {
                break;
            }
        }
    }
    Ok(())
}

/// Moves smaller results, and then the newest, if the rest does not meet the target after all.
/// Without snapshots as many move as the target asks for; with those of `gone`, those behind.
pub(crate) fn move_more(
    context: &Context<'_>,
    draft: &mut Draft,
    gone: Option<&Range<usize>>,
    left: &dyn Fn(&[Move]) -> u64,
) -> Result<(), StoreError> {
    let target = context.settings.target_tokens;
    let Some(target) = target.filter(|target| left(&draft.moves) > *target) else {
        return Ok(());
    };
    let plan = plan(context.history(), &context.measured, context.settings);
    if context.settings.mode() == Mode::Auto {
        let aim = gone.map_or_else(|| context.settings.aim(context.tokens_before()), |_| target);
        let moved: HashSet<_> = draft.moves.iter().map(|m| m.candidate.at()).collect();
        let is_behind = |candidate: &Candidate| {
            gone.is_none_or(|gone| gone.end <= candidate.index) && !moved.contains(&candidate.at())
        };
        let reserve = plan.reserve.into_iter().filter(is_behind).collect();
        let excess = left(&draft.moves).saturating_sub(aim);
        move_reserve(context, reserve, draft, excess)?;
        if gone.is_none() {
            give_up_previews(context, target, draft)?;
        }
    }
    move_recent(context, plan.newest, draft, &|moves| left(moves) <= target)?;
    finish(context, draft);
    Ok(())
}
