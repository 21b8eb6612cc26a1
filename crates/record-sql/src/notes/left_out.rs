//! Rows that a condition or a sum leaves out because a value is null: neither the condition nor its
//! opposite holds for them.

use std::ops::Range;

use crate::notes::facts::Facts;
use crate::notes::nulls::is_nothing;
use crate::records::profile::Type;
use crate::sql::condition::lone_conditions;
use crate::sql::expression::{AGGREGATES, COMPARING};
use crate::sql::statement::Statement;
use crate::sql::token::Kind;

/// The most bytes of a condition that a note repeats.
const MAX_SHOWN: usize = 80;

/// A part of a condition that is null where one of its values is.
struct Part<'s> {
    places: Range<usize>,
    /// The values that may be null.
    values: Vec<&'s str>,
    /// The part as it holds if a null is a value like others.
    with_nulls: String,
    /// True if it is between two values, and holds where they differ.
    differ: bool,
}

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for select in facts.statement().selects() {
        notes.extend(of_where(facts, &select));
        notes.extend(of_list(facts, &select));
    }
    if !knows_nulls(facts.statement()) {
        notes.extend(facts.statement().places_of(&["+"]).filter_map(|at| of_sum(facts, at)));
        notes.extend(facts.statement().places_of(&["else"]).filter_map(|at| of_else(facts, at)));
    }
    notes
}

/// Returns true for a statement that says what becomes of nulls.
fn knows_nulls(statement: &Statement) -> bool {
    statement.has_any(&["null", "notnull", "isnull", "coalesce", "ifnull"])
}

/// A sum of two columns in an aggregate, a condition or an order: it is null where one of them is.
fn of_sum(facts: &Facts<'_>, at: usize) -> Option<String> {
    let statement = facts.statement();
    let select = statement.select_around(at);
    let mut calls = statement.calls_of(&["sum", "total", "avg", "min", "max"]);
    let is_taken = calls.any(|call| (call..statement.closing(call + 1)).contains(&at))
        || statement.clause(&select, "order").is_some()
        || statement.clause_places(&select, "where").is_some_and(|places| places.contains(&at));
    let [left, right] = statement.sides(at).filter(|_| is_taken)?;
    let is_operator = |at: &usize| statement.is_any(*at, &["+", "-", "*", "/", "%"]);
    let start = statement.outside(left.clone()).filter(is_operator).last();
    let end = statement.outside(right.clone()).find(is_operator);
    let columns =
        [start.map_or(left.start, |at| at + 1)..left.end, right.start..end.unwrap_or(right.end)];
    let is_number = |of: &Range<usize>| {
        let read = facts.column_at(of.clone());
        read.is_some_and(|read| matches!(read.profile.kind(), Type::Integer | Type::Real))
    };
    columns.iter().all(is_number).then_some(())?;
    let [a, b] = columns.map(|of| statement.text(of));
    let sum = statement.text(left.start..right.end);
    let [count @ (1..), of_a, of_b] = facts.db.counts(&format!(
        "{}SELECT count(*), sum({a} IS NULL), sum({b} IS NULL) {} WHERE ({a} IS NULL) <> ({b} IS \
         NULL)",
        statement.with(),
        facts.kept_from(at)?
    ))?
    else {
        return None;
    };
    let filled = [(a, of_a), (b, of_b)].into_iter().filter(|(_, nulls)| *nulls > 0);
    let filled: Vec<String> = filled.map(|(name, _)| format!("coalesce({name}, 0)")).collect();
    Some(format!(
        "{sum} is null in {count} rows in which {a} or {b} alone is null: {} takes null for 0",
        filled.join(" and ")
    ))
}

