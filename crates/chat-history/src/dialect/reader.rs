//! Reading that the dialects share: slots, strings, and types of parts that no
//! dialect reads as text.

use super::BadMessage;
use super::framework::stored_form;
use crate::message::{Frame, MessageView, Role, Slot, SlotKind};
use crate::own;
use crate::raw::{self, Fields};
use crate::splice::Edit;

/// A message being read: its bytes, and what was found in them so far.
pub(super) struct Reader<'a> {
    pub(super) message: &'a str,
    pub(super) view: MessageView,
}

impl<'a> Reader<'a> {
    /// The slot of a value, which is a slice of the message.
    pub(super) fn slot(&self, value: &str) -> Slot {
        let start = raw::offset_in(self.message, value);
        let kind = if raw::is_string(value) { SlotKind::String } else { SlotKind::Json };
        Slot { span: start..start + value.len(), kind, frame: Frame::Bare }
    }

    /// Notes a text of the speaker's.
    pub(super) fn text(&mut self, value: &str) {
        let slot = self.slot(value);
        self.view.texts.push(slot);
    }

    /// Notes the text of a member, if it is a string.
    pub(super) fn string_text(&mut self, fields: &Fields<'a>, name: &str) {
        if let Some(value) = raw::field(fields, name).filter(|value| raw::is_string(value)) {
            self.text(value);
        }
    }

    /// Notes a part of a type that the dialect does not know.
    pub(super) fn unknown(&mut self, kind: &str) {
        let kind = || kind.chars().take(40).collect::<String>().into();
        self.view.unknown.get_or_insert_with(kind);
    }

    /// Notes bytes that only the provider reads.
    pub(super) fn opaque(&mut self, fields: &Fields<'a>, name: &str) {
        if let Some(value) = raw::field(fields, name).filter(|value| raw::is_string(value)) {
            self.view.opaque += value.len() as u64 - 2;
        }
    }
}

/// The members of a message and the name of its role; `accepted` is what the format
/// takes.
pub(super) fn opened<'a>(
    message: &'a str,
    accepted: &'static str,
) -> Result<(Fields<'a>, String), BadMessage> {
    let bad = |found| BadMessage { found, accepted };
    let fields = raw::fields(message).map_err(|error| {
        bad(match raw::kind(message) {
            "an object" => format!("cannot be read: {error}"),
            other => format!("is {other}"),
        })
    })?;
    if let Some(bad) = stored_form(&fields) {
        return Err(bad);
    }
    match raw::field(&fields, "role") {
        Some(role) if raw::is_string(role) => {
            let role = raw::unescape(role).text.into_owned();
            Ok((fields, role))
        }
        Some(role) => Err(bad(format!("has {} as role", raw::kind(role)))),
        None => Err(bad("has no role".to_owned())),
    }
}

/// Marks a user's message that this service wrote: its first text says so, and it
/// carries no results. What stands for a system message is one.
pub(super) fn mark_own(message: &str, view: &mut MessageView) {
    let first = view.texts.first().and_then(|slot| message.get(slot.span.clone()));
    let Some(first) = first.filter(|text| raw::is_string(text)) else { return };
    if view.role != Role::User || !view.results.is_empty() {
        return;
    }
    let alone =
        view.texts.len() == 1 && view.calls.is_empty() && (view.media, view.opaque) == (0, 0);
    let text = raw::unescape(first).text;
    let is_stub = alone && own::is_stub(&text);
    view.own = is_stub || own::is_own(&text, alone);
    if is_stub {
        view.role = Role::System;
    }
}

/// Marks a user's message that is a bridge, in formats where the service's other
/// messages are a system's.
pub(super) fn mark_bridge(message: &str, view: &mut MessageView) {
    let [text] = view.texts.as_slice() else { return };
    let text = message.get(text.span.clone()).filter(|text| raw::is_string(text));
    let is_bridge = text.is_some_and(|text| raw::unescape(text).text == own::BRIDGE);
    view.own = is_bridge && view.role == Role::User && (view.media, view.opaque) == (0, 0);
}

/// The members of a value that is an object.
pub(super) fn members(value: &str) -> Option<Fields<'_>> {
    value.starts_with('{').then(|| raw::fields(value).ok()).flatten()
}

/// A member that is a string, unescaped.
pub(super) fn string(fields: &Fields<'_>, name: &str) -> Option<String> {
    let value = raw::field(fields, name).filter(|value| raw::is_string(value))?;
    Some(raw::unescape(value).text.into_owned())
}

/// The members of a member that is an object.
pub(super) fn object<'a>(fields: &Fields<'a>, name: &str) -> Option<Fields<'a>> {
    let value = raw::field(fields, name).filter(|value| value.starts_with('{'))?;
    raw::fields(value).ok()
}

/// The elements of a member that is an array; none where it is none.
pub(super) fn array<'a>(fields: &Fields<'a>, name: &str) -> Vec<&'a str> {
    let value = raw::field(fields, name).filter(|value| value.starts_with('['));
    value.and_then(|value| raw::elements(value).ok()).unwrap_or_default()
}

/// The edits that take elements out of an array of the message, each with one comma,
/// so that what is kept keeps its bytes; one of them at least is kept.
pub(super) fn without_elements(
    message: &str,
    elements: &[&str],
    gone: impl Fn(usize) -> bool,
) -> Vec<Edit> {
    let start = |element: &str| raw::offset_in(message, element);
    let end = |element: &str| raw::offset_in(message, element) + element.len();
    let kept = elements.iter().enumerate().rev().find(|(index, _)| !gone(*index));
    let (Some((last_kept, last)), Some(tail)) = (kept, elements.last()) else { return Vec::new() };
    let cut = |span| Edit { span, replacement: String::new() };
    let before_kept = elements.windows(2).take(last_kept).enumerate();
    let mut edits: Vec<Edit> = before_kept
        .filter(|(index, _)| gone(*index))
        .map(|(_, pair)| cut(start(pair[0])..start(pair[1])))
        .collect();
    if last_kept + 1 < elements.len() {
        edits.push(cut(end(last)..end(tail)));
    }
    edits
}

/// True for the type of a part that is an image, a sound or a file in any format.
pub(super) fn is_media(kind: &str) -> bool {
    let media = ["image", "audio", "file", "video", "document", "media"];
    kind.split(['_', '-']).any(|word| media.contains(&word))
}

/// The format that alone has parts of that type.
pub(super) fn home_of(kind: &str) -> Option<&'static str> {
    match kind {
        "tool_use" | "tool_result" | "redacted_thinking" => Some("anthropic"),
        "server_tool_use" | "mcp_tool_use" | "mcp_tool_result" => Some("anthropic"),
        "tool-call" | "tool-result" | "tool-approval-request" | "tool-approval-response" => {
            Some("ai-sdk")
        }
        "function_call" | "function_call_output" | "input_text" | "output_text" => {
            Some("openai-responses")
        }
        "toolCall" => Some("pi"),
        _ => None,
    }
}
