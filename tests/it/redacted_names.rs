//! Where secrets are not shown, none reaches the name of a file, a report or the error of a
//! file that expired: not from the id of a call, a tool, an operation or a chat.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use unburden::config::RedactConfig;

use crate::app::{Offloaded, TestApp, request, split};
use crate::history::array;

/// The part of a token that may not be seen.
const OWN: &str = "q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5Vt";
const MONTH: u64 = 31 * 24 * 3_600;

/// Words that hold the secret, as a caller may give them.
fn words() -> [String; 3] {
    let token = ["gh", "p_", OWN].concat();
    [token.clone(), format!("call {token}"), format!("https://ci:{OWN}@git.example.com/a")]
}

fn turn(id: &str, tool: &str, arguments: &Value, content: &str) -> [String; 2] {
    let call = json!({"id": id, "type": "function",
        "function": {"name": tool, "arguments": arguments.to_string()}});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string(),
        json!({"role": "tool", "tool_call_id": id, "content": content}).to_string(),
    ]
}

fn history(word: &str) -> Vec<String> {
    let log: String = (0..400).map(|n| format!("line {n} of a quiet log\n")).collect();
    let rows: Vec<Value> = (0..200).map(|n| json!({"id": n, "state": "open"})).collect();
    let second = format!("{word}2");
    let user = json!({"role": "user", "content": "and?"}).to_string();
    [
        &turn(word, word, &json!({"q": word}), &log)[..],
        &turn(&second, word, &json!({"q": word}), &json!(rows).to_string())[..],
        &[user],
    ]
    .concat()
}

/// The names of all files, and what their records say.
fn kept(app: &TestApp) -> String {
    let names = app.files().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join("\n");
    let mut folders = vec![app.folder().to_owned()];
    let mut records = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            records.push_str(&format!("\n{}", path.display()));
            match path.is_dir() {
                true => folders.push(path),
                false if path.components().any(|part| part.as_os_str() == ".unburden") => {
                    records.push_str(&std::fs::read_to_string(path).unwrap_or_default());
                }
                false => {}
            }
        }
    }
    names + &records
}

#[test]
fn a_call_with_a_secret_in_its_id_shows_none_and_comes_back() {
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 100});
    for word in words() {
        let app = TestApp::redacting();
        let before = history(&word);
        let after = app.offload(&array(&before), &settings);
        assert_eq!(after.report()["checks"]["references_readable"], true);
        let actions = after.report()["actions"].as_array().unwrap();
        assert_eq!(actions.len(), 2);
        assert!(!after.json.to_string().contains(OWN), "{}", after.json);
        assert!(!kept(&app).contains(OWN), "{}", kept(&app));
        // The results' own texts show none; ids and arguments of calls that stay are the caller's.
        let moved = split(&after.messages);
        for at in [1, 3] {
            let content = serde_json::from_str::<Value>(&moved[at]).unwrap()["content"].to_string();
            assert!(!content.contains(OWN), "{content}");
        }
        assert_eq!(split(&app.rehydrate(&after.messages).messages), before);
        let again = app.again().offload(&array(&before), &settings);
        assert_eq!(again.messages, after.messages);
        let posted = app.again().offload(&after.messages, &settings);
        assert_eq!(posted.messages, after.messages);
        // The file is found by the id as the agent knows it.
        for id in [word.clone(), format!("{word}2")] {
            let body = json!({"result_id": id, "store_dir": "/workspace/store"}).to_string();
            app.service.read_tool_result(body.as_bytes()).unwrap();
        }
    }
}

#[test]
fn a_file_that_was_named_in_the_open_is_still_known() {
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 100});
    let [word, ..] = words();
    let open = TestApp::new();
    let before = history(&word);
    let after = open.offload(&array(&before), &settings);
    assert!(after.json.to_string().contains(OWN));
    let mut config = open.config.clone();
    config.privacy.redact = RedactConfig::Secrets;
    let closed = unburden::service::Service::open(&config).unwrap();
    let body = request(&after.messages, &settings);
    let posted = Offloaded::read(&closed.offload(body.as_bytes()).unwrap().into_json());
    assert_eq!(posted.messages, after.messages);
    let body = format!("{{\"messages\":{}}}", after.messages);
    let back = Offloaded::read(&closed.rehydrate(body.as_bytes()).unwrap().into_json());
    assert_eq!(split(&back.messages), before);
}

