//! A comparison: an operator with its operand, applied to the values of a field. It holds for an
//! array if it holds for the array itself or for one of its elements.

use std::cmp::Ordering;

use memchr::memmem::Finder;
use raw_json::{self as raw, each_element};
use regex::Regex;

use super::{operation::Operation, pattern};
use crate::query::error::QueryError;
use crate::query::json::value::{Kind, Text, Value};

/// The most values of an `in`.
const MAX_LIST: usize = 10_000;

/// An operator with its operand.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    operation: Operation,
    operand: Operand,
}

#[derive(Clone, Debug)]
enum Operand {
    Value(Value<'static>),
    /// For `contains`: the value; for a string also a finder of its lower-case text.
    Needle(Value<'static>, Option<Box<Finder<'static>>>),
    Text(String),
    Pattern(Box<Regex>),
    /// Sorted.
    List(Vec<Value<'static>>),
    Flag(bool),
}

/// The state of a comparison between records.
#[derive(Clone, Debug, Default)]
pub(crate) struct ComparisonState {
    /// The types of the values it was applied to, as bits of [`Kind`].
    pub(crate) kinds: u8,
    folded: String,
}

impl Comparison {
    /// Reads the operand from `value`. Errors name `member`, the place of the condition.
    pub(crate) fn read(
        operation: Operation,
        value: Option<&str>,
        member: &str,
    ) -> Result<Self, QueryError> {
        let bad = |accepted| QueryError::BadMember {
            member: format!("{member}.value"),
            found: value.map_or("absent", raw::kind).to_owned(),
            accepted,
        };
        let text = |accepted| {
            let literal =
                value.filter(|value| raw::is_string(value)).ok_or_else(|| bad(accepted))?;
            Ok(raw::unescape(literal).text.into_owned())
        };
        let any = || {
            let value = value.ok_or_else(|| bad("any JSON value"))?;
            Ok(Value::read(value).into_owned())
        };
        let operand = match operation {
            Operation::Exists => Operand::Flag(match value.unwrap_or("true") {
                "true" => true,
                "false" => false,
                _ => return Err(bad("true, false or nothing")),
            }),
            Operation::StartsWith | Operation::EndsWith => Operand::Text(text("a string")?),
            Operation::Matches => {
                let expression = text("a regular expression as a string")?;
                Operand::Pattern(Box::new(pattern::compile(&expression, member)?))
            }
            Operation::In => {
                let list = value.filter(|value| value.starts_with('['));
                Operand::List(list_of(list.ok_or_else(|| bad("a list of values"))?, member)?)
            }
            Operation::Contains => {
                let value = any()?;
                let needle = match &value {
                    Value::String(Text { text, .. }) => {
                        let mut folded = String::new();
                        fold(text, &mut folded);
                        Some(Box::new(Finder::new(&folded).into_owned()))
                    }
                    _ => None,
                };
                Operand::Needle(value, needle)
            }
            _ => Operand::Value(any()?),
        };
        Ok(Self { operation, operand })
    }

    /// Returns true if it holds for a field with these values, of which a missing field has
    /// none.
    pub(crate) fn holds(&self, values: &[&str], state: &mut ComparisonState) -> bool {
        match (&self.operand, self.operation) {
            (Operand::Flag(wanted), _) => values.is_empty() != *wanted,
            (Operand::Value(wanted), Operation::Equal) => equals(wanted, values, state),
            (Operand::Value(wanted), Operation::NotEqual) => !equals(wanted, values, state),
            (Operand::Value(wanted), operation) => any(values, state, |value, _| {
                // Other types have an order in jq, but not a meaningful one.
                Kind::of(value) == wanted.kind()
                    && matches!(wanted, Value::Number(_) | Value::String(_))
                    && ordered(operation, Value::read(value).cmp(wanted))
            }),
            (Operand::List(list), _) => {
                (values.is_empty() && list.contains(&Value::Null))
                    || any(values, state, |value, _| {
                        list.binary_search(&Value::read(value)).is_ok()
                    })
            }
            (Operand::Needle(wanted, needle), _) => {
                contains(wanted, needle.as_deref(), values, state)
            }
            (Operand::Text(affix), operation) => any(values, state, |value, _| {
                string(value).is_some_and(|text| match operation {
                    Operation::StartsWith => text.starts_with(affix.as_str()),
                    _ => text.ends_with(affix.as_str()),
                })
            }),
            (Operand::Pattern(pattern), _) => any(values, state, |value, _| {
                string(value).is_some_and(|text| pattern.is_match(&text))
            }),
        }
    }

    /// Explains why it holds for no value: `met`, the types in the field, do not include the
    /// type of the operand. None if they do.
    pub(crate) fn misfit(&self, field: &str, met: u8) -> Option<String> {
        let (fitting, found) = match &self.operand {
            Operand::Flag(_) => return None,
            Operand::Value(_) if self.operation == Operation::NotEqual => return None,
            Operand::Value(value) | Operand::Needle(value, _) => {
                (value.kind().bit(), singular(value))
            }
            Operand::Text(_) => (Kind::String.bit(), "a string"),
            Operand::Pattern(_) => (Kind::String.bit(), "a regular expression"),
            Operand::List(list) => {
                let kinds = list.iter().fold(0, |kinds, value| kinds | value.kind().bit());
                (kinds, "a list of other types")
            }
        };
        let scalars = met & !(Kind::Null.bit() | Kind::Array.bit());
        let met = if scalars == 0 { met & !Kind::Null.bit() } else { scalars };
        if met == 0 || fitting & (met | Kind::Null.bit()) != 0 {
            return None;
        }
        let holds: Vec<_> =
            Kind::ALL.into_iter().filter(|kind| met & kind.bit() != 0).map(Kind::plural).collect();
        let value = if matches!(self.operand, Operand::Value(_)) {
            "the value".to_owned()
        } else {
            format!("the value of `{}`", self.operation.name())
        };
        Some(format!("{field} holds {}, {value} is {found}", holds.join(" and ")))
    }
}

fn list_of(array: &str, member: &str) -> Result<Vec<Value<'static>>, QueryError> {
    let read = |element| Value::read(element).into_owned();
    let mut list: Vec<_> = each_element(array).take(MAX_LIST).map(read).collect();
    let found = each_element(array).count();
    if found > MAX_LIST {
        let member = format!("{member}.value");
        return Err(QueryError::TooMany { member, found, what: "values", limit: MAX_LIST });
    }
    list.sort();
    Ok(list)
}

fn any(
    values: &[&str],
    state: &mut ComparisonState,
    mut holds: impl FnMut(&str, &mut String) -> bool,
) -> bool {
    values.iter().any(|value| {
        let kind = Kind::of(value);
        state.kinds |= kind.bit();
        if holds(value, &mut state.folded) {
            return true;
        }
        kind == Kind::Array
            && each_element(value).any(|element| {
                state.kinds |= Kind::of(element).bit();
                holds(element, &mut state.folded)
            })
    })
}

/// Returns true if a value equals `wanted`. A missing field equals null, as in jq.
fn equals(wanted: &Value<'_>, values: &[&str], state: &mut ComparisonState) -> bool {
    if values.is_empty() {
        return *wanted == Value::Null;
    }
    any(values, state, |value, _| Kind::of(value) == wanted.kind() && Value::read(value) == *wanted)
}

fn ordered(operation: Operation, order: Ordering) -> bool {
    match operation {
        Operation::Greater => order.is_gt(),
        Operation::GreaterOrEqual => order.is_ge(),
        Operation::Less => order.is_lt(),
        Operation::LessOrEqual => order.is_le(),
        _ => false,
    }
}

/// Returns true if a string contains the text in any letter case, or an array has an equal
/// element or such a string.
fn contains(
    wanted: &Value<'_>,
    needle: Option<&Finder<'_>>,
    values: &[&str],
    state: &mut ComparisonState,
) -> bool {
    let Some(needle) = needle else {
        // A value that is not a string can only be an element of an array.
        let mut found = false;
        for value in values {
            state.kinds |= Kind::of(value).bit();
            found |= each_element(value).any(|element| {
                state.kinds |= Kind::of(element).bit();
                Value::read(element) == *wanted
            });
        }
        return found;
    };
    any(values, state, |value, folded| {
        string(value).is_some_and(|text| {
            fold(&text, folded);
            needle.find(folded.as_bytes()).is_some()
        })
    })
}

fn string(value: &str) -> Option<std::borrow::Cow<'_, str>> {
    raw::is_string(value).then(|| raw::unescape(value).text)
}

/// Writes the text in lower case, each character by itself, so that a part of the text becomes a
/// part of the result. Both forms of the Greek sigma become one.
fn fold(text: &str, folded: &mut String) {
    folded.clear();
    if text.is_ascii() {
        folded.push_str(text);
        folded.make_ascii_lowercase();
        return;
    }
    let small = text.chars().flat_map(char::to_lowercase);
    folded.extend(small.map(|letter| if letter == 'ς' { 'σ' } else { letter }));
}

fn singular(value: &Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
