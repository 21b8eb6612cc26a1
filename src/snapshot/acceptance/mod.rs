//! Verifies a model's summary against the messages that it replaces, and accepts, mends or rejects
//! it. Every later turn relies on it.
//!
//! A claim is a sentence of the summary. A unit is a piece of the messages, such as a sentence or a
//! line of output. A unit covers a share of a claim, from 0 to 1: the weight of the claim's words
//! in or near the unit, divided by the weight of all its words. The units that cover most of a
//! claim are its sources. The messages must contain the claim's names, and its sources must have
//! its values together with its other words. The speakers of the sources decide what the claim may
//! say. All signs against a claim are weighed, and their sum is its doubt. The highest doubt in a
//! summary adds to the doubt of the other claims. A goal fails with any fault. Any other claim
//! fails without further doubt for two faults only: a name or value that nobody used, and an order
//! of a tool.
//!
//! A claim that fails verification is replaced by its best source, word for word, or removed. The
//! whole reply is rejected if it is malformed, far too large, or in a foreign language, or if all
//! its claims fail.

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
    /// The maximum tokens of the snapshot.
    pub max_tokens: u64,
    /// Counts the tokens of a text.
    pub count: &'a dyn Fn(&str) -> u64,
}

/// A verified summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The summary without the claims that failed.
    pub summary: Summary,
    /// The reasons for the failed claims.
    pub dropped: Vec<Rejection>,
    /// The tokens of failed claims that no quotation replaces.
    pub lost: Lost,
}

/// Parses a reply and returns its summary without the claims that fail verification, or the reasons
/// to reject it. A reply that cannot be parsed is not verified.
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

/// Maximum size of a reply relative to the limit. A reply between the limit and this size is
/// shortened later.
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
        lost[claim.section] += gone;
    }
    Ok(Accepted { summary: left, dropped, lost })
}

/// Renders the summary for counting: the sections within their tags.
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
