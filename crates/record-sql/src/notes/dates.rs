//! Date functions over values that SQLite cannot read as dates.

use crate::notes::facts::{Facts, Read, literal, plain};
use crate::sql::quoting::spelled;
use crate::sql::statement::Statement;
use crate::sql::token::Kind;

/// The date functions; of `strftime` the second argument is the date.
const FUNCTIONS: [&str; 6] = ["date", "datetime", "time", "julianday", "unixepoch", "strftime"];

/// Modifiers that say how numbers are read.
const READINGS: [&str; 3] = ["unixepoch", "auto", "julianday"];

/// A notation of instants, and the expression by which SQLite reads it; `{}` is the column.
struct Notation {
    name: &'static str,
    /// Holds for every value in this notation.
    holds: &'static str,
    argument: &'static str,
    is_epoch: bool,
}

const NOTATIONS: [Notation; 8] = [
    Notation {
        name: "seconds since 1970",
        holds: "typeof({}) <> 'text' AND {} BETWEEN 1e8 AND 1e10",
        argument: "{}",
        is_epoch: true,
    },
    Notation {
        name: "milliseconds since 1970",
        holds: "typeof({}) <> 'text' AND {} BETWEEN 1e11 AND 1e13",
        argument: "{} / 1000.0",
        is_epoch: true,
    },
    Notation {
        name: "microseconds since 1970",
        holds: "typeof({}) <> 'text' AND {} BETWEEN 1e14 AND 1e16",
        argument: "{} / 1000000.0",
        is_epoch: true,
    },
    Notation {
        name: "nanoseconds since 1970",
        holds: "typeof({}) <> 'text' AND {} BETWEEN 1e17 AND 1e19",
        argument: "{} / 1000000000.0",
        is_epoch: true,
    },
    Notation {
        name: "days such as 20250514",
        holds: "{} BETWEEN 19000101 AND 21001231 AND {} = CAST({} AS INTEGER)",
        argument: "substr({}, 1, 4) || '-' || substr({}, 5, 2) || '-' || substr({}, 7, 2)",
        is_epoch: false,
    },
    Notation {
        name: "dates with slashes",
        holds: "{} GLOB '[0-9][0-9][0-9][0-9]/*' AND julianday(replace({}, '/', '-')) IS NOT NULL",
        argument: "replace({}, '/', '-')",
        is_epoch: false,
    },
    Notation {
        name: "dates with dots",
        holds: "{} GLOB '[0-9][0-9][0-9][0-9].[0-9][0-9].[0-9][0-9]'",
        argument: "replace({}, '.', '-')",
        is_epoch: false,
    },
    Notation {
        name: "times with a zone such as +0200",
        holds: "{} GLOB '*[-+][0-9][0-9][0-9][0-9]' AND \
                julianday(substr({}, 1, length({}) - 2) || ':' || substr({}, -2)) IS NOT NULL",
        argument: "substr({}, 1, length({}) - 2) || ':' || substr({}, -2)",
        is_epoch: false,
    },
];

/// A column in a date function.
struct Call<'r> {
    read: Read<'r>,
    /// The bytes of the argument.
    argument: std::ops::Range<usize>,
    /// The reading of numbers that the call names.
    reading: Option<String>,
}

/// Returns the statement with the columns of its date functions as SQLite reads them, and a note
/// on each.
pub(crate) fn readable(facts: &Facts<'_>) -> Option<(Statement, Vec<String>)> {
    let mut statement = facts.statement().clone();
    let mut notes = Vec::new();
    let calls: Vec<Call<'_>> = calls(facts).collect();
    for call in calls.into_iter().rev() {
        let Some(notation) = notation(facts, call.read) else { continue };
        let plain = notation.argument == "{}";
        if call.reading.as_deref() == Some("julianday") || (plain && call.reading.is_some()) {
            continue;
        }
        let spelled = &facts.statement().sql[call.argument.clone()];
        let mut argument = notation.argument.replace("{}", spelled);
        if notation.is_epoch && call.reading.is_none() {
            argument.push_str(", 'unixepoch'");
        }
        let note = format!("{spelled} holds {}, read as {argument}", notation.name);
        statement = statement.replaced(call.argument, &argument);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    (!notes.is_empty()).then_some((statement, notes))
}

/// Returns the epoch notation of a column, with the argument of a date function that reads it.
pub(crate) fn epoch(facts: &Facts<'_>, read: Read<'_>) -> Option<(&'static str, String)> {
    let notation = notation(facts, read).filter(|notation| notation.is_epoch)?;
    let seconds = notation.argument.replace("{}", &spelled(&read.column.name));
    Some((notation.name, format!("{seconds}, 'unixepoch'")))
}

/// Returns the epoch notation of a column that is not in seconds, with the expression that is.
pub(crate) fn seconds(facts: &Facts<'_>, read: Read<'_>) -> Option<(&'static str, String)> {
    let notation = notation(facts, read)?;
    let is_other = notation.is_epoch && notation.argument != "{}";
    is_other.then(|| (notation.name, notation.argument.replace("{}", &spelled(&read.column.name))))
}

/// Returns the notation of all values of a column, if it is one that SQLite cannot read.
fn notation(facts: &Facts<'_>, read: Read<'_>) -> Option<&'static Notation> {
    let profile = read.profile;
    if profile.is_time() || profile.values() == 0 || profile.containers + profile.booleans > 0 {
        return None;
    }
    NOTATIONS.iter().find(|notation| {
        let other =
            format!("WHERE {{}} IS NOT NULL AND NOT coalesce({}, 0) LIMIT 1", notation.holds);
        facts.is_empty(&read.query("1", &other)) == Some(true)
    })
}

