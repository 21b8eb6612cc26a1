//! The order of the records of an answer: by the values of fields, in the order of jq, with
//! numbers, versions and dates in strings in their own order; equal records stay in the order of
//! the file.

use std::cmp::Ordering;

use super::json::path::Hits;
use super::json::path_set::Record;
use super::json::value::Value;
use super::plan::Plan;
use super::request::SortKey;

/// A record with its sort values.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    values: Vec<Value<'a>>,
    pub(super) text: &'a str,
    /// The position in the file.
    place: usize,
}

impl<'a> Entry<'a> {
    /// Reads the sort values of a record. A missing field is null; a path through an array is
    /// the array of its values. Strings are read as the type of their field.
    pub(super) fn new(
        plan: &Plan<'_>,
        record: &Record<'a>,
        hits: &mut Hits<'a>,
        place: usize,
    ) -> Self {
        let mut values = Vec::with_capacity(plan.sorted.len());
        for (key, strings) in plan.query.sort_by.iter().zip(&plan.sorted) {
            plan.query.paths.find(key.path, record, hits);
            values.push(match hits.values.as_slice() {
                [] => Value::Null,
                [value] if !hits.many => strings.read_sorted(value),
                values => {
                    Value::Array(values.iter().map(|value| strings.read_sorted(value)).collect())
                }
            });
        }
        Self { values, text: record.text, place }
    }

    /// Returns true if a sort value is a list.
    pub(super) fn is_list(&self, key: usize) -> bool {
        matches!(self.values[key], Value::Array(_))
    }

    /// Returns true if a sort value is null, missing, or blank among typed ones.
    pub(super) fn lacks(&self, key: usize) -> bool {
        self.values[key] == Value::Null
    }
}

fn order(keys: &[SortKey], a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
    for (key, (a, b)) in keys.iter().zip(a.values.iter().zip(&b.values)) {
        let order = if key.descending { b.cmp(a) } else { a.cmp(b) };
        if order.is_ne() {
            return order;
        }
    }
    a.place.cmp(&b.place)
}

/// Sorts the entries.
pub(super) fn sort(keys: &[SortKey], entries: &mut [Entry<'_>]) {
    entries.sort_unstable_by(|a, b| order(keys, a, b));
}

/// Adds an entry. When there are more than twice `room` entries, drops all but the first `room`, to
/// bound memory.
pub(super) fn keep<'a>(
    keys: &[SortKey],
    entries: &mut Vec<Entry<'a>>,
    entry: Entry<'a>,
    room: usize,
) {
    if keys.is_empty() && entries.len() >= room {
        return;
    }
    entries.push(entry);
    if entries.len() / 2 > room {
        entries.select_nth_unstable_by(room, |a, b| order(keys, a, b));
        entries.truncate(room);
    }
}
