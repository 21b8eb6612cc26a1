//! Many turns: a history that grows, posted before each turn of the model. How often its beginning
//! is rewritten, how far it goes down then, and how large it may become.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::app::{Offloaded, TestApp, split};
use crate::history::{array, call, result, user};
use crate::properties::config;

/// The lines of a result.
fn log(n: usize, lines: usize) -> String {
    (0..lines)
        .map(|line| format!("part {n} line {line}: the value is {}\n", n * 7919 + line))
        .collect()
}

/// The messages of one turn: a call, its result of so many lines, now and then words of the user.
fn turn(n: usize, lines: usize, speaks: bool) -> Vec<String> {
    let id = format!("call_{n}");
    let asked = speaks.then(|| user(&format!("Please look at part {n}; keep src/part_{n}.rs.")));
    let calls = [
        call(&id, "bash", &json!({"command": format!("make part_{n}")})),
        result(&id, &log(n, lines)),
    ];
    asked.into_iter().chain(calls).collect()
}

/// A client over many turns.
struct Client {
    app: TestApp,
    settings: Value,
    /// Whether it goes on with what came back; else it posts its whole history.
    keeps: bool,
    history: Vec<String>,
    sent: Vec<String>,
    rewrites: usize,
}

impl Client {
    fn new(settings: Value, keeps: bool) -> Client {
        let history =
            vec![json!({"role": "system", "content": "You are an engineer."}).to_string()];
        let app = TestApp::new();
        Client { app, settings, keeps, history, sent: Vec::new(), rewrites: 0 }
    }

    fn post(&mut self, new: Vec<String>) -> Offloaded {
        self.history.extend(new);
        let after = self.app.offload(&array(&self.history), &self.settings);
        let sent = split(&after.messages);
        self.rewrites += usize::from(!sent.starts_with(&self.sent));
        if self.keeps {
            self.history = sent.clone();
        }
        self.sent = sent;
        after
    }

    fn tokens(&self, messages: &[String]) -> u64 {
        self.app.count(&array(messages)).iter().sum()
    }
}

fn number(after: &Offloaded, name: &str) -> u64 {
    after.report()[name].as_u64().unwrap()
}

fn is_compressed(after: &Offloaded) -> bool {
    after.report()["outcome"].as_str().unwrap().contains("compressed")
}

/// A client's settings with a target.
fn targeted(mode: &str, target: u64) -> Value {
    json!({"context_manage_mode": mode, "target_tokens": target, "include_files": false})
}

/// What exceeded a target goes down to the mark, and the turns that follow change nothing.
#[test]
fn a_compression_makes_room_for_the_next_turns() {
    for (mode, keeps) in [("auto", true), ("auto", false), ("compress", true), ("compress", false)]
    {
        let mut client = Client::new(targeted(mode, 8_000), keeps);
        let (mut level, mut compressions) = (0, 0);
        for n in 0..100 {
            let after = client.post(turn(n, 10, n % 5 == 0));
            let left = number(&after, "tokens_after");
            assert!(left <= 8_000, "{mode} {keeps}: {left} at {n}");
            if left < level {
                compressions += 1;
                assert!(left <= 6_000, "{mode} {keeps}: {level} -> {left} at {n}");
                // A quarter of the target stays as it was, in whole turns.
                let newest = client.sent.iter().rev().take_while(|m| !m.contains("state_snapshot"));
                let newest: Vec<String> = newest.cloned().collect();
                assert!(client.tokens(&newest) > 1_700, "{mode} {keeps}: at {n}");
            }
            level = left;
        }
        assert!(compressions >= 2, "{mode} {keeps}: {compressions}");
        assert_eq!(client.rewrites, compressions, "{mode} {keeps}");
        assert!(client.rewrites <= 10, "{mode} {keeps}: {} rewrites in 100 turns", client.rewrites);
    }
}

