//! The history after a compression: messages out, snapshots in, and every other
//! message as it came or as compaction leaves it.

use std::ops::Range;

use super::compress::Compression;
use super::moves::Move;
use super::run::Job;
use crate::compression::place::{HOLDER_STUB, OTHER_STUB};
use crate::history::splice::{Edit, splice};

/// A history put together anew.
pub(super) struct Assembled {
    /// The messages, a JSON array.
    pub(super) array: String,
    /// Which message of the answer holds the snapshots.
    pub(super) holder: usize,
    /// For each message of the answer but an added one, where it came from.
    pub(super) from: Vec<Option<usize>>,
}

impl Job<'_> {
    /// Takes the compressed messages out and puts the snapshots in.
    pub(super) fn assembled(
        &self,
        compression: &Compression,
        moves: &[Move],
        blocks: &[String],
    ) -> Assembled {
        let history = self.history();
        let place = &compression.place;
        let mut messages =
            Vec::with_capacity(history.messages().len() - compression.gone.len() + 1);
        let mut from = Vec::new();
        if place.index().is_none() {
            messages.push(place.filled(history, blocks));
            from.push(None);
        }
        let mut edits = self.edits_by_message(moves);
        for (index, raw) in history.messages().iter().enumerate() {
            if compression.gone.contains(&index) && self.leaves(index) {
                continue;
            }
            let of_message: Vec<Edit> = edits.next_of(index);
            messages.push(if place.index() == Some(index) {
                place.filled(history, blocks)
            } else {
                splice(raw, &of_message)
            });
            from.push(Some(index));
        }
        let holder = from.iter().position(|from| *from == place.index()).unwrap_or(0);
        Assembled { array: format!("[{}]", messages.join(",")), holder, from }
    }

    /// The originals of a group, as its file holds them: a JSON array of the
    /// messages that came, a message begins a line. System messages stay in the
    /// history; those between the others are copied, and those before the group
    /// have a stub each, so that the order can be found again. The one that holds
    /// the snapshots has a stub where it stands between them.
    pub(super) fn originals(&self, compression: &Compression, group: Range<usize>) -> String {
        let history = self.history();
        let place = &compression.place;
        let others = |index: &usize| !self.leaves(*index) && place.index() != Some(*index);
        let before = (0..group.start).filter(others).count();
        let stub = history.dialect().system_message(OTHER_STUB);
        let mut text = format!("[{}", format!("\n{stub},").repeat(before));
        for index in group.clone() {
            text.push_str(if index == group.start { "\n" } else { ",\n" });
            match place.index() == Some(index) {
                true => text.push_str(&history.dialect().system_message(HOLDER_STUB)),
                false => text.push_str(history.messages()[index]),
            }
        }
        text.push_str("\n]\n");
        text
    }

    fn edits_by_message<'m>(&self, moves: &'m [Move]) -> EditsByMessage<'m> {
        EditsByMessage { moves: moves.iter().peekable() }
    }
}

/// The edits of sorted moves, message by message.
struct EditsByMessage<'m> {
    moves: std::iter::Peekable<std::slice::Iter<'m, Move>>,
}

impl EditsByMessage<'_> {
    fn next_of(&mut self, index: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        while let Some(item) = self.moves.next_if(|item| item.candidate.index <= index) {
            if item.candidate.index == index {
                let span = item.candidate.slot.slot.span.clone();
                edits.push(Edit { span, replacement: item.replacement.literal.clone() });
            }
        }
        edits
    }
}
