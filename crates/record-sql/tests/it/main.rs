//! The tests of the crate: what a statement answers, its errors and notes, statements that mean
//! harm, and random records next to a plain computation.

#![allow(clippy::unwrap_used)]

mod absent;
mod aliases;
mod answers;
mod booleans;
mod bounds;
mod conditions;
mod dialects;
mod elements;
mod equality;
mod errors;
mod expressions;
mod hostile;
mod joins;
mod left_out;
mod misread;
mod mixed_types;
mod moments;
mod notes;
mod orders;
mod others;
mod random;
mod same_as_sqlite;
mod spelling;

use std::fmt::Write;
use std::time::Duration;

use record_sql::{Limits, Outcome, Query, Source, SqlError, run};

/// 200 tickets.
fn tickets() -> String {
    let states = ["active", "inactive", "pending"];
    let mut lines = String::new();
    for n in 0..200_usize {
        let (state, priority, day, hour) = (states[n % 3], 1 + n % 5, 1 + n % 28, n % 24);
        let mixed = if n.is_multiple_of(2) { "\"high\"".to_owned() } else { n.to_string() };
        writeln!(
            lines,
            "{{\"id\":\"T-{n}\",\"status\":\"{state}\",\"priority\":{priority},\
             \"created\":\"2025-05-{day:02}T{hour:02}:15:00Z\",\"done\":{},\"score\":{n}.5,\
             \"version\":\"{}\",\"release\":\"1.{}\",\"tags\":[\"a\",\"b\"],\"order\":{n},\
             \"mixed\":{mixed},\"events\":[{{\"status\":\"sent\",\"place\":\"X\"}}],\
             \"source\":{{\"confidence\":0.{n:03},\"by\":{{\"name\":\"N{n}\"}}}}}}",
            n.is_multiple_of(2),
            9 + n % 8,
            n % 12,
        )
        .unwrap();
    }
    lines
}

fn source<'a>(name: &str, lines: &'a str) -> Source<'a> {
    Source { names: vec![name.to_owned()], lines }
}

fn ask(sql: &str) -> Result<Outcome, SqlError> {
    ask_of(sql, &tickets())
}

fn ask_of(sql: &str, lines: &str) -> Result<Outcome, SqlError> {
    ask_files(sql, &[("records", lines)])
}

fn ask_files(sql: &str, files: &[(&str, &str)]) -> Result<Outcome, SqlError> {
    let sources = files.iter().map(|(name, lines)| source(name, lines)).collect();
    run(&Query::new(sql, sources), &limits())
}

fn notes_of(sql: &str, lines: &str) -> String {
    notes_of_files(sql, &[("records", lines)])
}

fn notes_of_files(sql: &str, files: &[(&str, &str)]) -> String {
    let outcome = ask_files(sql, files);
    outcome.unwrap_or_else(|error| panic!("{sql}: {error}")).notes.join("\n")
}

#[track_caller]
fn assert_has(text: &str, part: &str, of: &str) {
    assert!(text.contains(part), "{of}: {part:?} is not in\n{text}");
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(20), ..Limits::default() }
}

/// The rows without their brackets.
fn rows(sql: &str) -> Vec<String> {
    rows_of(sql, &tickets())
}

fn rows_of(sql: &str, lines: &str) -> Vec<String> {
    let outcome = ask_of(sql, lines).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let inner = |row: &String| row[1..row.len() - 1].to_owned();
    outcome.rows.iter().map(inner).collect()
}

fn error(sql: &str) -> String {
    let error = ask(sql).expect_err(sql).to_string();
    assert!(error.chars().count() <= 1_201, "{sql}: {error}");
    error
}
