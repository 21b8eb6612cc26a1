//! `langchain`: messages as LangChain dumps them, in Python and JavaScript. The content is a string
//! or a list of strings and parts. The parts are those of any provider, so no part is evidence of
//! another format. A call is in `tool_calls`, or in `invalid_tool_calls` if its arguments do not
//! parse; providers get both. Content parts and `additional_kwargs` repeat calls: each call is read
//! once. An `artifact` stays with the tool and is never sent.
//!
//! The rules are those of the chat completions API, on which LangChain's message types are
//! modelled: the answers to all calls follow them directly.

mod shape;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use raw_json::{self as raw, Fields, quote};

use super::{BadMessage, Dialect, Fault, OpenAiChat, Problem, Rule, Stubs};
use crate::dialect::members::{array, filled, members, object, string};
use crate::dialect::part_type::{format_of_part, is_media};
use crate::dialect::view_builder::{ViewBuilder, mark_bridge};
use crate::message::{Call, MessageView, Role, Slot, ToolResult};
use shape::Shape;

const MISSING_CALL_ID: Rule = Rule {
    name: "missing_call_id",
    error: "1 validation error for ToolMessage: tool_call_id: Input should be a valid string",
};

/// The dialect `langchain`.
pub struct LangChain;

impl Dialect for LangChain {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        shape::evidence(fields)
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let unwrapped = shape::read(message)?;
        let mut reader = MessageReader::new(message, unwrapped.role());
        if unwrapped.is_removal() {
            return Ok(reader.builder.view);
        }
        reader.read(&unwrapped.fields);
        let is_named =
            unwrapped.is_function() || string(&unwrapped.fields, "tool_call_id").is_some();
        if reader.builder.view.role == Role::Tool && !is_named {
            reader.builder.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
        mark_bridge(message, &mut reader.builder.view);
        Ok(reader.builder.view)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        OpenAiChat.problems(views)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        match shape::read(message) {
            // A tool's content is its result.
            Ok(unwrapped) if unwrapped.role() != Role::Tool && !unwrapped.is_removal() => {
                MessageReader::new(message, Role::Other).content(&unwrapped.fields)
            }
            _ => Vec::new(),
        }
    }

    fn service_message(&self, text: &str, like: Option<&str>) -> String {
        let shape = like.and_then(|like| Some(shape::read(like).ok()?.shape));
        let content = format!("\"content\":{}", quote(text));
        shape.unwrap_or(Shape::Flat("type")).message("system", "SystemMessage", &content)
    }

    fn user_message(&self, text: &str, like: Option<&str>) -> String {
        let shape = like.and_then(|like| Some(shape::read(like).ok()?.shape));
        let shape = shape.unwrap_or(Shape::Flat("type"));
        // The API's own messages name it by its role.
        let kind = if matches!(shape, Shape::Flat("role")) { "user" } else { "human" };
        shape.message(kind, "HumanMessage", &format!("\"content\":{}", quote(text)))
    }

    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Stubs {
        let shape = shape::read(of).map_or(Shape::Flat("type"), |unwrapped| unwrapped.shape);
        let answer = |call: &&Call| {
            let id = quote(call.id.as_deref().unwrap_or_default());
            let name = call.name.as_ref().map(|name| format!("\"name\":{},", quote(name)));
            let members = format!(
                "\"content\":{},{}\"tool_call_id\":{id},\"status\":\"error\"",
                quote(text),
                name.unwrap_or_default()
            );
            shape.message("tool", "ToolMessage", &members)
        };
        Stubs::Messages(calls.iter().map(answer).collect())
    }
}

/// Reads the members of one message into a view.
struct MessageReader<'a> {
    builder: ViewBuilder<'a>,
    /// The ids of the calls read so far.
    called: HashSet<String>,
}

