//! `openai-chat`: the messages of the OpenAI chat completions API and of the many servers that
//! implement it. Reading is lenient, because agents send more than the API documents: content as a
//! string, an array of parts, null or an object; calls as `{id, function: {name, arguments}}` or in
//! the flat `{id, name, arguments}` shape of the guide (`context-offload-guide`, §3.1), arguments
//! as a string or an object; the `developer` role; the legacy `function` role and `function_call`;
//! `reasoning_content`; results that name their call in `tool_call_ids`.
//!
//! The provider's rules (reported by `problems`): each id of an assistant's `tool_calls` is
//! answered by tool messages that follow directly; a tool message answers a call of the assistant
//! message before it.

use raw_json::{self as raw, Fields, quote};

use super::framework::{OTHER_CALL_ID, names_call_elsewhere};
use super::members::{array, members, string};
use super::part_type::{format_of_part, is_media};
use super::pending_calls::{CallState, PendingCalls};
use super::view_builder::{ViewBuilder, fields_and_role, mark_bridge};
use super::{BadMessage, Dialect, Fault, Problem, Rule, Stubs};
use crate::message::{Call, MessageView, Role, Slot, ToolResult};

const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "Invalid parameter: messages with role 'tool' must be a response to a preceeding \
           message with 'tool_calls'. (tool_call_id: {id})",
};
const CALL_WITHOUT_RESULT: Rule = Rule {
    name: "call_without_result",
    error: "An assistant message with 'tool_calls' must be followed by tool messages responding to \
           each 'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
};
const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", error: "Missing required parameter: 'tool_call_id'." };

/// Parts that gateways pass on from other formats.
const GATEWAYS: [&str; 3] = ["thinking", "redacted_thinking", "reasoning"];

/// The format to report for parts that no message of this format has.
const UNTYPED: &str = "another format, for it has no \"type\"";

/// The dialect `openai-chat`.
pub struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        let full = |name: &&str| {
            raw::field(fields, name).is_some_and(|value| !["null", "[]", "\"\""].contains(&value))
        };
        let names = ["tool_calls", "function_call", "tool_call_id", "tool_call_ids"];
        let name = names.iter().find(|name| full(name));
        name.filter(|_| full(&"role")).map(|name| format!("has {name}"))
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let (fields, role) = fields_and_role(message, "an object with a string \"role\"")?;
        let role = role_of(&role);
        let mut reader = MessageReader(ViewBuilder { message, view: MessageView::new(role) });
        reader.read(&fields);
        mark_bridge(message, &mut reader.0.view);
        Ok(reader.0.view)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        // A tool's content is its result.
        if string(&fields, "role").is_some_and(|role| role_of(&role) == Role::Tool) {
            return Vec::new();
        }
        let mut reader =
            MessageReader(ViewBuilder { message, view: MessageView::new(Role::Other) });
        reader.content(raw::field(&fields, "content"))
    }

    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"system\",\"content\":{}}}", quote(text))
    }

    fn user_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"user\",\"content\":{}}}", quote(text))
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut pending = PendingCalls::default();
        for (index, view) in views.iter().enumerate() {
            problems.extend(view.faults.iter().map(|fault| Problem::from_fault(index, fault)));
            if view.role == Role::Tool {
                for result in &view.results {
                    let found = pending.answer(result.call_id.as_deref()) == CallState::Pending;
                    // Results of legacy functions and of Ollama have a name, but no id.
                    let by_name = result.call_id.is_none() && result.name.is_some();
                    if !found && !by_name {
                        let id = result.call_id.clone();
                        problems.push(Problem::new(index, RESULT_WITHOUT_CALL, id));
                    }
                }
                continue;
            }
            pending.close(CALL_WITHOUT_RESULT, &mut problems);
            pending = PendingCalls::new(index, view);
        }
        pending.close(CALL_WITHOUT_RESULT, &mut problems);
        problems.sort_by_key(|problem| problem.index);
        problems
    }

    fn stub_results(&self, _of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Stubs {
        let answer = |call: &&Call| {
            let id = call.id.as_deref().map(|id| format!("\"tool_call_id\":{},", quote(id)));
            let id = id.unwrap_or_default();
            format!("{{\"role\":\"tool\",{id}\"content\":{}}}", quote(text))
        };
        Stubs::Messages(calls.iter().map(answer).collect())
    }
}

