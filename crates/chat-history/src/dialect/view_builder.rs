//! A view under construction: code that the dialects share for reading a message.

use raw_json::{self as raw, Fields};

use super::BadMessage;
use super::framework::stored_form;
use super::members::{array, fields_of};
use crate::message::{Frame, MessageView, Role, Slot, SlotKind};
use crate::service_messages;

/// A message that is being read, and its view so far.
pub(super) struct ViewBuilder<'a> {
    pub(super) message: &'a str,
    pub(super) view: MessageView,
}

impl<'a> ViewBuilder<'a> {
    /// Returns the slot of a value, which must be a slice of the message.
    pub(super) fn slot(&self, value: &str) -> Slot {
        let start = raw::offset_in(self.message, value);
        let kind = if raw::is_string(value) { SlotKind::String } else { SlotKind::Json };
        Slot { span: start..start + value.len(), kind, frame: Frame::Bare }
    }

    /// Adds a text of the speaker.
    pub(super) fn text(&mut self, value: &str) {
        let slot = self.slot(value);
        self.view.texts.push(slot);
    }

    /// Adds the text of a member, if it is a string.
    pub(super) fn string_text(&mut self, fields: &Fields<'a>, name: &str) {
        if let Some(value) = raw::field(fields, name).filter(|value| raw::is_string(value)) {
            self.text(value);
        }
    }

    /// Records a part whose type the dialect does not know.
    pub(super) fn unknown(&mut self, kind: &str) {
        let kind = || kind.chars().take(40).collect::<String>().into();
        self.view.unknown.get_or_insert_with(kind);
    }

    /// Counts bytes that only the provider reads.
    pub(super) fn opaque(&mut self, fields: &Fields<'a>, name: &str) {
        if let Some(value) = raw::field(fields, name).filter(|value| raw::is_string(value)) {
            self.view.opaque += value.len() as u64 - 2;
        }
    }
}

/// Returns the slots of a content: a string, or the texts that `text_of` finds in its parts.
pub(super) fn content_slots(
    message: &str,
    fields: &Fields<'_>,
    text_of: impl Fn(&str) -> Option<&str>,
) -> Vec<Slot> {
    let builder = ViewBuilder { message, view: MessageView::new(Role::Other) };
    match raw::field(fields, "content") {
        Some(content) if raw::is_string(content) => vec![builder.slot(content)],
        _ => {
            let texts = array(fields, "content");
            texts.into_iter().filter_map(text_of).map(|text| builder.slot(text)).collect()
        }
    }
}

/// Returns the members of a message and the name of its role. Fails for a form in which frameworks
/// only store messages; `accepted` describes the messages that the format accepts.
pub(super) fn fields_and_role<'a>(
    message: &'a str,
    accepted: &'static str,
) -> Result<(Fields<'a>, String), BadMessage> {
    let fields = fields_of(message, accepted)?;
    if let Some(bad) = stored_form(&fields) {
        return Err(bad);
    }
    let found = match raw::field(&fields, "role") {
        Some(role) if raw::is_string(role) => {
            let role = raw::unescape(role).text.into_owned();
            return Ok((fields, role));
        }
        Some(role) => format!("has {} as role", raw::kind(role)),
        None => "has no role".to_owned(),
    };
    Err(BadMessage { found, accepted })
}

/// Marks a user's message that this service wrote: its first text is a service's, and it has no
/// results. A placeholder for a system message gets the system's role.
pub(super) fn mark_service_message(message: &str, view: &mut MessageView) {
    let first = view.texts.first().and_then(|slot| message.get(slot.span.clone()));
    let Some(first) = first.filter(|text| raw::is_string(text)) else { return };
    if view.role != Role::User || !view.results.is_empty() {
        return;
    }
    let alone =
        view.texts.len() == 1 && view.calls.is_empty() && (view.media, view.opaque) == (0, 0);
    let text = raw::unescape(first).text;
    let is_stub = alone && service_messages::is_placeholder(&text);
    view.is_service = is_stub || service_messages::is_service_message(&text, alone);
    if is_stub {
        view.role = Role::System;
    }
}

/// Marks a user's message that is the bridge, in formats in which the service's other messages are
/// system messages.
pub(super) fn mark_bridge(message: &str, view: &mut MessageView) {
    let [text] = view.texts.as_slice() else { return };
    let text = message.get(text.span.clone()).filter(|text| raw::is_string(text));
    let is_bridge = text.is_some_and(|text| raw::unescape(text).text == service_messages::BRIDGE);
    view.is_service = is_bridge && view.role == Role::User && (view.media, view.opaque) == (0, 0);
}
