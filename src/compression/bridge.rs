//! The bridge: where the user must speak first and the snapshots stand in a system
//! prompt, a history whose user messages left begins with the model. A message of
//! the service's own then stands before it.

use crate::compression::place::Place;
use crate::history::History;
use crate::history::dialect::Opening;
use crate::history::message::{MessageView, Role};
use crate::history::own::BRIDGE;
use crate::tokens::measure::text_of;

/// The bridge of a history: the first of its messages that is no system's, where it
/// is one. Elsewhere the same words are somebody's own.
pub fn bridge(history: &History<'_>, views: &[&MessageView]) -> Option<usize> {
    let others = views.iter().enumerate();
    let front = others.take_while(|(_, view)| view.role == Role::System);
    front.map(|(index, _)| index).find(|index| is_bridge(history, *index))
}

/// The bridge, where the snapshots that it stands for are there.
pub fn standing(history: &History<'_>, views: &[&MessageView], place: &Place) -> Option<usize> {
    let stands = !place.blocks.is_empty() && !place.is_own_message();
    bridge(history, views).filter(|_| stands)
}

/// True for a message with the words of a bridge and no others.
pub fn is_bridge(history: &History<'_>, index: usize) -> bool {
    if history.dialect().opening() == Opening::Any {
        return false;
    }
    let raw = history.messages()[index];
    let slots = history.dialect().content_slots(raw);
    slots.len() == 1 && text_of(raw, &slots[0]).text == BRIDGE
}

/// True where the messages need a bridge once those before `left` are gone and their
/// snapshots stand beside the messages.
pub fn needs_bridge(history: &History<'_>, views: &[&MessageView], left: usize) -> bool {
    let first = views[left..].iter().find(|view| view.role != Role::System);
    // A request without a message is none. And words of the service's own that
    // somebody repeats would count at the front.
    history.dialect().opening() == Opening::User
        && first.is_none_or(|view| view.own || view.role == Role::Assistant)
}
