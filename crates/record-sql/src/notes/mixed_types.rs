//! Texts next to numbers. SQLite compares them by their letters or by their types alone: a text is
//! greater than every number, and equal to none.

use std::ops::Range;

use rusqlite::types::Value;

use crate::notes::facts::{Facts, literal};
use crate::sql::comparison::{Comparison, LiteralKind};
use crate::sql::quoting::shortened;
use crate::sql::statement::Statement;

/// The most rows that are looked at.
const MAX_ROWS: usize = 20_000;

/// The operators that compare two values, those of an order first.
const OPERATORS: [&str; 8] = ["<", "<=", ">", ">=", "=", "==", "!=", "<>"];

/// Two expressions that a statement compares.
struct Pair {
    /// Their places.
    sides: [Range<usize>; 2],
    /// The operator between them; None for `min(a, b)`, which takes every text for the greater one.
    operator: Option<usize>,
}

/// Returns the notes on comparisons of texts with numbers, but for those of `known` and those
/// whose operators are at the places of `noted`.
pub(crate) fn notes(facts: &Facts<'_>, known: &[Comparison], noted: &[usize]) -> Vec<String> {
    let statement = facts.statement();
    let is_known = |pair: &Pair| {
        let start = |at: usize| statement.tokens[at].range.start;
        let is_literal = |one: &Comparison| {
            one.literals.iter().all(|literal| literal.kind != LiteralKind::Constant)
        };
        let mut literal = known.iter().filter(|one| is_literal(one));
        pair.operator.is_some_and(|at| {
            noted.contains(&at) || literal.any(|one| one.range.contains(&start(at)))
        })
    };
    let pairs = pairs(statement).into_iter().filter(|pair| !is_known(pair));
    pairs.filter_map(|pair| of_pair(facts, &pair)).collect()
}

fn pairs(statement: &Statement) -> Vec<Pair> {
    let pair = |at| Some(Pair { sides: statement.sides(at)?, operator: Some(at) });
    let mut pairs: Vec<Pair> = statement.places_of(&OPERATORS).filter_map(pair).collect();

    pairs.extend(statement.calls_of(&["min", "max"]).filter_map(|at| {
        let [first, second, ..] = &statement.arguments(at + 1)[..] else { return None };
        Some(Pair { sides: [first.clone(), second.clone()], operator: None })
    }));
    pairs
}

/// Returns the text after `SELECT` for the rows or the groups that a pair is compared in.
fn from(facts: &Facts<'_>, pair: &Pair) -> Option<String> {
    let statement = facts.statement();
    let place = pair.sides[0].start;
    let is_query = |side: &Range<usize>| {
        statement.is(side.start, "(") && statement.is(side.start + 1, "select")
    };
    if pair.sides.iter().all(|side| is_query(side) || statement.is_scalar(side.clone())) {
        return facts.kept_from(place);
    }
    let select = statement.select_around(place);
    let clauses = ["from", "where", "group"].into_iter();
    let clauses = clauses.filter_map(|word| statement.clause_text(&select, word));
    Some(clauses.collect::<Vec<_>>().join(" "))
}

fn of_pair(facts: &Facts<'_>, pair: &Pair) -> Option<String> {
    let statement = facts.statement();
    let [left, right] = pair.sides.clone().map(|side| statement.text(side));
    let from = from(facts, pair)?;
    // Columns in brackets convert the other side as they do without.
    let (is_order, holds) = match pair.operator {
        Some(at) => {
            let operator = statement.word(at);
            let number = |side| format!("CAST({side} AS NUMERIC)");
            (
                OPERATORS[..4].contains(&operator),
                format!(
                    "(({left}) {operator} ({right})) IS NOT ({} {operator} {})",
                    number(left),
                    number(right)
                ),
            )
        }
        None => (true, "1".to_owned()),
    };
    let rows =
        format!("SELECT ({left}) AS v0, ({right}) AS v1, {holds} AS other {from} LIMIT {MAX_ROWS}");
    [(0, left, right), (1, right, left)].into_iter().find_map(|(at, text, number)| {
        let is_number = format!("v{at} = CAST(v{at} AS NUMERIC)");
        // A text that is no number is rightly unequal to one.
        let misleads = match is_order {
            true => format!("other OR NOT {is_number}"),
            false => format!("other AND {is_number}"),
        };
        let condition = format!(
            "typeof(v{at}) = 'text' AND typeof(v{}) IN ('integer', 'real') AND ({misleads})",
            1 - at
        );
        let found =
            format!("{}SELECT count(*), v{at} FROM ({rows}) WHERE {condition}", statement.with());
        let found = facts.db.row(&found)?;
        let [Value::Integer(count @ 1..), one] = found.as_slice() else { return None };
        let [text, number] = [text, number].map(shortened);
        Some(format!(
            "in {count} rows {text} is text, such as {}, next to a number of {number}, and text is \
             not compared as a number: CAST({text} AS REAL) is",
            literal(one)
        ))
    })
}
