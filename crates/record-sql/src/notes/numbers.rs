//! Texts where numbers are expected: in aggregates, casts and arithmetic, and in an order.

use std::ops::Range;

use crate::notes::facts::{Facts, literal, plain};
use crate::notes::letters::{of_letters, of_shown_letters};
use crate::notes::moments::of_no_times;
use crate::notes::values::Subject;
use crate::notes::written::written;
use crate::records::profile::Type;
use crate::sql::expression::COMPARING;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;

/// Functions that take a text for the number at its start, or for 0.
const NUMERIC: [&str; 6] = ["sum", "avg", "total", "round", "abs", "cast"];

/// The number that SQLite takes a text for.
const COUNTED: &str = ", and count as the number at their start, or 0";

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let mut notes = of_values(facts);
    notes.extend(of_casts(facts));
    notes.extend(of_lengths(facts));
    notes.extend(of_order(facts));
    notes.extend(of_words(facts));
    notes.extend(of_aggregates(facts));
    notes
}

fn of_values(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    if statement.calls_of(&["typeof"]).count() > 0 {
        return Vec::new();
    }
    let mut columns: Vec<Subject<'_>> = Vec::new();
    for chain in statement.chains() {
        let Some(places) = statement.places(&chain.range()) else { continue };
        let (mut first, mut last) = (places.start, places.end - 1);
        // The least or greatest of dates is a date.
        let is_extreme = first > 1
            && statement.is(first - 1, "(")
            && statement.is_any(first - 2, &["min", "max"])
            && statement.is(last + 1, ")");
        if is_extreme {
            (first, last) = (first - 2, last + 1);
        }
        let arithmetic = ["+", "-", "*", "/", "%"];
        let operand = first.checked_sub(1).is_some_and(|at| {
            statement.is_any(at, &arithmetic)
                && !statement.is_any(at.saturating_sub(1), &["(", ",", "select"])
        }) || (statement.is_any(last + 1, &arithmetic)
            && !statement.is_any(last + 2, &[")", "from", ","]));
        let argument = first > 1
            && statement.is(first - 1, "(")
            && statement.is_any(first - 2, &NUMERIC)
            && statement.is_any(last + 1, &[")", ","]);
        let cast = first > 1
            && statement.is(first - 2, "cast")
            && statement.is(last + 1, "as")
            && statement.is_any(
                last + 2,
                &["real", "integer", "int", "float", "numeric", "double", "decimal"],
            );
        if !(operand || argument || cast) || facts.column(&chain).is_none() {
            continue;
        }
        let Some(of) = Subject::at(facts, places) else { continue };
        if !columns.iter().any(|known| known.name == of.name) {
            columns.push(of);
        }
    }
    columns.into_iter().chain(of_calls(facts)).filter_map(|of| of_texts(&of)).collect()
}

/// Returns the expressions of which an aggregate takes numbers.
fn of_calls<'r>(facts: &Facts<'r>) -> Vec<Subject<'r>> {
    let statement = facts.statement();
    let calls = statement.calls_of(&["sum", "avg", "total"]).filter_map(|at| {
        let argument = statement.argument(at)?;
        let start = argument.start + usize::from(statement.is(argument.start, "distinct"));
        Subject::at(facts, start..argument.end).filter(|of| of.column.is_none())
    });
    calls.collect()
}

