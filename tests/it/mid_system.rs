//! System messages among the turns of Anthropic's Messages API, as Claude Code sends
//! them: what leaves is valid by the provider's rules, and everything comes back.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::formats::Format;
use crate::formats::rules::broken;

fn system(text: &str) -> Value {
    json!({"role": "system", "content": text})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn call(n: usize) -> Value {
    json!({"role": "assistant", "content": [
        {"type": "text", "text": format!("I read file {n}.")},
        {"type": "tool_use", "id": format!("toolu_{n}"), "name": "Read", "input": {"path": format!("src/rule_{n}.rs")}}]})
}

fn result(n: usize) -> Value {
    let text: String = (0..30).map(|l| format!("fn rule_{n}_{l}() {{ parse({l}) }}\n")).collect();
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": format!("toolu_{n}"), "content": text}]})
}

/// Claude Code's shape: the operator's words after the first question, and after some
/// results, at times two in a row.
fn session(turns: usize) -> Vec<Value> {
    let mut messages = vec![
        user("Port the parser to the new grammar."),
        system("Agent types: Explore, Plan. Never start an agent of another type."),
    ];
    for n in 0..turns {
        messages.extend([call(n), result(n)]);
        if n % 4 == 1 {
            messages.push(system(&format!("The todo list has {n} entries.")));
        }
        if n % 8 == 1 {
            messages.push(system(&format!("{n} % of the context window is left.")));
        }
    }
    messages.push(json!({"role": "assistant", "content": "Ready."}));
    messages.push(user("Go on with the next file."));
    messages
}

fn texts(messages: &[Value]) -> Vec<String> {
    messages.iter().map(Value::to_string).collect()
}

/// Posts, checks the answer by both implementations of the rules, and puts it back.
fn offloaded(app: &TestApp, before: &[Value], settings: &Value) -> (Vec<Value>, Option<Value>) {
    let answer = app.offload(&Value::from(before.to_vec()).to_string(), settings);
    assert_eq!(answer.report()["format"], "anthropic");
    assert!(!answer.warnings().contains("unchanged"), "{}", answer.warnings());
    let after: Vec<Value> = serde_json::from_str(&answer.messages).unwrap();
    assert_eq!(broken(Format::Anthropic, &texts(&after)), [], "{}", answer.messages);
    let told = app.validate(&answer.messages, &json!({"format": "anthropic"}));
    assert_eq!(told["metadata"]["valid"], true, "{told}");
    let system = answer.json.get("system").cloned();
    let mut about = json!({"format": "anthropic"});
    if let Some(system) = &system {
        about["system"] = system.clone();
    }
    let back = app.rehydrate_with(&answer.messages, &about);
    assert_eq!(serde_json::from_str::<Vec<Value>>(&back.messages).unwrap(), before);
    (after, system)
}

#[test]
fn what_leaves_is_valid_wherever_it_is_cut() {
    for beside in [None, Some("You port parsers.")] {
        for mode in ["compact", "compress", "auto"] {
            for keep in [0, 1, 2, 3, 4, 5, 7, 10] {
                let app = TestApp::new();
                let mut settings = json!({"context_manage_mode": mode, "max_total_tokens": 100,
                    "max_tool_message_tokens": 50, "keep_recent_count": keep});
                if let Some(beside) = beside {
                    settings["system"] = json!(beside);
                }
                let (after, _) = offloaded(&app, &session(12), &settings);
                let runs = |messages: &[Value]| {
                    let of = |pair: &&[Value]| pair.iter().all(|m| m["role"] == "system");
                    messages.windows(2).filter(of).count()
                };
                assert!(runs(&after) <= runs(&session(12)));
            }
        }
    }
}

#[test]
fn a_snapshot_keeps_the_operators_words_and_gives_the_messages_back() {
    let app = TestApp::new();
    let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 100,
                          "system": "You port parsers."});
    let before = session(12);
    let (after, system) = offloaded(&app, &before, &settings);
    assert!(!texts(&after).concat().contains("Agent types"), "{after:?}");
    let system = system.unwrap();
    assert!(system.to_string().contains("Never start an agent of another type."), "{system}");
    // A longer history is compressed after it.
    let mut longer = after.clone();
    longer.extend((20..32).flat_map(|n| [call(n), result(n), system_of(n)]));
    longer.push(json!({"role": "assistant", "content": "Ready."}));
    longer.push(user("And the next."));
    let mut settings = settings;
    settings["system"] = system;
    let answer = app.offload(&Value::from(longer.clone()).to_string(), &settings);
    assert_eq!(answer.report()["outcome"], "compressed", "{}", answer.report());
    let now: Vec<Value> = serde_json::from_str(&answer.messages).unwrap();
    assert_eq!(broken(Format::Anthropic, &texts(&now)), [], "{}", answer.messages);
    let back = app.rehydrate_with(
        &answer.messages,
        &json!({"system": answer.json["system"], "format": "anthropic"}),
    );
    let whole: Vec<Value> = [&before[..], &longer[after.len()..]].concat();
    assert_eq!(serde_json::from_str::<Vec<Value>>(&back.messages).unwrap(), whole);
    let again = app.offload(
        &answer.messages,
        &json!({"context_manage_mode": "compress", "max_total_tokens": 100,
                "system": answer.json["system"]}),
    );
    assert_eq!(again.messages, answer.messages);
}

