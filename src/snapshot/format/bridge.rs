//! The bridge: a user message that the service puts before the model's first one. A history
//! whose user messages were summarized begins with the model, and providers (or those that
//! a gateway forwards to) require the user first.

use std::ops::Range;

use chat_history::History;
use chat_history::dialect::Opening;
use chat_history::message::{MessageView, Role};
use chat_history::service_messages::BRIDGE;

use crate::measure::text_of;
use crate::snapshot::format::place::Place;

/// The bridge of a history: the first of its messages that is no system's, where it
/// is one. Elsewhere the same words are somebody's own.
pub(crate) fn bridge(history: &History<'_>, views: &[&MessageView]) -> Option<usize> {
    let others = views.iter().enumerate();
    let front = others.take_while(|(_, view)| view.role == Role::System);
    let mut own = front.filter(|(_, view)| view.is_service).map(|(index, _)| index);
    own.find(|index| is_bridge(history, *index))
}

/// Returns the bridge if the snapshots that need it are there.
pub(crate) fn standing(
    history: &History<'_>,
    views: &[&MessageView],
    place: &Place,
) -> Option<usize> {
    let stands = !place.blocks.is_empty() && !opens(history, place);
    bridge(history, views).filter(|_| stands)
}

/// True where a user's message holds the snapshots: it opens the history itself.
fn opens(history: &History<'_>, place: &Place) -> bool {
    place.is_own_message() && history.dialect().opening() == Opening::User
}

/// True for a message with the words of a bridge and no others.
pub(crate) fn is_bridge(history: &History<'_>, index: usize) -> bool {
    let raw = history.messages()[index];
    let slots = history.dialect().content_slots(raw);
    slots.len() == 1 && text_of(raw, &slots[0]).text == BRIDGE
}

/// True where the messages need a bridge once those of `gone` are, and their snapshots
/// stand in `place`.
pub(crate) fn needs_bridge(
    history: &History<'_>,
    views: &[&MessageView],
    place: &Place,
    gone: &Range<usize>,
) -> bool {
    let speaks = |view: &&MessageView| view.role != Role::System;
    // Results of a system message's calls stay behind it.
    if opens(history, place) || views[..gone.start].iter().any(speaks) {
        return false;
    }
    match views[gone.end..].iter().find(|view| speaks(view)) {
        // Words of the service's own that somebody repeats would count at the front.
        Some(first) => first.is_service || matches!(first.role, Role::Assistant | Role::MidSystem),
        // A request without messages is invalid; a prompt alone is valid where it is a message.
        None => {
            let is_empty = views.len() == gone.len() && !place.is_own_message();
            is_empty || history.dialect().opening() == Opening::User
        }
    }
}
