//! Offload: what a case file cannot say – sizes, other processes, many settings.

use serde_json::json;

use crate::app::{TestApp, split};
use crate::history::array;

fn call(id: &str) -> String {
    json!({"role": "assistant", "content": "I look", "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"make\"}"}}]})
    .to_string()
}

fn result(id: &str, text: &str) -> String {
    json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
}

fn user(text: &str) -> String {
    json!({"role": "user", "content": text}).to_string()
}

fn log(lines: usize) -> String {
    (0..lines).map(|n| format!("Compiling package number {n} of the workspace\n")).collect()
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let app = TestApp::new();
    let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
    let dry = app.offload(&history, &json!({"max_total_tokens": 1, "dry_run": true}));
    assert_eq!(dry.messages, history);
    assert!(app.files().is_empty());
    let wet = app.offload(&history, &json!({"max_total_tokens": 1}));
    for name in ["outcome", "tokens_before", "tokens_after", "actions", "first_changed_index"] {
        assert_eq!(dry.report()[name], wet.report()[name], "{name}");
    }
    assert!(wet.report()["tokens_after"].as_u64() < wet.report()["tokens_before"].as_u64());
}

#[test]
fn include_files_repeats_the_contents_or_not() {
    let app = TestApp::new();
    let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
    let with = app.offload(&history, &json!({"max_total_tokens": 1}));
    let dict = &with.json["metadata"]["write_file_dict"];
    assert_eq!(*dict, json!({"/workspace/store/tool_call_1.txt": log(500)}));
    let without = app.offload(&history, &json!({"max_total_tokens": 1, "include_files": false}));
    assert!(without.json["metadata"].get("write_file_dict").is_none());
    assert_eq!(with.messages, without.messages);
}

#[test]
fn paths_are_spelled_as_the_caller_spells_the_folder() {
    let app = TestApp::new();
    for (given, shown) in [
        ("/workspace/store", "/workspace/store/tool_call_1.txt"),
        ("/workspace/store/", "/workspace/store/tool_call_1.txt"),
        ("/workspace/./x/../store", "/workspace/./x/../store/tool_call_1.txt"),
    ] {
        let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
        let after = app.offload(&history, &json!({"max_total_tokens": 1, "store_dir": given}));
        let text = &split(&after.messages)[1];
        assert!(text.contains(&format!("\\n(detailed result is stored in {shown})\"")), "{text}");
    }
    assert_eq!(app.files().len(), 1);
}

#[test]
fn recents_are_widened_so_that_no_call_is_cut_from_its_results() {
    let app = TestApp::new();
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
    .to_string();
    let history =
        array(&[user("x"), calls, result("a", &log(500)), result("b", &log(501)), user("go on")]);
    let moved = |keep: u64| {
        let settings = json!({"max_total_tokens": 1, "keep_recent_count": keep, "dry_run": true});
        app.offload(&history, &settings).report()["first_changed_index"].clone()
    };
    assert_eq!(moved(0), json!(2));
    assert_eq!(moved(1), json!(2));
    assert_eq!(moved(2), json!(null), "one of two parallel results is recent: both stay");
    assert_eq!(moved(99), json!(null));
}

#[test]
fn auto_compresses_where_compaction_is_not_enough() {
    let app = TestApp::new();
    let talk = user(&"a long remark of the user. ".repeat(4_000));
    let history = array(&[talk, call("call_1"), result("call_1", &log(500)), user("go on")]);
    let outcome = |settings| app.offload(&history, &settings).report()["outcome"].clone();
    assert_eq!(outcome(json!({})), "compacted_and_compressed");
    assert_eq!(outcome(json!({"context_manage_mode": "compact"})), "compacted");
    assert_eq!(outcome(json!({"compact_ratio_threshold": 1.0})), "compacted");
    // What may be compressed is below max_total_tokens: left alone, and said.
    let recent = app.offload(&history, &json!({"keep_recent_count": 4}));
    assert_eq!(recent.report()["outcome"], "unchanged");
    assert!(recent.warnings().contains("not compressed: 0 tokens"), "{}", recent.warnings());
}

#[test]
fn what_was_compacted_well_is_not_compressed_when_it_is_posted_again() {
    let app = TestApp::new();
    let talk = user(&"a long remark of the user. ".repeat(4_000));
    let history =
        array(&[talk, call("call_1"), result("call_1", &log(9_000)), user("go on"), user("well?")]);
    for settings in [json!({}), json!({"preview_tokens": 0})] {
        let first = app.offload(&history, &settings);
        assert_eq!(first.report()["outcome"], "compacted");
        assert!(first.report()["tokens_after"].as_u64().unwrap() > 20_000);
        let second = app.offload(&first.messages, &settings);
        assert_eq!(second.messages, first.messages);
    }
}

