//! The invariants (`docs/invariants.md`), over generated histories; 1,000 cases each, or
//! `PROPTEST_CASES`, drawn anew each time, or from `PROPTEST_RNG_SEED`. What failed once
//! is kept in `tests/it/properties.seeds`.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use raw_json::{Text, elements, fields, unescape};
use serde_json::{Value, json};

use crate::app::{TestApp, request, split};
use crate::history::{array, messages};

pub(crate) fn config() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 1_000;
    }
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/properties.seeds");
    config.failure_persistence = Some(Box::new(FileFailurePersistence::Direct(seeds)));
    config.max_shrink_iters = 2_000;
    config.max_global_rejects = config.cases.max(config.max_global_rejects);
    // Not the same histories for all properties.
    if let RngSeed::Fixed(seed) = config.rng_seed {
        let mut hasher = DefaultHasher::new();
        (seed, std::thread::current().name()).hash(&mut hasher);
        config.rng_seed = RngSeed::Fixed(hasher.finish());
    }
    config
}

pub(crate) fn settings() -> impl Strategy<Value = Value> {
    let preview = prop_oneof![
        3 => select(vec![0u64, 5, 40, 120]).prop_map(|n| json!({"preview_tokens": n})),
        1 => select(vec![0u64, 40, 300]).prop_map(|n| json!({"preview_char_length": n})),
    ];
    (
        select(vec!["auto", "compact"]),
        select(vec![0u64, 1, 100, 100_000]),
        select(vec![0u64, 20, 60, 300]),
        0..6u64,
        preview,
        prop_oneof![4 => Just(None), 1 => (50..2_000u64).prop_map(Some)],
        any::<bool>(),
    )
        .prop_map(|(mode, total, tool, keep, preview, target, user)| {
            let mut all = preview;
            // Compression has properties of its own; a hard target would ask for it.
            all["compact_ratio_threshold"] = json!(1.0);
            all["context_manage_mode"] = json!(if target.is_some() { "compact" } else { mode });
            all["max_total_tokens"] = json!(total);
            all["max_tool_message_tokens"] = json!(tool);
            all["keep_recent_count"] = json!(keep);
            all["include_files"] = json!(false);
            if let Some(target) = target {
                all["target_tokens"] = json!(target);
            }
            if user {
                all["compact_roles"] = json!(["tool", "user"]);
            }
            all
        })
}

/// References that an answer shows and its input did not: path and message.
pub(crate) fn new_references(before: &[String], after: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, (old, new)) in before.iter().zip(after).enumerate() {
        if old == new {
            continue;
        }
        let known: BTreeSet<String> = texts(old).into_iter().collect();
        for text in texts(new).into_iter().filter(|text| !known.contains(text)) {
            let last = text.lines().last().unwrap_or_default();
            if let Some(rest) = last.strip_prefix("(detailed result is stored in ")
                && text.ends_with(')')
            {
                found.push((index, rest[..rest.len() - 1].to_owned()));
            }
        }
    }
    found
}

/// Every string of a JSON text, unescaped.
fn texts(message: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut raws = vec![message];
    while let Some(raw) = raws.pop() {
        match raw.as_bytes().first() {
            Some(b'"') => found.push(unescape(raw).text.into_owned()),
            Some(b'{') => raws.extend(fields(raw).unwrap().iter().map(|field| field.1)),
            Some(b'[') => raws.extend(elements(raw).unwrap()),
            _ => {}
        }
    }
    found
}

/// A message by value: what a JSON parser would see, numbers by spelling.
pub(crate) fn by_value(message: &str) -> Vec<(String, ByValue<'_>)> {
    let members = fields(message).unwrap().into_iter();
    members.map(|(name, raw)| (name.into_owned(), value_of(raw))).collect()
}

