//! Compression: older messages become a snapshot, nothing is lost, and what was
//! written once serves again.

use serde_json::{Value, json};

use crate::app::{Offloaded, TestApp, split};
use crate::history::array;
use crate::properties_compression::compressed;

/// A history of `turns` turns: an order, a call, a result, a word about it.
fn history(turns: usize) -> Vec<String> {
    let mut messages =
        vec![json!({"role": "system", "content": "You are an engineer."}).to_string()];
    for n in 0..turns {
        let id = format!("call_{n}");
        let call = json!({"id": id, "type": "function", "function": {
            "name": "bash", "arguments": json!({"command": format!("cargo test part_{n}")}).to_string()}});
        let log: Vec<String> = (0..12)
            .map(|line| format!("test part_{n}::case_{line} ... ok in {} ms", 1000 + n * 12 + line))
            .collect();
        messages.extend([
            json!({"role": "user", "content": format!("Please test part_{n}. Never touch src/part_{n}.rs.")}),
            json!({"role": "assistant", "content": format!("I test part_{n}."), "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": id, "content": log.join("\n")}),
            json!({"role": "assistant", "content": format!("part_{n} passes; the next is part_{}.", n + 1)}),
        ].map(|message| message.to_string()));
    }
    messages
}

const BRIDGE: &str = r#"{"role":"user","content":"(The messages before this one are summarised in the system prompt.)"}"#;

fn compress(app: &TestApp, messages: &str, more: &Value) -> Offloaded {
    let mut settings = json!({"context_manage_mode": "compress", "max_total_tokens": 500});
    for (name, value) in more.as_object().into_iter().flatten() {
        settings[name] = value.clone();
    }
    app.offload(messages, &settings)
}

fn system(after: &Offloaded) -> String {
    let messages: Value = serde_json::from_str(&after.messages).unwrap();
    messages[0]["content"].as_str().unwrap().to_owned()
}

#[test]
fn older_messages_become_a_snapshot_and_come_back() {
    let app = TestApp::new();
    let before = array(&history(40));
    let after = compress(&app, &before, &json!({"chat_id": "research 1"}));
    assert_eq!(after.report()["outcome"], "compressed");
    assert_eq!(split(&after.messages)[1], BRIDGE, "the user speaks first");
    assert_eq!(split(&after.messages)[2..], history(40)[158..]);
    let text = system(&after);
    assert!(text.starts_with("You are an engineer.\n\n<state_snapshot>\n"));
    let path = "/workspace/store/compressed_group_research_1_0.json";
    assert!(text.ends_with(&format!("\n(Original 157 messages are stored in: {path})")), "{text}");
    let back = app.rehydrate(&after.messages);
    assert_eq!(split(&back.messages), history(40));
    // Once is enough: nothing new, and the same bytes.
    let files = app.files();
    assert_eq!(compress(&app, &after.messages, &json!({})).messages, after.messages);
    assert_eq!(
        compress(&app.again(), &before, &json!({"chat_id": "research 1"})).messages,
        after.messages
    );
    assert_eq!(app.files(), files);
}

/// A history whose results are large enough to move.
fn large(turns: std::ops::Range<usize>) -> Vec<String> {
    let mut messages = Vec::new();
    for n in turns {
        let id = format!("call_{n}");
        let call = json!({"id": id, "name": "read_page", "arguments": {"url": format!("https://example.org/{n}")}});
        let page: Vec<String> = (0..40)
            .map(|line| format!("page {n} line {line}: the value is {}", n * 7919 + line))
            .collect();
        messages.extend(
            [
                json!({"role": "user", "content": format!("What does page {n} say?")}),
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": id, "content": page.join("\n")}),
                json!({"role": "assistant", "content": format!("Page {n} lists values.")}),
            ]
            .map(|message| message.to_string()),
        );
    }
    messages
}

/// True for files that hold a part of the history: a list of files holds what the
/// one before it held, and kept snapshots are the service's own.
fn told(name: &str) -> bool {
    !name.contains("/.") && !name.contains("compressed_files_")
}

