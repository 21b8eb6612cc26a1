//! The rewrite of a call: the part of the answer that the provider's prompt cache cannot hold.

use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::assemble::is_removed;
use crate::pipeline::snapshots::region::tokens_after;

/// Returns the number of tokens from the first message on that this call changed and no earlier
/// one, in an answer of `after` tokens. Texts that an earlier call moved or summarised come out the
/// same again.
pub(crate) fn rewritten_tokens(context: &Context<'_>, decision: &Decision, after: u64) -> u64 {
    let tokens = tokens_after(context, &decision.moves);
    let new = decision.moves.iter().filter(|item| is_new(item)).map(|item| item.candidate.index);
    let mended = context.request.mends.iter().map(|mend| mend.index);
    let changed = new.chain(mended);
    let Some((compression, snapshots)) = &decision.snapshots else {
        return changed.min().map_or(0, |first| tokens[first.min(tokens.len())..].iter().sum());
    };
    let stays = |index: &usize| !is_removed(context, &compression.cut, *index);
    let cost = |index: usize| tokens[index];
    if snapshots.report.reused {
        let first = changed.filter(stays).min();
        return first.map_or(0, |first| (first..tokens.len()).filter(stays).map(cost).sum());
    }
    if compression.cut.place.is_beside() {
        return after - context.tools_tokens().min(after);
    }
    let holder = compression.cut.place.index().unwrap_or(0);
    let first = changed.chain([holder, compression.cut.gone.start]).min().unwrap_or(0);
    let before: u64 = (0..first.min(tokens.len())).filter(stays).map(cost).sum();
    after.saturating_sub(context.beside + before)
}

/// Returns true if a move is made for the first time: its file is not stored yet. A text that was
/// read back has no file of its own, and counts as new.
fn is_new(item: &Move) -> bool {
    item.claim().is_none_or(|claim| !claim.stored)
}
