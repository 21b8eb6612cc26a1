//! Runs one statement over a file of records: `ask FILE SQL`. Prints rows, notes and the time.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use record_sql::{Limits, Query, Source, run};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let lines = std::fs::read_to_string(&arguments[0]).unwrap();
    let records = Source { names: vec!["records".into()], lines: &lines };
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    for sql in &arguments[1..] {
        let query = Query { limit: Some(10), ..Query::new(sql, vec![records.clone()]) };
        println!("> {sql}");
        match run(&query, &limits) {
            Ok(outcome) => {
                println!("{:?}", outcome.columns);
                outcome.rows.iter().for_each(|row| println!("{row}"));
                println!("[{} rows, complete {}]", outcome.total, outcome.complete);
                outcome.notes.iter().for_each(|note| println!("Note: {note}."));
            }
            Err(error) => println!("{error}"),
        }
        println!("{:?}\n", start.elapsed());
    }
}
