//! The place of snapshots in a history, and the snapshots in it. The place is a system message that
//! they are appended to, the separate system prompt, or a message of their own.

use std::borrow::Cow;
use std::collections::HashSet;

use chat_history::History;
use chat_history::message::{MessageView, Role, Slot, SlotKind};
use chat_history::service_messages::is_fixed_text;
use chat_history::system_prompt::{bare, takes_text, text_slots, with_block, without_block};
use raw_json::{self as raw, quote};

use crate::measure::text_of;
use crate::snapshot::format::block::Proves;
use crate::snapshot::format::block::{Block, FoundBlocks};

/// The text that holds the snapshots, or will hold them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Holder {
    /// A message to be added at the front.
    #[default]
    Added,
    /// The text of a message.
    Message(usize, Slot),
    /// The text of the separate system prompt. `None` if the snapshots get a block of their own in
    /// the prompt, so that the provider's cache of the blocks before it stays valid.
    System(Option<Slot>),
}

/// The place where the snapshots are, or will be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    holder: Holder,
    /// The text before the snapshots.
    before: String,
    /// The text after the snapshots, which a framework may have appended.
    after: String,
    /// The snapshots, oldest first.
    pub blocks: Vec<Block>,
    /// True if a searched text contains a block without a valid code.
    pub unproven: bool,
}

/// A search for the text that holds snapshots.
struct HolderSearch<'a> {
    proves: Proves<'a>,
    unproven: &'a mut bool,
    /// The first text that can hold snapshots, for use if no text holds any.
    first: Option<Place>,
}

impl HolderSearch<'_> {
    /// Returns the text among `slots` that holds snapshots. If none does and `may_hold` is true,
    /// remembers the last text as a possible place, unless one is known.
    fn within(
        &mut self,
        raw: &str,
        mut slots: Vec<Slot>,
        may_hold: bool,
        holder: impl Fn(Slot) -> Holder,
    ) -> Option<Place> {
        slots.retain(|slot| slot.kind == SlotKind::String);
        let last = slots.len().checked_sub(1);
        for (at, slot) in slots.into_iter().enumerate() {
            let text = text_of(raw, &slot).text;
            let found = Block::find_all(&text, self.proves);
            *self.unproven |= found.unproven;
            let FoundBlocks { before, after, mut blocks, .. } = found;
            // Copies of a snapshot count once.
            let mut seen = HashSet::new();
            blocks.retain(|block| seen.insert(block.render()));
            let holds = !blocks.is_empty();
            if !holds && is_fixed_text(&text) {
                continue;
            }
            let place = Place { holder: holder(slot), before, after, blocks, unproven: false };
            if holds {
                return Some(place);
            }
            if may_hold && self.first.is_none() && Some(at) == last {
                self.first = Some(place);
            }
        }
        None
    }
}

impl Place {
    /// Returns the place that holds snapshots. If there are none, returns the first place that can
    /// hold them: a leading system message, the separate system prompt `system`, or a message to be
    /// added. A snapshot counts if `proves` confirms that this service wrote it.
    pub(crate) fn find(
        history: &History<'_>,
        views: &[&MessageView],
        system: Option<&str>,
        proves: Proves<'_>,
    ) -> Place {
        let mut unproven = false;
        let place = Place::found(history, views, system, proves, &mut unproven);
        Place { unproven, ..place }
    }

