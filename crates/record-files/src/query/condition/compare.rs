//! A comparison: an operator with its operand, applied to the values of a field. It holds for an
//! array if it holds for the array itself or for one of its elements.

use std::cmp::Ordering;

use memchr::memmem::Finder;
use raw_json::{self as raw, Kind, each_element};
use regex::Regex;

use super::operation::{Named, Operation};
use super::pattern;
use crate::query::error::{QueryError, quoted};
use crate::query::json::value::{Value, nfc};
use crate::query::typed::{Facts, Range, Strings, understand};

/// Maximum number of values of an `in`.
const MAX_LIST: usize = 10_000;

/// An operator with its operand.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) operation: Operation,
    is_negated: bool,
    operand: Operand,
    /// The operand as it is shown in messages.
    spelled: String,
}

#[derive(Clone, Debug)]
enum Operand {
    /// JSON values that are read as the type of the field.
    Values(Vec<String>),
    /// For `contains`: the value; for a string also a finder of its lower-case text.
    Needle(Value<'static>, Option<Box<Finder<'static>>>),
    Text(String),
    Pattern(Box<Regex>),
    Flag(bool),
}

/// The operands of a comparison as values of its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypedOperand {
    /// The type that the field's strings are parsed as.
    pub(crate) strings: Strings,
    /// In ascending order.
    ranges: Vec<Range>,
    /// True if the meaning depends on all values of the field, not only on those that were
    /// compared.
    pub(crate) needs_all: bool,
}

impl TypedOperand {
    /// Returns true if the operand is a text.
    pub(crate) fn is_text(&self) -> bool {
        self.ranges.iter().all(|range| matches!(range.low(), Value::String(_)))
    }

    /// Returns the JSON types that the operand is compared with, and the name of such values in
    /// messages.
    pub(crate) fn compared(&self) -> Option<(Vec<Kind>, &'static str)> {
        Some(match self.strings {
            Strings::Absent | Strings::Text => match self.ranges.first()?.low().kind() {
                Kind::String => (vec![Kind::String], "text"),
                kind => (vec![kind], kind.plural()),
            },
            Strings::Dates => (vec![Kind::String], "dates"),
            Strings::Numbers | Strings::Written(_) => (vec![Kind::String, Kind::Number], "numbers"),
            Strings::Versions => (vec![Kind::String, Kind::Number], "versions"),
        })
    }

    /// Returns the name of the operand's type.
    pub(crate) fn name(&self) -> &'static str {
        match self.ranges.first().map(Range::low) {
            Some(Value::Number(_)) => "a number",
            Some(Value::False | Value::True) => "a boolean",
            _ => "text",
        }
    }
}