#[test]
fn a_history_that_compaction_alone_would_let_grow_is_bounded() {
    let app = TestApp::new();
    let settings = json!({"max_total_tokens": 2_000});
    let mut now: Vec<String> = Vec::new();
    let mut outcomes = std::collections::BTreeSet::new();
    for turn in 0..120 {
        let id = format!("call_{turn}");
        let talk = user(&format!("remark {turn} of the user. ").repeat(120));
        now.extend([talk, call(&id), result(&id, &log(500 + turn))]);
        let after = app.offload(&array(&now), &settings);
        outcomes.insert(after.report()["outcome"].as_str().unwrap().to_owned());
        assert!(!after.warnings().contains("are unchanged"), "{}", after.warnings());
        assert!(after.report()["tokens_after"].as_u64().unwrap() < 20_000);
        now = split(&after.messages);
    }
    assert!(outcomes.contains("compacted") && outcomes.contains("compacted_and_compressed"));
}

#[test]
fn a_pass_that_saves_too_little_is_not_made() {
    let app = TestApp::new();
    let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
    let after =
        app.offload(&history, &json!({"max_total_tokens": 1, "min_savings_tokens": 1_000_000}));
    assert_eq!(after.messages, history);
    assert!(app.files().is_empty());
    assert!(after.report()["actions"][0]["why"].as_str().unwrap().contains("min_savings_tokens"));
}

