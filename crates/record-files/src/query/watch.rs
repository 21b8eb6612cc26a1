//! Detects possible misunderstandings of a condition that its answer does not show: fields that
//! exist as null, matches in parts of elements, lists in another order, values of an `in` that no
//! record has.

use std::collections::BTreeSet;

use raw_json::{self as raw, Kind, each_element};

use super::condition::Test;
use super::error::quoted;
use super::json::path::Hits;
use super::json::path_set::Record;
use super::json::value::Value;
use super::plan::Plan;
use super::spellings::Spellings;

/// Texts that stand for a missing value, in lower case.
const NOTHING: [&str; 7] = ["", "null", "none", "nan", "n/a", "na", "-"];
/// Maximum number of notes.
const MAX_NOTES: usize = 5;
/// Maximum number of values of an `in` that are checked.
const MAX_LISTED: usize = 50;

/// A reason why a comparison may mean something else than intended, and what is counted for it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doubt {
    /// `exists` and `is_null`: the records in which the field is null, or a text of [`NOTHING`].
    Nothing,
    /// A negated comparison, or one below `not`: the matching records in which the field is null
    /// or missing.
    Negated,
    /// `contains`: the matching records in which no whole element equals the text.
    Part(String),
    /// `=` or `contains` with a list: the records that have all its elements in any order.
    Whole(Vec<Value<'static>>),
    /// `=` with an object: the records that have all its members. A member is a key and raw JSON.
    Members(Vec<(String, String)>),
    /// `=` with a text of [`NOTHING`]: the records in which the field is null or missing.
    Null,
    /// `in`: the values that matching records have.
    Listed(Vec<Value<'static>>),
}

/// A doubt about a comparison, and the records that were counted for it.
#[derive(Clone, Debug)]
struct Seen {
    /// The index of the comparison.
    test: usize,
    doubt: Doubt,
    /// Records with null, with only a part, or with all elements or members.
    first: u64,
    /// Records with a text of [`NOTHING`], or with an equal list or object.
    second: u64,
    /// The texts of [`NOTHING`] that were found, as spelled.
    examples: BTreeSet<String>,
    /// For each value of an `in`, whether it was found.
    found: Vec<bool>,
}

/// The doubts about the comparisons of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    seen: Vec<Seen>,
    spellings: Vec<Spellings>,
}

impl Doubt {
    /// Returns true if the doubt also concerns records that do not match.
    fn is_of_all(&self) -> bool {
        !matches!(self, Self::Negated | Self::Part(_) | Self::Listed(_))
    }
}

impl Watch {
    pub(super) fn new(tests: &[Test]) -> Self {
        let seen = tests.iter().enumerate().filter_map(|(test, of)| {
            let doubt = doubt(of, tests)?;
            let found = match &doubt {
                Doubt::Listed(values) => vec![false; values.len()],
                _ => Vec::new(),
            };
            Some(Seen { test, doubt, first: 0, second: 0, examples: BTreeSet::new(), found })
        });
        Self { seen: seen.collect(), spellings: Spellings::of(tests) }
    }