/// A CASE of an order whose ELSE takes the rows in which the value is null.
fn of_else(facts: &Facts<'_>, at: usize) -> Option<String> {
    let statement = facts.statement();
    let other = statement.tokens.get(at + 1).filter(|token| token.kind == Kind::Text)?;
    let case = statement.case_around(at)?;
    let mut orders =
        statement.outside(case.clone()).filter(|at| statement.is_any(*at, &["<", "<=", ">", ">="]));
    let value = statement.expression_before(orders.next()?)?;
    facts.column_at(value.clone())?;
    let (name, other) = (statement.text(value.clone()), other.text(&statement.sql));
    let [count @ (1..)] = facts.db.counts(&format!(
        "{}SELECT sum({name} IS NULL AND {} = {other}) {}",
        statement.with(),
        statement.text(case),
        facts.kept_from(at)?
    ))?
    else {
        return None;
    };
    Some(format!(
        "{count} rows in which {name} is null come under ELSE {other}: WHEN {name} IS NULL THEN \
         NULL before it takes them out"
    ))
}

/// The nulls that WHERE leaves out.
fn of_where(facts: &Facts<'_>, select: &Range<usize>) -> Vec<String> {
    let statement = facts.statement();
    let Some(places) = statement.clause_places(select, "where") else { return Vec::new() };
    let places = places.start + 1..places.end;
    let parts = parts(statement, select, &places);
    let (condition, bytes) = (statement.text(places.clone()), statement.bytes(places.clone()));
    let mut with_nulls = condition.to_owned();
    for part in parts.iter().rev() {
        let at = statement.bytes(part.places.clone());
        with_nulls.replace_range(at.start - bytes.start..at.end - bytes.start, &part.with_nulls);
    }
    let from = statement.clause_text(select, "from").unwrap_or_default();
    let rows = format!("{from} WHERE ({with_nulls}) AND ({condition}) IS NOT TRUE");
    parts.iter().filter_map(|part| part.note(facts, select, &rows)).collect()
}

/// The nulls that a count or a CASE in the list of a SELECT leaves out.
fn of_list(facts: &Facts<'_>, select: &Range<usize>) -> Vec<String> {
    let statement = facts.statement();
    let Some(end) = statement.clause(select, "from") else { return Vec::new() };
    if knows_nulls(statement) {
        return Vec::new();
    }
    let mut calls = statement.calls_of(&AGGREGATES).chain(statement.places_of(&["filter"]));
    let calls: Vec<_> = calls.by_ref().map(|at| at..statement.closing(at + 1)).collect();
    let is_counted = |part: &&Part<'_>| {
        let start = part.places.start;
        calls.iter().any(|call| call.contains(&start)) || statement.case_around(start).is_some()
    };
    let parts = parts(statement, select, &(select.start + 1..end));
    let note = |part: &Part<'_>| {
        let condition = statement.text(part.places.clone());
        let from = facts.kept_from(part.places.start)?;
        let rows = format!("{from} WHERE {} AND ({condition}) IS NULL", part.with_nulls);
        part.note(facts, select, &rows)
    };
    parts.iter().filter(is_counted).filter_map(note).collect()
}

impl Part<'_> {
    fn note(&self, facts: &Facts<'_>, select: &Range<usize>, rows: &str) -> Option<String> {
        let statement = facts.statement();
        let mut texts = self.places.clone().filter(|at| statement.tokens[*at].kind == Kind::Text);
        // Nulls are meant, too.
        if texts.any(|at| is_nothing(&statement.value(at))) {
            return None;
        }
        let nulls: Vec<String> = self.values.iter().map(|one| format!("({one}) IS NULL")).collect();
        let nulls = nulls.join(" OR ");
        let count = format!("{}SELECT sum({nulls}) {rows}", statement.with());
        let [count @ (1..)] = facts.db.counts(&count)? else { return None };

        let tables = statement.tables_of(select).unwrap_or_default();
        let unit = if matches!(tables.as_slice(), [one] if one.places.len() == 1) {
            "records"
        } else {
            "rows"
        };
        let names = self.values.join(" or ");
        let told = format!("{count} {unit} in which {names} is null are left out");
        Some(match self.values.as_slice() {
            [left, right] if self.differ => format!("{told}: {left} IS NOT {right} takes them"),
            [name] => {
                let whole = statement.text(self.places.clone());
                let whole = if whole.len() > MAX_SHOWN { "…" } else { whole };
                let with = match is_denied(statement, self.places.start) {
                    true => format!("({whole} AND {name} IS NOT NULL)"),
                    false => format!("({whole} OR {name} IS NULL)"),
                };
                format!("{told}: {with} in place of {whole} takes them")
            }
            _ => told,
        })
    }
}

