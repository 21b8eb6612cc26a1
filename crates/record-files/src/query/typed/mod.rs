//! Infers the type of a field from its values, and reads values and operands as this type.
//!
//! Strings that are all numbers (also as people write them), versions or dates compare as such.
//! Blank strings count as missing here. A number in a field of versions is a version.

mod operand;

use std::borrow::Cow;

use date_text::version::{Fractions, Version};
use date_text::words::{self, Words};
use date_text::written_number::{NOTATIONS, Notation, Separators, are_of_one_unit, marks};
use raw_json::{self as raw, Kind, Scanner, each_element};

use super::json::value::Value;
use crate::number::Number;

pub(super) use operand::{Range, understand};

const NUMBER: u16 = 1;
const VERSION: u16 = 2;
const DATE: u16 = 4;
/// The bit of the first of [`NOTATIONS`]; the bits of the others follow.
const WRITTEN: u16 = 8;
const ANY: u16 = (WRITTEN << NOTATIONS.len()) - 1;

/// Number of bytes at the start of a string's spelling in which a number may begin.
const BEGINNING: usize = 8;

/// The facts about the values of a field, from which its type is inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The JSON types, as bits of [`Kind`].
    pub(super) kinds: u8,
    /// The types that all strings so far can be parsed as.
    readings: u16,
    fractions: Fractions,
    words: words::Found,
    /// The currency signs and other marks next to numbers.
    marks: u8,
    separators: Separators,
    /// True if a string is blank.
    pub(super) has_blanks: bool,
    /// True if a string has a digit at its start, or after a few other characters: `$99`.
    has_digits: bool,
}

impl Default for Facts {
    fn default() -> Self {
        Self {
            kinds: 0,
            readings: ANY,
            fractions: Fractions::default(),
            words: words::Found::default(),
            marks: 0,
            separators: Separators::default(),
            has_blanks: false,
            has_digits: false,
        }
    }
}

/// The type that the strings of a field are parsed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strings {
    /// There are no strings.
    Absent,
    Text,
    Numbers,
    /// Numbers as people write them, in one notation.
    Written(Notation),
    Versions,
    Dates,
}

impl Facts {
    /// Adds a value, without the elements of an array.
    pub(super) fn add(&mut self, value: &str) {
        let kind = Kind::of_value(value);
        self.kinds |= kind.bit();
        if kind == Kind::String {
            let beginning = value.as_bytes().iter().take(BEGINNING);
            self.has_digits |= beginning.skip(1).any(u8::is_ascii_digit);
            self.has_blanks |= is_blank(value);
            if self.words.is_open() {
                self.words.add(&raw::unescape(value).text);
            }
            if self.readings != 0 {
                let text = raw::unescape(value).text;
                self.readings &= readings(&text, self.readings);
                self.fractions.add(&text);
                self.marks |= marks(&text);
                self.separators.add(&text);
            }
        }
    }

    /// Adds a value and the elements of an array.
    pub(super) fn add_with_elements(&mut self, value: &str) {
        self.add(value);
        each_element(value).for_each(|element| self.add(element));
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.kinds |= other.kinds;
        self.readings &= other.readings;
        self.fractions.merge(other.fractions);
        self.words.merge(other.words);
        self.marks |= other.marks;
        self.separators.merge(other.separators);
        self.has_blanks |= other.has_blanks;
        self.has_digits |= other.has_digits;
    }

    /// Returns the type that all strings can be parsed as.
    pub(super) fn strings(self) -> Strings {
        let are_versions = self.readings & VERSION != 0 && self.fractions.are_of_versions();
        if !self.has(Kind::String) {
            Strings::Absent
        } else if self.readings == ANY {
            // All strings are blank.
            Strings::Text
        } else if self.readings & NUMBER != 0 && !are_versions {
            Strings::Numbers
        } else if self.readings & DATE != 0 {
            Strings::Dates
        } else if self.readings & VERSION != 0 {
            Strings::Versions
        } else {
            self.notation().map_or(Strings::Text, Strings::Written)
        }
    }

    fn notation(self) -> Option<Notation> {
        let has = |at: &usize| self.readings & (WRITTEN << at) != 0;
        let first = (0..NOTATIONS.len()).find(has).filter(|_| are_of_one_unit(self.marks))?;
        Some(NOTATIONS[first])
    }

