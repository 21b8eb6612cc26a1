//! `anthropic`: the messages of Anthropic's Messages API, as the API accepts them and as agents log
//! them: content as a string or as blocks; `tool_use` blocks of the assistant, answered by
//! `tool_result` blocks of the user; thinking with its signature; the provider's own tools
//! (`server_tool_use`, `mcp_tool_use`, and results of types that end in `_tool_result`), which are
//! never changed; whole responses of the API (`"type": "message"`) as assistant messages; system
//! messages among the turns, as Claude Code sends them.
//!
//! The API merges neighbouring messages of one role before it checks them, so split assistant turns
//! and results in several user messages are valid. Roles need not alternate.

mod blocks;
mod evidence;
mod problems;
mod results;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::{BadMessage, Dialect, Opening, Problem, ResultBlocks, Stubs};
use crate::dialect::members::{string, text_of};
use crate::dialect::view_builder::{content_slots, fields_and_role, mark_service_message};
use crate::message::{Call, MessageView, Role, Slot};

const ACCEPTED: &str = "an object with a \"role\" of \"user\" or \"assistant\"";

/// The dialect `anthropic`.
pub struct Anthropic;

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        evidence::find(fields)
    }

    fn decides(&self, fields: &Fields<'_>) -> bool {
        evidence::decides(fields)
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let (fields, role) = fields_and_role(message, ACCEPTED)?;
        let mut view = blocks::read(message, role_of(&role), &fields);
        if ["tool", "function"].contains(&role.as_str()) {
            view.other_format = Some("openai-chat");
        }
        mark_service_message(message, &mut view);
        Ok(view)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        problems::find(views)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        // The API accepts system messages only in certain places, so none of them holds snapshots.
        let role = string(&fields, "role");
        if !role.is_some_and(|role| ["user", "assistant"].contains(&role.as_str())) {
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

    fn typed_blocks(&self) -> bool {
        true
    }

    fn opening(&self) -> Opening {
        Opening::User
    }

    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        problems::unit_starts(views)
    }

    fn result_blocks(&self) -> Option<&'static ResultBlocks> {
        Some(&results::BLOCKS)
    }

    fn stub_results(&self, _of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
        results::stub_results(calls, text, next)
    }
}

fn role_of(role: &str) -> Role {
    match role {
        "system" => Role::MidSystem,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::Other,
    }
}