/// Every stored file that can be found from a text, through the files it names.
fn reachable(app: &TestApp, text: &str) -> std::collections::BTreeSet<String> {
    let files: std::collections::HashMap<String, String> = app
        .files()
        .into_iter()
        .map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap()))
        .collect();
    let mut found = std::collections::BTreeSet::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        // A run of group files counts as each of them.
        for (name, content) in &files {
            let path = format!("/workspace/{name}");
            let in_run = name.strip_prefix("store/compressed_group_c_").is_some_and(|rest| {
                let n: u64 = rest.trim_end_matches(".json").parse().unwrap();
                text.split("compressed_group_c_{").skip(1).any(|run| {
                    let (from, to) = run.split_once('}').unwrap().0.split_once("..").unwrap();
                    (from.parse().unwrap()..=to.parse::<u64>().unwrap()).contains(&n)
                })
            });
            if (text.contains(&path) || in_run) && found.insert(name.clone()) {
                open.push(content.clone());
            }
        }
    }
    found
}

#[test]
fn after_many_compressions_every_file_is_reachable_and_every_message_comes_back() {
    let app = TestApp::new();
    let settings = json!({"chat_id": "c", "compact_ratio_threshold": 0.0,
        "keep_recent_count": 2, "max_total_tokens": 2_000, "max_tool_message_tokens": 200});
    let mut whole = vec![json!({"role": "system", "content": "be brief"}).to_string()];
    let mut now = whole.clone();
    for round in 0..9 {
        let more = large(round * 30..(round + 1) * 30);
        whole.extend(more.clone());
        now.extend(more);
        let after = app.offload(&array(&now), &settings);
        assert_eq!(after.report()["outcome"], "compacted_and_compressed", "{}", after.warnings());
        now = split(&after.messages);
        assert!(now.len() <= 8);
        let stored: Vec<String> =
            app.files().into_iter().map(|(name, _)| name).filter(|n| told(n)).collect();
        let found = reachable(&app, &after.messages).into_iter();
        assert_eq!(found.filter(|n| told(n)).collect::<Vec<_>>(), stored);
        let text = system(&after);
        assert_eq!(text.matches("<state_snapshot>").count(), 1, "merged, not stacked");
        assert!(app.count(&after.messages).iter().sum::<u64>() < 10_000, "bounded");
    }
    let back = app.rehydrate(&array(&now));
    assert_eq!(split(&back.messages), whole);
    assert_eq!(back.json["metadata"]["messages_restored"], 9 * 120 - 3);
}

#[test]
fn a_history_that_grows_keeps_its_snapshot_until_the_tail_is_large() {
    let app = TestApp::new();
    let whole = history(60);
    let more = json!({"max_total_tokens": 3_000, "keep_recent_count": 2});
    let first = compress(&app, &array(&whole[..161]), &more);
    assert_eq!(first.report()["outcome"], "compressed");
    // Two turns more: the snapshot is the same to the byte.
    let second = compress(&app, &array(&whole[..169]), &more);
    assert_eq!(second.report()["snapshot"]["reused"], true);
    assert_eq!(system(&second), system(&first));
    assert_eq!(split(&second.messages)[2..], whole[158..169]);
    // Twenty turns more: merged into one, and the next file is counted on.
    let third = compress(&app, &array(&whole), &more);
    assert_eq!(third.report()["snapshot"]["reused"], false);
    let text = system(&third);
    assert_eq!(text.matches("<state_snapshot>").count(), 1);
    assert!(
        text.contains("_0.json)\n(Original 80 messages") && text.ends_with("_1.json)"),
        "{text}"
    );
    assert_eq!(split(&app.rehydrate(&third.messages).messages), whole);
}

