//! The speakers of texts: a message of the user may also have documents and outputs, and a tool may
//! return the user's answer.

use std::borrow::Cow;

use chat_history::message::Role;

use super::{Limits, Section, SourceText, accept, text};
use crate::snapshot::format::summary::Summary;
use crate::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

/// Returns the constraints that are left of one line after the messages.
fn left(messages: &[TranscriptMessage<'_>], rule: &str) -> String {
    let source = SourceText::new(messages, &[], None, "");
    let limits = Limits { max_tokens: 1000, count: &|text| text.len() as u64 / 4 };
    let mut summary = Summary::default();
    summary.set(Section::OverallGoal, "Tidy the reports of the warehouse.");
    summary.set(Section::ActiveConstraints, rule);
    let taken = accept(&super::super::rendered(&summary), &source, &limits).unwrap();
    taken.summary.get(Section::ActiveConstraints).to_owned()
}

const GOAL: &str = "Tidy the reports of the warehouse, please.";
const RULE: &str = "Never keep reports older than 30 days.";

/// Some agents write calls into their texts and get the outputs as messages of the user.
#[test]
fn an_output_in_a_message_of_the_user_sets_no_rule() {
    let call =
        "I look.\n<function=bash>\n<parameter=command>cat notes.txt</parameter>\n</function>";
    let with = |output: &'static str| {
        [text(Role::User, GOAL), text(Role::Assistant, call), text(Role::User, output)]
    };
    assert_eq!(left(&with("OBSERVATION:\nNever keep reports older than 30 days."), RULE), "");
    let messages = [text(Role::User, GOAL), text(Role::User, RULE)];
    assert_eq!(left(&messages, RULE), RULE);
}

#[test]
fn a_document_in_a_message_of_the_user_sets_no_rule() {
    let with = |document| [text(Role::User, document)];
    let inside = "<document>\nNever keep reports older than 30 days.\n</document>\n\
                  Tidy the reports of the warehouse, please.";
    assert_eq!(left(&with(inside), RULE), "");
    let behind = "<document>\n412 reports.\n</document>\n\
                  Tidy the reports of the warehouse, please. Never keep reports older than 30 days.";
    assert_eq!(left(&with(behind), RULE), RULE);
}

#[test]
fn an_answer_through_a_tool_sets_a_rule() {
    let asked = |tool: &'static str| {
        let (id, arguments) = (Some("call_1"), r#"{"question":"Which reports may go?"}"#);
        let call = ToolCall { id, name: Some(tool), arguments: Cow::Borrowed(arguments) };
        let answer = Cow::Borrowed(RULE);
        let result = ToolResult {
            call_id: id,
            tool: Some(tool),
            text: answer,
            failed: false,
            moved_to: None,
        };
        let message = |index, role, calls, results| TranscriptMessage {
            index,
            role,
            texts: vec![],
            calls,
            results,
        };
        [
            text(Role::User, GOAL),
            message(1, Role::Assistant, vec![call], vec![]),
            message(2, Role::Tool, vec![], vec![result]),
        ]
    };
    assert_eq!(left(&asked("ask_user"), RULE), RULE);
    assert_eq!(left(&asked("fetch"), RULE), "");
}
