//! How often each value of a field occurs.

use std::collections::BTreeMap;

use super::{path::Hits, scan, value::Value};

/// A value and the number of records that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The raw JSON of the value as its first record spells it; `null` also
    /// where the field is missing.
    pub value: String,
    /// Records.
    pub count: u64,
}

/// The counts so far, each with the first spelling.
#[derive(Debug, Default)]
pub(super) struct Groups<'a>(BTreeMap<Value<'a>, (&'a str, u64)>);

impl<'a> Groups<'a> {
    /// Counts one record. The elements of an array count each for itself, equal
    /// ones once; an empty array counts as `[]`.
    pub(super) fn add(&mut self, hits: &Hits<'a>) {
        let mut found: Vec<(Value<'a>, &'a str)> = Vec::new();
        for value in &hits.values {
            let before = found.len();
            scan::elements(value, |element| {
                found.push((Value::read(element), element));
                true
            });
            if found.len() == before {
                found.push((Value::read(value), value));
            }
        }
        if found.is_empty() {
            found.push((Value::Null, "null"));
        }
        if found.len() > 1 {
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            found.dedup_by(|(a, _), (b, _)| a == b);
        }
        for (value, text) in found {
            self.0.entry(value).or_insert((text, 0)).1 += 1;
        }
    }

    /// Adds the counts of later records.
    pub(super) fn merge(&mut self, later: Self) {
        for (value, (text, count)) in later.0 {
            self.0.entry(value).or_insert((text, 0)).1 += count;
        }
    }

    /// The most frequent first, then in the order of the values.
    pub(super) fn ranked(self) -> Vec<Group> {
        let mut groups: Vec<Group> = self
            .0
            .into_values()
            .map(|(text, count)| Group { value: text.to_owned(), count })
            .collect();
        // Stable, and the map gives the values in their order.
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }
}
