//! Records in a text: where they are, and what the text is without them. The text
//! may be JSON, JSON in a string of JSON, lines of JSON or JSON among words; the
//! records become lines of one JSON value each, and everything else is kept so
//! that the text can be rebuilt.

use chat_history::raw;
use chat_history::splice::quote;

use super::descend::{Descent, MOST, Spot, What, descend, part};
use super::escape::Style;
use super::passage::{self, Passage};
use super::shape::{Shape, flatten, unflatten};
use super::sink::Compare;
use super::source::Source;
use super::token::is_space;
use super::wrap::Wrap;

/// What counts as records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// At least three JSON objects.
    Objects,
    /// The elements of any array that is not empty, where no objects are found.
    Anything,
}

/// How many string literals, one inside the other, are looked into.
const LEVELS: usize = 3;

/// The least room for a layout, in bytes, and its share of a large text.
const LAYOUT_BYTES: usize = 4096;
const LAYOUT_SHARE: usize = 8;

/// The most bytes of [`Found::around`], and of one value in it.
const AROUND_BYTES: usize = 300;
const SCALAR_BYTES: usize = 120;

/// Records, and what their text is without them.
#[derive(Debug, Clone)]
pub struct Found {
    source: Source,
    body: String,
    count: usize,
    exact: bool,
    scalars: Vec<(String, String)>,
}

/// Finds the records of a text; None where there are none, where they are less
/// than 60 % of its bytes, and where its JSON is broken. Reads the text a bounded
/// number of times.
pub fn find(text: &str, accept: Accept) -> Option<Found> {
    let search =
        |accept, faithful| search(text, accept, &Search { faithful, levels: LEVELS, share: 1.0 });
    let found = match accept {
        Accept::Objects => search(Accept::Objects, true),
        Accept::Anything => search(Accept::Objects, true)
            .or_else(|| search(Accept::Objects, false))
            .or_else(|| search(Accept::Anything, false)),
    };
    found?.measured(text)
}

/// The elements of a JSON array, whatever they are and however many; None where
/// the text is no JSON array.
pub fn of_array(raw_array: &str) -> Option<Found> {
    let region = raw_array.trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
    let pieces = raw::elements(region).ok()?;
    let spot = Spot { region, what: What::Records(Shape::Array, Vec::new()), scalars: 0 };
    Found::build(raw_array, spot.region, Shape::Array, &pieces)?.measured(raw_array)
}

/// The lines of a text that holds no records, each as a JSON string; a line feed
/// at the end opens no further one.
pub fn of_lines(text: &str) -> Found {
    let (lines, end) = match text.strip_suffix('\n') {
        Some(lines) => (lines, "\n"),
        None => (text, ""),
    };
    let (mut body, mut count) = (String::with_capacity(text.len() + text.len() / 8), 0);
    for line in lines.split('\n') {
        body.push_str(&quote(line));
        body.push('\n');
        count += 1;
    }
    let wrap = Wrap { before: String::new(), after: end.to_owned(), literal: None };
    let wraps = if wrap.is_empty() { Vec::new() } else { vec![wrap] };
    let source = Source { shape: Shape::Text, bytes: text.len() as u64, wraps, layout: None };
    Found { source, body, count, exact: true, scalars: Vec::new() }
}

impl Found {
    /// How many records there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The records, one JSON value each, without white space between tokens and
    /// otherwise as spelled.
    pub fn records(&self) -> impl Iterator<Item = &str> {
        self.body.split_terminator('\n')
    }

    /// The records as lines, each with its line feed.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// What the text is without its records.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// True where the records are only the lines of a text.
    pub fn is_text(&self) -> bool {
        self.source.shape == Shape::Text
    }

    /// True where the rebuilt text equals the original byte for byte. Where not,
    /// only white space between JSON tokens and escapes in strings differ.
    pub fn exact(&self) -> bool {
        self.exact
    }

