//! The region of a request: the messages that may be summarized, and their tokens.

use std::ops::Range;

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::recent::{Recent, recent_from};
use crate::pipeline::settings::Mode;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::place::Place;
use crate::snapshot::group::{FAIR_SNAPSHOT_TOKENS, MIN_SNAPSHOT_TOKENS, Room};
use crate::snapshot::region::Region;

/// A pass frees at least this share of the history, as one part in so many: every pass costs the
/// caller its prompt cache.
const WORTH: u64 = 10;
const NOTHING_LEAVES: &str = "not compressed: all messages are system messages, snapshots, or \
                              among the newest";
/// The room that a snapshot has next to any newest messages, where no target asks for less.
const MIN_ROOM: u64 = 2_000;

/// The room that a snapshot has for a small target, next to the newest messages.
const FAIR_ROOM: u64 = 1_750;
/// The part of a small target that is left free, as one part in so many.
const LEAST_FREE: u64 = 7;

/// The part of the tokens below a target that the user's words may have above the mark, as one
/// part in so many.
const FOR_WORDS: u64 = 4;

/// Returns an error if a pass over a region of so many tokens, behind snapshots of `standing`
/// tokens, would not be worth the prompt cache. For a target these are made smaller, too, unless
/// it is missed all the same: then each pass would take more of them in vain.
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

/// Returns the fewest tokens that a pass over a history of `left` tokens frees to be worth it.
pub(crate) fn least_freed(context: &Context<'_>, left: u64) -> u64 {
    (left / WORTH).max(context.settings.min_savings_tokens)
}

/// Returns the fewest tokens that the history should have after `moves`: with a `snapshot` of so
/// many tokens of all that may be summarized, if the mode allows one.
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

/// Returns the fewest tokens of a history of `left` tokens: with a `snapshot` in place of a region,
/// and of `standing` snapshots, if that is worth a pass. Were it not asked to be, other results
/// would move for the target instead, and the next post would summarize what this one did not (I3).
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

/// Returns the messages that may be compressed if the newest ones stay as the settings say.
pub(crate) fn region_of(context: &Context<'_>, tokens: &[u64], place: &Place) -> Region {
    region_before(context, tokens, place, context.settings.recent_for_compression())
}

/// Returns the messages that may be compressed if only the least number of newest messages
/// stays.
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

/// Returns the room of all snapshots if `gone` leaves, of a history whose messages cost
/// `tokens`. The user's words may go beyond the mark, so that no rule falls for the room of later
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

/// Returns the number of tokens that a compression leaves, if `fixed` stay in any case. A small
/// target leaves less than its share free, as long as a snapshot has no fair room in it.
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

/// Returns the number of tokens that no compression takes out: of system messages without their
/// snapshots, and of what counts next to the messages.
pub(crate) fn fixed(context: &Context<'_>, tokens: &[u64], standing: u64) -> u64 {
    let compressible = tokens_in(context, tokens, 0..tokens.len());
    let all = context.beside + tokens.iter().sum::<u64>();
    all.saturating_sub(compressible + standing)
}

/// Returns the number of tokens of snapshots.
pub(crate) fn count_blocks(context: &Context<'_>, blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| context.tokenizer.count(&block.render())).sum()
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
