//! Mending: contents without some of their responses, and responses that say why
//! there is none.

use std::collections::HashSet;

use super::part::{FUNCTION_CALL, FUNCTION_RESPONSE};
use super::{either, parts_of};
use crate::dialect::Answered;
use crate::dialect::reader::without_elements;
use crate::message::Call;
use crate::raw;
use crate::slot::ONLY_FIELD;
use crate::splice::{Edit, quote, splice};

/// The content without the responses at these places among its responses.
pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    if results.is_empty() {
        return Some(message.to_owned());
    }
    let gone: HashSet<usize> = results.iter().copied().collect();
    let parts = parts(message);
    let mut place = 0;
    let stays: Vec<bool> = parts
        .iter()
        .map(|part| {
            let is_result = has(part, FUNCTION_RESPONSE);
            let stays = !(is_result && gone.contains(&place));
            place += usize::from(is_result);
            stays
        })
        .collect();
    stays
        .contains(&true)
        .then(|| splice(message, &without_elements(message, &parts, |at| !stays[at])))
}

/// The content with the responses at these places and no other part.
pub(super) fn only_results(message: &str, results: &[usize]) -> Option<String> {
    let kept: HashSet<usize> = results.iter().copied().collect();
    let parts = parts(message);
    let mut place = 0;
    let stays: Vec<bool> = parts
        .iter()
        .map(|part| {
            let is_result = has(part, FUNCTION_RESPONSE);
            let stays = is_result && kept.contains(&place);
            place += usize::from(is_result);
            stays
        })
        .collect();
    let edits = || without_elements(message, &parts, |at| !stays[at]);
    stays.contains(&true).then(|| splice(message, &edits()))
}

/// Responses with `text` to `calls` of the content `of`. All responses of a turn
/// stand in one content: they join those of `next`, behind them, since of calls of
/// one name and without ids the later ones are those that were not answered.
pub(super) fn answered(of: &str, calls: &[&Call], text: &str, next: Option<&str>) -> Answered {
    let snake = parts(of).iter().any(|part| has(part, [FUNCTION_CALL[1]; 2]));
    let spelling = FUNCTION_RESPONSE[usize::from(snake)];
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, spelling, text)).collect();
    let stubs = stubs.join(",");
    let within = next.and_then(|next| {
        let last = *parts(next).iter().rfind(|part| has(part, FUNCTION_RESPONSE))?;
        let start = raw::offset_in(next, last);
        let end = start + last.len();
        // A part that stands alone without its array gets one.
        let alone = next[..start].trim_ascii_end().ends_with(':');
        let (open, close) = if alone { ("[", "]") } else { ("", "") };
        let edit = |at, replacement| Edit { span: at..at, replacement };
        let edits = [edit(start, open.to_owned()), edit(end, format!(",{stubs}{close}"))];
        Some(splice(next, &edits))
    });
    let own = || vec![format!("{{\"role\":\"user\",\"parts\":[{stubs}]}}")];
    within.map_or_else(|| Answered::Messages(own()), Answered::Within)
}

fn stub(call: &Call, spelling: &str, text: &str) -> String {
    let id = call.id.as_ref().map(|id| format!("\"id\":{},", quote(id))).unwrap_or_default();
    let name = quote(call.name.as_deref().unwrap_or_default());
    let text = quote(text);
    format!("{{\"{spelling}\":{{{id}\"name\":{name},\"response\":{{\"{ONLY_FIELD}\":{text}}}}}}}")
}

fn parts(message: &str) -> Vec<&str> {
    let fields = raw::fields(message).unwrap_or_default();
    parts_of(&fields).unwrap_or_default()
}

/// True for a part with an object of that name.
fn has(part: &str, names: [&str; 2]) -> bool {
    let fields = if part.starts_with('{') { raw::fields(part) } else { Ok(Vec::new()) };
    let fields = fields.unwrap_or_default();
    either(&fields, names).is_some_and(|value| value.starts_with('{'))
}
