//! Reads the blocks of one message, one by one.

use raw_json::{self as raw, Fields};

use super::super::framework::{OTHER_CALL_ID, names_call_elsewhere};
use super::super::{Fault, Rule};
use super::problems::{
    ARGUMENTS_NOT_AN_OBJECT, BLANK_TEXT, EMPTY_ERROR_RESULT, EMPTY_TEXT, MISSING_CALL_ID,
    RESULTS_NOT_FIRST, SYSTEM_BLOCK_TYPE,
};
use crate::dialect::members::{filled, is_blank, members, object, string};
use crate::dialect::part_type::{format_of_part, is_media};
use crate::dialect::view_builder::ViewBuilder;
use crate::message::{Call, MessageView, Role, ServerTool, Slot, ToolResult};

/// Maximum depth at which strings in a server's result are collected; deeper values are counted as
/// JSON. Real results end at depth five.
const DEPTH: u32 = 12;

/// Members of a server's result that describe it and are not text.
const SILENT: [&str; 7] =
    ["type", "id", "tool_use_id", "caller", "cache_control", "media_type", "signature"];

/// Non-media blocks of the API that are only counted.
const KNOWN: [&str; 6] = [
    "search_result",
    "tool_reference",
    "container_upload",
    "tool_addition",
    "tool_removal",
    "compaction",
];

/// Reads a message with this role and these members.
pub(super) fn read<'a>(message: &'a str, role: Role, fields: &Fields<'a>) -> MessageView {
    let builder = ViewBuilder { message, view: MessageView::new(role) };
    let mut reader = MessageReader { builder, words: false, blank: false, substance: false };
    reader.content(raw::field(fields, "content"));
    if role == Role::MidSystem {
        reader.operators(fields);
    }
    reader.finished()
}

struct MessageReader<'a> {
    builder: ViewBuilder<'a>,
    /// True once a block other than a result was read.
    words: bool,
    /// True once a text of only white space was read.
    blank: bool,
    /// True once any other content was read.
    substance: bool,
}

impl<'a> MessageReader<'a> {
    fn finished(mut self) -> MessageView {
        if self.blank && !self.substance {
            self.fault(BLANK_TEXT, None);
        }
        let mut view = self.builder.view;
        if view.role == Role::User && !view.results.is_empty() && !self.words {
            view.role = Role::Tool;
        }
        view
    }

    /// Reads the effort, which a system message may set next to its content or instead of it.
    fn operators(&mut self, fields: &Fields<'a>) {
        if let Some(config) = raw::field(fields, "output_config").filter(|value| *value != "null") {
            self.builder.view.opaque += config.len() as u64;
            self.builder.view.directive = true;
        }
    }

    /// An empty string is not a block: the message then has no content.
    fn content(&mut self, content: Option<&'a str>) {
        match content {
            None | Some("null" | "\"\"") => {}
            Some(text) if raw::is_string(text) => self.said(text),
            Some(value) => match raw::elements(value) {
                Ok(blocks) => blocks.into_iter().for_each(|block| self.block(block)),
                Err(_) => self.other(value, None),
            },
        }
    }

    fn block(&mut self, block: &'a str) {
        let Some(fields) = members(block) else { return self.other(block, None) };
        let kind = string(&fields, "type").unwrap_or_default();
        self.builder.view.ends_with_server_result = kind.ends_with("_tool_result");
        if self.builder.view.role == Role::MidSystem && kind != "text" {
            self.builder.view.directive = true;
            if !["tool_addition", "tool_removal"].contains(&kind.as_str()) {
                self.fault(SYSTEM_BLOCK_TYPE, None);
            }
        }
        if kind == "tool_result" {
            return self.result(&fields);
        }
        if kind == "text" {
            match raw::field(&fields, "text").filter(|text| raw::is_string(text)) {
                Some(text) => return self.said(text),
                None => return self.other(block, None),
            }
        }
        self.words = true;
        self.substance = true;
        match kind.as_str() {
            "thinking" => self.builder.string_text(&fields, "thinking"),
            "redacted_thinking" => self.builder.opaque(&fields, "data"),
            "tool_use" => self.call(&fields),
            "server_tool_use" | "mcp_tool_use" => self.server_call(&fields),
            kind if kind.ends_with("_tool_result") => self.server_result(&fields),
            kind => {
                if !is_media(kind) && !KNOWN.contains(&kind) {
                    self.builder.unknown(kind);
                }
                self.part(block, &fields, kind, format_of_part(kind));
            }
        }
    }

