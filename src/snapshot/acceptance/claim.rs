//! The claims of a summary: the sentences of its lines, each with the state from a mark before it.
//! A claim that fails is removed, and the rest of its line stays.

use std::ops::Range;

use raw_json::offset_in;

use super::polarity::Polarity;
use super::reports::{reports_order, user_acts};
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::content_words::without_quotes;
use crate::snapshot::text::sentences::sentences_of_line;

/// The state of a step, from its mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepState {
    /// The step is finished.
    Done,
    /// The step is in progress or open.
    Open,
    /// There is no mark.
    Unsaid,
}

/// The statement that a claim makes about the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reports {
    /// The user wants something.
    Order,
    /// The user did something else.
    Act,
    /// There is no statement about the user.
    Nothing,
}

/// A sentence of a summary.
#[derive(Debug, Clone)]
pub(super) struct Claim<'t> {
    pub(super) section: Section,
    /// The byte range in the section.
    pub(super) range: Range<usize>,
    pub(super) text: &'t str,
    pub(super) state: StepState,
    pub(super) reports: Reports,
}

/// Returns the claims of all sections, in order.
pub(super) fn claims(summary: &Summary) -> Vec<Claim<'_>> {
    let mut claims = Vec::new();
    for section in Section::ALL {
        let text = summary.get(section);
        for line in text.lines() {
            let (mark, content) = parts(line);
            let state = state(mark);
            for sentence in sentences(content) {
                let own_words = without_quotes(sentence);
                let reports = match reports_order(&own_words) {
                    true => Reports::Order,
                    false if user_acts(without_label(&own_words)) => Reports::Act,
                    false => Reports::Nothing,
                };
                let start = offset_in(text, sentence);
                let range = start..start + sentence.len();
                claims.push(Claim { section, range, text: sentence, state, reports });
            }
        }
    }
    claims
}

/// A claim that failed verification.
pub(super) struct Fallen<'c, 't> {
    pub(super) claim: &'c Claim<'t>,
    /// The quotation that replaces the claim.
    pub(super) quote: Option<String>,
}

/// Removes claims from a summary, with lines that have no content without them.
pub(super) fn without(summary: &Summary, fallen: &[Fallen<'_, '_>]) -> Summary {
    let mut mended = summary.clone();
    for section in Section::ALL {
        let text = summary.get(section);
        let out: Vec<&Fallen<'_, '_>> =
            fallen.iter().filter(|fallen| fallen.claim.section == section).collect();
        if out.is_empty() {
            continue;
        }
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines() {
            let start = offset_in(text, line);
            let end = start + line.len();
            let mut at = start;
            let mut kept = String::new();
            let inside = |fallen: &&&Fallen<'_, '_>| {
                fallen.claim.range.start >= start && fallen.claim.range.end <= end
            };
            for Fallen { claim, quote } in out.iter().filter(inside) {
                kept.push_str(behind(&kept, &text[at..claim.range.start]));
                kept.push_str(quote.as_deref().unwrap_or_default());
                at = claim.range.end;
            }
            kept.push_str(behind(&kept, &text[at..end]));
            let (_, content) = parts(&kept);
            if at == start || content.chars().any(char::is_alphanumeric) {
                lines.push(kept.trim_end().to_owned());
            }
        }
        mended.set(section, lines.join("\n").trim().to_owned());
    }
    mended
}

/// Returns a text without its leading space if `kept` ends with a space.
fn behind<'t>(kept: &str, text: &'t str) -> &'t str {
    if kept.ends_with(' ') { text.trim_start() } else { text }
}

/// Splits a line into its mark (`- [done]`, `2. ✓`) and its content.
fn parts(line: &str) -> (&str, &str) {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || "-*•#>–".contains(c));
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let content = match digits.strip_prefix(['.', ')']) {
        Some(rest) if digits.len() < text.len() => rest.trim_start(),
        _ => text,
    };
    let bare = content.trim_start_matches(['*', '`', '~']);
    let end = match bare.strip_prefix(['[', '(', '【', '（']) {
        Some(rest) => rest
            .char_indices()
            .take(24)
            .find(|(_, c)| "])】）".contains(*c))
            .map(|(at, c)| offset_in(line, rest) + at + c.len_utf8()),
        None => {
            let mark = bare.chars().next().filter(|c| "✓✔✅☑☐⏳🔄❌➡".contains(*c));
            mark.map(|c| offset_in(line, bare) + c.len_utf8())
        }
    };
    let behind = |end: usize| line[end..].trim_start_matches(['\u{fe0f}', '*', '`', '~', ':', ' ']);
    let content = end.map_or(content, behind);
    (&line[..offset_in(line, content)], content)
}

/// Returns the state that a mark gives.
fn state(mark: &str) -> StepState {
    let mark =
        mark.trim_start_matches(|c: char| !c.is_alphabetic() && !"[(【（✓✔✅☑☐⏳🔄❌➡".contains(c));
    let is_ticked = mark.contains(['✓', '✔', '✅', '☑']) || mark.to_lowercase().contains("[x]");
    match Polarity::of(mark).finished() {
        _ if is_ticked => StepState::Done,
        _ if mark.trim().is_empty() => StepState::Unsaid,
        Some(true) => StepState::Done,
        _ => StepState::Open,
    }
}

/// Returns the text after a short label: `**Decision:** the user chose`.
fn without_label(content: &str) -> &str {
    match content.split_once([':', '：']) {
        Some((label, rest)) if label.split_whitespace().count() <= 3 && !rest.trim().is_empty() => {
            rest.trim_start_matches(['*', ' '])
        }
        _ => content,
    }
}

/// Returns the sentences of a line, split at semicolons.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let parts = sentences_of_line(line).flat_map(|sentence| sentence.split_inclusive("; "));
    parts.map(str::trim).filter(|part| !part.is_empty())
}
