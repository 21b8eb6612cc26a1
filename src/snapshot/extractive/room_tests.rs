//! Tests the order in which items are chosen for a built-in summary with little room.

use chat_history::message::Role;

use super::tests::{call, result, said, summarise, tokens};
use crate::snapshot::format::summary::Section;
use crate::snapshot::transcript::TranscriptMessage;

/// Returns enough findings to fill any summary.
fn findings(from: usize) -> Vec<TranscriptMessage<'static>> {
    let one = |at: usize| {
        let text = format!("I found that `retry_limit_{at}` in conf_{at}.toml is {at}0 seconds.");
        said(from + at, Role::Assistant, text.leak())
    };
    (0..40).map(one).collect()
}

#[test]
fn changed_files_have_room_before_findings() {
    let edit = r#"{"command":"str_replace","path":"src/pool.rs","old_str":"a","new_str":"b"}"#;
    let mut messages = vec![
        said(0, Role::User, "Mend the pool."),
        call(1, "a", "str_replace_editor", edit),
        result(2, "a", "ok"),
    ];
    messages.extend(findings(3));
    let summary = summarise(&messages, None, 120, &tokens);
    assert_eq!(summary.get(Section::ArtifactTrail), "- src/pool.rs: edited");
}

#[test]
fn rules_have_room_before_the_trail() {
    let mut messages = vec![
        said(0, Role::User, "Mend the pool."),
        said(1, Role::User, "Never restart the billing node, whatever happens to the others."),
    ];
    for n in 0..8 {
        let edit = format!(
            r#"{{"command":"str_replace","path":"crates/pool/src/connection_{n}.rs","old_str":"a","new_str":"b"}}"#
        );
        messages.push(call(2 + 2 * n, "a", "str_replace_editor", edit.leak()));
        messages.push(result(3 + 2 * n, "a", "ok"));
    }
    let summary = summarise(&messages, None, 60, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.contains("Never restart the billing node"), "{rules}");
    assert!(!summary.get(Section::ArtifactTrail).is_empty());
    // An earlier summary contains it, but the messages do not.
    let summary = summarise(&messages[2..], Some(&summary), 60, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    assert!(rules.contains("Never restart the billing node"), "{rules}");
}

#[test]
fn what_went_wrong_and_is_not_mended_has_room() {
    let output =
        "collecting\nran 41 of 42\nsqlite3.IntegrityError: FOREIGN KEY failed\nexit code: 1";
    let mut messages = vec![
        said(0, Role::User, "Mend the pool."),
        call(1, "a", "bash", r#"{"command":"python check.py"}"#),
        result(2, "a", output),
    ];
    messages.extend(findings(3));
    let summary = summarise(&messages, None, 120, &tokens);
    let known = summary.get(Section::KeyKnowledge);
    assert!(known.contains("sqlite3.IntegrityError: FOREIGN KEY failed"), "{known}");
    messages.push(call(43, "b", "bash", r#"{"command":"python check.py"}"#));
    messages.push(result(44, "b", "ran 42 of 42\nexit code: 0"));
    let summary = summarise(&messages, None, 120, &tokens);
    let known = summary.get(Section::KeyKnowledge);
    assert!(!known.contains("FOREIGN KEY"), "{known}");
}

#[test]
fn source_lines_and_announcements_are_no_facts() {
    let messages = [
        said(0, Role::User, "Mend the pool."),
        call(1, "a", "view", r#"{"path":"src/pool.rs"}"#),
        result(2, "a", "    41\tlet max_open = POOL_SIZE;\n    42\tlet idle = MAX_IDLE;"),
        said(3, Role::Assistant, "Let me change max_open and MAX_IDLE in src/pool.rs:"),
        said(4, Role::Assistant, "The pool ends with max_open because MAX_IDLE is 0."),
        said(5, Role::Assistant, "Next I set MAX_IDLE."),
    ];
    let known = summarise(&messages, None, 60, &tokens).get(Section::KeyKnowledge).to_owned();
    assert_eq!(known, "- [#4 assistant] The pool ends with max_open because MAX_IDLE is 0.");
}

#[test]
fn rows_with_numbers_are_no_source_lines() {
    let rows = " 101 | Oslo | K-4711 | open\n 102 | Lima | K-4712 | paid\n(2 rows)";
    let messages = [
        said(0, Role::User, "Which customer has not paid?"),
        call(1, "a", "bash", r#"{"command":"psql -c 'select * from bills'"}"#),
        result(2, "a", rows),
        said(3, Role::Assistant, "It is K-4711."),
        said(4, Role::Assistant, "Next I write to them."),
    ];
    let summary = summarise(&messages, None, 200, &tokens);
    let known = summary.get(Section::KeyKnowledge);
    assert!(known.contains("101 | Oslo | K-4711 | open"), "{known}");
}
