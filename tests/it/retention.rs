//! Retention: which facts of Gemini CLI's compression evaluation survive the
//! built-in summariser. Where `../shared` is absent the test says so and passes.

use std::path::PathBuf;

use chat_history::message::Role;
use serde_json::{Value, json};
use token_count::Tokenizer;
use unburden::snapshot::extractive::summarise;
use unburden::snapshot::format::summary::Section;
use unburden::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

use crate::app::TestApp;
use crate::skips::shared_entries;

/// One scenario: its history as openai-chat messages, and what must survive.
pub(crate) struct Scenario {
    /// The file's name without prefix and ending.
    pub(crate) name: String,
    /// The messages, in the openai-chat format.
    pub(crate) messages: Vec<Value>,
    /// Question and the words that its answer must hold.
    pub(crate) questions: Vec<(String, String)>,
}

/// Every scenario of `../shared/compression_scenarios`, by name.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let Some(paths) = shared_entries("compression_scenarios") else { return Vec::new() };
    let read = |path: &PathBuf| {
        let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let question = |asked: &Value| {
            let text = |name: &str| asked[name].as_str().unwrap().to_owned();
            (text("prompt"), text("expectedSubstring"))
        };
        Scenario {
            name: name.trim_start_matches("gemini-scenario-").to_owned(),
            messages: openai_chat(file["history"].as_array().unwrap()),
            questions: file["questions"].as_array().unwrap().iter().map(question).collect(),
        }
    };
    paths.iter().map(read).collect()
}

/// Gemini contents as openai-chat messages. Gemini pairs calls and results by
/// order, so ids are counted; a response becomes its JSON, as bridges send it.
pub(crate) fn openai_chat(contents: &[Value]) -> Vec<Value> {
    let mut messages = Vec::new();
    let (mut asked, mut answered) = (0, 0);
    for content in contents {
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        let parts = content["parts"].as_array().unwrap();
        let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        let mut calls = Vec::new();
        for part in parts {
            if let Some(call) = part.get("functionCall") {
                asked += 1;
                calls.push(json!({"id": format!("call_{asked}"), "type": "function", "function": {
                    "name": call["name"], "arguments": call["args"].to_string()}}));
            }
            if let Some(response) = part.get("functionResponse") {
                answered += 1;
                messages.push(json!({"role": "tool", "tool_call_id": format!("call_{answered}"),
                    "content": response["response"].to_string()}));
            }
        }
        let content = (!texts.is_empty()).then(|| texts.join("\n"));
        if !calls.is_empty() {
            messages.push(json!({"role": role, "content": content, "tool_calls": calls}));
        } else if let Some(content) = content {
            messages.push(json!({"role": role, "content": content}));
        }
    }
    messages
}

/// The transcript of openai-chat messages.
fn transcript(messages: &[Value]) -> Vec<TranscriptMessage<'_>> {
    messages.iter().enumerate().map(|(index, message)| said(index, message)).collect()
}

fn said(index: usize, message: &Value) -> TranscriptMessage<'_> {
    let text = message["content"].as_str();
    let calls = message["tool_calls"].as_array().map(|calls| calls.iter().map(asked).collect());
    let (role, results) = match message["role"].as_str().unwrap() {
        "user" => (Role::User, Vec::new()),
        "assistant" => (Role::Assistant, Vec::new()),
        _ => {
            let text = text.unwrap().into();
            let call_id = message["tool_call_id"].as_str();
            (Role::Tool, vec![ToolResult { call_id, tool: None, text, moved_to: None }])
        }
    };
    let texts = text.filter(|_| results.is_empty()).map(Into::into).into_iter().collect();
    TranscriptMessage { index, role, texts, calls: calls.unwrap_or_default(), results }
}

fn asked(call: &Value) -> ToolCall<'_> {
    let function = &call["function"];
    ToolCall {
        id: call["id"].as_str(),
        name: function["name"].as_str(),
        arguments: function["arguments"].as_str().unwrap().into(),
    }
}

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
        assert!(snapshot <= (tokens / 10).max(450), "{}: {snapshot} of {tokens}", scenario.name);
        let first: Vec<Value> = serde_json::from_str(now).unwrap();
        let text = first[0]["content"].as_str().unwrap();
        let read = app.read_file(&json!({"absolute_path": group["path"]}));
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
    // Most scenarios are so short that a tenth would be 40 tokens; a snapshot has 250.
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

/// A tenth of the tokens, at least 400, holds most of the facts.
#[test]
fn retention_of_the_built_in_summariser() {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let (mut kept, mut all) = (0, 0);
    println!("{:<28} {:>8} {:>8}  fact", "scenario", "before", "after");
    for scenario in scenarios() {
        let before: u64 = scenario.messages.iter().map(|message| count(&message.to_string())).sum();
        let said = transcript(&scenario.messages);
        let budget = (before / 10).max(400);
        let summary = summarise(&said, None, budget, &count);
        let texts: Vec<&str> = Section::ALL.iter().map(|section| summary.get(*section)).collect();
        let after: u64 = texts.iter().map(|text| count(text)).sum();
        assert!(after <= budget, "{}: {after} of {budget}", scenario.name);
        for (_, fact) in &scenario.questions {
            let found = texts.iter().any(|text| text.contains(fact));
            all += 1;
            kept += usize::from(found);
            let says = if found { "yes" } else { "no" };
            println!("{:<28} {before:>8} {after:>8}  {says:<3} {fact}", scenario.name);
        }
        if std::env::var_os("UNBURDEN_SHOW").is_some() {
            for (section, text) in Section::ALL.iter().zip(&texts) {
                println!("<{}>\n{text}", section.tag());
            }
        }
    }
    println!("{kept} of {all} facts kept");
    assert!(kept * 10 >= all * 7, "{kept} of {all}");
}
