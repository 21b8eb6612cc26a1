//! Tests outcomes of calls, and the files of the trail.

use chat_history::message::Role;

use super::tests::{call, result, said, summarise, tokens};
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::transcript::TranscriptMessage;

/// Returns the summary of a request and calls with their results.
fn summary(calls: &[(&'static str, &'static str, &'static str)]) -> Summary {
    let mut messages = vec![said(0, Role::User, "Mend the pool.")];
    for (at, (tool, arguments, answer)) in calls.iter().enumerate() {
        let id: &str = format!("call_{at}").leak();
        messages.push(call(2 * at + 1, id, tool, arguments));
        messages.push(result(2 * at + 2, id, answer));
    }
    summarise(&messages, None, 2_000, &tokens)
}

const EDIT: &str = r#"{"command":"str_replace","path":"src/pool.py","old_str":"a","new_str":"b","view_range":null}"#;
const CREATE: &str = r#"{"command":"create","path":"try_pool.py","file_text":"print(1)"}"#;

#[test]
fn a_change_whose_checks_fail_is_a_change() {
    let checks = "The file src/pool.py has been edited.\nRunning tests\nTraceback (most recent \
                  call last):\n  File \"src/pool.py\", line 3\nRecursionError: too deep\n81 \
                  passed. 2 failed.";
    let summary = summary(&[("editor", EDIT, checks)]);
    assert_eq!(summary.get(Section::ArtifactTrail), "- src/pool.py: edited");
    assert!(!summary.get(Section::TaskState).contains("Open:"));
    assert!(summary.get(Section::KeyKnowledge).contains("RecursionError: too deep"));
    let actions = summary.get(Section::RecentActions);
    assert!(actions.contains("81 passed. 2 failed.") && !actions.contains("null"), "{actions}");
}

#[test]
fn a_change_that_its_tool_refused_is_none() {
    let refused = "ERROR:\nNo replacement was performed: `a` stands nowhere in src/pool.py.";
    let summary = summary(&[("editor", EDIT, refused)]);
    assert_eq!(summary.get(Section::ArtifactTrail), "");
    assert!(summary.get(Section::TaskState).contains("Open: editor src/pool.py"));
}

#[test]
fn a_file_that_was_made_again_is_there() {
    let made = "File created successfully at: try_pool.py";
    let remove = ("bash", r#"{"command":"rm try_pool.py"}"#, "exit code: 0");
    let gone = summary(&[("editor", CREATE, made), remove]);
    assert_eq!(gone.get(Section::ArtifactTrail), "- try_pool.py: created, deleted");
    let exists = "Error: a file exists at try_pool.py";
    let calls =
        [("editor", CREATE, made), ("editor", CREATE, exists), remove, ("editor", CREATE, made)];
    let summary = summary(&calls);
    assert_eq!(summary.get(Section::ArtifactTrail), "- try_pool.py: created");
    assert_eq!(summary.get(Section::TaskState), "");
}

#[test]
fn a_script_that_runs_at_last_is_not_open() {
    let fails = "python3: can't open file '../try_pool.py': No such file\nexit code: 2";
    let summary = summary(&[
        ("bash", r#"{"command":"cd app && python3 ../try_pool.py"}"#, fails),
        ("bash", r#"{"command":"python3 /work/try_pool.py"}"#, "7 rows\nexit code: 0"),
    ]);
    assert_eq!(summary.get(Section::TaskState), "");
}

#[test]
fn a_call_that_the_user_declined_is_not_open() {
    let declined =
        "The user doesn't want to proceed with this tool use. The tool use was rejected.";
    let mut messages = vec![said(0, Role::User, "Mend the pool."), call(1, "a", "editor", EDIT)];
    let mut answer: TranscriptMessage<'_> = result(2, "a", declined);
    answer.results[0].failed = true;
    messages.push(answer);
    let summary = summarise(&messages, None, 2_000, &tokens);
    assert_eq!(summary.get(Section::TaskState), "");
    assert_eq!(summary.get(Section::ArtifactTrail), "");
}

#[test]
fn files_that_a_search_found_are_in_the_trail() {
    let found =
        "Viewed relevant code: src/pool.py\nclass Pool:\nsrc/tests/test_pool.py\nsrc/pool.py";
    let summary = summary(&[("SemanticSearch", r#"{"query":"class of the pool"}"#, found)]);
    let trail = summary.get(Section::ArtifactTrail);
    assert_eq!(trail, "- src/pool.py: found\n- src/tests/test_pool.py: found");
}

#[test]
fn an_output_has_no_marks_of_a_terminal() {
    let output = "python3 try_pool.py\r\nBytes input fails: expected str\r\n[Python Interpreter: \
                  /opt/env/bin/python]\nroot@host:/work # \n[Command finished with exit code 0]";
    let coloured = "\u{1b}[2K\u{1b}[36m?\u{1b}[39m Use TypeScript? <system-reminder>Be \
                    careful.</system-reminder>";
    let summary = summary(&[
        ("bash", r#"{"command":"python3 try_pool.py"}"#, output),
        ("bash", r#"{"command":"npx create-app"}"#, coloured),
    ]);
    assert_eq!(
        summary.get(Section::RecentActions),
        "- bash python3 try_pool.py -> Bytes input fails: expected str\n- bash npx create-app -> ? \
         Use TypeScript?"
    );
}

#[test]
fn a_numbered_list_is_a_plan_where_its_heading_says_so() {
    let list = "1. 49,000 lines of code\n2. Hooks with complete separation\n3. Seven providers";
    for (heading, is_plan) in [("Highlights:", false), ("Perfect! So the process is:", true)] {
        let text = format!("I completed the tour.\n\n{heading}\n{list}");
        let messages = [said(0, Role::User, "Look around."), said(1, Role::Assistant, text.leak())];
        let summary = summarise(&messages, None, 2_000, &tokens);
        assert_eq!(summary.get(Section::TaskState).contains("Plan:"), is_plan, "{heading}");
    }
}

#[test]
fn words_said_last_are_those_that_say_something() {
    let last = "Perfect!\nWe need to:\n1. raise the pool to 40 connections\nLet's begin:";
    let messages = [said(0, Role::User, "Mend the pool."), said(1, Role::Assistant, last)];
    let summary = summarise(&messages, None, 2_000, &tokens);
    let state = summary.get(Section::TaskState);
    assert_eq!(state, "- Last said: 1. raise the pool to 40 connections");
}

#[test]
fn a_file_under_two_paths_is_one_where_only_one_can_be_meant() {
    let read = ("bash", r#"{"command":"cat src/pool.py src/a/mod.py"}"#, "print(1)");
    let edit =
        r#"{"command":"str_replace","path":"/repo/src/pool.py","old_str":"a","new_str":"b"}"#;
    let edit = ("editor", edit, "The file has been edited.");
    let other = r#"{"command":"str_replace","path":"/repo/lib/src/a/mod.py","new_str":"b"}"#;
    let third = r#"{"command":"str_replace","path":"/repo/src/a/mod.py","new_str":"b"}"#;
    let done = "The file has been edited.";
    let calls = [read, edit, edit, ("editor", other, done), ("editor", third, done)];
    let summary = summary(&calls);
    let trail = summary.get(Section::ArtifactTrail);
    assert!(trail.contains("- src/pool.py: edited ×2"), "{trail}");
    assert!(!trail.contains("/repo/src/pool.py"), "{trail}");
    assert!(trail.contains("- /repo/src/a/mod.py: edited"), "{trail}");
    assert!(trail.contains("- /repo/lib/src/a/mod.py: edited"), "{trail}");
}

/// Codex names the changed files in a patch, and adds times to outputs.
#[test]
fn a_patch_is_named_by_its_files_and_results_stand_without_times() {
    let patch = "*** Begin Patch\n*** Update File: src/pool.py\n@@\n-a\n+b\n*** Add File: src/new.py\n+c\n*** End Patch";
    let updated = r#"{"output":"Success. Updated the following files:\nM src/pool.py\n","metadata":{"exit_code":0,"duration_seconds":0.1}}"#;
    let ran = "Chunk ID: 5b3f0f\nWall time: 0.3 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\n40 OK\n";
    let shell = "Output: 12 rows are left over\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 52790";
    let summary = summary(&[
        ("apply_patch", patch, updated),
        ("exec_command", r#"{"cmd":"python check.py"}"#, ran),
        ("run_shell_command", r#"{"command":"python count.py"}"#, shell),
    ]);
    let actions = summary.get(Section::RecentActions);
    assert!(actions.contains("apply_patch src/pool.py, src/new.py -> Success."), "{actions}");
    assert!(actions.contains("python check.py -> 40 OK"), "{actions}");
    assert!(actions.ends_with("-> Output: 12 rows are left over"), "{actions}");
    for noise in ["Chunk", "PIDs", "PGID", "metadata", "Begin Patch"] {
        assert!(!actions.contains(noise), "{actions}");
    }
}

#[test]
fn a_line_that_a_change_took_away_is_no_fact() {
    let shown = "def pool():\n    limit = max_connections(default=40)\n    return limit";
    let read = ("bash", r#"{"command":"python show.py"}"#, shown);
    let edit = r#"{"command":"str_replace","path":"src/pool.py","old_str":"    limit = max_connections(default=40)","new_str":"    limit = min_connections(default=64)"}"#;
    let back = r#"{"command":"str_replace","path":"src/pool.py","old_str":"    limit = min_connections(default=64)","new_str":"    limit = max_connections(default=40)"}"#;
    let done = "The file has been edited.";
    let knows = |calls: &[_], fact: &str| summary(calls).get(Section::KeyKnowledge).contains(fact);
    let (old, new) = ("max_connections(default=40)", "min_connections(default=64)");
    assert!(knows(&[read], old));
    assert!(!knows(&[read, ("editor", edit, done)], old));
    assert!(knows(&[read, ("editor", edit, done)], new));
    assert!(knows(&[read, ("editor", edit, "ERROR:\nNo replacement was performed")], old));
    assert!(knows(&[read, ("editor", edit, done), ("editor", back, done)], old));
}

#[test]
fn a_failure_that_the_user_has_answered_is_not_open() {
    let refund = r#"{"order":"LM-20417","amount":149}"#;
    let mut messages = vec![
        said(0, Role::User, "Refund the lamp."),
        call(1, "call_1", "refund", refund),
        result(2, "call_1", r#"{"error":"above 100 EUR an approval is needed"}"#),
    ];
    let state = |messages: &[TranscriptMessage<'_>]| {
        let summary = summarise(messages, None, 2_000, &tokens);
        summary.get(Section::TaskState).contains("Open: refund")
    };
    assert!(state(&messages));
    messages.push(said(3, Role::Assistant, "It needs an approval. Shall I ask for one?"));
    messages.push(said(4, Role::User, "go on"));
    assert!(state(&messages));
    messages.push(said(5, Role::User, "no, send a replacement from the warehouse instead"));
    assert!(!state(&messages));
}