/// The mark is a setting.
#[test]
fn the_mark_can_be_set() {
    let history: Vec<String> = (0..60).flat_map(|n| turn(n, 10, n % 5 == 0)).collect();
    let of = |ratio: f64| {
        let mut settings = targeted("compress", 8_000);
        settings["low_water_ratio"] = json!(ratio);
        let after = TestApp::new().offload(&array(&history), &settings);
        assert!(is_compressed(&after), "{}", after.warnings());
        number(&after, "tokens_after")
    };
    let (low, middle, high) = (of(0.5), of(0.75), of(1.0));
    assert!(low <= 4_000 && middle <= 6_000 && high <= 8_000, "{low} {middle} {high}");
    assert!(low <= middle && middle <= high, "{low} {middle} {high}");
}

/// Where a system prompt and the newest messages fill the target, the newest ones give way, for a
/// client that keeps its answers as for one that posts its whole history. What was sent stays as it
/// is when it is posted again (I3).
#[test]
fn newest_messages_give_way_to_the_target() {
    for (keeps, target, sentences) in
        [(true, 4_000, 480), (false, 4_000, 480), (true, 2_000, 120), (false, 2_000, 120)]
    {
        let settings = targeted("auto", target);
        let mut client = Client::new(settings.clone(), keeps);
        let prompt = "You are an engineer. ".repeat(sentences);
        client.history = vec![json!({"role": "system", "content": prompt}).to_string()];
        for n in 0..40 {
            let after = client.post(turn(n, 5, n % 3 == 0));
            let left = number(&after, "tokens_after");
            let at = format!("{keeps} {target} {sentences} turn {n}: {left}");
            assert!(left <= target, "{at}, {}", after.warnings());
            let again = client.app.offload(&after.messages, &settings);
            assert_eq!(split(&again.messages), client.sent, "{at}");
        }
        assert!((1..=16).contains(&client.rewrites), "{keeps} {target}: {}", client.rewrites);
    }
}

/// I3: a newest result that moves next to snapshots of an earlier call may leave a history for
/// which a new snapshot is worth a pass: it has one at once, and not when it is posted again.
#[test]
fn what_moves_beside_earlier_snapshots_asks_for_no_other_pass() {
    for (target, sentences) in [(2_000, 260), (4_000, 520), (4_000, 600)] {
        let settings = targeted("auto", target);
        let mut client = Client::new(settings.clone(), false);
        let prompt = "You are an engineer. ".repeat(sentences);
        client.history = vec![json!({"role": "system", "content": prompt}).to_string()];
        let first = user(&format!("Look at all parts. {}", log(100, 30)));
        let turns = [
            [vec![first], turn(1, 1, false), vec![said(&log(101, 6))]].concat(),
            turn(2, 90, false),
            [turn(3, 30, false), turn(4, 90, false), turn(5, 12, false), vec![said("Done.")]]
                .concat(),
            [vec![user("Go on.")], turn(6, 90, false), vec![said(&log(102, 24))]].concat(),
        ];
        for (n, new) in turns.into_iter().enumerate() {
            let after = client.post(new);
            let again = client.app.offload(&after.messages, &settings);
            let at = format!("{target} turn {n}: {}", again.report());
            assert_eq!(split(&again.messages), client.sent, "{at}");
        }
    }
}

/// Below its target a history is left alone, whatever else is set.
#[test]
fn nothing_is_due_below_the_target() {
    let history: Vec<String> = (0..20).flat_map(|n| turn(n, 150, true)).collect();
    let app = TestApp::new();
    let tokens: u64 = app.count(&array(&history)).iter().sum();
    for mode in ["auto", "compact", "compress"] {
        let mut settings = targeted(mode, tokens);
        settings["max_total_tokens"] = json!(1);
        let after = app.offload(&array(&history), &settings);
        assert_eq!(split(&after.messages), history, "{mode}");
        assert!(app.files().is_empty());
    }
}

