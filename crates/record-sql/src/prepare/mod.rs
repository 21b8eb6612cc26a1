//! Prepares a statement against empty tables: finds the tables, nested columns and files that it
//! names, and the columns that it reads.

mod dialects;
mod draft;
mod elements;
mod explain;
mod failed;
pub(crate) mod guard;
mod joined;
mod keywords;
mod resolve;
mod single_quoted;

use rusqlite::{Connection, Error};

use crate::error::SqlError;
use crate::failure::message;
use crate::records::source::Scanned;
use crate::records::table::Table;
use crate::sql::condition;
use crate::sql::quoting;
use crate::sql::statement::Statement;

use draft::Draft;
use failed::Failed;
use guard::Guard;
use joined::joined;
use resolve::resolve;

/// The column of a row's number, as SQLite tells its authorizer.
pub(crate) const ROW_NUMBER: &str = "ROWID";

/// The most corrections of one statement.
const MAX_FIXES: usize = 64;

/// The names that SQLite has for the number of a row next to `rowid`, which nobody takes for a
/// field.
const ROW_NUMBERS: [&str; 2] = ["oid", "_rowid_"];

/// A statement with its tables.
pub(crate) struct Prepared {
    pub(crate) statement: Statement,
    pub(crate) tables: Vec<Table>,
    /// The columns that are read: table and column.
    pub(crate) reads: Vec<(String, String)>,
}

/// Prepares a statement and makes its tables.
///
/// # Errors
///
/// Fails with a message that says what to send instead.
pub(crate) fn prepare(
    db: &Connection,
    guard: &Guard,
    sources: &[Scanned<'_>],
    statement: Statement,
) -> Result<Prepared, SqlError> {
    condition::check(&statement)?;
    single_quoted::check(&statement, sources)?;
    let mut draft = Draft::new(whole_paths(statement, sources), sources);
    for _ in 0..MAX_FIXES {
        guard.watch(&draft.statement, &draft.tables);
        let result = db.prepare(&draft.statement.sql).map(drop);
        let (reads, denied) = guard.end();
        let failed = match result {
            Err(error) => Failed { message: message(&error), offset: offset(&error), denied },
            Ok(()) => match row_number(&draft.statement, &reads) {
                Some(failed) => failed,
                None => {
                    let mut reads = reads;
                    for read in joined(&draft.statement, &draft.tables) {
                        if !reads.contains(&read) {
                            reads.push(read);
                        }
                    }
                    let Draft { statement, tables, .. } = draft;
                    let statement = keywords::quote_bare(db, statement, &reads);
                    return Ok(Prepared { statement, tables, reads });
                }
            },
        };
        let fixed = match resolve(&draft, &failed) {
            Some(fix) => draft.apply(fix, db)?,
            None => false,
        };
        if !fixed {
            return Err(explain::explain(&draft, db, &failed));
        }
    }
    Err(SqlError::statement("SQL: the statement names too many nested fields; select fewer"))
}

/// Returns the failure of a statement that reads the number that SQLite gives a row, which is no
/// field of a record.
fn row_number(statement: &Statement, reads: &[(String, String)]) -> Option<Failed> {
    reads.iter().find(|(_, column)| column == ROW_NUMBER)?;
    let at = statement.places_of(&ROW_NUMBERS).next()?;
    let message = format!("no such column: {}", statement.word(at));
    Some(Failed { message, offset: Some(statement.tokens[at].range.start), denied: None })
}

fn offset(error: &Error) -> Option<usize> {
    match error {
        Error::SqlInputError { offset, .. } => usize::try_from(*offset).ok(),
        _ => None,
    }
}

/// Quotes the paths of four keys and more, which are not SQL.
fn whole_paths(statement: Statement, sources: &[Scanned<'_>]) -> Statement {
    let long = |statement: &Statement| {
        let mut chains = statement.chains().into_iter();
        let chain = chains.find(|chain| chain.parts.len() > 3)?;
        let is_path = |from: &usize| {
            let path = chain.path(*from);
            sources.iter().any(|source| source.paths().plain.find(&path).is_some())
        };
        // One that is no path has an error of its own as a column.
        let from = (0..2).find(is_path).unwrap_or(0);
        Some((chain.from(from), chain.path(from)))
    };
    let mut statement = statement;
    for _ in 0..MAX_FIXES {
        let Some((range, path)) = long(&statement) else { break };
        statement = statement.replaced(range, &quoting::name(&path));
    }
    statement
}
