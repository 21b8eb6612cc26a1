//! Mends: results taken out of a message, and put into one.

use super::super::{Answered, mend};
use super::{Bedrock, blocks};
use crate::message::Call;
use crate::splice::quote;

/// A block for caching is not taken alone.
pub(super) fn without_results(message: &str, results: &[usize]) -> Option<String> {
    let counts = |block: &str| !blocks::is_cache_point(block);
    mend::without_results(message, results, blocks::is_result, counts)
}

pub(super) fn only_results(message: &str, results: &[usize]) -> Option<String> {
    mend::only_results(message, results, blocks::is_result)
}

pub(super) fn answered(calls: &[&Call], text: &str, next: Option<&str>) -> Answered {
    let stubs: Vec<String> = calls.iter().map(|call| stub(call, text)).collect();
    mend::answered(&Bedrock, &stubs, next, |text| format!("{{\"text\":{text}}}"))
}

/// Some models refuse a `status`, which is optional: it stays out.
fn stub(call: &Call, text: &str) -> String {
    let id = quote(call.id.as_deref().unwrap_or_default());
    format!("{{\"toolResult\":{{\"toolUseId\":{id},\"content\":[{{\"text\":{}}}]}}}}", quote(text))
}
