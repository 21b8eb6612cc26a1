//! `openai-chat`: the messages of the OpenAI chat completions API and of the many
//! servers that speak it. Read leniently, because agents send more than the API
//! documents: content as a string, an array of parts, null or an object; calls
//! as `{id, function: {name, arguments}}` or in the flat `{id, name, arguments}`
//! shape of the guide (seed `context-offload-guide`, §3.1), arguments as a string
//! or an object; the `developer` role; the legacy `function` role and
//! `function_call`; `reasoning_content`; results that name their call in
//! `tool_call_ids`.
//!
//! The provider's rules (what `problems` reports): each id of an assistant's
//! `tool_calls` is answered by tool messages that directly follow; a tool message
//! answers a call of the assistant message before it.

use std::collections::HashMap;

use super::{BadMessage, Dialect, Problem};
use crate::history::message::{Call, MessageView, Role, Slot, SlotKind, ToolResult};
use crate::history::raw::{self, Fields};
use crate::history::splice::quote;

/// The dialect `openai-chat`.
pub struct OpenAiChat;

impl Dialect for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let accepted = "an object with a string \"role\"";
        let fields = raw::fields(message).map_err(|error| BadMessage {
            found: match raw::kind(message) {
                "an object" => format!("cannot be read: {error}"),
                other => format!("is {other}"),
            },
            accepted,
        })?;
        let role = match raw::field(&fields, "role") {
            Some(role) if raw::is_string(role) => role_of(&raw::unescape(role).text),
            Some(role) => {
                return Err(BadMessage {
                    found: format!("has {} as role", raw::kind(role)),
                    accepted,
                });
            }
            None => return Err(BadMessage { found: "has no role".to_owned(), accepted }),
        };
        Ok(Reader { message, view: MessageView::new(role) }.read(&fields))
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        // A tool's content is its result.
        if string(&fields, "role").is_some_and(|role| role_of(&role) == Role::Tool) {
            return Vec::new();
        }
        let mut reader = Reader { message, view: MessageView::new(Role::Other) };
        reader.content(raw::field(&fields, "content"))
    }

    fn system_message(&self, text: &str) -> String {
        format!("{{\"role\":\"system\",\"content\":{}}}", quote(text))
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut open = Open::default();
        for (index, view) in views.iter().enumerate() {
            if view.role == Role::Tool {
                for result in &view.results {
                    open.answer(index, result, &mut problems);
                }
                continue;
            }
            open.close(&mut problems);
            open = Open::asked(index, view);
        }
        open.close(&mut problems);
        problems
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

/// The calls of one turn that wait for their results: how many of each id.
#[derive(Default)]
struct Open<'a> {
    asked_at: usize,
    ids: Vec<Option<&'a str>>,
    waiting: HashMap<Option<&'a str>, usize>,
}

impl<'a> Open<'a> {
    fn asked(asked_at: usize, view: &'a MessageView) -> Open<'a> {
        let ids: Vec<Option<&str>> = view.calls.iter().map(|call| call.id.as_deref()).collect();
        let mut waiting = HashMap::new();
        for id in &ids {
            *waiting.entry(*id).or_default() += 1;
        }
        Open { asked_at, ids, waiting }
    }

    fn answer(&mut self, index: usize, result: &'a ToolResult, problems: &mut Vec<Problem>) {
        match self.waiting.get_mut(&result.call_id.as_deref()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => problems.push(Problem {
                index,
                rule: "result_without_call",
                id: result.call_id.clone(),
            }),
        }
    }

    fn close(&mut self, problems: &mut Vec<Problem>) {
        for id in self.ids.drain(..) {
            let Some(count) = self.waiting.get_mut(&id).filter(|count| **count > 0) else {
                continue;
            };
            *count -= 1;
            let (index, id) = (self.asked_at, id.map(str::to_owned));
            problems.push(Problem { index, rule: "call_without_result", id });
        }
    }
}

/// Walks the fields of one message and notes where its texts stand.
struct Reader<'a> {
    message: &'a str,
    view: MessageView,
}

