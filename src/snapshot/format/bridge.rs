//! The bridge: a user message that the service puts before the model's first message. If all user
//! messages at the beginning were summarised, the history begins with the model, but providers, or
//! those behind a gateway, require the user first.

use std::ops::Range;

use chat_history::History;
use chat_history::dialect::Opening;
use chat_history::message::{MessageView, Role};
use chat_history::service_messages::BRIDGE;

use crate::measure::text_of;
use crate::snapshot::format::place::Place;

/// Returns the index of the bridge of a history: a service message with its text before any other
/// message that is not a system message. Elsewhere the same text is somebody's own.
pub(crate) fn bridge(history: &History<'_>, views: &[&MessageView]) -> Option<usize> {
    let others = views.iter().enumerate();
    let front = others.take_while(|(_, view)| view.role == Role::System);
    let mut own = front.filter(|(_, view)| view.is_service).map(|(index, _)| index);
    own.find(|index| is_bridge(history, *index))
}

/// Returns the index of the bridge if the history has the snapshots that need it.
pub(crate) fn standing(
    history: &History<'_>,
    views: &[&MessageView],
    place: &Place,
) -> Option<usize> {
    let stands = !place.blocks.is_empty() && !opens(history, place);
    bridge(history, views).filter(|_| stands)
}

/// Returns true if a user message holds the snapshots, so that it opens the history.
fn opens(history: &History<'_>, place: &Place) -> bool {
    place.is_own_message() && history.dialect().opening() == Opening::User
}

/// Returns true for a message that contains the text of a bridge only.
pub(crate) fn is_bridge(history: &History<'_>, index: usize) -> bool {
    let raw = history.messages()[index];
    let slots = history.dialect().content_slots(raw);
    slots.len() == 1 && text_of(raw, &slots[0]).text == BRIDGE
}

/// Returns true if the history needs a bridge once the messages `gone` are removed and their
/// snapshots are in `place`.
pub(crate) fn needs_bridge(
    history: &History<'_>,
    views: &[&MessageView],
    place: &Place,
    gone: &Range<usize>,
) -> bool {
    let speaks = |view: &&MessageView| view.role != Role::System;
    // Results for the calls of a system message stay after it.
    if opens(history, place) || views[..gone.start].iter().any(speaks) {
        return false;
    }
    match views[gone.end..].iter().find(|view| speaks(view)) {
        // The service's own fixed text, repeated by somebody, would be taken for a service message
        // at the front.
        Some(first) => first.is_service || matches!(first.role, Role::Assistant | Role::MidSystem),
        // A request without messages is invalid. A system prompt alone is valid if it is a message.
        None => {
            let is_empty = views.len() == gone.len() && !place.is_own_message();
            is_empty || history.dialect().opening() == Opening::User
        }
    }
}
