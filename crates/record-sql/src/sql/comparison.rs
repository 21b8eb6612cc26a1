//! The comparisons of a column or an expression with literals in a statement.

use std::ops::Range;

use crate::sql::expression::COMPARING;
use crate::sql::statement::{Chain, Statement};
use crate::sql::token::Kind;

/// Words that are no columns but look like names.
const WORDS: [&str; 16] = [
    "and",
    "as",
    "between",
    "case",
    "current_date",
    "current_timestamp",
    "distinct",
    "else",
    "end",
    "false",
    "is",
    "not",
    "null",
    "select",
    "then",
    "true",
];

/// A comparison of a column, or of an expression over columns, with literals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The column, perhaps after an alias, if the expression is nothing else.
    pub(crate) column: Option<Chain>,
    /// The bytes of the expression.
    pub(crate) subject: Range<usize>,
    /// The place of its first token.
    pub(crate) place: usize,
    /// The operator in capitals, with the expression on its left.
    pub(crate) operator: String,
    /// True for `NOT IN`, `IS NOT` and the like.
    pub(crate) negated: bool,
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
    pub(crate) kind: LiteralKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralKind {
    Text,
    Number,
    /// TRUE or FALSE.
    Boolean,
    Null,
    /// An expression without columns.
    Constant,
}

impl Literal {
    pub(crate) fn is_text(&self) -> bool {
        self.kind == LiteralKind::Text
    }
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

    /// Returns true for `LIKE`, `GLOB` and `REGEXP`.
    pub(crate) fn is_pattern(&self) -> bool {
        matches!(self.operator.as_str(), "LIKE" | "GLOB" | "REGEXP")
    }

    /// Returns true if the comparison leaves out nulls that its negation leaves out, too.
    pub(crate) fn excludes(&self) -> bool {
        matches!(self.operator.as_str(), "!=" | "<>") || (self.negated && self.operator != "IS")
    }
}

/// Returns the comparisons of a statement, in order.
pub(crate) fn comparisons(statement: &Statement) -> Vec<Comparison> {
    let chains = columns(statement);
    let operators = (0..statement.tokens.len()).filter(|at| {
        statement.tokens[*at].kind != Kind::Text
            && (statement.is_any(*at, &COMPARING) || statement.is(*at, "is"))
    });
    operators.filter_map(|at| comparison(statement, &chains, at)).collect()
}

/// Returns the comparisons of `CASE x WHEN 'a' …` with the constants after WHEN.
pub(crate) fn cases(statement: &Statement) -> Vec<Comparison> {
    let chains = columns(statement);
    let case = |at: usize| {
        let subject = statement.expression_at(at + 1)?;
        let all = statement.case_around(at + 1)?;
        let is_own = |when: &usize| statement.case_around(*when).as_ref() == Some(&all);
        let whens = statement.outside(all.clone()).filter(|at| statement.is(*at, "when"));
        let literals = whens.filter(is_own).filter_map(|when| literal(statement, when + 1));
        let literals: Vec<(Literal, usize)> = literals.collect();
        let range = statement.bytes(subject.start..literals.first()?.1);
        let chain = column_in(statement, &chains, &subject)?;
        let literals = literals.into_iter().map(|(literal, _)| literal).collect();
        let made = made(statement, subject, chain, "IN".to_owned(), literals)?;
        Some(Comparison { range, ..made })
    };
    statement.places_of(&["case"]).filter_map(case).collect()
}

impl Statement {
    /// Returns the text in quotes that is all of some places.
    pub(crate) fn literal(&self, places: Range<usize>) -> Option<Literal> {
        let (found, end) = literal(self, places.start)?;
        (end == places.end && found.is_text()).then_some(found)
    }
}

/// Returns the names of a statement that may be columns.
fn columns(statement: &Statement) -> Vec<Chain> {
    statement.chains().into_iter().filter(|chain| !chain.is_word(&WORDS)).collect()
}

/// Returns the first column in an expression.
fn column_in<'c>(
    statement: &Statement,
    chains: &'c [Chain],
    places: &Range<usize>,
) -> Option<&'c Chain> {
    let bytes = statement.bytes(places.clone());
    chains.iter().find(|chain| bytes.start <= chain.range().start && chain.range().end <= bytes.end)
}

fn comparison(statement: &Statement, chains: &[Chain], at: usize) -> Option<Comparison> {
    let not_before = at.checked_sub(1).is_some_and(|before| statement.is(before, "not"));
    let is = statement.is(at, "is");
    let negated = not_before || (is && statement.is(at + 1, "not"));
    let operator = statement.word(at).to_ascii_uppercase();
    let left = statement.expression_before(at - usize::from(not_before))?;
    let behind = at + 1 + usize::from(is && negated);
    let is_not = |before: usize| left.start >= before && statement.is(left.start - before, "not");
    let bracketed = left.start > 0 && statement.is(left.start - 1, "(");
    let negated = negated || is_not(1) || (bracketed && is_not(2));
    if let Some(chain) = column_in(statement, chains, &left) {
        let (literals, end) = operands(statement, chains, &operator, behind)?;
        if !statement.ends_expression(end) || statement.is(end, "collate") {
            return None;
        }
        return made(statement, left.clone(), chain, operator, literals).map(|made| Comparison {
            negated,
            range: statement.bytes(left.start..end),
            ..made
        });
    }
    // `literal operator column`.
    let operator = match operator.as_str() {
        same @ ("=" | "==" | "!=" | "<>") => same,
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        _ => return None,
    };
    let (literal, end) = literal(statement, left.start)?;
    let right = statement.expression_at(behind).filter(|_| end == left.end)?;
    let chain = column_in(statement, chains, &right)?;
    let range = statement.bytes(left.start..right.end);
    made(statement, right, chain, operator.to_owned(), vec![literal])
        .map(|made| Comparison { range, ..made })
}

