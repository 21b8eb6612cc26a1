//! Texts in the order of their letters where another order is meant: numbers, versions, dates
//! whose year comes last, times of several zones.

use std::cmp::Ordering;

use rusqlite::types::Value;

use crate::notes::facts::{Facts, Read};
use crate::records::profile::Type;
use crate::sql::quoting::{self, spelled};

/// The most values whose order is looked at.
const MAX_VALUES: usize = 5_000;

/// A text, and the moment that SQLite reads it as.
struct Spelled {
    text: String,
    day: Option<f64>,
}

/// A way to read the texts of a column.
struct Reading {
    key: fn(&Spelled) -> Option<Vec<f64>>,
    /// The kind of texts, in the plural.
    name: &'static str,
    /// The way to order them; `{}` is the column.
    how: &'static str,
}

/// The first that reads every text counts.
const READINGS: [Reading; 5] = [
    Reading {
        key: |spelled| Some(vec![spelled.text.trim().parse().ok()?]),
        name: "numbers",
        how: "CAST({} AS REAL) orders numbers",
    },
    Reading {
        key: |spelled| {
            let [month, day, year] = date(&spelled.text)?;
            (month < 13.0).then(|| vec![year, month, day])
        },
        name: "dates whose year comes last",
        how: "substr({}, 7, 4) || substr({}, 1, 5) orders months and days of two digits",
    },
    Reading {
        key: |spelled| {
            let [day, month, year] = date(&spelled.text)?;
            (month < 13.0).then(|| vec![year, month, day])
        },
        name: "dates whose year comes last",
        how: "substr({}, 7, 4) || substr({}, 4, 2) || substr({}, 1, 2) orders days and months of \
              two digits",
    },
    Reading {
        key: |spelled| version(&spelled.text),
        name: "versions",
        how: "sort_by and where compare them part by part",
    },
    Reading {
        key: |spelled| Some(vec![spelled.day?]).filter(|_| spelled.text.len() > 10),
        name: "times of several zones",
        how: "datetime({}) is in UTC",
    },
];

/// Texts of which most begin with a number.
const BEGINNING: Reading = Reading {
    key: |spelled| {
        let text = spelled.text.trim_start_matches(['$', '€', '£', '+', '<', '>', '~', ' ']);
        text.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
        let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
        runs.map(|run| run.parse().ok()).collect()
    },
    name: "numbers with other characters",
    how: "CAST({} AS REAL) is the number at the start, without its unit",
};

/// Returns the note on a column whose texts, with `more` texts beside them, stand in another
/// order as text than as what they are.
pub(crate) fn of_letters(facts: &Facts<'_>, read: Read<'_>, more: &[&str]) -> Option<String> {
    (read.profile.kind() == Type::Text).then_some(())?;
    let of_column = format!("WHERE {{}} <> '' LIMIT {MAX_VALUES}");
    let mut rows = facts.rows(&read.query("DISTINCT {}, julianday({})", &of_column))?;
    for text in more {
        let text = quoting::text(text);
        rows.extend(facts.row(&format!("SELECT {text}, julianday({text})")));
    }
    let mut all: Vec<Spelled> = rows.into_iter().filter_map(spelled_of).collect();
    all.sort_by(|a, b| a.text.cmp(&b.text));
    let read_all = |reading: &Reading| all.iter().map(reading.key).collect::<Option<Vec<_>>>();
    let whole = READINGS.iter().find_map(|one| Some((one, read_all(one)?)));
    let (reading, keys) = match whole {
        Some(whole) => whole,
        None => {
            // Some may be other texts, such as a dash.
            let count = all.len();
            all.retain(|spelled| (BEGINNING.key)(spelled).is_some());
            (all.len() * 10 >= count * 8).then_some(())?;
            (&BEGINNING, all.iter().filter_map(BEGINNING.key).collect())
        }
    };
    let at = keys
        .windows(2)
        .position(|pair| pair[0].partial_cmp(&pair[1]) == Some(Ordering::Greater))?;
    let name = spelled(&read.column.name);
    Some(format!(
        "{name} is text of {}, compared letter by letter ({} < {}): {}",
        reading.name,
        quoting::text(&all[at].text),
        quoting::text(&all[at + 1].text),
        reading.how.replace("{}", &name)
    ))
}

fn spelled_of(row: Vec<Value>) -> Option<Spelled> {
    let [text, day] = row.try_into().ok()?;
    let Value::Text(text) = text else { return None };
    let day = if let Value::Real(day) = day { Some(day) } else { None };
    Some(Spelled { text, day })
}

fn version(text: &str) -> Option<Vec<f64>> {
    let text = text.trim();
    let parts = text.strip_prefix(['v', 'V']).unwrap_or(text).split('.');
    let part = |part: &str| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    parts.map(part).collect()
}

/// Reads `5/14/2025`, `14.05.2025` or `14-05-2025`, with or without a time.
fn date(text: &str) -> Option<[f64; 3]> {
    let (date, _) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let [first, second, year] = parts.try_into().ok()?;
    let number = |part: &str, most: usize| {
        let is_number =
            (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    };
    (year.len() == 4).then_some(())?;
    Some([number(first, 2)?, number(second, 2)?, number(year, 4)?])
}