/// Counts the values that are no numbers.
fn of_texts(of: &Subject<'_>) -> Option<String> {
    if matches!(of.column, Some(Type::Integer | Type::Real)) {
        return None;
    }
    let name = &of.name;
    let large = "WHERE typeof(it) = 'text' AND CAST(it AS INTEGER) = 9223372036854775807 LIMIT 1";
    if let Some(row) = of.row("it", large) {
        return Some(format!(
            "{name} has numbers beyond 64 bits, such as {}, which are rounded or cut here: compare \
             them as text",
            literal(row.first()?)
        ));
    }
    // Next to a number a text that spells one is compared as a number.
    let counts = "count(it), sum(NOT it = CAST(it AS NUMERIC))";
    let counts = of.row(counts, "")?;
    let [all, count] = counts.as_slice() else { return None };
    let (all, count) = (plain(all), plain(count));
    if matches!(count.as_str(), "0" | "null") {
        return None;
    }
    if begin_with_numbers(of) {
        return None;
    }
    let is_other = "NOT it = CAST(it AS NUMERIC)";
    let one = of.row("it", &format!("WHERE {is_other} ORDER BY it = '' LIMIT 1"))?;
    let one = literal(one.first()?);
    let is_no_day = format!("{is_other} AND it <> '' AND julianday(it) IS NULL");
    if one != "''" && of.has(&is_no_day) == Some(false) {
        return Some(format!(
            "{name} has dates such as {one}, which are not numbers: julianday({name}) counts days"
        ));
    }
    let how = match written(of) {
        Some(written) => format!(": {} is one{}", written.number(name), written.doubt),
        None if count == all => {
            format!("{COUNTED}; compare them, as in sum({name} = {one}) or a CASE")
        }
        None => format!("{COUNTED}; WHERE {name} = CAST({name} AS NUMERIC) leaves them out"),
    };
    Some(format!("{count} of {all} values of {name} are not numbers, such as {one}{how}"))
}

/// Returns true for texts that are numbers before one unit, such as `9.5 MB`: SQLite takes these
/// numbers.
fn begin_with_numbers(of: &Subject<'_>) -> bool {
    let unit = "ltrim(it, '+-.0123456789')";
    let number = format!("substr(it, 1, length(it) - length({unit}))");
    let is_other =
        format!("{unit} = '' OR {unit} GLOB '*[0-9]*' OR NOT {number} = CAST({number} AS NUMERIC)");
    of.counts(&format!("count(DISTINCT {unit}), sum({is_other})")) == Some([1, 0])
        && written(of).is_none_or(|written| written.doubt.is_empty())
}

/// A cast of an expression that is no number for some records.
fn of_casts(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["cast"]).find_map(|at| {
        let end = statement.closing(at + 1);
        let of = (at + 2..end).rev().find(|at| statement.is(*at, "as"))?;
        let is_number =
            statement.is_any(of + 1, &["real", "integer", "int", "float", "numeric", "double"]);
        let mut case = statement.case_around(at).unwrap_or_default();
        let is_guarded = case.any(|at| statement.is_any(at, &["glob", "regexp"]));
        // One of a column has a note of its own.
        if is_guarded || !is_number || facts.chain(&statement.bytes(at + 2..of)).is_some() {
            return None;
        }
        let expression = statement.text(at + 2..of);
        let of = Subject::over(facts, expression.to_owned(), facts.kept_from(at)?);
        let other = "typeof(it) = 'text' AND NOT it = CAST(it AS NUMERIC)";
        let [all, count] = of.counts(&format!("count(it), sum({other})"))?;
        (count > 0 && !begin_with_numbers(&of)).then_some(())?;
        let one = of.row("it", &format!("WHERE {other} LIMIT 1"))?;
        Some(format!(
            "{count} of {all} values of {expression} are not numbers, such as {}{COUNTED}",
            literal(one.first()?)
        ))
    })
}

/// `length` of an array is that of its JSON text.
fn of_lengths(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["length", "octet_length"]).find_map(|at| {
        let read = facts.column_at(statement.argument(at)?)?;

        let name = spelled(&read.column.name);
        (read.profile.arrays > 0).then(|| {
            format!(
                "length({name}) is that of its JSON text: json_array_length({name}) counts elements"
            )
        })
    })
}

/// The first or last of a few words is that of the alphabet.
fn of_words(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["min", "max"]).find_map(|at| {
        let read = facts.column_at(statement.argument(at)?)?;

        let is_word = read.profile.kind() == Type::Text && read.column.order.is_none();
        (is_word && !read.profile.is_time()).then_some(())?;
        let of = Subject::of(read);
        let words = of.few().filter(|_| of.has("it GLOB '[0-9]*'") == Some(false))?;

        let call = statement.call_text(at);
        Some(format!("{call} is that of the alphabet: {}", words.join(" < ")))
    })
}

