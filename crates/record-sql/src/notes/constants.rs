//! Constants outside of comparisons that no record has: in CASE and `instr`.

use crate::notes::compared::{of_comparison, subject};
use crate::notes::facts::Facts;
use crate::notes::values::Subject;
use crate::sql::comparison::{Comparison, LiteralKind, cases};
use crate::sql::condition::lone_conditions;
use crate::sql::token::Kind;

pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let cases = cases(facts.statement()).into_iter().filter_map(|case| of_case(facts, &case));
    cases.chain(of_parts(facts)).collect()
}

/// A constant behind WHEN, where some value has no WHEN of its own.
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

/// A text that `instr` finds nowhere in these letters.
fn of_parts(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let lone = lone_conditions(statement);
    statement.calls_of(&["instr"]).find_map(|at| {
        let [text, part] = statement.arguments(at + 1).try_into().ok()?;
        let literal = statement.text(part.clone());
        statement.tokens.get(part.start).filter(|token| token.kind == Kind::Text)?;
        let of = Subject::at(facts, text)?;
        let low = literal.to_lowercase();
        let [same, other] =
            of.counts(&format!("sum(instr(it, {literal}) > 0), sum(instr(lower(it), {low}) > 0)"))?;

        let name = &of.name;
        let is_lone = lone.iter().any(|condition| condition.start == at);
        match other {
            _ if same > 0 => None,
            0 => is_lone.then(|| format!("no {name} has {literal}")),
            _ => Some(format!(
                "no {name} has {literal}; {other} have it in other letters: \
                 instr(lower({name}), {low})"
            )),
        }
    })
}