    /// Adds a text of the speaker.
    fn said(&mut self, text: &'a str) {
        self.words = true;
        self.builder.text(text);
        if text == "\"\"" {
            self.fault(EMPTY_TEXT, None);
        } else if is_blank(text) {
            self.blank = true;
        } else {
            self.substance = true;
        }
    }

    fn other(&mut self, value: &'a str, home: Option<&'static str>) {
        (self.words, self.substance) = (true, true);
        let other_format = &mut self.builder.view.other_format;
        *other_format = other_format.or(home.filter(|home| *home != "anthropic"));
        self.builder.text(value);
    }

    /// Adds a block that may be in a message or in a result, and that is never moved.
    fn part(
        &mut self,
        block: &'a str,
        fields: &Fields<'a>,
        kind: &str,
        home: Option<&'static str>,
    ) {
        match kind {
            "document" => self.document(fields),
            "search_result" | "tool_reference" => self.strings(block),
            // A file that an agent inserted as text.
            "file" if raw::field(fields, "content").is_some_and(raw::is_string) => {
                self.strings(block);
            }
            "container_upload" => self.builder.view.media += 1,
            kind if is_media(kind) => self.builder.view.media += 1,
            _ => self.other(block, home),
        }
    }

    fn document(&mut self, fields: &Fields<'a>) {
        self.builder.string_text(fields, "title");
        self.builder.string_text(fields, "context");
        let source = object(fields, "source").unwrap_or_default();
        match string(&source, "type").as_deref() {
            Some("text") => self.builder.string_text(&source, "data"),
            Some("content") => self.strings_of(&source, "content"),
            _ => self.builder.view.media += 1,
        }
    }

    fn call(&mut self, fields: &Fields<'a>) {
        let id = filled(fields, "id");
        if id.is_none() {
            self.fault(MISSING_CALL_ID, None);
        }
        let input = raw::field(fields, "input");
        if !input.is_some_and(|input| input.starts_with('{')) {
            self.fault(ARGUMENTS_NOT_AN_OBJECT, id.clone());
        }
        let arguments = input.map(|input| self.builder.slot(input));
        self.builder.view.calls.push(Call { id, name: string(fields, "name"), arguments });
    }

    fn result(&mut self, fields: &Fields<'a>) {
        let call_id = filled(fields, "tool_use_id");
        // AgentScope has blocks of the same types with other members.
        if call_id.is_none() && raw::field(fields, "output").is_some() {
            self.builder.view.other_format = Some("agentscope");
        } else if call_id.is_none() && names_call_elsewhere(fields) {
            self.builder.view.other_format = Some(OTHER_CALL_ID);
        }
        if call_id.is_none() {
            self.fault(MISSING_CALL_ID, None);
        }
        if self.words && self.builder.view.role == Role::User {
            self.fault(RESULTS_NOT_FIRST, call_id.clone());
        }
        let content = raw::field(fields, "content");
        if raw::field(fields, "is_error") == Some("true") && is_empty(content) {
            self.fault(EMPTY_ERROR_RESULT, call_id.clone());
        }
        self.substance = true;
        let before = self.words;
        let slots = self.returned(content);
        // The texts inside a result are not those of the speaker.
        self.words = before;
        self.builder.view.results.push(ToolResult { call_id, name: string(fields, "name"), slots });
    }

