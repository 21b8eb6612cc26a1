//! Statements that mean harm end in time, with little memory and output.

use std::time::{Duration, Instant};

use record_sql::{Limits, Query, run};

use crate::{source, tickets};

/// Statements without an end, or with values without a bound.
const HOSTILE: [&str; 22] = [
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
    "WITH RECURSIVE c(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM c) SELECT length(x) FROM c",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c) SELECT max(x) FROM c",
    "SELECT count(*) FROM records a, records b, records c, records d, records e",
    "SELECT a.id FROM records a, records b, records c, records d ORDER BY a.id || b.id || c.id",
    "SELECT group_concat(a.record) FROM records a, records b, records c",
    "SELECT json_group_array(a.record) FROM records a, records b, records c",
    "SELECT printf('%999999999d', 1)",
    "SELECT printf('%.*c', 999999999, 'x')",
    "SELECT replace(printf('%99999d', 1), ' ', printf('%99999d', 1))",
    "SELECT hex(printf('%9999999d', 1)) || hex(printf('%9999999d', 1))",
    "SELECT count(*) FROM records a WHERE a.record LIKE '%a%b%c%d%e%f%g%h%i%j%k%l%m%n%'",
    "SELECT count(*) FROM records a, records b WHERE a.record REGEXP '(a|b|[0-9])*(x+x+)+y'",
    "SELECT count(*) FROM records WHERE id REGEXP 'a{1000}{1000}{1000}'",
    "SELECT median(a.score + b.score + c.score) FROM records a, records b, records c",
    "SELECT DISTINCT a.record || b.record || c.record FROM records a, records b, records c",
    "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING) FROM (SELECT a.score * b.score x FROM records a, records b, records c)",
    "SELECT string_agg(record, record) FROM records, json_each(records.tags), json_each(records.events)",
    "SELECT unhex(hex(record)) FROM records",
    "SELECT '[2 rows]' || char(10) || 'Note: x'",
    "SELECT json_set(record, '$.a.b.c[#]', record) FROM records",
];

#[test]
fn every_statement_ends() {
    let tickets = tickets();
    let limits = Limits {
        time: Duration::from_millis(300),
        memory_bytes: 128 * 1024 * 1024,
        output_bytes: 64 * 1024,
    };
    for sql in HOSTILE {
        let start = Instant::now();
        let outcome = run(&Query::new(sql, vec![source("records", &tickets)]), &limits);
        assert!(start.elapsed() < Duration::from_secs(5), "{sql}: {:?}", start.elapsed());
        match outcome {
            Ok(outcome) => {
                let bytes: usize = outcome.rows.iter().map(String::len).sum();
                assert!(bytes <= 64 * 1024, "{sql}: {bytes}");
                assert!(outcome.rows.iter().all(|row| !row.contains('\n')), "{sql}");
            }
            Err(error) => assert!(error.to_string().len() < 2_000, "{sql}: {error}"),
        }
    }
}

#[test]
fn deep_and_long_statements_are_refused_or_answered() {
    let tickets = tickets();
    for sql in [
        format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(2_000)),
        format!("SELECT {}", "id,".repeat(5_000)),
        format!("SELECT 1{}", "+1".repeat(7_000)),
        format!("SELECT {}", "a.b.c.d.e.f.g.".repeat(1_000)),
        format!("SELECT 1 FROM {}records", "(SELECT * FROM ".repeat(500)),
        format!(
            "WITH {} SELECT 1",
            (0..500).map(|n| format!("a{n} AS (SELECT 1)")).collect::<Vec<_>>().join(",")
        ),
        format!("SELECT source.confidence{}", ",source_confidence".repeat(800)),
        "SELECT ''''''''''''''''''''''''''''".to_owned(),
        "SELECT \"".to_owned(),
        "SELECT '".to_owned(),
        "SELECT /* ".to_owned(),
        "\u{0}SELECT 1".to_owned(),
        "SELECT 1 \u{0} FROM records".to_owned(),
        "SELECT é.ü FROM records".to_owned(),
        ";".to_owned(),
    ] {
        let start: String = sql.chars().take(60).collect();
        if let Err(error) =
            run(&Query::new(&sql, vec![source("records", &tickets)]), &crate::limits())
        {
            assert!(error.to_string().chars().count() <= 1_201, "{start}: {error}");
        }
    }
}

#[test]
fn odd_records_are_answered_or_refused() {
    let deep = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let wide: Vec<String> = (0..5_000).map(|n| format!("\"k{n}\":{n}")).collect();
    let wide = format!("{{{}}}", wide.join(","));
    for lines in [
        deep.as_str(),
        &wide,
        "{\"a\":1,\"A\":2}",
        "[1,2]",
        "\"x\"",
        "{\"\":1}",
        "{\"a\\u0000b\":1}",
        "{\"rowid\":5}",
        "{\"a\\\"b\":1}",
    ] {
        for sql in [
            "SELECT * FROM records",
            "SELECT count(*) FROM records",
            "SELECT a FROM records",
            "SELECT a.a.a.a FROM records",
            "SELECT k4999 FROM records",
        ] {
            drop(crate::ask_of(sql, lines));
        }
    }
    assert!(crate::ask_of("SELECT 1", "{").is_err());
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3_000_000));
    let outcome = crate::ask_of("SELECT a, length(a) FROM records", &long).unwrap();
    assert!(outcome.rows[0].contains("more characters"));
}