#[test]
fn a_target_moves_more_oldest_first_and_says_what_is_left() {
    let app = TestApp::new();
    let mut history = Vec::new();
    for n in 0..20 {
        history.extend([call(&format!("call_{n}")), result(&format!("call_{n}"), &log(60))]);
    }
    history.push(user("go on"));
    let history = array(&history);
    let before = app.offload(&history, &json!({"dry_run": true})).report()["tokens_before"]
        .as_u64()
        .unwrap();
    let target = before * 3 / 4;
    let after = app.offload(
        &history,
        &json!({"context_manage_mode": "compact", "target_tokens": target,
            "max_tool_message_tokens": 100_000}),
    );
    let left = after.report()["tokens_after"].as_u64().unwrap();
    assert!(left <= target, "{left} of {target}");
    let moved: Vec<u64> = after.report()["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|a| a["action"] == "compact")
        .map(|a| a["index"].as_u64().unwrap())
        .collect();
    assert!(!moved.is_empty() && moved.len() < 20);
    assert_eq!(moved, (0..moved.len() as u64).map(|n| n * 2 + 1).collect::<Vec<_>>());
    let never = app.offload(&history, &json!({"target_tokens": 10}));
    assert!(never.warnings().contains("target_tokens 10 cannot be met"));
    assert!(never.report()["tokens_after"].as_u64() < Some(before / 2));
}

#[test]
fn references_name_only_the_tools_the_agent_has() {
    let app = TestApp::new();
    let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
    for (tools, call) in [
        (json!(["read_file", "grep"]), "read_file(absolute_path="),
        (json!(["grep"]), "grep(pattern="),
        (json!(["shell"]), "sed -n '"),
        (json!(["read_tool_result"]), "read_tool_result(result_id="),
        (json!([]), "left out; ref "),
    ] {
        let after = app.offload(&history, &json!({"max_total_tokens": 1, "reload_tools": tools}));
        let text = &split(&after.messages)[1];
        assert!(text.contains(call), "{tools}: {text}");
        for other in ["read_file(", "grep(", "sed -n", "read_tool_result("] {
            assert!(call.starts_with(other) || !text.contains(other), "{tools}: {text}");
        }
    }
}

#[test]
fn the_call_in_a_reference_returns_exactly_what_is_left_out() {
    let app = TestApp::new();
    for text in [
        log(500),
        log(500).trim_end().to_owned(),
        "x".repeat(50_000),
        format!("{}\n{}", "a b ".repeat(9_000), log(9)),
    ] {
        let id = format!("call_{}", text.len());
        let history = array(&[call(&id), result(&id, &text), user("go on")]);
        let after = app.offload(&history, &json!({"max_total_tokens": 1}));
        let message: serde_json::Value = serde_json::from_str(&split(&after.messages)[1]).unwrap();
        let shown = message["content"].as_str().unwrap();
        let call =
            shown.split_once("left out: read_file(").unwrap().1.split_once("); ref ").unwrap().0;
        let mut body = json!({});
        for part in call.split(", ") {
            let (name, value) = part.split_once('=').unwrap();
            body[name] = serde_json::from_str(value).unwrap();
        }
        body["max_tokens"] = json!(0);
        let page = app.read_file(&body)["answer"].as_str().unwrap().to_owned();
        let body = page.split_once("\n\n---\n\n").map_or(page.as_str(), |(_, body)| body);
        assert!(text.contains(body));
        let head = shown.lines().next().unwrap().trim_end_matches(" …");
        assert!(text.starts_with(head));
        assert!(
            body.len() < text.len() && body.len() > text.len() * 8 / 10,
            "{} of {}",
            body.len(),
            text.len()
        );
    }
}

#[test]
fn a_history_of_thousands_of_messages() {
    let app = TestApp::new();
    let mut history = Vec::new();
    for n in 0..1_500 {
        history.extend([call(&format!("call_{n}")), result(&format!("call_{n}"), &log(n % 90))]);
    }
    let after = app.offload(
        &array(&history),
        &json!({"context_manage_mode": "compact", "max_tool_message_tokens": 300,
            "include_files": false}),
    );
    assert_eq!(after.report()["outcome"], "compacted");
    assert_eq!(split(&app.rehydrate(&after.messages).messages), history);
}

#[test]
fn a_reference_whose_file_is_gone_or_changed_stays_and_is_named() {
    let app = TestApp::new();
    let history = array(&[call("call_1"), result("call_1", &log(500)), user("go on")]);
    let first = app.offload(&history, &json!({"max_total_tokens": 1}));
    let low = json!({"max_total_tokens": 0, "max_tool_message_tokens": 10, "keep_recent_count": 0});
    let file = app.folder().join("store/tool_call_1.txt");
    for broken in ["changed", "gone"] {
        match broken {
            "gone" => std::fs::remove_file(&file).unwrap(),
            _ => std::fs::write(&file, "something else").unwrap(),
        }
        let files = app.files();
        let again = app.again().offload(&first.messages, &low);
        assert_eq!(again.messages, first.messages, "{broken}");
        assert_eq!(app.files(), files, "{broken}: nothing takes the place of what was there");
        assert!(
            again.warnings().contains("messages[1] is a reference whose file is gone or changed")
        );
        let back = app.rehydrate(&first.messages);
        assert_eq!(back.json["metadata"]["restored"], 0, "{broken}");
        assert_eq!(back.json["metadata"]["unresolved"][0]["index"], 1, "{broken}");
    }
}

#[test]
fn exactly_the_named_roles_move() {
    let app = TestApp::new();
    let history =
        array(&[user(&log(300)), call("call_1"), result("call_1", &log(500)), user("go on")]);
    for (roles, first) in [
        (json!(["tool"]), json!(2)),
        (json!(["user"]), json!(0)),
        (json!(["tool", "user"]), json!(0)),
        (json!([]), json!(null)),
    ] {
        let settings = json!({"max_total_tokens": 1, "compact_roles": roles, "dry_run": true,
            "context_manage_mode": "compact"});
        let report = app.offload(&history, &settings);
        assert_eq!(report.report()["first_changed_index"], first, "{roles}");
    }
}

#[test]
fn an_unknown_model_is_counted_and_named() {
    let app = TestApp::new();
    let after = app.offload("[]", &json!({"model": "foo-9000"}));
    assert!(after.warnings().contains("foo-9000"), "{}", after.warnings());
    let claude = app.offload("[]", &json!({"model": "claude-sonnet-4-5"}));
    assert_eq!(claude.report()["tokenizer"], "estimate:claude");
    assert_eq!(claude.report()["warnings"], json!([]));
}

/// The same for a JSON value: what takes its file's place is not spliced in.
#[test]
fn a_changed_file_of_a_json_value_is_not_put_back() {
    let app = TestApp::new();
    let rows: Vec<serde_json::Value> = (0..400).map(|n| json!({"id": n, "name": "row"})).collect();
    let message = json!({"role": "tool", "tool_call_id": "call_1", "content": rows}).to_string();
    let history = array(&[call("call_1"), message.clone(), user("go on")]);
    for (materialize, others) in [(false, ["[1]", "no json"]), (true, ["{}\n[1]", "no json"])] {
        a_changed_value_stays(&app, &history, &message, materialize, others);
    }
}

fn a_changed_value_stays(
    app: &TestApp,
    history: &str,
    message: &str,
    materialize: bool,
    others: [&str; 2],
) {
    let settings = json!({"max_total_tokens": 1, "materialize": materialize});
    let first = app.offload(history, &settings);
    assert_eq!(split(&app.rehydrate(&first.messages).messages)[1], message);
    let path = first.report()["actions"][0]["path"].as_str().unwrap().to_owned();
    let kind = if materialize { "materialize" } else { "compact" };
    assert_eq!(first.report()["actions"][0]["action"], kind);
    for content in others {
        let file = path.replace("/workspace", &app.folder().display().to_string());
        std::fs::write(file, content).unwrap();
        let back = app.rehydrate(&first.messages);
        assert_eq!(split(&back.messages), split(&first.messages), "{content}");
        assert_eq!(back.json["metadata"]["unresolved"][0]["index"], 1, "{content}");
    }
}
