//! The place of snapshots: the system message they are appended to, with those
//! that stand there already.

use std::borrow::Cow;

use crate::compression::block::{Block, Found};
use crate::history::History;
use crate::history::message::{MessageView, Role, Slot, SlotKind};
use crate::history::splice::quote;
use crate::tokens::measure::text_of;

/// What stands in a group's file for the system message that holds the snapshots.
pub const HOLDER_STUB: &str = "(the system message of the history that holds the snapshots)";
/// What stands there for any other system message before the group.
pub const OTHER_STUB: &str = "(a system message of the history)";

/// Where snapshots stand, or will.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The system message and the text in it; None where one must be added.
    holder: Option<(usize, Slot)>,
    /// The text before the snapshots.
    before: String,
    /// The text after them: a framework may have appended its own.
    after: String,
    /// The snapshots that stand there, oldest first.
    pub blocks: Vec<Block>,
    /// True where the text names originals that belong to no snapshot found: one
    /// that somebody changed beyond recognition.
    pub unread: bool,
}

impl Place {
    /// The system message that holds snapshots, or the first that can.
    pub fn find(history: &History<'_>, views: &[&MessageView]) -> Place {
        let mut first: Option<Place> = None;
        for (index, view) in views.iter().enumerate() {
            if view.role != Role::System {
                continue;
            }
            let raw = history.messages()[index];
            let mut slots = history.dialect().content_slots(raw);
            slots.retain(|slot| slot.kind == SlotKind::String);
            let last = slots.len().checked_sub(1);
            for (at, slot) in slots.into_iter().enumerate() {
                let Found { before, after, blocks, unread } =
                    Block::find_all(&text_of(raw, &slot).text);
                let holds = !blocks.is_empty();
                let place = Place { holder: Some((index, slot)), before, after, blocks, unread };
                if holds {
                    return place;
                }
                if Some(at) == last || unread {
                    first.get_or_insert(place);
                }
            }
        }
        first.unwrap_or_default()
    }

    /// The message's index; None where it is added at the front.
    pub fn index(&self) -> Option<usize> {
        self.holder.as_ref().map(|(index, _)| *index)
    }

    /// The message with these snapshots in place of those that stand there.
    pub fn filled(&self, history: &History<'_>, blocks: &[String]) -> String {
        let text = blocks.join("\n\n");
        let Some((index, slot)) = &self.holder else {
            return history.dialect().system_message(&text);
        };
        let raw = history.messages()[*index];
        let own = self.own(&raw[slot.span.clone()]);
        let rest = quote(&format!("{}{text}{}", self.gap(), self.after));
        format!("{}{own}{}{}", &raw[..slot.span.start], &rest[1..], &raw[slot.span.end..])
    }

    /// What stands in the literal before the snapshots, without its end: in the
    /// operator's own spelling, escapes and all, where that can be told.
    fn own<'a>(&self, literal: &'a str) -> Cow<'a, str> {
        let open = &literal[..literal.len() - 1];
        if self.blocks.is_empty() {
            return open.into();
        }
        let blocks: Vec<String> = self.blocks.iter().map(Block::render).collect();
        let added = quote(&format!("{}{}{}", self.gap(), blocks.join("\n\n"), self.after));
        match open.strip_suffix(&added[1..added.len() - 1]) {
            Some(own) => own.into(),
            None => {
                let mut own = quote(self.before.strip_suffix(self.gap()).unwrap_or(&self.before));
                own.pop();
                own.into()
            }
        }
    }

    /// What parts the snapshots from the text before them: nothing in a message
    /// that was added for them, which is how it is told from an empty one.
    fn gap(&self) -> &'static str {
        let first = self.blocks.is_empty();
        if first || self.before.ends_with("\n\n") { "\n\n" } else { "" }
    }

    /// The message as it was before any snapshot; None where it was added for
    /// them.
    pub fn emptied(&self, history: &History<'_>) -> Option<String> {
        let (index, slot) = self.holder.as_ref()?;
        let raw = history.messages()[*index];
        if self.blocks.is_empty() {
            return Some(raw.to_owned());
        }
        if self.before.is_empty() && self.after.is_empty() {
            return None;
        }
        let own = self.own(&raw[slot.span.clone()]);
        let after = quote(&self.after);
        Some(format!("{}{own}{}{}", &raw[..slot.span.start], &after[1..], &raw[slot.span.end..]))
    }
}
