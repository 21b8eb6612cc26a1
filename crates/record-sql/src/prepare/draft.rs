//! The tables of a statement while it is prepared, and how they change.

use rusqlite::Connection;

use crate::error::SqlError;
use crate::failure;
use crate::records::column::From;
use crate::records::source::Scanned;
use crate::records::table::Table;
use crate::sql::quoting;
use crate::sql::statement::{Chain, Statement};

/// The most tables.
const MAX_TABLES: usize = 16;

/// A column that is no top-level field: its name and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extra {
    pub(crate) name: String,
    /// None for the whole record.
    pub(crate) path: Option<String>,
}

/// A change that lets SQLite know a name.
#[derive(Clone, Debug)]
pub(crate) enum Fix {
    /// A table of a source.
    Table {
        /// The name in the statement.
        name: String,
        /// The place of the source.
        source: usize,
    },
    /// A further column.
    Column(Extra),
    /// The parts of a chain from `from` are a path, which becomes one quoted name.
    Path {
        /// The chain as it is.
        chain: Chain,
        /// The first part of the path.
        from: usize,
        /// The path as the records spell it.
        path: String,
    },
}

/// The tables of a statement while it is prepared.
pub(crate) struct Draft<'s, 'a> {
    pub(crate) sources: &'s [Scanned<'a>],
    pub(crate) statement: Statement,
    pub(crate) tables: Vec<Table>,
    extras: Vec<Extra>,
}

impl<'s, 'a> Draft<'s, 'a> {
    pub(crate) fn new(statement: Statement, sources: &'s [Scanned<'a>]) -> Self {
        Self { sources, statement, tables: Vec::new(), extras: Vec::new() }
    }
}

impl Draft<'_, '_> {
    /// Applies a fix; returns false if it changed nothing.
    pub(crate) fn apply(&mut self, fix: Fix, db: &Connection) -> Result<bool, SqlError> {
        match fix {
            Fix::Table { name, source } => {
                if self.tables.len() >= MAX_TABLES {
                    return Ok(false);
                }
                let mut table = Table::new(name, source, &self.sources[source]);
                for extra in &self.extras {
                    add(&mut table, extra, &self.sources[source]);
                }
                self.create(&table, db)?;
                self.tables.push(table);
                Ok(true)
            }
            Fix::Column(extra) => self.add_column(extra, db),
            Fix::Path { chain, from, path } => {
                self.statement = self.statement.renamed(&chain, from, &quoting::name(&path));
                self.add_column(Extra { name: path.clone(), path: Some(path) }, db)?;
                Ok(true)
            }
        }
    }

    fn add_column(&mut self, extra: Extra, db: &Connection) -> Result<bool, SqlError> {
        let mut added = false;
        let mut tables = std::mem::take(&mut self.tables);
        for table in &mut tables {
            if add(table, &extra, &self.sources[table.source]) {
                added = true;
                self.create(table, db)?;
            }
        }
        self.tables = tables;
        if !self.extras.contains(&extra) {
            self.extras.push(extra);
        }
        Ok(added)
    }

    fn create(&self, table: &Table, db: &Connection) -> Result<(), SqlError> {
        table.create(db, &self.sources[table.source]).map_err(|error| failure::of_run(&error))
    }
}

fn add(table: &mut Table, extra: &Extra, source: &Scanned<'_>) -> bool {
    let from = match &extra.path {
        None => Some(From::Record),
        Some(path) => source.paths().plain.find(path).map(From::Path),
    };
    from.is_some_and(|from| table.add(extra.name.clone(), from))
}
