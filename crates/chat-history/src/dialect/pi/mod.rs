//! `pi`: the messages of the pi coding agent, as its sessions and its library store them, whatever
//! provider they are sent to. Roles are `user`, `assistant` and `toolResult`; a call is a part of
//! type `toolCall`, its result a separate message. Kinds of messages that only pi has are separate
//! roles. Pi sends them as a user's, but their text is not the user's: the output of a command and
//! texts of an extension are read as a tool's, summaries as the model's.
//!
//! An aborted or failed turn holds calls that pi never made, and pi does not send the turn: such
//! calls do not count. Its text counts, because older releases send it. The system prompt is not
//! one of the messages.

mod problems;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::{BadMessage, Dialect, Fault, Opening, Problem, Stubs};
use crate::dialect::members::{array, filled, members, string, text_of};
use crate::dialect::part_type::{format_of_part, is_media};
use crate::dialect::view_builder::{
    ViewBuilder, content_slots, fields_and_role, mark_service_message,
};
use crate::message::{Call, MessageView, Role, Slot, ToolResult};
use problems::MISSING_CALL_ID;

const ACCEPTED: &str = "an object with a string \"role\"";

/// The dialect `pi`.
pub struct Pi;

impl Dialect for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        let role = string(fields, "role")?;
        let has = |names: &[&str]| names.iter().all(|name| string(fields, name).is_some());
        let own = match role.as_str() {
            "toolResult" => has(&["toolCallId"]),
            "bashExecution" => has(&["command"]),
            "branchSummary" | "compactionSummary" => has(&["summary"]),
            "custom" => has(&["customType"]),
            _ => false,
        };
        if own {
            return Some(format!("has role \"{role}\""));
        }
        if role == "assistant" && has(&["api", "provider", "stopReason"]) {
            return Some("has api, provider and stopReason".to_owned());
        }
        let is_call = |part: &str| members(part).is_some_and(|part| is_call(&part));
        let called = array(fields, "content").into_iter().any(is_call);
        called.then(|| "has a part of type \"toolCall\"".to_owned())
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let (fields, role) = fields_and_role(message, ACCEPTED)?;
        let mut reader =
            MessageReader(ViewBuilder { message, view: MessageView::new(role_of(&role)) });
        reader.read(&role, &fields);
        let mut view = reader.0.view;
        mark_service_message(message, &mut view);
        Ok(view)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        problems::find(views)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok((fields, role)) = fields_and_role(message, ACCEPTED) else { return Vec::new() };
        if !["user", "assistant", "custom"].contains(&role.as_str()) {
            return Vec::new();
        }
        content_slots(message, &fields, text_of)
    }

    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        format!(
            "{{\"role\":\"user\",\"content\":[{{\"type\":\"text\",\"text\":{}}}]}}",
            quote(text)
        )
    }

    /// Not a rule of pi, but of the providers behind it.
    fn opening(&self) -> Opening {
        Opening::User
    }

    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Stubs {
        // There is no clock here: a result that never existed has the timestamp of its call.
        let fields = raw::fields(of).unwrap_or_default();
        let time = raw::field(&fields, "timestamp").map(|time| format!(",\"timestamp\":{time}"));
        let time = time.unwrap_or_default();
        let answer = |call: &&Call| {
            let id = quote(call.id.as_deref().unwrap_or_default());
            let name = quote(call.name.as_deref().unwrap_or("unknown"));
            format!(
                "{{\"role\":\"toolResult\",\"toolCallId\":{id},\"toolName\":{name},\"content\":\
                 [{{\"type\":\"text\",\"text\":{}}}],\"isError\":true{time}}}",
                quote(text)
            )
        };
        Stubs::Messages(calls.iter().map(answer).collect())
    }
}

fn role_of(role: &str) -> Role {
    match role {
        "user" => Role::User,
        "assistant" | "branchSummary" | "compactionSummary" => Role::Assistant,
        "toolResult" | "bashExecution" | "custom" => Role::Tool,
        "system" => Role::System,
        _ => Role::Other,
    }
}

fn is_call(part: &Fields<'_>) -> bool {
    string(part, "type").as_deref() == Some("toolCall") && string(part, "name").is_some()
}

