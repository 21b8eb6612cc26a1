//! Reads the parts of one content, one by one.

use raw_json::{self as raw, Fields};

use super::problems::{
    ARGUMENTS_NOT_AN_OBJECT, EMPTY_CONTENT, EMPTY_TEXT, MISSING_THOUGHT_SIGNATURE,
};
use super::{either, response};
use crate::dialect::members::{array, members, string};
use crate::dialect::part_type::format_of_part;
use crate::dialect::view_builder::{ViewBuilder, mark_service_message};
use crate::dialect::{Fault, Rule};
use crate::message::{Call, MessageView, Role, Slot, SlotKind, ToolResult};

pub(super) const FUNCTION_CALL: [&str; 2] = ["functionCall", "function_call"];
pub(super) const FUNCTION_RESPONSE: [&str; 2] = ["functionResponse", "function_response"];
const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];
const MEDIA: [[&str; 2]; 2] = [["inlineData", "inline_data"], ["fileData", "file_data"]];
/// Calls of the provider's own tools, which the caller does not answer.
const SERVER: [[&str; 2]; 4] = [
    ["executableCode", "executable_code"],
    ["codeExecutionResult", "code_execution_result"],
    ["toolCall", "tool_call"],
    ["toolResponse", "tool_response"],
];
/// Members that describe a part and that no model reads as text.
const ABOUT: [&str; 9] = [
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
    "partMetadata",
    "part_metadata",
    "mediaResolution",
    "media_resolution",
];

/// Returns a member that only parts of this format have. Parts with a type belong to other formats:
/// messages of AI SDK user interfaces have `parts` too.
pub(super) fn evidence_of(part: &str) -> Option<&'static str> {
    if raw::is_string(part) {
        return Some("bare strings");
    }
    let fields = members(part)?;
    if raw::field(&fields, "type").is_some() || raw::field(&fields, "kind").is_some() {
        return None;
    }
    let mut names = [FUNCTION_CALL, FUNCTION_RESPONSE].into_iter().chain(MEDIA).chain(SERVER);
    let name = names.find(|names| either(&fields, *names).is_some()).map(|names| names[0]);
    name.or_else(|| spoken(&fields).map(|_| "text"))
}

/// Returns the literal of a part's text, if it is the speaker's own and not reasoning.
pub(super) fn text_of(part: &str) -> Option<&str> {
    if raw::is_string(part) {
        return Some(part);
    }
    own_words(&members(part)?)
}

fn own_words<'a>(fields: &Fields<'a>) -> Option<&'a str> {
    spoken(fields).filter(|_| raw::field(fields, "thought") != Some("true"))
}

fn spoken<'a>(fields: &Fields<'a>) -> Option<&'a str> {
    raw::field(fields, "text").filter(|text| raw::is_string(text))
}

fn is_signed(fields: &Fields<'_>) -> bool {
    either(fields, SIGNATURE).is_some_and(|signature| signature != "\"\"")
}

/// Reads the parts of one content into a view.
pub(super) struct PartsReader<'a> {
    builder: ViewBuilder<'a>,
    /// The first text of the speaker.
    first: Option<&'a str>,
    /// True if there are texts in addition to results.
    words: bool,
    /// True if a part has more than an empty text.
    says: bool,
    /// True if a part has a signature: the first of several calls, or a thought.
    signed: bool,
}