fn role_of(role: &str) -> Role {
    match role {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::Other,
    }
}

fn kind_of(part: &str) -> String {
    members(part).and_then(|part| string(&part, "type")).unwrap_or_default()
}

/// Returns true for a list with an object without a type: it is not a list of this format's parts.
fn has_untyped(list: &str) -> bool {
    let untyped =
        |part: &&str| members(part).is_some_and(|part| raw::field(&part, "type").is_none());
    raw::elements(list).unwrap_or_default().iter().any(untyped)
}

/// Reads the members of one message into a view.
struct MessageReader<'a>(ViewBuilder<'a>);

impl<'a> MessageReader<'a> {
    fn read(&mut self, fields: &Fields<'a>) {
        let content = self.content(raw::field(fields, "content"));
        if self.0.view.role == Role::Tool {
            self.results(fields, content);
        } else {
            self.0.view.texts.extend(content);
        }
        for name in ["refusal", "name"] {
            self.0.string_text(fields, name);
        }
        self.reasoning(fields);
        if let Some(calls) = raw::field(fields, "tool_calls") {
            self.calls(calls);
        }
        if let Some(call) = raw::field(fields, "function_call") {
            self.call(call, None);
        }
    }

    /// Reads the reasoning of a model. Servers name it differently; some repeat it under a
    /// second name, or as details.
    fn reasoning(&mut self, fields: &Fields<'a>) {
        let given = |name: &&str| raw::field(fields, name).is_some_and(raw::is_string);
        let mut names = ["reasoning_content", "reasoning", "thinking"].into_iter().filter(given);
        if let Some(name) = names.next() {
            let first = raw::field(fields, name);
            self.0.string_text(fields, name);
            for other in names.filter(|other| raw::field(fields, other) != first) {
                self.0.string_text(fields, other);
            }
            return;
        }
        let details = ["reasoning_details", "thinking_blocks"].map(|name| array(fields, name));
        for detail in details.concat().into_iter().filter_map(members) {
            for name in ["text", "summary", "thinking"] {
                self.0.string_text(&detail, name);
            }
            self.0.opaque(&detail, "data");
        }
    }

