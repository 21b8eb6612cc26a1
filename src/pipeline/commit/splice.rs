//! The history of an answer: the caller's bytes with the new texts spliced in, and with
//! snapshots where messages leave.

use chat_history::splice::{Edit, splice};

use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::assemble::{Assembled, assemble};
use crate::snapshot::format::block::Block;

/// The history of an answer.
pub(crate) enum After {
    /// Texts were replaced, and every message stays.
    Compacted { array: String, edits: Vec<Edit> },
    /// Messages left, and snapshots replace them.
    Compressed(Assembled),
}

/// Builds the history of a decision whose files have their final names.
pub(crate) fn spliced(context: &Context<'_>, decision: &Decision) -> After {
    match &decision.snapshots {
        None => {
            let history = context.history();
            let edits = |m: &Move| Move::edits(m, history.start_of(m.candidate.index));
            let edits: Vec<Edit> = decision.moves.iter().flat_map(edits).collect();
            After::Compacted { array: splice(history.array(), &edits), edits }
        }
        Some((compression, snapshots)) => {
            let blocks: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
            After::Compressed(assemble(context, &compression.cut, &decision.moves, &blocks))
        }
    }
}
