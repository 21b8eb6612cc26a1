//! Thresholds to the token: what is met exactly is enough, and one token less is not.

use serde_json::{Value, json};
use token_count::Tokenizer;

use crate::app::{Offloaded, TestApp};
use crate::history::{array, call, result, user};

fn outcome(after: &Offloaded) -> &str {
    after.report()["outcome"].as_str().unwrap()
}

fn log(lines: usize) -> String {
    (0..lines).map(|n| format!("Compiling package number {n} of the workspace\n")).collect()
}

/// The largest number for which something holds that holds for `low`, and not for `high`.
fn largest(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    assert!(holds(low) && !holds(high), "{low} to {high}");
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[test]
fn a_result_moves_from_one_token_above_the_threshold() {
    let app = TestApp::new();
    let text = log(500);
    let history = array(&[call("call_1", "bash", &json!({})), result("call_1", &text), user("go")]);
    let tokens = Tokenizer::O200kBase.count(&text);
    for (threshold, expected) in [(tokens - 1, "compacted"), (tokens, "unchanged")] {
        let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
            "max_tool_message_tokens": threshold});
        assert_eq!(outcome(&app.offload(&history, &settings)), expected, "{threshold}");
    }
}

/// A result of as many tokens as its reference stays.
#[test]
fn a_result_moves_if_its_reference_is_smaller() {
    let app = TestApp::new();
    let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
        "max_tool_message_tokens": 1, "preview_tokens": 0, "min_savings_tokens": 0});
    let has_moved = |words: usize| {
        let text = "word ".repeat(words);
        let asked = call("call_1", "bash", &json!({}));
        let after = app.offload(&array(&[asked, result("call_1", &text), user("go")]), &settings);
        let tokens = |name| number(after.report(), name);
        let is_smaller = tokens("tokens_after") < tokens("tokens_before");
        assert_eq!(outcome(&after) == "compacted", is_smaller, "{words}");
        is_smaller
    };
    let moved: Vec<bool> = (10..100).map(has_moved).collect();
    assert!(!moved[0] && moved[89]);
}

#[test]
fn numbers_up_to_the_greatest_are_accepted() {
    let app = TestApp::new();
    let text = log(500);
    let history = array(&[call("call_1", "bash", &json!({})), result("call_1", &text), user("go")]);
    for name in [
        "keep_recent_count",
        "max_total_tokens",
        "max_tool_message_tokens",
        "min_savings_tokens",
        "preview_char_length",
        "preview_tokens",
        "target_tokens",
    ] {
        for mode in ["auto", "compact", "compress"] {
            for number in [u64::MAX, u64::MAX / 4] {
                let mut settings = json!({"context_manage_mode": mode, "max_total_tokens": 1,
                    "keep_recent_count": 0, "max_tool_message_tokens": 10});
                settings[name] = json!(number);
                outcome(&app.offload(&history, &settings));
            }
        }
    }
}

#[test]
fn a_pass_saves_what_is_asked() {
    let app = TestApp::new();
    let history =
        array(&[call("call_1", "bash", &json!({})), result("call_1", &log(500)), user("go")]);
    let pass = |asked: u64| {
        let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
            "min_savings_tokens": asked});
        app.offload(&history, &settings)
    };
    let report = pass(0).report().clone();
    let saved =
        report["tokens_before"].as_u64().unwrap() - report["tokens_after"].as_u64().unwrap();
    assert_eq!((outcome(&pass(saved)), outcome(&pass(saved + 1))), ("compacted", "unchanged"));
}

/// Old turns of some size, and a newest message of some size that stays.
fn turns(old: usize, newest: usize) -> String {
    // A snapshot keeps the user's rules, so it is larger than the least.
    let rules: String = (0..60).map(|n| format!(" Never move block {n} before noon.")).collect();
    let mut messages = vec![user(&format!("Plan the harbour works.{rules}"))];
    for n in 0..old {
        let said = format!("Step {n}: the {n}th crane lifts block {} onto pier {}.", n * 7, n % 9);
        messages.push(json!({"role": "assistant", "content": said}).to_string());
        messages.push(user(&format!("Note {n}, go on with block {}.", n * 7 + 1)));
    }
    let lines: String = (0..newest).map(|n| format!("line {n} of what is new\n")).collect();
    messages.push(json!({"role": "assistant", "content": lines}).to_string());
    array(&messages)
}

fn compressed(app: &TestApp, history: &str, asked: Option<u64>) -> Offloaded {
    let mut settings = json!({"context_manage_mode": "compress", "max_total_tokens": 0,
        "keep_recent_count": 1});
    if let Some(asked) = asked {
        settings["min_savings_tokens"] = json!(asked);
    }
    app.offload(history, &settings)
}

