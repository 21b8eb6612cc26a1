//! Names of results that are columns, too: GROUP BY, HAVING and expressions in ORDER BY take the
//! column.

use std::ops::Range;

use crate::notes::facts::Facts;
use crate::sql::expression::AGGREGATES;
use crate::sql::quoting;

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let statement = facts.statement();
    statement.places_of(&["select"]).flat_map(|at| of_select(facts, at)).collect()
}

fn of_select(facts: &Facts<'_>, at: usize) -> Vec<String> {
    let statement = facts.statement();
    let select = statement.select_around(at);
    let Some(end) = statement.clause(&select, "from").filter(|end| *end > at) else {
        return Vec::new();
    };
    let items = statement.items(at + 1..end).into_iter();
    items.filter_map(|item| of_item(facts, &select, &item)).collect()
}

fn of_item(facts: &Facts<'_>, select: &Range<usize>, item: &Range<usize>) -> Option<String> {
    let statement = facts.statement();
    let name = statement.value(statement.name_of(item)?);
    let unnamed = statement.without_name(item);
    let is_same = facts.chain(&statement.bytes(unnamed.clone())).is_some_and(|chain| {
        chain.parts.last().is_some_and(|part| part.name.eq_ignore_ascii_case(&name))
    });
    let from = statement.clause_text(select, "from")?;
    let column = format!("{}SELECT {} {from}", statement.with(), quoting::name(&name));
    if is_same || !facts.db.prepares(&column) {
        return None;
    }
    let expression = statement.text(unnamed);

    ["group", "having", "order"].into_iter().find_map(|clause| {
        let places = statement.clause_places(select, clause)?;
        let used: Vec<usize> = places
            .clone()
            .filter(|at| takes_column(facts, &places, *at, (&name, expression)))
            .collect();
        let first = *used.first()?;
        // The clause with the expression in the place of the column.
        let start = statement.tokens[places.start].range.start;
        let mut corrected = statement.text(places).to_owned();

        for at in used.iter().rev() {
            let token = &statement.tokens[*at].range;
            let is_simple = !expression.contains(' ') || expression.ends_with(')');
            let with = if is_simple { expression.to_owned() } else { format!("({expression})") };
            corrected.replace_range(token.start - start..token.end - start, &with);
        }
        let column = statement.word(first);
        let clause =
            if clause == "having" { "HAVING" } else { &*format!("{} BY", clause.to_uppercase()) };
        Some(format!(
            "{column} in {clause} is the column of the records, not the result {expression}: \
             {corrected}"
        ))
    })
}

/// Returns true if a name in a clause is that of a column, though the result `expression` is
/// meant.
fn takes_column(
    facts: &Facts<'_>,
    clause: &Range<usize>,
    at: usize,
    (name, expression): (&str, &str),
) -> bool {
    let statement = facts.statement();

    let is_part = statement.is(at + 1, ".")
        || statement.is(at + 1, "(")
        || at.checked_sub(1).is_some_and(|before| statement.is(before, "."));
    if !statement.is_name(at, name) || is_part {
        return false;
    }
    let ends = ["by", ",", "asc", "desc", "nulls", "collate"];
    let is_term = statement.is_any(at - 1, &ends)
        && (at + 1 >= clause.end || statement.is_any(at + 1, &ends))
        && statement.outside(clause.clone()).any(|place| place == at);
    if statement.is(clause.start, "group") {
        return is_term;
    }
    // A result that is a term of its own comes first in an order.
    let is_result = statement.is(clause.start, "order") && is_term;
    // An aggregate, and a copy of the expression, are of the column.
    let mut calls = statement.calls_of(&AGGREGATES).chain(statement.calls_of(&["min", "max"]));
    let in_aggregate = calls.any(|call| (call..statement.closing(call + 1)).contains(&at));
    let mut copies = statement.sql.match_indices(expression);
    let start = statement.tokens[at].range.start;
    let in_copy = copies.any(|(from, copy)| (from..from + copy.len()).contains(&start));

    !is_result && !in_aggregate && !in_copy
}