#[derive(Debug, PartialEq)]
pub(crate) enum ByValue<'a> {
    Text(Text<'a>),
    Object(Vec<(String, ByValue<'a>)>),
    Array(Vec<ByValue<'a>>),
    AsSpelled(&'a str),
}

pub(crate) fn value_of(raw: &str) -> ByValue<'_> {
    match raw.as_bytes().first() {
        Some(b'"') => ByValue::Text(unescape(raw)),
        Some(b'{') => ByValue::Object(by_value(raw)),
        Some(b'[') => ByValue::Array(elements(raw).unwrap().into_iter().map(value_of).collect()),
        _ => ByValue::AsSpelled(raw),
    }
}

/// The provider's pairing rules, written down a second time and apart from the
/// product: every rule that is broken, by message.
pub(crate) fn broken_rules(messages: &[String]) -> Vec<(usize, &'static str, String)> {
    let mut broken = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (index, raw) in messages.iter().enumerate() {
        // What no tree holds; inside a string of JSON it is escaped once more.
        let plain = [("1e400", "1"), ("\\\\ud800", "?"), ("\\ud800", "?")]
            .iter()
            .fold(raw.clone(), |text, (odd, plain)| text.replace(odd, plain));
        let Ok(message) = serde_json::from_str::<Value>(&plain) else { continue };
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" || role == "function" {
            let id = message["tool_call_id"].to_string();
            match open.iter().position(|known| *known == id) {
                Some(at) => {
                    open.remove(at);
                }
                None => broken.push((index, "orphan", id)),
            }
            continue;
        }
        broken.extend(open.drain(..).map(|id| (index, "unanswered", id)));
        open = message["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|call| call["id"].to_string())
            .collect();
    }
    broken.extend(open.drain(..).map(|id| (messages.len(), "unanswered", id)));
    broken
}

proptest! {
    #![proptest_config(config())]

    /// I1 losslessness, I2 closure, I16 names: what left comes back, by the
    /// reference itself and by rehydrate.
    #[test]
    fn nothing_is_lost(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let before = array(&history);
        let after = app.offload(&before, &settings);
        let (old, new) = (split(&before), split(&after.messages));
        for (_, path) in new_references(&old, &new) {
            prop_assert!(path.len() <= "/workspace/store/".len() + 128, "{path}");
            let read = app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
            let mut stored = read["answer"].as_str().unwrap().to_owned();
            if path.ends_with(".jsonl") {
                stored = record_files::file::parse(&stored).unwrap().rebuild().unwrap();
            }
            let held = old.iter().any(|message| holds(message, &stored));
            prop_assert!(held, "{path} holds what no message held");
        }
        let back = split(&app.rehydrate(&after.messages).messages);
        // Texts that were references before they came are put back as well.
        let expected = split(&app.rehydrate(&before).messages);
        for (was, is) in expected.iter().zip(&back) {
            prop_assert_eq!(by_value(was), by_value(is));
        }
    }

    /// I3 idempotence and I4 determinism: once is enough, and it is the same in
    /// another process on another disk.
    #[test]
    fn twice_is_once(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let first = app.offload(&array(&history), &settings);
        let files = app.files();
        let second = app.again().offload(&first.messages, &settings);
        prop_assert_eq!(&second.messages, &first.messages);
        prop_assert_eq!(app.files(), files);
        let elsewhere = TestApp::new().offload(&array(&history), &settings);
        prop_assert_eq!(&elsewhere.messages, &first.messages);
        let again = app.again().offload(&array(&history), &settings);
        prop_assert_eq!(&again.messages, &first.messages);
    }

    /// I5 prefix stability: appending does not rewrite what came before.
    #[test]
    fn a_longer_history_keeps_its_beginning(
        history in messages(), more in messages(), settings in settings()
    ) {
        // A hard target may ask for more with every message, and says so.
        prop_assume!(settings.get("target_tokens").is_none());
        let app = TestApp::new();
        let first = app.offload(&array(&history), &settings);
        let compacted = split(&first.messages);
        let whole = [history.clone(), more.clone()].concat();
        let reposted = split(&app.offload(&array(&whole), &settings).messages);
        let continued = [compacted.clone(), more].concat();
        let continued = split(&app.offload(&array(&continued), &settings).messages);
        for (index, old) in compacted.iter().enumerate() {
            if *old != history[index] {
                prop_assert_eq!(old, &reposted[index], "message {} of the longer history", index);
                prop_assert_eq!(old, &continued[index], "message {} of the continued one", index);
            }
        }
        let later = app.offload(&array(&whole), &settings);
        let changed = later.report()["first_changed_index"].as_u64().unwrap_or(u64::MAX);
        for (index, (old, new)) in whole.iter().zip(split(&later.messages)).enumerate() {
            prop_assert!(index as u64 >= changed || *old == new);
        }
    }

    /// I6, I7, I8, I9, I10, I21: what is protected is untouched, calls stay with
    /// their results, nothing grows, and the numbers of the report are true.
    #[test]
    fn the_conversation_stays_valid(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let before = array(&history);
        let after = app.offload(&before, &settings);
        let (old, new) = (split(&before), split(&after.messages));
        prop_assert_eq!(old.len(), new.len());
        prop_assert_eq!(broken_rules(&old), broken_rules(&new));
        let keep = settings["keep_recent_count"].as_u64().unwrap() as usize;
        for (index, (was, is)) in old.iter().zip(&new).enumerate() {
            let protected = (index + keep >= old.len() && settings.get("target_tokens").is_none())
                || was.starts_with("{\"role\":\"system\"")
                || was.contains("\"role\":\"developer\"")
                || was.contains("\"role\":\"assistant\"");
            prop_assert!(!protected || was == is, "message {} is protected", index);
        }
        let (counted_before, counted_after) = (app.count(&before), app.count(&after.messages));
        for (was, is) in counted_before.iter().zip(&counted_after) {
            prop_assert!(is <= was);
        }
        let report = after.report();
        prop_assert_eq!(report["tokens_before"].as_u64(), Some(counted_before.iter().sum()));
        prop_assert_eq!(report["tokens_after"].as_u64(), Some(counted_after.iter().sum()));
        prop_assert_eq!(&report["checks"], &json!({
            "pairing": true, "references_readable": true,
            "protected_untouched": true, "not_larger": true
        }));
        let changed: BTreeSet<u64> =
            (0..old.len()).filter(|i| old[*i] != new[*i]).map(|i| i as u64).collect();
        prop_assert_eq!(report["first_changed_index"].as_u64(), changed.first().copied());
        let said: BTreeSet<u64> = report["actions"].as_array().unwrap().iter()
            .filter(|action| action["action"] != "keep")
            .map(|action| action["index"].as_u64().unwrap())
            .collect();
        prop_assert_eq!(said, changed);
        // The bytes between the messages are untouched as well.
        let frame = |whole: &str, parts: &[String]| {
            let mut rest = whole;
            parts.iter().map(|part| {
                let at = rest.find(part.as_str()).unwrap();
                let gap = rest[..at].to_owned();
                rest = &rest[at + part.len()..];
                gap
            }).collect::<Vec<_>>()
        };
        prop_assert_eq!(frame(&before, &old), frame(&after.messages, &new));
    }

    /// I11: below every threshold the bytes come back and nothing is opened.
    #[test]
    fn below_the_threshold_nothing_happens(history in messages()) {
        let app = TestApp::new();
        let before = array(&history);
        let total: u64 = app.count(&before).iter().sum();
        let settings = json!({"max_total_tokens": total + 1, "max_tool_message_tokens": 0});
        let after = app.offload(&before, &settings);
        prop_assert_eq!(&after.messages, &before);
        prop_assert!(app.files().is_empty());
        prop_assert_eq!(after.report()["outcome"].as_str(), Some("unchanged"));
    }

    /// I13: where the store cannot be written, the messages come back as they
    /// came, with the reason.
    #[test]
    fn a_failing_store_costs_nothing(history in messages(), settings in settings()) {
        let app = TestApp::new();
        std::fs::write(app.folder().join("store"), "a file where a folder should be").unwrap();
        let before = array(&history);
        let after = app.offload(&before, &settings);
        prop_assert_eq!(&after.messages, &before);
        prop_assert_eq!(after.json["success"].as_bool(), Some(true));
        let healthy = TestApp::new().offload(&before, &settings);
        if healthy.messages != before {
            prop_assert!(after.warnings().contains("unchanged"), "{}", after.warnings());
        }
    }
}

/// True where some text of a message, or a JSON value in it, is exactly `stored`.
pub(crate) fn holds(message: &str, stored: &str) -> bool {
    texts(message).iter().any(|text| text == stored) || message.contains(stored)
}

/// I15: many posts of one chat at once give one answer and lose nothing.
#[test]
fn parallel_posts_agree() {
    let app = TestApp::new();
    let text = |n: usize| format!("result {n}\n").repeat(400);
    let history: Vec<String> = (0..40)
        .flat_map(|n| {
            let id = format!("call_{}", n % 7);
            let call = json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
            let result = json!({"role": "tool", "tool_call_id": id, "content": text(n)});
            [call.to_string(), result.to_string()]
        })
        .collect();
    let body = request(&array(&history), &json!({"max_total_tokens": 1}));
    let answers: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|_| scope.spawn(|| app.service.offload(body.as_bytes()).unwrap()))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap().messages().to_owned()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    let back = app.rehydrate(&answers[0]);
    assert_eq!(split(&back.messages), history);
    let hidden: Vec<String> =
        app.files().into_iter().map(|(name, _)| name).filter(|n| n.ends_with(".tmp")).collect();
    assert_eq!(hidden, Vec::<String>::new(), "no private file stays behind");
}

/// I14: a reader never sees less than a whole file, and I15 across chats: the
/// same ids with other contents in one folder at the same time.
#[test]
fn a_published_name_holds_all_of_its_bytes() {
    let app = TestApp::new();
    let text = |chat: usize, n: usize| format!("chat {chat} result {n}\n").repeat(3_000);
    let whole: HashMap<Vec<u8>, ()> =
        (0..8).flat_map(|c| (0..8).map(move |n| (text(c, n).into_bytes(), ()))).collect();
    let bodies: Vec<String> = (0..8)
        .map(|chat| {
            let history: Vec<String> = (0..8)
                .flat_map(|n| {
                    let id = format!("call_{n}");
                    [
                        json!({"role": "assistant", "content": null, "tool_calls": [
                            {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]}),
                        json!({"role": "tool", "tool_call_id": id, "content": text(chat, n)}),
                    ]
                })
                .map(|message| message.to_string())
                .collect();
            request(&array(&history), &json!({"max_total_tokens": 1, "keep_recent_count": 0}))
        })
        .collect();
    let finished = std::sync::atomic::AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !finished.load(std::sync::atomic::Ordering::Relaxed) {
                for entry in
                    std::fs::read_dir(app.folder().join("store")).into_iter().flatten().flatten()
                {
                    let name = entry.file_name().into_string().unwrap();
                    if name.starts_with('.') {
                        continue;
                    }
                    let content = std::fs::read(entry.path()).unwrap();
                    assert!(whole.contains_key(&content), "{name} is not whole");
                    seen += 1;
                }
            }
            seen
        });
        let writers: Vec<_> = bodies
            .iter()
            .map(|body| scope.spawn(|| app.service.offload(body.as_bytes()).unwrap()))
            .collect();
        for writer in writers {
            let answer = writer.join().unwrap();
            let back = app.rehydrate(answer.messages());
            assert_eq!(back.json["metadata"]["restored"], 8);
        }
        finished.store(true, std::sync::atomic::Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(seen > 0);
    assert_eq!(app.files().len(), 64);
}

#[test]
fn an_answer_is_the_seed_s_envelope() {
    let app = TestApp::new();
    let answer = app.service.offload(request("[]", &json!({})).as_bytes()).unwrap().into_json();
    let names: Vec<_> = fields(&answer).unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["success", "answer", "messages", "metadata"]);
}
