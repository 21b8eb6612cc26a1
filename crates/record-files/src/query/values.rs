//! The values of a field with their counts, and the values that are similar to a text.

use std::collections::HashMap;

use raw_json::{self as raw, Kind, each_element, letters_between};

use super::json::path::Hits;
use super::json::path_set::Record;
use super::request::Query;

/// Maximum number of distinct values that are counted.
const MAX_VALUES: usize = 100_000;
/// Maximum length of a value that is counted, in bytes of its spelling.
const MAX_BYTES: usize = 200;
/// Maximum number of values whose edit distance is measured.
const MAX_MEASURED: usize = 5_000;

/// Values as spelled, and the number of records with each.
#[derive(Debug, Default)]
pub(super) struct Values<'a>(HashMap<&'a str, u64>);

impl<'a> Values<'a> {
    /// Counts the values of a path of `query` in some lines, until `stop` returns true.
    pub(super) fn of(
        query: &Query,
        path: usize,
        lines: impl Iterator<Item = &'a str>,
        stop: &dyn Fn() -> bool,
    ) -> Self {
        let mut values = Self::default();
        let (mut record, mut hits) = (Record::default(), Hits::default());
        for (number, line) in lines.enumerate() {
            if number % 256 == 255 && stop() {
                break;
            }
            if query.paths.read(line.trim_ascii(), &mut record).is_ok() {
                query.paths.find(path, &record, &mut hits);
                hits.values.iter().for_each(|value| values.add(value));
            }
        }
        values
    }

    /// Counts a value, or the elements of an array.
    pub(super) fn add(&mut self, value: &'a str) {
        match Kind::of_value(value) {
            Kind::Array => each_element(value)
                .filter(|element| !element.starts_with(['[', '{']))
                .for_each(|element| self.count(element, 1)),
            Kind::Object | Kind::Null => {}
            _ => self.count(value, 1),
        }
    }

    fn count(&mut self, value: &'a str, times: u64) {
        if value.len() > MAX_BYTES {
            return;
        }
        if let Some(count) = self.0.get_mut(value) {
            *count += times;
        } else if self.0.len() < MAX_VALUES {
            self.0.insert(value, times);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(value, count)| self.count(value, count));
    }

    /// Returns the number of distinct values.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns all values.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }

    /// Returns the `max` most frequent values.
    pub(super) fn top(&self, max: usize) -> Vec<(&'a str, u64)> {
        let mut all: Vec<(&str, u64)> = self.0.iter().map(|(v, count)| (*v, *count)).collect();
        all.sort_by(|(a, more), (b, less)| less.cmp(more).then(a.cmp(b)));
        all.truncate(max);
        all
    }

    /// Returns the values that are most similar to a text: equal except for case, then with one as
    /// the start of the other, then with one in the other, then with a small edit distance. For
    /// ids, similar values mean other things, so the last two are replaced by codes that differ
    /// only in prefix, zeros or marks.
    pub(super) fn near(&self, wanted: &str, max: usize, is_id: bool) -> Vec<(&'a str, u64)> {
        let wanted = wanted.trim().to_lowercase();
        if wanted.len() > MAX_BYTES {
            return Vec::new();
        }
        let mut near: Vec<(usize, &str, u64)> = Vec::new();
        for (measured, (value, count)) in self.0.iter().enumerate() {
            let text = if raw::is_string(value) {
                raw::unescape(value).text.trim().to_lowercase()
            } else {
                (*value).to_owned()
            };
            if text.is_empty() || wanted.is_empty() {
                continue;
            }
            // `T-5` is not a start of `T-500`.
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
            let is_start =
                text.starts_with(&wanted) || wanted.strip_prefix(&*text).is_some_and(ends);
            let rank = if text == wanted {
                Some(0)
            } else if is_start {
                Some(1)
            } else if is_id {
                is_same_code(&wanted, &text).then_some(2)
            } else if text.contains(&wanted) || wanted.contains(&text) {
                Some(2)
            } else if measured < MAX_MEASURED {
                let far = letters_between(&wanted, &text);
                (far * 3 <= wanted.chars().count()).then_some(2 + far)
            } else {
                None
            };
            near.extend(rank.map(|rank| (rank, *value, *count)));
        }
        near.sort_by(|a, b| (a.0, b.2, a.1).cmp(&(b.0, a.2, b.1)));
        near.into_iter().take(max).map(|(_, value, count)| (value, count)).collect()
    }
}

/// Returns true if two ids differ only in their prefix, in leading zeros, or in punctuation: `0042`
/// and `ORD-42`.
fn is_same_code(a: &str, b: &str) -> bool {
    let is_end = |long: &str, short: &str| {
        let Some(front) = long.strip_suffix(short).and_then(|front| front.chars().last()) else {
            return false;
        };
        let first = short.chars().next().unwrap_or(' ');
        let is_cut = |is: fn(char) -> bool| is(front) && is(first);
        !is_cut(|c| c.is_ascii_digit()) && !is_cut(char::is_alphabetic)
    };
    let parts = |text: &str| {
        let front = text.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = text[front.len()..].trim_start_matches('0').to_owned();
        let front: String = front.chars().filter(|c| c.is_alphanumeric()).collect();
        (front, digits)
    };
    let ((a_front, a_digits), (b_front, b_digits)) = (parts(a), parts(b));
    let is_same_number = !a_digits.is_empty()
        && a_digits == b_digits
        && (a_front == b_front || a_front.is_empty() || b_front.is_empty());
    is_end(a, b) || is_end(b, a) || is_same_number
}

/// Lists values with their counts: `"active" (120), "closed" (80)`.
pub(super) fn listed(values: &[(&str, u64)]) -> String {
    let one = |(value, count): &(&str, u64)| format!("{} ({count})", super::error::quoted(value));
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Values, listed};

    #[test]
    fn the_nearest_come_first() {
        let mut values = Values::default();
        for value in [r#""Active""#, r#""inactive""#, r#""active-old""#, "7", r#"["x","Active"]"#] {
            values.add(value);
        }
        let near = |wanted| listed(&values.near(wanted, 3, false));
        assert_eq!(near("active"), r#""Active" (2), "active-old" (1), "inactive" (1)"#);
        assert_eq!(near("Actve"), r#""Active" (2)"#);
        assert_eq!(near("zzz"), "");
        assert_eq!(listed(&values.top(1)), r#""Active" (2)"#);
    }
}
