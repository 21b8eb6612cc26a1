//! Any statement over any records ends in time with rows or an error, and neither is longer than
//! its limit: a row is one line of JSON, an error no dump of the records.

use std::time::Duration;

use record_sql::{Limits, Query, Source, named_files};

/// Records for statements that fit them.
const RECORDS: &str = r#"{"id":1,"a":{"b":2.5},"t":["x"],"s":"2025-05-01T00:00:00Z"}
{"id":"2","a":null,"s":"y"}
"#;

/// The bytes of all rows.
const OUTPUT_BYTES: usize = 4_096;

/// A statement, and after a zero byte the records.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (sql, lines) = text.split_once('\0').unwrap_or((&text, RECORDS));
    drop(named_files(sql));
    let names = vec!["records".to_owned(), "file".to_owned()];
    let limits = Limits {
        time: Duration::from_millis(50),
        memory_bytes: 256 * 1024 * 1024,
        output_bytes: OUTPUT_BYTES,
    };
    match record_sql::run(&Query::new(sql, vec![Source { names, lines }]), &limits) {
        Ok(outcome) => {
            let rows = &outcome.rows;
            assert!(rows.iter().map(String::len).sum::<usize>() <= OUTPUT_BYTES);
            for row in rows {
                assert!(!row.contains('\n') && raw_json::elements(row).is_ok(), "{row}");
            }
        }
        Err(error) => assert!(error.to_string().chars().count() <= 1_201, "{error}"),
    }
}
