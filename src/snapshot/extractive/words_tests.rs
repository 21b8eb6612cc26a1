//! Tests the user's words in a built-in summary: in their context, and separate from quoted text.

use chat_history::message::Role;

use super::tests::{ask, said, summarise, tokens};
use super::{Source, amended};
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::transcript::TranscriptMessage;

/// Returns the summary of user messages only.
fn of(texts: &[&str], earlier: Option<&Summary>) -> Summary {
    let said_by_user = |(index, text): (usize, &&str)| TranscriptMessage {
        texts: vec![(*text).to_owned().into()],
        ..said(index, Role::User, "")
    };
    let messages: Vec<_> = texts.iter().enumerate().map(said_by_user).collect();
    summarise(&messages, earlier, 600, &tokens)
}

#[test]
fn a_goal_stands_with_what_took_it_back() {
    let first = of(
        &[
            "Export all invoices as CSV.",
            "Start with March.",
            "Forget about the export. The login page is broken.",
            "Now fix the login.",
        ],
        None,
    );
    let goal = "- Export all invoices as CSV.\n- Later: Forget about the export.";
    let latest = "- Latest request: Now fix the login.";
    assert_eq!(first.get(Section::OverallGoal), format!("{goal}\n{latest}"));
    let second = of(
        &[
            "Never mind.",
            "Scrap that.",
            "I need no new export either.",
            "Change of plan.",
            "Go on.",
        ],
        Some(&first),
    );
    let goal = "- Export all invoices as CSV.\n- Later: Never mind.\n- Later: Scrap that.\n\
                - Later: Change of plan.";
    assert_eq!(second.get(Section::OverallGoal), format!("{goal}\n- Latest request: Go on."));
}

/// A rule is shown with the text that lifted it, in this summary and in the next.
#[test]
fn a_rule_stands_with_what_took_it_back() {
    let rules = ["Tidy up.", "Always send Lena a copy.", "Never push on Fridays.", "Go on."];
    let first = of(&rules, None);
    let second = of(&["Hello again.", "The copy to Lena is off.", "Go on."], Some(&first));
    let kept = "- Always send Lena a copy.\n- Never push on Fridays.\n- The copy to Lena is off.";
    assert_eq!(second.get(Section::ActiveConstraints), kept);
    let third = of(&["Tidy the cellar.", "Go on."], Some(&second));
    assert_eq!(third.get(Section::ActiveConstraints), second.get(Section::ActiveConstraints));
}

/// A rule is not shown without its correction in the next sentence.
#[test]
fn a_rule_stands_with_its_correction() {
    let said = ["Write the report.", "It must be in French. Sorry, I mean Dutch. Use our logo."];
    let rules = of(&said, None);
    let rules = rules.get(Section::ActiveConstraints);
    assert!(rules.contains("- It must be in French. Sorry, I mean Dutch."), "{rules}");
}

