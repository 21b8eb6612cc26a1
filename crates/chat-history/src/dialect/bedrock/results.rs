//! Removes results from a message, and adds results to one.

use raw_json::quote;

use super::super::Stubs;
use super::super::block_results::{self, blocks_of};
use super::{Bedrock, blocks};
use crate::message::Call;

/// The API rejects a message with only a cache point.
pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    let counts = |block: &str| !blocks::is_cache_point(block);
    block_results::without_results(message, &blocks_of(message), results, blocks::is_result, counts)
}

pub(super) fn only_results(message: &str, results: &[usize]) -> Option<String> {
    block_results::only_results(message, &blocks_of(message), results, blocks::is_result)
}

pub(super) fn gathered_results(messages: &[&str]) -> Option<String> {
    block_results::gathered_results(messages, blocks_of, blocks::is_result)
}

pub(super) fn stub_results(calls: &[&Call], text: &str, next: Option<&str>) -> Stubs {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    block_results::stub_results(&Bedrock, &stubs, next, |text| format!("{{\"text\":{text}}}"))
}

/// Omits the optional `status`, which some models reject.
fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"toolResult\":{{\"toolUseId\":{id},\"content\":[{{\"text\":{}}}]}}}}", quote(text))
}
