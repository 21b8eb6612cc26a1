//! The statements of `statements.sql` give the rows that SQLite gives over tables of the same
//! values.

use std::fmt::Write;

use record_sql::{Query, run};
use rusqlite::Connection;
use rusqlite::types::Value;

use crate::{limits, source};

/// A file of records: its columns with their types, and values as SQL and as JSON spell them.
struct Table {
    columns: &'static [(&'static str, &'static str)],
    rows: Vec<Vec<(String, String)>>,
}

/// Numbers in an order that is always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[usize::try_from(self.below(values.len() as u64)).unwrap()]
    }
}

fn text(value: &str) -> (String, String) {
    (format!("'{value}'"), format!("\"{value}\""))
}

/// A value that both spell in the same way; booleans are 1 and 0 in SQL.
fn plain(value: &str) -> (String, String) {
    let sql = match value {
        "true" => "1",
        "false" => "0",
        other => other,
    };
    (sql.to_owned(), value.to_owned())
}

fn maybe(value: &str, spelled: fn(&str) -> (String, String)) -> (String, String) {
    if value == "null" { plain(value) } else { spelled(value) }
}

fn orders(numbers: &mut Numbers) -> Table {
    let row = |id: usize| {
        let tags: Vec<String> =
            (0..numbers.below(4)).map(|_| text(numbers.one_of(&["a", "b", "c"])).1).collect();
        let tags = format!("[{}]", tags.join(","));
        vec![
            plain(&id.to_string()),
            maybe(numbers.one_of(&["ann", "bob", "Cy", "d\u{e9}", "ann ", "null"]), text),
            plain(numbers.one_of(&["1", "2", "3", "7", "null"])),
            plain(&format!("{}.{:02}", numbers.below(100), 1 + numbers.below(99))),
            text(numbers.one_of(&["Rome", "Oslo", "NYC"])),
            plain(numbers.one_of(&["true", "false"])),
            text(&format!("2025-0{}-1{}", 1 + numbers.below(9), numbers.below(10))),
            (format!("'{tags}'"), tags.clone()),
            (format!("'{{\"k\":{id}}}'"), format!("{{\"k\":{id}}}")),
        ]
    };
    Table {
        columns: &[
            ("id", "INTEGER"),
            ("name", "TEXT"),
            ("qty", "INTEGER"),
            ("price", "REAL"),
            ("city", "TEXT"),
            ("ok", "INTEGER"),
            ("day", "TEXT"),
            ("tags", ""),
            ("meta", ""),
        ],
        rows: (0..60).map(row).collect(),
    }
}

fn bosses(numbers: &mut Numbers) -> Table {
    let row = |id: usize| {
        vec![
            plain(&(3 * id).to_string()),
            text(numbers.one_of(&["Rome", "Oslo", "Lima"])),
            text(numbers.one_of(&["x", "y"])),
            plain(numbers.one_of(&["1", "2", "null"])),
            plain(numbers.one_of(&["0", "3", "6", "null"])),
        ]
    };
    Table {
        columns: &[
            ("id", "INTEGER"),
            ("city", "TEXT"),
            ("boss", "TEXT"),
            ("qty", "INTEGER"),
            ("parent", "INTEGER"),
        ],
        rows: (0..20).map(row).collect(),
    }
}

impl Table {
    fn lines(&self) -> String {
        let mut lines = String::new();
        for row in &self.rows {
            let member = |(at, (_, json)): (usize, &(String, String))| {
                format!("\"{}\":{json}", self.columns[at].0)
            };
            let members: Vec<String> = row.iter().enumerate().map(member).collect();
            writeln!(lines, "{{{}}}", members.join(",")).unwrap();
        }
        lines
    }

    fn create(&self, name: &str, db: &Connection) {
        let columns: Vec<String> =
            self.columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        let rows: Vec<String> = self
            .rows
            .iter()
            .map(|row| {
                let values: Vec<&str> = row.iter().map(|(sql, _)| sql.as_str()).collect();
                format!("({})", values.join(","))
            })
            .collect();
        let (columns, rows) = (columns.join(","), rows.join(","));
        db.execute_batch(&format!(
            "CREATE TABLE {name}({columns}); INSERT INTO {name} VALUES {rows}"
        ))
        .unwrap();
    }
}

/// The rows of SQLite, spelled as the crate spells its rows.
fn reference(db: &Connection, sql: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let spelled = |value: Value| match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Text(text) => raw_json::quote(&text),
        Value::Blob(_) => panic!("{sql}: a blob"),
    };
    let row = |row: &rusqlite::Row<'_>| {
        let values: Result<Vec<String>, _> =
            (0..columns).map(|at| row.get(at).map(spelled)).collect();
        Ok(format!("[{}]", values?.join(",")))
    };
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn statements_give_the_rows_of_sqlite() {
    let mut numbers = Numbers(7);
    let (orders, bosses) = (orders(&mut numbers), bosses(&mut numbers));
    let (lines, other) = (orders.lines(), bosses.lines());
    let db = Connection::open_in_memory().unwrap();
    orders.create("records", &db);
    bosses.create("b", &db);
    let statements = include_str!("statements.sql").split(";\n");
    let (mut count, mut others) = (0, Vec::new());
    for sql in statements.map(str::trim).filter(|sql| !sql.is_empty()) {
        let sources = vec![source("records", &lines), source("b", &other)];
        let found = run(&Query::new(sql, sources), &limits()).map(|outcome| outcome.rows);
        let expected = reference(&db, sql);
        if found.as_ref().ok() != Some(&expected) {
            others.push(format!("{sql}\n{found:?}\nSQLite: {expected:?}"));
        }
        count += 1;
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
    assert!(count > 90, "{count} statements");
}
