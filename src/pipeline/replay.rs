//! Replays a history turn by turn: finds which texts its earlier posts moved for a target. The
//! service keeps no session, and a client that posts its whole history again must get the same
//! messages as before.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::moves::plan::Candidate;
use crate::pipeline::moves::reserve::Reserve;
use crate::pipeline::recent::{Recent, Units};
use crate::pipeline::snapshots::region::{fixed, low_water, min_tokens, tokens_in, worth_a_pass};
use crate::pipeline::snapshots::standing::Standing;
use crate::snapshot::group::{FAIR_SNAPSHOT_TOKENS, MIN_SNAPSHOT_TOKENS};
use context_store::StoreError;

/// The result of a replay.
pub(crate) struct Replay {
    /// The positions of the texts that moved.
    pub(crate) moved: HashSet<(usize, usize)>,
    /// The smaller results that moved.
    pub(crate) reserve: Vec<Move>,
    /// Moves that have no room for a preview; they replace the same moves with one.
    pub(crate) bare: Vec<Move>,
    /// The texts that moved and have a preview, each with the tokens that it saves.
    shown: Vec<(Candidate, u64)>,
    /// True if the last post exceeds the target.
    pub(crate) is_due: bool,
    /// The tokens of each message.
    tokens: Vec<u64>,
    /// The tokens of the history so far.
    level: u64,
}

impl Replay {
    fn move_out(&mut self, item: &Move) {
        self.tokens[item.candidate.index] -= item.saves();
        self.level = self.level.saturating_sub(item.saves());
        self.moved.insert(item.candidate.at());
        self.shown.push((item.candidate.clone(), item.saves()));
    }

    /// Replaces the previews of messages before `recent` by bare references.
    fn give_up_previews(
        &mut self,
        recent: usize,
        reserve: &mut Reserve<'_>,
    ) -> Result<(), StoreError> {
        let is_old = |(candidate, _): &mut (Candidate, u64)| candidate.index < recent;
        let (candidates, saved): (Vec<Candidate>, Vec<u64>) =
            self.shown.extract_if(.., is_old).unzip();
        let saved: HashMap<_, _> = candidates.iter().map(Candidate::at).zip(saved).collect();
        for item in reserve.bare(candidates)? {
            let more = item.saves().saturating_sub(saved[&item.candidate.at()]);
            self.tokens[item.candidate.index] -= more;
            self.level = self.level.saturating_sub(more);
            self.bare.push(item);
        }
        Ok(())
    }
}

/// Replays a history. Nothing changes as long as it meets the target. When it exceeds the target,
/// all large results except the newest move, then smaller ones of the `reserve`, down to the
/// low-water mark. If that is not enough, they give up their previews, and the largest of the
/// newest results move until the target is met. With snapshots the reserve is empty: they free the
/// tokens that are missing to the mark, and previews are given up if the target has no room for
/// them next to a small snapshot. `moves` are in the order of the messages.
///
/// # Errors
///
/// Fails if moves of the reserve cannot be made.
pub(crate) fn replay(
    context: &Context<'_>,
    target: u64,
    standing: Option<&Standing>,
    moves: &[Move],
    reserve: Reserve<'_>,
) -> Result<Replay, StoreError> {
    let mut tokens: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    let gone = standing.map_or(0..0, Standing::gone);
    let is_gone = |index: usize| gone.contains(&index) && context.is_compressible(index);
    let (mut large, mut shown) = (Vec::new(), Vec::new());
    for item in moves.iter().filter(|item| !is_gone(item.candidate.index)) {
        if standing.is_some_and(|standing| standing.has_moved(item)) {
            tokens[item.candidate.index] -= item.saves();
            shown.push((item.candidate.clone(), item.saves()));
        } else {
            large.push(item);
        }
    }
    let fixed = fixed(context, &tokens, standing.map_or(0, |standing| standing.in_place));
    let mut posts = Posts {
        context,
        target,
        standing,
        fixed,
        mark: low_water(context, fixed),
        units: Units::of(context.history().dialect(), &context.views(), &tokens),
        posted: Vec::new(),
        reserve,
        replay: Replay {
            moved: HashSet::new(),
            reserve: Vec::new(),
            bare: Vec::new(),
            shown,
            is_due: false,
            level: context.beside.saturating_add_signed(standing.map_or(0, Standing::added)),
            tokens,
        },
    };
    let mut waiting = large.into_iter().peekable();
    for index in (0..posts.replay.tokens.len()).filter(|index| !is_gone(*index)) {
        posts.replay.level += posts.replay.tokens[index];
        while let Some(item) = waiting.next_if(|item| item.candidate.index <= index) {
            posts.posted.push(item);
        }
        let end = index + 1;
        let is_post = end >= gone.end && posts.units.ends_at(end);
        posts.replay.is_due = is_post && posts.replay.level > target;
        if posts.replay.is_due {
            posts.shrink(end)?;
        }
    }
    Ok(posts.replay)
}