/// Also of a file whose call was noted where secrets are shown.
#[test]
fn an_expired_file_shows_no_secret_of_its_call() {
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 100});
    let [word, ..] = words();
    for noted_open in [false, true] {
        let app = if noted_open { TestApp::new() } else { TestApp::redacting() };
        app.offload(&array(&history(&word)), &settings);
        let old = SystemTime::now() - Duration::from_secs(MONTH);
        for (name, _) in app.files() {
            let file = app.folder().join(name);
            std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
        }
        let mut config = app.config.clone();
        config.privacy.redact = RedactConfig::Secrets;
        let service = unburden::service::Service::open(&config).unwrap();
        service.sweep(b"{}").unwrap();
        let body = json!({"result_id": word, "store_dir": "/workspace/store"}).to_string();
        let said = service.read_tool_result(body.as_bytes()).unwrap_err().to_string();
        let (call, id) = (said.contains("(it was redacted_"), said.contains("redacted_"));
        assert!(call && id && said.contains("expired"), "{said}");
        let about_call = said.split_once("the call ").map_or("", |(_, call)| call);
        assert!(!about_call.is_empty() && !about_call.contains(OWN), "{said}");
    }
}

#[test]
fn an_operation_and_a_chat_with_a_secret_name_no_file() {
    for word in words() {
        let app = TestApp::redacting();
        let rows: Vec<Value> = (0..200).map(|n| json!({"id": n, "state": "open"})).collect();
        let body = json!({"operation": word, "detail": word, "results": rows,
            "threshold_tokens": 0, "output_dir": "/workspace/large"})
        .to_string();
        let said = app.service.offload_result(body.as_bytes()).unwrap().into_json();
        assert!(said.contains("\"offloaded\":true") || said.contains("\"file\""), "{said}");
        assert!(!said.contains(OWN), "{said}");
        let turns: Vec<String> = (0..12)
            .map(|n| {
                json!({"role": if n % 2 == 0 { "user" } else { "assistant" },
                    "content": format!("A remark {n} about the weather. ").repeat(40)})
                .to_string()
            })
            .collect();
        let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 1,
            "chat_id": word});
        let after = app.offload(&array(&turns), &settings);
        assert_eq!(after.report()["outcome"], "compressed", "{}", after.warnings());
        assert!(!after.json.to_string().contains(OWN) && !after.messages.contains(OWN));
        assert!(!kept(&app).contains(OWN), "{}", kept(&app));
        assert_eq!(split(&app.rehydrate(&after.messages).messages), turns);
    }
}

/// A tool and an id of a call do not reach a snapshot either.
#[test]
fn a_snapshot_names_no_call_with_a_secret() {
    let app = TestApp::redacting();
    let [word, ..] = words();
    let mut messages = Vec::new();
    for n in 0..8 {
        messages.push(json!({"role": "user", "content": format!("Do step {n}.")}).to_string());
        let said = format!("step {n} went well\n").repeat(60);
        messages.extend(turn(&format!("{word}{n}"), &word, &json!({"n": n}), &said));
    }
    messages.push(json!({"role": "user", "content": "and?"}).to_string());
    // The files that an answer repeats hold the messages as they came.
    let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 1,
        "include_files": false});
    let after = app.offload(&array(&messages), &settings);
    assert_eq!(after.report()["outcome"], "compressed", "{}", after.warnings());
    let snapshot = &split(&after.messages)[0];
    assert!(snapshot.contains("state_snapshot") && !snapshot.contains(OWN), "{snapshot}");
    assert!(!after.json.to_string().contains(OWN) && !kept(&app).contains(OWN));
    assert_eq!(split(&app.rehydrate(&after.messages).messages), messages);
}
