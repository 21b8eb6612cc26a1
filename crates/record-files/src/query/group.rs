//! Groups: the number of records for each value of a field.

use std::collections::BTreeMap;

use raw_json::each_element;

use super::json::{path::Hits, value::Value};

/// A value and the number of records that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The value as the first record spells it; also `null` for a missing field.
    pub value: String,
    /// The number of records.
    pub count: u64,
}

/// The counts of values, each with its first spelling.
#[derive(Debug, Default)]
pub(super) struct Groups<'a> {
    counts: BTreeMap<Value<'a>, (&'a str, u64)>,
    /// True if a record has several values, or an empty array.
    pub(super) has_lists: bool,
}

impl<'a> Groups<'a> {
    /// Counts one record. Each distinct element of an array counts; an empty array counts as
    /// `[]`.
    pub(super) fn add(&mut self, hits: &Hits<'a>) {
        let mut found: Vec<(Value<'a>, &'a str)> = Vec::new();
        for value in &hits.values {
            let before = found.len();
            found.extend(each_element(value).map(|element| (Value::read(element), element)));
            if found.len() == before {
                found.push((Value::read(value), value));
            }
        }
        if found.is_empty() {
            found.push((Value::Null, "null"));
        }
        let is_list = hits.many || hits.values.iter().any(|value| value.starts_with('['));
        self.has_lists |= is_list && (found.len() > 1 || found[0].1.starts_with('['));
        if found.len() > 1 {
            found.sort_by(|(a, _), (b, _)| a.cmp(b));
            found.dedup_by(|(a, _), (b, _)| a == b);
        }
        for (value, text) in found {
            self.counts.entry(value).or_insert((text, 0)).1 += 1;
        }
    }

    /// Returns true if a record has an empty array.
    pub(super) fn has_empty(&self) -> bool {
        self.counts.values().any(|(text, _)| *text == "[]")
    }

    /// Adds the counts of later records.
    pub(super) fn merge(&mut self, later: Self) {
        self.has_lists |= later.has_lists;
        for (value, (text, count)) in later.counts {
            self.counts.entry(value).or_insert((text, 0)).1 += count;
        }
    }

    /// Returns the groups, the most frequent first; groups of equal counts in the order of their
    /// values.
    pub(super) fn ranked(self) -> Vec<Group> {
        let mut groups: Vec<Group> = self
            .counts
            .into_values()
            .map(|(text, count)| Group { value: text.to_owned(), count })
            .collect();
        // The sort is stable, and the map is ordered by value.
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }
}
