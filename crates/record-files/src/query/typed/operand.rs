//! The operand of a comparison, read as the type of the field.

use std::borrow::Cow;
use std::cmp::Ordering;

use date_text::version::Version;
use raw_json::{self as raw, Kind};

use super::{Facts, Strings, number};
use crate::query::json::value::Value;

/// An operand: the values from `low` to `high`. A date covers its whole period, such as a day;
/// other operands are one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    low: Value<'static>,
    high: Option<Value<'static>>,
}

impl Range {
    /// Returns the position of a value before, in or after the range; `None` if they cannot be
    /// compared.
    pub(crate) fn place(&self, value: &Value<'_>) -> Option<Ordering> {
        let same = std::mem::discriminant(&self.low) == std::mem::discriminant(value);
        if !same {
            return None;
        }
        Some(match value.cmp(&self.low) {
            Ordering::Greater => match &self.high {
                Some(high) if value <= high => Ordering::Equal,
                _ => Ordering::Greater,
            },
            order => order,
        })
    }

    pub(crate) fn low(&self) -> &Value<'static> {
        &self.low
    }

    /// Returns true if the range has more than one value.
    pub(crate) fn is_wide(&self) -> bool {
        self.high.is_some()
    }
}

/// Parses `operand`, raw JSON, as a value of a field with these facts. The second part is false if
/// the operand was converted: the meaning of the comparison then depends on all values of the
/// field. Returns `None` if the operand cannot be a value of the field. If `ordered`, does not
/// compare a number with text.
pub(crate) fn understand(operand: &str, facts: Facts, ordered: bool) -> Option<(Range, bool)> {
    let kind = Kind::of_value(operand);
    let strings = facts.strings();
    let is_open = facts.kinds & !Kind::Null.bit() == 0;
    let exact = || Some((single(Value::read(operand).into_owned()), true));
    let text =
        if kind == Kind::String { raw::unescape(operand).text } else { Cow::Borrowed(operand) };
    if is_open || kind == Kind::Null {
        return exact();
    }
    match (kind, strings) {
        (Kind::Array | Kind::Object | Kind::Boolean, _) if facts.has(kind) => return exact(),
        (Kind::Array | Kind::Object, _) => return None,
        (Kind::String, Strings::Text) => return exact(),
        (Kind::String, _) if strings.are_typed() && text.trim().is_empty() => {
            return Some((single(Value::read(operand).into_owned()), false));
        }
        (Kind::Number, Strings::Absent | Strings::Text | Strings::Dates)
            if facts.has(Kind::Number) =>
        {
            return exact();
        }
        _ => {}
    }
    let range = match strings {
        Strings::Text if !ordered => single(Value::read(&raw::quote(&text)).into_owned()),
        Strings::Text => return None,
        Strings::Versions => single(Value::Version(Version::read(&text)?)),
        Strings::Dates => {
            let date_text::Span { first, last, .. } = date_text::span(&text)?;
            let high = (last > first).then_some(Value::Instant(last));
            Range { low: Value::Instant(first), high }
        }
        Strings::Numbers => single(Value::Number(number(text)?.into_owned())),
        Strings::Written(_) => {
            let written = if kind == Kind::String { strings.typed(text.clone()) } else { None };
            let plain = || number(text).map(Value::Number);
            single(written.or_else(plain)?.into_owned())
        }
        Strings::Absent => single(scalar(&text, facts)?),
    };
    Some((range, false))
}

/// Parses a text as a number or a boolean, if the field has such values.
fn scalar(text: &str, facts: Facts) -> Option<Value<'static>> {
    let number = || Some(Value::Number(number(Cow::Borrowed(text))?.into_owned()));
    let boolean = || match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(Value::True),
        "false" => Some(Value::False),
        _ => None,
    };
    let number = if facts.has(Kind::Number) { number() } else { None };
    number.or_else(|| if facts.has(Kind::Boolean) { boolean() } else { None })
}

fn single(low: Value<'static>) -> Range {
    Range { low, high: None }
}