/// An aggregate next to a text: every number is less than every text.
fn of_aggregates(facts: &Facts<'_>) -> Option<String> {
    const NUMBERS: [&str; 4] = ["count", "sum", "avg", "total"];
    let statement = facts.statement();
    statement.places_of(&COMPARING).find_map(|at| {
        statement.tokens.get(at + 1).filter(|token| token.kind == Kind::Text)?;
        let left = statement.expression_before(at)?;
        let name = statement.text(left.clone());
        let named = |call: usize| {
            let end = statement.closing(call + 1) + 1;
            let end = end + usize::from(statement.is(end, "as"));
            end < statement.tokens.len() && statement.word(end) == name
        };
        let of_numbers = |call: &usize| {
            let read = statement.argument(*call).and_then(|argument| facts.column_at(argument));
            read.is_some_and(|read| matches!(read.profile.kind(), Type::Integer | Type::Real))
        };
        let extremes = statement.calls_of(&["min", "max"]).filter(of_numbers);
        let mut calls = statement.calls_of(&NUMBERS).chain(extremes);
        let literal = statement.word(at + 1);
        calls.any(|call| call == left.start || named(call)).then(|| {
            format!("{name} is a number, and every number is less than the text {literal}")
        })
    })
}

/// Texts in an order that may not be the one that is meant.
fn of_order(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    // Each with true if all of them are shown, whatever their order is.
    let mut ordered: Vec<(Subject<'_>, bool)> = Vec::new();
    for at in 0..statement.tokens.len() {
        if statement.is_any(at, &["min", "max"]) && statement.is(at + 1, "(") {
            let values = statement.items(at + 2..statement.closing(at + 1)).into_iter();
            ordered.extend(values.filter_map(|of| Some((ordered_values(facts, of)?, false))));
        }
        if !(statement.is(at, "order") && statement.is(at + 1, "by")) {
            continue;
        }
        let select = statement.select_around(at);
        let is_shown = statement.clause(&select, "order") == Some(at)
            && statement.clause(&select, "limit").is_none();
        let mut term = at + 2;
        while let Some(places) = statement.expression_at(term) {
            ordered.extend(ordered_values(facts, places.clone()).map(|of| (of, is_shown)));
            let mut end = places.end;
            while statement.is_any(end, &["asc", "desc", "nulls", "first", "last"]) {
                end += 1;
            }
            if !statement.is(end, ",") {
                break;
            }
            term = end + 1;
        }
    }
    let of = |(of, is_shown): (Subject<'_>, bool)| {
        let letters = || match is_shown {
            true => of_shown_letters(facts, &of),
            false => of_letters(facts, &of, &[]),
        };
        let no_times = || of_no_times(&of).filter(|_| of.order.is_none());
        no_times().or_else(|| of_types(&of)).or_else(letters)
    };
    let is_text =
        |(of, _): &(Subject<'_>, bool)| !matches!(of.column, Some(Type::Integer | Type::Real));
    ordered.into_iter().filter(is_text).filter_map(of).collect()
}

/// Returns the values that an expression of an order stands for: those of the expression, or of a
/// column of the result by its name or number.
pub(crate) fn ordered_values<'r>(facts: &Facts<'r>, places: Range<usize>) -> Option<Subject<'r>> {
    let statement = facts.statement();
    // The first SELECT names the results of a UNION.
    let selects = [Some(statement.select_around(places.start)), statement.main_select()];
    let mut selects = selects.into_iter().flatten();
    let result = selects.find_map(|of| statement.result_of(&places, &statement.results(&of)));
    let of = result.unwrap_or(places);
    Subject::at(facts, of.clone())?.resolved(facts, &statement.bytes(of))
}

/// Numbers and texts in one order: text comes after every number.
fn of_types(of: &Subject<'_>) -> Option<String> {
    let is_text = "typeof(it) = 'text'";
    let counts = format!("sum(typeof(it) IN ('integer', 'real')), sum({is_text})");
    let [numbers @ (1..), texts @ (1..)] = of.counts(&counts)? else { return None };
    let one = of.row("it", &format!("WHERE {is_text} LIMIT 1"))?;

    Some(format!(
        "{} has numbers ({numbers}) and text such as {} ({texts}): text sorts after every number",
        of.name,
        literal(one.first()?)
    ))
}