    /// Adds the results of a tool message. If it names several calls, the first has the text.
    fn results(&mut self, fields: &Fields<'a>, content: Vec<Slot>) {
        // Ollama uses this member for the tool's name, and has no ids.
        let of_ollama = string(fields, "tool_name");
        let by_name = of_ollama.is_some();
        let name = string(fields, "name").or(of_ollama);
        let mut ids = call_ids(fields).into_iter();
        let call_id = ids.next();
        let of_tool = string(fields, "role").as_deref() == Some("tool");
        let is_named =
            ["tool_call_id", "tool_call_ids"].iter().any(|n| raw::field(fields, n).is_some());
        if of_tool && !is_named && names_call_elsewhere(fields) {
            self.0.view.other_format = Some(OTHER_CALL_ID);
        }
        if call_id.is_none() && of_tool && !by_name {
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
        self.0.view.results.push(ToolResult { call_id, name: name.clone(), slots: content });
        let rest =
            ids.map(|id| ToolResult { call_id: Some(id), name: name.clone(), slots: Vec::new() });
        self.0.view.results.extend(rest);
    }

    /// Returns the texts of `content`; also counts media. An array that is not a list of parts,
    /// such as records of a tool, is a value like any other.
    fn content(&mut self, content: Option<&'a str>) -> Vec<Slot> {
        let Some(value) = content.filter(|value| *value != "null") else { return Vec::new() };
        let parts = if value.starts_with('[') { raw::elements(value) } else { Ok(Vec::new()) };
        let parts: Option<Vec<Part<'a>>> =
            parts.unwrap_or_default().into_iter().map(Part::read).collect();
        match parts {
            Some(parts) if !parts.is_empty() => {
                parts.into_iter().filter_map(|part| self.part(part)).collect()
            }
            _ if value == "[]" => Vec::new(),
            parts => {
                if parts.is_none() && self.0.view.role != Role::Tool && has_untyped(value) {
                    self.0.view.other_format = Some(UNTYPED);
                }
                vec![self.0.slot(value)]
            }
        }
    }

    fn part(&mut self, part: Part<'a>) -> Option<Slot> {
        match part {
            Part::Text(text) => return Some(self.0.slot(text)),
            Part::Media => self.0.view.media += 1,
            Part::Other(value, home) => {
                // The result of a tool may have any form.
                if self.0.view.role != Role::Tool {
                    self.0.view.other_format = self.0.view.other_format.or(home);
                    let kind = kind_of(value);
                    if !GATEWAYS.contains(&kind.as_str()) {
                        self.0.unknown(&kind);
                    }
                }
                self.0.text(value);
            }
        }
        None
    }

    fn calls(&mut self, calls: &'a str) {
        for call in raw::elements(calls).unwrap_or_default() {
            let id = raw::fields(call).ok().and_then(|fields| string(&fields, "id"));
            self.call(call, id);
        }
    }

    /// Reads one call. Name and arguments are in `function` or `custom`, or in the call itself.
    fn call(&mut self, call: &'a str, id: Option<String>) {
        let Ok(outer) = raw::fields(call) else { return };
        let body = raw::field(&outer, "function").or_else(|| raw::field(&outer, "custom"));
        let inner = body.and_then(|body| raw::fields(body).ok());
        // Some frameworks have the tool's name in `function`, and the rest outside.
        let name = string(&outer, "function");
        let fields = inner.as_ref().unwrap_or(&outer);
        let arguments = raw::field(fields, "arguments")
            .or_else(|| raw::field(fields, "input"))
            .filter(|value| *value != "null")
            .map(|value| self.0.slot(value));
        let name = string(fields, "name").or(name);
        self.0.view.calls.push(Call { id, name, arguments });
    }
}

/// One part of an array content.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// A text, as its literal.
    Text(&'a str),
    /// An image, a sound, a file.
    Media,
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
        let kind = string(&fields, "type");
        if kind.as_deref() == Some("resource") {
            return Some(Part::resource(part, &fields));
        }
        let text = raw::field(&fields, "text").or_else(|| raw::field(&fields, "refusal"));
        match (text.filter(|text| raw::is_string(text)), kind) {
            (Some(text), Some(_)) => Some(Part::Text(text)),
            (_, None) => None,
            (None, Some(kind)) => Some(if is_media(&kind) {
                Part::Media
            } else {
                Part::Other(part, format_of_part(&kind))
            }),
        }
    }
}

impl<'a> Part<'a> {
    /// Reads a resource of MCP: a text or a blob in an inner object.
    fn resource(part: &'a str, fields: &Fields<'a>) -> Part<'a> {
        let inner = raw::field(fields, "resource").and_then(members).unwrap_or_default();
        let text = raw::field(&inner, "text").filter(|text| raw::is_string(text));
        match (text, raw::field(&inner, "blob")) {
            (Some(text), _) => Part::Text(text),
            (None, Some(_)) => Part::Media,
            (None, None) => Part::Other(part, None),
        }
    }
}

/// Returns the ids of the calls that a result answers: `tool_call_id`, or `tool_call_ids`; if a
/// tool message has neither, its own `id` is the call's.
fn call_ids(fields: &Fields<'_>) -> Vec<String> {
    let ids = || {
        let ids = raw::elements(raw::field(fields, "tool_call_ids")?).ok()?;
        let all = ids.iter().all(|id| raw::is_string(id)) && !ids.is_empty();
        all.then(|| ids.iter().map(|id| raw::unescape(id).text.into_owned()).collect())
    };
    let id = string(fields, "tool_call_id").map(|id| vec![id]);
    id.or_else(ids).or_else(|| Some(vec![string(fields, "id")?])).unwrap_or_default()
}