#[test]
fn groups_end_where_a_turn_ends() {
    let app = TestApp::new();
    let whole = history(20);
    let after = compress(&app, &array(&whole), &json!({"group_token_threshold": 1_000}));
    let groups = after.report()["snapshot"]["groups"].as_array().unwrap().clone();
    assert!(groups.len() > 3, "{groups:?}");
    for group in &groups {
        let path = group["path"].as_str().unwrap();
        let read = app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
        let held: Vec<Value> = serde_json::from_str(read["answer"].as_str().unwrap()).unwrap();
        let calls = held.iter().filter(|m| !m["tool_calls"].is_null()).count();
        let results = held.iter().filter(|m| m["role"] == "tool").count();
        assert_eq!(calls, results);
        assert_ne!(held[0]["role"], "tool");
    }
    assert_eq!(system(&after).matches("<state_snapshot>").count(), groups.len());
    assert_eq!(split(&app.rehydrate(&after.messages).messages), whole);
}

/// An agent in a loop says the same again and again. A file that two snapshots name
/// comes back once, for it may be one snapshot copied: equal groups have a file each.
#[test]
fn equal_groups_come_back_each() {
    let app = TestApp::new();
    let set = json!({"group_token_threshold": 800});
    let log: Vec<String> = (0..80).map(|l| format!("case_{l} ... FAILED in {l} ms")).collect();
    let turn = [
        json!({"role": "user", "content": "Run the tests again."}).to_string(),
        json!({"role": "assistant", "content": log.join("\n")}).to_string(),
    ];
    let looped = |times: usize| turn.iter().cycle().take(2 * times).cloned();
    let mut whole: Vec<String> = history(0).into_iter().chain(looped(8)).collect();
    let mut after = compress(&app, &array(&whole), &set);
    for _ in 0..3 {
        let groups = after.report()["snapshot"]["groups"].as_array().unwrap().clone();
        assert!(groups.len() > 3, "{groups:?}");
        let text = system(&after);
        let paths: std::collections::BTreeSet<_> =
            groups.iter().map(|g| g["path"].as_str()).collect();
        assert_eq!(paths.len(), groups.len(), "{text}");
        assert_eq!(split(&app.rehydrate(&after.messages).messages), whole);
        let again = compress(&app.again(), &after.messages, &set);
        assert_eq!(again.messages, after.messages);
        // The loop goes on, after what is compressed already.
        let grown: Vec<String> = split(&after.messages).into_iter().chain(looped(8)).collect();
        whole.extend(looped(8));
        after = compress(&app, &array(&grown), &set);
    }
}

#[test]
fn system_messages_in_between_stay_and_find_their_place_again() {
    let app = TestApp::new();
    let mut whole = history(20);
    for at in [60, 30, 7] {
        whole.insert(at, json!({"role": "developer", "content": format!("rule {at}")}).to_string());
    }
    // Without a leading system message, the snapshot gets one of its own.
    for messages in [whole.clone(), whole[1..].to_vec()] {
        let after = compress(&app, &array(&messages), &json!({}));
        assert_eq!(after.report()["outcome"], "compressed");
        let kept = split(&after.messages);
        assert!(kept.iter().filter(|m| m.contains("developer")).count() == 3);
        assert_eq!(split(&app.rehydrate(&after.messages).messages), messages);
    }
}

/// A framework may append what the system has to say, as a reminder at the end.
#[test]
fn a_late_system_message_does_not_take_the_snapshot_behind_newer_messages() {
    let app = TestApp::new();
    for role in ["system", "developer"] {
        let mut whole = history(20)[1..].to_vec();
        whole.push(json!({"role": role, "content": "Answer in French."}).to_string());
        let after = compress(&app, &array(&whole), &json!({}));
        assert!(system(&after).starts_with("<state_snapshot>\n"), "{}", after.messages);
        assert_eq!(split(&after.messages).last(), whole.last());
        assert_eq!(split(&app.rehydrate(&after.messages).messages), whole);
        let again = compress(&app, &after.messages, &json!({}));
        assert_eq!(again.messages, after.messages);
    }
}

#[test]
fn a_history_without_a_system_message_gets_one_and_loses_it_again() {
    let app = TestApp::new();
    let whole = history(20)[1..].to_vec();
    let after = compress(&app, &array(&whole), &json!({}));
    let first: Value = serde_json::from_str(&split(&after.messages)[0]).unwrap();
    assert_eq!(first["role"], "system");
    assert!(first["content"].as_str().unwrap().starts_with("<state_snapshot>\n"));
    assert_eq!(split(&app.rehydrate(&after.messages).messages), whole);
}

