//! The reserve: the smaller results that move, oldest first, if a target requires more.

use std::collections::VecDeque;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::moves::make::make_moves;
use crate::pipeline::moves::plan::Candidate;
use context_store::{Claims, StoreError};

/// Candidates in the order of the messages; their moves are made on demand.
pub(crate) struct Reserve<'a> {
    context: &'a Context<'a>,
    claims: &'a mut Claims,
    preview: PreviewSize,
    candidates: std::vec::IntoIter<Candidate>,
    made: VecDeque<Move>,
    batch: usize,
}

impl<'a> Reserve<'a> {
    pub(crate) fn new(
        context: &'a Context<'a>,
        candidates: Vec<Candidate>,
        claims: &'a mut Claims,
    ) -> Reserve<'a> {
        let preview = context.settings.preview();
        let (candidates, made) = (candidates.into_iter(), VecDeque::new());
        Reserve { context, claims, preview, candidates, made, batch: 4 }
    }

    /// Returns the next move if its message is before message `end`.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub(crate) fn next_before(&mut self, end: usize) -> Result<Option<Move>, StoreError> {
        while self.made.is_empty() {
            if self.candidates.as_slice().first().is_none_or(|next| next.index >= end) {
                return Ok(None);
            }
            // In growing batches, because a name and a preview are expensive.
            let next = self.candidates.by_ref().take(self.batch).collect();
            self.batch *= 2;
            let mut stays = Vec::new();
            let mut made = make_moves(self.context, next, self.preview, self.claims, &mut stays)?;
            made.sort_by_key(|item| item.candidate.at());
            self.made.extend(made);
        }
        let is_before = self.made.front().is_some_and(|item| item.candidate.index < end);
        Ok(if is_before { self.made.pop_front() } else { None })
    }

    /// Returns the moves of `candidates` as bare references.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub(crate) fn bare(&mut self, candidates: Vec<Candidate>) -> Result<Vec<Move>, StoreError> {
        let (none, mut stays) = (PreviewSize::Tokens(0), Vec::new());
        make_moves(self.context, candidates, none, self.claims, &mut stays)
    }
}