/// What a snapshot that was not made would have freed: of how many tokens, and what was asked.
fn refused(after: &Offloaded) -> Option<[u64; 3]> {
    let warnings: Vec<Value> = serde_json::from_str(&after.warnings()).unwrap();
    let words = warnings.iter().filter_map(Value::as_str);
    let words = words.filter_map(|w| w.strip_prefix("not compressed: it would free "));
    let numbers = |words: &str| {
        let all = words.split(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
        let all: Vec<u64> = all.map(|number| number.parse().unwrap()).collect();
        <[u64; 3]>::try_from(all).unwrap()
    };
    words.map(numbers).next()
}

/// So many turns that a snapshot of them is worth it.
const TURNS: usize = 200;

#[test]
fn a_snapshot_frees_what_is_asked() {
    let history = turns(TURNS, 1);
    let holds =
        |asked| outcome(&compressed(&TestApp::new(), &history, Some(asked))) == "compressed";
    let most = largest(1, 50_000, holds);
    let after = compressed(&TestApp::new(), &history, Some(most + 1));
    let [free, _, asked] = refused(&after).unwrap_or_else(|| panic!("{}", after.warnings()));
    assert_eq!((free, asked), (most, most + 1), "{}", after.warnings());
}

/// Without a number a tenth is asked for; a snapshot that is there already is used whatever it
/// frees.
#[test]
fn a_new_snapshot_frees_a_tenth() {
    let app = TestApp::new();
    let small = compressed(&app, &turns(TURNS, 1), None);
    assert_eq!(outcome(&small), "compressed");
    let (before, after) =
        (number(small.report(), "tokens_before"), number(small.report(), "tokens_after"));
    // A little more than ten times what it frees, and less than what is not even tried.
    let line = app.count(&turns(1, 101)).pop().unwrap() / 100;
    let lines = usize::try_from((before - after) * 10 / line).unwrap();
    let mut tried = (lines * 8 / 10..lines * 2).step_by(lines / 50).map(|newest| {
        let history = turns(TURNS, newest);
        (refused(&compressed(&TestApp::new(), &history, None)), history)
    });
    let found = tried.find_map(|(refused, history)| Some((refused?, history)));
    let ([free, left, asked], history) = found.expect("one that frees less than a tenth");
    assert!(asked == left / 10 && free < asked, "{free} of {left}, {asked} asked");
    let again = compressed(&app, &history, None);
    assert_eq!(outcome(&again), "compressed", "{}", again.warnings());
    assert_eq!(again.report()["snapshot"]["reused"], true);
}

fn actions(after: &Offloaded) -> Vec<Value> {
    after.report()["actions"].as_array().unwrap().clone()
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap()
}

/// Of results below the threshold the oldest move, until the target is met and not one more.
#[test]
fn a_target_moves_no_more_than_it_takes() {
    let app = TestApp::new();
    let pairs = (0..12).flat_map(|n| {
        let id = format!("call_{n}");
        [call(&id, "bash", &json!({})), result(&id, &log(60 + n))]
    });
    let history = array(&pairs.chain([user("go on")]).collect::<Vec<_>>());
    let before: u64 = app.count(&history).iter().sum();
    for share in [95, 80, 60, 50] {
        let target = before * share / 100;
        let after = app.offload(
            &history,
            &json!({"context_manage_mode": "compact",
            "low_water_ratio": 1.0, "target_tokens": target, "max_tool_message_tokens": 100_000}),
        );
        let left = number(after.report(), "tokens_after");
        let moved = actions(&after);
        let last = moved.iter().rfind(|action| action["action"] == "compact").unwrap();
        let saved = number(last, "tokens_before") - number(last, "tokens_after");
        assert!(left <= target && left + saved > target, "{left} and {saved} for {target}");
    }
}

#[test]
fn a_target_that_is_met_exactly_is_met() {
    let app = TestApp::new();
    let small = [call("call_1", "bash", &json!({})), result("call_1", &log(1)), user("go on")];
    let history = array(&small);
    let before: u64 = app.count(&history).iter().sum();
    for (target, is_missed) in [(before, false), (before - 1, true)] {
        let settings = json!({"context_manage_mode": "compact", "target_tokens": target});
        let warnings = app.offload(&history, &settings).warnings();
        assert_eq!(warnings.contains("cannot be met: "), is_missed, "{target}: {warnings}");
    }
}

/// Of the newest results the largest moves first; what moves is not told as kept, too.
#[test]
fn a_target_moves_the_largest_of_the_newest() {
    let app = TestApp::new();
    let of = |n: usize, lines: usize| {
        let id = format!("call_{n}");
        [call(&id, "bash", &json!({})), result(&id, &log(lines))]
    };
    let history = [of(1, 250), of(2, 900), of(3, 260)].concat();
    let before: u64 = app.count(&array(&history)).iter().sum();
    let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
        "keep_recent_count": 10, "target_tokens": before / 2});
    let after = app.offload(&array(&history), &settings);
    assert!(number(after.report(), "tokens_after") <= before / 2);
    let told: Vec<(u64, bool)> = actions(&after)
        .iter()
        .map(|action| (number(action, "index"), action["action"] == "compact"))
        .collect();
    assert_eq!(told.iter().filter(|(_, moved)| *moved).count(), 1, "{told:?}");
    assert_eq!(told.iter().filter(|told| **told == (3, true)).count(), 1, "{told:?}");
    assert!(!told.contains(&(3, false)), "{told:?}");
    let warnings = after.warnings();
    assert!(warnings.contains("required 1 result of the newest messages"), "{warnings}");
}

