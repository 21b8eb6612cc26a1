//! Columns that must be quoted, because their names are keywords.

use rusqlite::Connection;

use crate::failure::message;
use crate::prepare::draft::Draft;
use crate::prepare::explain::is_column;
use crate::prepare::offset;
use crate::sql::quoting;
use crate::sql::statement::{Statement, send_instead};
use crate::sql::token::Kind;

/// The most columns of a statement that are quoted.
const MAX_QUOTED: usize = 6;

/// The keywords that SQLite accepts as the name of a column without quotes.
const BARE: [&str; 21] = [
    "asc", "by", "cross", "desc", "end", "filter", "first", "full", "glob", "inner", "last",
    "left", "like", "natural", "nulls", "offset", "outer", "over", "regexp", "right", "window",
];

/// Returns the statement with quotes around the columns that it reads whose names are keywords: as
/// long as SQLite makes the same program of it, they are these columns.
pub(crate) fn quote_bare(
    db: &Connection,
    statement: Statement,
    reads: &[(String, String)],
) -> Statement {
    let names = reads.iter().map(|(_, column)| column);
    if !names.clone().any(|name| BARE.iter().any(|word| name.eq_ignore_ascii_case(word))) {
        return statement;
    }
    let is_bare = |at: &usize| statement.is_any(*at, &BARE);
    let bare = (0..statement.tokens.len()).rev().filter(is_bare);
    bare.fold(statement.clone(), |quoted, at| {
        let token = &statement.tokens[at];
        let Some(name) = names.clone().find(|name| token.is(&statement.sql, name)) else {
            return quoted;
        };
        let corrected = quoted.replaced(token.range.clone(), &quoting::name(name));
        let same =
            program(db, &corrected.sql).filter(|of| Some(of) == program(db, &quoted.sql).as_ref());
        if same.is_some() { corrected } else { quoted }
    })
}

/// Returns the program of SQLite for a statement; None if it has none.
fn program(db: &Connection, sql: &str) -> Option<Vec<String>> {
    let mut program = db.prepare(&format!("EXPLAIN {sql}")).ok()?;
    let step =
        |row: &rusqlite::Row<'_>| (0..6).map(|at| Ok(format!("{:?}", row.get_ref(at)?))).collect();
    program.query_map([], step).ok()?.collect::<Result<_, _>>().ok()
}

/// Returns the hint for a statement that is not SQL at `at`, if it is where the columns are quoted
/// whose names are keywords.
pub(crate) fn hint(draft: &Draft<'_, '_>, db: &Connection, at: usize) -> Option<String> {
    let corrected = quoted(draft, db, &draft.statement, at, MAX_QUOTED)?;
    let all = draft.statement.tokens.iter().zip(&corrected.tokens);
    let keyword = all.into_iter().find(|(one, other)| one.kind != other.kind)?.0;
    Some(format!(
        "`{}` is a keyword, too: quote the column. {}",
        keyword.text(&draft.statement.sql),
        send_instead(&corrected.sql)
    ))
}

/// Returns the statement with quotes from the token `at` on, or from the one before: SQLite reports
/// the first token that does not fit, which may follow the cause.
fn quoted(
    draft: &Draft<'_, '_>,
    db: &Connection,
    statement: &Statement,
    at: usize,
    left: usize,
) -> Option<Statement> {
    let left = left.checked_sub(1)?;
    (at.saturating_sub(1)..=at).rev().find_map(|at| {
        let corrected = quoted_at(draft, statement, at)?;
        let Err(error) = db.prepare(&corrected.sql) else { return Some(corrected) };
        if is_sql(&message(&error)) {
            return Some(corrected);
        }
        let offset = offset(&error)?;
        let next = corrected.tokens.iter().position(|token| token.range.contains(&offset))?;
        quoted(draft, db, &corrected, next, left)
    })
}

/// Returns true for the message of a statement that is SQL, such as one with an unknown column.
pub(crate) fn is_sql(message: &str) -> bool {
    let others = ["syntax error", "incomplete input", "unrecognized token"];
    !others.iter().any(|part| message.contains(part))
}

/// Returns the statement with the longest column that begins at a token in quotes.
fn quoted_at(draft: &Draft<'_, '_>, statement: &Statement, at: usize) -> Option<Statement> {
    let first = statement.tokens.get(at).filter(|token| token.kind == Kind::Word)?;
    let (mut name, mut end) = (String::new(), at);
    let mut longest = None;
    loop {
        let token = &statement.tokens[end];
        name.push_str(&token.value(&statement.sql));
        if is_column(draft, &name) {
            longest = Some((name.clone(), token.range.end));
        }
        let next = statement.tokens.get(end + 2).filter(|_| statement.is(end + 1, "."));
        if !next.is_some_and(crate::sql::token::Token::is_name) {
            break;
        }
        name.push('.');
        end += 2;
    }
    let (name, end) = longest?;
    Some(statement.replaced(first.range.start..end, &quoting::name(&name)))
}
