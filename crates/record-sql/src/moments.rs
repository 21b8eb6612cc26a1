//! The date functions, over every form of a date that conditions read, too.
//!
//! SQLite's own functions come first, so each of their readings stays, but for days that there are
//! not: 2026-02-30 is null rather than 2 March. Where they return null, a value is read as a moment: a text in any form of [`date_text`], a number of seconds,
//! milliseconds, microseconds or nanoseconds since 1970, or a day such as 20250514.

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result, Statement, params_from_iter};

use crate::records::date::has_day;

/// The functions of SQLite that read dates, with the places of the arguments that are dates.
pub(crate) const FUNCTIONS: [(&str, &[usize]); 7] = [
    ("date", &[0]),
    ("datetime", &[0]),
    ("time", &[0]),
    ("julianday", &[0]),
    ("unixepoch", &[0]),
    ("strftime", &[1]),
    ("timediff", &[0, 1]),
];

/// Modifiers that say how numbers are read.
pub(crate) const READINGS: [&str; 3] = ["unixepoch", "auto", "julianday"];

/// The function of notes that returns a moment in seconds since 1970, and the one that returns the
/// name of the form of a value that is one.
pub(crate) const MOMENT: &str = "unburden_moment";
pub(crate) const FORM: &str = "unburden_form";

/// The form of a value that is a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Date,
    Day,
    /// A unit since 1970, and how many of it are a second.
    Epoch(&'static str, f64),
}

/// Units since 1970, and the exponents of ten between which their numbers are: the years 1973 to
/// 2286, in which no number is a Julian day.
const UNITS: [(&str, f64, [f64; 2]); 4] = [
    ("seconds since 1970", 1.0, [1e8, 1e10]),
    ("milliseconds since 1970", 1e3, [1e11, 1e13]),
    ("microseconds since 1970", 1e6, [1e14, 1e16]),
    ("nanoseconds since 1970", 1e9, [1e17, 1e19]),
];

impl Form {
    /// Returns the name of the form in the plural.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Date => "dates",
            Self::Day => "days such as 20250514",
            Self::Epoch(unit, _) => unit,
        }
    }
}

/// Returns the moment that a value is, in seconds since 1970, and its form.
pub(crate) fn moment(value: ValueRef<'_>) -> Option<(f64, Form)> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "to the millisecond in every unit")]
        ValueRef::Integer(number) => of_number(number as f64),
        ValueRef::Real(number) => of_number(number),
        ValueRef::Text(text) => {
            let text = std::str::from_utf8(text).ok()?.trim();
            if let Ok(number) = text.parse() {
                return of_number(number);
            }
            let span = date_text::span(text).filter(|span| !span.is_year)?;
            Some((span.seconds(), Form::Date))
        }
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

fn of_number(number: f64) -> Option<(f64, Form)> {
    let unit = UNITS.iter().find(|(.., [low, high])| (*low..*high).contains(&number));
    if let Some((unit, size, _)) = unit {
        let millis = (number / size * 1e3).round();
        return Some((millis / 1e3, Form::Epoch(unit, *size)));
    }
    let is_day = number.fract() == 0.0 && (19_000_101.0..=21_001_231.0).contains(&number);
    let digits = is_day.then(|| format!("{number}"))?;
    let span = date_text::span(&format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]))?;
    Some((span.seconds(), Form::Day))
}

/// Adds the functions to a connection.
pub(crate) fn add(db: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function(MOMENT, 1, flags, |context| {
        Ok(moment(context.get_raw(0)).map(|(seconds, _)| seconds))
    })?;
    db.create_scalar_function(FORM, 1, flags, |context| {
        Ok(moment(context.get_raw(0)).map(|(_, form)| form.name()))
    })?;
    for (name, dates) in FUNCTIONS {
        // 'now' is computed once in a statement, too, if no column is next to it.
        db.create_scalar_function(name, -1, flags, move |context| read(name, dates, context))?;
    }
    Ok(())
}

