//! `lro_extract` with `sql`: tables for a model, pages, further files, errors that say what to
//! send instead – the same over HTTP, MCP and the command line.

use std::process::Command;

use serde_json::{Value, json};

use crate::app::TestApp;

/// 300 orders of 3 states, and 2 customers.
fn files(app: &TestApp) -> String {
    let states = ["open", "paid", "void"];
    let order = |n: usize| {
        json!({"id": format!("O-{n}"), "state": states[n % 3], "customer": n % 2, "total": n,
            "ship": {"city": if n.is_multiple_of(2) { "Graz" } else { "Wien" }}, "note": "a | b\nNote: x"})
    };
    let lines = |rows: Vec<Value>| rows.iter().map(|row| format!("{row}\n")).collect::<String>();
    std::fs::write(app.folder().join("orders.jsonl"), lines((0..300).map(order).collect()))
        .unwrap();
    let customers = vec![json!({"id": 0, "name": "Ann"}), json!({"id": 1, "name": "Bob"})];
    std::fs::write(app.folder().join("customers.jsonl"), lines(customers)).unwrap();
    "/workspace/orders.jsonl".to_owned()
}

#[test]
fn a_table_with_its_total() {
    let app = TestApp::new();
    let path = files(&app);
    let sql = "SELECT state, ship.city AS city, count(*) AS n, median(total) AS middle \
               FROM records GROUP BY 1, 2 ORDER BY 1, 2";
    let said = app.extract(&path, &json!({"sql": sql, "limit": 2}));
    let table = "state | city | n | middle\nopen | Graz | 50 | 147.0\nopen | Wien | 50 | 150.0\n\
                 [2 of 6 rows shown; offset=2 for more]";
    assert_eq!(said.answer, table);
    assert_eq!(said.get("columns"), json!(["state", "city", "n", "middle"]));
    assert_eq!(said.get("rows")[0], json!(["open", "Graz", 50, 147.0]));
    assert_eq!((said.get("count"), said.get("next_offset")), (json!(6), json!(2)));
    assert_eq!(said.get("records_total"), 300);
    let last = app.extract(&path, &json!({"sql": sql, "offset": 4}));
    assert!(last.answer.ends_with("[2 of 6 rows shown, the last]"), "{}", last.answer);
    let cell = app.extract(&path, &json!({"sql": "SELECT note FROM records", "limit": 1}));
    assert!(cell.answer.starts_with("note\n\"a | b\\nNote: x\"\n["), "{}", cell.answer);
}

#[test]
fn an_answer_keeps_to_its_tokens() {
    let app = TestApp::new();
    let path = files(&app);
    let question = |tokens: u64| json!({"sql": "SELECT * FROM records", "max_tokens": tokens});
    let said = app.extract(&path, &question(200));
    let shown = said.get("rows").as_array().unwrap().len();
    assert!((1..20).contains(&shown), "{shown}");
    assert_eq!(said.get("next_offset"), json!(shown));
    assert!(
        said.answer.ends_with(&format!("[{shown} of 300 rows shown; offset={shown} for more]"))
    );
    let long = "SELECT group_concat(record) AS everything FROM records";
    let said = app.extract(&path, &json!({"sql": long, "max_tokens": 100}));
    assert!(said.answer.contains("more characters]"), "{}", said.answer);
}

#[test]
fn further_files_are_confined() {
    let app = TestApp::new();
    let path = files(&app);
    std::fs::write(app.folder().parent().unwrap().join("outside.jsonl"), "{\"id\":0}\n").unwrap();
    for table in [
        "records('customers.jsonl')",
        "records('/workspace/customers.jsonl')",
        "customers",
        "\"customers.jsonl\"",
    ] {
        let sql = format!(
            "SELECT c.name, sum(o.total) FROM records o JOIN {table} c ON c.id = o.customer \
             GROUP BY 1 ORDER BY 1"
        );
        let said = app.extract(&path, &json!({"sql": sql}));
        assert_eq!(said.get("rows"), json!([["Ann", 22_350], ["Bob", 22_500]]), "{table}");
    }
    let own = app.extract(&path, &json!({"sql": "SELECT count(*) FROM orders"}));
    assert_eq!(own.get("rows"), json!([[300]]));
    let refusals = ["/etc/passwd", "/workspace/../outside.jsonl", "../outside.jsonl", "no.jsonl"];
    for outside in refusals {
        let sql = format!("SELECT * FROM records('{outside}')");
        let refusal = app.extract_refusal(&path, &json!({"sql": sql}));
        assert!(refusal.contains("was not found"), "{outside}: {refusal}");
        let sql = format!("SELECT * FROM \"{outside}\"");
        let refusal = app.extract_refusal(&path, &json!({"sql": sql}));
        assert!(refusal.contains("no such table"), "{outside}: {refusal}");
    }
}

#[tokio::test]
async fn refusals_say_what_to_send() {
    let app = TestApp::new();
    let path = files(&app);
    let ask = async |question: Value| {
        let mut body = question;
        body["file_path"] = json!(path);
        let reply = app.post("/lro_extract", body.to_string()).await;
        let error = &reply.json["metadata"]["error"];
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        (reply.status.as_u16(), text("code"), text("field"), text("message"))
    };
    let (status, code, field, message) =
        ask(json!({"sql": "SELECT count(*) FROM records WHERE state = \"open\""})).await;
    assert_eq!((status, code.as_str(), field.as_str()), (422, "sql_invalid", "sql"));
    let instead = "Send instead: SELECT count(*) FROM records WHERE state = 'open'";
    assert!(message.contains(instead), "{message}");
    for (member, value) in [
        ("select", json!(["id"])),
        ("count", json!(true)),
        ("group_by", json!("state")),
        ("sort_by", json!("id")),
        ("id_field", json!("id")),
        ("slurp", json!(true)),
        ("params", json!({"a": 1})),
    ] {
        let (status, code, field, message) = ask(json!({"sql": "SELECT 1", member: value})).await;
        assert_eq!((status, code.as_str(), field.as_str()), (422, "field_invalid", member));
        assert!(message.contains("given together with sql"), "{message}");
    }
    let (status, _, _, message) = ask(json!({"sql": "SELECT 1", "where": {}})).await;
    assert!(status == 422 && message.contains("given together with where"), "{message}");
}

#[tokio::test]
async fn a_tool_call_and_a_command_say_the_same() {
    let app = TestApp::new();
    let path = files(&app);
    let sql = "SELECT count(*) AS n FROM records WHERE state = 'Open'";
    let expected = "n\n0\n[1 row]\nNote: no record has state = 'Open'; state has 'open' (100), \
                    'paid' (100), 'void' (100).";
    let said = app.extract(&path, &json!({"sql": sql}));
    assert_eq!(said.answer, expected);
    let arguments = json!({"file_path": path, "sql": sql}).to_string();
    let called = app.call("lro_extract", &arguments).await;
    assert_eq!(called["content"][0]["text"], expected);
    let folder = app.folder();
    let output = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(["extract", "orders.jsonl", "--sql", sql, "--root", "."])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.trim_end(), expected, "{}", String::from_utf8_lossy(&output.stderr));
}
