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

use super::reader::{Reader, home_of, is_media, string};
use super::{Answered, BadMessage, Dialect, Fault, Problem, Rule};
use crate::history::message::{Call, MessageView, Role, Slot, ToolResult};
use crate::history::raw::{self, Fields};
use crate::history::splice::quote;

const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    says: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message \
           with 'tool_calls'. (tool_call_id: {id})",
};
const CALL_WITHOUT_RESULT: Rule = Rule {
    name: "call_without_result",
    says: "An assistant message with 'tool_calls' must be followed by tool messages responding to \
           each 'tool_call_id'. The following tool_call_ids did not have response messages: {id}",
};
const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", says: "Missing required parameter: 'tool_call_id'." };

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
        let mut walk = Walk(Reader { message, view: MessageView::new(role) });
        walk.read(&fields);
        Ok(walk.0.view)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        // A tool's content is its result.
        if string(&fields, "role").is_some_and(|role| role_of(&role) == Role::Tool) {
            return Vec::new();
        }
        let mut walk = Walk(Reader { message, view: MessageView::new(Role::Other) });
        walk.content(raw::field(&fields, "content"))
    }

    fn own_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"system\",\"content\":{}}}", quote(text))
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut open = Open::default();
        for (index, view) in views.iter().enumerate() {
            problems.extend(view.faults.iter().map(|fault| Problem::of(index, fault)));
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
        problems.sort_by_key(|problem| problem.index);
        problems
    }

    fn without_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        // A tool message is its result.
        results.is_empty().then(|| raw.to_owned())
    }

    fn answered(&self, _of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Answered {
        let answer = |call: &&Call| {
            let id = call.id.as_deref().map(|id| format!("\"tool_call_id\":{},", quote(id)));
            let id = id.unwrap_or_default();
            format!("{{\"role\":\"tool\",{id}\"content\":{}}}", quote(text))
        };
        Answered::Messages(calls.iter().map(answer).collect())
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
                rule: RESULT_WITHOUT_CALL,
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
            problems.push(Problem { index, rule: CALL_WITHOUT_RESULT, id });
        }
    }
}

/// Walks the fields of one message and notes where its texts stand.
struct Walk<'a>(Reader<'a>);

impl<'a> Walk<'a> {
    fn read(&mut self, fields: &Fields<'a>) {
        let content = self.content(raw::field(fields, "content"));
        if self.0.view.role == Role::Tool {
            self.results(fields, content);
        } else {
            self.0.view.texts.extend(content);
        }
        for name in ["reasoning_content", "reasoning", "refusal", "name"] {
            self.0.string_text(fields, name);
        }
        if let Some(calls) = raw::field(fields, "tool_calls") {
            self.calls(calls);
        }
        if let Some(call) = raw::field(fields, "function_call") {
            self.call(call, None);
        }
    }

    /// A tool message answers one call; where agents name several, the first has
    /// the text.
    fn results(&mut self, fields: &Fields<'a>, content: Vec<Slot>) {
        let name = string(fields, "name");
        let mut ids = call_ids(fields).into_iter();
        let call_id = ids.next();
        if call_id.is_none() && string(fields, "role").as_deref() == Some("tool") {
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
        self.0.view.results.push(ToolResult { call_id, name: name.clone(), slots: content });
        let rest =
            ids.map(|id| ToolResult { call_id: Some(id), name: name.clone(), slots: Vec::new() });
        self.0.view.results.extend(rest);
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
            _ => vec![self.0.slot(value)],
        }
    }

    fn part(&mut self, part: Part<'a>) -> Option<Slot> {
        match part {
            Part::Text(text) => return Some(self.0.slot(text)),
            Part::Media => self.0.view.media += 1,
            Part::Other(value, home) => {
                self.0.view.foreign = self.0.view.foreign.or(home);
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

    /// One call: `function` or `custom` holds name and arguments, or the call
    /// itself does.
    fn call(&mut self, call: &'a str, id: Option<String>) {
        let Ok(outer) = raw::fields(call) else { return };
        let body = raw::field(&outer, "function").or_else(|| raw::field(&outer, "custom"));
        let inner = body.and_then(|body| raw::fields(body).ok());
        // Some frameworks name the tool in `function`, and leave the rest outside.
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
    /// A part of another type, with the format that has it where that is another:
    /// counted as the JSON it is, and left alone.
    Other(&'a str, Option<&'static str>),
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
                Some(if is_media(&kind) { Part::Media } else { Part::Other(part, home_of(&kind)) })
            }
        }
    }
}

/// The calls a result answers: `tool_call_id`, or those of `tool_call_ids`; where
/// a tool message has neither, its own `id` is the call's.
fn call_ids(fields: &Fields<'_>) -> Vec<String> {
    let ids = || {
        let ids = raw::elements(raw::field(fields, "tool_call_ids")?).ok()?;
        let all = ids.iter().all(|id| raw::is_string(id)) && !ids.is_empty();
        all.then(|| ids.iter().map(|id| raw::unescape(id).text.into_owned()).collect())
    };
    let id = string(fields, "tool_call_id").map(|id| vec![id]);
    id.or_else(ids).or_else(|| Some(vec![string(fields, "id")?])).unwrap_or_default()
}
