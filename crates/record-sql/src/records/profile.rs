//! The profile of a column: which values it has, and therefore its type.

use raw_json::unescape;

use crate::records::date;
use crate::records::number::{Number, boolean, decimals};
use crate::sql::quoting;

/// The values of one column over all records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    pub(crate) integers: u64,
    pub(crate) reals: u64,
    /// Numbers that SQLite cannot keep.
    pub(crate) large: u64,
    pub(crate) booleans: u64,
    pub(crate) texts: u64,
    /// Arrays and objects.
    pub(crate) containers: u64,
    /// Arrays among them.
    pub(crate) arrays: u64,
    pub(crate) nulls: u64,
    /// Texts that spell a number, at least until one does not.
    pub(crate) numeric_texts: u64,
    /// Texts that spell a boolean, at least until one does not.
    boolean_texts: u64,
    /// Texts that begin with a date and a time, at least until one does not.
    pub(crate) times: u64,
    /// Texts that SQLite reads as dates, at least until it does not read one.
    dates: u64,
    fractions: Fractions,
    /// The texts stay texts, whatever they spell.
    are_texts: bool,
    /// The first text.
    pub(crate) example: String,
}

/// The decimals of the texts that spell numbers.
#[derive(Clone, Debug, Default)]
struct Fractions {
    first: Option<usize>,
    differ: bool,
    trailing_zero: bool,
    any: bool,
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Whole numbers, also those in texts, and booleans as 1 and 0.
    Integer,
    /// Numbers, at least one of them with a fraction or exponent.
    Real,
    /// Texts.
    Text,
    /// Arrays, objects, large numbers, or values of several types, each as it is.
    Mixed,
}

impl Profile {
    /// Counts one value, a valid JSON text.
    pub(crate) fn add(&mut self, value: &str) {
        match value.as_bytes().first() {
            Some(b'"') => self.add_text(value),
            Some(b'{') => self.containers += 1,
            Some(b'[') => {
                self.containers += 1;
                self.arrays += 1;
            }
            Some(b't' | b'f') => self.booleans += 1,
            Some(b'n') | None => self.nulls += 1,
            Some(_) => match Number::read(value) {
                Number::Integer(_) => self.integers += 1,
                Number::Real(_) => self.reals += 1,
                Number::Large => self.large += 1,
            },
        }
    }

    fn add_text(&mut self, literal: &str) {
        let inner = &literal[1..literal.len() - 1];
        if self.texts == 0 {
            self.example = unescape(literal).text.chars().take(40).collect();
        }
        // A text with an escape is neither a number nor a time.
        if self.numeric_texts == self.texts
            && let Some(decimals) = decimals(inner)
        {
            self.numeric_texts += 1;
            self.fractions.add(decimals, inner);
        }
        if self.boolean_texts == self.texts && boolean(inner).is_some() {
            self.boolean_texts += 1;
        }
        if self.times == self.texts && is_time(inner) {
            self.times += 1;
        }
        if self.dates == self.texts && date::is_read(inner) {
            self.dates += 1;
        }
        self.texts += 1;
    }

    /// Adds the values of the records that follow.
    pub(crate) fn append(&mut self, other: Self) {
        if self.texts == 0 {
            self.example = other.example;
        }
        self.fractions.append(&other.fractions);
        for (all, more) in [
            (&mut self.integers, other.integers),
            (&mut self.reals, other.reals),
            (&mut self.large, other.large),
            (&mut self.booleans, other.booleans),
            (&mut self.texts, other.texts),
            (&mut self.containers, other.containers),
            (&mut self.arrays, other.arrays),
            (&mut self.nulls, other.nulls),
            (&mut self.numeric_texts, other.numeric_texts),
            (&mut self.boolean_texts, other.boolean_texts),
            (&mut self.times, other.times),
            (&mut self.dates, other.dates),
        ] {
            *all += more;
        }
    }

    /// Returns the number of values that are not null.
    pub(crate) fn values(&self) -> u64 {
        self.numbers() + self.large + self.booleans + self.texts + self.containers
    }

    pub(crate) fn numbers(&self) -> u64 {
        self.integers + self.reals
    }

    /// Returns true if every text of the column spells a number that can be kept as one: its
    /// spelling has no trailing zero, or as many decimals as all others. Or all spell booleans,
    /// and others of the column are.
    pub(crate) fn texts_are_values(&self) -> bool {
        let kept = !self.fractions.trailing_zero || !self.fractions.differ;
        let are_numbers = self.texts == self.numeric_texts && self.booleans == 0 && kept;
        !self.are_texts && (self.texts == 0 || are_numbers || self.texts_are_booleans())
    }