fn calls<'r>(facts: &Facts<'r>) -> impl Iterator<Item = Call<'r>> {
    let statement = facts.statement();
    statement.calls_of(&FUNCTIONS).filter_map(|at| {
        let arguments = statement.arguments(at + 1);
        let which = usize::from(statement.is(at, "strftime"));
        let argument = statement.bytes(arguments.get(which)?.clone());
        let read = facts.column(&facts.chain(&argument)?)?;
        let texts = arguments.iter().flat_map(Clone::clone);
        let reading = texts.into_iter().find_map(|at| {
            let token = &statement.tokens[at];
            let value = token.value(&statement.sql).to_lowercase();
            (token.kind == Kind::Text && READINGS.contains(&value.as_str())).then_some(value)
        });
        Some(Call { read, argument, reading })
    })
}

/// Notes on values that a date function reads as null, or as Julian days.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    let of = |at: usize| {
        let function = statement.tokens[at].text(&statement.sql);
        let arguments = statement.arguments(at + 1);
        let places = arguments.get(usize::from(statement.is(at, "strftime")))?.clone();
        let argument = statement.bytes(places.clone());
        let column = facts.chain(&argument).and_then(|chain| facts.column(&chain));
        if column.is_some_and(|read| read.profile.is_time()) || !statement.is_scalar(places) {
            return None;
        }
        let name = &statement.sql[argument];
        let call = &statement.sql[statement.bytes(at..statement.closing(at + 1) + 1)];
        let (with, from) = (statement.with(), facts.from(at)?);
        let unread = format!("{name} IS NOT NULL AND {call} IS NULL");
        let counts =
            facts.row(&format!("{with}SELECT count({name}), sum({unread}), max({name}) {from}"))?;
        let [all, unread_count, _] = counts.as_slice() else { return None };
        let (all, count) = (plain(all), plain(unread_count));
        if !matches!(count.as_str(), "0" | "null") {
            let one = facts.row(&format!("{with}SELECT {name} {from} WHERE {unread} LIMIT 1"))?;
            return Some(format!(
                "{count} of {all} values of {name} are no dates for {function}(), such as {}: it \
                 reads '2025-05-14' and '2025-05-14T10:00:00Z'",
                literal(one.first()?)
            ));
        }
        let is_number = column.is_some_and(|read| read.profile.numbers() > 0);
        let named = READINGS.iter().any(|word| call.to_lowercase().contains(word));
        (is_number && !named).then(|| {
            format!("{name} has numbers, which {function}() reads as Julian days, not as years")
        })
    };
    statement.calls_of(&FUNCTIONS).filter_map(of).chain(of_operands(facts)).collect()
}

/// Times next to a date function, whose text has another form than theirs.
fn of_operands(facts: &Facts<'_>) -> Option<String> {
    const ORDER: [&str; 7] = ["<", "<=", ">", ">=", "=", "==", "between"];
    let statement = facts.statement();
    (1..statement.tokens.len()).filter(|at| statement.is_any(*at, &ORDER)).find_map(|at| {
        let function = ["date", "datetime"].into_iter().find(|name| statement.is(at + 1, name))?;
        statement.is(at + 2, "(").then_some(())?;
        let column = statement.bytes(statement.expression_before(at)?);
        let read = facts.column(&facts.chain(&column)?)?;
        let example = &read.profile.example;
        // The start of a day is before all of its times.
        let is_day = function == "date" && statement.is_any(at, &[">=", "<"]);
        let has_form = function == "datetime" && example.len() == 19 && !example.contains('T');
        let is_time = read.profile.is_time() && example.len() > 10;
        (is_time && !is_day && !has_form).then(|| {
            let (name, end) = (spelled(&read.column.name), statement.closing(at + 2));
            let call = &statement.sql[statement.bytes(at + 1..end + 1)];
            format!(
                "{name} has times such as {}, and the text of {call} has another form: compare \
                 {function}({name})",
                crate::sql::quoting::text(example)
            )
        })
    })
}
