//! The region of a request: the messages that may be summarised, and their tokens.

use std::ops::Range;

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::recent::{Recent, recent_from};
use crate::pipeline::settings::Mode;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::place::Place;
use crate::snapshot::group::{FAIR_SNAPSHOT_TOKENS, MIN_SNAPSHOT_TOKENS, Room};
use crate::snapshot::region::Region;

/// Minimum share of the history that a pass frees, as a divisor: each pass costs the caller its
/// prompt cache.
const WORTH: u64 = 10;
const NOTHING_LEAVES: &str = "not compressed: all messages are system messages, snapshots, or \
                              among the newest";
/// Minimum room of a snapshot next to any newest messages, in tokens, if there is no target.
const MIN_ROOM: u64 = 2_000;

/// Room of a snapshot next to the newest messages for a small target, in tokens.
const FAIR_ROOM: u64 = 1_750;
/// Minimum share of a small target that stays free, as a divisor.
const LEAST_FREE: u64 = 7;

/// The share of the tokens between the mark and the target that the user's words may use, as a
/// divisor.
const FOR_WORDS: u64 = 4;

/// Returns an error if a pass over a region of `region` tokens, after existing snapshots of
/// `standing` tokens, is not worth the prompt cache. With a target, a pass also makes these
/// snapshots smaller. It does not if the target is missed anyway, because then each pass would take
/// more of them in vain.
pub(crate) fn worth_a_pass(
    context: &Context<'_>,
    region: u64,
    standing: u64,
    left: u64,
) -> Result<(), String> {
    let rest = left.saturating_sub(region + standing);
    let is_met = |target: u64| rest + MIN_SNAPSHOT_TOKENS <= target;
    let shrinks = context.settings.target_tokens.is_some_and(is_met);
    let tokens = region + if shrinks { standing } else { 0 };
    let asked = least_freed(context, left);
    if region == 0 {
        return Err(NOTHING_LEAVES.to_owned());
    }
    if tokens < asked.saturating_add(MIN_SNAPSHOT_TOKENS) {
        let free = tokens.saturating_sub(MIN_SNAPSHOT_TOKENS);
        return Err(format!(
            "not compressed: it would free at most {free} of {left} tokens, fewer than {asked}"
        ));
    }
    Ok(())
}

/// Returns the minimum number of tokens that a pass over a history of `left` tokens must free.
pub(crate) fn least_freed(context: &Context<'_>, left: u64) -> u64 {
    (left / WORTH).max(context.settings.min_savings_tokens)
}

/// Returns the minimum number of tokens of the history after `moves`. If the mode allows a
/// snapshot, counts one of `snapshot` tokens in place of all messages that may be summarised.
pub(crate) fn min_tokens_after(context: &Context<'_>, moves: &[Move], snapshot: u64) -> u64 {
    let tokens = tokens_after(context, moves);
    let left = context.beside + tokens.iter().sum::<u64>();
    if context.settings.mode() == Mode::Compact {
        return left;
    }
    let place = context.place();
    let region = largest_region(context, &tokens, &place).tokens();
    min_tokens(context, region, count_blocks(context, &place.blocks), left, snapshot)
}

/// Returns the minimum number of tokens of a history of `left` tokens: with a snapshot of
/// `snapshot` tokens in place of a region and of existing snapshots, if that is worth a pass.
/// Without this condition, other results would move for the target instead, and the next post would
/// summarise what this one did not (I3).
pub(crate) fn min_tokens(
    context: &Context<'_>,
    region: u64,
    standing: u64,
    left: u64,
    snapshot: u64,
) -> u64 {
    if worth_a_pass(context, region, standing, left).is_err() {
        return left;
    }
    let gone = region + standing;
    left.saturating_sub(gone) + gone.min(snapshot)
}

/// Returns the messages that may be compressed if the newest ones stay according to the settings.
pub(crate) fn region_of(context: &Context<'_>, tokens: &[u64], place: &Place) -> Region {
    region_before(context, tokens, place, context.settings.recent_for_compression())
}