/// A message that only lets the user speak first leaves where what stays begins with the user.
#[test]
fn the_first_change_may_be_the_bridge() {
    let app = TestApp::new();
    let said = |role: &str, n: usize| {
        let text = format!("{role} {n}: {}", "words of this turn ".repeat(40));
        json!({"role": role, "content": [{"type": "text", "text": text}]}).to_string()
    };
    let turns = |from: usize| {
        (from..from + 20).flat_map(|n| [said("user", n), said("assistant", n)]).collect::<Vec<_>>()
    };
    let settings = json!({"format": "anthropic", "system": "Be brief.", "keep_recent_count": 1});
    let first = compress(&app, &array(&turns(0)), &settings);
    let posted = split(&first.messages);
    assert!(posted[0].contains("(The messages before this one"), "{}", posted[0]);
    let mut settings = settings;
    settings["system"] = first.json["system"].clone();
    let mut longer = posted.clone();
    longer.extend(turns(20));
    longer.push(said("user", 40));
    let second = compress(&app, &array(&longer), &settings);
    let left = split(&second.messages);
    assert_ne!(left[0], longer[0], "{left:?}");
    assert_eq!(second.report()["first_changed_index"], 0);
}

#[test]
fn too_little_to_free_is_left_alone() {
    let app = TestApp::new();
    // A huge newest message: what may be compressed is not a tenth of it.
    let mut whole = history(4);
    whole.push(json!({"role": "user", "content": "word ".repeat(20_000)}).to_string());
    let after = compress(&app, &array(&whole), &json!({"keep_recent_count": 1}));
    assert_eq!(after.report()["outcome"], "unchanged");
    assert!(after.warnings().contains("it would free at most"), "{}", after.warnings());
    assert_eq!(app.files(), []);
}

