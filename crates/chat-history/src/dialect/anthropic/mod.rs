//! `anthropic`: the messages of Anthropic's Messages API, as the API takes them and
//! as agents log them: content as a string or as blocks; `tool_use` blocks of the
//! assistant answered by `tool_result` blocks of the user; thinking with its
//! signature; the provider's own tools (`server_tool_use`, `mcp_tool_use`, and
//! results of types that end in `_tool_result`), which are left alone; whole
//! responses of the API (`"type": "message"`) as assistant messages; system messages
//! among the turns, as Claude Code sends them.
//!
//! The API merges neighbouring messages of one role before it checks them, so split
//! assistant turns and results in several user messages are sound. There is no rule
//! that roles alternate.

mod blocks;
mod evidence;
mod mend;
mod problems;
#[cfg(test)]
mod tests;

use super::reader::{Reader, array, mark_own, members, opened, string};
use super::{Answered, BadMessage, Dialect, Opening, Problem};
use crate::message::{Call, MessageView, Role, Slot};
use crate::raw::{self, Fields};
use crate::splice::quote;

const ACCEPTED: &str = "an object with a \"role\" of \"user\" or \"assistant\"";

/// The dialect `anthropic`.
pub struct Anthropic;

impl Dialect for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        evidence::of(fields)
    }

    fn decides(&self, fields: &Fields<'_>) -> bool {
        evidence::decides(fields)
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let (fields, role) = opened(message, ACCEPTED)?;
        let mut view = blocks::read(message, role_of(&role), &fields);
        if ["tool", "function"].contains(&role.as_str()) {
            view.foreign = Some("openai-chat");
        }
        mark_own(message, &mut view);
        Ok(view)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        problems::of(views)
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        // The API takes system messages at certain places only: none holds snapshots.
        let role = string(&fields, "role");
        if !role.is_some_and(|role| ["user", "assistant"].contains(&role.as_str())) {
            return Vec::new();
        }
        let reader = Reader { message, view: MessageView::new(Role::Other) };
        match raw::field(&fields, "content") {
            Some(content) if raw::is_string(content) => vec![reader.slot(content)],
            _ => {
                let texts = array(&fields, "content").into_iter().filter_map(text_of);
                texts.map(|text| reader.slot(text)).collect()
            }
        }
    }

    fn own_message(&self, text: &str, _like: Option<&str>) -> String {
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

    fn without_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        mend::without_results(raw, results)
    }

    fn only_results(&self, raw: &str, results: &[usize]) -> Option<String> {
        mend::only_results(raw, results)
    }

    fn answered(&self, _of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Answered {
        mend::answered(calls, text, next)
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

/// The literal of a text block.
fn text_of(block: &str) -> Option<&str> {
    let fields = members(block)?;
    let text = raw::field(&fields, "text").filter(|text| raw::is_string(text));
    text.filter(|_| string(&fields, "type").as_deref() == Some("text"))
}
