//! Reads the blocks of one message, one by one.

use std::borrow::Cow;
use std::collections::HashSet;

use raw_json::{self as raw, Fields};

use super::super::{Fault, Rule};
use super::problems::{
    ARGUMENTS_NOT_AN_OBJECT, BLANK_TEXT, DUPLICATE_CALL_ID, EMPTY_CONTENT, EMPTY_ERROR_RESULT,
    EMPTY_TEXT, INVALID_CALL_ID, MISSING_CALL_ID, RESULT_NOT_AN_OBJECT,
};
use crate::dialect::members::{array, is_blank, members, object, string};
use crate::dialect::part_type::{format_of_part, is_media};
use crate::dialect::view_builder::ViewBuilder;
use crate::message::{Call, Frame, MessageView, Role, Slot, ToolResult};
use crate::slot::TypeNames;

/// The keys that name the kind of a block.
pub(super) const NAMES: [&str; 12] = [
    "text",
    "toolUse",
    "toolResult",
    "image",
    "document",
    "video",
    "audio",
    "reasoningContent",
    "cachePoint",
    "guardContent",
    "citationsContent",
    "searchResult",
];

/// The keys of an element of a result: a replacement changes the key with the value.
const KEYS: TypeNames = TypeNames { text: "text", json: "json" };

/// Maximum length of an id that the API accepts, in bytes.
const LONGEST_ID: usize = 64;

/// Reads a message with this role and these members.
pub(super) fn read<'a>(message: &'a str, role: Role, fields: &Fields<'a>) -> MessageView {
    let builder = ViewBuilder { message, view: MessageView::new(role) };
    let mut reader = MessageReader { builder, words: false };
    reader.content(raw::field(fields, "content"));
    reader.finished()
}

/// Returns the literal of a text block's text.
pub(super) fn text_of(block: &str) -> Option<&str> {
    let fields = members(block)?;
    let (name, value) = known(&fields)?;
    Some(value).filter(|value| name == "text" && raw::is_string(value))
}

/// Returns true for a block that holds a result.
pub(super) fn is_result(block: &str) -> bool {
    let result = |fields: &Fields<'_>| {
        known(fields).is_some_and(|(name, value)| name == "toolResult" && members(value).is_some())
    };
    members(block).is_some_and(|fields| result(&fields))
}

/// Returns true for a block that only marks a place for caching.
pub(super) fn is_cache_point(block: &str) -> bool {
    members(block)
        .is_some_and(|fields| known(&fields).is_some_and(|(name, _)| name == "cachePoint"))
}

/// Returns the key of a block and its value, if the API has such a block.
fn known<'f, 'a>(fields: &'f Fields<'a>) -> Option<(&'f str, &'a str)> {
    let own = |(name, value): &&(Cow<'a, str>, &'a str)| {
        *value != "null" && NAMES.contains(&name.as_ref())
    };
    fields.iter().rev().find(own).map(|(name, value)| (name.as_ref(), *value))
}

struct MessageReader<'a> {
    builder: ViewBuilder<'a>,
    /// True once a block other than a result was read.
    words: bool,
}

impl<'a> MessageReader<'a> {
    fn finished(mut self) -> MessageView {
        let mut seen = HashSet::new();
        let ids = self.builder.view.calls.iter().filter_map(|call| call.id.as_ref());
        let twice: Vec<String> = ids.filter(|id| !seen.insert(*id)).cloned().collect();
        twice.into_iter().for_each(|id| self.fault(DUPLICATE_CALL_ID, Some(id)));
        let mut view = self.builder.view;
        if view.role == Role::User && !view.results.is_empty() && !self.words {
            view.role = Role::Tool;
        }
        view
    }

    fn content(&mut self, content: Option<&'a str>) {
        match content {
            None | Some("null" | "\"\"") => self.fault(EMPTY_CONTENT, None),
            // The API requires blocks; agents may keep a string until they send it.
            Some(text) if raw::is_string(text) => self.said(text),
            Some(value) => match raw::elements(value) {
                Ok(blocks) if blocks.is_empty() => self.fault(EMPTY_CONTENT, None),
                Ok(blocks) => blocks.into_iter().for_each(|block| self.block(block)),
                Err(_) => self.other(value),
            },
        }
    }

