//! The plan of a compression: the messages that leave, their groups, and the cached
//! snapshots. Nothing is written and no model is called here; a plan that does nothing has
//! a reason.

use std::ops::Range;

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::settings::Mode;
use crate::pipeline::snapshots::cached::{CachedSnapshots, cached_snapshots, prefix_keys};
use crate::pipeline::snapshots::region::{
    min_tokens_after, misses_target, region_of, tokens_after, tokens_in, worth_a_pass,
};
use crate::pipeline::snapshots::saved::saved_before;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::bridge;
use crate::snapshot::format::bridge::standing;
use crate::snapshot::format::place::Place;
use crate::snapshot::group::{GroupSizes, MIN_SNAPSHOT_TOKENS, groups};

/// The warning for a history that begins after a snapshot that is absent: a new one would
/// pretend that there was none.
const LOST_SNAPSHOT: &str = "not compressed: the history begins behind a snapshot that is not in \
                             the system prompt; accepted is the system that came with the messages";

/// A compression that is decided.
pub(crate) struct Compression {
    /// The place of the snapshots.
    pub(crate) place: Place,
    /// The bridge of an earlier call, which is put up anew where it is needed.
    pub(crate) bridge: Option<usize>,
    /// The messages that leave, system messages among them excepted.
    pub(crate) gone: Range<usize>,
    /// Cached snapshots of an earlier call for the beginning, and the end of that beginning.
    pub(crate) cached: Option<(usize, CachedSnapshots)>,
    /// The messages that a snapshot is still to be written for.
    pub(crate) groups: Vec<Range<usize>>,
    /// The key of what leaves, under which its snapshots are cached.
    pub(crate) key: blake3::Hash,
    /// The number of tokens of each message after compaction.
    pub(crate) tokens: Vec<u64>,
    /// Most tokens that a hard target leaves for all snapshots.
    pub(crate) room: Option<u64>,
}

impl Compression {
    /// The snapshots that the new ones stand behind, or merge.
    pub(crate) fn earlier(&self) -> Vec<Block> {
        self.cached.as_ref().map_or_else(|| self.place.blocks.clone(), |(_, cached)| cached.read())
    }

    /// The same without new snapshots, where earlier ones can serve again.
    pub(crate) fn without_new(&self) -> Option<Compression> {
        let (end, cached) = self.cached.clone().filter(|_| !self.groups.is_empty())?;
        Some(Compression {
            place: self.place.clone(),
            bridge: self.bridge,
            gone: self.gone.start..end,
            cached: Some((end, cached)),
            groups: Vec::new(),
            key: self.key,
            tokens: self.tokens.clone(),
            room: self.room,
        })
    }
}

/// Plans the compression that follows compaction, if any. The error says why there is none.
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
    let cached = cached_snapshots(context, &prefixes);
    let tail = match &cached {
        Some((end, _)) => region.after(*end),
        None => region.clone(),
    };
    let min_after = min_tokens_after(context, moves);
    let target_holds = |end: usize| {
        let gone: u64 = tokens_in(context, &tokens, region.range().start..end);
        // A target that nothing can meet is no reason for a new snapshot each turn.
        let met = |target| left - gone + MIN_SNAPSHOT_TOKENS <= target || min_after > target;
        settings.target_tokens.is_none_or(met)
    };
    let (gone, cached, groups) = match cached {
        // The tail is small: what was written once serves again.
        Some((end, cached))
            if tail.tokens() < settings.max_total_tokens.max(MIN_SNAPSHOT_TOKENS)
                && target_holds(end) =>
        {
            (region.range().start..end, Some((end, cached)), Vec::new())
        }
        cached => {
            let window = context.offloader.summariser.window();
            let sizes = GroupSizes { threshold: settings.group_token_threshold, window };
            let groups = groups(&tail.units, sizes);
            (region.range(), cached, groups)
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
    Ok(Some(Compression { place, bridge, gone, cached, groups, key, tokens, room }))
}

fn is_asked_for(context: &Context<'_>, before: u64, left: u64) -> bool {
    match context.settings.mode() {
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
    let tight =
        room.is_some_and(|room| room / (groups.len().max(1) as u64) < 2 * MIN_SNAPSHOT_TOKENS);
    match groups.as_slice() {
        [first, .., last] if tight && context.offloader.summariser.window().is_none() => {
            std::iter::once(first.start..last.end).collect()
        }
        _ => groups,
    }
}

/// True where compaction leaves more than `compact_ratio_threshold`.
///
/// If this call moved nothing, the share is of what the history would cost
/// without the references of earlier calls: what was compacted well is not
/// compressed only because it is posted again (I3). The next result that moves
/// brings the question back, so a history cannot grow for ever.
fn compaction_is_not_enough(context: &Context<'_>, before: u64, left: u64) -> bool {
    let share = context.settings.compact_ratio_threshold;
    let too_much = |of: u64| left as f64 > share * of as f64;
    too_much(before) && (left < before || too_much(before + saved_before(context)))
}
