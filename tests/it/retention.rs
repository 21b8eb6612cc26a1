//! Retention: which facts of Gemini CLI's compression evaluation survive the
//! built-in summariser. Where `../shared` is absent the test says so and passes.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::scenarios::scenarios;

/// The whole service over each scenario: every fact that its history holds stands
/// in the snapshot or in a file that the snapshot names, and most in the snapshot,
/// which takes a tenth of the tokens where that is more than its least size.
#[test]
fn facts_are_kept_or_can_be_read_back() {
    let (mut kept, mut recoverable, mut lost) = (0, 0, 0);
    let (scenarios, mut compressed) = (scenarios(), 0);
    println!("{:<28} {:>8} {:>8}  {:<12} fact", "scenario", "before", "snapshot", "is");
    for scenario in &scenarios {
        let app = TestApp::new();
        let before = json!(scenario.messages).to_string();
        let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 0,
            "keep_recent_count": 0});
        let after = app.offload(&before, &settings);
        let (report, now) = (after.report(), &after.messages);
        if report["outcome"] != "compressed" {
            println!("{:<28} not compressed: {}", scenario.name, after.warnings());
            continue;
        }
        compressed += 1;
        let group = &report["snapshot"]["groups"][0];
        let snapshot = group["tokens_after"].as_u64().unwrap();
        let tokens = report["tokens_before"].as_u64().unwrap();
        let most = (tokens / 10).max(1_500).min(tokens * 9 / 10);
        assert!(snapshot <= most, "{}: {snapshot} of {tokens}", scenario.name);
        let first: Vec<Value> = serde_json::from_str(now).unwrap();
        let text = first[0]["content"].as_str().unwrap();
        let read = app.read_file(&json!({"absolute_path": group["path"], "max_tokens": 0}));
        let held: Value = serde_json::from_str(read["answer"].as_str().unwrap()).unwrap();
        for (_, fact) in &scenario.questions {
            let is = if text.contains(fact) {
                kept += 1;
                "kept"
            } else if says(&held, fact) {
                recoverable += 1;
                "recoverable"
            } else if says(&json!(scenario.messages), fact) {
                lost += 1;
                "lost"
            } else {
                "not in it"
            };
            println!("{:<28} {tokens:>8} {snapshot:>8}  {is:<12} {fact}", scenario.name);
        }
    }
    println!("{kept} kept, {recoverable} recoverable, {lost} lost");
    assert_eq!(lost, 0);
    assert!(compressed * 2 >= scenarios.len(), "{compressed} of {} scenarios", scenarios.len());
    assert!(kept + recoverable >= compressed, "{kept} and {recoverable} of {compressed}");
    assert!(kept * 10 >= (kept + recoverable) * 6, "{kept} kept, {recoverable} recoverable");
}

/// True where some text of a value holds the words.
fn says(value: &Value, words: &str) -> bool {
    match value {
        // Arguments and results are often JSON in a string.
        Value::String(text) => text.contains(words) || text.contains(&words.replace('"', "\\\"")),
        Value::Array(items) => items.iter().any(|item| says(item, words)),
        Value::Object(members) => members.values().any(|item| says(item, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
