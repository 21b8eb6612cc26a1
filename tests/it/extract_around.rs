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
        assert_eq!(said.answer.lines().count(), 3, "{filter}: {}", said.answer);
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

/// Members of an object and rows of a table have another form as records: a filter for the first
/// form is not to be sent with another path.
#[test]
fn records_in_another_form_are_told_so() {
    let app = TestApp::new();
    let users = (0..100).map(|n| (format!("u{n:03}"), json!({"name": format!("N{n}"), "age": n})));
    let users = json!({"users": serde_json::Map::from_iter(users), "errors": vec!["x"; 300]});
    let path = app.offload_text(&users.to_string(), &json!({"threshold_tokens": 100})).path();
    for filter in [".users | keys", "[.users[].age] | add", ".users | map(.age) | add"] {
        let refusal = app.extract_refusal(&path, &json!({"query": filter}));
        let form = "have another form here: {\"key\":…,\"value\":…} for each member of the object";
        assert!(refusal.contains(form) && !refusal.contains("send"), "{filter}: {refusal}");
    }
    let said = app.extract(&path, &json!({"query": "map(.value.age) | add", "slurp": true}));
    assert!(said.answer.contains("4950"), "{}", said.answer);
    let said = app.extract(&path, &json!({"query": ".errors | length"}));
    let part = "`.errors` is not of the records but around them: an array of 300 in line 1";
    assert!(said.answer.contains(part), "{}", said.answer);
}

/// A text that has two arrays becomes records of one: the answers say that there is another.
#[test]
fn another_array_around_the_records_is_told() {
    let app = TestApp::new();
    let page = |from: usize, to: usize| {
        let items =
            (from..to).map(|n| json!({"id": n, "state": if n % 2 == 0 { "ok" } else { "no" }}));
        Value::from_iter(items).to_string()
    };
    let text = format!("{}\n\nSecond page:\n{}", page(0, 40), page(40, 110));
    let path = app.offload_text(&text, &json!({"threshold_tokens": 100})).path();
    for asked in [
        json!({"where": {"state": "ok"}, "count": true}),
        json!({"query": "length"}),
        json!({"ids": [5]}),
        json!({"sql": "SELECT count(*) FROM records"}),
    ] {
        let said = app.extract(&path, &asked);
        let note = "line 1 of the file holds another array of objects";
        assert!(said.answer.contains(note), "{asked}: {}", said.answer);
    }
    let links = format!("format [{{id: …}}], links [{{\"rel\":\"next\"}}]\n{}", page(0, 110));
    let path = app.offload_text(&links, &json!({"threshold_tokens": 100})).path();
    let said = app.extract(&path, &json!({"query": "length"}));
    assert!(!said.answer.contains("another array"), "{}", said.answer);
}