impl<'a> Reader<'a> {
    fn read(mut self, fields: &Fields<'a>) -> MessageView {
        let content = self.content(raw::field(fields, "content"));
        if self.view.role == Role::Tool {
            self.view.results.push(ToolResult {
                call_id: result_id(fields),
                name: string(fields, "name"),
                slots: content,
            });
        } else {
            self.view.texts.extend(content);
        }
        for name in ["reasoning_content", "reasoning", "refusal", "name"] {
            if let Some(value) = raw::field(fields, name).filter(|value| raw::is_string(value)) {
                let slot = self.slot(value);
                self.view.texts.push(slot);
            }
        }
        if let Some(calls) = raw::field(fields, "tool_calls") {
            self.calls(calls);
        }
        if let Some(call) = raw::field(fields, "function_call") {
            self.call(call, None);
        }
        self.view
    }

    fn slot(&self, value: &str) -> Slot {
        let start = raw::offset_in(self.message, value);
        let kind = if raw::is_string(value) { SlotKind::String } else { SlotKind::Json };
        Slot { span: start..start + value.len(), kind }
    }

    /// The texts of `content`; media are counted on the way. An array that is no
    /// list of parts is a value like any other: records of a tool, say.
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
            _ => vec![self.slot(value)],
        }
    }

    fn part(&mut self, part: Part<'a>) -> Option<Slot> {
        match part {
            Part::Text(text) => return Some(self.slot(text)),
            Part::Media => self.view.media += 1,
            Part::Other(value) => {
                let slot = self.slot(value);
                self.view.texts.push(slot);
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

    /// One call: `function` or `custom` holds name and arguments, or the call
    /// itself does.
    fn call(&mut self, call: &'a str, id: Option<String>) {
        let Ok(outer) = raw::fields(call) else { return };
        let body = raw::field(&outer, "function").or_else(|| raw::field(&outer, "custom"));
        let inner = body.and_then(|body| raw::fields(body).ok());
        let fields = inner.as_ref().unwrap_or(&outer);
        let arguments = raw::field(fields, "arguments")
            .or_else(|| raw::field(fields, "input"))
            .filter(|value| *value != "null")
            .map(|value| self.slot(value));
        self.view.calls.push(Call { id, name: string(fields, "name"), arguments });
    }
}

/// One part of an array content.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// A text, as its literal.
    Text(&'a str),
    /// An image, a sound, a file.
    Media,
    /// A part of another type: counted as the JSON it is, and left alone.
    Other(&'a str),
}

impl<'a> Part<'a> {
    /// None for what is no part: a number, an array, an object without a type.
    fn read(part: &'a str) -> Option<Part<'a>> {
        if raw::is_string(part) {
            return Some(Part::Text(part));
        }
        let fields = part.starts_with('{').then(|| raw::fields(part).ok()).flatten()?;
        let text = raw::field(&fields, "text").or_else(|| raw::field(&fields, "refusal"));
        let kind = string(&fields, "type");
        match (text.filter(|text| raw::is_string(text)), kind) {
            (Some(text), Some(_)) => Some(Part::Text(text)),
            (_, None) => None,
            (None, Some(kind)) => {
                let media = ["image", "audio", "file", "video"];
                let is_media = media.iter().any(|media| kind.contains(media));
                Some(if is_media { Part::Media } else { Part::Other(part) })
            }
        }
    }
}

/// The call a result answers: `tool_call_id`, or the only one of `tool_call_ids`.
fn result_id(fields: &Fields<'_>) -> Option<String> {
    string(fields, "tool_call_id").or_else(|| {
        let ids = raw::elements(raw::field(fields, "tool_call_ids")?).ok()?;
        let [id] = ids.as_slice() else { return None };
        raw::is_string(id).then(|| raw::unescape(id).text.into_owned())
    })
}

fn string(fields: &Fields<'_>, name: &str) -> Option<String> {
    let value = raw::field(fields, name).filter(|value| raw::is_string(value))?;
    Some(raw::unescape(value).text.into_owned())
}
