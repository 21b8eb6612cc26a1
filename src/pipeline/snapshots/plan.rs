//! Compression, decided: which messages leave, in which groups, under which
//! snapshots that are known already. Nothing is written and no model is called
//! here; where nothing is to be done, the reason is an answer too.

use std::ops::Range;

use crate::compression::block::Block;
use crate::compression::bridge;
use crate::compression::bridge::standing;
use crate::compression::group::{LEAST, Sizes, groups};
use crate::compression::place::Place;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::request::Mode;
use crate::pipeline::snapshots::cached::{CachedSnapshots, cached_snapshots, prefix_keys};
use crate::pipeline::snapshots::region::{
    min_tokens_after, misses_target, region_of, tokens_after, tokens_in, worth_a_pass,
};
use crate::pipeline::snapshots::saved::saved_before;

/// Why a history is not compressed that begins behind snapshots it does not have: a
/// new one would stand as if there had been none.
const LOST_SNAPSHOT: &str = "not compressed: the history begins behind a snapshot that is not in \
                             the system prompt; accepted is the system that came with the messages";

/// A compression that is decided.
pub(crate) struct Compression {
    /// Where the snapshots stand.
    pub(crate) place: Place,
    /// The bridge of an earlier call, which is put up anew where it is needed.
    pub(crate) bridge: Option<usize>,
    /// The messages that leave, system messages among them excepted.
    pub(crate) gone: Range<usize>,
    /// Snapshots of an earlier call that stand for the beginning, and where that
    /// ends.
    pub(crate) kept: Option<(usize, CachedSnapshots)>,
    /// The messages that a snapshot is still to be written for.
    pub(crate) groups: Vec<Range<usize>>,
    /// The key of what leaves, under which its snapshots are kept.
    pub(crate) key: blake3::Hash,
    /// The number of tokens of each message after compaction.
    pub(crate) tokens: Vec<u64>,
    /// Most tokens that a hard target leaves for all snapshots.
    pub(crate) room: Option<u64>,
}

impl Compression {
    /// The snapshots that the new ones stand behind, or merge.
    pub(crate) fn earlier(&self) -> Vec<Block> {
        self.kept.as_ref().map_or_else(|| self.place.blocks.clone(), |(_, kept)| kept.read())
    }

    /// The same without new snapshots, where earlier ones can serve again.
    pub(crate) fn without_new(&self) -> Option<Compression> {
        let (end, kept) = self.kept.clone().filter(|_| !self.groups.is_empty())?;
        Some(Compression {
            place: self.place.clone(),
            bridge: self.bridge,
            gone: self.gone.start..end,
            kept: Some((end, kept)),
            groups: Vec::new(),
            key: self.key,
            tokens: self.tokens.clone(),
            room: self.room,
        })
    }
}

/// Whether compression follows compaction, and if so of what.
pub(crate) fn plan_compression(
    context: &Context<'_>,
    moves: &[Move],
) -> Result<Option<Compression>, String> {
    let settings = context.settings;
    let saved: u64 = moves.iter().map(Move::saves).sum();
    let before = context.tokens_before();
    let left = before - saved;
    let missed = misses_target(context, left);
    if !is_asked_for(context, before, left) {
        return Ok(None);
    }
    let tokens = tokens_after(context, moves);
    let place = context.place();
    let region = region_of(context, &tokens, &place);
    worth_a_pass(context, &region, left, missed)?;
    let views = context.views();
    let bridge = standing(context.history(), &views, &place);
    if bridge.is_none() && bridge::bridge(context.history(), &views).is_some() {
        return Err(LOST_SNAPSHOT.to_owned());
    }
    let prefixes = prefix_keys(context, &place, &region, moves);
    let kept = cached_snapshots(context, &prefixes);
    let tail = match &kept {
        Some((end, _)) => region.after(*end),
        None => region.clone(),
    };
    let least_of_all = min_tokens_after(context, moves);
    let target_holds = |end: usize| {
        let gone: u64 = tokens_in(context, &tokens, region.range().start..end);
        // A target that nothing can meet is no reason for a new snapshot each turn.
        let met = |target| left - gone + LEAST <= target || least_of_all > target;
        settings.target_tokens.is_none_or(met)
    };
    let (gone, kept, groups) = match kept {
        // The tail is small: what was written once serves again.
        Some((end, kept))
            if tail.tokens() < settings.max_total_tokens.max(LEAST) && target_holds(end) =>
        {
            (region.range().start..end, Some((end, kept)), Vec::new())
        }
        kept => {
            let window = context.offloader.summariser.window();
            let sizes = Sizes { threshold: settings.group_token_threshold, window };
            let groups = groups(&tail.units, sizes);
            (region.range(), kept, groups)
        }
    };
    let key = prefixes.iter().rev().find(|(end, _)| *end == gone.end).map(|(_, key)| *key);
    let Some(key) = key else { return Err("not compressed: no unit ends there".to_owned()) };
    // Earlier snapshots make room for the new ones.
    let replaced: u64 =
        place.blocks.iter().map(|block| context.tokenizer.count(&block.render())).sum();
    let fixed = (left - tokens_in(context, &tokens, gone.clone())).saturating_sub(replaced);
    let room = settings.target_tokens.map(|target| target.saturating_sub(fixed));
    let groups = merged_if_tight(context, groups, room);
    Ok(Some(Compression { place, bridge, gone, kept, groups, key, tokens, room }))
}

fn is_asked_for(context: &Context<'_>, before: u64, left: u64) -> bool {
    match context.settings.mode {
        Mode::Compact => false,
        Mode::Compress => true,
        Mode::Auto => {
            misses_target(context, left) || compaction_is_not_enough(context, before, left)
        }
    }
}

/// Many snapshots have no place where one has hardly any; a model's window, on
/// the other hand, has the last word.
fn merged_if_tight(
    context: &Context<'_>,
    groups: Vec<Range<usize>>,
    room: Option<u64>,
) -> Vec<Range<usize>> {
    let tight = room.is_some_and(|room| room / (groups.len().max(1) as u64) < 2 * LEAST);
    match groups.as_slice() {
        [first, .., last] if tight && context.offloader.summariser.window().is_none() => {
            std::iter::once(first.start..last.end).collect()
        }
        _ => groups,
    }
}

/// True where compaction leaves more than `compact_ratio_threshold`.
///
/// Where this call moved nothing, the share is of what the history would cost
/// without the references of earlier calls: what was compacted well is not
/// compressed only because it is posted again (I3). The next result that moves
/// brings the question back, so a history cannot grow for ever.
fn compaction_is_not_enough(context: &Context<'_>, before: u64, left: u64) -> bool {
    let share = context.settings.compact_ratio_threshold;
    let too_much = |of: u64| left as f64 > share * of as f64;
    too_much(before) && (left < before || too_much(before + saved_before(context)))
}
