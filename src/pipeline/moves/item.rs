//! A move: a text, its destination, and the text that replaces it in its message.

use std::borrow::Cow;
use std::sync::Arc;

use chat_history::message::SlotKind;
use chat_history::splice::Edit;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::plan::Candidate;
use crate::pipeline::moves::records::{Records, records_text};
use crate::pipeline::replacement::Replacement;
use context_store::{Claim, Stem};

/// The reason why a broken reference stays; also the text of its warning.
pub(crate) const BROKEN: &str = "is a reference whose file is gone or changed";

/// A text with its destination.
pub(crate) struct Move {
    pub(crate) candidate: Candidate,
    pub(crate) budget: PreviewSize,
    pub(crate) path: String,
    pub(crate) replacement: Arc<Replacement>,
    pub(crate) destination: Destination,
}

/// The file of a move.
pub(crate) enum Destination {
    /// A file of its own, named by the claim; a file of records if it has `records`.
    NewFile { stem: Stem, claim: Claim, records: Option<Records> },
    /// The file that it was read back from.
    ExistingFile { bytes: u64, content: blake3::Hash },
}

impl Destination {
    pub(crate) fn records(&self) -> Option<&Records> {
        match self {
            Destination::NewFile { records, .. } => records.as_ref(),
            Destination::ExistingFile { .. } => None,
        }
    }

    /// Returns the hash that the code of a reference to it covers.
    pub(crate) fn content(&self) -> blake3::Hash {
        match self {
            Destination::NewFile { claim, .. } => claim.hash,
            Destination::ExistingFile { content, .. } => *content,
        }
    }
}

impl Move {
    /// Returns the edits of its message, which begins at byte `start` of the history.
    pub(crate) fn edits(&self, start: usize) -> Vec<Edit> {
        self.candidate.slot.slot.replaced(start, &self.replacement.literal, SlotKind::String)
    }

    /// Returns the name of the text's file, if it gets a file of its own.
    pub(crate) fn claim(&self) -> Option<&Claim> {
        match &self.destination {
            Destination::NewFile { claim, .. } => Some(claim),
            Destination::ExistingFile { .. } => None,
        }
    }

    pub(crate) fn saves(&self) -> u64 {
        self.candidate.slot.tokens.saturating_sub(self.replacement.tokens)
    }
}

/// Returns the content of the file of a move.
pub(crate) fn stored_text<'a>(context: &'a Context<'_>, item: &'a Move) -> Cow<'a, str> {
    match &item.destination {
        Destination::NewFile { records: Some(records), .. } => {
            records_text(context, &item.candidate, records)
        }
        Destination::NewFile { .. } | Destination::ExistingFile { .. } => {
            item.candidate.text(context)
        }
    }
}

/// Returns the number of tokens that are left after `moves`.
pub(crate) fn tokens_left(context: &Context<'_>, moves: &[Move]) -> u64 {
    context.tokens_before() - moves.iter().map(Move::saves).sum::<u64>()
}

/// Returns the newest messages in which a hard target required moves.
pub(crate) fn moved_recent(context: &Context<'_>, moves: &[Move]) -> Vec<usize> {
    let recent = context.recent_for_compaction();
    moves.iter().map(|m| m.candidate.index).filter(|index| *index >= recent).collect()
}
