//! Removes results from a message, and adds results to one.

use raw_json::quote;

use super::super::block_results::{blocks_of, stub_results as add_stubs};
use super::super::{ResultBlocks, Stubs};
use super::{Bedrock, blocks};
use crate::message::Call;

/// The API rejects a message with only a cache point.
pub(super) const BLOCKS: ResultBlocks = ResultBlocks {
    blocks_of,
    is_result: blocks::is_result,
    may_be_alone: |block| !blocks::is_cache_point(block),
};

pub(super) fn stub_results(calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    add_stubs(&Bedrock, &stubs, next, |text| format!("{{\"text\":{text}}}"))
}

/// Omits the optional `status`, which some models reject.
fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"toolResult\":{{\"toolUseId\":{id},\"content\":[{{\"text\":{}}}]}}}}", quote(text))
}
