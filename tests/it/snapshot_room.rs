//! The room of a snapshot: what a target leaves, filled from the messages as they were.

use serde_json::{Value, json};

use crate::app::{Offloaded, TestApp, split};
use crate::history::{array, call, result};

/// Turns in which the agent uses one line of each large result.
fn turns(rule: &str, count: usize) -> Vec<String> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are an engineer."}),
        json!({"role": "user", "content": format!("Find the slow parts. {rule}")}),
    ];
    for n in 0..count {
        let id = format!("call_{n}");
        let call = json!({"id": id, "type": "function", "function": {
            "name": "read_log", "arguments": json!({"path": format!("logs/part_{n}.log")}).to_string()}});
        let line = |at: usize| match at {
            150 => format!("worker_{n} waits for lock_{}", n * 37),
            _ => format!("entry {at} of the log says nothing that matters to anybody at all"),
        };
        let log: Vec<String> = (0..300).map(line).collect();
        messages.extend([
            json!({"role": "assistant", "content": format!("I read part {n}."), "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": id, "content": log.join("\n")}),
            json!({"role": "assistant", "content": format!(
                "I found that part {n} waits for lock_{}, which costs {} ms in each round.", n * 37, 1_200 + n)}),
        ]);
    }
    messages.push(json!({"role": "user", "content": "Go on."}));
    messages.iter().map(Value::to_string).collect()
}

fn offload(app: &TestApp, messages: &[String], mode: &str, target: u64) -> Offloaded {
    app.offload(&array(messages), &json!({"context_manage_mode": mode, "target_tokens": target}))
}

