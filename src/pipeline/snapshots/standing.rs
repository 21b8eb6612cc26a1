//! The existing snapshots: those that a history has before a call adds any, in its messages or in
//! the cache for its prefix. A client that posts its whole history again is treated like one that
//! continues with the answer.

use std::ops::Range;

use blake3::Hash;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::assemble::{Cut, assemble, tokens_of};
use crate::pipeline::snapshots::cached::{CachedSnapshots, cached_snapshots, prefix_keys};
use crate::pipeline::snapshots::region::{
    count_blocks, fixed, largest_region, low_water, region_of, tokens_after, tokens_in,
    worth_a_pass,
};
use crate::snapshot::format::bridge::standing as standing_bridge;
use crate::snapshot::format::place::Place;
use crate::snapshot::group::MIN_SNAPSHOT_TOKENS;
use crate::snapshot::region::Region;

/// The existing snapshots of a history.
pub(crate) struct Standing {
    /// The place of the snapshots.
    pub(crate) place: Place,
    /// The tokens of each message after compaction.
    pub(crate) tokens: Vec<u64>,
    /// The bridge that an earlier call put before the messages that stay.
    pub(crate) bridge: Option<usize>,
    /// The messages that may be compressed.
    pub(crate) region: Region,
    /// The end of each prefix, and the key under which its snapshots are cached.
    pub(crate) prefixes: Vec<(usize, Hash)>,
    /// Cached snapshots for a prefix, and the end of that prefix.
    pub(crate) cached: Option<(usize, CachedSnapshots)>,
    /// The first message that may be compressed.
    start: usize,
    /// The tokens of the snapshots in the messages.
    pub(crate) in_place: u64,
    /// The tokens of the cached snapshots, or of those in the messages if none are cached.
    pub(crate) snapshots: u64,
    /// The additional tokens of cached snapshots: a message that holds them, a bridge, and the
    /// lines between them.
    around: i64,
}

impl Standing {
    /// Finds the snapshots of a history after `moves`.
    pub(crate) fn of(context: &Context<'_>, moves: &[Move]) -> Standing {
        let tokens = tokens_after(context, moves);
        let place = context.place();
        // Newest messages may have become smaller since they ended a region.
        let largest = largest_region(context, &tokens, &place);
        let in_place = count_blocks(context, &place.blocks);
        let settings = context.settings;
        let is_large = settings.target_tokens.is_some()
            || largest.tokens() + in_place >= settings.max_total_tokens;
        let prefixes = match is_large {
            true => prefix_keys(context, &place, &largest),
            // No earlier call compressed less than that.
            false => Vec::new(),
        };
        let cached = cached_snapshots(context, &prefixes);
        let snapshots =
            cached.as_ref().map_or(in_place, |(_, cached)| count_blocks(context, &cached.read()));
        let start = largest.range().start;
        let bridge = standing_bridge(context.history(), &context.views(), &place);
        let mut standing = Standing {
            place,
            bridge,
            tokens,
            region: largest,
            prefixes,
            cached,
            start,
            in_place,
            snapshots,
            around: 0,
        };
        standing.around = standing.count_around(context);
        let region = region_of(context, &standing.tokens, &standing.place);
        if standing.is_enough(context, &region) {
            standing.region = region;
        }
        standing
    }

    /// Returns true if compressing the region can meet the target. Otherwise more of the newest
    /// messages are compressed, except their minimum number.
    fn is_enough(&self, context: &Context<'_>, region: &Region) -> bool {
        let Some(target) = context.settings.target_tokens else { return true };
        let tail = region.after(self.gone().end).tokens();
        let level = self.level(context, &self.tokens);
        let rest = level.saturating_sub(tail + self.snapshots);
        let mark = low_water(context, fixed(context, &self.tokens, self.in_place));
        rest + MIN_SNAPSHOT_TOKENS <= mark
            && (level <= target || worth_a_pass(context, tail, self.snapshots, level).is_ok())
    }

    /// Counts the additional tokens of cached snapshots: the difference between the history with
    /// them and the sum of its parts.
    fn count_around(&self, context: &Context<'_>) -> i64 {
        let Some((_, cached)) = &self.cached else { return 0 };
        let Standing { place, bridge, .. } = self;
        let cut = Cut { place: place.clone(), bridge: *bridge, gone: self.gone() };
        let exact = tokens_of(context, &assemble(context, &cut, &[], &cached.blocks));
        let sum = self.level(context, &tokens_after(context, &[]));
        exact.cast_signed() - sum.cast_signed()
    }

    /// Returns the messages that the cached snapshots replace.
    pub(crate) fn gone(&self) -> Range<usize> {
        self.start..self.cached.as_ref().map_or(self.start, |(end, _)| *end)
    }

    /// Returns true if the call that made the cached snapshots also made this move.
    pub(crate) fn has_moved(&self, item: &Move) -> bool {
        self.cached.as_ref().is_some_and(|(_, cached)| cached.has_moved(item))
    }

    /// Returns true if that call moved a text at this position, with a preview of this size.
    pub(crate) fn has_moved_at(&self, at: (usize, usize), preview: PreviewSize) -> bool {
        self.cached.as_ref().is_some_and(|(_, cached)| cached.has_moved_at(at, preview))
    }

    /// Returns the messages after the snapshots that may be compressed.
    pub(crate) fn tail(&self) -> Region {
        self.region.after(self.gone().end)
    }

    /// Returns the tokens of the history with its snapshots, if its messages cost `tokens`.
    pub(crate) fn level(&self, context: &Context<'_>, tokens: &[u64]) -> u64 {
        let all = context.beside + tokens.iter().sum::<u64>();
        let gone = tokens_in(context, tokens, self.gone()) + self.in_place;
        (all.saturating_sub(gone) + self.snapshots).saturating_add_signed(self.around)
    }

    /// Returns the tokens that cached snapshots add to those of the messages and of the snapshots
    /// in them.
    pub(crate) fn added(&self) -> i64 {
        self.snapshots.cast_signed() - self.in_place.cast_signed() + self.around
    }
}