#[test]
fn older_messages_are_compressed_from_the_total_on() {
    let history = turns(80, 1);
    let of = |total: u64| {
        let settings = json!({"context_manage_mode": "compress", "max_total_tokens": total,
            "keep_recent_count": 1});
        TestApp::new().offload(&history, &settings)
    };
    let most = largest(1, 50_000, |total| outcome(&of(total)) == "compressed");
    let all: u64 = TestApp::new().count(&history).iter().sum();
    let newest = *TestApp::new().count(&history).last().unwrap();
    assert_eq!(most, all - newest, "what may be compressed has as many tokens");
}

/// Compaction that leaves the share that it may leave is enough.
#[test]
fn auto_compresses_above_the_share() {
    let of = |share: f64| {
        let settings = json!({"context_manage_mode": "auto", "max_total_tokens": 1,
            "compact_ratio_threshold": share, "keep_recent_count": 1});
        TestApp::new().offload(&turns(80, 1), &settings)
    };
    assert_eq!((outcome(&of(1.0)), outcome(&of(0.99))), ("unchanged", "compressed"));
}

/// What only the provider can read costs a token for four bytes of it, less what is always
/// there.
#[test]
fn opaque_content_costs_what_its_bytes_do() {
    for (characters, tokens) in [(8_000, 1_337), (872, 1), (868, 0), (4, 0)] {
        let thought = json!({"type": "reasoning", "id": "r", "summary": [],
            "encrypted_content": "A".repeat(characters)});
        let message = json!({"type": "message", "role": "user", "content": "go"});
        let history = array(&[message.to_string(), thought.to_string()]);
        assert_eq!(TestApp::new().count(&history)[1], tokens, "{characters}");
    }
}

/// An Anthropic history with a separate system prompt and tools.
fn with_tools(turns: usize, settings: &Value) -> (String, Value) {
    let mut messages = Vec::new();
    for n in 0..turns {
        let id = format!("toolu_{n}");
        messages.push(json!({"role": "user", "content": format!("Build block {n}, please.")}));
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id,
            "name": "bash", "input": {"command": "make"}}]}));
        messages.push(json!({"role": "user", "content": [{"type": "tool_result",
            "tool_use_id": id, "content": log(40 + n)}]}));
        messages.push(json!({"role": "assistant", "content": format!("Block {n} is built.")}));
    }
    let tool = |n: usize| {
        json!({"name": format!("tool_{n}"), "description": log(20),
            "input_schema": {"type": "object"}})
    };
    let mut settings = settings.clone();
    settings["system"] = json!(log(50));
    settings["tools"] = (0..12).map(tool).collect();
    (json!(messages).to_string(), settings)
}

/// A budget for messages alone is met as if there were no tools and no system prompt; the
/// snapshots in the system prompt stand for messages, and count.
#[test]
fn a_budget_can_count_messages_alone() {
    for mode in ["compact", "compress"] {
        let app = TestApp::new();
        let settings = json!({"context_manage_mode": mode, "max_total_tokens": 3_000,
            "target_tokens": 4_000, "counted_parts": "messages"});
        let (history, all) = with_tools(20, &settings);
        let after = app.offload(&history, &all);
        let report = after.report();
        let messages: u64 = app.count(&history).iter().sum();
        assert_eq!(number(report, "tokens_before"), messages, "{mode}");
        let left = number(report, "tokens_after");
        assert!(left <= 4_000, "{mode}: {left}, {}", after.warnings());
        let stay: u64 = app.count(&after.messages).iter().sum();
        if mode == "compact" {
            assert_eq!((left, outcome(&after)), (stay, "compacted"));
            let bare = TestApp::new().offload(&history, &settings);
            assert_eq!(after.messages, bare.messages, "tools change nothing");
            continue;
        }
        assert_eq!(outcome(&after), "compressed");
        let system = after.json["system"].as_str().expect("it holds the snapshot").to_owned();
        let tokens = |text: &str| Tokenizer::O200kBase.count(text);
        let snapshot = tokens(&system) - tokens(&log(50));
        assert!(left.abs_diff(stay + snapshot) < 20, "{left}: {stay} and {snapshot}");
        // The snapshots of this call count in the next one, too.
        let mut next = all.clone();
        next["system"] = json!(system);
        let again = app.offload(&after.messages, &next);
        assert_eq!(number(again.report(), "tokens_before"), left);
        assert_eq!((outcome(&again), &again.messages), ("unchanged", &after.messages));
    }
}

#[test]
fn below_the_total_of_messages_alone_a_history_stays() {
    let settings = json!({"max_total_tokens": 2_500, "max_tool_message_tokens": 100});
    let (history, mut all) = with_tools(3, &settings);
    assert_eq!(outcome(&TestApp::new().offload(&history, &all)), "compacted");
    all["counted_parts"] = json!("messages");
    assert_eq!(outcome(&TestApp::new().offload(&history, &all)), "unchanged");
}
