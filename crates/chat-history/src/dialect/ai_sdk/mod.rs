//! `ai-sdk`: the ModelMessage of the Vercel AI SDK. A message has a role and a content, a string or
//! parts. The results of tools are parts of `tool` messages whose `output` is an object with a
//! type: a replacement changes the type with the value, so that the SDK's schema holds. Older
//! releases have `args` for `input`, and `result` with `experimental_content` for `output`.
//!
//! Results in an assistant message are those of the provider's own tools: counted, never changed.
//! `providerOptions` are settings, which no model reads. By default the SDK rejects system messages
//! among the messages, so the service's own message is a user's.

mod problems;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::block_results::{ResultBlocks, blocks_of};
use super::framework::{OTHER_CALL_ID, names_call_elsewhere};
use super::{BadMessage, Dialect, Fault, Opening, Problem, Rule, Stubs};
use crate::dialect::members::{array, filled, members, object, string, text_of};
use crate::dialect::part_type::{format_of_part, is_media};
use crate::dialect::view_builder::{
    ViewBuilder, content_slots, fields_and_role, mark_service_message,
};
use crate::message::{Call, Frame, MessageView, Role, Slot, ToolResult};
use crate::slot::TypeNames;

const MISSING_CALL_ID: Rule = Rule {
    name: "missing_call_id",
    error: "Invalid prompt: The messages do not match the ModelMessage[] schema. (toolCallId: \
           expected string)",
};

const OUTPUT: TypeNames = TypeNames { text: "text", json: "json" };
const ERROR: TypeNames = TypeNames { text: "error-text", json: "error-json" };

const ACCEPTED: &str = "an object with a string \"role\"";

/// The dialect `ai-sdk`.
pub struct AiSdk;

impl Dialect for AiSdk {
    fn name(&self) -> &'static str {
        "ai-sdk"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        string(fields, "role")?;
        if object(fields, "providerOptions").is_some() {
            return Some("has providerOptions".to_owned());
        }
        array(fields, "content").into_iter().find_map(evidence_of_part)
    }

    fn decides(&self, fields: &Fields<'_>) -> bool {
        let kind = |part: &str| string(&members(part)?, "type");
        let mut kinds = array(fields, "content").into_iter().filter_map(kind);
        kinds.any(|kind| format_of_part(&kind) == Some("ai-sdk"))
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let (fields, role) = fields_and_role(message, ACCEPTED)?;
        let role = role_of(&role);
        let mut reader = MessageReader(ViewBuilder { message, view: MessageView::new(role) });
        reader.read(&fields);
        let mut view = reader.0.view;
        // Gateways pass provider options on in chat completions.
        if ["tool_calls", "tool_call_id"].iter().any(|name| array_or_string(&fields, name)) {
            view.other_format = Some("openai-chat");
        }
        mark_service_message(message, &mut view);
        Ok(view)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        problems::find(views)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        match fields_and_role(message, ACCEPTED) {
            Ok((fields, role)) if role_of(&role) != Role::Tool => {
                content_slots(message, &fields, text_of)
            }
            _ => Vec::new(),
        }
    }

    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"user\",\"content\":{}}}", quote(text))
    }

    /// Not a rule of the SDK, but of the providers behind it.
    fn opening(&self) -> Opening {
        Opening::User
    }

    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        problems::unit_starts(views)
    }

    fn result_blocks(&self) -> Option<&'static ResultBlocks> {
        Some(&ResultBlocks { blocks_of, is_result, may_be_alone: |_| true })
    }

    /// Results of a turn may be in several messages.
    fn gathered_results(&self, _messages: &[&str]) -> Option<String> {
        None
    }

    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, _next: Option<&str>) -> Stubs {
        let (field, output) = match is_old(of) {
            true => ("result", quote(text)),
            false => ("output", format!("{{\"type\":\"error-text\",\"value\":{}}}", quote(text))),
        };
        let answer = |call: &&Call| {
            let id = quote(call.id.as_deref().unwrap_or_default());
            let name = quote(call.name.as_deref().unwrap_or("unknown"));
            format!(
                "{{\"type\":\"tool-result\",\"toolCallId\":{id},\"toolName\":{name},\
                 \"{field}\":{output}}}"
            )
        };
        let parts: Vec<String> = calls.iter().map(answer).collect();
        let message = format!("{{\"role\":\"tool\",\"content\":[{}]}}", parts.join(","));
        Stubs::Messages(vec![message])
    }
}

fn array_or_string(fields: &Fields<'_>, name: &str) -> bool {
    raw::field(fields, name).is_some_and(|value| value.starts_with(['[', '"']) && value != "[]")
}

fn role_of(role: &str) -> Role {
    match role {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::Other,
    }
}

fn evidence_of_part(part: &str) -> Option<String> {
    let fields = members(part)?;
    let kind = string(&fields, "type")?;
    if format_of_part(&kind) == Some("ai-sdk") || kind == "reasoning-file" {
        return Some(format!("has a part of type \"{kind}\""));
    }
    if object(&fields, "providerOptions").is_some() {
        return Some("has a part with providerOptions".to_owned());
    }
    let is_file = ["file", "image"].contains(&kind.as_str());
    (is_file && string(&fields, "mediaType").is_some())
        .then(|| format!("has a part of type \"{kind}\" with mediaType"))
}

fn is_result(part: &str) -> bool {
    let kind = members(part).and_then(|fields| string(&fields, "type"));
    kind.as_deref() == Some("tool-result")
}

/// Returns true for a message of an older release, whose calls have `args`.
fn is_old(message: &str) -> bool {
    let Ok(fields) = raw::fields(message) else { return false };
    array(&fields, "content")
        .into_iter()
        .filter_map(|part| members(part))
        .any(|part| raw::field(&part, "args").is_some() && raw::field(&part, "input").is_none())
}

