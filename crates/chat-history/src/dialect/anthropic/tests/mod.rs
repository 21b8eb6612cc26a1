//! Messages that the dialect reads, and histories that its provider rejects.

#![allow(clippy::unwrap_used)]

mod reading;
mod rules;

use super::super::Dialect;
use super::Anthropic;
use crate::message::MessageView;

const CALL: &str =
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#;
const CALLS: &str = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]}"#;
const RESULT_A: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}]}"#;
const RESULT_B: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"r"}]}"#;
const RESULTS: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"},{"type":"tool_result","tool_use_id":"b"}]}"#;
const CALL_BLOCK: &str = r#"{"type":"tool_use","id":"a","name":"f","input":{}}"#;
const RESULT_BLOCK: &str = r#"{"type":"tool_result","tool_use_id":"a","content":"r"}"#;
const HI: &str = r#"{"role":"user","content":"hi"}"#;
const OK: &str = r#"{"role":"assistant","content":"ok"}"#;
const SYSTEM: &str = r#"{"role":"system","content":"Be brief."}"#;
const SEARCH: &str =
    r#"{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}}"#;
const FOUND: &str = r#"{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":"T","url":"https://example.com","encrypted_content":"0123456789","page_age":null}]}"#;

fn view(message: &str) -> MessageView {
    Anthropic.view(message).unwrap()
}

fn user(blocks: &str) -> String {
    format!(r#"{{"role":"user","content":[{blocks}]}}"#)
}

fn assistant(blocks: &str) -> String {
    format!(r#"{{"role":"assistant","content":[{blocks}]}}"#)
}

fn result(content: &str) -> String {
    user(&format!(r#"{{"type":"tool_result","tool_use_id":"a","content":{content}}}"#))
}

/// Returns message index and rule name of every problem of a history.
fn broken<M: AsRef<str>>(messages: &[M]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|m| view(m.as_ref())).collect();
    let problems = Anthropic.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}