    /// Examines a record, whether it matches or not.
    pub(super) fn any<'a>(&mut self, plan: &Plan<'_>, record: &Record<'a>, hits: &mut Hits<'a>) {
        for seen in &mut self.seen {
            if seen.doubt.is_of_all() {
                plan.query.paths.find(plan.query.tests[seen.test].path, record, hits);
                seen.add(&hits.values);
            }
        }
        for spellings in &mut self.spellings {
            let test = &plan.query.tests[spellings.test];
            plan.query.paths.find(test.path, record, hits);
            spellings.add(&test.comparison, &hits.values);
        }
    }

    /// Examines a record that matches.
    pub(super) fn matched<'a>(
        &mut self,
        plan: &Plan<'_>,
        record: &Record<'a>,
        hits: &mut Hits<'a>,
    ) {
        for seen in &mut self.seen {
            let done = !seen.found.is_empty() && seen.found.iter().all(|found| *found);
            if !done && !seen.doubt.is_of_all() {
                plan.query.paths.find(plan.query.tests[seen.test].path, record, hits);
                seen.add(&hits.values);
            }
        }
    }

    pub(super) fn merge(&mut self, later: Self) {
        self.spellings.iter_mut().zip(later.spellings).for_each(|(one, later)| one.merge(later));
        for (seen, later) in self.seen.iter_mut().zip(later.seen) {
            seen.first += later.first;
            seen.second += later.second;
            seen.examples.extend(later.examples);
            seen.found.iter_mut().zip(later.found).for_each(|(found, later)| *found |= later);
        }
    }

    /// Returns the indexes of the `in` comparisons with values that were not found, and the indexes
    /// of those values.
    pub(super) fn unfound(&self) -> impl Iterator<Item = (usize, Vec<usize>)> {
        self.seen.iter().filter_map(|seen| {
            let absent = seen.found.iter().enumerate().filter(|(_, found)| !**found);
            let absent: Vec<usize> = absent.map(|(at, _)| at).collect();
            (!absent.is_empty()).then_some((seen.test, absent))
        })
    }

    /// Returns the notes on the doubts, given `matched` matching records.
    pub(super) fn notes(&self, plan: &Plan<'_>, matched: u64) -> Vec<String> {
        // If no match has the text as a whole element, parts of elements are probably intended.
        let is_meant = |seen: &&Seen| matches!(seen.doubt, Doubt::Part(_)) && seen.first == matched;
        let doubts = self.seen.iter().filter(|seen| !is_meant(seen));
        let doubts = doubts.filter_map(|seen| seen.note(plan));
        let spellings = self.spellings.iter().flat_map(|one| one.notes(plan));
        let mut notes: Vec<String> = Vec::new();
        for note in doubts.chain(spellings) {
            if notes.len() < MAX_NOTES && !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
}

impl Seen {
    fn add(&mut self, values: &[&str]) {
        let mut example = None;
        let (first, second) = match &self.doubt {
            Doubt::Nothing => {
                example = values.iter().copied().find(|value| is_nothing(value));
                (!values.is_empty() && are_null(values), example.is_some())
            }
            Doubt::Negated | Doubt::Null => (are_null(values), false),
            Doubt::Part(needle) => (is_in_part(values, needle), false),
            Doubt::Whole(wanted) => has_elements(values, wanted),
            Doubt::Members(wanted) => has_members(values, wanted),
            Doubt::Listed(wanted) => {
                let mut look = |value: &str| {
                    let value = Value::read(value);
                    let at = wanted.iter().position(|wanted| *wanted == value);
                    at.into_iter().for_each(|at| self.found[at] = true);
                };
                for value in values {
                    look(value);
                    each_element(value).for_each(&mut look);
                }
                (false, false)
            }
        };
        self.first += u64::from(first);
        self.second += u64::from(second);
        self.examples.extend(example.map(str::to_owned));
    }

    fn note(&self, plan: &Plan<'_>) -> Option<String> {
        let test = &plan.query.tests[self.test];
        let field = plan.query.paths.all()[test.path].name();
        let quoted_field = raw::quote(&field);
        let with_op = |op: &str| format!("{{\"field\": {quoted_field}, \"op\": \"{op}\"}}");
        let (name, spelled) = (test.comparison.name(), test.comparison.spelled());
        let (first, second) = (self.first, self.second);
        Some(match &self.doubt {
            Doubt::Nothing if first > 0 && name.ends_with("exists") => format!(
                "{field} exists as null in {first} records: {} finds these",
                with_op("is_null")
            ),
            Doubt::Nothing if second > 0 => {
                let found: Vec<String> = self.examples.iter().map(|one| quoted(one)).collect();
                let is_blank = |one: &&String| !one.contains(char::is_alphanumeric);
                let what = match found.iter().find(|one| !is_blank(one)) {
                    None => "empty or blank".to_owned(),
                    Some(_) => found.join(" or "),
                };
                let send = match found.as_slice() {
                    [one] => equals(&field, one),
                    all => one_of(&field, "in", all),
                };
                format!("{field} is not null but {what} in {second} records: {send}")
            }
            Doubt::Negated if first > 0 => format!(
                "in {first} of these {field} is null or missing: add {} to leave them out",
                with_op("is_not_null")
            ),
            Doubt::Part(_) if first > 0 => format!(
                "contains finds parts, too: {first} of these have no element {spelled} itself; \
                 whole elements: {}",
                equals(&field, spelled)
            ),
            Doubt::Null if first > 0 => {
                format!("{field} is null or missing in {first} records: {}", with_op("is_null"))
            }
            Doubt::Whole(values) if first != second && !values.is_empty() => {
                let each = each_element(spelled).map(|value| equals(&field, value));
                format!(
                    "{name} takes the whole list: {second} records are equal, {first} have all its \
                     elements: {{\"all\": [{}]}}",
                    each.collect::<Vec<_>>().join(", ")
                )
            }
            Doubt::Members(members) if first != second => {
                let each =
                    members.iter().map(|(key, value)| equals(&format!("{field}.{key}"), value));
                format!(
                    "= takes the whole object: {second} records are equal, {first} have all its \
                     members: {{\"all\": [{}]}}",
                    each.collect::<Vec<_>>().join(", ")
                )
            }
            _ => return None,
        })
    }
}

/// Returns the condition that a field equals a value.
fn equals(field: &str, value: &str) -> String {
    format!("{{\"field\": {}, \"op\": \"=\", \"value\": {value}}}", raw::quote(field))
}

/// Returns the condition that a field is one of some values, or none of them.
pub(super) fn one_of(field: &str, op: &str, values: &[String]) -> String {
    let (field, values) = (raw::quote(field), values.join(", "));
    format!("{{\"field\": {field}, \"op\": \"{op}\", \"value\": [{values}]}}")
}

/// Returns true for a comparison that asks for records in which a field is null.
pub(super) fn asks_for_null(test: &Test) -> bool {
    test.comparison.is_flag() || *test.comparison.values() == ["null"]
}

fn are_null(values: &[&str]) -> bool {
    values.iter().all(|value| Kind::of_value(value) == Kind::Null)
}

/// Returns true if there are arrays, and none has a text as a whole element.
fn is_in_part(values: &[&str], needle: &str) -> bool {
    let mut arrays = values.iter().filter(|value| value.starts_with('[')).peekable();
    let is_whole = |element: &str| {
        raw::is_string(element) && raw::unescape(element).text.to_lowercase() == *needle
    };
    arrays.peek().is_some() && !arrays.any(|array| each_element(array).any(is_whole))
}

/// Returns whether a value has all elements of a list, and whether one is equal to it.
fn has_elements(values: &[&str], wanted: &[Value<'static>]) -> (bool, bool) {
    let has = |value: &str, wanted: &Value<'_>| {
        each_element(value).any(|element| Value::read(element) == *wanted)
    };
    let has_all = |value: &&str| wanted.iter().all(|wanted| has(value, wanted));
    let is_same =
        |value: &&str| each_element(value).map(Value::read).collect::<Vec<_>>() == *wanted;
    (values.iter().any(has_all), values.iter().any(is_same))
}

/// Returns whether a value or an element has all members of an object, and whether one is equal to
/// it.
fn has_members(values: &[&str], wanted: &[(String, String)]) -> (bool, bool) {
    let has_all = |object: &str| {
        let has = |(key, value): &(String, String)| {
            raw::each_member(object).any(|(known, member)| {
                known.text() == key.as_str() && Value::read(member) == Value::read(value)
            })
        };
        Kind::of_value(object) == Kind::Object && wanted.iter().all(has)
    };
    let is_same =
        |object: &str| has_all(object) && raw::each_member(object).count() == wanted.len();
    let any = |is: &dyn Fn(&str) -> bool| {
        values.iter().any(|value| is(value) || each_element(value).any(is))
    };
    (any(&has_all), any(&is_same))
}

fn doubt(test: &Test, all: &[Test]) -> Option<Doubt> {
    let comparison = &test.comparison;
    let list = |array: &str| -> Vec<Value<'static>> {
        each_element(array).map(|value| Value::read(value).into_owned()).collect()
    };
    if comparison.is_flag() {
        return Some(Doubt::Nothing);
    }
    if comparison.is_negated() != test.is_denied {
        return Some(Doubt::Negated);
    }
    if let Some(needle) = comparison.needle() {
        return Some(Doubt::Part(needle.to_lowercase()));
    }
    if let Some(array) = comparison.listed_needle() {
        return Some(Doubt::Whole(list(array)));
    }
    match comparison.values() {
        [value] if comparison.name() == "=" && raw::is_string(value) && is_nothing(value) => {
            let mut others = all.iter().filter(|other| other.path == test.path);
            (!others.any(asks_for_null)).then_some(Doubt::Null)
        }
        [value] if comparison.name() == "=" && value.starts_with('[') && is_short(value) => {
            Some(Doubt::Whole(list(value)))
        }
        [value] if comparison.name() == "=" && value.starts_with('{') && is_short(value) => {
            let members = raw::each_member(value);
            let members: Vec<_> =
                members.map(|(key, value)| (key.text().into_owned(), value.to_owned())).collect();
            (!members.is_empty()).then_some(Doubt::Members(members))
        }
        values if comparison.name() == "in" && values.len() <= MAX_LISTED => {
            let values = values.iter().map(|value| Value::read(value).into_owned());
            Some(Doubt::Listed(values.collect()))
        }
        _ => None,
    }
}

/// Returns true if a message repeats a value in full.
fn is_short(value: &str) -> bool {
    quoted(value).len() == value.len()
}

pub(super) fn is_nothing(value: &str) -> bool {
    match Kind::of_value(value) {
        Kind::String => {
            let text = raw::unescape(value).text;
            text.len() < 5 && NOTHING.contains(&text.trim().to_lowercase().as_str())
        }
        Kind::Array => each_element(value).next().is_none(),
        Kind::Object => raw::each_member(value).next().is_none(),
        _ => false,
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
