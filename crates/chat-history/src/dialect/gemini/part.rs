//! The parts of one content: what each holds, and where its texts stand.

use super::problems::{
    ARGUMENTS_NOT_AN_OBJECT, EMPTY_CONTENT, EMPTY_TEXT, MISSING_THOUGHT_SIGNATURE,
};
use super::{either, response};
use crate::dialect::reader::{Reader, array, home_of, mark_own, members, string};
use crate::dialect::{Fault, Rule};
use crate::message::{Call, MessageView, Role, Slot, SlotKind, ToolResult};
use crate::raw::{self, Fields};

pub(super) const FUNCTION_CALL: [&str; 2] = ["functionCall", "function_call"];
pub(super) const FUNCTION_RESPONSE: [&str; 2] = ["functionResponse", "function_response"];
const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];
const MEDIA: [[&str; 2]; 2] = [["inlineData", "inline_data"], ["fileData", "file_data"]];
/// Calls of the provider's own tools: the caller answers none of them.
const SERVER: [[&str; 2]; 4] = [
    ["executableCode", "executable_code"],
    ["codeExecutionResult", "code_execution_result"],
    ["toolCall", "tool_call"],
    ["toolResponse", "tool_response"],
];
/// Members that describe a part; no model reads them as text.
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

/// Members that only parts of this format have. Typed parts belong to others: messages of
/// AI SDK user interfaces have `parts` too.
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

/// The literal of a part's text, where it is the speaker's own and not reasoning.
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

/// Walks the parts of one content.
pub(super) struct Walk<'a> {
    reader: Reader<'a>,
    /// The first text that is the speaker's own.
    first: Option<&'a str>,
    /// True where words stand beside results.
    words: bool,
    /// True where some part has more than an empty text.
    says: bool,
    /// True where some part has a signature. It may stand on any of the parts: on
    /// the first call of several, or on a thought beside them.
    signed: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(reader: Reader<'a>) -> Walk<'a> {
        Walk { reader, first: None, words: false, says: false, signed: false }
    }

    pub(super) fn read(mut self, parts: &[&'a str]) -> MessageView {
        parts.iter().for_each(|part| self.part(part));
        if parts.is_empty() {
            self.fault(EMPTY_CONTENT, None);
        } else if !self.says && !self.signed && self.reader.view.faults.is_empty() {
            self.fault(EMPTY_TEXT, None);
        }
        if !self.reader.view.calls.is_empty() && !self.signed {
            self.fault(MISSING_THOUGHT_SIGNATURE, None);
        }
        self.reader.view.role = self.role();
        mark_own(self.reader.message, &mut self.reader.view);
        self.reader.view
    }

    fn role(&self) -> Role {
        let view = &self.reader.view;
        match view.role {
            _ if view.calls.is_empty() && !view.results.is_empty() && !self.words => Role::Tool,
            role => role,
        }
    }

    fn fault(&mut self, rule: Rule, id: Option<String>) {
        self.reader.view.faults.push(Fault { rule, id });
    }

    fn part(&mut self, part: &'a str) {
        if raw::is_string(part) {
            self.first = self.first.or(Some(part));
            return self.text(part);
        }
        let Some(fields) = members(part) else { return self.counted(part) };
        self.signed |= is_signed(&fields);
        self.first = self.first.or_else(|| own_words(&fields));
        // One part holds one thing, but nothing is lost where it holds several.
        let known =
            [self.call(&fields), self.result(&fields), self.media(&fields), self.server(&fields)];
        match spoken(&fields) {
            Some(text) => self.text(text),
            None if !known.contains(&true) => self.unknown(&fields),
            None => {}
        }
    }

    fn text(&mut self, text: &'a str) {
        self.reader.text(text);
        self.words |= text != "\"\"";
        self.says |= text != "\"\"";
    }

    /// A part that is counted as JSON, and left alone.
    fn counted(&mut self, value: &'a str) {
        self.reader.view.texts.push(Slot { kind: SlotKind::Json, ..self.reader.slot(value) });
        (self.words, self.says) = (true, true);
    }

    fn call(&mut self, part: &Fields<'a>) -> bool {
        let Some(call) = either(part, FUNCTION_CALL).and_then(members) else { return false };
        let (id, name) = (string(&call, "id"), string(&call, "name"));
        let arguments = either(&call, ["args"; 2]);
        if arguments.is_some_and(|value| !value.starts_with('{')) {
            self.fault(ARGUMENTS_NOT_AN_OBJECT, id.clone());
        }
        let arguments = arguments.map(|value| self.reader.slot(value));
        self.reader.view.calls.push(Call { id, name, arguments });
        self.says = true;
        true
    }

    fn result(&mut self, part: &Fields<'a>) -> bool {
        let Some(result) = either(part, FUNCTION_RESPONSE).and_then(members) else { return false };
        let (call_id, name) = (string(&result, "id"), string(&result, "name"));
        let value = either(&result, ["response"; 2]);
        let slots = value.map(|value| response::slots(&mut self.reader, value, call_id.as_ref()));
        for part in array(&result, "parts") {
            if !members(part).is_some_and(|fields| self.media(&fields)) {
                self.reader.text(part);
            }
        }
        let slots = slots.unwrap_or_default();
        self.reader.view.results.push(ToolResult { call_id, name, slots });
        self.says = true;
        true
    }

    fn media(&mut self, part: &Fields<'a>) -> bool {
        let found = MEDIA.iter().any(|names| either(part, *names).is_some());
        self.reader.view.media += u32::from(found);
        self.says |= found;
        found
    }

    fn server(&mut self, part: &Fields<'a>) -> bool {
        let values: Vec<&str> = SERVER.iter().filter_map(|names| either(part, *names)).collect();
        values.iter().for_each(|value| self.counted(value));
        !values.is_empty()
    }

    /// A part of no known kind: its members are counted, but for what it says about
    /// itself. One without any is rejected, unless it brings a signature.
    fn unknown(&mut self, part: &Fields<'a>) {
        let kind = string(part, "type").unwrap_or_default();
        self.reader.view.foreign = self.reader.view.foreign.or(home_of(&kind));
        let said = |name: &str, value: &str| !ABOUT.contains(&name) && value != "null";
        let said = part.iter().filter(|(name, value)| said(name, value));
        let (names, values): (Vec<&str>, Vec<&str>) =
            said.map(|(name, value)| (name.as_ref(), *value)).unzip();
        if let Some(name) = names.first() {
            self.reader.unknown(if kind.is_empty() { name } else { &kind });
        }
        values.iter().for_each(|value| self.counted(value));
        if values.is_empty() && !is_signed(part) {
            self.fault(EMPTY_CONTENT, None);
        }
    }
}
