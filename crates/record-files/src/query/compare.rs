//! A comparison: one operator with its operand, asked of what a field holds.
//! It holds for an array where it holds for the array or one of its elements.

use std::cmp::Ordering;

use chat_history::raw;
use memchr::memmem::Finder;
use regex::Regex;

use super::{
    error::QueryError,
    operation::Operation,
    pattern, scan,
    value::{Kind, Text, Value},
};

/// The most values of an `in`.
const LIST: usize = 10_000;

/// An operator with its operand, read once for all records.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    operation: Operation,
    operand: Operand,
}

#[derive(Clone, Debug)]
enum Operand {
    Value(Value<'static>),
    /// For `contains`: the value, and its folded text where it is a string.
    Needle(Value<'static>, Option<Box<Finder<'static>>>),
    Text(String),
    Pattern(Box<Regex>),
    /// Sorted.
    List(Vec<Value<'static>>),
    Flag(bool),
}

/// What a comparison keeps between records.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The kinds of values it has met, as bits of [`Kind`].
    pub(super) kinds: u8,
    folded: String,
}

impl Comparison {
    /// `value` is the raw operand, absent or not; `member` the place of the
    /// condition, for errors.
    pub(super) fn read(
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

    /// Whether it holds for a field with these values; none where it is missing.
    pub(super) fn holds(&self, values: &[&str], memory: &mut Memory) -> bool {
        match (&self.operand, self.operation) {
            (Operand::Flag(wanted), _) => values.is_empty() != *wanted,
            (Operand::Value(wanted), Operation::Equal) => equals(wanted, values, memory),
            (Operand::Value(wanted), Operation::NotEqual) => !equals(wanted, values, memory),
            (Operand::Value(wanted), operation) => any(values, memory, |value, _| {
                // Only numbers and strings have an order that people mean.
                Kind::of(value) == wanted.kind()
                    && matches!(wanted, Value::Number(_) | Value::String(_))
                    && ordered(operation, Value::read(value).cmp(wanted))
            }),
            (Operand::List(list), _) => {
                (values.is_empty() && list.contains(&Value::Null))
                    || any(values, memory, |value, _| {
                        list.binary_search(&Value::read(value)).is_ok()
                    })
            }
            (Operand::Needle(wanted, needle), _) => {
                contains(wanted, needle.as_deref(), values, memory)
            }
            (Operand::Text(affix), operation) => any(values, memory, |value, _| {
                string(value).is_some_and(|text| match operation {
                    Operation::StartsWith => text.starts_with(affix.as_str()),
                    _ => text.ends_with(affix.as_str()),
                })
            }),
            (Operand::Pattern(pattern), _) => any(values, memory, |value, _| {
                string(value).is_some_and(|text| pattern.is_match(&text))
            }),
        }
    }

    /// Why it cannot have held for any of the values met: the field holds
    /// another type everywhere. None where that is not so.
    pub(super) fn misfit(&self, field: &str, met: u8) -> Option<String> {
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
    let mut list = Vec::new();
    let mut found = 0;
    scan::elements(array, |element| {
        found += 1;
        if found <= LIST {
            list.push(Value::read(element).into_owned());
        }
        true
    });
    if found > LIST {
        let member = format!("{member}.value");
        return Err(QueryError::TooMany { member, found, what: "values", limit: LIST });
    }
    list.sort();
    Ok(list)
}

fn any(
    values: &[&str],
    memory: &mut Memory,
    mut holds: impl FnMut(&str, &mut String) -> bool,
) -> bool {
    values.iter().any(|value| {
        let kind = Kind::of(value);
        memory.kinds |= kind.bit();
        if holds(value, &mut memory.folded) {
            return true;
        }
        let mut found = false;
        if kind == Kind::Array {
            scan::elements(value, |element| {
                memory.kinds |= Kind::of(element).bit();
                found = holds(element, &mut memory.folded);
                !found
            });
        }
        found
    })
}

/// A missing field equals null, as in jq.
fn equals(wanted: &Value<'_>, values: &[&str], memory: &mut Memory) -> bool {
    if values.is_empty() {
        return *wanted == Value::Null;
    }
    any(values, memory, |value, _| {
        Kind::of(value) == wanted.kind() && Value::read(value) == *wanted
    })
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

/// A string contains another text in any letter case; an array an equal element
/// or such a string.
fn contains(
    wanted: &Value<'_>,
    needle: Option<&Finder<'_>>,
    values: &[&str],
    memory: &mut Memory,
) -> bool {
    let Some(needle) = needle else {
        // Something else than a text can only be the element of an array.
        let mut found = false;
        for value in values {
            memory.kinds |= Kind::of(value).bit();
            scan::elements(value, |element| {
                memory.kinds |= Kind::of(element).bit();
                found |= Value::read(element) == *wanted;
                !found
            });
        }
        return found;
    };
    any(values, memory, |value, folded| {
        string(value).is_some_and(|text| {
            fold(&text, folded);
            needle.find(folded.as_bytes()).is_some()
        })
    })
}

fn string(value: &str) -> Option<std::borrow::Cow<'_, str>> {
    raw::is_string(value).then(|| raw::unescape(value).text)
}

/// The text in small letters, one character at a time, so that a part of the
/// text folds to a part of it; both forms of the Greek sigma become one.
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
