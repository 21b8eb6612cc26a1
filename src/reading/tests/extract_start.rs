//! A page of records that is answered from the start of a file equals the page of the whole file.

use std::cell::Cell;
use std::time::Duration;

use query_sandbox::{Limits as WorkerLimits, Workers};
use raw_json::fields;
use record_files::file::{Facts, render};
use record_files::find::records_of_array;
use record_files::query::Query;

use crate::reading::extract::request::ExtractQuery;
use crate::reading::extract::{Limits, Means, RecordFile, extract, extract_start};

#[test]
fn a_page_from_the_start_of_a_file_is_that_of_the_whole() {
    let rows: Vec<String> = (0..60)
        .map(|n| {
            let late = if n == 50 { r#","late":1"# } else { "" };
            format!(r#"{{"n":{n},"text":"row {n}"{late}}}"#)
        })
        .collect();
    let content =
        render(&records_of_array(&format!("[{}]", rows.join(","))).unwrap(), &Facts::default());
    let workers = Workers::this_program(WorkerLimits::default());
    let limits =
        Limits { deadline: Duration::from_secs(60), answer_bytes: 1 << 20, file_bytes: 1 << 20 };
    let count = |text: &str| text.len() as u64 / 4;
    let means =
        Means { workers: &workers, limits: &limits, count: &count, started: Cell::default() };
    let files = [RecordFile { content: &content, path: "a.jsonl", names: Vec::new() }];
    let (mut pages, mut answered) = (0, 0);
    for request in [
        "{}",
        r#"{"where":{}}"#,
        r#"{"limit":3}"#,
        r#"{"limit":60}"#,
        r#"{"limit":61}"#,
        r#"{"where":{},"limit":7,"offset":5}"#,
        r#"{"offset":59,"limit":5}"#,
        r#"{"offset":60}"#,
        r#"{"select":["text","n"],"limit":2}"#,
        r#"{"select":"late","limit":2}"#,
        r#"{"select":"none","limit":2}"#,
    ] {
        let query = Query::parse(&fields(request).unwrap()).unwrap();
        assert!(query.is_page(), "{request}");
        let asked = ExtractQuery::Query(Box::new(query));
        for max_tokens in [None, Some(1), Some(40), Some(200), Some(100_000)] {
            let whole = extract(&files, &asked, max_tokens, &means);
            for cut in (0..content.len()).step_by(7) {
                pages += 1;
                let start = extract_start(&content[..cut], &asked, max_tokens, &means);
                if let Some(start) = start {
                    answered += 1;
                    let whole = whole.as_ref().unwrap();
                    assert_eq!(start.answer, whole.answer, "{request} {max_tokens:?} {cut}");
                    assert_eq!(format!("{start:?}"), format!("{whole:?}"));
                }
            }
        }
    }
    assert!(answered > pages / 4 && answered < pages, "{answered} of {pages}");
}

#[test]
fn what_depends_on_other_records_is_no_page() {
    for request in [
        r#"{"where":{"n":1}}"#,
        r#"{"where":{"not":{}}}"#,
        r#"{"sort_by":"n"}"#,
        r#"{"count":true}"#,
        r#"{"group_by":"n"}"#,
        r#"{"ids":[1],"select":"n"}"#,
    ] {
        let query = Query::parse(&fields(request).unwrap());
        assert!(query.is_ok_and(|query| !query.is_page()), "{request}");
    }
}
