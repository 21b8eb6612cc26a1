//! The scenarios of `../shared/compression_scenarios`: histories and the facts that must
//! survive them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::skips::shared_entries;

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
