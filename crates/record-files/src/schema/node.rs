//! A node: everything known of the values at one place of the records, such as
//! `.flights[].origin`.

use std::collections::HashMap;

use chat_history::raw;

use super::format::Formats;
use super::number::Numbers;
use super::values::{Room, Values};

/// Characters of a long text that are kept as an example of it.
const EXAMPLE_CHARS: usize = 200;

/// How a node hangs on its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// The record itself.
    Root,
    /// The member of that name, unescaped.
    Key(String),
    /// Every element of an array.
    Items,
}

/// How many values of each JSON type stand at a node.
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

    /// Strings, numbers and booleans.
    pub(crate) fn scalars(&self) -> u64 {
        self.string + self.integer + self.number + self.boolean
    }

    pub(crate) fn numbers(&self) -> u64 {
        self.integer + self.number
    }

    /// The names of the types that occur; an integer is a number where numbers
    /// that are none occur too.
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

/// What is known of the strings at a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    pub(crate) formats: Formats,
    /// The length of the longest, in characters.
    pub(crate) longest: usize,
    /// Bytes of all, as spelled.
    pub(crate) bytes: u64,
    /// The first and the last in the order of dates.
    pub(crate) dates: Option<(String, String)>,
    /// The beginning of the first that is not empty.
    pub(crate) example: Option<String>,
}

impl Texts {
    /// Takes in a text of which nothing may be shown.
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
            self.example = Some(text.chars().take(EXAMPLE_CHARS).collect());
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
    /// Members and elements that are looked into, in order of first appearance.
    pub(crate) children: Vec<usize>,
    pub(crate) by_key: HashMap<Box<str>, usize>,
    pub(crate) counts: Counts,
    /// Parents that have it; a key given twice counts once.
    pub(crate) holders: u64,
    /// Records that have it.
    pub(crate) records: u64,
    pub(crate) last_holder: u64,
    pub(crate) last_record: u64,
    pub(crate) values: Values,
    pub(crate) numbers: Numbers,
    pub(crate) texts: Texts,
    /// Elements of the longest array.
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

    /// Takes in a string literal; of a secret one, only that it is there.
    pub(crate) fn string(&mut self, literal: &str, secret: bool, room: &mut Room) {
        self.counts.string += 1;
        if secret {
            self.values.hide(literal, room);
            self.texts.hide(literal);
            return;
        }
        self.values.add(literal, room);
        self.texts.add(literal);
    }

    /// Takes in a number as it is spelled; of a secret one, only that it is there.
    pub(crate) fn number(&mut self, spelled: &str, secret: bool, room: &mut Room) {
        if spelled.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
            self.counts.number += 1;
        } else {
            self.counts.integer += 1;
        }
        if secret {
            self.values.hide(spelled, room);
            return;
        }
        self.values.add(spelled, room);
        self.numbers.add(spelled);
    }

    /// The values to choose from where they are few short strings that repeat
    /// (and perhaps null), as JSON literals in order of first appearance.
    pub(crate) fn choices(&self) -> Option<Vec<&str>> {
        let only_strings = self.counts.string + self.counts.null == self.counts.all();
        let few = (1..=12).contains(&self.values.distinct())
            && self.counts.string >= 2 * self.values.distinct();
        let exact = || self.values.kept().all(|literal| raw::unescape(literal).exact);
        (only_strings && few && self.values.complete() && self.texts.longest <= 64 && exact())
            .then(|| self.values.kept().collect())
    }
}