/// Where the caller names the newest messages to keep, and no target, it is these.
#[test]
fn newest_messages_are_kept_by_tokens_unless_they_are_named() {
    let history: Vec<String> = (0..200).flat_map(|n| turn(n, 10, false)).collect();
    let kept = |settings: Value| {
        let after = TestApp::new().offload(&array(&history), &settings);
        assert!(is_compressed(&after), "{}", after.warnings());
        let after = split(&after.messages);
        after.iter().filter(|message| history.contains(message)).count()
    };
    let compress = json!({"context_manage_mode": "compress", "max_total_tokens": 8_000});
    let all: u64 = TestApp::new().count(&array(&history)).iter().sum();
    // A quarter of the limit.
    let expected = (2_000 * history.len() as u64 / all) as usize;
    assert!(kept(compress.clone()).abs_diff(expected) <= 2, "{}", kept(compress.clone()));
    let with = |count: u64, target: Option<u64>| {
        let mut settings = compress.clone();
        settings["keep_recent_count"] = json!(count);
        if let Some(target) = target {
            settings["target_tokens"] = json!(target);
        }
        kept(settings)
    };
    assert_eq!(with(2, None), 2);
    assert!(with(0, Some(8_000)).abs_diff(expected) <= 2);
    assert!(with(30, Some(8_000)) >= 30);
}

/// The report says what a provider bills anew: everything after the first change, once.
#[test]
fn rewritten_tokens_are_told_once() {
    let history: Vec<String> = (0..30).flat_map(|n| turn(n, 100, n % 5 == 0)).collect();
    for mode in ["compact", "compress"] {
        let app = TestApp::new();
        let settings = json!({"context_manage_mode": mode, "max_tool_message_tokens": 1_000,
            "include_files": false});
        let after = app.offload(&array(&history), &settings);
        let first = number(&after, "first_changed_index") as usize;
        let behind: u64 = app.count(&after.messages)[first..].iter().sum();
        assert_eq!(number(&after, "rewritten_tokens"), behind, "{mode}");
        // The same again costs the provider's cache nothing.
        let again = app.offload(&array(&history), &settings);
        assert_eq!(again.messages, after.messages);
        assert_eq!(number(&again, "rewritten_tokens"), 0, "{mode}");
        let longer = [history.clone(), turn(30, 100, false)].concat();
        let longer = app.offload(&array(&longer), &settings);
        let new: u64 = app.count(&longer.messages).iter().rev().take(4).sum();
        assert!(number(&longer, "rewritten_tokens") <= new, "{mode}");
        let kept = app.offload(&after.messages, &settings);
        assert_eq!(number(&kept, "rewritten_tokens"), 0, "{mode}");
    }
}

/// A rewrite waits until it frees what the caller asks of it, or until the cache is cold; what
/// moved stays moved.
#[test]
fn a_rewrite_waits_until_it_pays() {
    for keeps in [true, false] {
        let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 6_000,
            "max_tool_message_tokens": 1_000, "rewrite_when_saved_ratio": 0.5,
            "include_files": false});
        let mut client = Client::new(settings, keeps);
        client.post(turn(0, 100, true));
        // Much text follows the large result, and little would be freed.
        for n in 1..25 {
            let after = client.post(turn(n, 15, false));
            assert_eq!(after.report()["outcome"], "unchanged", "{keeps} {n}");
        }
        assert!(client.tokens(&client.sent) > 6_000);
        client.settings["cache"] = json!("cold");
        let cold = client.post(turn(25, 15, false));
        assert_eq!(cold.report()["outcome"], "compacted", "{keeps}");
        client.settings["cache"] = json!("warm");
        let before = client.rewrites;
        client.post(turn(26, 15, false));
        assert_eq!(client.rewrites, before, "{keeps}");
        // Enough that is new and large.
        client.post(turn(27, 200, false));
        let paid = client.post(turn(28, 15, false));
        assert_eq!(paid.report()["outcome"], "compacted", "{keeps}");
        assert_eq!(client.rewrites, before + 1, "{keeps}");
    }
}

