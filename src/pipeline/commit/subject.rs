//! The subject of the checks: the facts of an answer with or without snapshots.

use std::sync::Arc;

use chat_history::History;
use chat_history::dialect::Problem;
use chat_history::message::Role;
use rayon::prelude::*;

use crate::measure::{Measure, Measured};
use crate::pipeline::moves::item::{Destination, Move};
use crate::pipeline::report::Checks;
use context_store::{FilesState, MIN_FILES_PER_TASK, Reader, Roots, regular_len};
use token_count::Tokenizer;

/// A new reference: its path, and the minimum size of its file.
pub(crate) struct NewReference<'a> {
    pub(crate) path: &'a str,
    /// In bytes.
    pub(crate) bytes: u64,
}

impl<'a> NewReference<'a> {
    pub(crate) fn of(item: &'a Move) -> NewReference<'a> {
        let bytes = match &item.destination {
            Destination::NewFile { records: Some(records), .. } => records.material.bytes,
            Destination::NewFile { .. } => item.candidate.slot.bytes as u64,
            Destination::ExistingFile { bytes, .. } => *bytes,
        };
        NewReference { path: &item.path, bytes }
    }

    /// Reads the file as a caller would: by the path in the reference.
    fn state(&self, roots: &Roots, reader: Option<&Reader<'_>>) -> FilesState {
        let Ok(at) = roots.locate(self.path) else { return FilesState::Broken };
        match reader.map_or_else(|| regular_len(&at), |reader| reader.len(&at)) {
            Ok(length) if length >= self.bytes => FilesState::Held,
            Ok(_) => FilesState::Broken,
            Err(error) => FilesState::of_error(&error),
        }
    }
}

/// The outcome of the checks.
pub(crate) struct Checked {
    pub(crate) checks: Checks,
    /// The files that the answer newly refers to.
    pub(crate) files: FilesState,
    /// The number of tokens of the answer's messages.
    pub(crate) tokens: u64,
}

/// The facts of an answer that is checked.
pub(crate) struct Subject<'a> {
    pub(crate) before: &'a History<'a>,
    pub(crate) measured: &'a [Arc<Measured>],
    /// The rules that the messages of the request break.
    pub(crate) problems: &'a [Problem],
    /// The messages that compaction changed, in order.
    pub(crate) changed: &'a [usize],
    /// Messages from here on are protected.
    pub(crate) recent_from: usize,
    /// Messages among these that a hard target required to change.
    pub(crate) moved_recent: &'a [usize],
    /// Everything that the answer newly refers to.
    pub(crate) references: &'a [NewReference<'a>],
    /// The state of the new files by the store's records.
    pub(crate) claimed: FilesState,
    pub(crate) measure: &'a Measure,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) roots: &'a Roots,
    /// Knows files of the chat; with `None`, every file is examined.
    pub(crate) reader: Option<&'a Reader<'a>>,
}

impl Subject<'_> {
    /// Returns whether every new reference leads to a complete file.
    pub(crate) fn files(&self) -> FilesState {
        let references = self.references.par_iter().with_min_len(MIN_FILES_PER_TASK);
        let states = references.map(|reference| reference.state(self.roots, self.reader));
        states.max().map_or(self.claimed, |worst| worst.max(self.claimed))
    }

    /// Returns true for a message that compaction must not change.
    pub(crate) fn is_protected(&self, index: usize) -> bool {
        (index >= self.recent_from && !self.moved_recent.contains(&index))
            || self.measured[index].view.role == Role::System
    }

    /// Returns the number of tokens of the messages as posted.
    pub(crate) fn tokens_before(&self) -> u64 {
        self.measured.iter().map(|m| m.tokens).sum()
    }
}
