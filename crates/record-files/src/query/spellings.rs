//! Values that a comparison leaves out although people would take them for the same: texts in other
//! letters or with blanks around them, and numbers where texts are compared.

use std::collections::BTreeSet;

use date_text::words::has_word;
use raw_json::{self as raw, each_element};
use regex::Regex;

use super::condition::{Comparison, Test};
use super::error::quoted;
use super::plan::Plan;
use super::watch::one_of;
use crate::recipes::sql_name;

/// Maximum number of values of an `in` that are looked at, and of spellings that a note names.
const MAX_LISTED: usize = 50;
const MAX_SPELLINGS: usize = 8;

/// The texts that a comparison asks for.
#[derive(Clone, Debug)]
enum Wanted {
    /// Texts that must be equal.
    Equal {
        texts: Vec<String>,
        /// The same without the letter case and the blanks that people spell them with.
        plain: BTreeSet<String>,
        /// The texts that the query names for the same field.
        named: BTreeSet<String>,
    },
    /// The expression of a part of a text in letters of any case; `None` if there is no word in it.
    Part(Option<(String, Regex)>),
}

/// The values that differ in their spelling alone from those that a comparison asks for.
#[derive(Clone, Debug)]
pub(super) struct Spellings {
    /// The index of the comparison.
    pub(super) test: usize,
    wanted: Wanted,
    /// True if a text is one of those that are asked for.
    is_held: bool,
    /// The records with another spelling alone, and some of the spellings.
    others: u64,
    spelled: BTreeSet<String>,
    /// The records with a number that would meet the comparison as a text, and one of them.
    numbers: u64,
    number: Option<String>,
    folded: String,
}

impl Spellings {
    pub(super) fn of(tests: &[Test]) -> Vec<Self> {
        let new = |(test, of): (usize, &Test)| {
            let (is_held, others, numbers) = (false, 0, 0);
            let spelled = BTreeSet::new();
            let (number, folded) = (None, String::new());
            let wanted = wanted(of, tests)?;
            Some(Self { test, wanted, is_held, others, spelled, numbers, number, folded })
        };
        tests.iter().enumerate().filter_map(new).collect()
    }

    /// Looks at the values of a record.
    pub(super) fn add(&mut self, comparison: &Comparison, values: &[&str]) {
        let all = values.iter().flat_map(|value| each_element(value).chain([*value]));
        let (mut is_held, mut other, mut number) = (false, None, None);
        for value in all.filter(|value| !value.starts_with(['[', '{'])) {
            let text = raw::unescape(value).text;
            let is_text = raw::is_string(value);
            match &self.wanted {
                Wanted::Equal { texts, plain, named } if is_text => {
                    is_held |= texts.iter().any(|one| *one == text);
                    let is_other = !named.contains(&*text) && plain.contains(&self::plain(&text));
                    other = other.or(is_other.then_some(value));
                }
                Wanted::Equal { .. } => {}
                Wanted::Part(any_case) => {
                    let is_in = comparison.is_in(&text, &mut self.folded);
                    is_held |= is_in && is_text;
                    number = number.or((is_in && !is_text && value != "null").then_some(value));
                    let is_other = any_case.as_ref().is_some_and(|(_, any)| any.is_match(&text));
                    other = other.or((is_text && !is_in && is_other).then_some(value));
                }
            }
        }
        self.is_held |= is_held;
        if let Some(other) = other.filter(|_| !is_held) {
            self.others += 1;
            if self.spelled.len() < MAX_SPELLINGS {
                self.spelled.insert(other.to_owned());
            }
        }
        if let Some(number) = number.filter(|_| !is_held) {
            self.numbers += 1;
            self.number.get_or_insert_with(|| number.to_owned());
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.is_held |= later.is_held;
        self.others += later.others;
        self.numbers += later.numbers;
        self.spelled.extend(later.spelled);
        self.number = self.number.take().or(later.number);
    }

    pub(super) fn notes(&self, plan: &Plan<'_>) -> impl Iterator<Item = String> {
        let test = &plan.query.tests[self.test];
        let field = plan.query.paths.all()[test.path].name();
        [self.of_others(test, &field), self.of_numbers(test, &field)].into_iter().flatten()
    }

    /// Where no text is one of those that are asked for, the nearest ones are told.
    fn of_others(&self, test: &Test, field: &str) -> Option<String> {
        let other = quoted(self.spelled.first().filter(|_| self.is_held)?);
        let (records, comparison) = (self.others, &test.comparison);
        let not = if comparison.is_negated() { "not_" } else { "" };
        Some(match &self.wanted {
            Wanted::Equal { texts, .. } => {
                let spellings = texts.iter().map(|text| raw::quote(text));
                let spellings: Vec<String> =
                    spellings.chain(self.spelled.iter().take(MAX_SPELLINGS).cloned()).collect();
                format!(
                    "{field} is spelled in another way, such as {other}, in {records} records, \
                     which differ in letter case or blanks alone: {}",
                    one_of(field, &format!("{not}in"), &spellings)
                )
            }
            Wanted::Part(any_case) => format!(
                "{field} has {} in other capital and small letters in {records} records, such as \
                 {other}: {{\"field\": {}, \"op\": \"{not}matches\", \"value\": {}}}",
                comparison.spelled(),
                raw::quote(field),
                raw::quote(&any_case.as_ref()?.0)
            ),
        })
    }

    fn of_numbers(&self, test: &Test, field: &str) -> Option<String> {
        let number = self.number.as_ref()?;
        let (records, column) = (self.numbers, sql_name(field));
        Some(format!(
            "{field} is a number such as {number} in {records} records, and {} reads text alone: \
             in SQL CAST({column} AS TEXT) is a text",
            test.comparison.name()
        ))
    }
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

fn wanted(test: &Test, all: &[Test]) -> Option<Wanted> {
    let comparison = &test.comparison;
    let texts = |of: &Test| -> Vec<String> {
        let texts = of.comparison.values().iter().filter(|value| raw::is_string(value));
        texts.map(|value| raw::unescape(value).text.into_owned()).collect()
    };
    match comparison.name() {
        "=" | "!=" | "in" | "not_in" => {
            let named = all.iter().filter(|other| other.path == test.path).flat_map(texts);
            let (named, texts) = (named.collect(), texts(test));
            let plain = texts.iter().filter(|text| has_word(text, true)).map(|text| plain(text));
            let plain: BTreeSet<String> = plain.collect();
            let is_word = !plain.is_empty() && texts.len() <= MAX_LISTED;
            is_word.then_some(Wanted::Equal { texts, plain, named })
        }
        "contains" | "not_contains" if comparison.needle().is_some() => Some(Wanted::Part(None)),
        "starts_with" | "ends_with" | "matches" | "not_matches" => {
            let any_case = comparison.in_any_case().filter(|(text, _)| has_word(&text[4..], false));
            Some(Wanted::Part(any_case))
        }
        _ => None,
    }
}
