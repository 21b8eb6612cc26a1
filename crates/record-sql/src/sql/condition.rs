//! Columns and literals that stand alone where a condition is expected.

use std::ops::Range;

use crate::error::SqlError;
use crate::records::profile::is_date;
use crate::sql::statement::{Statement, send_instead};
use crate::sql::token::Kind;

/// The operators that are the same in every order.
pub(crate) const EQUALITY: [&str; 4] = ["=", "==", "<>", "!="];

/// The words that may follow a whole condition.
const ENDS: [&str; 13] = [
    ")",
    "and",
    "or",
    "then",
    "group",
    "order",
    "limit",
    "having",
    "window",
    "union",
    "except",
    "intersect",
    "is",
];

/// Refuses `a = 1 OR 2`, `1 < a < 5`, `a > 2026-02-01` and `strftime(a, '%Y')`, which mean something
/// else than they look.
///
/// # Errors
///
/// Fails with the statement to send instead.
pub(crate) fn check(statement: &Statement) -> Result<(), SqlError> {
    if let Some((literal, corrected)) = lone_literal(statement) {
        let corrected = corrected.map_or_else(String::new, |sql| send_instead(&sql));
        return Err(SqlError::statement(format!(
            "SQL: {literal} alone is not a condition: compare it with a column. \
             {corrected}"
        )));
    }
    if let Some((date, corrected)) = unquoted_date(statement) {
        return Err(SqlError::statement(format!(
            "SQL: {date} without quotes is arithmetic, not a date. {}",
            send_instead(&corrected)
        )));
    }
    if let Some((does, corrected)) = chained(statement) {
        return Err(SqlError::statement(format!("SQL: {does}. {}", send_instead(&corrected))));
    }
    if let Some(corrected) = format_behind(statement) {
        return Err(SqlError::statement(format!(
            "SQL: strftime takes the format first. {}",
            send_instead(&corrected)
        )));
    }
    Ok(())
}

/// Returns the statement with the format of each `strftime` in front, if it is after the date.
fn format_behind(statement: &Statement) -> Option<String> {
    let mut corrected = statement.sql.clone();
    for at in statement.calls_of(&["strftime"]).collect::<Vec<_>>().into_iter().rev() {
        let arguments = statement.arguments(at + 1);
        let [date, format] = arguments.as_slice() else { continue };
        let is_text = |at: usize| statement.tokens[at].kind == Kind::Text;
        let has_codes = statement.word(format.start).contains('%');
        if is_text(date.start) || !is_text(format.start) || !has_codes {
            continue;
        }
        let [date, format] = [date, format].map(|places| statement.bytes(places.clone()));
        let swapped =
            format!("{}, {}", &statement.sql[format.clone()], &statement.sql[date.clone()]);
        corrected.replace_range(date.start..format.end, &swapped);
    }
    (corrected != statement.sql).then_some(corrected)
}

/// Returns the places of the expressions that are conditions by themselves, without a comparison,
/// such as `a` in `WHERE a AND b = 1`.
pub(crate) fn lone_conditions(statement: &Statement) -> Vec<Range<usize>> {
    let conditions = (1..statement.tokens.len()).filter_map(|at| {
        let is_argument =
            statement.is(at - 1, "(") && at > 1 && statement.is_any(at - 2, &["iif", "if"]);
        // That of CASE is compared with the values after WHEN.
        let is_value = statement.is(at - 1, "when")
            && statement
                .case_around(at - 1)
                .is_some_and(|case| !statement.is(case.start + 1, "when"));
        if is_value || statement.is(at, "(") || !(is_argument || begins(statement, at)) {
            return None;
        }
        let places = statement.expression_at(at)?;
        let end = places.end;
        let is_test = statement.is(end, "is")
            && !statement.is_any(end + 1, &["true", "false"])
            && !statement.is_any(end + 2, &["true", "false"]);
        let is_whole = ends(statement, end) || (is_argument && statement.is(end, ","));
        (is_whole && !is_test).then_some(places)
    });
    conditions.collect()
}

