//! Fits a text to a budget: whole lines from its ends, or a part of one long line. Never splits a
//! character.

use memchr::{memchr, memchr_iter, memrchr};

use super::preview_settings::{PreviewSettings, PreviewSize};

pub(super) fn cost(text: &str, spec: &PreviewSettings) -> u64 {
    match spec.budget {
        PreviewSize::Tokens(_) => spec.tokenizer.count(text),
        PreviewSize::Chars(_) => text.chars().count() as u64,
    }
}

/// Returns the cost of `text`, or `None` if it exceeds `limit`. Stops counting tokens at `limit`.
pub(super) fn cost_up_to(text: &str, spec: &PreviewSettings, limit: u64) -> Option<u64> {
    match spec.budget {
        PreviewSize::Tokens(_) => spec.tokenizer.count_up_to(text, limit),
        PreviewSize::Chars(_) => Some(cost(text, spec)).filter(|price| *price <= limit),
    }
}

/// Returns the length in bytes of the first whole lines that fit, and the unused budget. If more
/// than 4/5 of the budget is unused, adds as much of the next line as fits, as in a text of one
/// long line; the unused budget is then 0.
pub(super) fn head_within(text: &str, spec: &PreviewSettings, budget: u64) -> (usize, u64) {
    let (mut at, mut left) = (0, budget);
    while at < text.len() {
        let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1);
        let room = generous(left);
        if end - at <= room
            && let Some(price) = cost_up_to(&text[at..end], spec, left)
        {
            at = end;
            left -= price;
            continue;
        }
        if left > budget * 4 / 5 {
            at += prefix_within(&text[at..end], spec, left);
            left = 0;
        }
        break;
    }
    (at, left)
}

/// Like [`head_within`], but from the end: returns the offset of the tail and the unused budget.
pub(super) fn tail_within(text: &str, spec: &PreviewSettings, budget: u64) -> (usize, u64) {
    let (mut at, mut left) = (text.len(), budget);
    while at > 0 {
        let start = memrchr(b'\n', &text.as_bytes()[..at - 1]).map_or(0, |n| n + 1);
        let room = generous(left);
        if at - start <= room
            && let Some(price) = cost_up_to(&text[start..at], spec, left)
        {
            at = start;
            left -= price;
            continue;
        }
        if left > budget * 4 / 5 {
            at -= suffix_within(&text[start..at], spec, left);
            left = 0;
        }
        break;
    }
    (at, left)
}

/// Returns the length in bytes above which a text is not counted, because it cannot fit: 16 bytes
/// per token or character.
fn generous(budget: u64) -> usize {
    usize::try_from(budget.saturating_mul(16)).unwrap_or(usize::MAX)
}

pub(super) fn prefix_within(text: &str, spec: &PreviewSettings, budget: u64) -> usize {
    let mut end = floor(text, generous(budget).min(text.len()));
    loop {
        let price = cost(&text[..end], spec);
        if price <= budget || end == 0 {
            return end;
        }
        end = floor(text, shrink(end, budget, price));
    }
}

fn suffix_within(text: &str, spec: &PreviewSettings, budget: u64) -> usize {
    let mut start = ceil(text, text.len() - generous(budget).min(text.len()));
    loop {
        let price = cost(&text[start..], spec);
        if price <= budget || start == text.len() {
            return text.len() - start;
        }
        start = ceil(text, text.len() - shrink(text.len() - start, budget, price));
    }
}

/// Returns a shorter length, estimated to reduce `price` to `budget`.
fn shrink(len: usize, budget: u64, price: u64) -> usize {
    let share = len as u128 * u128::from(budget) / u128::from(price.max(1));
    usize::try_from(share).unwrap_or(len).min(len - 1)
}

pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(super) fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

pub(super) fn count_newlines(text: &str) -> u64 {
    memchr_iter(b'\n', text.as_bytes()).count() as u64
}
