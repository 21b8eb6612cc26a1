//! Tests how many facts of Gemini CLI's compression evaluation the built-in summariser keeps.
//! Skipped if `../shared` is missing.

use chat_history::message::Role;
use serde_json::Value;
use token_count::Tokenizer;

use super::extractive::said::said as said_of;
use super::extractive::{Source, summarise};
use super::format::summary::Section;
use super::transcript::{ToolCall, ToolResult, TranscriptMessage};
use crate::tests::scenarios::scenarios;

/// Parses a transcript of openai-chat messages.
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
            (
                Role::Tool,
                vec![ToolResult { call_id, tool: None, text, failed: false, moved_to: None }],
            )
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

/// A tenth of the tokens, at least 400, retains most of the facts.
#[test]
fn retention_of_the_built_in_summariser() {
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let (mut kept, mut all) = (0, 0);
    let mut table = String::new();
    for scenario in scenarios() {
        let before: u64 = scenario.messages.iter().map(|message| count(&message.to_string())).sum();
        let said = transcript(&scenario.messages);
        let budget = (before / 10).max(400);
        let by_speaker = said_of(&said);
        let source = Source { messages: &said, said: &by_speaker, directives: &[], earlier: None };
        let summary = summarise(&source, budget, &count);
        let texts: Vec<&str> = Section::ALL.iter().map(|section| summary.get(*section)).collect();
        let after: u64 = texts.iter().map(|text| count(text)).sum();
        assert!(after <= budget, "{}: {after} of {budget}", scenario.name);
        for (_, fact) in &scenario.questions {
            let found = texts.iter().any(|text| text.contains(fact));
            all += 1;
            kept += usize::from(found);
            let says = if found { "yes" } else { "no" };
            let name = &scenario.name;
            table.push_str(&format!("{name:<28} {before:>8} {after:>8}  {says:<3} {fact}\n"));
        }
    }
    assert!(kept * 10 >= all * 7, "{kept} of {all}\n{table}");
}
