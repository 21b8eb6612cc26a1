//! Numbers as SQLite keeps them.

use rusqlite::types::ToSqlOutput;
use rusqlite::types::Value;

/// The most digits of a number with a fraction that a float keeps.
const FLOAT_DIGITS: usize = 15;

/// A JSON number in SQLite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i64),
    Real(f64),
    /// A whole number beyond 64 bits, or one beyond a float.
    Large,
}

impl Number {
    /// Reads a valid JSON number.
    pub(crate) fn read(text: &str) -> Self {
        if !text.contains(['.', 'e', 'E']) {
            return text.parse().map_or(Self::Large, Self::Integer);
        }
        match text.parse::<f64>() {
            Ok(real) if real.is_finite() => Self::Real(real),
            _ => Self::Large,
        }
    }

    pub(crate) fn to_sql(self) -> Option<ToSqlOutput<'static>> {
        match self {
            Self::Integer(integer) => Some(ToSqlOutput::Owned(Value::Integer(integer))),
            Self::Real(real) => Some(ToSqlOutput::Owned(Value::Real(real))),
            Self::Large => None,
        }
    }
}

/// Returns the number of decimals if a text spells a number that SQLite keeps: no leading zero
/// or `+`, and 64 bits or 15 digits.
pub(crate) fn decimals(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() > 20 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all(whole) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    if !digits.contains('.') {
        return (text != "-0" && text.parse::<i64>().is_ok()).then_some(0);
    }
    let fits = whole.len() + fraction.len() <= FLOAT_DIGITS;
    (fits && !fraction.is_empty() && all(fraction)).then_some(fraction.len())
}

/// Returns the number of a text that spells a boolean.
pub(crate) fn boolean(text: &str) -> Option<i64> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") { Some(1) } else { is("false").then_some(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value_or_are_large() {
        assert_eq!(Number::read("-12"), Number::Integer(-12));
        assert_eq!(Number::read("1.50"), Number::Real(1.5));
        assert_eq!(Number::read("1e2"), Number::Real(100.0));
        assert_eq!(Number::read("9223372036854775807"), Number::Integer(i64::MAX));
        assert_eq!(Number::read("9223372036854775808"), Number::Large);
        assert_eq!(Number::read("1e400"), Number::Large);
    }

    #[test]
    fn texts_that_are_numbers() {
        let texts = ["13", "-4", "12.50", "0.5", "0", "9223372036854775807"];
        assert_eq!(texts.map(decimals), [0, 0, 2, 1, 0, 0].map(Some));
        for text in [
            "007",
            "+1",
            "1.",
            ".5",
            "1e3",
            "",
            "-",
            "-0",
            "12.4.1",
            " 1",
            "9223372036854775808",
            "1234567890.123456",
        ] {
            assert_eq!(decimals(text), None, "{text}");
        }
    }
}
