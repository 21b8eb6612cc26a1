//! Hostile queries and records: each gives a short answer or a clear error in linear time, without
//! a panic.

use raw_json as raw;
use record_files::query::{Query, answer, run};
use serde_json::json;

/// Returns the answer or the error, and checks that it is short.
fn ask(request: &str, lines: &str) -> String {
    let query = raw::fields(request)
        .map_err(|error| error.to_string())
        .and_then(|members| Query::parse(&members).map_err(|error| error.to_string()));
    let count = |text: &str| text.len() as u64 / 4;
    let said = match query {
        Err(error) => error,
        Ok(query) => match run(&query, lines, &|| false) {
            Err(error) => error.to_string(),
            Ok(outcome) => answer::render(&outcome, &query, Some(200), &count).text,
        },
    };
    assert!(said.len() < 4_000, "{}", said.len());
    said
}

/// Returns `1` in nested brackets.
fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}1{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn regular_expressions_take_linear_time() {
    let long = format!("{{\"a\":\"{}!\"}}", "a".repeat(100_000));
    for base in [
        "(a+)+$",
        "(a|a)*b",
        "(a|aa)+$",
        "(.*a){20}",
        "^(a?){50}a{50}$",
        "(?:a*)*b",
        r"\w+\s+\w+$",
        "a{0,1000}b",
        "(x+x+)+y",
        ".*.*.*=.*",
        r"(\w{50}){50}",
        "[a-z]*[a-z]*[a-z]*1",
    ] {
        for form in ["{}", "(?i){}", "({}){2}"] {
            let pattern = form.replace("{}", base);
            let test = json!({"field": "a", "op": "matches", "value": pattern});
            ask(&json!({"where": test, "count": true}).to_string(), &long);
        }
    }
    let parts: Vec<_> = (0..60)
        .map(|n| json!({"field": "a", "op": "matches", "value": format!("(a|b{n})+c{n}$")}))
        .collect();
    let lines = format!("{{\"a\":\"{}\"}}\n", "a".repeat(1_000)).repeat(100);
    let said = ask(&json!({"where": {"any": parts}, "count": true}).to_string(), &lines);
    assert!(said.starts_with("0 of 100"), "{said}");
}

#[test]
fn records_without_end() {
    let objects = nested("{\"a\":", "}", 10_000);
    let arrays = format!("{{\"a\":{}}}", nested("[", "]", 10_000));
    let wide = format!("{{\"{}\":1,\"a\":2}}", "k".repeat(500_000));
    let fat = format!("{{\"a\":\"{}\",\"b\":[{}1]}}", "x".repeat(500_000), "1,".repeat(250_000));
    let lone = r#"{"a":"\ud800","\udfff":"\udc00\ud800","b":1.10}"#.to_owned();
    let odd = r#"{"a":1e400,"a":-0.0,"b":123456789012345678901234567890.0001}"#.to_owned();
    let many = format!("{{\"a\":[{}{{\"a\":1}}]}}", "{\"a\":[{\"a\":2}]},".repeat(50_000));
    for line in [&objects, &arrays, &wide, &fat, &lone, &odd, &many] {
        for request in [
            r#"{"where":{"a":1}}"#,
            r#"{"where":{"a":[[1]]}}"#,
            r#"{"where":{"a":{"a":1}}}"#,
            r#"{"where":{"field":"a","op":"contains","value":"x"}}"#,
            r#"{"group_by":"a"}"#,
            r#"{"sort_by":"a,-a.a"}"#,
            r#"{"select":["a"]}"#,
            r#"{"where":{"a.a.a.a.a.a.a.a":1}}"#,
            r#"{"ids":["x",1],"id_field":"a"}"#,
            r#"{"where":{"zz":1}}"#,
            r#"{"where":{"0.0.0":1}}"#,
        ] {
            ask(request, line);
        }
    }
    ask(r#"{"where":{"\ud800":1}}"#, &lone);
    ask(
        r#"{"where":{"a":"\ud800"},"offset":18446744073709551615,"limit":18446744073709551615}"#,
        &lone,
    );
    let parts: Vec<_> =
        (0..190).map(|n| json!({"field": format!("a.{n}"), "op": "exists"})).collect();
    ask(&json!({"where": {"any": parts}}).to_string(), &many);
}

#[test]
fn questions_without_end() {
    let line = r#"{"a":1,"k":2}"#;
    let long = "k".repeat(500_000);
    for request in [
        format!("{{\"where\":{}}}", nested("{\"not\":", "}", 10_000)),
        format!("{{\"where\":{}}}", nested("{\"all\":[", "]}", 10_000)),
        format!("{{\"where\":{{\"a\":{}}}}}", nested("[", "]", 10_000)),
        format!(
            "{{\"where\":{{\"field\":\"a\",\"op\":\"in\",\"value\":[{}1]}}}}",
            "1,".repeat(500_000)
        ),
        format!("{{\"where\":{{\"{long}\":1}}}}"),
        format!("{{\"where\":{{\"field\":\"a\",\"op\":\"{long}\"}}}}"),
        format!("{{\"where\":{{\"field\":\"a\",\"op\":\"=\",\"value\":1,\"{long}\":1}}}}"),
        format!("{{\"limit\":{}}}", "9".repeat(500_000)),
        format!("{{\"group_by\":\"{}\"}}", "a.".repeat(250_000)),
        format!("{{\"ids\":[{}1]}}", "\"x\",".repeat(200_000)),
    ] {
        ask(&request, line);
    }
}