/// Returns the messages that may be compressed if only the minimum number of newest messages stays.
pub(crate) fn largest_region(context: &Context<'_>, tokens: &[u64], place: &Place) -> Region {
    let recent = context.settings.recent_for_compression();
    region_before(context, tokens, place, Recent { tokens: 0, ..recent })
}

fn region_before(context: &Context<'_>, tokens: &[u64], place: &Place, recent: Recent) -> Region {
    let (views, dialect) = (context.views(), context.history().dialect());
    let recent = recent_from(dialect, &views, tokens, recent);
    let mut recent = Region::behind_waiting(dialect, &views, recent);
    recent = Region::before_directive(dialect, &views, recent);
    if place.is_own_message() {
        recent = Region::behind_own_message(dialect, &views, recent);
    }
    Region::of(dialect, &views, tokens, recent)
}

/// Returns the room of all snapshots if the messages `gone` leave. `tokens` is the cost of each
/// message. The user's words may exceed the mark, so that no rule is removed for the room of later
/// turns.
pub(crate) fn room_for(
    context: &Context<'_>,
    tokens: &[u64],
    place: &Place,
    gone: Range<usize>,
) -> Room {
    let standing = count_blocks(context, &place.blocks);
    let fixed = fixed(context, tokens, standing);
    let left = context.beside + tokens.iter().sum::<u64>();
    let rest = left.saturating_sub(tokens_in(context, tokens, gone) + standing);
    match context.settings.target_tokens {
        Some(target) => {
            let most = target.saturating_sub(rest);
            let least = most.min(FAIR_SNAPSHOT_TOKENS);
            let whole = low_water(context, fixed).saturating_sub(rest).max(least);
            Room { whole, words: most.saturating_sub(whole) / FOR_WORDS, most }
        }
        None => {
            let newest = rest.saturating_sub(fixed);
            let whole = context.settings.low_water().saturating_sub(newest).max(MIN_ROOM);
            Room { whole, words: 0, most: whole }
        }
    }
}

/// Returns the low-water mark: the tokens that a compression leaves, if `fixed` tokens stay in any
/// case. A small target leaves less than its usual share free, until a snapshot has fair room.
pub(crate) fn low_water(context: &Context<'_>, fixed: u64) -> u64 {
    let settings = context.settings;
    let rest = settings.limit().saturating_sub(fixed);
    let has_snapshots = settings.mode() != Mode::Compact;
    let fair = settings.target_tokens.filter(|_| has_snapshots).map_or(0, |target| {
        let newest = settings.recent_for_compression().tokens;
        (fixed + newest + FAIR_ROOM).min(target - target / LEAST_FREE)
    });
    settings.low_water().max(fixed + settings.low_water_of(rest) / 2).max(fair)
}

/// Returns the tokens that no compression removes: those of system messages without their
/// snapshots, and those outside the messages.
pub(crate) fn fixed(context: &Context<'_>, tokens: &[u64], standing: u64) -> u64 {
    let compressible = tokens_in(context, tokens, 0..tokens.len());
    let all = context.beside + tokens.iter().sum::<u64>();
    all.saturating_sub(compressible + standing)
}

/// Returns the tokens of snapshots.
pub(crate) fn count_blocks(context: &Context<'_>, blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| context.tokenizer.count(&block.render())).sum()
}

/// Returns the tokens of each message after `moves`.
pub(crate) fn tokens_after(context: &Context<'_>, moves: &[Move]) -> Vec<u64> {
    let mut tokens: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    for item in moves {
        tokens[item.candidate.index] -= item.saves();
    }
    tokens
}

/// Returns the tokens of the messages in a range that may leave.
pub(crate) fn tokens_in(context: &Context<'_>, tokens: &[u64], range: Range<usize>) -> u64 {
    range.filter(|index| context.is_compressible(*index)).map(|index| tokens[index]).sum()
}