impl<'a> PartsReader<'a> {
    pub(super) fn new(builder: ViewBuilder<'a>) -> PartsReader<'a> {
        PartsReader { builder, first: None, words: false, says: false, signed: false }
    }

    pub(super) fn read(mut self, parts: &[&'a str]) -> MessageView {
        parts.iter().for_each(|part| self.part(part));
        if parts.is_empty() {
            self.fault(EMPTY_CONTENT, None);
        } else if !self.says && !self.signed && self.builder.view.faults.is_empty() {
            self.fault(EMPTY_TEXT, None);
        }
        if !self.builder.view.calls.is_empty() && !self.signed {
            self.fault(MISSING_THOUGHT_SIGNATURE, None);
        }
        self.builder.view.role = self.role();
        mark_service_message(self.builder.message, &mut self.builder.view);
        self.builder.view
    }

    fn role(&self) -> Role {
        let view = &self.builder.view;
        match view.role {
            _ if view.calls.is_empty() && !view.results.is_empty() && !self.words => Role::Tool,
            role => role,
        }
    }

    fn fault(&mut self, rule: Rule, id: Option<String>) {
        self.builder.view.faults.push(Fault { rule, id });
    }

    fn part(&mut self, part: &'a str) {
        if raw::is_string(part) {
            self.first = self.first.or(Some(part));
            return self.text(part);
        }
        let Some(fields) = members(part) else { return self.counted(part) };
        self.signed |= is_signed(&fields);
        self.first = self.first.or_else(|| own_words(&fields));
        // A part should hold one thing, but nothing is lost if it holds several.
        let known =
            [self.call(&fields), self.result(&fields), self.media(&fields), self.server(&fields)];
        match spoken(&fields) {
            Some(text) => self.text(text),
            None if !known.contains(&true) => self.unknown(&fields),
            None => {}
        }
    }

    fn text(&mut self, text: &'a str) {
        self.builder.text(text);
        self.words |= text != "\"\"";
        self.says |= text != "\"\"";
    }

    /// Adds a part that is counted as JSON, and never changed.
    fn counted(&mut self, value: &'a str) {
        self.builder.view.texts.push(Slot { kind: SlotKind::Json, ..self.builder.slot(value) });
        (self.words, self.says) = (true, true);
    }

    fn call(&mut self, part: &Fields<'a>) -> bool {
        let Some(call) = either(part, FUNCTION_CALL).and_then(members) else { return false };
        let (id, name) = (string(&call, "id"), string(&call, "name"));
        let arguments = either(&call, ["args"; 2]);
        if arguments.is_some_and(|value| !value.starts_with('{')) {
            self.fault(ARGUMENTS_NOT_AN_OBJECT, id.clone());
        }
        let arguments = arguments.map(|value| self.builder.slot(value));
        self.builder.view.calls.push(Call { id, name, arguments });
        self.says = true;
        true
    }

    fn result(&mut self, part: &Fields<'a>) -> bool {
        let Some(result) = either(part, FUNCTION_RESPONSE).and_then(members) else { return false };
        let (call_id, name) = (string(&result, "id"), string(&result, "name"));
        let value = either(&result, ["response"; 2]);
        let slots = value.map(|value| response::slots(&mut self.builder, value, call_id.as_ref()));
        for part in array(&result, "parts") {
            if !members(part).is_some_and(|fields| self.media(&fields)) {
                self.builder.text(part);
            }
        }
        let slots = slots.unwrap_or_default();
        self.builder.view.results.push(ToolResult { call_id, name, slots });
        self.says = true;
        true
    }

    fn media(&mut self, part: &Fields<'a>) -> bool {
        let found = MEDIA.iter().any(|names| either(part, *names).is_some());
        self.builder.view.media += u32::from(found);
        self.says |= found;
        found
    }

    fn server(&mut self, part: &Fields<'a>) -> bool {
        let values: Vec<&str> = SERVER.iter().filter_map(|names| either(part, *names)).collect();
        values.iter().for_each(|value| self.counted(value));
        !values.is_empty()
    }

    /// Adds a part of unknown kind: counts its members, except those that describe it. A part
    /// without other members is a fault unless it has a signature.
    fn unknown(&mut self, part: &Fields<'a>) {
        let kind = string(part, "type").unwrap_or_default();
        self.builder.view.other_format = self.builder.view.other_format.or(format_of_part(&kind));
        let said = |name: &str, value: &str| !ABOUT.contains(&name) && value != "null";
        let said = part.iter().filter(|(name, value)| said(name, value));
        let (names, values): (Vec<&str>, Vec<&str>) =
            said.map(|(name, value)| (name.as_ref(), *value)).unzip();
        if let Some(name) = names.first() {
            self.builder.unknown(if kind.is_empty() { name } else { &kind });
        }
        values.iter().for_each(|value| self.counted(value));
        if values.is_empty() && !is_signed(part) {
            self.fault(EMPTY_CONTENT, None);
        }
    }
}