/// Returns the parts of a condition of a SELECT, in order.
fn parts<'s>(
    statement: &'s Statement,
    select: &Range<usize>,
    condition: &Range<usize>,
) -> Vec<Part<'s>> {
    let of_operators = condition.clone().filter_map(|at| compared(statement, at));
    let of_lone = lone_conditions(statement).into_iter().map(|places| lone(statement, places));
    let is_own = |part: &Part<'_>| {
        condition.contains(&part.places.start)
            && statement.select_around(part.places.start) == *select
            && !part.values.is_empty()
    };
    let mut parts: Vec<Part<'_>> = of_operators.chain(of_lone).filter(is_own).collect();
    parts.sort_by_key(|part| part.places.start);
    // One inside of another is a value of it.
    let mut end = 0;
    parts.retain(|part| {
        let is_next = part.places.start >= end;
        end = end.max(part.places.end);
        is_next
    });
    parts
}

fn lone(statement: &Statement, places: Range<usize>) -> Part<'_> {
    let value = statement.text(places.clone());
    let values = values(statement, [places.clone()]);
    let (places, not) = with_not(statement, places);
    let with_nulls =
        if not { format!("coalesce(NOT {value}, 1)") } else { format!("coalesce({value}, 0)") };
    Part { places, values, with_nulls, differ: false }
}

/// Returns the comparison whose operator is at a place.
fn compared(statement: &Statement, at: usize) -> Option<Part<'_>> {
    let is_operator = statement.tokens[at].kind != Kind::Text && statement.is_any(at, &COMPARING);
    is_operator.then_some(())?;
    let not = at.checked_sub(1).is_some_and(|before| statement.is(before, "not"));
    let left = statement.expression_before(at - usize::from(not))?;
    let is_list = statement.is(at, "in") && statement.is(at + 1, "(");
    let right = match is_list {
        true => at + 1..statement.closing(at + 1) + 1,
        false => statement.expression_at(at + 1)?,
    };
    let mut end = right.end;
    if statement.is(at, "between") && statement.is(end, "and") {
        end = statement.expression_at(end + 1)?.end;
    }
    if statement.is_any(end, &["escape", "collate"]) {
        end += 2;
    }
    let places = left.start..end;
    let is_unequal = statement.is_any(at, &["<>", "!="]);
    let [one, other] = [left.clone(), right.clone()].map(|side| statement.text(side));
    let (places, is_opposite) = with_not(statement, places);
    let differ = is_unequal && !is_opposite;
    let with_nulls = if differ && end == right.end {
        format!("(({one}) IS NOT ({other}))")
    } else {
        let holds = u8::from((not || is_unequal) != is_opposite);
        format!("coalesce({}, {holds})", statement.text(places.clone()))
    };
    let values = match is_list {
        true => values(statement, [left]),
        false => values(statement, [left, right]),
    };
    Some(Part { places, values, with_nulls, differ })
}

/// Returns true for a place in brackets behind an odd number of NOT.
fn is_denied(statement: &Statement, place: usize) -> bool {
    let start = statement.select_around(place).start;
    let opens = std::iter::successors(statement.enclosing(place), |at| statement.enclosing(*at));
    let opens = opens.take_while(|open| *open > start);
    opens.filter(|open| statement.is(open - 1, "not")).count() % 2 == 1
}

/// Returns the places with the NOT before them, if there is one.
fn with_not(statement: &Statement, places: Range<usize>) -> (Range<usize>, bool) {
    let not = places.start.checked_sub(1).filter(|before| statement.is(*before, "not"));
    (not.unwrap_or(places.start)..places.end, not.is_some())
}

/// Returns the expressions over the columns of a row.
fn values<const N: usize>(statement: &Statement, of: [Range<usize>; N]) -> Vec<&str> {
    let is_value =
        |of: &Range<usize>| statement.has_columns(of.clone()) && statement.is_scalar(of.clone());
    of.into_iter().filter(is_value).map(|of| statement.text(of)).collect()
}