impl<'a> MessageReader<'a> {
    fn new(message: &'a str, role: Role) -> MessageReader<'a> {
        let builder = ViewBuilder { message, view: MessageView::new(role) };
        MessageReader { builder, called: HashSet::new() }
    }

    fn read(&mut self, fields: &Fields<'a>) {
        let more = object(fields, "additional_kwargs").unwrap_or_default();
        if self.builder.view.role == Role::Assistant {
            self.calls(fields, &more);
        }
        let content = self.content(fields);
        if self.builder.view.role == Role::Tool {
            let (call_id, name) = (filled(fields, "tool_call_id"), string(fields, "name"));
            self.builder.view.results.push(ToolResult { call_id, name, slots: content });
        } else {
            self.builder.view.texts.extend(content);
        }
        self.builder.string_text(fields, "name");
        for name in ["reasoning_content", "refusal"] {
            self.builder.string_text(fields, name);
            self.builder.string_text(&more, name);
        }
        if let Some(reasoning) = object(&more, "reasoning") {
            self.reasoning(&reasoning);
        }
    }

    /// Reads the calls: LangChain's own, or, if there are none, those of the provider.
    fn calls(&mut self, fields: &Fields<'a>, more: &Fields<'a>) {
        for name in ["tool_calls", "invalid_tool_calls"] {
            array(fields, name).into_iter().for_each(|call| self.call(call));
        }
        if !self.builder.view.calls.is_empty() {
            return;
        }
        array(more, "tool_calls").into_iter().for_each(|call| self.call(call));
        if self.builder.view.calls.is_empty()
            && let Some(call) = raw::field(more, "function_call")
        {
            self.call(call);
        }
    }

    fn call(&mut self, call: &'a str) {
        let Some(outer) = members(call) else { return };
        let fields = object(&outer, "function").unwrap_or_default();
        self.add_call(filled(&outer, "id"), if fields.is_empty() { &outer } else { &fields });
    }

    fn add_call(&mut self, id: Option<String>, fields: &Fields<'a>) {
        let arguments = ["args", "arguments", "input"]
            .iter()
            .find_map(|name| raw::field(fields, name))
            .filter(|value| *value != "null")
            .map(|value| self.builder.slot(value));
        self.called.extend(id.clone());
        self.builder.view.calls.push(Call { id, name: string(fields, "name"), arguments });
    }

    /// Returns the texts of the content; also adds media and other parts to the view. A list that
    /// is not a list of parts, such as records of a tool, is a value like any other.
    fn content(&mut self, fields: &Fields<'a>) -> Vec<Slot> {
        let content = raw::field(fields, "content").filter(|value| *value != "null");
        match content.or_else(|| raw::field(fields, "content_blocks")) {
            None | Some("null") => Vec::new(),
            Some(value) if value.starts_with('[') => self.list(value),
            Some(value) => vec![self.builder.slot(value)],
        }
    }

    fn list(&mut self, value: &'a str) -> Vec<Slot> {
        let elements = raw::elements(value).unwrap_or_default();
        let parts: Option<Vec<Part<'a>>> = elements.into_iter().map(Part::read).collect();
        match parts {
            Some(parts) => parts.into_iter().filter_map(|part| self.part(part)).collect(),
            None => vec![self.builder.slot(value)],
        }
    }

    fn part(&mut self, part: Part<'a>) -> Option<Slot> {
        match part {
            Part::Text(text) => return Some(self.builder.slot(text)),
            Part::Typed(kind, _, _) if is_media(&kind) => self.builder.view.media += 1,
            Part::Typed(kind, part, fields) => self.typed(&kind, part, &fields),
        }
        None
    }

    fn typed(&mut self, kind: &str, part: &'a str, fields: &Fields<'a>) {
        match kind {
            "thinking" => self.builder.string_text(fields, "thinking"),
            "reasoning" => self.reasoning(fields),
            "redacted_thinking" => self.builder.opaque(fields, "data"),
            "reasoning_content" => {
                let inner = object(fields, "reasoning_content").unwrap_or_default();
                self.builder.string_text(&inner, "text");
            }
            // For providers whose calls have two ids, `call_id` is the call's own.
            "tool_use" | "tool_call" | "invalid_tool_call" | "function_call"
            | "custom_tool_call"
                if self.builder.view.role == Role::Assistant =>
            {
                self.repeated(filled(fields, "call_id").or_else(|| filled(fields, "id")), fields);
            }
            // Fragments of calls from a stream.
            "tool_call_chunk" | "input_json_delta" if !self.builder.view.calls.is_empty() => {}
            _ => {
                let speaks = self.builder.view.role != Role::Tool;
                let home = format_of_part(kind).filter(|home| speaks && *home == "ai-sdk");
                if speaks {
                    self.builder.unknown(kind);
                }
                self.builder.view.other_format = self.builder.view.other_format.or(home);
                self.builder.text(part);
            }
        }
    }

    /// Reads a call in the content, which was mostly read before.
    fn repeated(&mut self, id: Option<String>, fields: &Fields<'a>) {
        let is_read = match &id {
            Some(id) => self.called.contains(id),
            None => !self.builder.view.calls.is_empty(),
        };
        if !is_read {
            self.add_call(id, fields);
        }
    }

    fn reasoning(&mut self, fields: &Fields<'a>) {
        for name in ["reasoning", "text"] {
            self.builder.string_text(fields, name);
        }
        for part in ["summary", "content"].iter().flat_map(|name| array(fields, name)) {
            self.builder.string_text(&members(part).unwrap_or_default(), "text");
        }
        self.builder.opaque(fields, "encrypted_content");
    }
}

/// One element of a list content.
enum Part<'a> {
    /// A text, as its literal.
    Text(&'a str),
    /// A part of another type, with all of it and its members.
    Typed(String, &'a str, Fields<'a>),
}

impl<'a> Part<'a> {
    /// Returns `None` for a value that is not a part: a number, a list, an object without a type.
    fn read(part: &'a str) -> Option<Part<'a>> {
        if raw::is_string(part) {
            return Some(Part::Text(part));
        }
        let fields = members(part)?;
        let kind = string(&fields, "type")?;
        let name = if kind == "refusal" { "refusal" } else { "text" };
        let text = raw::field(&fields, name).filter(|text| raw::is_string(text));
        let is_other = is_media(&kind) || ["reasoning", "thinking"].contains(&kind.as_str());
        Some(match text.filter(|_| !is_other) {
            Some(text) => Part::Text(text),
            None => Part::Typed(kind, part, fields),
        })
    }
}