fn read(name: &'static str, dates: &[usize], context: &Context<'_>) -> Result<Value> {
    let given = (0..context.len()).map(|at| Ok(Value::try_from(context.get_raw(at))?));
    let mut arguments: Vec<Value> = given.collect::<Result<_>>()?;
    let is_no_day = |at: &usize| match arguments.get(*at) {
        Some(Value::Text(text)) => !has_day(text.trim()),
        _ => false,
    };
    if dates.iter().any(is_no_day) {
        return Ok(Value::Null);
    }
    let first = call(name, &arguments)?;
    if first != Value::Null || arguments.contains(&Value::Null) {
        return Ok(first);
    }
    let mut is_other = false;
    for at in dates.iter().copied().rev() {
        let Some((seconds, _)) = arguments.get(at).and_then(|value| moment(value.into())) else {
            continue;
        };
        is_other = true;
        if name == "timediff" {
            arguments[at] = call("datetime", &epoch(seconds))?;
            continue;
        }
        let reading = match arguments.get(at + 1) {
            Some(Value::Text(text)) => text.trim(),
            _ => "",
        };
        if READINGS.iter().any(|known| reading.eq_ignore_ascii_case(known)) {
            arguments.remove(at + 1);
        }
        arguments.splice(at..=at, epoch(seconds));
    }
    if is_other { call(name, &arguments) } else { Ok(Value::Null) }
}

fn epoch(seconds: f64) -> [Value; 2] {
    [Value::Real(seconds), Value::Text("unixepoch".to_owned())]
}

thread_local! {
    /// A connection with SQLite's own functions, and a statement for each of them. The connection
    /// lives as long as its thread, or the statements could not borrow it.
    static OWN: RefCell<Option<Own>> = const { RefCell::new(None) };
}

struct Own {
    db: &'static Connection,
    statements: HashMap<(&'static str, usize), Statement<'static>>,
}

fn call(name: &'static str, arguments: &[Value]) -> Result<Value> {
    OWN.with_borrow_mut(|own| {
        let own = match own {
            Some(own) => own,
            None => {
                let db = Box::leak(Box::new(Connection::open_in_memory()?));
                own.insert(Own { db, statements: HashMap::new() })
            }
        };
        let statement = match own.statements.entry((name, arguments.len())) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let places = vec!["?"; arguments.len()].join(",");
                new.insert(own.db.prepare(&format!("SELECT {name}({places})"))?)
            }
        };
        statement.query_row(params_from_iter(arguments), |row| row.get(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(sql: &str) -> String {
        let db = Connection::open_in_memory().unwrap();
        add(&db).unwrap();
        let value: Value = db.query_row(&format!("SELECT {sql}"), [], |row| row.get(0)).unwrap();
        format!("{value:?}")
    }

    #[test]
    fn every_form_of_a_date_is_read() {
        for value in [
            "'2025-05-14T10:00:00Z'",
            "'2025-05-14T19:00:00+0900'",
            "'2025-05-14 12:00:00 +02'",
            "'2025-05-14 10:00:00 UTC'",
            "'2025-05-14 10:00:00,000'",
            "'2025/05/14 10:00'",
            "'Wed, 14 May 2025 10:00:00 GMT'",
            "'2025-05-14 10:00 AM'",
            "1747216800",
            "'1747216800'",
            "1747216800000",
            "1747216800000000",
            "1747216800000000000",
        ] {
            let day = all(&format!("datetime({value})"));
            assert_eq!(day, "Text(\"2025-05-14 10:00:00\")", "{value}");
            let plain = all("julianday('2025-05-14 10:00:00')");
            assert_eq!(all(&format!("julianday({value})")), plain, "{value}");
            for reading in ["unixepoch", "auto"] {
                let month = all(&format!("strftime('%m', {value}, '{reading}', '+1 month')"));
                assert_eq!(month, "Text(\"06\")", "{value} {reading}");
            }
        }
        assert_eq!(all("date(20250514)"), "Text(\"2025-05-14\")");
        assert_eq!(all("date('2026-02-30')"), "Null");
        assert_eq!(all("strftime('%d', '2025-04-31 10:00')"), "Null");
        assert_eq!(all("unixepoch('14 May 2025')"), all("unixepoch('2025-05-14')"));
        assert_eq!(
            all("timediff('2025/05/15', 1747216800)"),
            all("timediff('2025-05-15', '2025-05-14 10:00')")
        );
    }

    #[test]
    fn what_sqlite_reads_stays() {
        for sql in [
            "date(2460000.5)",
            "date('2025')",
            "time('12:30')",
            "date(1747216800, 'unixepoch')",
            "strftime('%Y', '2025-05-14', 'start of year')",
            "date(NULL)",
            "date('')",
            "date('n/a')",
            "date('2025-05-14', 'no modifier')",
        ] {
            let db = Connection::open_in_memory().unwrap();
            let value: Value =
                db.query_row(&format!("SELECT {sql}"), [], |row| row.get(0)).unwrap();
            assert_eq!(all(sql), format!("{value:?}"), "{sql}");
        }
    }
}