#[test]
fn without_a_tool_to_read_what_is_not_kept_is_lost_and_gated() {
    let app = TestApp::new();
    let whole = array(&history(40));
    let blind = json!({"reload_tools": [], "max_loss": 0.01});
    let after = compress(&app, &whole, &blind);
    assert_eq!(after.report()["outcome"], "unchanged");
    assert!(after.warnings().contains("max_loss"), "{}", after.warnings());
    let after = compress(&app, &whole, &json!({"max_loss": 0.01}));
    assert_eq!(after.report()["retention"]["lost"], 0);
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_be() {
    let app = TestApp::new();
    let whole = array(&history(40));
    let dry = compress(&app, &whole, &json!({"dry_run": true}));
    assert_eq!(app.files(), []);
    assert_eq!(split(&dry.messages), history(40));
    let real = compress(&app, &whole, &json!({}));
    for field in ["outcome", "tokens_after", "messages_after", "first_changed_index", "snapshot"] {
        assert_eq!(dry.report()[field], real.report()[field], "{field}");
    }
}

/// What is newest may be a system message, or nothing at all; what comes next
/// is after the compressed messages.
#[test]
fn a_system_message_after_a_compression_keeps_its_place() {
    for first in [
        json!({"role": "system", "content": "be brief"}),
        json!({"role": "system", "content": null}),
        json!({"role": "system", "content": ""}),
        json!({"role": "user", "content": "hello"}),
    ] {
        let app = TestApp::new();
        let mut whole = vec![first.to_string()];
        let mut now = whole.clone();
        for (round, rule) in [Some("be brief"), None, Some("be briefer")].into_iter().enumerate() {
            let mut more = history(20)[1..].to_vec();
            more.insert(
                30,
                json!({"role": "developer", "content": format!("mid {round}")}).to_string(),
            );
            if let Some(rule) = rule {
                more.insert(0, json!({"role": "system", "content": rule}).to_string());
            }
            whole.extend(more.clone());
            now.extend(more);
            let after = compress(&app, &array(&now), &json!({"keep_recent_count": 0}));
            assert_eq!(after.report()["outcome"], "compressed", "{}", after.warnings());
            now = split(&after.messages);
            assert_eq!(split(&app.rehydrate(&after.messages).messages), whole, "{first} {round}");
        }
    }
}

#[test]
fn a_store_that_is_away_costs_no_reference() {
    let app = TestApp::new();
    let whole = history(60);
    let first = compress(&app, &array(&whole[..161]), &json!({"chat_id": "c"}));
    let (stored, away) = (app.folder().join("store"), app.folder().join("away"));
    std::fs::rename(&stored, &away).unwrap();
    let same =
        compress(&app, &first.messages, &json!({"chat_id": "c", "store_dir": "/workspace/b"}));
    assert_eq!(same.report()["outcome"], "unchanged");
    assert!(same.warnings().contains("of an earlier snapshot cannot be read"));
    let now = [split(&first.messages), whole[161..].to_vec()].concat();
    let later = compress(&app, &array(&now), &json!({"chat_id": "c", "store_dir": "/workspace/b"}));
    assert_eq!(later.report()["outcome"], "compressed");
    assert!(later.warnings().contains("of an earlier snapshot cannot be read"));
    assert_eq!(app.rehydrate(&later.messages).messages, later.messages, "all or nothing");
    std::fs::rename(&away, &stored).unwrap();
    assert_eq!(split(&app.rehydrate(&later.messages).messages), whole);
}

/// What compaction left of a history is judged as the history was, also where it is
/// hardly worth a snapshot: its messages hash to other digits, and digits cost more or
/// fewer tokens by chance.
#[test]
fn the_digits_of_a_hash_decide_nothing() {
    let settings = json!({"context_manage_mode": "auto", "compact_ratio_threshold": 0.0,
                          "max_total_tokens": 100, "max_tool_message_tokens": 100,
                          "keep_recent_count": 1});
    let lines: String = (0..60).map(|n| format!("src/rule_{n}.rs: ok\n")).collect();
    let once_and_twice = |words: usize, task: usize| {
        let history = json!([
            {"role": "user", "content": format!("Port parser {}.", 100 + task)},
            {"role": "assistant", "content": "word ".repeat(words), "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "a", "content": lines},
            {"role": "user", "content": "Go on with this. ".repeat(90)}]);
        let app = TestApp::new();
        let once = app.offload(&history.to_string(), &settings);
        let twice = app.offload(&once.messages, &settings);
        (once, twice)
    };
    let is_worth_it = |words: &usize| compressed(&once_and_twice(*words, 0).0);
    let line = (0..400).find(is_worth_it).unwrap();
    assert!(line > 0);
    for words in line - 4..line + 4 {
        for task in 0..20 {
            let (once, twice) = once_and_twice(words, task);
            assert_eq!(once.messages, twice.messages, "{} {}", once.report(), twice.report());
        }
    }
}

/// Where compression is not worth it, the newest result moves instead: a target that
/// can be met is met at once.
#[test]
fn a_target_is_met_without_a_snapshot_where_one_is_not_worth_it() {
    let log: String = (0..330).map(|n| format!("src/rule_{n}.rs: checked, ok\n")).collect();
    let history = json!([
        {"role": "user", "content": "Check the rules. ".repeat(60)},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "check", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": log}])
    .to_string();
    let app = TestApp::new();
    let settings = json!({"max_total_tokens": 2000, "target_tokens": 3500});
    let once = app.offload(&history, &settings);
    assert!(once.report()["tokens_before"].as_u64().unwrap() > 3_600, "{}", once.report());
    assert!(once.report()["tokens_after"].as_u64().unwrap() <= 3_500, "{}", once.report());
    let twice = app.offload(&once.messages, &settings);
    assert_eq!(twice.messages, once.messages);
    assert_eq!(split(&app.rehydrate(&once.messages).messages), split(&history));
}

/// Results that move for a target make what may be compressed a larger part of what
/// is left: what is hardly worth a snapshot is judged as it will be then, at once.
#[test]
fn what_a_target_moves_makes_no_snapshot_at_the_next_post() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "check", "arguments": "{}"}});
    let result = |id: &str| {
        let log: String = (0..45).map(|n| format!("src/{id}/rule_{n}.rs: ok\n")).collect();
        json!({"role": "tool", "tool_call_id": id, "content": log})
    };
    for words in (0..700).step_by(25) {
        let history = json!([
            {"role": "user", "content": "Check the rules."},
            {"role": "assistant", "content": "word ".repeat(words)},
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b"), call("c")]},
            result("a"), result("b"), result("c")])
        .to_string();
        let app = TestApp::new();
        let before = app.offload(&history, &json!({"dry_run": true}));
        let target = before.report()["tokens_before"].as_u64().unwrap() - 60;
        let settings = json!({"target_tokens": target, "keep_recent_count": 5,
                              "max_tool_message_tokens": 20, "max_total_tokens": 0});
        let once = compress(&app, &history, &settings);
        assert!(once.report()["tokens_after"].as_u64().unwrap() <= target, "{}", once.report());
        let twice = compress(&app, &once.messages, &settings);
        assert_eq!(twice.messages, once.messages, "{words} {} {}", once.report(), twice.report());
    }
}