fn system_of(n: usize) -> Value {
    system(&format!("Note {n}: keep the tests green."))
}

/// A message that adds a tool, or sets the effort, holds from its place on: what it does
/// is in no words, so it stays, and everything after it.
#[test]
fn what_changes_the_tools_stays() {
    let tool = json!({"role": "system", "content": [
        {"type": "tool_addition", "tool": {"type": "tool_reference", "tool_name": "Grep"}}]});
    let effort = json!({"role": "system", "content": [], "output_config": {"effort": "low"}});
    for order in [tool, effort] {
        let app = TestApp::new();
        let mut before = session(12);
        let behind = before.iter().rposition(|m| m["content"][0]["tool_use_id"] == "toolu_8");
        before.insert(behind.unwrap() + 1, order.clone());
        let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 100});
        let (after, _) = offloaded(&app, &before, &settings);
        assert!(after.contains(&order), "{after:?}");
        assert!(after.len() < before.len(), "what stands before it is compressed");
    }
}

/// A history whose client put the prompt in front of the messages breaks the rule as it
/// came; the prompt stays where it is.
#[test]
fn a_prompt_among_the_messages_stays_in_front() {
    for beside in [false, true] {
        let app = TestApp::new();
        let mut before = vec![system("You port parsers.")];
        before.extend(session(12));
        let mut settings = json!({"context_manage_mode": "compress", "max_total_tokens": 100});
        if beside {
            settings["system"] = json!("Be brief.");
        }
        let text = Value::from(before.clone()).to_string();
        let answer = app.offload(&text, &settings);
        assert_eq!(answer.report()["outcome"], "compressed", "{}", answer.report());
        let after: Vec<Value> = serde_json::from_str(&answer.messages).unwrap();
        assert_eq!((&after[0], after[1]["role"].as_str()), (&before[0], Some("user")));
        let told = app.validate(&answer.messages, &json!({"format": "anthropic"}));
        assert_eq!(told["metadata"]["count"], 1, "{told}");
        let mut about = json!({"format": "anthropic"});
        if beside {
            about["system"] = answer.json["system"].clone();
        }
        let back = app.rehydrate_with(&answer.messages, &about);
        assert_eq!(serde_json::from_str::<Vec<Value>>(&back.messages).unwrap(), before);
    }
}

#[test]
fn repair_leaves_no_system_message_behind_the_model() {
    let app = TestApp::new();
    let orphan = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_never", "content": "lost"}]});
    let said = json!({"role": "assistant", "content": "Ready."});
    let histories = [
        vec![user("Hi"), said.clone(), orphan.clone(), system("Be brief."), said.clone()],
        vec![orphan.clone(), system("Be brief."), said.clone(), user("Hi")],
        vec![user("Hi"), call(1), system("Be brief."), said.clone(), user("Hi")],
        vec![user("Hi"), call(1), system("Be brief."), result(1), said],
    ];
    for before in histories {
        let answer = app.offload(
            &Value::from(before.clone()).to_string(),
            &json!({"repair": true, "format": "anthropic"}),
        );
        let after: Vec<Value> = serde_json::from_str(&answer.messages).unwrap();
        assert_eq!(broken(Format::Anthropic, &texts(&after)), [], "{after:?}");
        let told = app.validate(&answer.messages, &json!({"format": "anthropic"}));
        assert_eq!(told["metadata"]["valid"], true, "{told}: {after:?}");
    }
}