/// A new snapshot is a rewrite: what waited for one moves with it, and nothing is left for the
/// next post.
#[test]
fn a_result_that_waits_moves_with_a_snapshot() {
    let text = |words: usize| (0..words).map(|n| format!("word{n} ")).collect::<String>();
    let result = |id: &str, words: usize| {
        [
            json!({"role": "assistant", "content": "ok", "tool_calls": [{"id": id, "type":
                "function", "function": {"name": "search", "arguments": "{}"}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": text(words)}),
        ]
    };
    let said = |role: &str, words: usize| json!({"role": role, "content": text(words)});
    let mut history = vec![said("user", 300)];
    history.extend(result("c1", 300));
    history.extend([said("assistant", 2_000), said("user", 300)]);
    history.extend(result("c2", 200));
    history.push(json!({"role": "assistant", "content": "ok"}));
    let history = json!(history).to_string();
    let app = TestApp::new();
    for ratio in [0.5, 1.0] {
        let settings = json!({"max_total_tokens": 500, "max_tool_message_tokens": 300,
            "rewrite_when_saved_ratio": ratio, "store_dir": format!("/workspace/{ratio}"),
            "include_files": false});
        let first = app.offload(&history, &settings);
        assert_eq!(first.report()["outcome"], "compacted_and_compressed", "{ratio}");
        let again = app.offload(&first.messages, &settings);
        assert_eq!(again.messages, first.messages, "{ratio}");
        assert_eq!(app.offload(&history, &settings).messages, first.messages, "{ratio}");
    }
}

/// A result that moved at once, as the newest, because the target had no room for it, counts as
/// moved from then on.
#[test]
fn what_moved_as_the_newest_asks_for_no_rewrite() {
    let settings = json!({"target_tokens": 5_000, "max_tool_message_tokens": 1_000,
        "include_files": false});
    let rewrites = |keeps: bool| {
        let mut client = Client::new(settings.clone(), keeps);
        for n in 0..30 {
            client.post(turn(n, if n % 3 == 0 { 3 } else { 300 }, n == 0));
        }
        client.rewrites
    };
    let whole = rewrites(false);
    assert!(whole <= rewrites(true), "{whole}");
}

/// I5: a newest result that has room next to the existing snapshot stays, for a client that keeps
/// its answers and for one that posts its whole history.
#[test]
fn a_newest_result_with_room_beside_the_snapshot_stays() {
    for (mode, keeps) in [("auto", true), ("auto", false), ("compress", true), ("compress", false)]
    {
        let mut settings = targeted(mode, 4_000);
        settings["max_tool_message_tokens"] = json!(1_000);
        let mut client = Client::new(settings, keeps);
        let mut n = 0;
        while !is_compressed(&client.post(turn(n, 20, n == 0))) {
            n += 1;
        }
        for lines in [178, 1, 1] {
            n += 1;
            let new = turn(n, lines, false);
            let expected = [client.sent.clone(), new.clone()].concat();
            assert!(client.tokens(&expected) <= 4_000, "{mode} {keeps}");
            client.post(new);
            assert_eq!(client.sent, expected, "{mode} {keeps}: {lines}");
        }
    }
}

/// I3: a newest result that moved next to a new snapshot moves again when the same history is
/// posted once more, even if it would have room next to the snapshot.
#[test]
fn a_newest_result_that_moved_with_a_snapshot_moves_again() {
    for (mode, large) in
        [("auto", 1_000), ("auto", 2_000), ("compress", 1_000), ("compress", 2_000)]
    {
        let mut settings = targeted(mode, 2_500);
        settings["max_tool_message_tokens"] = json!(large);
        let mut history: Vec<String> = (0..3).flat_map(|n| turn(n, 60, n == 0)).collect();
        history.extend([said("It is in the parser."), user("Go on.")]);
        history.extend(turn(9, 88, false));
        let mut client = Client::new(settings, false);
        let first = client.post(history);
        let has_moved = first.warnings().contains("1 result of the newest messages");
        assert!(is_compressed(&first) && has_moved, "{mode} {large}: {}", first.report());
        let again = client.post(Vec::new());
        assert_eq!(again.messages, first.messages, "{mode} {large}: {}", again.report());
        // Also once it is none of the newest.
        for words in ["It is in the lexer.", "It is mended."] {
            let new = vec![said(words), user("Go on.")];
            let expected = [client.sent.clone(), new.clone()].concat();
            let after = client.post(new);
            assert_eq!(client.sent, expected, "{mode} {large}: {}", after.report());
        }
    }
}

/// Smaller results that moved for a target stay moved, as those of a client that keeps answers;
/// also where the target has no room for all their previews.
#[test]
fn compaction_moves_the_same_results_again() {
    let settings = targeted("compact", 8_000);
    let rewrites = |keeps: bool| {
        let mut client = Client::new(settings.clone(), keeps);
        for n in 0..80 {
            client.post(turn(n, 10 + n % 7 * 4, n % 20 == 0));
        }
        client.rewrites
    };
    let whole = rewrites(false);
    assert!(whole > 0 && whole <= rewrites(true), "{whole}");
}

/// I5: previews that were given up for a target stay given up, with and without a snapshot, also
/// once their results are among the messages that a snapshot may replace.
#[test]
fn previews_that_were_given_up_do_not_come_back() {
    for (target, results) in [(1_000, 2), (1_500, 3), (2_000, 4)] {
        for lines in [0, 10, 20, 40] {
            let said = |n: usize| said(&format!("Part {n} is fine. {}", log(n, lines)));
            let mut history: Vec<String> =
                (0..6).flat_map(|n| [turn(n, 100, true), vec![said(n)]].concat()).collect();
            let ids: Vec<String> = (0..results).map(|n| format!("last_{n}")).collect();
            let function = json!({"name": "bash", "arguments": "{}"});
            let calls =
                ids.iter().map(|id| json!({"id": id, "type": "function", "function": function}));
            let calls = json!({"role": "assistant", "tool_calls": Value::from_iter(calls)});
            history.push(calls.to_string());
            history.extend(ids.iter().enumerate().map(|(n, id)| result(id, &log(10 + n, 100))));
            history.push(said(6));
            let mut settings = targeted("auto", target);
            settings["max_tool_message_tokens"] = json!(300);
            settings["preview_tokens"] = json!(600);
            let mut client = Client::new(settings, false);
            client.post(history);
            for text in ["And now?", "Go on."] {
                let expected = [client.sent.clone(), vec![user(text)]].concat();
                if client.tokens(&expected) > target {
                    break;
                }
                let after = client.post(vec![user(text)]);
                assert_eq!(client.sent, expected, "{target} {lines}: {}", after.report());
            }
        }
    }
}

/// The turns of a session: lines of its result, and whether the user speaks.
fn session() -> impl Strategy<Value = Vec<(usize, bool)>> {
    let lines = prop_oneof![12 => 1..12usize, 4 => 12..60usize, 1 => 60..220usize];
    vec((lines, any::<bool>()), 20..60)
}

/// The most tokens of an answer without a target: `docs/snapshots.md` says it in words.
fn bound(mode: &str, total: u64, newest: u64, fixed: u64) -> u64 {
    let compressed = fixed + newest + total.max(2_000);
    match mode {
        "compress" => compressed,
        _ => compressed.max(total.max(4_000) * 3 / 2),
    }
}

fn fewer() -> ProptestConfig {
    let mut config = config();
    config.cases /= 10;
    config
}

proptest! {
    #![proptest_config(fewer())]

    /// I10: without a target an answer is bounded by `max_total_tokens`.
    #[test]
    fn a_session_is_bounded_by_its_total(
        turns in session(), mode in select(vec!["auto", "compress"]),
        total in select(vec![1_000u64, 2_000, 4_000, 8_000]), keeps in any::<bool>(),
    ) {
        let settings = json!({"context_manage_mode": mode, "max_total_tokens": total,
            "max_tool_message_tokens": 1_000, "include_files": false});
        let mut client = Client::new(settings, keeps);
        for (n, (lines, speaks)) in turns.into_iter().enumerate() {
            let new = turn(n, lines, speaks);
            let after = client.post(new);
            let left = number(&after, "tokens_after");
            // The newest messages: two, their turn, or a quarter of the total.
            let costs = client.app.count(&after.messages);
            let newest: u64 = costs.iter().rev().take(3).sum();
            // A region of less than a tenth and a small snapshot is not worth a pass.
            let slack = left / 10 + 250;
            let most = bound(mode, total, newest.max(total / 4), 20) + slack;
            prop_assert!(left <= most, "{left} of {most} at {n}: {}", after.warnings());
        }
    }

    /// I5: with a target nothing is rewritten as long as what was sent, and what is new, meets it.
    #[test]
    fn a_target_that_is_met_rewrites_nothing(
        turns in session(), mode in select(vec!["auto", "compress"]),
        target in select(vec![4_000u64, 6_000, 10_000]), keeps in any::<bool>(),
    ) {
        let mut settings = targeted(mode, target);
        settings["max_tool_message_tokens"] = json!(1_000);
        let mut client = Client::new(settings, keeps);
        let mut has_moved_more = false;
        for (n, (lines, speaks)) in turns.into_iter().enumerate() {
            let new = turn(n, lines, speaks);
            let before = if n == 0 { &client.history } else { &client.sent };
            let expected = [before.clone(), new.clone()].concat();
            let is_met = client.tokens(&expected) <= target;
            let after = client.post(new);
            // What moved as one of the newest moves again as an older one; what is small moves
            // only as long as the rest asks for it.
            if is_met && !has_moved_more {
                prop_assert_eq!(&client.sent, &expected, "{}: {}", n, after.report());
            }
            let is_small = |action: &Value| action["tokens_before"].as_u64() <= Some(1_000);
            let actions = after.report()["actions"].as_array().unwrap();
            has_moved_more |= actions.iter().any(|a| a["action"] == "compact" && is_small(a))
                || after.warnings().contains("of the newest messages to move");
            let left = number(&after, "tokens_after");
            let is_missed = after.warnings().contains("cannot be met");
            prop_assert!(left <= target || is_missed, "{}: {}", n, left);
        }
    }
}

/// I4: a result that two calls give is in one file. It moved for the first of them, with which it
/// is in a snapshot; that says nothing of the second.
#[test]
fn a_result_that_came_twice_moves_by_its_place() {
    let app = TestApp::new();
    let words = |word: &str, count: usize| -> String {
        (0..count).map(|n| format!("{word}{} ", n * 37 % 1000)).collect()
    };
    for (small, records, target) in
        [(120, 90, 4000), (160, 60, 4000), (180, 90, 5000), (160, 90, 5000)]
    {
        let record = |n: usize| json!({"id": n, "name": words("name", 2), "n": n * 7919 % 10000});
        let rows = Value::from_iter((0..records).map(record)).to_string();
        let ids: Vec<String> = (0..12).map(|n| format!("call_{n}")).collect();
        let function = json!({"name": "fetch", "arguments": "{}"});
        let calls =
            ids.iter().map(|id| json!({"id": id, "type": "function", "function": function}));
        let calls =
            json!({"role": "assistant", "content": null, "tool_calls": Value::from_iter(calls)});
        let mut history = vec![user("Check all shops and report."), calls.to_string()];
        history.extend(ids[1..].iter().map(|id| result(id, &words("shop", small))));
        history.extend([result(&ids[0], &rows), call("again", "fetch", &json!({}))]);
        history.extend([result("again", &rows), said(&words("report", 20))]);
        let settings = json!({"target_tokens": target, "max_tool_message_tokens": 400,
            "chat_id": format!("{small}-{records}")});
        let first = app.offload(&array(&history), &settings);
        assert!(first.messages.contains("<state_snapshot>"));
        for _ in 0..2 {
            assert_eq!(app.offload(&array(&history), &settings).messages, first.messages);
        }
    }
}

fn said(text: &str) -> String {
    json!({"role": "assistant", "content": text}).to_string()
}