/// Returns the first literal after OR or AND that is a condition by itself, and a corrected
/// statement if it follows a comparison with `=`.
fn lone_literal(statement: &Statement) -> Option<(String, Option<String>)> {
    (1..statement.tokens.len()).find_map(|at| {
        let token = &statement.tokens[at];
        let or = statement.is(at - 1, "or");
        let is_literal = match token.kind {
            Kind::Text => or || statement.is(at - 1, "and"),
            Kind::Number => or,
            _ => false,
        };
        if !is_literal || !begins(statement, at) || !ends(statement, at + 1) {
            return None;
        }
        let literal = token.text(&statement.sql);
        let before = at.checked_sub(3).filter(|equals| or && statement.is(*equals, "="));
        let corrected = before.map(|equals| {
            let first = statement.word(equals + 1);
            let range = statement.tokens[equals].range.start..token.range.end;
            let gap =
                if statement.sql[..range.start].ends_with(char::is_whitespace) { "" } else { " " };
            statement.replaced(range, &format!("{gap}IN ({first}, {literal})")).sql
        });
        Some((literal.to_owned(), corrected))
    })
}

/// Returns the first date that is a difference of numbers, such as `2026-02-01`, and the statement
/// with all of them in quotes.
fn unquoted_date(statement: &Statement) -> Option<(String, String)> {
    let mut corrected = statement.clone();
    let mut first = None;
    for at in (4..statement.tokens.len()).rev() {
        let tokens = &statement.tokens[at - 4..=at];
        let are_adjacent = tokens.windows(2).all(|pair| pair[0].range.end == pair[1].range.start);
        let range = tokens[0].range.start..tokens[4].range.end;
        let text = &statement.sql[range.clone()];
        if are_adjacent && is_date(text.as_bytes()) {
            corrected = corrected.replaced(range, &format!("'{text}'"));
            first = Some(text.to_owned());
        }
    }
    Some((first?, corrected.sql))
}

/// Returns the corrected statement for a chain such as `1 < x < 5`, which compares 0 or 1 with 5,
/// and what the chain does.
fn chained(statement: &Statement) -> Option<(&'static str, String)> {
    const ORDER: [&str; 4] = ["<", "<=", ">", ">="];
    let is_order = |at: usize| statement.is_any(at, &ORDER);
    let is_comparison = |at: usize| is_order(at) || statement.is_any(at, &EQUALITY);
    (0..statement.tokens.len()).filter(|at| is_comparison(*at)).find_map(|at| {
        let middle = statement.expression_at(at + 1)?;
        is_comparison(middle.end).then_some(())?;
        // `a > 1 && b < 2`, `a = 1 || b = 2`: the conditions are meant.
        if let Some(joint) = middle.clone().find(|at| statement.is_any(*at, &["&", "||"])) {
            let (word, does) = match statement.is(joint, "&") {
                true => ("AND", "& is an operation of numbers"),
                false => ("OR", "|| joins texts"),
            };
            let end = joint + 1 + usize::from(statement.is(joint + 1, "&"));
            return Some((does, statement.replaced(statement.bytes(joint..end), word).sql));
        }
        (is_order(at) && is_order(middle.end)).then_some(())?;
        let bytes = statement.bytes(middle);
        let again = format!("{0} AND {0}", &statement.sql[bytes.clone()]);
        let does = "a < b < c compares the result of a < b, which is 0 or 1, with c";
        Some((does, statement.replaced(bytes, &again).sql))
    })
}

/// Returns true if a condition may begin at a place.
fn begins(statement: &Statement, at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return false };
    if statement.is_any(before, &["where", "or", "on", "having", "when"]) {
        return true;
    }
    if statement.is(before, "and") {
        return !in_between(statement, before);
    }
    let opens = |at: usize| {
        at.checked_sub(1).is_some_and(|at| {
            statement.is_any(at, &["where", "and", "or", "not", "on", "having", "when"])
        })
    };
    (statement.is(before, "not") && opens(before)) || (statement.is(before, "(") && opens(before))
}

