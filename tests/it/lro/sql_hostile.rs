//! Statements that mean harm, in a worker: every one ends in time with rows or an error, and
//! nothing of the environment comes back.

use std::time::{Duration, Instant};

use query_sandbox::{Limits, SqlError, WorkerError, Workers};
use record_sql::{Query, Source};

const ENDLESS: &str = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";

fn workers(limits: Limits) -> Workers {
    Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits)
}

fn records() -> String {
    (0..2_000).map(|n| format!("{{\"id\":{n},\"text\":\"row {n}\"}}\n")).collect()
}

fn query<'a>(sql: &'a str, lines: &'a str) -> Query<'a> {
    Query::new(sql, vec![Source { names: vec!["records".into()], lines }])
}

#[test]
fn every_statement_ends() {
    let records = records();
    let deadline = Duration::from_millis(400);
    let limits = Limits { deadline, memory_bytes: 96 * 1024 * 1024, ..Limits::default() };
    let workers = workers(limits);
    for end in [
        "SELECT count(*) FROM c",
        "SELECT x FROM c",
        "SELECT x FROM c ORDER BY x DESC",
        "SELECT group_concat(x) FROM c",
        "SELECT json_group_array(printf('%9999d', x)) FROM c",
        "SELECT replace(printf('%99999d', 1), ' ', printf('%99999d', 1)) FROM c",
        "SELECT count(*) FROM c, records a, records b WHERE NOT a.text REGEXP '(x+x+)+y'",
    ] {
        let sql = format!("{ENDLESS} {end}");
        let start = Instant::now();
        let outcome = workers.sql(&query(&sql, &records));
        assert!(start.elapsed() < Duration::from_secs(5), "{sql}: {:?}", start.elapsed());
        match outcome {
            Ok(outcome) => {
                assert!(!outcome.complete, "{sql}");
                let bytes: usize = outcome.rows.iter().map(String::len).sum();
                assert!(bytes <= 1 << 20, "{sql}: {bytes}");
            }
            Err(error) => assert!(error.to_string().len() < 400, "{sql}: {error}"),
        }
    }
}

#[test]
fn a_page_of_an_endless_statement_is_given() {
    let records = records();
    let deadline = Duration::from_secs(2);
    let sql = format!("{ENDLESS} SELECT x FROM c");
    let query = Query { limit: Some(3), ..query(&sql, &records) };
    let outcome = workers(Limits { deadline, ..Limits::default() }).sql(&query).unwrap();
    assert_eq!(outcome.rows, ["[1]", "[2]", "[3]"]);
    assert!(!outcome.complete && outcome.total > 1_000, "{}", outcome.total);
}

#[test]
fn an_answer_of_many_narrow_rows_is_cut_between_two() {
    let records: String = (0..250_000).map(|n| format!("{{\"id\":{}}}\n", n % 10)).collect();
    let deadline = Duration::from_secs(20);
    let workers = workers(Limits { deadline, ..Limits::default() });
    let outcome = workers.sql(&query("SELECT id FROM records", &records)).unwrap();
    // Three bytes each and the name's four, with two more for each.
    assert_eq!((outcome.rows.len(), outcome.total), (((1 << 20) - 6) / 5, 250_000));
}

#[test]
fn limits_have_their_own_errors() {
    let records = records();
    let workers = workers(Limits { deadline: Duration::from_millis(300), ..Limits::default() });
    let error = workers.sql(&query(&format!("{ENDLESS} SELECT sum(x) FROM c"), &records));
    assert!(matches!(error, Err(SqlError::Worker(WorkerError::Deadline { ms: 300 }))), "{error:?}");
    let long = format!("SELECT {}", " ".repeat(16_400));
    assert!(matches!(workers.sql(&query(&long, &records)), Err(SqlError::TooLong { .. })));
    let error = workers.sql(&query("SELECT 1", "{")).unwrap_err();
    assert!(matches!(error, SqlError::BadInput { line: 1, .. }), "{error}");
    let error = workers.sql(&query("SELEC 1", &records)).unwrap_err();
    assert!(matches!(error, SqlError::Statement { .. }), "{error}");
}

#[test]
fn little_memory_is_an_error() {
    let lines: String =
        (0..60_000).map(|n| format!("{{\"a\":{n},\"text\":\"{}\"}}\n", "x".repeat(400))).collect();
    let limits = Limits {
        memory_bytes: 48 * 1024 * 1024,
        deadline: Duration::from_secs(10),
        ..Limits::default()
    };
    let sql = "SELECT group_concat(a.text || b.text) FROM records a JOIN records b ON a.a <> b.a";
    let error = workers(limits).sql(&query(sql, &lines)).unwrap_err();
    let memory = matches!(error, SqlError::Worker(WorkerError::Memory { .. }));
    assert!(memory || error.to_string().contains("too large"), "{error}");
}

#[test]
fn files_are_told_apart_by_their_length() {
    let (a, b) = ("{\"id\":1}\n{\"id\":2}", "{\"id\":2,\"é\":\"ü\"}\n");
    let sources = [("records", a), ("b", b)]
        .map(|(name, lines)| Source { names: vec![name.to_owned()], lines });
    let sql = "SELECT r.id, b.\"é\" FROM records r LEFT JOIN b ON b.id = r.id ORDER BY 1";
    let outcome = workers(Limits::default()).sql(&Query::new(sql, sources.to_vec())).unwrap();
    assert_eq!(outcome.rows, ["[1,null]", "[2,\"ü\"]"]);
}