    fn block(&mut self, block: &'a str) {
        let fields = members(block).unwrap_or_default();
        let Some((name, value)) = known(&fields) else { return self.unknown(block, &fields) };
        let inner = members(value);
        match (name, inner) {
            ("text", _) if raw::is_string(value) => self.said(value),
            // Caching is not content for the model.
            ("cachePoint", _) => {}
            ("toolResult", Some(inner)) => self.result(&inner),
            ("toolUse", Some(inner)) => self.call(&inner),
            ("reasoningContent", Some(inner)) => self.reasoning(&inner),
            (name, Some(inner)) if name != "text" => {
                self.words = true;
                self.part(name, value, &inner);
            }
            _ => self.other(block),
        }
    }

    /// Adds a block that the API does not have: it is from another format, or new.
    fn unknown(&mut self, block: &'a str, fields: &Fields<'a>) {
        let kind = string(fields, "type").unwrap_or_default();
        let other_format = &mut self.builder.view.other_format;
        *other_format = other_format.or(format_of_part(&kind));
        self.words = true;
        if is_media(&kind) {
            self.builder.view.media += 1;
        } else {
            let name = fields.first().map_or("", |(name, _)| name.as_ref());
            self.builder.unknown(if kind.is_empty() { name } else { &kind });
            self.builder.text(block);
        }
    }

    /// Adds a text of the speaker. To the API, a text of only white space is blank.
    fn said(&mut self, text: &'a str) {
        self.words = true;
        self.builder.text(text);
        if text == "\"\"" {
            self.fault(EMPTY_TEXT, None);
        } else if is_blank(text) {
            self.fault(BLANK_TEXT, None);
        }
    }

    fn other(&mut self, value: &'a str) {
        self.words = true;
        self.builder.text(value);
    }

    fn reasoning(&mut self, fields: &Fields<'a>) {
        self.words = true;
        match (object(fields, "reasoningText"), raw::field(fields, "redactedContent")) {
            (Some(text), _) => self.builder.string_text(&text, "text"),
            // Bytes are a base64 string, or an object around one.
            (None, Some(bytes)) if raw::is_string(bytes) => {
                self.builder.opaque(fields, "redactedContent");
            }
            (None, Some(bytes)) => self.builder.view.opaque += bytes.len() as u64,
            (None, None) => {}
        }
    }

    /// Adds a block that may be in a message or in a result, and that is never moved.
    fn part(&mut self, name: &str, value: &'a str, fields: &Fields<'a>) {
        match name {
            "image" | "video" | "audio" => self.builder.view.media += 1,
            "document" => self.document(fields),
            "guardContent" => match object(fields, "text") {
                Some(text) => self.builder.string_text(&text, "text"),
                None => self.builder.view.media += 1,
            },
            "citationsContent" => {
                self.texts(fields, "content");
                if let Some(citations) = raw::field(fields, "citations") {
                    self.builder.text(citations);
                }
            }
            "cachePoint" => {}
            _ => self.builder.text(value),
        }
    }

    /// Adds a document: a file, or the text that it holds.
    fn document(&mut self, fields: &Fields<'a>) {
        self.builder.string_text(fields, "context");
        let source = object(fields, "source").unwrap_or_default();
        if raw::field(&source, "text").is_some_and(raw::is_string) {
            self.builder.string_text(&source, "text");
        } else if raw::field(&source, "content").is_some() {
            self.texts(&source, "content");
        } else {
            self.builder.view.media += 1;
        }
    }

    /// Adds the elements of a member: texts, or other values as JSON.
    fn texts(&mut self, fields: &Fields<'a>, name: &str) {
        for element in array(fields, name) {
            self.builder.text(text_of(element).unwrap_or(element));
        }
    }

