//! Reads the members of one item into a view.

use raw_json::{self as raw, Fields};

use super::MISSING_CALL_ID;
use super::item::{self, Item, ItemKind, Tool};
use crate::dialect::members::{array, filled, members, string};
use crate::dialect::part_type::is_media;
use crate::dialect::view_builder::ViewBuilder;
use crate::dialect::{Dialect, Fault, OpenAiChat};
use crate::message::{Call, MessageView, Role, Slot, ToolResult};

/// Prefixes of the ids of items that are not calls of the caller's tools.
const NO_CALLS: [&str; 7] = ["msg_", "rs_", "ws_", "fs_", "ci_", "ig_", "mcp"];

/// An item being read.
pub(super) struct ItemReader<'a>(ViewBuilder<'a>);

impl<'a> ItemReader<'a> {
    /// Returns the view of an item.
    pub(super) fn read(message: &'a str, item: &Item<'a>) -> MessageView {
        let fields = &item.fields;
        let mut reader =
            ItemReader(ViewBuilder { message, view: MessageView::new(speaker(item.kind)) });
        reader.0.view.other_format = item::other_sdk(fields);
        match item.kind {
            ItemKind::Message(_) => reader.message(fields),
            ItemKind::Reasoning => reader.reasoning(fields),
            ItemKind::Call(tool) => reader.call(tool, fields),
            ItemKind::Output(tool) => reader.result(tool, fields),
            ItemKind::Counted(_, members) => reader.counted(members, fields),
            ItemKind::Reference => reader.reference(fields),
            ItemKind::Unknown => {
                let kind = string(fields, "type").unwrap_or_default();
                reader.0.view.other_format =
                    reader.0.view.other_format.or(item::other_format_of_part(&kind));
                reader.0.unknown(&kind);
                reader.0.text(message);
            }
        }
        reader.0.view
    }

    /// Returns the slots of a message's own text.
    pub(super) fn content_of(message: &'a str, item: &Item<'a>) -> Vec<Slot> {
        let mut reader = ItemReader(ViewBuilder { message, view: MessageView::new(Role::Other) });
        reader.content(raw::field(&item.fields, "content"))
    }

    fn message(&mut self, fields: &Fields<'a>) {
        let content = self.content(raw::field(fields, "content"));
        self.0.view.texts.extend(content);
        // Calls and results of chat completions are members of messages, and would be missed here.
        let chat = OpenAiChat.evidence(fields).map(|_| OpenAiChat.name());
        self.0.view.other_format = self.0.view.other_format.or(chat);
    }

    fn reasoning(&mut self, fields: &Fields<'a>) {
        for name in ["summary", "content"] {
            let thoughts = self.content(raw::field(fields, name));
            self.0.view.texts.extend(thoughts);
        }
        self.0.opaque(fields, "encrypted_content");
        self.0.view.reasoning = true;
        self.0.view.reasoning_id = filled(fields, "id");
    }

    fn call(&mut self, tool: &'static Tool, fields: &Fields<'a>) {
        let id = self.call_id(tool, fields);
        if id.is_none() {
            self.missing_id();
        }
        let arguments = raw::field(fields, tool.arguments)
            // In newer models, one call of the computer holds several actions.
            .or_else(|| raw::field(fields, "actions"))
            .filter(|value| *value != "null")
            .map(|value| self.0.slot(value));
        let name = string(fields, "name").or_else(|| tool.name.map(str::to_owned));
        self.0.view.calls.push(Call { id, name, arguments });
    }

    fn result(&mut self, tool: &'static Tool, fields: &Fields<'a>) {
        let call_id = self.call_id(tool, fields);
        let name = string(fields, "name");
        // A function's output that names its tool may answer no call: a client can report an event
        // to the model in this way.
        if call_id.is_none() && (name.is_none() || tool.output != "function_call_output") {
            self.missing_id();
        }
        let slots = match tool.output {
            "computer_call_output" => self.screenshot(fields),
            "shell_call_output" => self.shell(fields),
            "tool_search_output" => {
                self.counted(&["tools"], fields);
                Vec::new()
            }
            _ => self.content(raw::field(fields, "output")),
        };
        self.0.view.results.push(ToolResult { call_id, name, slots });
    }

    /// Returns the id that call and output share. Items of the local shell may have it in their own
    /// `id`.
    fn call_id(&self, tool: &Tool, fields: &Fields<'a>) -> Option<String> {
        let own = || filled(fields, "id").filter(|_| tool.call == "local_shell_call");
        filled(fields, "call_id").or_else(own)
    }

