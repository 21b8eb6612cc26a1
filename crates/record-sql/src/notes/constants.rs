//! Constants outside of comparisons that no record has: in CASE and `instr`.

use crate::notes::case::of_parts;
use crate::notes::compared::{of_comparison, subject};
use crate::notes::facts::Facts;
use crate::sql::comparison::{Comparison, LiteralKind, cases};

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let cases = cases(facts.statement()).into_iter().filter_map(|case| of_case(facts, &case));
    cases.chain(of_parts(facts)).collect()
}

/// A constant after WHEN, where some value has no WHEN of its own.
fn of_case(facts: &Facts<'_>, case: &Comparison) -> Option<String> {
    if case.literals.iter().any(|literal| literal.kind == LiteralKind::Null) {
        let of = &facts.statement().sql[case.subject.clone()];
        return Some(format!("{of} WHEN NULL is never true: CASE WHEN {of} IS NULL THEN …"));
    }
    let column = case.column.as_ref().and_then(|column| facts.column(column));
    let literals: Vec<&str> = case.literals.iter().map(|literal| literal.sql.as_str()).collect();
    let others = format!("it NOT IN ({})", literals.join(", "));
    let has_others = subject(facts, case, column)?.has(&others)?;
    of_comparison(facts, case).filter(|_| has_others)
}
