//! Notes on date functions: values that they cannot read, and numbers that they read as moments.

use std::ops::Range;

use rusqlite::types::Value;

use crate::moments::{FORM, FUNCTIONS, MOMENT, READINGS};
use crate::notes::facts::{Facts, literal, plain};
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;

/// Numbers below are years or ids rather than Julian days.
const MIN_JULIAN: &str = "1000000";

/// Notes on values that a date function reads as null, or not as they may be meant.
pub(crate) fn notes(facts: &Facts<'_>, noted: &[usize]) -> Vec<String> {
    let statement = facts.statement();
    let calls = FUNCTIONS.iter().flat_map(|(name, dates)| {
        let names = std::slice::from_ref(name);
        let calls: Vec<usize> = statement.calls_of(names).collect();
        calls.into_iter().flat_map(|at| dates.iter().map(move |date| (at, *date)))
    });
    calls
        .filter_map(|(at, date)| of_call(facts, at, date))
        .chain(of_operands(facts, noted))
        .collect()
}

/// A note on one argument of a date function.
fn of_call(facts: &Facts<'_>, at: usize, date: usize) -> Option<String> {
    let statement = facts.statement();
    let mut places = statement.arguments(at + 1).get(date)?.clone();
    let mut call = statement.call_text(at).to_owned();

    // The least or greatest of dates is one of them.
    if statement.is_any(places.start, &["min", "max"])
        && statement.is(places.start + 1, "(")
        && let Some(one) = statement.argument(places.start)
    {
        call = call.replace(statement.text(places), statement.text(one.clone()));
        places = one;
    }

    let argument = statement.bytes(places.clone());
    if let Some(note) = of_arguments(facts, at, &argument) {
        return Some(note);
    }
    if facts.column_at(places.clone()).is_some_and(|read| read.profile.is_date())
        || !statement.has_columns(places.clone())
        || !statement.is_scalar(places)
    {
        return None;
    }
    let function = statement.word(at);
    let name = &statement.sql[argument];
    let (with, from) = (statement.with(), facts.kept_from(at)?);
    let unread = format!("{name} IS NOT NULL AND {call} IS NULL");
    let named = READINGS.iter().any(|word| call.to_lowercase().contains(word));
    let julian =
        format!("{name} NOT GLOB '*[^.0-9]*' AND {name} + 0 < {MIN_JULIAN} AND {call} IS NOT NULL");
    let counts =
        format!("{with}SELECT count({name}), sum({unread}), sum({julian}), max({name}) {from}");
    let counts = facts.db.row(&counts)?;
    let [all, unread_count, of_julian, most] = counts.as_slice() else { return None };
    let is_none = |count: &str| matches!(count, "0" | "null");
    let (all, count, of_julian) = (plain(all), plain(unread_count), plain(of_julian));
    if !is_none(&count) {
        let one = facts.db.row(&format!("{with}SELECT {name} {from} WHERE {unread} LIMIT 1"))?;
        return Some(format!(
            "{count} of {all} values of {name} are not dates for {function}(), such as {}: it \
             reads '2025-05-14' and '2025-05-14T10:00:00Z'",
            literal(one.first()?)
        ));
    }
    if !is_none(&of_julian) && !named {
        return Some(format!(
            "{of_julian} of {all} values of {name} are numbers, which {function}() reads as \
             Julian days, not as years"
        ));
    }
    if let Some(date) = in_1970(facts, most).filter(|_| named && shows_year(&call)) {
        return Some(format!(
            "{name} goes to {}, which {function}() reads as seconds since 1970, up to {date}",
            plain(most)
        ));
    }
    of_forms(facts, at, name, &from, named)
}

/// Returns the note on values that are numbers of seconds or of another unit. `named` is true if
/// the call says how it reads numbers.
fn of_forms(facts: &Facts<'_>, at: usize, name: &str, from: &str, named: bool) -> Option<String> {
    let (statement, with) = (facts.statement(), facts.statement().with());
    let forms = facts.db.rows(&format!(
        "{with}SELECT {FORM}({name}), count(*) {from} WHERE {MOMENT}({name}) IS NOT NULL \
         GROUP BY 1 ORDER BY 2 DESC"
    ))?;
    // 'unixepoch' says that numbers are seconds.
    let is_number = |form: &str| form != "dates" && !(named && form.starts_with("seconds"));
    forms.iter().any(|row| is_number(&plain(&row[0]))).then_some(())?;
    let forms: Vec<String> = match forms.as_slice() {
        [one] => vec![plain(&one[0])],
        all => all.iter().map(|row| format!("{} ({})", plain(&row[0]), plain(&row[1]))).collect(),
    };
    let function = statement.word(at);
    Some(format!("{name} holds {}, which {function}() reads as such", forms.join(" and ")))
}

