//! A history replayed turn by turn: what its earlier posts moved for a target. The service keeps
//! no session, and a client that posts its whole history again is to get what it was sent before.

use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::recent::Units;
use crate::pipeline::snapshots::region::{fixed, low_water};
use crate::pipeline::snapshots::standing::Standing;

/// The result of a replay.
pub(crate) struct Replay {
    /// Large results of the messages before this one moved.
    pub(crate) moved: usize,
    /// True if the last post exceeds the target.
    pub(crate) is_due: bool,
}

/// Replays a history. As long as it meets the target nothing changes. When it does not, all large
/// results but the newest move, and what is still missing to the low-water mark is made up for by
/// other means.
pub(crate) fn replay(
    context: &Context<'_>,
    target: u64,
    standing: Option<&Standing>,
    moves: &[Move],
) -> Replay {
    let mut tokens: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    let in_place = standing.map_or(0, |standing| standing.in_place);
    let gone = standing.map_or(0..0, Standing::gone);
    let is_gone = |index: &usize| gone.contains(index) && context.is_compressible(*index);
    let mut saves = vec![0; tokens.len()];
    for item in moves.iter().filter(|item| !is_gone(&item.candidate.index)) {
        match standing.is_some_and(|standing| standing.has_moved(item)) {
            true => tokens[item.candidate.index] -= item.saves(),
            false => saves[item.candidate.index] += item.saves(),
        }
    }
    let mark = low_water(context, fixed(context, &tokens, in_place));
    let units = Units::of(context.history().dialect(), &context.views(), &tokens);
    let mut level = context.beside.saturating_add_signed(standing.map_or(0, Standing::added));
    let mut replay = Replay { moved: 0, is_due: false };
    for (index, tokens) in tokens.iter().enumerate().filter(|(index, _)| !is_gone(index)) {
        level += tokens;
        let end = index + 1;
        replay.is_due = level > target && end >= gone.end && units.ends_at(end);
        if replay.is_due {
            let recent = units.recent_from(end, context.settings.recent()).max(replay.moved);
            let saved: u64 = saves[replay.moved..recent].iter().sum();
            level = level.saturating_sub(saved).min(mark);
            replay.moved = recent;
        }
    }
    replay
}