/// Reads the members of one message into a view.
struct MessageReader<'a>(ViewBuilder<'a>);

impl<'a> MessageReader<'a> {
    fn read(&mut self, role: &str, fields: &Fields<'a>) {
        match role {
            "toolResult" => self.result(fields),
            // A command that the user hides from the model.
            "bashExecution" if raw::field(fields, "excludeFromContext") == Some("true") => {}
            "bashExecution" => {
                self.0.string_text(fields, "command");
                self.0.string_text(fields, "output");
            }
            "branchSummary" | "compactionSummary" => self.0.string_text(fields, "summary"),
            role => {
                if ["tool", "function"].contains(&role) {
                    self.0.view.other_format = Some("openai-chat");
                }
                self.content(fields);
                self.unmade(fields);
            }
        }
    }

    fn content(&mut self, fields: &Fields<'a>) {
        match raw::field(fields, "content") {
            None | Some("null") => {}
            Some(content) if content.starts_with('[') => {
                array(fields, "content").into_iter().for_each(|part| self.part(part));
            }
            Some(content) => self.0.text(content),
        }
    }

    fn part(&mut self, part: &'a str) {
        let Some(fields) = members(part) else { return self.0.text(part) };
        let has = |name| raw::field(&fields, name).is_some_and(raw::is_string);
        let kind = string(&fields, "type").unwrap_or_default();
        match kind.as_str() {
            "text" if has("text") => self.0.string_text(&fields, "text"),
            "thinking" if has("thinking") => self.thinking(&fields),
            // Only the model makes calls.
            "toolCall" if is_call(&fields) && self.0.view.role == Role::Assistant => {
                self.call(&fields);
            }
            kind if is_media(kind) => self.0.view.media += 1,
            kind => {
                self.0.view.other_format = self.0.view.other_format.or(format_of_part(kind));
                self.0.unknown(kind);
                self.0.text(part);
            }
        }
    }

    /// In redacted reasoning, only the provider can read the signature.
    fn thinking(&mut self, fields: &Fields<'a>) {
        if raw::field(fields, "redacted") == Some("true") {
            return self.0.opaque(fields, "thinkingSignature");
        }
        self.0.string_text(fields, "thinking");
        let item = string(fields, "thinkingSignature").unwrap_or_default();
        let item = members(&item).and_then(|item| string(&item, "encrypted_content"));
        self.0.view.opaque += item.map_or(0, |bytes| bytes.len() as u64);
    }

    fn call(&mut self, fields: &Fields<'a>) {
        let id = filled(fields, "id");
        let arguments = raw::field(fields, "arguments").filter(|value| *value != "null");
        let arguments = arguments.map(|value| self.0.slot(value));
        self.0.view.calls.push(Call { id, name: string(fields, "name"), arguments });
    }

    /// Calls of an aborted or failed turn were never made.
    fn unmade(&mut self, fields: &Fields<'a>) {
        let stop = string(fields, "stopReason");
        if stop.is_some_and(|stop| ["aborted", "error"].contains(&stop.as_str())) {
            self.0.view.calls.clear();
        } else if self.0.view.calls.iter().any(|call| call.id.is_none()) {
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
    }

    fn result(&mut self, fields: &Fields<'a>) {
        let call_id = filled(fields, "toolCallId");
        if call_id.is_none() {
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
        let slots = match raw::field(fields, "content") {
            None | Some("null") => Vec::new(),
            Some(content) if content.starts_with('[') => {
                let parts = array(fields, "content").into_iter();
                parts.filter_map(|part| self.result_part(part)).collect()
            }
            Some(content) => vec![self.0.slot(content)],
        };
        let name = string(fields, "toolName");
        self.0.view.results.push(ToolResult { call_id, name, slots });
    }

    fn result_part(&mut self, part: &'a str) -> Option<Slot> {
        if let Some(text) = text_of(part) {
            return Some(self.0.slot(text));
        }
        let kind = members(part).and_then(|fields| string(&fields, "type"));
        match kind {
            Some(kind) if is_media(&kind) => self.0.view.media += 1,
            _ => self.0.text(part),
        }
        None
    }
}
