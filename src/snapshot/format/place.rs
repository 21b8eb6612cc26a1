//! The place of snapshots in a history: the system message they are appended to, the
//! separate system prompt, or a message of their own; with the snapshots there already.

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

/// The text that holds snapshots, or will.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Holder {
    /// A message that must be added at the front.
    #[default]
    Added,
    /// The text of a message.
    Message(usize, Slot),
    /// The text of the separate system prompt; None where they get a
    /// block of their own in it, so that a cache of the blocks before stays good.
    System(Option<Slot>),
}

/// The place where snapshots are, or will be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    holder: Holder,
    /// The text before the snapshots.
    before: String,
    /// The text after them: a framework may have appended its own.
    after: String,
    /// The snapshots that stand there, oldest first.
    pub blocks: Vec<Block>,
    /// True where a text that was looked at poses as a snapshot and proves to be none.
    pub unproven: bool,
}

/// A search for the text that holds snapshots.
struct HolderSearch<'a> {
    proves: Proves<'a>,
    unproven: &'a mut bool,
    /// The text that can hold some where none does.
    first: Option<Place>,
}

impl HolderSearch<'_> {
    /// The text among `slots` that holds snapshots; where none was found before, and `may_hold`,
    /// the last text can.
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
            // A copied snapshot counts once.
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
    /// The place that holds snapshots, or the first that can: a leading system message, the system
    /// prompt `system` beside the messages (before any message where the format
    /// keeps it apart), or a message to be added. A snapshot counts where `proves` says
    /// that this service wrote it.
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
        // A snapshot stands before the messages that stay.
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

    /// The message's index; None where it is added at the front, or where the
    /// system prompt holds them.
    pub(crate) fn index(&self) -> Option<usize> {
        match &self.holder {
            Holder::Message(index, _) => Some(*index),
            Holder::Added | Holder::System(_) => None,
        }
    }

    /// True where a message of the service's own holds them: all that stands in it.
    pub(crate) fn is_own_message(&self) -> bool {
        match &self.holder {
            Holder::Added => true,
            Holder::Message(..) => !self.blocks.is_empty() && self.before.is_empty(),
            Holder::System(_) => false,
        }
    }

    /// Returns true if the separate system prompt holds them.
    pub(crate) fn is_beside(&self) -> bool {
        matches!(self.holder, Holder::System(_))
    }

    /// The message, or the system prompt, with these snapshots in place of those
    /// that stand there.
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

    /// Returns the part of the literal before the snapshots, without its end: in the
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

    /// Returns the separator between the snapshots and the text before them: empty in a message
    /// that was added for them, which is how it is told from an empty one.
    fn gap(&self) -> &'static str {
        let first = self.blocks.is_empty();
        if first || self.before.ends_with("\n\n") { "\n\n" } else { "" }
    }

    /// The message, or the system prompt, as it was before any snapshot; None where
    /// a message was added for them.
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
            // A client may have put its own text next to that of an added message.
            return without_block(raw, slot).or_else(|| self.is_beside().then(|| bare(raw)));
        }
        let own = self.own(&raw[slot.span.clone()]);
        let after = quote(&self.after);
        Some(format!("{}{own}{}{}", &raw[..slot.span.start], &after[1..], &raw[slot.span.end..]))
    }
}
