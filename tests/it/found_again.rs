//! Answers of searches in which lines are cut, or counted from after a header: the store holds
//! what they say, so they are never stored.

use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::history::{array, call, result, user};

/// Offloads a result, asks about its file, and offloads the answer; the store must know it.
fn stays_known(text: &str, settings: &Value, ask: impl Fn(&TestApp, &str) -> (Value, String)) {
    let app = TestApp::new();
    let history = [
        user("go"),
        call("call_1", "bash", &json!({"command": "make"})),
        result("call_1", text),
        user("go on"),
    ];
    let after = app.offload(&array(&history), settings);
    let (path, _) = app
        .files()
        .into_iter()
        .filter(|(name, _)| name.starts_with("store/") && !name.contains("/."))
        .max_by_key(|(_, content)| content.len())
        .unwrap();
    let (arguments, answer) = ask(&app, &format!("/workspace/{path}"));
    let mut messages = split(&after.messages);
    let at = messages.len() + 1;
    messages.extend([
        call("call_2", "my_own_tool", &arguments),
        result("call_2", &answer),
        user("next"),
    ]);
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 60,
        "keep_recent_count": 1, "context_manage_mode": "compact"});
    let files = app.files();
    let after = app.offload(&array(&messages), &settings);
    assert_eq!(app.files(), files, "no new file for {answer}");
    assert!(split(&after.messages)[at].contains("found again"), "{}", after.messages);
    assert_eq!(app.offload(&after.messages, &settings).messages, after.messages);
    assert_eq!(app.offload(&array(&messages), &settings).messages, after.messages);
    let restored = split(&app.rehydrate(&after.messages).messages);
    assert!(restored.contains(&result("call_2", &answer)), "{restored:?}");
}

fn compact() -> Value {
    json!({"max_total_tokens": 1, "max_tool_message_tokens": 60, "keep_recent_count": 1,
        "context_manage_mode": "compact"})
}

fn grepped(pattern: &'static str, context: u64) -> impl Fn(&TestApp, &str) -> (Value, String) {
    move |app, path| {
        let arguments = json!({"pattern": pattern, "path": path, "context": context});
        let answer = app.grep(&arguments)["answer"].as_str().unwrap().to_owned();
        assert!(answer.contains(" [line of "), "{answer}");
        (arguments, answer)
    }
}

fn picked(pattern: &'static str) -> impl Fn(&TestApp, &str) -> (Value, String) {
    move |app, path| {
        let lines = format!("grep:{pattern}");
        let answer = app.tool_result(path, &json!({"lines": lines})).answer;
        (json!({"result_id": path, "lines": lines}), answer)
    }
}

fn long_lines() -> String {
    let line = |n: u32| {
        let words: Vec<String> = (0..400).map(|at| format!("w{}", at * n)).collect();
        format!("  step {n} {}, füßen\r\n", words.join(" "))
    };
    (1..30).map(line).collect()
}

#[test]
fn lines_that_a_search_cut() {
    for (pattern, context) in [("step", 0), ("w35 ", 0), ("w39[0-9] ", 2), ("f.ß", 1), (" w3", 0)]
    {
        stays_known(&long_lines(), &compact(), grepped(pattern, context));
    }
    stays_known(&long_lines(), &compact(), picked("w35 "));
}

#[test]
fn messages_of_a_group() {
    let settings = json!({"max_total_tokens": 100, "keep_recent_count": 1,
        "context_manage_mode": "compress"});
    stays_known(&long_lines(), &settings, grepped("w35 ", 0));
}

#[test]
fn records_counted_from_behind_their_header() {
    let record =
        |n: u32| json!({"id": n, "name": format!("n{n}"), "text": "w ".repeat(n as usize * 4)});
    let records = json!((0..200).map(record).collect::<Vec<_>>()).to_string();
    stays_known(&records, &compact(), picked("\"id\":1"));
}

/// The hint counts as `grep` does, which finds matches in the header as well.
#[test]
fn a_search_of_records_goes_on_with_grep() {
    let app = TestApp::new();
    let record = |n: u32| json!({"id": n, "name": format!("name {n}"), "note": "some more words"});
    let records = json!((0..900).map(record).collect::<Vec<_>>()).to_string();
    let path = app.offload_records(&records, &json!({})).path();
    let said = app.tool_result(&path, &json!({"lines": "grep:1", "max_tokens": 2000}));
    let last = said.get("matches").as_array().unwrap().last().unwrap().clone();
    let offset = said.answer.split_once("offset=").unwrap().1;
    let offset: u64 = offset.split(' ').next().unwrap().parse().unwrap();
    let next = app.grep(&json!({"pattern": "1", "path": path, "offset": offset}));
    let next = &next["metadata"]["matches"][0];
    // The file's lines begin with its header.
    let id = |found: &Value| {
        serde_json::from_str::<Value>(found["text"].as_str().unwrap()).unwrap()["id"].as_u64()
    };
    let with_one = |n: u64| format!("{n}").contains('1');
    let expected = (id(&last).unwrap() + 1..).find(|n| with_one(*n));
    assert_eq!(id(next), expected, "{}", said.answer);
    assert_eq!(next["line"].as_u64(), expected.map(|n| n + 2));
    assert!(said.answer.contains("L1 is the line after the file's header"), "{}", said.answer);
}