    /// The scalars that stood around the records, as one short JSON object; None
    /// where there were none.
    pub fn around(&self) -> Option<String> {
        let mut members: Vec<(&str, String)> = Vec::new();
        let mut length = 1;
        for (key, value) in &self.scalars {
            let member = format!("{key}:{value}");
            let fits = member.len() <= SCALAR_BYTES && length + member.len() < AROUND_BYTES;
            if fits && !members.iter().any(|(known, _)| known == key) {
                length += member.len() + 1;
                members.push((key, member));
            }
        }
        let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    /// The records of `region`, a part of `text`.
    fn build(text: &str, region: &str, shape: Shape, pieces: &[&str]) -> Option<Found> {
        let flat = flatten(shape, region, pieces, LAYOUT_BYTES.max(text.len() / LAYOUT_SHARE));
        let mut sink = Compare::with(region);
        unflatten(shape, flat.body.split_terminator('\n'), flat.layout.as_ref(), &mut sink).ok()?;
        let exact = sink.same();
        // A layout that does not fit is worth nothing.
        let layout = flat.layout.filter(|_| exact);
        let wrap = wrap(text, region, None);
        let wraps = if wrap.is_empty() { Vec::new() } else { vec![wrap] };
        let source = Source { shape, bytes: 0, wraps, layout };
        Some(Found { source, body: flat.body, count: flat.count, exact, scalars: Vec::new() })
    }

    /// States the length of the rebuilt text.
    fn measured(mut self, text: &str) -> Option<Found> {
        let bytes = match self.exact {
            true => text.len(),
            false => self.source.text(self.records(), u64::MAX).ok()?.len(),
        };
        self.source.bytes = bytes as u64;
        Some(self)
    }
}

fn wrap(text: &str, region: &str, literal: Option<Style>) -> Wrap {
    let start = raw::offset_in(text, region);
    let (before, after) = (&text[..start], &text[start + region.len()..]);
    Wrap { before: before.to_owned(), after: after.to_owned(), literal }
}

/// What is left to search with.
struct Search {
    /// True where only a literal counts that can be spelled again.
    faithful: bool,
    /// String literals that may still be entered.
    levels: usize,
    /// The share of the whole text that this text has.
    share: f64,
}

fn search(text: &str, accept: Accept, search: &Search) -> Option<Found> {
    let Descent { spots, scalars } = spots(text, accept)?;
    for spot in spots.into_iter().rev() {
        let share = search.share * part(spot.region, text);
        if share < MOST {
            continue;
        }
        let found = match spot.what {
            What::Records(shape, pieces) => Found::build(text, spot.region, shape, &pieces),
            What::Literal => literal(text, spot.region, accept, &Search { share, ..*search }),
        };
        if let Some(mut found) = found {
            let around = scalars[..spot.scalars].iter();
            let mut around: Vec<_> = around.map(|(k, v)| (k.clone(), (*v).to_owned())).collect();
            around.append(&mut found.scalars);
            found.scalars = around;
            return Some(found);
        }
    }
    None
}

/// Every place of a text that could be its records.
fn spots(text: &str, accept: Accept) -> Option<Descent<'_>> {
    let trimmed = text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8));
    if trimmed.starts_with(['[', '{', '"'])
        && let Some(descent) = descend(trimmed, accept)
    {
        return Some(descent);
    }
    match passage::find(text)? {
        Passage::Value(value) => descend(value, accept),
        Passage::Lines(region, pieces) => {
            let what = What::Records(Shape::Lines, pieces);
            Some(Descent { spots: vec![Spot { region, what, scalars: 0 }], scalars: Vec::new() })
        }
    }
}

/// The records in the text of a string literal.
fn literal(text: &str, region: &str, accept: Accept, outer: &Search) -> Option<Found> {
    let levels = outer.levels.checked_sub(1)?;
    let (style, inner, exact) = Style::of(region)?;
    if outer.faithful && !exact {
        return None;
    }
    let mut found = search(&inner, accept, &Search { levels, ..*outer })?;
    found.exact &= exact;
    found.source.wraps.insert(0, wrap(text, region, Some(style)));
    Some(found)
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
