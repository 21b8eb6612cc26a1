//! The comparisons of a column with literals in a statement.

use std::ops::Range;

use crate::sql::statement::{Chain, Statement};
use crate::sql::token::Kind;

/// Symbols next to which a column or a literal is part of a larger expression.
const ARITHMETIC: [&str; 10] = ["+", "-", "*", "/", "%", "||", "->", "->>", ".", "collate"];

/// A comparison of a column with literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The column as it is spelled, perhaps behind an alias.
    pub(crate) column: Chain,
    /// The operator in capitals, with the column on its left; `NOT IN` is `IN`.
    pub(crate) operator: String,
    pub(crate) literals: Vec<Literal>,
    /// The range of the whole comparison.
    pub(crate) range: Range<usize>,
}

/// A literal of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The literal as SQL spells it.
    pub(crate) sql: String,
    /// Its text or digits.
    pub(crate) value: String,
    pub(crate) is_text: bool,
}

impl Comparison {
    /// Returns true for `=`, `!=` and `IN`.
    pub(crate) fn is_equality(&self) -> bool {
        matches!(self.operator.as_str(), "=" | "==" | "!=" | "<>" | "IN" | "IS")
    }

    /// Returns true for `<`, `BETWEEN` and the like.
    pub(crate) fn is_order(&self) -> bool {
        matches!(self.operator.as_str(), "<" | "<=" | ">" | ">=" | "BETWEEN")
    }
}

/// Returns the comparisons of a statement, in order.
pub(crate) fn comparisons(statement: &Statement) -> Vec<Comparison> {
    let ends = |chain: &Chain| {
        let range = chain.range();
        let place = |at: usize, end: bool| {
            statement
                .tokens
                .iter()
                .position(|token| if end { token.range.end == at } else { token.range.start == at })
        };
        place(range.start, false).zip(place(range.end, true))
    };
    // NOT looks like a name.
    let is_not = |chain: &Chain| chain.path(0).eq_ignore_ascii_case("not");
    let chains = statement.chains().into_iter().filter(|chain| !is_not(chain));
    let found = chains.filter_map(|chain| {
        let (first, last) = ends(&chain)?;
        forward(statement, &chain, first, last).or_else(|| backward(statement, &chain, first, last))
    });
    found.collect()
}

/// `column operator literal`.
fn forward(statement: &Statement, column: &Chain, first: usize, last: usize) -> Option<Comparison> {
    if first > 0 && in_expression(statement, first - 1) {
        return None;
    }
    let mut at = last + 1;
    if statement.is(at, "not") {
        at += 1;
    }
    let operator = statement.tokens.get(at)?.text(&statement.sql).to_ascii_uppercase();
    let (literals, end) = match operator.as_str() {
        "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "LIKE" | "GLOB" | "REGEXP" | "IS" => {
            let (literal, end) = literal(statement, at + 1)?;
            (vec![literal], end)
        }
        "BETWEEN" => {
            let (low, end) = literal(statement, at + 1)?;
            if !statement.is(end, "and") {
                return None;
            }
            let (high, end) = literal(statement, end + 1)?;
            (vec![low, high], end)
        }
        "IN" if statement.is(at + 1, "(") => list(statement, at + 2)?,
        _ => return None,
    };
    if in_expression(statement, end) {
        return None;
    }
    let range = column.range().start..statement.tokens[end - 1].range.end;
    Some(Comparison { column: column.clone(), operator, literals, range })
}

/// `literal operator column`.
fn backward(
    statement: &Statement,
    column: &Chain,
    first: usize,
    last: usize,
) -> Option<Comparison> {
    let operator = match statement.tokens.get(first.checked_sub(1)?)?.text(&statement.sql) {
        same @ ("=" | "==" | "!=" | "<>") => same,
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        _ => return None,
    };
    let at = first.checked_sub(2)?;
    let (literal, _) = literal(statement, at)?;
    if in_expression(statement, last + 1) || (at > 0 && in_expression(statement, at - 1)) {
        return None;
    }
    Some(Comparison {
        column: column.clone(),
        operator: operator.to_owned(),
        literals: vec![literal],
        range: statement.tokens[at].range.start..column.range().end,
    })
}

fn in_expression(statement: &Statement, at: usize) -> bool {
    ARITHMETIC.iter().any(|symbol| statement.is(at, symbol))
}

/// Returns the literals up to a closing bracket, and the place behind it.
fn list(statement: &Statement, start: usize) -> Option<(Vec<Literal>, usize)> {
    let mut literals = Vec::new();
    let mut at = start;
    loop {
        let (literal, end) = literal(statement, at)?;
        literals.push(literal);
        if statement.is(end, ")") {
            return Some((literals, end + 1));
        }
        if !statement.is(end, ",") {
            return None;
        }
        at = end + 1;
    }
}

/// Returns the text or number at a place, and the place behind it.
fn literal(statement: &Statement, at: usize) -> Option<(Literal, usize)> {
    let minus = statement.is(at, "-");
    let at = at + usize::from(minus);
    let token = statement.tokens.get(at)?;
    let is_text = token.kind == Kind::Text;
    if !is_text && token.kind != Kind::Number || (minus && is_text) {
        return None;
    }
    let sign = if minus { "-" } else { "" };
    let sql = format!("{sign}{}", token.text(&statement.sql));
    let value = format!("{sign}{}", token.value(&statement.sql));
    Some((Literal { sql, value, is_text }, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sql: &str) -> Vec<String> {
        let statement = Statement::new(sql.to_owned());
        let show = |found: &Comparison| {
            let literals: Vec<&str> = found.literals.iter().map(|l| l.sql.as_str()).collect();
            format!("{} {} {}", found.column.path(0), found.operator, literals.join(" "))
        };
        comparisons(&statement).iter().map(show).collect()
    }

    #[test]
    fn columns_meet_literals() {
        assert_eq!(
            found("WHERE r.status = 'a' AND 5 < x AND y NOT IN ('b', -2) OR z BETWEEN 1 AND 2"),
            ["r.status = 'a'", "x > 5", "y IN 'b' -2", "z BETWEEN 1 2"]
        );
    }

    #[test]
    fn expressions_are_left_out() {
        for sql in [
            "a + b = 5",
            "a = 5 + b",
            "lower(a) = 'x'",
            "a = b",
            "a->>'x' = 'y'",
            "a = 'x' COLLATE NOCASE",
            "a IN (SELECT 1)",
        ] {
            assert!(found(sql).is_empty(), "{sql}: {:?}", found(sql));
        }
    }
}
