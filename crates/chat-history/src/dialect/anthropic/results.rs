//! Removes results from a message, and adds results to one.

use raw_json::quote;

use super::super::block_results::{blocks_of, stub_results as add_stubs};
use super::super::{ResultBlocks, Stubs};
use super::Anthropic;
use crate::dialect::members::{members, string};
use crate::message::Call;

pub(super) const BLOCKS: ResultBlocks =
    ResultBlocks { blocks_of, is_result, may_be_alone: |_| true };

pub(super) fn stub_results(calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    let text_block = |text: &str| format!("{{\"type\":\"text\",\"text\":{text}}}");
    add_stubs(&Anthropic, &stubs, next, text_block)
}

fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"type\":\"tool_result\",\"tool_use_id\":{id},\"content\":{}}}", quote(text))
}

fn is_result(block: &str) -> bool {
    let kind = members(block).and_then(|fields| string(&fields, "type"));
    kind.as_deref() == Some("tool_result")
}
