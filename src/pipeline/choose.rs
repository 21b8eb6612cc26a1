//! The choice of moves: the texts that the plan names, and as many more as a hard target
//! asks for.

use std::cmp::Reverse;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{Move, tokens_left};
use crate::pipeline::moves::make::make_moves;
use crate::pipeline::moves::plan::{Candidate, Plan, Skipped, plan};
use crate::pipeline::snapshots::region::min_tokens_after;
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
    if let Some(target) = context.settings.target_tokens {
        move_reserve(context, target, plan.reserve, draft)?;
        move_recent(context, plan.newest, draft, &|moves| {
            min_tokens_after(context, moves) <= target
        })?;
    }
    finish(context, draft);
    Ok(())
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

/// Moves more, oldest first, until the target is met; then gives up previews.
fn move_reserve(
    context: &Context<'_>,
    target: u64,
    reserve: Vec<Candidate>,
    draft: &mut Draft,
) -> Result<(), StoreError> {
    let Draft { moves, skipped, claims, .. } = draft;
    let mut left = tokens_left(context, moves);
    // In growing batches: a name and a preview cost more than a sum.
    let mut reserve = reserve.into_iter();
    let mut batch = 4;
    while left > target {
        let next: Vec<Candidate> = reserve.by_ref().take(batch).collect();
        if next.is_empty() {
            break;
        }
        let mut unasked = Vec::new();
        for more in make_moves(context, next, context.settings.preview(), claims, &mut unasked)? {
            if left > target {
                left -= more.saves();
                moves.push(more);
            }
        }
        batch *= 2;
    }
    if left > target {
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

/// Moves more of the newest results if the rest, by `left`, does not meet the target after
/// all.
pub(crate) fn move_more_recent(
    context: &Context<'_>,
    draft: &mut Draft,
    left: &dyn Fn(&[Move]) -> u64,
) -> Result<(), StoreError> {
    let target = context.settings.target_tokens;
    let Some(target) = target.filter(|target| left(&draft.moves) > *target) else {
        return Ok(());
    };
    let plan = plan(context.history(), &context.measured, context.settings);
    move_recent(context, plan.newest, draft, &|moves| left(moves) <= target)?;
    finish(context, draft);
    Ok(())
}
