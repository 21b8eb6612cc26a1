//! The kind of a sentence by its words: a question, a plan, a permission, or a report of somebody's
//! statement.

use std::ops::Range;

use raw_json::offset_in;

use super::evidence::BREAKS;
use super::lists::{LISTS, words};
use super::polarity::Polarity;
use crate::snapshot::text::identifiers::{Identifier, IdentifierKind, identifiers};

/// The properties of a sentence of a source.
pub(super) struct Reading {
    pub(super) polarity: Polarity,
    /// True for a question or a condition.
    pub(super) asks: bool,
    /// True for a plan or a request.
    pub(super) intends: bool,
    /// True for a report of somebody's statement.
    pub(super) attributes: bool,
}

/// Maximum bytes of a text to read.
const READ: usize = 2_000;

impl Reading {
    /// Reads the properties of a sentence.
    pub(super) fn of(text: &str) -> Reading {
        let text = &text[..text.floor_char_boundary(READ)];
        Reading {
            polarity: Polarity::of(text),
            asks: asks(text),
            intends: LISTS.intending.are_in(text),
            attributes: LISTS.attributing.are_in(text),
        }
    }
}

/// Returns true for a question or a condition.
fn asks(text: &str) -> bool {
    LISTS.asking.are_in(text) || text.trim_end().ends_with(['?', '？'])
}

/// Returns true if the first word is a verb of forgetting: `don't forget` is not a negation.
pub(super) fn forgets(text: &str) -> bool {
    words(text).next().is_some_and(|word| LISTS.forgetting.has(&word))
}

/// Returns the text with names blanked: a word in a path has no meaning of its own.
pub(super) fn without_names(text: &str) -> String {
    let mut plain = text.to_owned();
    let quoted = |found: &Identifier<'_>| found.kind == IdentifierKind::Quoted;
    for name in identifiers(text).into_iter().filter(|found| !quoted(found)) {
        let start = offset_in(text, name.text);
        plain.replace_range(start..start + name.text.len(), &" ".repeat(name.text.len()));
    }
    plain
}

/// Returns true for a text that permits something or reports a permission.
pub(super) fn permits(text: &str) -> bool {
    // `May 27` is not a permission.
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| *word != "May");
    words.any(|word| LISTS.permitting.has(&word.to_lowercase()))
        || LISTS.permitting.are_in_unspaced(text)
}

/// Returns the clauses of a sentence, split at commas and at words such as `and`.
pub(super) fn clauses(text: &str) -> impl Iterator<Item = Range<usize>> {
    const LINKS: [&str; 8] =
        [" and ", " then ", " und ", " dann ", " sowie ", " et ", " y ", " e "];
    let mut ends: Vec<usize> = text.match_indices(BREAKS).map(|(at, _)| at).collect();
    ends.extend(LINKS.iter().flat_map(|link| text.match_indices(link)).map(|(at, _)| at));
    ends.push(text.len());
    ends.sort_unstable();
    let mut start = 0;
    ends.into_iter().map(move |end| std::mem::replace(&mut start, end)..end)
}