/// A reference without a note does not say what stood in its place; what the history
/// was is known all the same, and not guessed by the length of the file.
#[test]
fn bare_references_are_judged_by_what_they_were() {
    let settings = json!({"context_manage_mode": "auto", "compact_ratio_threshold": 0.5,
                          "max_total_tokens": 0, "max_tool_message_tokens": 100,
                          "keep_recent_count": 1, "preview_tokens": 0});
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    // About two bytes a token, where most text has four.
    let result = "7;8,9.".repeat(300);
    for words in (0..1_300).step_by(20) {
        let history = json!([
            {"role": "user", "content": "Port the parser."},
            {"role": "assistant", "content": "word ".repeat(words), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "a", "content": result},
            {"role": "user", "content": "Go on."}]);
        let app = TestApp::new();
        let once = app.offload(&history.to_string(), &settings);
        let twice = app.offload(&once.messages, &settings);
        assert_eq!(once.messages, twice.messages, "{} {}", once.report(), twice.report());
    }
}

/// An agent that posts before its tools have run finds their calls where they were: the
/// results would answer nothing.
#[test]
fn calls_that_wait_for_results_are_not_compressed() {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "done"});
    for results in [vec![], vec![result("a")], vec![result("b")]] {
        let app = TestApp::new();
        let mut whole = history(20);
        whole.push(calls.to_string());
        whole.extend(results.iter().map(Value::to_string));
        let kept = results.len() + 1;
        let after = compress(&app, &array(&whole), &json!({"keep_recent_count": 0}));
        assert_eq!(after.report()["outcome"], "compressed", "{}", after.report());
        let now = split(&after.messages);
        assert_eq!(now[1], BRIDGE);
        assert_eq!(now[2..], whole[whole.len() - kept..]);
    }
    let mut whole = history(20);
    whole.extend([calls.to_string(), result("b").to_string(), result("a").to_string()]);
    let app = TestApp::new();
    let after = compress(&app, &array(&whole), &json!({"keep_recent_count": 0}));
    assert_eq!(split(&after.messages).len(), 1, "{}", after.messages);
}

/// A system message stays, so its calls do, and with them what answers them.
#[test]
fn results_of_calls_that_stay_are_not_compressed() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let system = json!({"role": "system", "content": "be brief", "tool_calls": [call]}).to_string();
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "done"}).to_string();
    for before in [0, 4] {
        let app = TestApp::new();
        let mut whole = history(20);
        whole.splice(before..before, [system.clone(), result.clone()]);
        let after = compress(&app, &array(&whole), &json!({}));
        assert_eq!(after.report()["outcome"], "compressed", "{}", after.report());
        assert_eq!(after.report()["warnings"], json!([]));
        let now = split(&after.messages);
        // The first system message holds the snapshot besides.
        assert!(now[before].contains("\"tool_calls\""), "{}", now[before]);
        assert_eq!(now[before + 1], result);
        assert!(now.len() < whole.len());
    }
}
