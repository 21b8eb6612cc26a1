//! Filters for the JSON that records were in before they became a file.

use serde_json::{Value, json};

use crate::app::TestApp;

#[test]
fn a_filter_is_told_how_to_reach_the_records_and_what_is_around_them() {
    let app = TestApp::new();
    let items: Vec<Value> =
        (0..60).map(|n| json!({"id": n, "name": format!("item {n}")})).collect();
    let content =
        json!({"total": 812, "page": {"next": "p2"}, "hits": {"list": items}}).to_string();
    let path = app.offload_text(&content, &json!({"threshold_tokens": 100})).path();
    for (filter, part) in [
        (".hits.list | length", r#"send {"query": ". | length", "slurp": true}"#),
        (".total", "`.total` is not of the records but around them: 812"),
        (".page.next", r#"`.page.next` is not of the records but around them: "p2""#),
    ] {
        let said = app.extract(&path, &json!({"query": filter}));
        assert!(said.answer.contains(part), "{filter}: {}", said.answer);
    }
    let refusal = app.extract_refusal(
        &path,
        &json!({"query": "[.hits.list[] | select(.id > 57)] | map(.name)"}),
    );
    let instead = r#"{"query": "[.[] | select(.id > 57)] | map(.name)", "slurp": true}"#;
    assert!(refusal.contains(instead), "{refusal}");
    let said = app.extract(&path, &serde_json::from_str(instead).unwrap());
    assert!(said.answer.contains(r#"["item 58","item 59"]"#), "{}", said.answer);
}
