//! Results that are blocks of a message: removed from it, or added to it.

use std::collections::HashSet;

use raw_json as raw;

use super::members::{array, members};
use super::{Dialect, Stubs};
use crate::message::Role;
use crate::splice::{Edit, splice};

/// The results of a format whose messages hold them as blocks.
pub struct ResultBlocks {
    /// Returns the blocks of a message.
    pub(super) blocks_of: fn(&str) -> Vec<&str>,
    /// Returns true for a block that is a result.
    pub(super) is_result: fn(&str) -> bool,
    /// Returns true for a block that may be the only one of a message.
    pub(super) may_be_alone: fn(&str) -> bool,
}

impl ResultBlocks {
    /// Returns the message without the results at these places among its results; `None` if no
    /// remaining block may be alone.
    pub(super) fn without(&self, message: &str, results: &[usize]) -> Option<String> {
        let blocks = (self.blocks_of)(message);
        if results.is_empty() || blocks.is_empty() {
            return Some(message.to_owned());
        }
        let gone = self.are_among(results, &blocks);
        let is_left =
            blocks.iter().zip(&gone).any(|(block, gone)| !gone && (self.may_be_alone)(block));
        is_left.then(|| splice(message, &without_elements(message, &blocks, |at| gone[at])))
    }

    /// Returns the message with only the results at these places; `None` if it has none of them.
    pub(super) fn only(&self, message: &str, results: &[usize]) -> Option<String> {
        let blocks = (self.blocks_of)(message);
        let kept = self.are_among(results, &blocks);
        let edits = || without_elements(message, &blocks, |at| !kept[at]);
        kept.contains(&true).then(|| splice(message, &edits()))
    }

    /// Returns the first message with the results of all messages, ahead of its other blocks;
    /// `None` if it has no blocks.
    pub(super) fn gathered(&self, messages: &[&str]) -> Option<String> {
        let message = messages.first()?;
        let own = (self.blocks_of)(message);
        let start = raw::offset_in(message, own.first()?);
        let last = own.last()?;
        let end = raw::offset_in(message, last) + last.len();
        let all = messages.iter().flat_map(|message| (self.blocks_of)(message));
        let results = all.filter(|block| (self.is_result)(block));
        let others = own.iter().copied().filter(|block| !(self.is_result)(block));
        let blocks = results.chain(others).collect::<Vec<_>>().join(",");
        // Adds an array around a single block that has none.
        let is_alone = message[..start].trim_ascii_end().ends_with(':');
        let replacement = if is_alone { format!("[{blocks}]") } else { blocks };
        Some(splice(message, &[Edit { span: start..end, replacement }]))
    }

    /// Returns for each block whether it is one of these results, which are numbered among the
    /// results.
    fn are_among(&self, results: &[usize], blocks: &[&str]) -> Vec<bool> {
        let results: HashSet<usize> = results.iter().copied().collect();
        let mut place = 0;
        let is_among = |block: &&str| {
            let is_result = (self.is_result)(block);
            place += usize::from(is_result);
            is_result && results.contains(&(place - 1))
        };
        blocks.iter().map(is_among).collect()
    }
}

/// Returns the blocks of a message's content; empty if it is not an array.
pub(super) fn blocks_of(message: &str) -> Vec<&str> {
    members(message).map(|fields| array(&fields, "content")).unwrap_or_default()
}

/// Adds stubs to the user's message after their calls if there is one, otherwise to a new message:
/// the results of a turn must be in one message, before any other block.
pub(super) fn stub_results(
    dialect: &dyn Dialect,
    stubs: &[String],
    next: Option<&str>,
    text_block: impl Fn(&str) -> String,
) -> Stubs {
    if stubs.is_empty() {
        return Stubs::Messages(Vec::new());
    }
    let stubs = stubs.join(",");
    match next.and_then(|next| taken_in(dialect, next, &stubs, text_block)) {
        Some(message) => Stubs::Within(message),
        None => Stubs::Messages(vec![format!("{{\"role\":\"user\",\"content\":[{stubs}]}}")]),
    }
}

/// Returns the message with blocks added at the front of its content. Returns `None` unless it is a
/// user's message and not one of the service's, which stay unchanged.
fn taken_in(
    dialect: &dyn Dialect,
    message: &str,
    blocks: &str,
    text_block: impl Fn(&str) -> String,
) -> Option<String> {
    let view = dialect.view(message).ok()?;
    let takes = [Role::User, Role::Tool].contains(&view.role) && !view.is_service;
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

/// Returns the edits that remove elements from an array of the message, each with one comma, so
/// that the others keep their bytes. At least one element must stay.
fn without_elements(message: &str, elements: &[&str], gone: impl Fn(usize) -> bool) -> Vec<Edit> {
    let start = |element: &str| raw::offset_in(message, element);
    let end = |element: &str| raw::offset_in(message, element) + element.len();
    let kept = elements.iter().enumerate().rev().find(|(index, _)| !gone(*index));
    let (Some((last_kept, last)), Some(tail)) = (kept, elements.last()) else { return Vec::new() };
    let cut = |span| Edit { span, replacement: String::new() };
    let before_kept = elements.windows(2).take(last_kept).enumerate();
    let mut edits: Vec<Edit> = before_kept
        .filter(|(index, _)| gone(*index))
        .map(|(_, pair)| cut(start(pair[0])..start(pair[1])))
        .collect();
    if last_kept + 1 < elements.len() {
        edits.push(cut(end(last)..end(tail)));
    }
    edits
}

fn content_of(message: &str) -> Option<&str> {
    raw::field(&members(message)?, "content")
}