    /// Returns the texts of a result. An array that is not a list of blocks, such as records of a
    /// tool, is a value like any other.
    fn returned(&mut self, content: Option<&'a str>) -> Vec<Slot> {
        let Some(value) = content.filter(|value| *value != "null") else { return Vec::new() };
        let blocks = if value.starts_with('[') { raw::elements(value).ok() } else { None };
        let blocks = blocks.and_then(|blocks| blocks.into_iter().map(typed).collect());
        let blocks: Vec<Typed<'a>> = match blocks {
            Some(blocks) => blocks,
            None => return vec![self.builder.slot(value)],
        };
        blocks.into_iter().filter_map(|block| self.returned_block(&block)).collect()
    }

    fn returned_block(&mut self, (block, kind, fields): &Typed<'a>) -> Option<Slot> {
        let text = raw::field(fields, "text").filter(|text| kind == "text" && raw::is_string(text));
        if text.is_none() {
            self.part(block, fields, kind, None);
        }
        text.map(|text| self.builder.slot(text))
    }

    fn server_call(&mut self, fields: &Fields<'a>) {
        self.builder.view.server.extend(string(fields, "id").map(ServerTool::Call));
        self.builder.string_text(fields, "name");
        if let Some(input) = raw::field(fields, "input") {
            self.builder.text(input);
        }
    }

    fn server_result(&mut self, fields: &Fields<'a>) {
        self.builder.view.server.extend(string(fields, "tool_use_id").map(ServerTool::Result));
        self.strings_of(fields, "content");
    }

    fn strings_of(&mut self, fields: &Fields<'a>, name: &str) {
        if let Some(value) = raw::field(fields, name) {
            self.strings(value);
        }
    }

    /// Adds the strings of a value, at any depth up to [`DEPTH`].
    fn strings(&mut self, value: &'a str) {
        let mut waiting = vec![(value, 0)];
        while let Some((value, depth)) = waiting.pop() {
            match value.as_bytes().first() {
                Some(b'"') => self.builder.text(value),
                Some(b'{' | b'[') if depth == DEPTH => self.builder.text(value),
                Some(b'[') => {
                    let elements = raw::elements(value).unwrap_or_default();
                    waiting.extend(elements.into_iter().rev().map(|value| (value, depth + 1)));
                }
                Some(b'{') => {
                    let values = self.spoken(&raw::fields(value).unwrap_or_default());
                    waiting.extend(values.into_iter().rev().map(|value| (value, depth + 1)));
                }
                // Numbers and other literals describe their neighbours.
                _ => {}
            }
        }
    }

    /// Returns the members that a model reads; counts media and encrypted members.
    fn spoken(&mut self, fields: &Fields<'a>) -> Vec<&'a str> {
        if string(fields, "type").as_deref() == Some("base64") {
            self.builder.view.media += 1;
            return Vec::new();
        }
        let mut values = Vec::new();
        for (name, value) in fields {
            if name.starts_with("encrypted_") && raw::is_string(value) {
                self.builder.view.opaque += value.len() as u64 - 2;
            } else if !SILENT.contains(&name.as_ref()) {
                values.push(*value);
            }
        }
        values
    }

    fn fault(&mut self, rule: Rule, id: Option<String>) {
        self.builder.view.faults.push(Fault { rule, id });
    }
}

/// A block, its type, its members.
type Typed<'a> = (&'a str, String, Fields<'a>);

/// Returns `None` for a value that is not a block: a number, an array, an object without a type.
fn typed(block: &str) -> Option<Typed<'_>> {
    let fields = members(block)?;
    Some((block, string(&fields, "type")?, fields))
}

/// Returns true if the content of a result is empty.
fn is_empty(content: Option<&str>) -> bool {
    match content {
        None | Some("null" | "\"\"") => true,
        Some(value) => value.starts_with('[') && raw::elements(value).is_ok_and(|e| e.is_empty()),
    }
}
