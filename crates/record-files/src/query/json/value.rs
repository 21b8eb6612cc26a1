//! A JSON value in the order of jq: null, false, true, numbers, strings, arrays, objects. Only
//! values that are compared, sorted or grouped are parsed; records stay text.

use date_text::version::Version;
use std::{borrow::Cow, cmp::Ordering};

use icu_normalizer::ComposingNormalizerBorrowed;
use raw_json::{self as raw, Kind, each_element, each_member};

use crate::number::Number;

/// Maximum nesting that is parsed. Deeper containers are compared as text without white space and
/// escapes, so the order of keys and the spelling of numbers matter there.
const MAX_DEPTH: u32 = 64;

/// A JSON value. The variants are in the order of jq, which the derived comparison uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value<'a> {
    Null,
    False,
    True,
    Number(Number<'a>),
    /// Nanoseconds since the year 0. Only `typed` creates this variant.
    Instant(i128),
    /// The parts of a version. Only `typed` creates this variant.
    Version(Version),
    String(Text<'a>),
    Array(Vec<Value<'a>>),
    Object(Object<'a>),
    /// A container below [`MAX_DEPTH`].
    Deep(String),
}

/// A string, compared by code points in Unicode normalization form NFC.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The spelling of a string with a lone surrogate; it equals only the same spelling.
    spelled: Option<Cow<'a, str>>,
}

/// The members, sorted by key, without duplicate keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl Ord for Object<'_> {
    /// Compares as jq does: first the keys, then the values in the order of the keys.
    fn cmp(&self, other: &Self) -> Ordering {
        let keys = self.0.iter().map(|(key, _)| key).cmp(other.0.iter().map(|(key, _)| key));
        keys.then_with(|| {
            self.0.iter().map(|(_, value)| value).cmp(other.0.iter().map(|(_, value)| value))
        })
    }
}

impl PartialOrd for Object<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Value<'a> {
    /// Parses valid JSON.
    pub(crate) fn read(text: &'a str) -> Self {
        Self::at_depth(text, 0)
    }

    fn at_depth(text: &'a str, depth: u32) -> Self {
        match Kind::of_value(text) {
            Kind::Null => Self::Null,
            Kind::Boolean if text.starts_with('f') => Self::False,
            Kind::Boolean => Self::True,
            Kind::Number => Self::Number(Number::read(text)),
            Kind::String => Self::String(Text::read(text)),
            Kind::Array | Kind::Object if depth >= MAX_DEPTH => Self::Deep(raw::canonical(text)),
            Kind::Array => {
                let read = |element| Self::at_depth(element, depth + 1);
                Self::Array(each_element(text).map(read).collect())
            }
            Kind::Object => Self::Object(Object::read(text, depth)),
        }
    }

    /// Returns a copy that owns its text.
    pub(crate) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::False => Value::False,
            Self::True => Value::True,
            Self::Number(number) => Value::Number(number.into_owned()),
            Self::Instant(at) => Value::Instant(at),
            Self::Version(parts) => Value::Version(parts),
            Self::String(text) => Value::String(text.into_owned()),
            Self::Array(values) => {
                Value::Array(values.into_iter().map(Value::into_owned).collect())
            }
            Self::Object(Object(members)) => Value::Object(Object(
                members
                    .into_iter()
                    .map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned()))
                    .collect(),
            )),
            Self::Deep(text) => Value::Deep(text),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::False | Self::True => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::String(_) | Self::Instant(_) | Self::Version(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
            Self::Deep(text) => Kind::of_value(text),
        }
    }
}

impl<'a> Text<'a> {
    pub(crate) fn read(literal: &'a str) -> Self {
        let text = raw::unescape(literal);
        Self { text: nfc(text.text), spelled: (!text.exact).then_some(Cow::Borrowed(literal)) }
    }

    /// Returns false if the text replaces a lone surrogate by U+FFFD.
    pub(crate) fn is_exact(&self) -> bool {
        self.spelled.is_none()
    }

    fn into_owned(self) -> Text<'static> {
        Text {
            text: Cow::Owned(self.text.into_owned()),
            spelled: self.spelled.map(|spelled| Cow::Owned(spelled.into_owned())),
        }
    }
}

/// Returns a text in normalization form NFC, which is the same for all encodings of a letter: `é`
/// may be one character, or an `e` and a combining accent.
pub(crate) fn nfc(text: Cow<'_, str>) -> Cow<'_, str> {
    let normal = ComposingNormalizerBorrowed::new_nfc();
    match text {
        ascii if ascii.is_ascii() => ascii,
        Cow::Borrowed(text) => normal.normalize(text),
        Cow::Owned(text) => Cow::Owned(normal.normalize(&text).into_owned()),
    }
}

impl<'a> Object<'a> {
    fn read(text: &'a str, depth: u32) -> Self {
        let mut members: Vec<_> =
            each_member(text).map(|(key, value)| (key.text(), value)).collect();
        // The last of duplicate keys counts: reversed and sorted stably, it comes first.
        members.reverse();
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        members.dedup_by(|(a, _), (b, _)| a == b);
        let read = |(key, value)| (key, Value::at_depth(value, depth + 1));
        Self(members.into_iter().map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Value};

    #[test]
    fn the_order_is_that_of_jq() {
        let ascending = [
            "null",
            "false",
            "true",
            "-1",
            "0",
            "1.5",
            "10",
            "\"\"",
            "\"B\"",
            "\"a\"",
            "\"é\"",
            "\"\u{1F600}\"",
            "[]",
            "[0]",
            "[0,1]",
            "[1]",
            "{}",
            "{\"a\":2}",
            "{\"a\":1,\"b\":1}",
            "{\"b\":0}",
        ];
        for pair in ascending.windows(2) {
            assert!(Value::read(pair[0]) < Value::read(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn objects_equal_whatever_the_order_of_their_keys_and_the_last_duplicate_counts() {
        let a = Value::read(r#"{"a":1, "b":[1.0, "\u00e9"], "a":2}"#);
        assert_eq!(a, Value::read(r#"{"b":[1,"é"],"a":2.0}"#));
        assert_ne!(a, Value::read(r#"{"b":[1,"é"],"a":1}"#));
    }

    #[test]
    fn a_letter_equals_every_spelling_of_it() {
        assert_eq!(Value::read("\"Jos\u{e9}\""), Value::read("\"Jose\u{301}\""));
        assert_eq!(Value::read("\"Jos\u{e9}\""), Value::read(r#""Jose\u0301""#));
        assert_ne!(Value::read("\"Jose\""), Value::read("\"Jose\u{301}\""));
    }

    #[test]
    fn lone_surrogates_equal_only_their_like() {
        assert_ne!(Value::read(r#""\ud800""#), Value::read(r#""\ud801""#));
        assert_ne!(Value::read(r#""\ud800""#), Value::read("\"\u{fffd}\""));
        assert_eq!(Value::read(r#""\ud800""#), Value::read(r#""\ud800""#));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(10_000), "]".repeat(10_000));
        let (one, two, spaced) = (deep("1"), deep("2"), deep(" 1 "));
        assert_ne!(Value::read(&one), Value::read(&two));
        assert_eq!(Value::read(&one), Value::read(&spaced).into_owned());
        assert_eq!(Value::read(&one).kind(), Kind::Array);
    }
}
