//! Compression, decided: which messages leave, in which groups, under which
//! snapshots that are known already. Nothing is written and no model is called
//! here; where nothing is to be done, the reason is an answer too.

use std::ops::Range;

use super::kept::Kept;
use super::moves::Move;
use super::request::Mode;
use super::run::Job;
use crate::compression::block::Block;
use crate::compression::bridge::{self, standing};
use crate::compression::group::{LEAST, Sizes, groups};
use crate::compression::place::Place;
use crate::compression::region::Region;
use crate::history::message::Role;

/// A pass frees at least this share of the history, as one part in so many: every
/// pass costs the caller its prompt cache.
const WORTH: u64 = 10;

/// Why a history is not compressed that begins behind snapshots it does not have: a
/// new one would stand as if there had been none.
const LOST_SNAPSHOT: &str = "not compressed: the history begins behind a snapshot that is not in \
                             the system prompt; accepted is the system that came with the messages";

/// What is to be compressed.
pub(super) struct Compression {
    /// Where the snapshots stand.
    pub(super) place: Place,
    /// The bridge of an earlier call, which is put up anew where it is needed.
    pub(super) bridge: Option<usize>,
    /// The messages that leave, system messages among them excepted.
    pub(super) gone: Range<usize>,
    /// Snapshots of an earlier call that stand for the beginning, and where that
    /// ends.
    pub(super) kept: Option<(usize, Kept)>,
    /// The messages that a snapshot is still to be written for.
    pub(super) groups: Vec<Range<usize>>,
    /// The key of what leaves, under which its snapshots are kept.
    pub(super) key: blake3::Hash,
    /// What each message costs after compaction.
    pub(super) tokens: Vec<u64>,
    /// What a hard target leaves for all snapshots.
    pub(super) room: Option<u64>,
}

impl Compression {
    /// The snapshots that the new ones stand behind, or merge.
    pub(super) fn earlier(&self) -> Vec<Block> {
        self.kept.as_ref().map_or_else(|| self.place.blocks.clone(), |(_, kept)| kept.read())
    }

    /// The same without new snapshots, where earlier ones can serve again.
    pub(super) fn without_new(&self) -> Option<Compression> {
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

impl Job<'_> {
    /// Whether compression follows compaction, and if so of what.
    pub(super) fn compression(&self, moves: &[Move]) -> Result<Option<Compression>, String> {
        let settings = self.settings;
        let saved: u64 = moves.iter().map(Move::saves).sum();
        let before = self.tokens_before();
        let left = before - saved;
        let missed = self.misses_target(left);
        let asked = match settings.mode {
            Mode::Compact => false,
            Mode::Compress => true,
            Mode::Auto => missed || self.compaction_is_not_enough(before, left),
        };
        if !asked {
            return Ok(None);
        }
        let tokens = self.tokens_after(moves);
        let place = self.place();
        let region = self.region(&tokens, &place);
        self.worth_a_pass(&region, left, missed)?;
        let views = self.views();
        let bridge = standing(self.history(), &views, &place);
        if bridge.is_none() && bridge::bridge(self.history(), &views).is_some() {
            return Err(LOST_SNAPSHOT.to_owned());
        }
        let prefixes = self.prefixes(&place, &region, moves);
        let kept = self.kept(&prefixes);
        let tail = match &kept {
            Some((end, _)) => region.after(*end),
            None => region.clone(),
        };
        let least_of_all = self.least(moves);
        let target_holds = |end: usize| {
            let gone: u64 = self.cost(&tokens, region.range().start..end);
            // What nothing can reach is no reason for a new snapshot each turn.
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
                let window = self.offloader.summariser.window();
                let sizes = Sizes { threshold: settings.group_token_threshold, window };
                let groups = groups(&tail.units, sizes);
                (region.range(), kept, groups)
            }
        };
        let key = prefixes.iter().rev().find(|(end, _)| *end == gone.end).map(|(_, key)| *key);
        let Some(key) = key else { return Err("not compressed: no unit ends there".to_owned()) };
        // What stands in the place of snapshots makes room for the new ones.
        let replaced: u64 =
            place.blocks.iter().map(|block| self.tokenizer.count(&block.render())).sum();
        let fixed = (left - self.cost(&tokens, gone.clone())).saturating_sub(replaced);
        let room = settings.target_tokens.map(|target| target.saturating_sub(fixed));
        let groups = self.in_one_where_tight(groups, room);
        Ok(Some(Compression { place, bridge, gone, kept, groups, key, tokens, room }))
    }

