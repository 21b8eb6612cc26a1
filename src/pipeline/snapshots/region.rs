//! The region of a request: the messages that may be summarized, and their tokens.

use std::ops::Range;

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::settings::Mode;
use crate::snapshot::format::place::Place;
use crate::snapshot::group::MIN_SNAPSHOT_TOKENS;
use crate::snapshot::region::Region;

/// A pass frees at least this share of the history, as one part in so many: every
/// pass costs the caller its prompt cache.
const WORTH: u64 = 10;

/// Returns an error if a pass over the region would not be worth the prompt cache.
pub(crate) fn worth_a_pass(
    context: &Context<'_>,
    region: &Region,
    left: u64,
    missed: bool,
) -> Result<(), String> {
    let (tokens, least) = (region.tokens(), context.settings.max_total_tokens);
    if region.units.is_empty() || (tokens < least && !missed) {
        return Err(format!(
            "not compressed: {tokens} tokens are neither system messages nor among the newest, \
             fewer than max_total_tokens ({least})"
        ));
    }
    let worth = (left / WORTH).max(context.settings.min_savings_tokens) + MIN_SNAPSHOT_TOKENS;
    if tokens < worth {
        return Err(format!(
            "not compressed: of {left} tokens only {tokens} may be compressed, too few to free \
             a tenth"
        ));
    }
    Ok(())
}

/// Returns the fewest tokens that the history can have after `moves`: with a snapshot of all
/// that may be summarized, if the mode allows one and it is worth a pass. Without that
/// condition other results would move for the target instead, and the next post would
/// summarize what this one did not (I3).
pub(crate) fn min_tokens_after(context: &Context<'_>, moves: &[Move]) -> u64 {
    let tokens = tokens_after(context, moves);
    let left = context.beside + tokens.iter().sum::<u64>();
    if context.settings.mode() == Mode::Compact {
        return left;
    }
    let place = context.place();
    let region = region_of(context, &tokens, &place);
    if worth_a_pass(context, &region, left, misses_target(context, left)).is_err() {
        return left;
    }
    let replaced: u64 = place.blocks.iter().map(|b| context.tokenizer.count(&b.render())).sum();
    let gone = region.tokens() + replaced;
    left.saturating_sub(gone) + gone.min(MIN_SNAPSHOT_TOKENS)
}

/// True if a hard target is below what is left.
pub(crate) fn misses_target(context: &Context<'_>, left: u64) -> bool {
    context.settings.target_tokens.is_some_and(|target| left > target)
}

/// The messages that may be compressed, with so many tokens each.
pub(crate) fn region_of(context: &Context<'_>, tokens: &[u64], place: &Place) -> Region {
    let (views, dialect) = (context.views(), context.history().dialect());
    let recent = context.recent_from(context.settings.recent_for_compression());
    let mut recent = Region::behind_waiting(dialect, &views, recent);
    recent = Region::before_directive(dialect, &views, recent);
    if place.is_own_message() {
        recent = Region::behind_own_message(dialect, &views, recent);
    }
    Region::of(dialect, &views, tokens, recent)
}

/// Returns the number of tokens of each message after `moves`.
pub(crate) fn tokens_after(context: &Context<'_>, moves: &[Move]) -> Vec<u64> {
    let mut tokens: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    for item in moves {
        tokens[item.candidate.index] -= item.saves();
    }
    tokens
}

/// Returns the number of tokens of the messages of a range that may leave.
pub(crate) fn tokens_in(context: &Context<'_>, tokens: &[u64], range: Range<usize>) -> u64 {
    range.filter(|index| context.is_compressible(*index)).map(|index| tokens[index]).sum()
}