    fn missing_id(&mut self) {
        // An item of another format has the id in another member.
        if self.0.view.other_format.is_none() {
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
    }

    fn screenshot(&mut self, fields: &Fields<'a>) -> Vec<Slot> {
        match raw::field(fields, "output") {
            Some(output) if output.starts_with('{') => {
                self.0.view.media += 1;
                Vec::new()
            }
            output => self.content(output),
        }
    }

    /// Reads the output of each command of a shell.
    fn shell(&mut self, fields: &Fields<'a>) -> Vec<Slot> {
        let Some(output) = raw::field(fields, "output").filter(|o| o.starts_with('[')) else {
            return self.content(raw::field(fields, "output"));
        };
        let mut slots = Vec::new();
        for chunk in raw::elements(output).unwrap_or_default() {
            let fields = raw::fields(chunk).unwrap_or_default();
            let text = |name| raw::field(&fields, name).filter(|value| raw::is_string(value));
            let texts = [text("stdout"), text("stderr")];
            if texts == [None, None] {
                self.0.text(chunk);
            }
            slots.extend(texts.into_iter().flatten().map(|text| self.0.slot(text)));
        }
        slots.sort_by_key(|slot| slot.span.start);
        slots
    }

    fn counted(&mut self, members: &[&str], fields: &Fields<'a>) {
        for name in members {
            if let Some(value) = raw::field(fields, name).filter(|value| *value != "null") {
                self.0.text(value);
            }
        }
        self.0.opaque(fields, "encrypted_content");
        self.made(fields);
    }

    /// Reads the output of the provider's tools: an image, or the text and images of code.
    fn made(&mut self, fields: &Fields<'a>) {
        let kind = string(fields, "type");
        if kind.as_deref() == Some("image_generation_call") && filled(fields, "result").is_some() {
            self.0.view.media += 1;
        }
        for output in array(fields, "outputs") {
            let fields = raw::fields(output).unwrap_or_default();
            match string(&fields, "type") {
                Some(kind) if is_media(&kind) => self.0.view.media += 1,
                Some(kind) if kind == "logs" => self.0.string_text(&fields, "logs"),
                _ => self.0.text(output),
            }
        }
    }

    /// Reads a reference. A reference to a call counts as a call: its output has an id that only
    /// the provider can match.
    fn reference(&mut self, fields: &Fields<'a>) {
        let id = filled(fields, "id");
        let of = |with: &str| id.as_deref().is_some_and(|id| id.starts_with(with));
        match NO_CALLS.iter().find(|with| of(with)) {
            Some(&"rs_") => {
                self.0.view.reasoning = true;
                self.0.view.reasoning_id = id;
            }
            Some(_) => {}
            None => self.0.view.calls.push(Call { id: None, name: None, arguments: None }),
        }
    }

    /// Returns the texts of a content; also counts media. An array that is not a list of parts, and
    /// an object that is not a part, is a value like any other.
    fn content(&mut self, content: Option<&'a str>) -> Vec<Slot> {
        let Some(value) = content.filter(|value| *value != "null") else { return Vec::new() };
        let elements = if value.starts_with('[') { raw::elements(value) } else { Ok(Vec::new()) };
        let parts: Option<Vec<Part<'a>>> =
            elements.unwrap_or_default().into_iter().map(Part::read).collect();
        match parts {
            Some(parts) if !parts.is_empty() => {
                parts.into_iter().filter_map(|part| self.part(part)).collect()
            }
            _ if value == "[]" => Vec::new(),
            _ => match Part::alone(value) {
                Some(part) => self.part(part).into_iter().collect(),
                None => vec![self.0.slot(value)],
            },
        }
    }

    fn part(&mut self, part: Part<'a>) -> Option<Slot> {
        match part {
            Part::Text(text) => return Some(self.0.slot(text)),
            Part::Media => self.0.view.media += 1,
            Part::Opaque(bytes) => self.0.view.opaque += bytes.len() as u64 - 2,
            Part::Other(value, home) => {
                if self.0.view.role != Role::Tool {
                    self.0.view.other_format = self.0.view.other_format.or(home);
                    let kind = raw::fields(value).ok().and_then(|part| string(&part, "type"));
                    self.0.unknown(&kind.unwrap_or_default());
                }
                self.0.text(value);
            }
        }
        None
    }
}

fn speaker(kind: ItemKind) -> Role {
    match kind {
        ItemKind::Message(role) | ItemKind::Counted(role, _) => role,
        ItemKind::Reasoning | ItemKind::Call(_) | ItemKind::Reference => Role::Assistant,
        ItemKind::Output(_) => Role::Tool,
        ItemKind::Unknown => Role::Other,
    }
}

/// One part of an array content.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// A text, as its literal.
    Text(&'a str),
    /// An image, a sound, a file.
    Media,
    /// Bytes that only the provider reads, as their literal.
    Opaque(&'a str),
    /// A part of another type, with the format that it belongs to if that is another one: counted
    /// as JSON, and never changed.
    Other(&'a str, Option<&'static str>),
}

impl<'a> Part<'a> {
    /// Returns `None` for a value that is not a part: a number, an array, an object without a type.
    fn read(part: &'a str) -> Option<Part<'a>> {
        if raw::is_string(part) {
            return Some(Part::Text(part));
        }
        let fields = members(part)?;
        let kind = string(&fields, "type")?;
        let literal = |name| raw::field(&fields, name).filter(|value| raw::is_string(value));
        let found = match kind.as_str() {
            "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => {
                literal("text").map(Part::Text)
            }
            "refusal" => literal("refusal").map(Part::Text),
            "encrypted_content" => literal("encrypted_content").map(Part::Opaque),
            "computer_screenshot" => Some(Part::Media),
            kind => is_media(kind).then_some(Part::Media),
        };
        Some(found.unwrap_or_else(|| Part::Other(part, item::other_format_of_part(&kind))))
    }

    /// Reads a part without an array around it, as some clients store it.
    fn alone(value: &'a str) -> Option<Part<'a>> {
        let fields = members(value)?;
        let own = string(&fields, "type").is_some_and(|kind| kind.starts_with("input_"));
        Part::read(value).filter(|part| own && !matches!(part, Part::Other(..)))
    }
}
