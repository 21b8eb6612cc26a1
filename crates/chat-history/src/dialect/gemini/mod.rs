//! `gemini`: the contents of the Gemini API, `{role, parts}`, in the spelling of REST and the
//! JavaScript SDK (`functionCall`), in that of the Python SDK's dumps (`function_call`), or mixed;
//! the saved chats of Gemini CLI have the same form. Reading is lenient: parts may be bare strings,
//! a single part may have no array around it, a content without a role is the user's, and null
//! members count as absent, because dumps of the Python SDK are full of them.
//!
//! Contents include no system messages: the service's messages are a user's, and only their text
//! distinguishes them from the user's own.

mod part;
mod problems;
mod response;
mod results;
#[cfg(test)]
mod tests;

use raw_json::{self as raw, Fields, quote};

use super::framework::stored_form;
use super::{BadMessage, Dialect, Opening, Problem, ResultBlocks, Stubs, turn_starts};
use crate::dialect::members::{array, fields_of, string};
use crate::dialect::view_builder::ViewBuilder;
use crate::message::{Call, MessageView, Role, Slot};
use part::{PartsReader, evidence_of, text_of};

const ACCEPTED: &str =
    "an object with an array \"parts\" and a \"role\" of user, model or function";

/// The dialect `gemini`.
pub struct Gemini;

impl Dialect for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn evidence(&self, fields: &Fields<'_>) -> Option<String> {
        let role = string(fields, "role");
        let known =
            role.as_deref().is_none_or(|role| ["user", "model", "function"].contains(&role));
        let parts = array(fields, "parts");
        if !known || parts.is_empty() {
            return None;
        }
        let name = parts.iter().find_map(|part| evidence_of(part))?;
        Some(format!("has parts with {name}"))
    }

    fn view(&self, message: &str) -> Result<MessageView, BadMessage> {
        let fields = fields_of(message, ACCEPTED)?;
        // In this format, a message must have parts.
        let stored = || stored_form(&fields);
        if let Some(bad) = either(&fields, ["parts"; 2]).map_or_else(stored, |_| None) {
            return Err(bad);
        }
        let role = role_of(&fields)?;
        let parts = parts_of(&fields)?;
        Ok(PartsReader::new(ViewBuilder { message, view: MessageView::new(role) }).read(&parts))
    }

    fn content_slots(&self, message: &str) -> Vec<Slot> {
        let Ok(fields) = raw::fields(message) else { return Vec::new() };
        let builder = ViewBuilder { message, view: MessageView::new(Role::Other) };
        let parts = parts_of(&fields).unwrap_or_default();
        parts.into_iter().filter_map(text_of).map(|text| builder.slot(text)).collect()
    }

    fn service_message(&self, text: &str, _like: Option<&str>) -> String {
        format!("{{\"role\":\"user\",\"parts\":[{{\"text\":{}}}]}}", quote(text))
    }

    fn opening(&self) -> Opening {
        Opening::User
    }

    fn unit_starts(&self, views: &[&MessageView]) -> Vec<bool> {
        turn_starts(views)
    }

    fn problems(&self, views: &[&MessageView]) -> Vec<Problem> {
        problems::find(views)
    }

    fn result_blocks(&self) -> Option<&'static ResultBlocks> {
        Some(&results::BLOCKS)
    }

    fn stub_results(&self, of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
        results::stub_results(of, calls, text, next)
    }
}

fn bad(found: String) -> BadMessage {
    BadMessage { found, accepted: ACCEPTED }
}

/// Returns a member under either of its spellings; null counts as absent.
fn either<'a>(fields: &Fields<'a>, names: [&str; 2]) -> Option<&'a str> {
    let mut values = names.iter().filter_map(|name| raw::field(fields, name));
    values.find(|value| *value != "null")
}

fn role_of(fields: &Fields<'_>) -> Result<Role, BadMessage> {
    let Some(role) = either(fields, ["role"; 2]) else { return Ok(Role::User) };
    if !raw::is_string(role) {
        return Err(bad(format!("has {} as role", raw::kind(role))));
    }
    Ok(match raw::unescape(role).text.as_ref() {
        "user" => Role::User,
        "model" => Role::Assistant,
        "function" | "tool" => Role::Tool,
        "system" => Role::System,
        _ => Role::Other,
    })
}

/// Returns the parts of a content. A content with a role may have none, because a model that says
/// nothing produces one.
fn parts_of<'a>(fields: &Fields<'a>) -> Result<Vec<&'a str>, BadMessage> {
    let Some(parts) = either(fields, ["parts"; 2]) else {
        let is_content =
            raw::field(fields, "content").is_none() && string(fields, "role").is_some();
        return if is_content { Ok(Vec::new()) } else { Err(bad("has no parts".to_owned())) };
    };
    match raw::kind(parts) {
        "an array" => Ok(raw::elements(parts).unwrap_or_default()),
        "an object" | "a string" => Ok(vec![parts]),
        other => Err(bad(format!("has {other} as parts"))),
    }
}
