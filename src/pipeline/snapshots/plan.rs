//! The plan of a compression: the messages that leave, their groups, and the cached snapshots.
//! Planning writes nothing and calls no model. A plan without effect has a reason.

use std::ops::Range;

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::settings::Mode;
use crate::pipeline::snapshots::assemble::Cut;
use crate::pipeline::snapshots::cached::CachedSnapshots;
use crate::pipeline::snapshots::region::{
    count_blocks, fixed, low_water, room_for, tokens_in, worth_a_pass,
};
use crate::pipeline::snapshots::saved::saved_before;
use crate::pipeline::snapshots::standing::Standing;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::bridge::bridge;
use crate::snapshot::group::{GroupSizes, MIN_SNAPSHOT_TOKENS, Room, groups};

/// The warning for a history that begins after a missing snapshot. A new snapshot would hide that
/// it is missing.
const LOST_SNAPSHOT: &str = "not compressed: the history begins after a snapshot that is not in \
                             the system prompt; send the system that was returned with the messages";

/// A planned compression.
#[derive(Clone)]
pub(crate) struct Compression {
    /// The messages that leave, and the place of the snapshots.
    pub(crate) cut: Cut,
    /// Cached snapshots of an earlier call for a prefix of the history, and the end of that prefix.
    pub(crate) cached: Option<(usize, CachedSnapshots)>,
    /// The messages that still need a snapshot.
    pub(crate) groups: Vec<Range<usize>>,
    /// The key of the messages that leave, under which their snapshots are cached.
    pub(crate) key: blake3::Hash,
    /// The tokens of each message after compaction.
    pub(crate) tokens: Vec<u64>,
    /// The tokens of the history with its existing snapshots. It is equal for a client that
    /// continues with the answer and for one that posts the whole history again.
    pub(crate) level: u64,
    /// The room of all snapshots.
    pub(crate) room: Room,
}

impl Compression {
    /// Returns the snapshots that precede the new ones or are merged into them.
    pub(crate) fn earlier(&self) -> Vec<Block> {
        self.cached
            .as_ref()
            .map_or_else(|| self.cut.place.blocks.clone(), |(_, cached)| cached.read())
    }

    /// Returns the tokens that new snapshots replace, in messages and in earlier snapshots.
    pub(crate) fn replaced(&self, context: &Context<'_>) -> u64 {
        let of = |group: &Range<usize>| tokens_in(context, &self.tokens, group.clone());
        self.groups.iter().map(of).sum::<u64>() + count_blocks(context, &self.earlier())
    }

    /// Returns the plan without new snapshots, if earlier ones can be used again.
    pub(crate) fn without_new(&self) -> Option<Compression> {
        let (end, cached) = self.cached.clone().filter(|_| !self.groups.is_empty())?;
        let cut = Cut { gone: self.cut.gone.start..end, ..self.cut.clone() };
        let cached = Some((end, cached));
        Some(Compression { cut, cached, groups: Vec::new(), ..self.clone() })
    }
}

/// Plans the compression that follows compaction, if any. The error says why there is none.
///
/// `is_due` is true if the history exceeded the target before the moves, so that it must go down to
/// the mark.
pub(crate) fn plan_compression(
    context: &Context<'_>,
    moves: &[Move],
    is_due: bool,
) -> Result<Option<Compression>, String> {
    let settings = context.settings;
    if settings.mode() == Mode::Compact {
        return Ok(None);
    }
    let standing = Standing::of(context, moves);
    let (tail, level) = (standing.tail(), standing.level(context, &standing.tokens));
    let due = match due(context, &standing, is_due) {
        Due::Yes => worth_a_pass(context, tail.tokens(), standing.snapshots, level)
            .and_then(|()| pays(context, &standing)),
        Due::Never => return Ok(None),
        Due::No(why) => Err(why),
    };
    let groups = match (due, &standing.cached) {
        (Ok(()), _) => {
            let window = context.offloader.summariser.window();
            let threshold = settings.group_token_threshold;
            groups(&tail.units, GroupSizes { threshold, window })
        }
        // Use the cached snapshots again.
        (Err(_), Some(_)) => Vec::new(),
        // The target is met, although not with room to spare.
        (Err(_), None) if settings.target_tokens.is_some_and(|target| level <= target) => {
            return Ok(None);
        }
        (Err(why), None) => return Err(why),
    };
    if standing.bridge.is_none() && bridge(context.history(), &context.views()).is_some() {
        return Err(LOST_SNAPSHOT.to_owned());
    }
    let gone = if groups.is_empty() { standing.gone() } else { standing.region.range() };
    let key = standing.prefixes.iter().rev().find(|(end, _)| *end == gone.end).map(|(_, key)| *key);
    let Some(key) = key else { return Err("not compressed: no unit ends there".to_owned()) };
    let room = room_for(context, &standing.tokens, &standing.place, gone.clone());
    let groups = merged_if_tight(context, groups, room.whole);
    let Standing { place, bridge, tokens, cached, .. } = standing;
    let cut = Cut { place, bridge, gone };
    Ok(Some(Compression { cut, cached, groups, key, tokens, level, room }))
}