impl Comparison {
    /// Reads the operand from `value`. Errors name `member`, the place of the condition.
    pub(crate) fn read(
        (operation, is_negated): Named,
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
            Ok(nfc(raw::unescape(literal).text).into_owned())
        };
        let any = || value.ok_or_else(|| bad("any JSON value"));
        let operand = match operation {
            Operation::Exists | Operation::IsNull => Operand::Flag(match value.unwrap_or("true") {
                "true" | "\"true\"" | "null" => true,
                "false" | "\"false\"" => false,
                _ => return Err(bad("true, false or nothing")),
            }),
            Operation::StartsWith | Operation::EndsWith => Operand::Text(text("a string")?),
            Operation::Matches => {
                let expression = text("a regular expression as a string")?;
                Operand::Pattern(Box::new(pattern::compile(&expression, member)?))
            }
            Operation::In => {
                Operand::Values(list_of(value, member)?.ok_or_else(|| bad("a list of values"))?)
            }
            Operation::Contains => needle(any()?),
            Operation::Equal => Operand::Values(vec![any()?.to_owned()]),
            _ => {
                let value = any()?;
                if !matches!(Kind::of_value(value), Kind::Number | Kind::String) {
                    return Err(bad("a number, a text or a date"));
                }
                Operand::Values(vec![value.to_owned()])
            }
        };
        let spelled = value.map(quoted).unwrap_or_default();
        Ok(Self { operation, is_negated, operand, spelled })
    }

    /// Returns the comparison as it is shown in messages, such as `priority > 3`.
    pub(crate) fn text(&self, field: &str) -> String {
        format!("{field} {} {}", self.name(), self.spelled).trim_end().to_owned()
    }

    /// Returns the name of the operator.
    pub(crate) fn name(&self) -> &'static str {
        Operation::name((self.operation, self.is_negated))
    }

    pub(crate) fn is_negated(&self) -> bool {
        self.is_negated
    }

    /// Returns true for `exists` and `is_null`.
    pub(crate) fn is_flag(&self) -> bool {
        matches!(self.operand, Operand::Flag(_))
    }

    /// Returns the text that `contains` searches for, in lower case.
    pub(crate) fn needle(&self) -> Option<&str> {
        match &self.operand {
            Operand::Needle(Value::String(needle), Some(_)) => Some(&needle.text),
            _ => None,
        }
    }

    /// Returns the list that `contains` searches for as one element, as spelled.
    pub(crate) fn listed_needle(&self) -> Option<&str> {
        let is_list = matches!(self.operand, Operand::Needle(Value::Array(_), None));
        (is_list && self.spelled.ends_with(']')).then_some(self.spelled.as_str())
    }

    /// Returns the expression of `matches`, or that of the start or end of a text, made
    /// case-insensitive; `None` if it is.
    pub(crate) fn in_any_case(&self) -> Option<(String, Regex)> {
        let pattern = match &self.operand {
            Operand::Pattern(pattern) => pattern.as_str().to_owned(),
            Operand::Text(start) if self.operation == Operation::StartsWith => {
                format!("^{}", regex::escape(start))
            }
            Operand::Text(end) => format!("{}$", regex::escape(end)),
            _ => return None,
        };
        let any_case = format!("(?i){pattern}");
        let regex = pattern::compile(&any_case, "").ok().filter(|_| !pattern.starts_with("(?i"))?;
        Some((any_case, regex))
    }

    /// Returns the operand as it is shown in messages.
    pub(crate) fn spelled(&self) -> &str {
        &self.spelled
    }

    /// Returns the operator and the operand in SQL; `None` if they have no simple form.
    pub(crate) fn sql(&self) -> Option<String> {
        let [value] = self.values() else { return None };
        let literal = match Kind::of_value(value) {
            Kind::Number => value.clone(),
            Kind::String => format!("'{}'", raw::unescape(value).text.replace('\'', "''")),
            _ => return None,
        };
        (self.operation != Operation::In).then(|| format!("{} {literal}", self.name()))
    }

    /// Returns the operands that are parsed as the type of the field.
    pub(crate) fn values(&self) -> &[String] {
        match &self.operand {
            Operand::Values(values) => values,
            _ => &[],
        }
    }

    /// Returns the texts that are searched for, to find similar values.
    pub(crate) fn wanted(&self) -> Vec<String> {
        let text = |value: &String| match Kind::of_value(value) {
            Kind::String => raw::unescape(value).text.into_owned(),
            _ => value.clone(),
        };
        match &self.operand {
            Operand::Values(values) => values.iter().map(text).collect(),
            Operand::Needle(Value::String(needle), _) => vec![needle.text.to_string()],
            Operand::Text(text) => vec![text.clone()],
            Operand::Needle(..) | Operand::Pattern(_) | Operand::Flag(_) => Vec::new(),
        }
    }

    /// Parses the operands as values of a field with these facts.
    ///
    /// # Errors
    ///
    /// Returns the spelling of the first operand that cannot be a value of the field.
    pub(crate) fn bind(&self, facts: Facts) -> Result<TypedOperand, &str> {
        let strings = if self.operation.is_typed() { facts.strings() } else { Strings::Absent };
        let mut typed = TypedOperand { strings, ranges: Vec::new(), needs_all: false };
        for value in self.values() {
            let ordered = self.operation.is_ordered();
            let (range, exact) = understand(value, facts, ordered).ok_or(value.as_str())?;
            typed.needs_all |= !exact;
            typed.ranges.push(range);
        }
        typed.ranges.sort_by(|a, b| a.low().cmp(b.low()));
        let needed = match &self.operand {
            Operand::Values(_) | Operand::Flag(_) => None,
            // `contains` with an operand that is not a string can only match an element of an
            // array.
            Operand::Needle(_, None) => Some(Kind::Array),
            Operand::Needle(..) | Operand::Text(_) | Operand::Pattern(_) => Some(Kind::String),
        };
        let has_scalars = facts.kinds & !(Kind::Null.bit() | Kind::Array.bit()) != 0;
        if has_scalars && needed.is_some_and(|kind| !facts.has(kind)) {
            return Err(&self.spelled);
        }
        Ok(typed)
    }

    /// Returns true if the comparison holds for a field with these values; a missing field has no
    /// values. Adds the values that it compared to `facts`, unless [`TypedOperand::needs_all`] is
    /// true.
    pub(crate) fn holds(
        &self,
        typed: &TypedOperand,
        values: &[&str],
        facts: &mut Facts,
        folded: &mut String,
    ) -> bool {
        let holds = match &self.operand {
            Operand::Flag(wanted) if self.operation == Operation::Exists => {
                values.is_empty() != *wanted
            }
            Operand::Flag(wanted) => {
                values.iter().all(|value| Kind::of_value(value) == Kind::Null) == *wanted
            }
            Operand::Values(_) if values.is_empty() => {
                typed.ranges.iter().any(|range| *range.low() == Value::Null)
            }
            Operand::Values(_) if typed.needs_all => values.iter().any(|value| {
                self.compares(typed, value)
                    || each_element(value).any(|element| self.compares(typed, element))
            }),
            Operand::Values(_) => any(values, facts, |value| self.compares(typed, value)),
            Operand::Needle(wanted, None) => values.iter().any(|value| {
                // An operand that is not a string can only match an element of an array.
                facts.add(value);
                each_element(value).any(|element| {
                    facts.add(element);
                    Value::read(element) == *wanted
                })
            }),
            Operand::Needle(..) | Operand::Text(_) | Operand::Pattern(_) => {
                any(values, facts, |value| {
                    string(value).is_some_and(|text| self.is_in(&text, folded))
                })
            }
        };
        holds != self.is_negated
    }

    /// Returns true if a text meets an operator of texts, ignoring its negation.
    pub(crate) fn is_in(&self, text: &str, folded: &mut String) -> bool {
        match &self.operand {
            Operand::Needle(_, Some(needle)) => {
                fold(text, folded);
                needle.find(folded.as_bytes()).is_some()
            }
            Operand::Text(affix) if self.operation == Operation::StartsWith => {
                text.starts_with(affix.as_str())
            }
            Operand::Text(affix) => text.ends_with(affix.as_str()),
            Operand::Pattern(pattern) => pattern.is_match(text),
            _ => false,
        }
    }

    fn compares(&self, typed: &TypedOperand, value: &str) -> bool {
        let is_plain = matches!(typed.strings, Strings::Absent | Strings::Text);
        match typed.ranges.as_slice() {
            [range] => {
                // Only parse values that have the JSON type of the operand.
                if is_plain && Kind::of_value(value) != range.low().kind() {
                    return false;
                }
                let place = range.place(&typed.strings.read(value));
                place.is_some_and(|place| self.accepts(place))
            }
            ranges => {
                let value = typed.strings.read(value);
                if ranges.iter().any(Range::is_wide) {
                    return ranges.iter().any(|range| range.place(&value) == Some(Ordering::Equal));
                }
                ranges.binary_search_by(|range| range.low().cmp(&value)).is_ok()
            }
        }
    }

    fn accepts(&self, place: Ordering) -> bool {
        match self.operation {
            Operation::Greater => place.is_gt(),
            Operation::GreaterOrEqual => place.is_ge(),
            Operation::Less => place.is_lt(),
            Operation::LessOrEqual => place.is_le(),
            _ => place.is_eq(),
        }
    }
}

