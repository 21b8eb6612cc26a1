//! Runs a statement over records.

use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::advice;
use crate::error::SqlError;
use crate::failure::of_run;
use crate::functions;
use crate::letter_order::Collation;
use crate::limits::{Clock, Limits};
use crate::notes;
use crate::notes::facts::{Db, Facts};
use crate::outcome::{Outcome, Page};
use crate::prepare::guard::Guard;
use crate::prepare::{Prepared, prepare};
use crate::records::fields::keep_texts_alike;
use crate::records::order::{self, Ordered};
use crate::records::source::{Scanned, Source};
use crate::records::wanted::Wanted;
use crate::sql::statement::Statement;

/// The longest value or row in bytes, unless a record is longer.
const MAX_VALUE: usize = 16 * 1024 * 1024;

/// The instructions of SQLite between two looks at the clock.
const INSTRUCTIONS: i32 = 2_000;

/// The time for notes, after the rows.
const NOTES_TIME: Duration = Duration::from_millis(200);

/// A statement and its records.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The statement.
    pub sql: &'a str,
    /// The files; the first one is also the table `records`.
    pub sources: Vec<Source<'a>>,
    /// The number of rows that are skipped at the start.
    pub offset: u64,
    /// The most rows that are returned after those; None for all.
    pub limit: Option<u64>,
}

impl<'a> Query<'a> {
    /// Returns a query for all rows.
    pub fn new(sql: &'a str, sources: Vec<Source<'a>>) -> Self {
        Self { sql, sources, offset: 0, limit: None }
    }
}

/// Runs a statement. A limit on the output ends the rows, not the count.
///
/// # Errors
///
/// Fails if the statement is refused or fails, or reaches a limit before its first row.
pub fn run(query: &Query<'_>, limits: &Limits) -> Result<Outcome, SqlError> {
    let clock = Clock::new(limits.time);
    let statement = Statement::parse(query.sql)?;
    let wanted = Wanted::by(&statement);
    let sources = query.sources.iter().map(|source| Scanned::new(source, &wanted, &clock));
    let mut sources: Vec<Scanned<'_>> = sources.collect::<Result<_, _>>()?;
    let shapes: Vec<_> = sources.iter_mut().map(|source| &mut source.shape).collect();
    keep_texts_alike(shapes);
    let (db, guard) = open(&sources, limits, &clock).map_err(|error| of_run(&error))?;
    let mut prepared = prepare(&db, &guard, &sources, statement)?;
    fill(&db, &sources, &mut prepared, &clock)?;
    let page = Page {
        offset: query.offset,
        limit: query.limit.unwrap_or(u64::MAX),
        output_bytes: limits.output_bytes,
        clock: &clock,
    };
    let facts = Facts { db: Db(&db), sources: &sources, prepared: &prepared };
    let mut outcome =
        rows(&db, &guard, &prepared, &page).map_err(|error| advice::with_advice(&facts, error))?;
    outcome.own_limit = own_limit(&prepared.statement).filter(|limit| *limit == outcome.total);
    clock.grant(NOTES_TIME);
    outcome.notes = notes::notes(&facts, outcome.is_nothing());
    Ok(outcome)
}

fn open(
    sources: &[Scanned<'_>],
    limits: &Limits,
    clock: &Clock,
) -> rusqlite::Result<(Connection, Guard)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_in_memory_with_flags(flags)?;
    for off in [
        DbConfig::SQLITE_DBCONFIG_DQS_DML,
        DbConfig::SQLITE_DBCONFIG_DQS_DDL,
        DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
        DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
        DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
    ] {
        db.set_db_config(off, false)?;
    }
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    db.execute_batch(&format!(
        "PRAGMA hard_heap_limit={}; PRAGMA temp_store=MEMORY; PRAGMA journal_mode=OFF; \
         PRAGMA synchronous=OFF",
        limits.memory_bytes
    ))?;
    let longest = sources.iter().map(|source| source.shape.longest).max().unwrap_or(0);
    let value = i32::try_from(longest.saturating_mul(2).max(MAX_VALUE)).unwrap_or(i32::MAX);
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, value),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
        (Limit::SQLITE_LIMIT_VDBE_OP, 500_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        db.set_limit(limit, most)?;
    }
    functions::add(&db)?;
    let clock = clock.clone();
    db.progress_handler(INSTRUCTIONS, Some(move || clock.is_over()))?;
    let guard = Guard::install(&mut db)?;
    Ok((db, guard))
}

fn fill(
    db: &Connection,
    sources: &[Scanned<'_>],
    prepared: &mut Prepared,
    clock: &Clock,
) -> Result<(), SqlError> {
    let ordered = Ordered::by(db, &prepared.statement);
    let bounds = ordered.as_ref().map(Ordered::bounds).unwrap_or_default();
    Collation::add_all(db, &bounds).map_err(|error| of_run(&error))?;
    for table in &mut prepared.tables {
        let read = prepared.reads.iter().filter(|(name, _)| *name == table.name);
        let columns: Vec<String> = read.map(|(_, column)| column.clone()).collect();
        let source = &sources[table.source];
        if let Some(ordered) = &ordered {
            order::find(table, source, ordered, &columns, clock)?;
        }
        if table.columns.iter().any(|column| column.order.is_some()) {
            table.create(db, source).map_err(|error| of_run(&error))?;
        }
        table.fill(db, source, &columns, clock)?;
    }
    Ok(())
}

fn rows(
    db: &Connection,
    guard: &Guard,
    prepared: &Prepared,
    page: &Page<'_>,
) -> Result<Outcome, SqlError> {
    guard.watch(&prepared.statement, &prepared.tables);
    let statement = db.prepare(&prepared.statement.sql);
    guard.end();
    let mut statement = statement.map_err(|error| of_run(&error))?;
    let columns = statement.column_names().map(str::to_owned).collect();
    let mut outcome = Outcome { columns, ..Outcome::default() };
    outcome.read(&mut statement.raw_query(), page).map_err(|error| of_run(&error))?;
    Ok(outcome)
}

/// Returns the number after the last LIMIT that is in no bracket.
fn own_limit(statement: &Statement) -> Option<u64> {
    let mut depth = 0_i64;
    let mut limit = None;
    for (at, token) in statement.tokens.iter().enumerate() {
        match token.text(&statement.sql) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ if depth == 0 && statement.is(at, "limit") => limit = Some(at + 1),
            _ => {}
        }
    }
    statement.tokens.get(limit?)?.text(&statement.sql).parse().ok()
}
