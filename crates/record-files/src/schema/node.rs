//! A node: all values at one place of the records, such as `.flights[].origin`.

use std::collections::HashMap;

use raw_json as raw;

use super::format::Formats;
use super::number::Numbers;
use super::values::{ValueBudget, Values};

/// Maximum number of characters of an example.
const MAX_EXAMPLE_CHARS: usize = 200;

/// The step from the parent to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The record itself.
    Root,
    /// The member with this key, unescaped.
    Key(String),
    /// Every element of an array.
    Items,
}

/// The number of values of each JSON type at a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) string: u64,
    pub(crate) integer: u64,
    pub(crate) number: u64,
    pub(crate) boolean: u64,
    pub(crate) object: u64,
    pub(crate) array: u64,
    pub(crate) null: u64,
}

impl Counts {
    pub(crate) fn all(&self) -> u64 {
        self.scalars() + self.object + self.array + self.null
    }

    /// Returns the number of strings, numbers and booleans.
    pub(crate) fn scalars(&self) -> u64 {
        self.string + self.integer + self.number + self.boolean
    }

    pub(crate) fn numbers(&self) -> u64 {
        self.integer + self.number
    }

    /// Returns the names of the types that occur. Integers are reported as `number` if other
    /// numbers occur.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let whole = if self.number > 0 { "number" } else { "integer" };
        let seen = [
            (self.string, "string"),
            (self.numbers(), whole),
            (self.boolean, "boolean"),
            (self.object, "object"),
            (self.array, "array"),
            (self.null, "null"),
        ];
        seen.into_iter().filter(|(count, _)| *count > 0).map(|(_, name)| name).collect()
    }
}

/// Facts about the strings at a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    pub(crate) formats: Formats,
    /// The length of the longest string, in characters.
    pub(crate) longest: usize,
    /// The total length of all strings as spelled, in bytes.
    pub(crate) bytes: u64,
    /// The first and the last date.
    pub(crate) dates: Option<(String, String)>,
    /// The start of the first string that is not empty.
    pub(crate) example: Option<String>,
}

impl Texts {
    /// Counts a secret without storing it.
    fn hide(&mut self, literal: &str) {
        self.bytes += literal.len() as u64 - 2;
        self.longest = self.longest.max(literal.chars().count() - 2);
        self.formats.narrow("");
        self.dates = None;
    }

    fn add(&mut self, literal: &str) {
        self.bytes += literal.len() as u64 - 2;
        let wanted = self.formats.any()
            || self.example.is_none()
            || literal.len().saturating_sub(2) > self.longest;
        if !wanted {
            return;
        }
        let text = raw::unescape(literal).text;
        if text.len() > self.longest {
            self.longest = self.longest.max(text.chars().count());
        }
        if self.example.is_none() && !text.trim().is_empty() {
            self.example = Some(text.chars().take(MAX_EXAMPLE_CHARS).collect());
        }
        if self.formats.any() {
            self.formats.narrow(&text);
            if self.formats.date_like() {
                self.widen(&text);
            } else {
                self.dates = None;
            }
        }
    }

    fn widen(&mut self, date: &str) {
        match &mut self.dates {
            None => self.dates = Some((date.to_owned(), date.to_owned())),
            Some((first, _)) if date < first.as_str() => date.clone_into(first),
            Some((_, last)) if date > last.as_str() => date.clone_into(last),
            Some(_) => {}
        }
    }
}

/// All values at one place of the records.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) step: Step,
    pub(crate) parent: usize,
    /// The nodes of members and elements, in order of first appearance.
    pub(crate) children: Vec<usize>,
    pub(crate) by_key: HashMap<Box<str>, usize>,
    pub(crate) counts: Counts,
    /// The number of parents that have the node; a duplicate key counts once.
    pub(crate) holders: u64,
    /// The number of records that have the node.
    pub(crate) records: u64,
    pub(crate) last_holder: u64,
    pub(crate) last_record: u64,
    pub(crate) values: Values,
    pub(crate) numbers: Numbers,
    pub(crate) texts: Texts,
    /// The number of elements of the longest array.
    pub(crate) longest_array: u64,
}

impl Node {
    pub(crate) fn new(step: Step, parent: usize) -> Self {
        Self {
            step,
            parent,
            children: Vec::new(),
            by_key: HashMap::new(),
            counts: Counts::default(),
            holders: 0,
            records: 0,
            last_holder: 0,
            last_record: 0,
            values: Values::default(),
            numbers: Numbers::default(),
            texts: Texts::default(),
            longest_array: 0,
        }
    }

    /// Counts a string literal, and its value unless it is secret.
    pub(crate) fn string(&mut self, literal: &str, secret: bool, budget: &mut ValueBudget) {
        self.counts.string += 1;
        if secret {
            self.values.hide(literal, budget);
            self.texts.hide(literal);
            return;
        }
        self.values.add(literal, budget);
        self.texts.add(literal);
    }

    /// Counts a number, and its value unless it is secret.
    pub(crate) fn number(&mut self, spelled: &str, secret: bool, budget: &mut ValueBudget) {
        if spelled.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            self.counts.number += 1;
        } else {
            self.counts.integer += 1;
        }
        if secret {
            self.values.hide(spelled, budget);
            return;
        }
        self.values.add(spelled, budget);
        self.numbers.add(spelled);
    }

    /// Returns the values as JSON literals, in order of first appearance, if they are few short
    /// strings that repeat, or null.
    pub(crate) fn choices(&self) -> Option<Vec<&str>> {
        let only_strings = self.counts.string + self.counts.null == self.counts.all();
        let few = (1..=12).contains(&self.values.distinct())
            && self.counts.string >= 2 * self.values.distinct();
        let exact = || self.values.shown().all(|literal| raw::unescape(literal).exact);
        (only_strings && few && self.values.complete() && self.texts.longest <= 64 && exact())
            .then(|| self.values.shown().collect())
    }
}