    /// Returns a clause on how a separator in the numbers of `column` is read if the numbers leave
    /// it ambiguous; otherwise an empty string.
    pub(super) fn doubt(self, column: &str) -> String {
        let doubt = self.separators.doubt(self.marks);
        doubt.map_or_else(String::new, |doubt| format!(": {}", doubt.replace("{}", column)))
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.kinds & kind.bit() != 0
    }

    /// Returns true if texts begin with digits and are not all numbers, versions or dates, so that
    /// their letter order may not be the intended order.
    pub(super) fn is_lettered(self) -> bool {
        self.has_digits && self.strings() == Strings::Text
    }

    /// Returns the list of words that all texts are of, if it has another order than their letters.
    pub(super) fn words(self) -> Option<&'static Words> {
        self.words.misordered()
    }

    /// Returns the types of scalars that are not in `compared`, for a message; `None` if there are
    /// none, or if `compared` has no scalar type.
    pub(super) fn others(self, compared: &[Kind]) -> Option<String> {
        let scalars = Kind::Boolean.bit() | Kind::Number.bit() | Kind::String.bit();
        let compared = compared.iter().fold(0, |kinds, kind| kinds | kind.bit());
        let kinds = self.kinds & scalars & !compared;
        (kinds != 0 && compared & scalars != 0).then(|| Self { kinds, ..self }.name())
    }

    /// Names the type for a message: `numbers`, `dates`, `text and numbers`.
    pub(super) fn name(self) -> String {
        let scalars = self.kinds & !(Kind::Null.bit() | Kind::Array.bit());
        let kinds = if scalars == 0 { self.kinds & !Kind::Null.bit() } else { scalars };
        let names =
            Kind::ALL.into_iter().filter(|kind| kinds & kind.bit() != 0).map(|kind| {
                match (kind, self.strings()) {
                    (Kind::String, Strings::Numbers | Strings::Written(_)) => "numbers in strings",
                    (Kind::String, Strings::Versions) => "versions",
                    (Kind::String, Strings::Dates) => "dates",
                    (Kind::String, _) => "text",
                    _ => kind.plural(),
                }
            });
        let names: Vec<&str> = names.collect();
        if names.is_empty() { "null only".to_owned() } else { names.join(" and ") }
    }
}

impl Strings {
    /// Reads a value of the field. A string that is blank stays a string.
    pub(super) fn read(self, value: &str) -> Value<'_> {
        match Kind::of_value(value) {
            Kind::String => self.typed(raw::unescape(value).text),
            Kind::Number if self == Strings::Versions => Version::read(value).map(Value::Version),
            _ => None,
        }
        .unwrap_or_else(|| Value::read(value))
    }

    /// Returns true if strings are read as another type.
    pub(super) fn are_typed(self) -> bool {
        !matches!(self, Strings::Absent | Strings::Text)
    }

    /// Reads a value of the field for sorting: a blank string counts as missing if the strings are
    /// typed.
    pub(super) fn read_sorted(self, value: &str) -> Value<'_> {
        let is_missing =
            self.are_typed() && Kind::of_value(value) == Kind::String && is_blank(value);
        if is_missing { Value::Null } else { self.read(value) }
    }

    /// Parses a text as the type of the strings.
    fn typed(self, text: Cow<'_, str>) -> Option<Value<'_>> {
        match self {
            Strings::Numbers => number(text).map(Value::Number),
            Strings::Written(notation) => {
                Some(Value::Number(Number::read(&notation.read(&text)?).into_owned()))
            }
            Strings::Versions => Version::read(&text).map(Value::Version),
            Strings::Dates => date_text::span(&text).map(|span| Value::Instant(span.first)),
            Strings::Absent | Strings::Text => None,
        }
    }
}

/// Returns true for a JSON string of white space only.
fn is_blank(literal: &str) -> bool {
    raw::unescape(literal).text.trim().is_empty()
}