/// The posts of a client with a growing history. Each post ends with a whole unit.
struct Posts<'a> {
    context: &'a Context<'a>,
    target: u64,
    standing: Option<&'a Standing>,
    /// Tokens that no step can free.
    fixed: u64,
    /// The low-water mark.
    mark: u64,
    units: Units,
    /// The large results so far that have not moved.
    posted: Vec<&'a Move>,
    reserve: Reserve<'a>,
    replay: Replay,
}

impl Posts<'_> {
    /// Frees tokens of the post of the messages before `end`, which exceeds the target.
    fn shrink(&mut self, end: usize) -> Result<(), StoreError> {
        let recent = self.units.recent_from(end, self.context.settings.recent());
        self.posted.sort_by_key(|item| Reverse(item.candidate.slot.tokens));
        let (old, new): (Vec<&Move>, _) =
            self.posted.drain(..).partition(|item| item.candidate.index < recent);
        old.into_iter().for_each(|item| self.replay.move_out(item));
        while self.replay.level > self.mark
            && let Some(item) = self.reserve.next_before(recent)?
        {
            self.replay.move_out(&item);
            self.replay.reserve.push(item);
        }
        if self.standing.is_none() && self.replay.level > self.target {
            self.replay.give_up_previews(recent, &mut self.reserve)?;
        }
        for item in new {
            match self.min_tokens(end, FAIR_SNAPSHOT_TOKENS) <= self.target {
                true => self.posted.push(item),
                false => self.replay.move_out(item),
            }
        }
        let Some(standing) = self.standing else { return Ok(()) };
        // Previews of the last post are given up later, after more of its newest results have
        // moved.
        let is_earlier = end < self.replay.tokens.len();
        if is_earlier && self.min_tokens(end, MIN_SNAPSHOT_TOKENS) > self.target {
            self.replay.give_up_previews(end, &mut self.reserve)?;
        }
        let (region, level) = (self.region(end), self.replay.level);
        if worth_a_pass(self.context, region, standing.snapshots, level).is_ok() {
            self.replay.level = level.min(self.mark);
        }
        Ok(())
    }

    /// Returns the minimum size of the post that ends at `end`: with snapshots, its newest messages
    /// next to one of `snapshot` tokens.
    fn min_tokens(&self, end: usize, snapshot: u64) -> u64 {
        let level = self.replay.level;
        self.standing.map_or(level, |standing| {
            min_tokens(self.context, self.region(end), standing.snapshots, level, snapshot)
        })
    }

    /// Returns the tokens of the post that ends at `end` that a snapshot can replace.
    fn region(&self, end: usize) -> u64 {
        let least = Recent { tokens: 0, ..self.context.settings.recent_for_compression() };
        let newest = self.units.recent_from(end, least);
        let kept = self.fixed + tokens_in(self.context, &self.replay.tokens, newest..end);
        let snapshots = self.standing.map_or(0, |standing| standing.snapshots);
        self.replay.level.saturating_sub(kept + snapshots)
    }
}
