//! Real histories: every one of `../shared/histories` in a format this version
//! reads, in every mode, at several thresholds. Where the folder is absent the
//! test says so and passes.

use std::path::PathBuf;

use serde_json::json;
use unburden::history::raw::{field, fields, unescape};

use crate::app::{TestApp, split};

/// Name and messages of each history, as its file spells them.
fn histories() -> Vec<(String, String)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/histories"));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: ../shared/histories is absent");
        return Vec::new();
    };
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let members = fields(&text).unwrap();
        let format = unescape(field(&members, "format").unwrap()).text.into_owned();
        if format == "openai-chat" {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            found.push((name, field(&members, "messages").unwrap().to_owned()));
        }
    }
    found.sort();
    found
}

#[test]
fn every_history_shrinks_validly_and_comes_back_whole() {
    for (name, before) in histories() {
        let mut largest = 0;
        let mut outcomes = std::collections::BTreeSet::new();
        for mode in ["auto", "compact", "compress"] {
            for threshold in [100, 500, 2_000] {
                for keep in [0, 1, 10] {
                    let settings = json!({
                        "context_manage_mode": mode, "max_total_tokens": 1_000,
                        "max_tool_message_tokens": threshold, "keep_recent_count": keep,
                    });
                    let app = TestApp::new();
                    let after = app.offload(&before, &settings);
                    let report = after.report();
                    let at = format!("{name} {settings}");
                    assert_eq!(
                        report["checks"],
                        json!({
                            "pairing": true, "references_readable": true,
                            "protected_untouched": true, "not_larger": true
                        }),
                        "{at}"
                    );
                    assert!(!after.warnings().contains("unchanged"), "{at}: {}", after.warnings());
                    outcomes.insert(report["outcome"].as_str().unwrap().to_owned());
                    let dict = after.json["metadata"]["write_file_dict"].as_object().unwrap();
                    for (path, content) in dict {
                        let read = app.read_file(&json!({"absolute_path": path}));
                        assert_eq!(read["answer"], *content, "{at} {path}");
                    }
                    let back = app.rehydrate(&after.messages);
                    let value =
                        |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                    assert_eq!(value(&back.messages), value(&before), "{at}");
                    assert_eq!(
                        app.offload(&after.messages, &settings).messages,
                        after.messages,
                        "{at}"
                    );
                    largest = largest.max(dict.len());
                }
            }
        }
        println!("{name}: {} messages, up to {largest} files, {outcomes:?}", split(&before).len());
    }
}

#[test]
fn a_hard_target_is_met_or_explained() {
    for (name, before) in histories() {
        let app = TestApp::new();
        let total: u64 = app.count(&before).iter().sum();
        for share in [2, 4, 20] {
            let target = (total / share).max(1);
            let after = app.offload(&before, &json!({"target_tokens": target}));
            let left = after.report()["tokens_after"].as_u64().unwrap();
            let explained = after.warnings().contains("target_tokens");
            assert!(left <= target || explained, "{name}: {left} of {target}");
        }
    }
}