fn ends(statement: &Statement, at: usize) -> bool {
    at >= statement.tokens.len() || statement.is_any(at, &ENDS)
}

/// Returns true for the AND of a BETWEEN.
fn in_between(statement: &Statement, and: usize) -> bool {
    let low = statement.expression_before(and);
    low.and_then(|low| low.start.checked_sub(1)).is_some_and(|at| statement.is(at, "between"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(sql: &str) -> Vec<String> {
        let statement = Statement::new(sql.to_owned());
        let text = |places| statement.sql[statement.bytes(places)].to_owned();
        lone_conditions(&statement).into_iter().map(text).collect()
    }

    #[test]
    fn columns_stand_alone() {
        assert_eq!(conditions("WHERE a AND NOT b OR (c) GROUP BY d"), ["a", "b", "c"]);
        assert_eq!(conditions("SELECT CASE WHEN r.a THEN 1 END WHERE e IS NOT TRUE"), ["r.a", "e"]);
        assert_eq!(conditions("SELECT iif(a->>'b', 1, 0) WHERE b = 1 AND c"), ["a->>'b'", "c"]);
        assert_eq!(
            conditions("SELECT CASE a WHEN b THEN 1 END WHERE f(b) AND c IS NULL"),
            ["f(b)"]
        );
        assert!(conditions("WHERE a BETWEEN b AND c").is_empty());
    }

    #[test]
    fn literals_stand_alone() {
        let lone = |sql: &str| lone_literal(&Statement::new(sql.to_owned()));
        let (literal, corrected) = lone("SELECT 1 WHERE a = 'x' OR 'y'").unwrap();
        assert_eq!(literal, "'y'");
        assert_eq!(corrected.unwrap(), "SELECT 1 WHERE a IN ('x', 'y')");
        let (_, corrected) = lone("SELECT 1 WHERE a='x' OR 'y'").unwrap();
        assert_eq!(corrected.unwrap(), "SELECT 1 WHERE a IN ('x', 'y')");
        assert!(lone("WHERE a BETWEEN '1' AND '2' OR a = 3").is_none());
        assert!(lone("WHERE a = 1 OR 2 < b").is_none());
    }

    #[test]
    fn dates_have_quotes() {
        let fixed = |sql: &str| unquoted_date(&Statement::new(sql.to_owned()));
        let (date, corrected) = fixed("WHERE a BETWEEN 2026-02-01 AND 2026-03-01").unwrap();
        assert_eq!(date, "2026-02-01");
        assert_eq!(corrected, "WHERE a BETWEEN '2026-02-01' AND '2026-03-01'");
        for fine in ["WHERE a > '2026-02-01'", "SELECT 2026 - 02 - 01, 2026-2-1, a-02-01"] {
            assert_eq!(fixed(fine), None, "{fine}");
        }
    }

    #[test]
    fn orders_are_chained() {
        let fixed = |sql: &str| Some(chained(&Statement::new(sql.to_owned()))?.1);
        assert_eq!(fixed("WHERE 1 < x <= 5").unwrap(), "WHERE 1 < x AND x <= 5");
        assert_eq!(fixed("WHERE 1 < x AND x <= 5"), None);
        for and in ["&", "&&"] {
            let sql = format!("WHERE x > 1 {and} y < 5");
            assert_eq!(fixed(&sql).unwrap(), "WHERE x > 1 AND y < 5");
        }
        assert_eq!(fixed("WHERE a = 1 || b == 2").unwrap(), "WHERE a = 1 OR b == 2");
        assert_eq!(fixed("WHERE a || 'x' = b || 'y' AND c = d"), None);
    }
}
