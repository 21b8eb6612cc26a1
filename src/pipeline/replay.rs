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
    mut reserve: Reserve<'_>,
) -> Result<Replay, StoreError> {
    let mut tokens: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    let in_place = standing.map_or(0, |standing| standing.in_place);
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
    let fixed = fixed(context, &tokens, in_place);
    let mark = low_water(context, fixed);
    let units = Units::of(context.history().dialect(), &context.views(), &tokens);
    let least = Recent { tokens: 0, ..context.settings.recent_for_compression() };
    let level = context.beside.saturating_add_signed(standing.map_or(0, Standing::added));
    let mut replay = Replay {
        moved: HashSet::new(),
        reserve: Vec::new(),
        bare: Vec::new(),
        shown,
        is_due: false,
        tokens,
        level,
    };
    let mut waiting = large.into_iter().peekable();
    let mut posted: Vec<&Move> = Vec::new();
    for index in (0..replay.tokens.len()).filter(|index| !is_gone(*index)) {
        replay.level += replay.tokens[index];
        while let Some(item) = waiting.next_if(|item| item.candidate.index <= index) {
            posted.push(item);
        }
        let end = index + 1;
        replay.is_due = replay.level > target && end >= gone.end && units.ends_at(end);
        if !replay.is_due {
            continue;
        }
        let recent = units.recent_from(end, context.settings.recent());
        let newest = units.recent_from(end, least);
        posted.sort_by_key(|item| Reverse(item.candidate.slot.tokens));
        let (old, new): (Vec<&Move>, _) =
            posted.drain(..).partition(|item| item.candidate.index < recent);
        old.into_iter().for_each(|item| replay.move_out(item));
        while replay.level > mark
            && let Some(item) = reserve.next_before(recent)?
        {
            replay.move_out(&item);
            replay.reserve.push(item);
        }
        if standing.is_none() && replay.level > target {
            replay.give_up_previews(recent, &mut reserve)?;
        }
        let snapshots = standing.map_or(0, |standing| standing.snapshots);
        let region = |replay: &Replay| {
            let kept = fixed + tokens_in(context, &replay.tokens, newest..end);
            replay.level.saturating_sub(kept + snapshots)
        };
        // The minimum size of the post: its newest messages next to a snapshot.
        let min = |replay: &Replay, snapshot: u64| match standing {
            Some(_) => min_tokens(context, region(replay), snapshots, replay.level, snapshot),
            None => replay.level,
        };
        for item in new {
            match min(&replay, FAIR_SNAPSHOT_TOKENS) <= target {
                true => posted.push(item),
                false => replay.move_out(item),
            }
        }
        // Previews of the last post are given up later, after more of its newest results have
        // moved.
        let is_earlier = end < replay.tokens.len();
        if standing.is_some() && is_earlier && min(&replay, MIN_SNAPSHOT_TOKENS) > target {
            replay.give_up_previews(end, &mut reserve)?;
        }
        if standing.is_some()
            && worth_a_pass(context, region(&replay), snapshots, replay.level).is_ok()
        {
            replay.level = replay.level.min(mark);
        }
    }
    Ok(replay)
}