    /// Why a pass over the region would not be worth its prompt cache.
    fn worth_a_pass(&self, region: &Region, left: u64, missed: bool) -> Result<(), String> {
        let (tokens, least) = (region.tokens(), self.settings.max_total_tokens);
        if region.units.is_empty() || (tokens < least && !missed) {
            return Err(format!(
                "not compressed: {tokens} tokens are neither system messages nor among the newest, \
                 fewer than max_total_tokens ({least})"
            ));
        }
        let worth = (left / WORTH).max(self.settings.min_savings_tokens) + LEAST;
        if tokens < worth {
            return Err(format!(
                "not compressed: of {left} tokens only {tokens} may be compressed, too few to free \
                 a tenth"
            ));
        }
        Ok(())
    }

    /// Many snapshots have no place where one has hardly any; a model's window, on
    /// the other hand, has the last word.
    fn in_one_where_tight(
        &self,
        groups: Vec<Range<usize>>,
        room: Option<u64>,
    ) -> Vec<Range<usize>> {
        let tight = room.is_some_and(|room| room / (groups.len().max(1) as u64) < 2 * LEAST);
        match groups.as_slice() {
            [first, .., last] if tight && self.offloader.summariser.window().is_none() => {
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
    fn compaction_is_not_enough(&self, before: u64, left: u64) -> bool {
        let share = self.settings.compact_ratio_threshold;
        let too_much = |of: u64| left as f64 > share * of as f64;
        too_much(before) && (left < before || too_much(before + self.saved_before()))
    }

    /// The least that the history can cost after `moves`: with a snapshot of all
    /// that may be compressed, where the mode allows one and it is worth a pass. One
    /// that is not worth it would be once other results have moved for the target in
    /// its stead, and the next post would compress what this one did not (I3).
    pub(super) fn least(&self, moves: &[Move]) -> u64 {
        let tokens = self.tokens_after(moves);
        let left = self.beside + tokens.iter().sum::<u64>();
        if self.settings.mode == Mode::Compact {
            return left;
        }
        let place = self.place();
        let region = self.region(&tokens, &place);
        if self.worth_a_pass(&region, left, self.misses_target(left)).is_err() {
            return left;
        }
        let replaced: u64 = place.blocks.iter().map(|b| self.tokenizer.count(&b.render())).sum();
        let gone = region.tokens() + replaced;
        left.saturating_sub(gone) + gone.min(LEAST)
    }

    fn misses_target(&self, left: u64) -> bool {
        self.settings.target_tokens.is_some_and(|target| left > target)
    }

    pub(super) fn place(&self) -> Place {
        let proves = |block: &Block, text: &str| self.prover().block(block, text);
        Place::find(self.history(), &self.views(), self.request.system, &proves)
    }

    fn region(&self, tokens: &[u64], place: &Place) -> Region {
        let (views, dialect) = (self.views(), self.history().dialect());
        let recent = self.recent_from(self.settings.recent_for_compression());
        let mut recent = Region::behind_waiting(dialect, &views, recent);
        recent = Region::before_directive(dialect, &views, recent);
        if place.is_own_message() {
            recent = Region::behind_own_message(dialect, &views, recent);
        }
        Region::of(dialect, &views, tokens, recent)
    }

    /// What each message costs once `moves` are made.
    fn tokens_after(&self, moves: &[Move]) -> Vec<u64> {
        let mut tokens: Vec<u64> = self.measured.iter().map(|m| m.tokens).collect();
        for item in moves {
            tokens[item.candidate.index] -= item.saves();
        }
        tokens
    }

    /// What the messages of a range cost that may leave.
    pub(super) fn cost(&self, tokens: &[u64], range: Range<usize>) -> u64 {
        range.filter(|index| self.leaves(*index)).map(|index| tokens[index]).sum()
    }

    /// True for a message that a compression may take out.
    pub(super) fn leaves(&self, index: usize) -> bool {
        self.measured[index].view.role != Role::System
    }
}