/// Reads the parts of one message into a view.
struct MessageReader<'a>(ViewBuilder<'a>);

impl<'a> MessageReader<'a> {
    fn read(&mut self, fields: &Fields<'a>) {
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
        let has_text = raw::field(&fields, "text").is_some_and(raw::is_string);
        let kind = string(&fields, "type").unwrap_or_default();
        match kind.as_str() {
            "text" | "reasoning" if has_text => self.0.string_text(&fields, "text"),
            "redacted-reasoning" => self.0.opaque(&fields, "data"),
            "tool-call" => self.call(&fields),
            "tool-result" if self.0.view.role == Role::Tool => self.result(&fields),
            "tool-result" => self.provider_result(&fields),
            "tool-approval-request" => self.0.view.awaiting.extend(string(&fields, "toolCallId")),
            "tool-approval-response" => self.0.string_text(&fields, "reason"),
            kind if is_media(kind) => self.0.view.media += 1,
            kind => {
                self.0.view.other_format = self.0.view.other_format.or(format_of_part(kind));
                self.0.unknown(kind);
                self.counted(part, &fields);
            }
        }
    }

    /// Adds a part of another type, without its provider options.
    fn counted(&mut self, part: &'a str, fields: &Fields<'a>) {
        if raw::field(fields, "providerOptions").is_none() {
            return self.0.text(part);
        }
        let read = fields.iter().filter(|(name, _)| name != "providerOptions");
        read.for_each(|(_, value)| self.0.text(value));
    }

    fn call(&mut self, fields: &Fields<'a>) {
        let input = raw::field(fields, "input").or_else(|| raw::field(fields, "args"));
        let input = input.filter(|value| *value != "null");
        if raw::field(fields, "providerExecuted") == Some("true") {
            self.0.string_text(fields, "toolName");
            return input.into_iter().for_each(|input| self.0.text(input));
        }
        let arguments = input.map(|input| self.0.slot(input));
        let (id, name) = (filled(fields, "toolCallId"), string(fields, "toolName"));
        self.0.view.calls.push(Call { id, name, arguments });
    }

    fn result(&mut self, fields: &Fields<'a>) {
        let (call_id, name) = (filled(fields, "toolCallId"), string(fields, "toolName"));
        if string(fields, "toolCallId").is_none() {
            if names_call_elsewhere(fields) {
                self.0.view.other_format = Some(OTHER_CALL_ID);
            }
            self.0.view.faults.push(Fault { rule: MISSING_CALL_ID, id: None });
        }
        let slots = self.output(fields);
        self.0.view.results.push(ToolResult { call_id, name, slots });
    }

    /// Adds the result of a provider's own tool.
    fn provider_result(&mut self, fields: &Fields<'a>) {
        self.0.string_text(fields, "toolName");
        let slots = self.output(fields);
        self.0.view.texts.extend(slots);
    }

    /// Returns the texts of a result; also adds media and other values to the view.
    fn output(&mut self, fields: &Fields<'a>) -> Vec<Slot> {
        let typed = object(fields, "output").filter(|output| string(output, "type").is_some());
        match (raw::field(fields, "output"), typed) {
            (Some(output), Some(typed)) => self.typed(output, &typed),
            (Some(output), None) if output != "null" => vec![self.0.slot(output)],
            _ => self.old_output(fields),
        }
    }

    fn typed(&mut self, output: &'a str, fields: &Fields<'a>) -> Vec<Slot> {
        let kind = raw::field(fields, "type").unwrap_or_default();
        let value = raw::field(fields, "value");
        match (kind, value) {
            ("\"text\"", Some(value)) if raw::is_string(value) => self.tagged(kind, value, OUTPUT),
            ("\"json\"", Some(value)) => self.tagged(kind, value, OUTPUT),
            ("\"error-text\"", Some(value)) if raw::is_string(value) => {
                self.tagged(kind, value, ERROR)
            }
            ("\"error-json\"", Some(value)) => self.tagged(kind, value, ERROR),
            ("\"content\"", Some(value)) if value.starts_with('[') => self.output_parts(value),
            ("\"execution-denied\"", _) => {
                self.0.string_text(fields, "reason");
                Vec::new()
            }
            _ => {
                self.counted(output, fields);
                Vec::new()
            }
        }
    }

    fn tagged(&self, kind: &str, value: &str, names: TypeNames) -> Vec<Slot> {
        let tag = self.0.slot(kind).span;
        vec![Slot { frame: Frame::Tagged { tag, names }, ..self.0.slot(value) }]
    }

    fn output_parts(&mut self, parts: &'a str) -> Vec<Slot> {
        let parts = raw::elements(parts).unwrap_or_default();
        parts.into_iter().filter_map(|part| self.output_part(part)).collect()
    }

    fn output_part(&mut self, part: &'a str) -> Option<Slot> {
        if let Some(text) = text_of(part) {
            return Some(self.0.slot(text));
        }
        let fields = members(part).unwrap_or_default();
        match string(&fields, "type") {
            Some(kind) if is_media(&kind) => self.0.view.media += 1,
            _ => self.counted(part, &fields),
        }
        None
    }

    fn old_output(&mut self, fields: &Fields<'a>) -> Vec<Slot> {
        let result = raw::field(fields, "result").filter(|value| *value != "null");
        let mut slots: Vec<Slot> = result.into_iter().map(|value| self.0.slot(value)).collect();
        let content = raw::field(fields, "experimental_content");
        if let Some(parts) = content.filter(|value| value.starts_with('[')) {
            slots.extend(self.output_parts(parts));
        }
        slots.sort_by_key(|slot| slot.span.start);
        slots
    }
}
