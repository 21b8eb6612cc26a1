//! Converts between a text and lines of one record each.

use raw_json::{self as raw, Fields, is_minified, minify};

use super::bounded_text::BoundedText;
use super::shape::Shape;
use super::spacing::Spacing;

const KEY: &str = "{\"key\":";
const VALUE: &str = ",\"value\":";

/// Records in their text.
#[derive(Debug)]
pub(crate) struct Region<'a> {
    pub(crate) shape: Shape,
    /// The whole text of the records, brackets included.
    pub(crate) text: &'a str,
    /// The parts of `text` that are records: elements of an array, values of lines, members of
    /// an object, or rows.
    pub(crate) records: Vec<&'a str>,
    /// The keys of rows, as literals; empty for any other shape.
    pub(crate) columns: Vec<String>,
}

/// Writes the records of a region as lines. Also returns its spacing, unless it is compact JSON.
pub(crate) fn flatten(region: &Region<'_>) -> (String, Option<Spacing>) {
    let Region { shape, text, records, columns } = region;
    let shape = *shape;
    let mut body = String::with_capacity(text.len() + 1);
    let mut member = String::new();
    for record in records {
        match shape {
            Shape::Entries => {
                member.clear();
                minify(record, &mut member);
                let (key, value) = split_string(&member).unwrap_or_default();
                body.extend([KEY, key, VALUE, value.strip_prefix(':').unwrap_or(value), "}"]);
            }
            Shape::Rows => {
                for (at, (column, value)) in
                    columns.iter().zip(raw::each_element(record)).enumerate()
                {
                    body.extend([if at == 0 { "{" } else { "," }, column, ":"]);
                    minify(value, &mut body);
                }
                body.push('}');
            }
            _ if is_minified(record) => body.push_str(record),
            _ => minify(record, &mut body),
        }
        body.push('\n');
    }
    let bracket = shape.brackets().0.len();
    let spacing = Spacing::detect(shape, &text[bracket..text.len() - bracket], records);
    (body, Some(spacing).filter(|spacing| *spacing != Spacing::compact(shape)))
}

/// Returns the members of an object as text, each from its key to the end of its value.
pub(crate) fn members<'a>(object: &'a str, fields: &Fields<'a>) -> Vec<&'a str> {
    let mut at = 1;
    let member = |(_, value): &(_, &str)| {
        let end = raw::offset_in(object, value) + value.len();
        let key = at + object[at..].find('"').unwrap_or(0);
        at = end;
        &object[key..end]
    };
    fields.iter().map(member).collect()
}

/// The reason why a text cannot be rebuilt from its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RebuildError {
    /// The record with this number, from 1, does not fit the shape.
    Record(usize),
    /// The text is longer than its limit.
    Length,
}

/// Rebuilds the text of records, up to `limit` bytes.
pub(crate) fn unflatten<'a>(
    shape: Shape,
    spacing: Option<&Spacing>,
    records: impl Iterator<Item = &'a str>,
    limit: u64,
) -> Result<String, RebuildError> {
    let compact = Spacing::compact(shape);
    let spacing = spacing.unwrap_or(&compact);
    let (open, close) = shape.brackets();
    let mut text = BoundedText::new(limit);
    text.push(open);
    text.push(&spacing.open);
    for (index, record) in records.enumerate() {
        if index > 0 {
            text.push(&spacing.between);
        }
        match shape {
            Shape::Array | Shape::Lines => spacing.record.write(record, &mut text),
            Shape::Entries => {
                let (key, value) = entry(record).ok_or(RebuildError::Record(index + 1))?;
                spacing.record.write(&[key, ":", value].concat(), &mut text);
            }
            Shape::Rows => spacing.record.write(&row(record), &mut text),
            Shape::Text if !raw::is_string(record) => {
                return Err(RebuildError::Record(index + 1));
            }
            Shape::Text => text.push(&raw::unescape(record).text),
        }
    }
    text.push(&spacing.close);
    text.push(close);
    text.finish().ok_or(RebuildError::Length)
}

/// Returns the string literal at the start of `text`, and the rest.
fn split_string(text: &str) -> Option<(&str, &str)> {
    let end = text.starts_with('"').then(|| raw::string_end(text.as_bytes()))??;
    Some(text.split_at(end))
}

/// Returns the values of a record as an array.
fn row(record: &str) -> String {
    let mut row = String::with_capacity(record.len());
    for (_, value) in raw::each_member(record) {
        row.push(if row.is_empty() { '[' } else { ',' });
        row.push_str(value);
    }
    if row.is_empty() {
        row.push('[');
    }
    row.push(']');
    row
}

fn entry(record: &str) -> Option<(&str, &str)> {
    let (key, rest) = split_string(record.strip_prefix(KEY)?)?;
    Some((key, rest.strip_prefix(VALUE)?.strip_suffix('}')?))
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
