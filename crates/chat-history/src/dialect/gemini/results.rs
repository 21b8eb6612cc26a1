//! Removes responses from a content, and adds responses to one.

use raw_json::{self as raw, quote};

use super::part::{FUNCTION_CALL, FUNCTION_RESPONSE};
use super::{either, parts_of};
use crate::dialect::members::members;
use crate::dialect::{ResultBlocks, Stubs};
use crate::message::Call;
use crate::slot::RESULT_FIELD;
use crate::splice::{Edit, splice};

pub(super) const BLOCKS: ResultBlocks =
    ResultBlocks { blocks_of: parts, is_result: is_response, may_be_alone: |_| true };

fn is_response(part: &str) -> bool {
    has(part, FUNCTION_RESPONSE)
}

/// Writes responses with `text` for `calls` of the content `of`. All responses of a turn are in one
/// content, so they are added after those of `next`: of several calls with one name and no ids, the
/// last ones have no response.
pub(super) fn stub_results(of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
    let snake = parts(of).iter().any(|part| has(part, [FUNCTION_CALL[1]; 2]));
    let spelling = FUNCTION_RESPONSE[usize::from(snake)];
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, spelling, text)).collect();
    let stubs = stubs.join(",");
    let within = next.and_then(|next| {
        let last = *parts(next).iter().rfind(|part| has(part, FUNCTION_RESPONSE))?;
        let start = raw::offset_in(next, last);
        let end = start + last.len();
        // Adds an array around a single part that has none.
        let alone = next[..start].trim_ascii_end().ends_with(':');
        let (open, close) = if alone { ("[", "]") } else { ("", "") };
        let edit = |at, replacement| Edit { span: at..at, replacement };
        let edits = [edit(start, open.to_owned()), edit(end, format!(",{stubs}{close}"))];
        Some(splice(next, &edits))
    });
    let own = || vec![format!("{{\"role\":\"user\",\"parts\":[{stubs}]}}")];
    within.map_or_else(|| Stubs::Messages(own()), Stubs::Within)
}

fn stub(call: &Call, spelling: &str, text: &str) -> String {
    let id = call.id.as_ref().map(|id| format!("\"id\":{},", quote(id))).unwrap_or_default();
    let name = quote(call.name.as_deref().unwrap_or_default());
    let text = quote(text);
    format!("{{\"{spelling}\":{{{id}\"name\":{name},\"response\":{{\"{RESULT_FIELD}\":{text}}}}}}}")
}

fn parts(message: &str) -> Vec<&str> {
    let fields = raw::fields(message).unwrap_or_default();
    parts_of(&fields).unwrap_or_default()
}

/// Returns true if a part has an object with one of these names.
fn has(part: &str, names: [&str; 2]) -> bool {
    let fields = members(part).unwrap_or_default();
    either(&fields, names).is_some_and(|value| value.starts_with('{'))
}
