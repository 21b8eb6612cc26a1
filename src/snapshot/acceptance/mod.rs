//! Accepts a model's summary, mends it, or rejects it. Every later turn relies on it, so it
//! is verified against the messages it replaces.
//!
//! Every claim has sources: the sentences of the messages that carry its words. They must name
//! what it names and hold its values together with its other words, and who speaks in them
//! decides what it may claim. All that speaks against a claim is weighed, and the worst claim of a
//! summary speaks against each of its others. Only a name that nobody said and an order
//! of a tool are proofs.
//! In place of a claim that does not hold stands its best source, word for word, or nothing. The
//! whole is rejected if it is malformed, far too large, in a foreign language, or if none of it
//! holds.

mod binding;
mod claim;
mod doubts;
mod evidence;
mod judge;
mod link;
mod lists;
mod names;
mod orders;
mod polarity;
mod quote;
pub(crate) mod rejection;
pub(crate) mod reply;
mod reports;
mod source;
mod token;
mod values;
mod wording;

use crate::snapshot::acceptance::claim::{Fallen, claims, without};
use crate::snapshot::acceptance::evidence::Evidence;
use crate::snapshot::acceptance::judge::{Judge, Judged};
use crate::snapshot::acceptance::names::missing_names;
use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::acceptance::reply::parse;
pub(crate) use crate::snapshot::acceptance::source::SourceText;
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::mending::Lost;
use crate::snapshot::text::content_words::without_quotes;
use crate::snapshot::text::language::language_of;

/// The limits of a summary.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The most tokens that the snapshot may have.
    pub max_tokens: u64,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// A summary that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The summary, without what did not hold.
    pub summary: Summary,
    /// The sentences taken out, and the reasons.
    pub dropped: Vec<Rejection>,
    /// The tokens of what fell and has no quotation in its place.
    pub lost: Lost,
}

/// Parses a reply and returns its summary without the claims that do not hold, or the reasons
/// to reject it. A reply that cannot be parsed is not examined further.
pub(crate) fn accept(
    reply: &str,
    source: &SourceText<'_>,
    limits: &Limits<'_>,
) -> Result<Accepted, Vec<Rejection>> {
    let summary = parse(reply).map_err(|why| vec![why])?;
    let (found, limit) = ((limits.count)(&rendered(&summary)), limits.max_tokens);
    if found > EXCESS.saturating_mul(limit) {
        return Err(vec![Rejection::TooLarge { found, limit }]);
    }
    let texts = Section::ALL.into_iter().map(|section| summary.get(section));
    let own: String = texts.map(|text| without_quotes(text) + "\n").collect();
    let (found, expected) = (language_of(&own), source.languages().main);
    if !source.languages().include(found) {
        return Err(vec![Rejection::WrongLanguage { found, expected }]);
    }
    mended(&summary, source, limits)
}

/// How many times as large as it may be a summary is at most, to be shortened.
const EXCESS: u64 = 2;

fn mended(
    summary: &Summary,
    source: &SourceText<'_>,
    limits: &Limits<'_>,
) -> Result<Accepted, Vec<Rejection>> {
    let claims = claims(summary);
    let texts: Vec<&str> = claims.iter().map(|claim| claim.text).collect();
    let evidence = Evidence::new(source, texts.iter().copied());
    let judge = Judge::new(&evidence);
    let missing = missing_names(&texts, &evidence);
    let judged: Vec<Judged> =
        claims.iter().zip(missing).map(|(claim, missing)| judge.judge(claim, missing)).collect();
    let most_doubted = judged.iter().map(|judged| judged.doubt).fold(0.0, f32::max);
    let mut falls: Vec<Fallen<'_, '_>> = Vec::new();
    let mut dropped = Vec::new();
    for (claim, judged) in claims.iter().zip(judged) {
        let Some(why) = judged.falls(claim, most_doubted) else { continue };
        let quote = judge
            .quote(claim, &why)
            .filter(|quote| falls.iter().all(|fallen| fallen.quote.as_ref() != Some(quote)));
        falls.push(Fallen { claim, quote });
        dropped.push(why);
    }
    let mut left = without(summary, &falls);
    if (limits.count)(&rendered(&left)) > limits.max_tokens {
        falls.iter_mut().for_each(|fallen| fallen.quote = None);
        left = without(summary, &falls);
    }
    if !dropped.is_empty() && dropped.len() == claims.len() {
        return Err(dropped);
    }
    let mut lost = Lost::default();
    for Fallen { claim, quote } in &falls {
        let quoted = quote.as_deref().map_or(0, limits.count);
        let gone = (limits.count)(claim.text).saturating_sub(quoted);
        lost.0[claim.section as usize] += gone;
    }
    Ok(Accepted { summary: left, dropped, lost })
}

/// The summary as it is counted: its sections within their tags.
fn rendered(summary: &Summary) -> String {
    let section = |section: Section| {
        let (tag, text) = (section.tag(), summary.get(section));
        format!("<{tag}>\n{text}\n</{tag}>\n")
    };
    let sections: String = Section::ALL.into_iter().map(section).collect();
    format!("<state_snapshot>\n{sections}</state_snapshot>\n")
}

#[cfg(test)]
mod tests;
