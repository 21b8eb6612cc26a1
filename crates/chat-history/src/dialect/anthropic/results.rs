//! Removes results from a message, and adds results to one.

use raw_json::quote;

use super::super::Stubs;
use super::super::block_results::{self, blocks_of};
use super::Anthropic;
use crate::dialect::members::{members, string};
use crate::message::Call;

pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    block_results::without_results(message, &blocks_of(message), results, is_result, |_| true)
}

pub(super) fn only_results(message: &str, results: &[usize]) -> Option<String> {
    block_results::only_results(message, &blocks_of(message), results, is_result)
}

pub(super) fn gathered_results(messages: &[&str]) -> Option<String> {
    block_results::gathered_results(messages, blocks_of, is_result)
}

pub(super) fn stub_results(calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    let text_block = |text: &str| format!("{{\"type\":\"text\",\"text\":{text}}}");
    block_results::stub_results(&Anthropic, &stubs, next, text_block)
}

fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"type\":\"tool_result\",\"tool_use_id\":{id},\"content\":{}}}", quote(text))
}

fn is_result(block: &str) -> bool {
    let kind = members(block).and_then(|fields| string(&fields, "type"));
    kind.as_deref() == Some("tool_result")
}