    fn call(&mut self, fields: &Fields<'a>) {
        self.words = true;
        let input = raw::field(fields, "input");
        // Only the model makes calls, and a call of the provider's tool is not a call of the
        // caller's.
        let of_server = string(fields, "type").as_deref() == Some("server_tool_use");
        if of_server || self.builder.view.role != Role::Assistant {
            self.builder.string_text(fields, "name");
            return input.into_iter().for_each(|input| self.builder.text(input));
        }
        let id = self.id(fields);
        if !input.is_some_and(|input| input.starts_with('{')) {
            self.fault(ARGUMENTS_NOT_AN_OBJECT, id.clone());
        }
        let arguments = input.map(|input| self.builder.slot(input));
        self.builder.view.calls.push(Call { id, name: string(fields, "name"), arguments });
    }

    fn id(&mut self, fields: &Fields<'a>) -> Option<String> {
        let id = string(fields, "toolUseId");
        match id.as_deref() {
            None | Some("") => self.fault(MISSING_CALL_ID, None),
            Some(text) if !is_id(text) => self.fault(INVALID_CALL_ID, id.clone()),
            Some(_) => {}
        }
        id
    }

    fn result(&mut self, fields: &Fields<'a>) {
        let content = raw::field(fields, "content");
        if self.builder.view.role == Role::Assistant {
            // The result of a provider's own tool.
            let slots = self.returned(content, &None);
            self.words = true;
            return self.builder.view.texts.extend(slots);
        }
        let call_id = self.id(fields);
        let failed = string(fields, "status").as_deref() == Some("error");
        if failed && (matches!(content, None | Some("null")) || is_empty_array(content)) {
            self.fault(EMPTY_ERROR_RESULT, call_id.clone());
        }
        let slots = self.returned(content, &call_id);
        self.builder.view.results.push(ToolResult { call_id, name: None, slots });
    }

    /// Returns the texts of a result; also adds media and other values to the view.
    fn returned(&mut self, content: Option<&'a str>, id: &Option<String>) -> Vec<Slot> {
        match content {
            None | Some("null") => Vec::new(),
            Some(text) if raw::is_string(text) => vec![self.builder.slot(text)],
            Some(value) => match raw::elements(value) {
                Ok(all) => all.into_iter().filter_map(|one| self.element(one, id)).collect(),
                Err(_) => {
                    self.builder.text(value);
                    Vec::new()
                }
            },
        }
    }

    /// Returns the slot of an element of a result if exactly one of its keys, without escapes,
    /// holds the value; otherwise the other key could not replace it.
    fn element(&mut self, element: &'a str, id: &Option<String>) -> Option<Slot> {
        let fields = members(element).unwrap_or_default();
        let mut keyed = fields.iter().filter(|(name, _)| [KEYS.text, KEYS.json].contains(&&**name));
        match (keyed.next(), keyed.next()) {
            (Some((Cow::Borrowed(key), value)), None)
                if *key == KEYS.json || raw::is_string(value) =>
            {
                if *key == KEYS.json && !value.starts_with('{') {
                    self.fault(RESULT_NOT_AN_OBJECT, id.clone());
                }
                let start = raw::offset_in(self.builder.message, key) - 1;
                let tag = start..start + key.len() + 2;
                let frame = Frame::Tagged { tag, names: KEYS };
                return Some(Slot { frame, ..self.builder.slot(value) });
            }
            (None, _) => match known(&fields).and_then(|(n, v)| Some((n, v, members(v)?))) {
                Some((name, value, inner)) => self.part(name, value, &inner),
                None => self.builder.text(element),
            },
            _ => self.builder.text(element),
        }
        None
    }

    fn fault(&mut self, rule: Rule, id: Option<String>) {
        self.builder.view.faults.push(Fault { rule, id });
    }
}

/// Returns true if the API accepts the length and the characters of an id.
fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    id.len() <= LONGEST_ID && id.bytes().all(plain)
}

fn is_empty_array(value: Option<&str>) -> bool {
    let elements = value.filter(|value| value.starts_with('[')).map(raw::elements);
    elements.is_some_and(|elements| elements.is_ok_and(|elements| elements.is_empty()))
}