    fn texts_are_booleans(&self) -> bool {
        self.booleans > 0 && self.texts == self.boolean_texts
    }

    /// Returns true if every value is a boolean.
    pub(crate) fn is_boolean(&self) -> bool {
        self.booleans + self.texts == self.values()
            && self.kind() == Type::Integer
            && self.texts_are_booleans()
    }

    /// Keeps the texts as texts.
    pub(crate) fn keep_texts(&mut self) {
        self.are_texts = true;
    }

    /// Returns true if texts are kept as numbers and some of them end with a zero.
    pub(crate) fn numbers_lose_zeros(&self) -> bool {
        self.fractions.trailing_zero && matches!(self.kind(), Type::Integer | Type::Real)
    }

    /// Returns true if every value is a text with a date and a time.
    pub(crate) fn is_time(&self) -> bool {
        self.texts > 0 && self.times == self.texts && self.values() == self.texts
    }

    /// Returns true if every value is a date that SQLite reads.
    pub(crate) fn is_date(&self) -> bool {
        self.texts > 0 && self.dates == self.texts && self.values() == self.texts
    }

    pub(crate) fn kind(&self) -> Type {
        if self.containers > 0 || self.large > 0 {
            return Type::Mixed;
        }
        if self.texts == 0 || self.texts_are_values() {
            let real = self.reals > 0 || self.fractions.any;
            return if real { Type::Real } else { Type::Integer };
        }
        if self.numbers() + self.booleans > 0 { Type::Mixed } else { Type::Text }
    }

    /// Returns the types of the values as words: `numbers, text such as 'high'`.
    pub(crate) fn words(&self) -> String {
        let text = format!("text such as {}", quoting::text(&self.example));
        let parts = [
            (self.numbers() + self.large, "numbers"),
            (self.booleans, "booleans, which are 1 and 0"),
            (self.texts, text.as_str()),
            (self.arrays, "arrays, as JSON text"),
            (self.containers - self.arrays, "objects, as JSON text"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, words)| format!("{words} ({count})")).collect();
        if parts.is_empty() { "nulls only".to_owned() } else { parts.join(", ") }
    }
}

impl Fractions {
    fn append(&mut self, other: &Self) {
        if let Some(first) = other.first {
            self.differ |= *self.first.get_or_insert(first) != first;
        }
        self.differ |= other.differ;
        self.trailing_zero |= other.trailing_zero;
        self.any |= other.any;
    }

    fn add(&mut self, decimals: usize, text: &str) {
        self.any |= decimals > 0;
        self.differ |= *self.first.get_or_insert(decimals) != decimals;
        self.trailing_zero |= decimals > 0 && text.ends_with('0');
    }
}

/// Returns true for `YYYY-MM-DD`, followed by `T` or a space.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 10 && matches!(bytes[10], b'T' | b't' | b' ') && is_date(&bytes[..10])
}

/// Returns true for `YYYY-MM-DD`.
pub(crate) fn is_date(bytes: &[u8]) -> bool {
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> Type {
        let mut profile = Profile::default();
        values.iter().for_each(|value| profile.add(value));
        profile.kind()
    }

    #[test]
    fn a_type_is_that_of_all_values() {
        assert_eq!(kind(&["1", "null", "2"]), Type::Integer);
        assert_eq!(kind(&["1", "2.0"]), Type::Real);
        assert_eq!(kind(&["true", "false"]), Type::Integer);
        assert_eq!(kind(&["\"13\"", "\"4\""]), Type::Integer);
        assert_eq!(kind(&["\"13\"", "4"]), Type::Integer);
        assert_eq!(kind(&["\"12.50\"", "\"3.00\""]), Type::Real);
        assert_eq!(kind(&["\"1.9\"", "\"1.10\""]), Type::Text);
        assert_eq!(kind(&["\"13\"", "\"12.4.1\""]), Type::Text);
        assert_eq!(kind(&["\"007\""]), Type::Text);
        assert_eq!(kind(&["\"high\"", "4"]), Type::Mixed);
        assert_eq!(kind(&["\"true\"", "false"]), Type::Integer);
        assert_eq!(kind(&["\"true\"", "\"false\""]), Type::Text);
        assert_eq!(kind(&["\"yes\"", "false"]), Type::Mixed);
        assert_eq!(kind(&["\"1\"", "false"]), Type::Mixed);
        assert_eq!(kind(&["[1]"]), Type::Mixed);
        assert_eq!(kind(&["12345678901234567890"]), Type::Mixed);
    }

    #[test]
    fn times_are_known() {
        let mut profile = Profile::default();
        profile.add("\"2025-05-14T08:00:00Z\"");
        assert!(profile.is_time());
        profile.add("\"2025-05-14\"");
        assert!(!profile.is_time());
    }
}
