//! `bedrock`: the messages of Amazon Bedrock's Converse API, which Strands agents keep unchanged. A
//! message has a role, user or assistant, and a content of blocks. A block is an object without a
//! type, whose only key names its kind. `toolUse` blocks of the assistant are answered by
//! `toolResult` blocks in the user's next message; their content is blocks again, each a text or a
//! JSON value.
//!
//! The system prompt is not one of the messages. The API accepts neighbouring messages of one role,
//! but requires all results of a turn in one message, the first after it.

mod blocks;
mod problems;
mod results;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::{BadMessage, Dialect, Opening, Problem, ResultBlocks, Stubs};
use crate::dialect::members::{array, members, object, string};
use crate::dialect::view_builder::{content_slots, fields_and_role, mark_service_message};
use crate::message::{Call, MessageView, Role, Slot};

const ACCEPTED: &str = "an object with a \"role\" of \"user\" or \"assistant\"";

/// The dialect `bedrock`.
pub struct Bedrock;

impl Dialect for Bedrock {
    fn name(&self) -> &'static str {
        "bedrock"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        string(fields, "role")?;
        let blocks = array(fields, "content");
        let own = blocks.iter().find_map(|block| own_block(&members(block)?));
        own.or_else(|| is_plain(fields, &blocks).then(|| "has blocks of text alone".to_owned()))
    }

    /// Text blocks alone do not decide: other libraries omit the type as well.
    fn decides(&self, fields: &Fields<'_>) -> bool {
        !is_plain(fields, &array(fields, "content"))
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
        let Ok((fields, role)) = fields_and_role(message, ACCEPTED) else { return Vec::new() };
        // The API has no system messages, so none holds snapshots.
        if !["user", "assistant"].contains(&role.as_str()) {
            return Vec::new();
        }
        content_slots(message, &fields, blocks::text_of)
    }

    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"user\",\"content\":[{{\"text\":{}}}]}}", quote(text))
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
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => Role::Other,
    }
}

/// Returns true if a message has only text blocks without a type.
fn is_plain(fields: &Fields<'_>, blocks: &[&str]) -> bool {
    let is_text = |block: &&str| {
        let fields = members(block).unwrap_or_default();
        matches!(fields.as_slice(), [(name, text)] if name == "text" && raw::is_string(text))
    };
    fields.len() == 2 && !blocks.is_empty() && blocks.iter().all(is_text)
}

/// Names a block that only this format has. A block with only a text does not count, because other
/// libraries omit the type as well.
fn own_block(block: &Fields<'_>) -> Option<String> {
    if raw::field(block, "type").is_some() {
        return None;
    }
    let has = |name: &str, member: &str| {
        object(block, name).is_some_and(|inner| raw::field(&inner, member).is_some())
    };
    let own = |name: &&str| match *name {
        "toolUse" | "toolResult" => has(name, "toolUseId"),
        "image" | "document" | "video" | "audio" => has(name, "source") && has(name, "format"),
        "reasoningContent" => has(name, "reasoningText") || has(name, "redactedContent"),
        "cachePoint" => has(name, "type"),
        name => object(block, name).is_some(),
    };
    blocks::NAMES
        .iter()
        .find(|name| **name != "text" && own(name))
        .map(|name| format!("has a block \"{name}\""))
}
