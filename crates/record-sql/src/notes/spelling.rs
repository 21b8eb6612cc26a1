//! Texts that are kept as numbers, without zeros at their ends, where their letters count.

use std::ops::Range;

use crate::advice::STRICT;
use crate::notes::facts::{Facts, Read};
use crate::sql::expression::COMPARING;
use crate::sql::quoting::spelled;
use crate::sql::statement::{Part, Statement};
use crate::sql::token::Kind;

/// The operators that take the letters of an operand.
const LETTERED: [&str; 4] = ["||", "like", "glob", "regexp"];

/// The operators that take an operand as a number, besides those that compare.
const CALCULATING: [&str; 8] = ["+", "-", "*", "/", "%", "is", "isnull", "notnull"];

/// Functions that take an argument as a number, besides those that refuse a text. All others may
/// take its letters.
const NUMERIC: [&str; 15] = [
    "sum", "avg", "total", "count", "round", "abs", "ceil", "floor", "sqrt", "pow", "power",
    "sign", "typeof", "in", "mod",
];

/// Functions whose result is one of their arguments.
const PASSING: [&str; 11] = [
    "coalesce",
    "ifnull",
    "iif",
    "if",
    "nullif",
    "min",
    "max",
    "lag",
    "lead",
    "first_value",
    "last_value",
];

pub(crate) fn note(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    read.profile.numbers_lose_zeros().then_some(())?;
    let statement = facts.statement();
    let chains = statement.chains();
    let places_of = |name: &str| -> Vec<Range<usize>> {
        let is_name = |part: &Part| part.name.eq_ignore_ascii_case(name);
        let named = chains.iter().filter(|chain| chain.parts.last().is_some_and(is_name));
        named.filter_map(|chain| statement.places(&chain.range())).collect()
    };
    let own = places_of(&read.column.name);
    let passed_on: Vec<String> = own.iter().filter_map(|at| passed_on(statement, at)).collect();
    let passed_on = passed_on.iter().flat_map(|name| places_of(name));
    let mut uses = own.iter().cloned().chain(passed_on);
    let is_lettered = uses.any(|places| takes_letters(statement, places, true));
    (is_lettered || shows_all(statement)).then(|| {
        format!(
            "the texts of {} are read as numbers, without zeros at their ends: \
             record->>'$.{}' is the text",
            spelled(&read.column.name),
            read.column.name
        )
    })
}

/// Returns the name under which a SELECT in brackets passes a value on.
fn passed_on(statement: &Statement, places: &Range<usize>) -> Option<String> {
    let open = statement.enclosing(places.start)?;
    let at = places.end + usize::from(statement.is(places.end, "as"));
    let name = statement.tokens.get(at).filter(|token| token.is_name())?;
    let is_name = statement.is_any(open + 1, &["select", "with"]) && !statement.ends_expression(at);
    is_name.then(|| name.value(&statement.sql))
}

/// Returns true for `SELECT *`.
fn shows_all(statement: &Statement) -> bool {
    (1..statement.tokens.len()).any(|at| {
        statement.is(at, "*") && statement.is_any(at - 1, &["select", "distinct", ",", "."])
    })
}

/// Returns true if an operator or a function takes the letters of a value, or if they are shown
/// and `shown` asks for that.
fn takes_letters(statement: &Statement, places: Range<usize>, shown: bool) -> bool {
    let (behind, Some(before)) = (places.end, places.start.checked_sub(1)) else { return false };
    let is_next = |words: &[&str]| {
        let not = usize::from(statement.is(behind, "not"));
        statement.is_any(before, words) || statement.is_any(behind + not, words)
    };
    if is_next(&LETTERED) {
        return true;
    }
    if is_next(&CALCULATING) || is_next(&COMPARING) {
        return false;
    }
    if statement.is_any(before, &["then", "else"]) {
        return statement
            .case_around(before)
            .is_some_and(|case| takes_letters(statement, case, false));
    }
    let Some(open) = statement.enclosing(places.start) else {
        return shown && is_listed(statement, before);
    };
    let close = statement.closing(open);
    let call = open.checked_sub(1).filter(|at| statement.tokens[*at].kind == Kind::Word);
    match call {
        // It is passed on to the SELECT around it.
        _ if statement.is_any(open + 1, &["select", "with"]) => false,
        Some(cast) if statement.is(cast, "cast") => statement.tokens[behind..close]
            .iter()
            .any(|token| is_text_type(token.text(&statement.sql))),
        Some(call) if statement.is_any(call, &["printf", "format"]) => {
            statement.word(open + 1).contains("%s")
        }
        Some(call)
            if [&STRICT[..], &NUMERIC, &["over"]].iter().any(|of| statement.is_any(call, of)) =>
        {
            false
        }
        Some(call) if statement.is_any(call, &PASSING) => {
            takes_letters(statement, call..close + 1, false)
        }
        Some(call) if !statement.ends_expression(call) => true,
        _ => before == open && behind == close && takes_letters(statement, open..close + 1, shown),
    }
}

fn is_text_type(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["text", "char", "clob", "string"].iter().any(|part| word.contains(part))
}

/// Returns true if a value after a place is one of those that a SELECT shows.
fn is_listed(statement: &Statement, before: usize) -> bool {
    let select = statement.select_around(before);
    let end = statement.clause(&select, "from").unwrap_or(select.end);
    before < end && statement.is_any(before, &["select", "distinct", "all", ","])
}