fn system(after: &Offloaded) -> String {
    let messages: Value = serde_json::from_str(&after.messages).unwrap();
    messages[0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_snapshot_fills_the_room_from_the_originals() {
    for mode in ["auto", "compress"] {
        let app = TestApp::new();
        let after = offload(&app, &turns("Never restart the database.", 30), mode, 5_000);
        let left = after.report()["tokens_after"].as_u64().unwrap();
        assert!((2_000..=5_000).contains(&left), "{mode}: {left}");
        let text = system(&after);
        // In the middle of a long result, and used afterwards.
        assert!(text.contains("waits for lock_740"), "{mode}: {text}");
        assert!(text.contains("- Never restart the database."), "{mode}: {text}");
        assert!(!text.contains("detailed result is stored"), "{mode}: {text}");
        let search = "grep(pattern=\"…\", path=\"/workspace/store/compressed_group_";
        assert!(text.contains(search), "{mode}: {text}");
        let sent = split(&after.messages);
        assert_eq!(split(&offload(&app, &sent, mode, 5_000).messages), sent, "{mode}");
    }
}

#[test]
fn where_a_target_is_missed_the_users_words_stay() {
    let app = TestApp::new();
    let mut messages = turns("Never restart the database. Only read logs.", 12);
    messages[0] =
        json!({"role": "system", "content": "You are an engineer. ".repeat(300)}).to_string();
    let after = offload(&app, &messages, "compress", 1_000);
    let left = after.report()["tokens_after"].as_u64().unwrap();
    let warnings = after.warnings();
    assert!(
        warnings.contains(&format!("{left} tokens remain, {} too many: ", left - 1_000)),
        "{warnings}"
    );
    // All that remains is named by what it is.
    let (_, parts) = warnings.split_once("too many: ").unwrap();
    let parts = parts.split('"').next().unwrap();
    let number = |part: &str| part.split(' ').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(parts.split(", ").map(number).sum::<u64>(), left, "{warnings}");
    for part in ["in tools and system messages", "in snapshots", "in the newest messages"] {
        assert!(parts.contains(part), "{part}: {warnings}");
    }
    let text = system(&after);
    assert!(
        text.contains("Find the slow parts. Never restart the database. Only read logs."),
        "{text}"
    );
}

/// A message of `count` words that look random and are the same in every run.
fn said(role: &str, seed: usize, count: usize) -> String {
    const WORDS: [&str; 12] = [
        "alpha", "server", "deploy", "config", "table", "index", "cache", "branch", "release",
        "metric", "backup", "schema",
    ];
    let words = (0..count).map(|n| WORDS[(seed * 7 + n * n + n / 3) % WORDS.len()]);
    json!({"role": role, "content": words.collect::<Vec<_>>().join(" ")}).to_string()
}

/// However little a system prompt leaves of the target, and whatever a pass must free.
#[test]
fn the_users_words_stay_in_a_small_room() {
    let rule = "Find the fault in the build. Never touch the folder legacy/.";
    for (sentences, least) in [(700, 0), (720, 0), (740, 0), (760, 0), (560, 700)] {
        let app = TestApp::new();
        let prompt = "You are an engineer. ".repeat(sentences);
        let mut messages = vec![
            json!({"role": "system", "content": prompt}).to_string(),
            json!({"role": "user", "content": rule}).to_string(),
        ];
        for n in 0..24 {
            let id = format!("call_{n}");
            let log = format!("entry {n}: {}", "the queue is full; ".repeat(10));
            messages.extend([call(&id, "read_log", &json!({"part": n})), result(&id, &log)]);
        }
        let settings = json!({"target_tokens": 4_000, "min_savings_tokens": least});
        let after = app.offload(&array(&messages), &settings);
        assert!(
            after.report()["snapshot"].is_object(),
            "{sentences} {least}: {}",
            after.warnings()
        );
        assert!(after.messages.contains(rule), "{sentences} {least}: {}", after.messages);
    }
}

/// A snapshot brings lines and messages with it, and a target holds for these, too: also where
/// the whole history is posted, and a snapshot of an earlier post serves again.
#[test]
fn a_target_holds_in_every_turn_of_a_chat() {
    for (prompt, target) in [(true, 2_000), (true, 2_500), (false, 2_000), (false, 3_000)] {
        let (app, other) = (TestApp::new(), TestApp::new());
        let mut whole: Vec<String> = Vec::from_iter(prompt.then(|| said("system", 1, 40)));
        let mut sent = whole.clone();
        let mut reused = 0;
        for turn in 0..60 {
            let more = [
                said("user", turn, 5 + turn * 13 % 70),
                said("assistant", turn + 99, 10 + turn * 29 % 150),
            ];
            whole.extend(more.clone());
            sent.extend(more);
            let of_whole = offload(&app, &whole, "auto", target);
            let of_sent = offload(&other, &sent, "auto", target);
            sent = split(&of_sent.messages);
            for after in [&of_whole, &of_sent] {
                let left = after.report()["tokens_after"].as_u64().unwrap();
                assert!(left <= target, "{prompt} {target} turn {turn}: {}", after.warnings());
            }
            reused += u64::from(of_whole.report()["snapshot"]["reused"] == true);
        }
        assert!(reused > 5, "{prompt} {target}: {reused}");
    }
}

/// A snapshot cites a message by its number in the whole history, whatever a client goes on with.
#[test]
fn messages_keep_their_numbers() {
    let (app, target) = (TestApp::new(), 5_000);
    let all = turns("Never restart the database.", 40);
    let (begin, rest) = all.split_at(92);
    let mut sent = split(&offload(&app, begin, "auto", target).messages);
    let gone = begin.len() - sent.len();
    assert!(gone > 20, "{gone}");
    sent.extend_from_slice(rest);
    let text = system(&offload(&app, &sent, "auto", target));
    let mut cited = Vec::new();
    for line in text.split("[#").skip(1) {
        let line = line.split(['<', '\n']).take(2).collect::<Vec<_>>().join(" ");
        let number = |text: &str| -> Option<usize> {
            text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        let at = number(&line).unwrap();
        // Each part has three messages, and a lock of its own.
        if let Some(lock) = line.split_once("lock_").and_then(|(_, lock)| number(lock)) {
            assert_eq!((at - 2) / 3, lock / 37, "{line}");
            cited.push(at);
        }
    }
    assert!(cited.iter().any(|at| *at < gone), "{gone} {cited:?}");
    assert!(cited.iter().any(|at| *at > sent.len()), "{} {cited:?}", sent.len());
}

/// A snapshot that grew turn by turn says as much as one that is made at once, whether the client
/// posts its whole history or goes on with what came back.
#[test]
fn a_snapshot_that_grew_is_made_of_all_messages() {
    let found = |text: &str| (0..24).filter(|n| text.contains(&format!("lock_{}", n * 37))).count();
    let messages = turns("Never restart the database.", 24);
    let at_once = offload(&TestApp::new(), &messages, "auto", 4_000);
    let at_once = found(&system(&at_once));
    for keeps in [true, false] {
        let app = TestApp::new();
        let (mut sent, mut last) = (Vec::new(), None);
        for (at, message) in messages.iter().enumerate() {
            sent.push(message.clone());
            // The agent is asked again after each result.
            if at % 3 == 0 || at + 1 == messages.len() {
                let after = offload(&app, &sent, "auto", 4_000);
                if keeps {
                    sent = split(&after.messages);
                }
                last = Some(after);
            }
        }
        let grown = found(&system(&last.unwrap()));
        assert!(grown * 10 >= at_once * 9, "{keeps}: {grown} of {at_once}");
    }
}