    fn found(
        history: &History<'_>,
        views: &[&MessageView],
        system: Option<&str>,
        proves: Proves<'_>,
        unproven: &mut bool,
    ) -> Place {
        let mut search = HolderSearch { proves, unproven, first: None };
        // New snapshots precede all messages that stay.
        let mut leads = true;
        for (index, view) in views.iter().enumerate() {
            if view.role != Role::System {
                leads = false;
                continue;
            }
            let raw = history.messages()[index];
            let slots = history.dialect().content_slots(raw);
            let holder = |slot| Holder::Message(index, slot);
            if let Some(place) = search.within(raw, slots, leads, holder) {
                return place;
            }
        }
        let first = search.first.take();
        let Some(system) = system.filter(|system| takes_text(system)) else {
            return first.unwrap_or_default();
        };
        let of = |slot| Holder::System(Some(slot));
        if let Some(place) = search.within(system, text_slots(system), true, of) {
            return place;
        }
        if let Some(first) = first {
            return first;
        }
        match search.first {
            Some(place) if raw::is_string(system) => place,
            _ => Place { holder: Holder::System(None), ..Place::default() },
        }
    }

    /// Returns the index of the message. Returns `None` if it is still to be added, or if the
    /// system prompt holds the snapshots.
    pub(crate) fn index(&self) -> Option<usize> {
        match &self.holder {
            Holder::Message(index, _) => Some(*index),
            Holder::Added | Holder::System(_) => None,
        }
    }

    /// Returns true if the snapshots are in a message that the service added for them.
    pub(crate) fn is_own_message(&self) -> bool {
        match &self.holder {
            Holder::Added => true,
            Holder::Message(..) => !self.blocks.is_empty() && self.before.is_empty(),
            Holder::System(_) => false,
        }
    }

    /// Returns true if the separate system prompt holds the snapshots.
    pub(crate) fn is_beside(&self) -> bool {
        matches!(self.holder, Holder::System(_))
    }

    /// Returns the message, or the system prompt, with `blocks` in place of its snapshots.
    pub(crate) fn filled(
        &self,
        history: &History<'_>,
        system: Option<&str>,
        blocks: &[String],
    ) -> String {
        let text = blocks.join("\n\n");
        let (raw, slot) = match &self.holder {
            Holder::Message(index, slot) => (history.messages()[*index], slot),
            Holder::System(Some(slot)) => (system.unwrap_or_default(), slot),
            Holder::System(None) => {
                let typed = history.dialect().typed_blocks();
                return with_block(system.unwrap_or("[]"), &text, typed).unwrap_or_default();
            }
            Holder::Added => {
                return history
                    .dialect()
                    .service_message(&text, history.messages().first().copied());
            }
        };
        let own = self.own(&raw[slot.span.clone()]);
        let rest = quote(&format!("{}{text}{}", self.gap(), self.after));
        format!("{}{own}{}{}", &raw[..slot.span.start], &rest[1..], &raw[slot.span.end..])
    }

    /// Returns the part of the JSON literal before the snapshots, without the closing quote. Keeps
    /// the operator's spelling and escapes if the literal ends with the snapshots as this service
    /// writes them.
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

    /// Returns the separator between the snapshots and the text before them. It is empty in a
    /// message that was added for them; this distinguishes it from a message whose own text was
    /// empty.
    fn gap(&self) -> &'static str {
        let first = self.blocks.is_empty();
        if first || self.before.ends_with("\n\n") { "\n\n" } else { "" }
    }

    /// Returns the message, or the system prompt, without its snapshots. Returns `None` for a
    /// message that was added for them.
    pub(crate) fn emptied(&self, history: &History<'_>, system: Option<&str>) -> Option<String> {
        let (raw, slot) = match &self.holder {
            Holder::Message(index, slot) => (history.messages()[*index], slot),
            Holder::System(Some(slot)) => (system?, slot),
            Holder::System(None) => return system.map(str::to_owned),
            Holder::Added => return None,
        };
        if self.blocks.is_empty() {
            return Some(raw.to_owned());
        }
        if self.before.is_empty() && self.after.is_empty() {
            // A client may have added its own text to a message of the service.
            return without_block(raw, slot).or_else(|| self.is_beside().then(|| bare(raw)));
        }
        let own = self.own(&raw[slot.span.clone()]);
        let after = quote(&self.after);
        Some(format!("{}{own}{}{}", &raw[..slot.span.start], &after[1..], &raw[slot.span.end..]))
    }
}