/// Returns those of the `possible` types that a text can be parsed as.
fn readings(text: &str, possible: u16) -> u16 {
    let text = text.trim();
    if text.is_empty() {
        return ANY;
    }
    if !text.bytes().take(BEGINNING).any(|byte| byte.is_ascii_alphanumeric()) {
        return 0;
    }
    let is_whole = text.len() < 19 && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut readings = if is_whole && !text.starts_with('0') {
        // It is a number in each notation, and also a version.
        possible & !DATE
    } else {
        let written = NOTATIONS.into_iter().enumerate().map(|(at, notation)| {
            let reading = possible & (WRITTEN << at);
            if reading != 0 && notation.read(text).is_some() { reading } else { 0 }
        });
        written.fold(0, |readings, reading| readings | reading)
    };
    if possible & NUMBER != 0 && number(Cow::Borrowed(text)).is_some() {
        readings |= NUMBER;
    }
    if possible & VERSION != 0 && Version::read(text).is_some() {
        readings |= VERSION;
    }
    if possible & DATE != 0 && date_text::span(text).is_some_and(|span| !span.is_year) {
        readings |= DATE;
    }
    readings
}

/// Parses a number in JSON syntax.
fn number(text: Cow<'_, str>) -> Option<Number<'_>> {
    let trimmed = text.trim();
    let is_number =
        Kind::of_value(trimmed) == Kind::Number && Scanner::new(trimmed).value() == Some(trimmed);
    if !is_number {
        return None;
    }
    Some(match text {
        Cow::Borrowed(text) => Number::read(text.trim()),
        Cow::Owned(text) => Number::read(text.trim()).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Facts, NOTATIONS, Strings};

    fn strings(values: &[&str]) -> Strings {
        let mut facts = Facts::default();
        values.iter().for_each(|value| facts.add_with_elements(value));
        facts.strings()
    }

    #[test]
    fn strings_have_the_type_that_all_of_them_have() {
        for (values, expected) in [
            (vec!["1", "null"], Strings::Absent),
            (vec![r#""1""#, r#""-2.5e3""#, "7", r#""""#], Strings::Numbers),
            (vec![r#""1""#, r#""13.1.2""#], Strings::Versions),
            (vec![r#""13.1""#, r#""v2""#], Strings::Versions),
            (vec![r#""1.1""#, r#""1.10""#, r#""1.9""#], Strings::Versions),
            (vec![r#""1.50""#, r#""1.10""#], Strings::Numbers),
            (vec![r#""1.5""#, r#""-1.10""#], Strings::Numbers),
            (vec![r#""1.5""#, r#""1.25""#, r#""10""#, r#""2.0""#], Strings::Numbers),
            (vec![r#"["2025-05-14"]"#, r#""2025-05-14T10:00:00Z""#, r#""""#], Strings::Dates),
            (vec![r#""2024.01.05""#, r#""May 2025""#], Strings::Dates),
            (vec![r#""2024""#, r#""2025""#], Strings::Numbers),
            (vec![r#""2025-05-14""#, r#""n/a""#], Strings::Text),
            (vec![r#""1""#, r#""2025-05-14""#], Strings::Text),
            (vec![r#""$1,893.20""#, r#""$5""#, "7"], Strings::Written(NOTATIONS[0])),
            (vec![r#""1.196,27 €""#, r#""-5,5 €""#, r#""""#], Strings::Written(NOTATIONS[1])),
            (vec![r#""$5""#, r#""5 €""#], Strings::Text),
            (vec![r#""$5""#, r#""n/a""#], Strings::Text),
            (vec![r#""1.2.0-beta.1""#, r#""1.10.0""#], Strings::Versions),
            // Codes such as postal codes keep their leading zeros.
            (vec![r#""01234""#, r#""99501""#], Strings::Text),
            (vec![r#""""#], Strings::Text),
        ] {
            assert_eq!(strings(&values), expected, "{values:?}");
        }
    }

    #[test]
    fn versions_are_compared_part_by_part() {
        let read = |value| Strings::Versions.read(value);
        assert!(read(r#""9.3.5""#) < read(r#""13""#));
        assert!(read(r#""13""#) < read(r#""13.1.2""#));
        assert_eq!(read(r#""v13.0""#), read("13"));
        assert!(read(r#""1.10-rc.1""#) < read(r#""1.10""#));
        assert!(read(r#""1.9""#) < read(r#""1.10""#) && read(r#""1.1""#) != read(r#""1.10""#));
    }
}