fn made(
    statement: &Statement,
    places: Range<usize>,
    chain: &Chain,
    operator: String,
    literals: Vec<Literal>,
) -> Option<Comparison> {
    let subject = statement.bytes(places.clone());
    let column = (chain.range() == subject).then(|| chain.clone());
    let place = places.start;
    let range = subject.clone();
    statement.is_scalar(places).then_some(Comparison {
        column,
        subject,
        place,
        operator,
        negated: false,
        literals,
        range,
    })
}

/// Returns the literals after an operator, and the place after them.
fn operands(
    statement: &Statement,
    chains: &[Chain],
    operator: &str,
    at: usize,
) -> Option<(Vec<Literal>, usize)> {
    match operator {
        "BETWEEN" => {
            let (low, end) = operand(statement, chains, at)?;
            if !statement.is(end, "and") {
                return None;
            }
            let (high, end) = operand(statement, chains, end + 1)?;
            Some((vec![low, high], end))
        }
        "IN" if statement.is(at, "(") => list(statement, at + 1),
        "IN" => None,
        "IS" => {
            let (literal, end) = literal(statement, at)?;
            (literal.kind != LiteralKind::Null).then_some((vec![literal], end))
        }
        _ => {
            let (mut literal, mut end) = operand(statement, chains, at)?;
            if operator == "LIKE" && statement.is(end, "escape") {
                end += 2;
                literal.sql = statement.text(at..end).to_owned();
            }
            Some((vec![literal], end))
        }
    }
}

/// Returns the literals up to a closing bracket, and the place after it.
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

/// Returns the literal or the expression without columns at a place, and the place after it.
fn operand(statement: &Statement, chains: &[Chain], at: usize) -> Option<(Literal, usize)> {
    if let Some((literal, end)) = literal(statement, at)
        && statement.ends_expression(end)
    {
        return Some((literal, end));
    }
    let places = statement.expression_at(at)?;
    let bytes = statement.bytes(places.clone());
    let has_columns = chains.iter().any(|chain| bytes.contains(&chain.range().start));
    if has_columns || !statement.is_scalar(places.clone()) {
        return None;
    }
    let sql = statement.sql[bytes].to_owned();

    let value = sql.clone();
    Some((Literal { sql, value, kind: LiteralKind::Constant }, places.end))
}

/// Returns the literal at a place, and the place after it.
fn literal(statement: &Statement, at: usize) -> Option<(Literal, usize)> {
    let minus = statement.is(at, "-");
    let at = at + usize::from(minus);
    let token = statement.tokens.get(at)?;
    let kind = match token.kind {
        Kind::Number => LiteralKind::Number,
        Kind::Text if !minus => LiteralKind::Text,
        Kind::Word if !minus && statement.is_any(at, &["true", "false"]) => LiteralKind::Boolean,
        Kind::Word if !minus && statement.is(at, "null") => LiteralKind::Null,
        _ => return None,
    };
    let sign = if minus { "-" } else { "" };
    let sql = format!("{sign}{}", token.text(&statement.sql));
    let value = format!("{sign}{}", token.value(&statement.sql));
    Some((Literal { sql, value, kind }, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sql: &str) -> Vec<String> {
        let statement = Statement::new(sql.to_owned());
        let show = |found: &Comparison| {
            let literals: Vec<&str> = found.literals.iter().map(|l| l.sql.as_str()).collect();
            let not = if found.negated { "NOT " } else { "" };
            let subject = &statement.sql[found.subject.clone()];
            format!("{subject} {not}{} {}", found.operator, literals.join(" "))
        };
        comparisons(&statement).iter().map(show).collect()
    }

    #[test]
    fn columns_meet_literals() {
        assert_eq!(
            found("WHERE r.status = 'a' AND 5 < x AND y NOT IN ('b', -2) OR z BETWEEN 1 AND 2"),
            ["r.status = 'a'", "x > 5", "y NOT IN 'b' -2", "z BETWEEN 1 2"]
        );
        assert_eq!(
            found("WHERE a IS NOT TRUE AND b = NULL AND c IS NULL AND d >= date('now', '-1 day')"),
            ["a NOT IS TRUE", "b = NULL", "d >= date('now', '-1 day')"]
        );
    }

    #[test]
    fn expressions_meet_literals() {
        assert_eq!(
            found("SELECT sum(lower(a) = 'x') FROM r WHERE b ->> '$.c' LIKE 'y%' AND 1 + d = 5"),
            ["lower(a) = 'x'", "b ->> '$.c' LIKE 'y%'", "1 + d = 5"]
        );
        assert_eq!(
            found("WHERE a LIKE '9^%%' ESCAPE '^' AND b = 1"),
            ["a LIKE '9^%%' ESCAPE '^'", "b = 1"]
        );
    }

    #[test]
    fn others_are_left_out() {
        for sql in [
            "a = 5 + b",
            "a = b",
            "a = 'x' COLLATE NOCASE",
            "a IN (SELECT 1)",
            "SELECT a FROM r HAVING count(a) > 1",
            "SELECT * FROM r WHERE a IS NULL AND 1 = 1",
        ] {
            assert!(found(sql).is_empty(), "{sql}: {:?}", found(sql));
        }
    }
}
