//! The fallback: the start of a result, as much as the threshold allows (`lro-spec-1600`, "Error
//! Handling").

use raw_json::{self as raw, quote};

use super::request::{GivenResult, Request};
use record_files::estimate;
use token_count::Tokenizer;

/// Returns the part that fits as JSON, an array or a string, and describes the omitted part.
pub(super) fn truncated(request: &Request<'_>, threshold_tokens: u64) -> (String, String) {
    match &request.given {
        GivenResult::Results(results) => of_records(results, threshold_tokens),
        GivenResult::Content(content) => of_text(content, threshold_tokens),
    }
}

fn tokens(text: &str) -> u64 {
    estimate::tokens(text, &|text| Tokenizer::O200kBase.count(text))
}

/// Returns as many whole records as fit.
fn of_records(results: &str, threshold_tokens: u64) -> (String, String) {
    let all = raw::elements(results).unwrap_or_default();
    let mut left = threshold_tokens;
    let fits = |record: &&&str| {
        let cost = tokens(record) + 1;
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    };
    let kept: Vec<&str> = all.iter().take_while(fits).copied().collect();
    let left_out = format!("{} of {} records are", all.len() - kept.len(), all.len());
    (format!("[{}]", kept.join(",")), left_out)
}

/// Returns the beginning of a text, cut at a line end if its second half has one.
fn of_text(content: &str, threshold_tokens: u64) -> (String, String) {
    let most = usize::try_from(threshold_tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    let mut end = content.char_indices().nth(most).map_or(content.len(), |(at, _)| at);
    while end > 0 && tokens(&content[..end]) > threshold_tokens {
        end = (0..=end / 2).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
    }
    if let Some(line) = content[..end].rfind('\n').filter(|line| *line > end / 2) {
        end = line + 1;
    }
    let left_out = format!("{} of {} bytes are", content.len() - end, content.len());
    (quote(&content[..end]), left_out)
}
