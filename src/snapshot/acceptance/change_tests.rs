//! Tests claims that a file was changed, with and without a call that changed it.

use super::{Limits, Section, SourceText, accept, reply, text};
use crate::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};
use chat_history::message::Role;

fn call<'a>(name: &'a str, arguments: &'a str, result: &'a str) -> TranscriptMessage<'a> {
    let (id, name, text) = (Some("call_9"), Some(name), result.into());
    let call = ToolCall { id, name, arguments: arguments.into() };
    let answer = ToolResult { call_id: id, tool: name, text, failed: false, moved_to: None };
    let (texts, calls, results) = (vec![], vec![call], vec![answer]);
    TranscriptMessage { index: 1, role: Role::Tool, texts, calls, results }
}

#[test]
fn a_change_needs_a_call_or_somebody_who_tells_of_it() {
    let asked = "Please look at src/limits.json and say whether the timeout of 4500 ms is right.";
    let read = call("read_file", r#"{"path":"src/limits.json"}"#, r#"{"timeout":4500}"#);
    let edit = r#"{"path":"src/limits.json","old_str":"3000","new_str":"4500"}"#;
    let edit = call("edit_file", edit, "ok");
    let told = text(Role::Assistant, "A sub-agent updated limits.json, its timeout is 4500 now.");
    let claim = "- `src/limits.json` – the timeout of 4500 ms was updated";
    for (third, stands) in [(None, false), (Some(edit), true), (Some(told), true)] {
        let messages: Vec<_> =
            [text(Role::User, asked), read.clone()].into_iter().chain(third).collect();
        let source = SourceText::new(&messages, &[], None, "");
        let limits = Limits { max_tokens: 1000, count: &|text| text.len() as u64 / 4 };
        let said = reply(&[(Section::ArtifactTrail, claim)]);
        let taken = accept(&said.replace("page about tides", "timeout"), &source, &limits).unwrap();
        let trail = taken.summary.get(Section::ArtifactTrail);
        assert_eq!(trail.contains("was updated"), stands, "{trail} {:?}", taken.dropped);
    }
}
