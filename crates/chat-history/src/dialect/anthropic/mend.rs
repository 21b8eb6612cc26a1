//! Mends: results taken out of a message, and put into one.

use super::super::reader::{members, string};
use super::super::{Answered, mend};
use super::Anthropic;
use crate::message::Call;
use crate::splice::quote;

pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    mend::without_results(message, results, is_result, |_| true)
}

pub(super) fn only_results(message: &str, results: &[usize]) -> Option<String> {
    mend::only_results(message, results, is_result)
}

pub(super) fn answered(calls: &[&Call], text: &str, next: Option<&str>) -> Answered {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    let text_block = |text: &str| format!("{{\"type\":\"text\",\"text\":{text}}}");
    mend::answered(&Anthropic, &stubs, next, text_block)
}

fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"type\":\"tool_result\",\"tool_use_id\":{id},\"content\":{}}}", quote(text))
}

fn is_result(block: &str) -> bool {
    let kind = members(block).and_then(|fields| string(&fields, "type"));
    kind.as_deref() == Some("tool_result")
}
