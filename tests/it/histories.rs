//! Real histories: every one of `../shared/histories`, in whatever format, in
//! every mode, at several thresholds. Where the folder is absent the test says so
//! and passes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use raw_json::{field, fields, unescape};
use serde_json::{Value, json};

use crate::app::{Offloaded, TestApp, split};
use crate::skips::shared_entries;

/// A history of fewer tokens may have nothing that can go.
const SMALL: u64 = 5_000;

/// A history as its file spells it.
struct Real {
    name: String,
    /// The format that the file states.
    stated: String,
    messages: String,
    system: Option<String>,
}

impl Real {
    /// The format that this service reads it in.
    fn format(&self) -> &str {
        match self.stated.as_str() {
            "vercel" => "ai-sdk",
            "other" if self.name.contains("bedrock") => "bedrock",
            "other" if self.name.contains("-pi-") => "pi",
            // Frameworks' own forms whose messages are those of chat.
            "other" => "openai-chat",
            stated => stated,
        }
    }

    fn settings(&self, settings: &Value) -> Value {
        let mut all = settings.clone();
        if let Some(system) = &self.system {
            all["system"] = serde_json::from_str(system).unwrap();
        }
        all
    }

    /// What comes back of an answer: the messages and the system prompt.
    fn back(&self, app: &TestApp, after: &Offloaded) -> (Value, Option<Value>) {
        let system = after.json.get("system").cloned().or(self.system_value());
        let about = match system {
            Some(system) => json!({"system": system, "format": self.format()}),
            None => json!({"format": self.format()}),
        };
        let back = app.rehydrate_with(&after.messages, &about);
        (value(&back.messages), back.json.get("system").cloned())
    }

    fn system_value(&self) -> Option<Value> {
        self.system.as_deref().map(value)
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn histories() -> Vec<Real> {
    let Some(paths) = shared_entries("histories") else { return Vec::new() };
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let members = fields(&text).unwrap();
        Real {
            name: path.file_name().unwrap().to_str().unwrap().to_owned(),
            stated: unescape(field(&members, "format").unwrap()).text.into_owned(),
            messages: field(&members, "messages").unwrap().to_owned(),
            system: field(&members, "system").filter(|s| *s != "null").map(str::to_owned),
        }
    };
    paths.into_iter().map(read).collect()
}

/// How often each rule of the format is broken.
fn broken(app: &TestApp, format: &str, messages: &str) -> BTreeMap<(String, String), usize> {
    let answer = app.validate(messages, &json!({"format": format}));
    let mut counts = BTreeMap::new();
    for problem in answer["metadata"]["problems"].as_array().unwrap() {
        let key = (problem["rule"].to_string(), problem["id"].to_string());
        *counts.entry(key).or_default() += 1;
    }
    counts
}

#[test]
fn every_history_shrinks_validly_and_comes_back_whole() {
    for real in histories() {
        let format = real.format();
        let (mut largest, mut least) = (0, u64::MAX);
        let mut outcomes = BTreeSet::new();
        for mode in ["auto", "compact", "compress"] {
            for threshold in [100, 500, 2_000] {
                for keep in [0, 1, 10] {
                    let settings = real.settings(&json!({
                        "context_manage_mode": mode, "max_total_tokens": 1_000,
                        "max_tool_message_tokens": threshold, "keep_recent_count": keep,
                    }));
                    let (after, files) = tried(&real, format, &settings);
                    outcomes.insert(after.report()["outcome"].as_str().unwrap().to_owned());
                    least = least.min(after.report()["tokens_after"].as_u64().unwrap());
                    largest = largest.max(files);
                }
            }
        }
        let costs = TestApp::new().count(&real.messages);
        let tokens: u64 = costs.iter().sum();
        let messages = split(&real.messages);
        // No mode touches the system's words.
        let is_system = |message: &str| value(message)["role"] == "system";
        let systems = messages.iter().zip(&costs).filter(|(message, _)| is_system(message));
        let fixed: u64 = systems.map(|(_, cost)| cost).sum();
        let count = messages.len();
        println!(
            "{}: {format}, {count} messages, {tokens} tokens, {least} at least, \
             up to {largest} files, {outcomes:?}",
            real.name
        );
        let is_less = (least - fixed) * 5 < (tokens - fixed) * 3;
        assert!(tokens < SMALL || is_less, "{}: {tokens} to {least}", real.name);
    }
}

/// One history with one setting: every promise that can be looked at.
fn tried(real: &Real, format: &str, settings: &Value) -> (Offloaded, usize) {
    let app = TestApp::new();
    let before = &real.messages;
    let after = app.offload(before, settings);
    let report = after.report();
    let at = format!("{} {} {}", real.name, settings["context_manage_mode"], {
        let mut shown = settings.clone();
        shown.as_object_mut().unwrap().remove("system");
        shown
    });
    let checks = json!({
        "pairing": true, "references_readable": true,
        "protected_untouched": true, "not_larger": true
    });
    assert_eq!(report["checks"], checks, "{at}");
    assert_eq!(report["format"], json!(format), "{at}: {}", report["format_source"]);
    assert!(!after.warnings().contains("unchanged"), "{at}: {}", after.warnings());
    let old = broken(&app, format, before);
    for (rule, count) in broken(&app, format, &after.messages) {
        assert!(old.get(&rule).is_some_and(|known| *known >= count), "{at}: breaks {rule:?}");
    }
    let dict = after.json["metadata"]["write_file_dict"].as_object().unwrap();
    for (path, content) in dict {
        let read = app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
        assert_eq!(read["answer"], *content, "{at} {path}");
    }
    assert_eq!(real.back(&app, &after), (value(before), real.system_value()), "{at}");
    let mut again = settings.clone();
    if let Some(system) = after.json.get("system") {
        again["system"] = system.clone();
    }
    assert_eq!(app.offload(&after.messages, &again).messages, after.messages, "{at}");
    let files = dict.len();
    (after, files)
}

#[test]
fn a_hard_target_is_met_or_explained() {
    let (mut met, all) = (0, histories().len());
    for real in histories() {
        let format = real.format();
        let app = TestApp::new();
        let total: u64 = app.count(&real.messages).iter().sum();
        for share in [2, 4, 20] {
            let target = (total / share).max(1);
            let settings = json!({"target_tokens": target, "format": format});
            let after = app.offload(&real.messages, &settings);
            let left = after.report()["tokens_after"].as_u64().unwrap();
            let explained = format!("target_tokens {target} cannot be met: {left} tokens remain");
            let explained = after.warnings().contains(&explained);
            // One of the two, and never both.
            assert_ne!(left <= target, explained, "{}: {left} of {target}", real.name);
            met += usize::from(left <= target);
        }
    }
    assert!(met >= all, "of three targets for each of {all} histories {met} were met");
}
