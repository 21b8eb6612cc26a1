//! The order of an answer's records: by the values of fields, in the order of
//! jq, and in the order of the file where those are equal.

use std::cmp::Ordering;

use super::{
    path::Hits,
    value::Value,
    wanted::{Record, Wanted},
};

/// One field to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SortKey {
    /// By its place in the query's list of paths.
    pub(super) path: usize,
    pub(super) descending: bool,
}

/// A record with what decides its place.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    values: Vec<Value<'a>>,
    pub(super) text: &'a str,
    /// Grows with the records of the file.
    place: usize,
}

impl<'a> Entry<'a> {
    /// Of a record that matches. A missing field counts as null; a path that
    /// leads through an array as the array of what it finds.
    pub(super) fn new(
        keys: &[SortKey],
        wanted: &Wanted,
        record: &Record<'a>,
        hits: &mut Hits<'a>,
        place: usize,
    ) -> Self {
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            wanted.find(key.path, record, hits);
            values.push(match hits.values.as_slice() {
                [] => Value::Null,
                [value] if !hits.many => Value::read(value),
                values => Value::Array(values.iter().map(|value| Value::read(value)).collect()),
            });
        }
        Self { values, text: record.text, place }
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

/// Puts the entries in their order.
pub(super) fn sort(keys: &[SortKey], entries: &mut [Entry<'_>]) {
    entries.sort_unstable_by(|a, b| order(keys, a, b));
}

/// Adds an entry and drops what cannot be among the first `room` any more, once
/// there is twice as much: memory stays bounded, and each entry costs little.
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
