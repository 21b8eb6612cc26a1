//! Mends in formats whose results are blocks of a user's message: results taken out
//! of one, and put into one.

use std::collections::HashSet;

use super::reader::{members, without_elements};
use super::{Answered, Dialect};
use crate::message::Role;
use crate::raw;
use crate::splice::{Edit, splice};

/// The message without the results at these places among its blocks; None where no
/// block is left that `counts`.
pub(super) fn without_results(
    message: &str,
    results: &[usize],
    is_result: impl Fn(&str) -> bool,
    counts: impl Fn(&str) -> bool,
) -> Option<String> {
    let blocks = content_of(message).and_then(|content| raw::elements(content).ok());
    let Some(blocks) = blocks.filter(|_| !results.is_empty()) else {
        return Some(message.to_owned());
    };
    let results: HashSet<usize> = results.iter().copied().collect();
    let mut place = 0;
    let goes = blocks.iter().map(|block| {
        let result = is_result(block);
        place += usize::from(result);
        result && results.contains(&(place - 1))
    });
    let goes: Vec<bool> = goes.collect();
    let edits = || without_elements(message, &blocks, |at| goes[at]);
    let stays = |(block, gone): (&&str, &bool)| !gone && counts(block);
    blocks.iter().zip(&goes).any(stays).then(|| splice(message, &edits()))
}

/// The message with the results at these places and no other block.
pub(super) fn only_results(
    message: &str,
    results: &[usize],
    is_result: impl Fn(&str) -> bool,
) -> Option<String> {
    let blocks = content_of(message).and_then(|content| raw::elements(content).ok())?;
    let mut place = 0;
    let stays = blocks.iter().map(|block| {
        let result = is_result(block);
        place += usize::from(result);
        result && results.contains(&(place - 1))
    });
    let stays: Vec<bool> = stays.collect();
    let edits = || without_elements(message, &blocks, |at| !stays[at]);
    stays.contains(&true).then(|| splice(message, &edits()))
}

/// Stubs in the user's message behind their calls, where there is one, else in one of
/// their own: the results of a turn stand in one message, before anything else.
pub(super) fn answered(
    dialect: &dyn Dialect,
    stubs: &[String],
    next: Option<&str>,
    text_block: impl Fn(&str) -> String,
) -> Answered {
    if stubs.is_empty() {
        return Answered::Messages(Vec::new());
    }
    let stubs = stubs.join(",");
    match next.and_then(|next| taken_in(dialect, next, &stubs, text_block)) {
        Some(message) => Answered::Within(message),
        None => Answered::Messages(vec![format!("{{\"role\":\"user\",\"content\":[{stubs}]}}")]),
    }
}

/// The message with blocks at the front of its content; None where it takes none:
/// only a user's does, and a message of this service's own stays what it is.
fn taken_in(
    dialect: &dyn Dialect,
    message: &str,
    blocks: &str,
    text_block: impl Fn(&str) -> String,
) -> Option<String> {
    let view = dialect.view(message).ok()?;
    let takes = [Role::User, Role::Tool].contains(&view.role) && !view.own;
    let content = content_of(message).filter(|_| takes)?;
    let start = raw::offset_in(message, content);
    let whole = start..start + content.len();
    let (span, replacement) = match content {
        "null" | "\"\"" => (whole, format!("[{blocks}]")),
        text if raw::is_string(text) => (whole, format!("[{blocks},{}]", text_block(text))),
        _ if raw::elements(content).ok()?.is_empty() => (whole, format!("[{blocks}]")),
        _ => (start + 1..start + 1, format!("{blocks},")),
    };
    Some(splice(message, &[Edit { span, replacement }]))
}

fn content_of(message: &str) -> Option<&str> {
    raw::field(&members(message)?, "content")
}