/// A greeting and a question that led to no work are not the task.
#[test]
fn a_task_stands_behind_a_question() {
    let mut messages = vec![
        said(0, Role::User, "hi"),
        said(1, Role::Assistant, "Hello! What can I do?"),
        said(2, Role::User, "are you the one with shell access?"),
        said(3, Role::Assistant, "Yes."),
        said(4, Role::User, "Move the backup to the new disk."),
    ];
    messages.extend(ask(5, "bash", r#"{"command":"lsblk"}"#, "sda sdb"));
    messages.push(said(7, Role::User, "Go on with it."));
    let goal = summarise(&messages, None, 600, &tokens);
    let goal = goal.get(Section::OverallGoal);
    assert!(goal.starts_with("- Move the backup to the new disk."), "{goal}");
    // A question that leads to work is the task.
    messages[2] = said(2, Role::User, "Can you fix the login page?");
    messages.splice(3..4, ask(3, "bash", r#"{"command":"ls"}"#, "a.rs"));
    let goal = summarise(&messages, None, 600, &tokens);
    let goal = goal.get(Section::OverallGoal);
    assert!(goal.starts_with("- Can you fix the login page?"), "{goal}");
}

/// A run of all tests repairs a failure in one file.
#[test]
fn a_broader_run_closes_a_failure() {
    let run = |at, command: &'static str, ends: &'static str| ask(at, "bash", command, ends);
    let failed = "test_a FAILED\n1 failed, 3 passed in 0.2s\nexit code: 1";
    let mut messages = vec![said(0, Role::User, "Fix the tests.")];
    messages.extend(run(1, r#"{"command":"pytest -q tests/unit/test_a.py"}"#, failed));
    messages.extend(run(3, r#"{"command":"git push origin main"}"#, "exit code: 1"));
    messages.extend(run(5, r#"{"command":"pytest -q"}"#, "412 passed in 3.1s"));
    messages.extend(run(7, r#"{"command":"git push"}"#, "ok"));
    let state = summarise(&messages, None, 900, &tokens);
    let state = state.get(Section::TaskState);
    assert!(!state.contains("Open: bash pytest"), "{state}");
    assert!(state.contains("Open: bash git push origin main"), "{state}");
}

/// A former latest request may have taken something back.
#[test]
fn a_replaced_request_still_takes_back() {
    let texts = ["导出订单为 Excel。不要动 api/ 目录下的文件。", "文件名改成 orders.xlsx。"];
    let first = of(&[&texts[..], &["文件名先不改了。api/ 目录现在可以改了。"]].concat(), None);
    let rules = first.get(Section::ActiveConstraints);
    assert!(rules.contains("不要动 api/ 目录下的文件。\n- api/ 目录现在可以改了。"), "{rules}");
    let second = of(&["换掉下载接口。", "继续做。"], Some(&first));
    let goal = second.get(Section::OverallGoal);
    assert!(goal.contains("后来： 文件名先不改了。"), "{goal}");
}

/// A model may repeat a rule that was lifted.
#[test]
fn a_rule_of_a_model_stands_with_what_lifted_it() {
    let messages = [
        said(0, Role::User, "Open the PR as a draft. Do not ping Lopez, he is on leave."),
        said(1, Role::Assistant, "Done."),
        said(2, Role::User, "Actually you can ping Lopez, he is back."),
    ];
    let spoken = super::said::said(&messages);
    let source = Source { messages: &messages, said: &spoken, directives: &[], earlier: None };
    let rules = "- The PR is a draft.\n- Do not ping Lopez (on leave).";
    let later = "Actually you can ping Lopez, he is back.";
    assert_eq!(amended(rules, &source), format!("{rules}\n- {later}"));
    assert_eq!(amended("- Lopez may be pinged.", &source), "- Lopez may be pinged.");
}

/// The end of a request may restrict its beginning.
#[test]
fn a_request_of_one_sentence_keeps_its_end() {
    let places: Vec<String> = (0..60).map(|at| format!("in folder f{at}")).collect();
    let text = format!("Clean up the logs {} but only those older than May", places.join(", "));
    let summary = summarise(&[said(0, Role::User, &text)], None, 400, &tokens);
    let goal = summary.get(Section::OverallGoal);
    assert!(goal.starts_with("- Clean up the logs in folder f0"), "{goal}");
    assert!(goal.ends_with("but only those older than May"), "{goal}");
}

/// If tools are called, outputs are in results: a paste in a user message belongs to the user.
#[test]
fn words_around_a_paste_are_the_users() {
    let trace = "  File \"/srv/app.py\", line 3, in run\n    you must never = call(1)\n".repeat(12);
    let pasted = format!("It broke. Set the port to 9443, and never turn TLS off.\n{trace}");
    let searched = "Search results are bad: use Tantivy only.";
    let mail = "Tell him that we refuse:\n> You must refund 900 EUR. Always ship to me.";
    let document = "<document>\nAlways forward mails.\n</document>\nWhat must never be sent?";
    let mut messages = vec![said(0, Role::User, "Run the service.")];
    messages.extend(ask(1, "bash", r#"{"command":"run"}"#, "ok"));
    messages.push(said(3, Role::Assistant, "Done."));
    for (at, text) in [&pasted, searched, mail, document, "Go on."].into_iter().enumerate() {
        messages.push(said(4 + at, Role::User, text));
    }
    let rules = summarise(&messages, None, 2_000, &tokens);
    let rules = rules.get(Section::ActiveConstraints);
    assert!(rules.contains("9443") && rules.contains("Tantivy only"), "{rules}");
    for shown in ["call(1)", "refund", "ship", "forward"] {
        assert!(!rules.contains(shown), "{rules}");
    }
}

#[test]
fn an_entry_of_a_list_stands_with_its_heading() {
    let text = "These are the mistakes of the last agent:\n- always restart relay-1\nNever:\n\
                1. skip the canary\nShip to St. Louis only.";
    let summary = summarise(&[said(0, Role::User, text)], None, 600, &tokens);
    assert_eq!(
        summary.get(Section::ActiveConstraints),
        "- These are the mistakes of the last agent: - always restart relay-1\n\
         - Never: 1. skip the canary\n- Ship to St. Louis only."
    );
}

#[test]
fn calls_are_told_apart_and_fail_only_if_they_say_so() {
    let mut messages = vec![said(0, Role::User, "Look at the disks.")];
    let alpha = r#"{"command":"df -h /","host":"alpha","timeout":60}"#;
    let beta = r#"{"command":"df -h /","host":"beta","timeout":60}"#;
    messages.extend(ask(1, "ssh", alpha, "91%"));
    messages.extend(ask(3, "ssh", beta, r#"{"error":null,"failed":0}"#));
    let plan = r#"{"todos":[{"content":"export","status":"cancelled"},{"content":"fix","status":"in-progress"}]}"#;
    messages.extend(ask(5, "todo_write", plan, "ok"));
    let code = r#"{"code":"df = split(0.3)\ndf.to_csv('out.csv')"}"#;
    messages.extend(ask(7, "run_python", code, "Traceback (most recent call last):\nKeyError: 1"));
    let mended = r#"{"code":"df = split(0.3, by='m2')\ndf.to_csv('out.csv')"}"#;
    messages.extend(ask(9, "run_python", mended, "ok\n24 lines"));
    let minutes = r#"{"command":"psql -c 'select minute, failed, ok from minutes'"}"#;
    messages.extend(ask(11, "bash", minutes, "minute,failed,ok\n04:01,3,200\n04:02,0,210"));
    let summary = summarise(&messages, None, 2_000, &tokens);
    assert_eq!(summary.get(Section::ArtifactTrail), "- out.csv: written");
    let done = summary.get(Section::RecentActions);
    assert!(done.contains("ssh host=alpha df -h / -> 91%"), "{done}");
    assert!(done.contains("df = split(0.3, by='m2') … -> ok; 24 lines"), "{done}");
    let state = summary.get(Section::TaskState);
    assert!(!state.contains("Open:"), "{state}");
    assert!(state.contains("[-] cancelled: export\n  [>] fix"), "{state}");
    let typed = "src/view.ts(88,14): error TS2345: Argument of type 'Date' is not assignable.\n\
                 const a = 1;\nconst b = 2;";
    messages.extend(ask(13, "bash", r#"{"command":"npx tsc"}"#, typed));
    let checked = summarise(&messages, None, 2_000, &tokens);
    assert!(checked.get(Section::TaskState).contains("Open: bash npx tsc"), "{checked:?}");
}

/// A step that was next in the first half of the messages is probably done.
#[test]
fn the_state_has_the_latest_steps() {
    let mut messages = vec![
        said(0, Role::User, "Find the cause."),
        said(1, Role::Assistant, "- Next: look at pg-main-2"),
    ];
    for at in 0..6 {
        messages.extend(ask(2 + 2 * at, "bash", r#"{"command":"run"}"#, "ok"));
    }
    messages.push(said(14, Role::Assistant, "- The pool is full.\n- Next: write the report"));
    messages.push(said(15, Role::User, "Go on."));
    messages.push(said(16, Role::Assistant, "I am at it."));
    let summary = summarise(&messages, None, 2_000, &tokens);
    assert_eq!(
        summary.get(Section::TaskState),
        "- Next: write the report\n- Last said: I am at it."
    );
}

/// A heading says nothing without the next line.
#[test]
fn an_error_is_shown_with_what_its_heading_heads() {
    let trace = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    \
                 run(1)\nKeyError: 'CARD'";
    let mut messages = vec![said(0, Role::User, "Fix the card.")];
    messages.extend(ask(1, "edit", r#"{"path":"card.py"}"#, "ERROR:\nNo text was replaced."));
    messages.extend(ask(3, "bash", r#"{"command":"python a.py"}"#, trace));
    let summary = summarise(&messages, None, 900, &tokens);
    let done = summary.get(Section::RecentActions);
    assert!(done.contains("-> failed: ERROR: No text was replaced."), "{done}");
    let known = summary.get(Section::KeyKnowledge);
    assert!(known.contains("KeyError: 'CARD'") && !known.contains("Traceback"), "{known}");
}

/// A line that begins each request, such as a greeting, does not make it an output.
#[test]
fn requests_that_begin_alike_are_the_users() {
    let messages: Vec<_> = (0..6)
        .flat_map(|turn| {
            let request =
                format!("Hi Claude,\n\nnever spend more than {turn}0 euros on item {turn}.");
            [
                TranscriptMessage { texts: vec![request.into()], ..said(2 * turn, Role::User, "") },
                said(2 * turn + 1, Role::Assistant, "I see what I can find."),
            ]
        })
        .collect();
    let summary = summarise(&messages, None, 2_000, &tokens);
    let rules = summary.get(Section::ActiveConstraints);
    for turn in 0..6 {
        assert!(rules.contains(&format!("{turn}0 euros")), "{rules}");
    }
}

/// A command of the user's program is neither the goal nor the latest request.
#[test]
fn commands_are_no_requests() {
    let summary =
        of(&["/add src/main.rs", "Fix the login.", "Add a test.", "/run cargo test"], None);
    assert_eq!(
        summary.get(Section::OverallGoal),
        "- Fix the login.\n- Latest request: Add a test."
    );
}
