//! Finds the records in a text: JSON, JSON in a string of JSON, lines of JSON, or JSON
//! among words.
//!
//! ```
//! use record_files::find::{Accept, find_records};
//!
//! let text = "Found:\n[{\"id\": 1}, {\"id\": 2}, {\"id\": 3}, {\"id\": 4}]\n";
//! let found = find_records(text, Accept::Objects).ok_or("no records")?;
//! assert_eq!(found.body(), "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n{\"id\":4}\n");
//! assert!(found.exact());
//! # Ok::<(), &str>(())
//! ```

mod beside;
mod candidates;
mod criteria;
mod embedded_json;
mod found;
mod table;

use raw_json::{self as raw, is_space};

use crate::layout::{EscapeStyle, Region, Shape};
use beside::words_beside;
use candidates::{Candidate, Candidates, Content, candidates};
use criteria::{MIN_SHARE, share};
use embedded_json::EmbeddedJson;

pub use criteria::Accept;
pub use found::Found;

/// Maximum nesting of string literals that are searched.
const MAX_LITERALS: usize = 3;

/// Finds the records of a text. Returns `None` if there are none, if they are less than 60 % of its
/// bytes ([`Accept::OnlyArray`] aside), or if its JSON is invalid. Reads the text a bounded number
/// of times.
pub fn find_records(text: &str, accept: Accept) -> Option<Found> {
    let search = |accept, exact_literals| {
        search(text, accept, &Search { exact_literals, literals: MAX_LITERALS, share: 1.0 })
    };
    let found = match accept {
        Accept::Objects => search(Accept::Objects, true),
        Accept::Anything => search(Accept::Objects, true)
            .or_else(|| search(Accept::Objects, false))
            .or_else(|| search(Accept::Anything, false)),
        Accept::OnlyArray => search(Accept::OnlyArray, false),
    };
    found?.measured(text)
}

/// Returns the elements of a JSON array as records, whatever their type and number. Returns `None`
/// if the text is not a JSON array.
pub fn records_of_array(raw_array: &str) -> Option<Found> {
    let text = trim(raw_array);
    let records = raw::elements(text).ok()?;
    let region = Region { shape: Shape::Array, text, records, columns: Vec::new() };
    Found::of_region(raw_array, &region).measured(raw_array)
}

/// The state of a search.
struct Search {
    /// Skip literals whose escapes cannot be restored.
    exact_literals: bool,
    /// The number of nested string literals that may still be searched.
    literals: usize,
    /// The share of the whole text that this text has.
    share: f64,
}

fn search(text: &str, accept: Accept, state: &Search) -> Option<Found> {
    let (Candidates { candidates, around, .. }, value) = candidates_in(text, accept)?;
    // From the innermost to the outermost.
    for Candidate { region, content, around: outside, place } in candidates.into_iter().rev() {
        let share = state.share * share(region, text);
        if share < MIN_SHARE && accept != Accept::OnlyArray {
            continue;
        }
        let found = match content {
            Content::Records(records) => Some(Found::of_region(text, &records)),
            Content::Literal => search_literal(text, region, accept, &Search { share, ..*state }),
        };
        if let Some(found) = found {
            let words = words_beside(text, value);
            let found = found.with_members_around(&around[..outside]).with_words(words);
            return Some(found.in_place(&place));
        }
    }
    None
}

/// Returns the candidates of a text, and the part of it that is JSON.
fn candidates_in(text: &str, accept: Accept) -> Option<(Candidates<'_>, &str)> {
    let trimmed = trim(text);
    if trimmed.starts_with(['[', '{', '"'])
        && let Some(found) = candidates(trimmed, accept)
    {
        return Some((found, trimmed));
    }
    if accept == Accept::OnlyArray {
        return None;
    }
    match embedded_json::find(text)? {
        EmbeddedJson::Value(value) => Some((candidates(value, accept)?, value)),
        EmbeddedJson::Lines(region, values) => {
            let (shape, columns) = (Shape::Lines, Vec::new());
            let content =
                Content::Records(Region { shape, text: region, records: values, columns });
            let lines = Candidate { region, content, around: 0, place: String::new() };
            Some((Candidates { candidates: vec![lines], ..Candidates::default() }, region))
        }
    }
}

/// Searches the text of a string literal.
fn search_literal(text: &str, literal: &str, accept: Accept, state: &Search) -> Option<Found> {
    let literals = state.literals.checked_sub(1)?;
    let (style, inner, exact) = EscapeStyle::of(literal)?;
    if state.exact_literals && !exact {
        return None;
    }
    let found = search(&inner, accept, &Search { literals, ..*state })?;
    Some(found.in_literal(text, literal, style, exact))
}

/// Removes the white space of JSON, but no other, from both ends.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8))
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;