fn list_of(value: Option<&str>, member: &str) -> Result<Option<Vec<String>>, QueryError> {
    let Some(array) = value.filter(|value| value.starts_with('[')) else { return Ok(None) };
    let list: Vec<_> = each_element(array).take(MAX_LIST).map(str::to_owned).collect();
    let found = each_element(array).count();
    if found > MAX_LIST {
        let member = format!("{member}.value");
        return Err(QueryError::TooMany { member, found, what: "values", limit: MAX_LIST });
    }
    Ok(Some(list))
}

fn needle(value: &str) -> Operand {
    let value = Value::read(value).into_owned();
    let finder = match &value {
        Value::String(text) => {
            let mut folded = String::new();
            fold(&text.text, &mut folded);
            Some(Box::new(Finder::new(&folded).into_owned()))
        }
        _ => None,
    };
    Operand::Needle(value, finder)
}

fn any(values: &[&str], facts: &mut Facts, mut holds: impl FnMut(&str) -> bool) -> bool {
    values.iter().any(|value| {
        facts.add(value);
        holds(value)
            || each_element(value).any(|element| {
                facts.add(element);
                holds(element)
            })
    })
}

fn string(value: &str) -> Option<std::borrow::Cow<'_, str>> {
    raw::is_string(value).then(|| nfc(raw::unescape(value).text))
}

/// Writes the text in lower case, character by character, so that a part of the text becomes a part
/// of the result. Maps both lower-case forms of the Greek sigma to one.
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

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
