//! The checks of an answer: they verify the product's promises on the answer's own bytes,
//! not on the decision. A failure is a bug or a broken disk; the caller then gets its own
//! messages back.

use chat_history::HistoryError;

use super::check_compressed::Compressed;
use super::splice::After;
use super::subject::{Checked, NewReference, Subject};
use crate::pipeline::context::Context;
use crate::pipeline::decide::Decision;
use crate::pipeline::moves::item::{Move, moved_recent};
use crate::pipeline::snapshots::assemble::is_removed;
use crate::snapshot::format::block::Block;
use context_store::{Claim, FilesState};

/// Checks an answer.
pub(crate) fn check(
    context: &Context<'_>,
    decision: &Decision,
    after: &After,
) -> Result<Checked, HistoryError> {
    let moves = &decision.moves;
    let own = || decision.snapshots.iter().flat_map(|(_, snapshots)| &snapshots.files);
    let of_file =
        own().map(|file| NewReference { path: &file.path, bytes: file.content.len() as u64 });
    let references: Vec<NewReference<'_>> =
        moves.iter().map(NewReference::of).chain(of_file).collect();
    let claims: Vec<&Claim> =
        moves.iter().filter_map(Move::claim).chain(own().map(|file| &file.claim)).collect();
    let mut changed: Vec<usize> = moves.iter().map(|m| m.candidate.index).collect();
    changed.dedup();
    let subject = Subject {
        before: context.history(),
        measured: &context.measured,
        problems: context.existing_problems(),
        changed: &changed,
        recent_from: context.recent_for_compaction(),
        moved_recent: &moved_recent(context, moves),
        references: &references,
        // If all texts were read back, no name was claimed, and the folder may be missing.
        claimed: match claims.is_empty() {
            true => FilesState::Held,
            false => context.store.state_of(&claims),
        },
        measure: &context.offloader.measure,
        tokenizer: context.tokenizer,
        roots: &context.roots,
        reader: Some(&context.reader),
    };
    match (after, &decision.snapshots) {
        (After::Compacted { array, edits }, _) => {
            super::check_compacted::check(&subject, array, edits)
        }
        (After::Compressed(assembled), snapshots) => {
            let messages = 0..context.measured.len();
            let gone = snapshots.iter().map(|(compression, _)| {
                messages
                    .clone()
                    .filter(|index| is_removed(context, &compression.cut, *index))
                    .count()
            });
            let compressed = Compressed {
                after: assembled,
                system: context.request.system,
                proves: &|block: &Block, text: &str| context.prover().block(block, text),
                judge: &|after| context.prover().judge_front(after),
                gone: gone.sum(),
            };
            super::check_compressed::check(&subject, &compressed)
        }
    }
}