/// Returns the date of a number of seconds in 1970, which may be of other units or divided once too
/// often.
fn in_1970(facts: &Facts<'_>, seconds: &Value) -> Option<String> {
    let seconds = match seconds {
        Value::Integer(_) | Value::Real(_) => plain(seconds),
        _ => return None,
    };
    let date = facts.db.row(&format!("SELECT date({seconds}, 'unixepoch')"))?;
    Some(plain(date.first()?)).filter(|date| date.starts_with("1970"))
}

/// Returns true unless a call shows a time alone, such as that of a duration.
fn shows_year(call: &str) -> bool {
    !call.to_lowercase().starts_with("time") && (!call.contains('%') || call.contains("%Y"))
}

/// Arguments next to a date with which the function is null for every date, or a format without
/// codes.
fn of_arguments(facts: &Facts<'_>, at: usize, date: &Range<usize>) -> Option<String> {
    let statement = facts.statement();
    let call = statement.bytes(at..statement.closing(at + 1) + 1);
    let of = |date_text: &str| {
        let sql = &statement.sql;
        let (before, behind) = (&sql[call.start..date.start], &sql[date.end..call.end]);
        let value = facts.db.row(&format!("SELECT {before}{date_text}{behind}"))?;
        value.first().map(plain)
    };
    let function = statement.word(at);
    let format = statement.arguments(at + 1).first().cloned().filter(|first| {
        function.eq_ignore_ascii_case("strftime")
            && statement.tokens[first.start].kind == Kind::Text
            && first.len() == 1
    });
    let format = format.map(|first| statement.value(first.start));
    if let Some(format) = format.as_ref().filter(|format| !format.contains('%')) {
        return Some(format!(
            "strftime() has no codes in '{format}', which is the result itself: a code begins with \
             %, such as '%Y-%m-%d'"
        ));
    }
    // With 'unixepoch' it is null for a text, and without for many a number.
    let is_null = ["'2025-05-14 10:00:00'", "1747216800", "2460810.5"]
        .into_iter()
        .all(|date| of(date).is_some_and(|value| value == "null"));
    is_null.then(|| {
        let codes = format.unwrap_or_default();
        let codes = codes.split('%').skip(1).filter_map(|rest| rest.chars().next());
        let unknown = codes.into_iter().find(|code| {
            let alone = format!("SELECT strftime('%{code}', '2025-05-14')");
            facts.db.row(&alone).is_some_and(|row| plain(&row[0]) == "null")
        });
        let shown: String = statement.sql[call.clone()].chars().take(80).collect();
        match unknown {
            Some(code) => format!(
                "{shown} is null for every date, because there is no %{code}: %Y %m %d %H %M %S %j \
                 %w and %W are numbers of the date"
            ),
            None => format!(
                "{shown} is null for every date: there are modifiers such as 'start of month', \
                 '-7 days', 'weekday 0' and 'unixepoch', and times are in UTC"
            ),
        }
    })
}

/// Times next to a date function, whose text has another form than theirs.
fn of_operands(facts: &Facts<'_>, noted: &[usize]) -> Option<String> {
    const ORDER: [&str; 7] = ["<", "<=", ">", ">=", "=", "==", "between"];
    let statement = facts.statement();
    statement.places_of(&ORDER).filter(|at| !noted.contains(at)).find_map(|at| {
        let function = ["date", "datetime"].into_iter().find(|name| statement.is(at + 1, name))?;
        statement.is(at + 2, "(").then_some(())?;
        let read = facts.column_at(statement.expression_before(at)?)?;

        let example = &read.profile.example;
        // The start of a day is before all of its times.
        let is_day = function == "date" && statement.is_any(at, &[">=", "<"]);
        // A column is in the order of its times, and equal only letter by letter.
        let is_ordered = !statement.is_any(at, &["=", "=="]);
        let has_form = function == "datetime"
            && (is_ordered || (example.len() == 19 && !example.contains('T')));
        let is_time = read.profile.is_time() && example.len() > 10;
        (is_time && !is_day && !has_form).then(|| {
            let (name, call) = (spelled(&read.column.name), statement.call_text(at + 1));
            format!(
                "{name} has times such as {}, and the text of {call} has another form: compare \
                 {function}({name})",
                crate::sql::quoting::text(example)
            )
        })
    })
}