/// Whether a history must be compressed.
enum Due {
    Yes,
    /// It was requested but is not needed.
    No(String),
    /// It was not requested.
    Never,
}

/// Returns whether a history with its existing snapshots exceeds its limit.
fn due(context: &Context<'_>, standing: &Standing, is_due: bool) -> Due {
    let settings = context.settings;
    let left = standing.level(context, &standing.tokens);
    let is_kept = standing.cached.is_some();
    if let Some(target) = settings.target_tokens {
        let mark = low_water(context, fixed(context, &standing.tokens, standing.in_place));
        return match (left > target || (is_due && left > mark), is_kept) {
            (true, _) => Due::Yes,
            (false, true) => Due::No(String::new()),
            (false, false) => Due::Never,
        };
    }
    let asked = settings.mode() == Mode::Compress
        || standing.snapshots > 0
        || settings.high_water().is_some_and(|most| left >= most)
        || compaction_is_not_enough(context, left);
    let (tokens, least) = (standing.tail().tokens(), settings.max_total_tokens);
    match (asked, tokens + standing.snapshots >= least) {
        (false, _) => Due::Never,
        (true, true) => Due::Yes,
        (true, false) => Due::No(format!(
            "not compressed: {tokens} tokens are neither system messages nor among the newest, \
             fewer than max_total_tokens ({least})"
        )),
    }
}

/// Returns an error if the settings delay a rewrite (`rewrite_when_saved_ratio`) and this one would
/// free too little of what it rewrites.
fn pays(context: &Context<'_>, standing: &Standing) -> Result<(), String> {
    let settings = context.settings;
    if settings.target_tokens.is_some() {
        return Ok(());
    }
    let tail = standing.tail().tokens();
    let room = room_for(context, &standing.tokens, &standing.place, standing.region.range());
    let snapshot = room.whole.min(standing.snapshots + tail / 10);
    let freed = (tail + standing.snapshots).saturating_sub(snapshot);
    let newest = tokens_in(context, &standing.tokens, 0..standing.tokens.len())
        .saturating_sub(standing.region.tokens());
    let asked = settings.asked_of_rewrite(snapshot + newest);
    if freed < asked {
        return Err(format!(
            "not compressed: it would free about {freed} tokens, fewer than {asked}, the \
             rewrite_when_saved_ratio of what it rewrites"
        ));
    }
    Ok(())
}

/// Merges the groups if a target leaves little room for each snapshot. If the model has a window,
/// they stay separate, because each must fit into it.
fn merged_if_tight(
    context: &Context<'_>,
    groups: Vec<Range<usize>>,
    room: u64,
) -> Vec<Range<usize>> {
    let tight = context.settings.target_tokens.is_some()
        && room / (groups.len().max(1) as u64) < 2 * MIN_SNAPSHOT_TOKENS;
    match groups.as_slice() {
        [first, .., last] if tight && context.offloader.summariser.window().is_none() => {
            std::iter::once(first.start..last.end).collect()
        }
        _ => groups,
    }
}

/// Returns true if compaction leaves more than `compact_ratio_threshold`.
///
/// If this call moved nothing, the share is relative to the size of the history without the
/// references of earlier calls. A history that was compacted well is therefore not compressed only
/// because it is posted again (I3). The next moved result ends this exception, so a history cannot
/// grow without limit.
fn compaction_is_not_enough(context: &Context<'_>, left: u64) -> bool {
    let share = context.settings.compact_ratio_threshold;
    let before = context.tokens_before();
    let too_much = |of: u64| left as f64 > share * of as f64;
    too_much(before) && (left < before || too_much(before + saved_before(context)))
}
