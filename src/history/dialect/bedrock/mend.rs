//! Mends: results taken out of a message, and put into one.

use std::collections::HashSet;

use super::super::reader::{members, without_elements};
use super::super::{Answered, Dialect};
use super::{Bedrock, blocks};
use crate::history::message::{Call, Role};
use crate::history::raw;
use crate::history::splice::{Edit, quote, splice};

/// The message without the results at these places; None where no block is left but
/// one for caching, which the API does not take alone.
pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    let blocks = content_of(message).and_then(|content| raw::elements(content).ok());
    let Some(blocks) = blocks.filter(|_| !results.is_empty()) else {
        return Some(message.to_owned());
    };
    let (results, mut place) = (results.iter().copied().collect::<HashSet<usize>>(), 0);
    let goes = blocks.iter().map(|block| {
        let result = blocks::is_result(block);
        place += usize::from(result);
        result && results.contains(&(place - 1))
    });
    let goes: Vec<bool> = goes.collect();
    let stays = |(block, gone): (&&str, &bool)| !gone && !blocks::is_cache_point(block);
    let edits = || without_elements(message, &blocks, |at| goes[at]);
    blocks.iter().zip(&goes).any(stays).then(|| splice(message, &edits()))
}

/// Answers calls in the user's message behind them, where there is one: the results
/// of a turn stand in one message.
pub(super) fn answered(calls: &[&Call], text: &str, next: Option<&str>) -> Answered {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    let stubs = stubs.join(",");
    if stubs.is_empty() {
        return Answered::Messages(Vec::new());
    }
    match next.and_then(|next| taken_in(next, &stubs)) {
        Some(message) => Answered::Within(message),
        None => Answered::Messages(vec![format!("{{\"role\":\"user\",\"content\":[{stubs}]}}")]),
    }
}

/// Some models refuse a `status`, which is optional: it stays out.
fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"toolResult\":{{\"toolUseId\":{id},\"content\":[{{\"text\":{}}}]}}}}", quote(text))
}

/// The message with blocks at the front of its content; None where it takes none:
/// only a user's does, and a message of this service's own stays what it is.
fn taken_in(message: &str, blocks: &str) -> Option<String> {
    let role = Bedrock.view(message).ok()?.role;
    let content = content_of(message).filter(|_| [Role::User, Role::Tool].contains(&role))?;
    let start = raw::offset_in(message, content);
    let whole = start..start + content.len();
    let (span, replacement) = match content {
        "null" | "\"\"" => (whole, format!("[{blocks}]")),
        text if raw::is_string(text) => (whole, format!("[{blocks},{{\"text\":{text}}}]")),
        _ if raw::elements(content).ok()?.is_empty() => (whole, format!("[{blocks}]")),
        _ => (start + 1..start + 1, format!("{blocks},")),
    };
    Some(splice(message, &[Edit { span, replacement }]))
}

fn content_of(message: &str) -> Option<&str> {
    raw::field(&members(message)?, "content")
}
