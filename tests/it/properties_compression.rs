//! The invariants (`docs/invariants.md`) with compression in the way, over the same
//! generated histories; 1,000 cases each.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::app::{Offloaded, TestApp, split};
use crate::history::{array, messages};
use crate::properties::{broken_rules, by_value, config};

pub(crate) fn settings() -> impl Strategy<Value = Value> {
    (
        select(vec!["auto", "compress"]),
        select(vec![0u64, 1, 100, 1_000]),
        select(vec![20u64, 100, 1_000]),
        0..6u64,
        select(vec![0u64, 0, 50, 400, 2_000]),
        prop_oneof![4 => Just(None), 1 => (100..2_000u64).prop_map(Some)],
        select(vec![None, Some("chat 7"), Some("../../x")]),
        select(vec!["all", "all", "messages"]),
    )
        .prop_map(|(mode, total, tool, keep, group, target, chat, counted)| {
            let mut all = json!({
                "context_manage_mode": mode, "compact_ratio_threshold": 0.0,
                "max_total_tokens": total, "max_tool_message_tokens": tool,
                "keep_recent_count": keep, "group_token_threshold": group,
                "counted_parts": counted, "include_files": false,
            });
            if let Some(target) = target {
                all["target_tokens"] = json!(target);
            }
            if let Some(chat) = chat {
                all["chat_id"] = json!(chat);
            }
            all
        })
}

pub(crate) fn same(was: &[String], is: &[String]) -> Result<(), TestCaseError> {
    prop_assert_eq!(was.len(), is.len());
    for (was, is) in was.iter().zip(is) {
        prop_assert_eq!(by_value(was), by_value(is));
    }
    Ok(())
}

fn is_system(message: &str) -> bool {
    message.contains("\"role\":\"system\"") || message.contains("\"role\":\"developer\"")
}

pub(crate) fn compressed(after: &Offloaded) -> bool {
    after.report()["outcome"].as_str().unwrap().contains("compressed")
}

proptest! {
    #![proptest_config(config())]

    /// I1, I2, I9: what was compressed comes back, in its order.
    #[test]
    fn every_message_comes_back(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let after = app.offload(&array(&history), &settings);
        let expected = split(&app.rehydrate(&array(&history)).messages);
        same(&expected, &split(&app.rehydrate(&after.messages).messages))?;
    }

    /// I3, I4: once is enough, and it is the same elsewhere; a kept snapshot says
    /// what a new one would.
    #[test]
    fn twice_is_once(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let first = app.offload(&array(&history), &settings);
        let files = app.files();
        let second = app.again().offload(&first.messages, &settings);
        prop_assert_eq!(&second.messages, &first.messages);
        let again = app.again().offload(&array(&history), &settings);
        prop_assert_eq!(&again.messages, &first.messages);
        prop_assert_eq!(app.files(), files);
        let elsewhere = TestApp::new().offload(&array(&history), &settings);
        prop_assert_eq!(&elsewhere.messages, &first.messages);
    }

    /// I6, I7, I8, I10, I21: protected messages are untouched, calls stay with
    /// their results, nothing grows but the message that holds the snapshot, and
    /// the report's numbers are true.
    #[test]
    fn the_conversation_stays_valid(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let before = array(&history);
        let after = app.offload(&before, &settings);
        let new = split(&after.messages);
        let report = after.report();
        prop_assert_eq!(&report["checks"], &json!({
            "pairing": true, "references_readable": true,
            "protected_untouched": true, "not_larger": true
        }));
        prop_assert!(!after.warnings().contains("are unchanged"), "{}", after.warnings());
        let rules = |messages: &[String]| {
            let mut count: HashMap<(&str, String), usize> = HashMap::new();
            for (_, rule, id) in broken_rules(messages) {
                *count.entry((rule, id)).or_default() += 1;
            }
            count
        };
        let broken_before = rules(&history);
        for (rule, count) in rules(&new) {
            prop_assert!(count <= broken_before.get(&rule).copied().unwrap_or(0), "{:?}", rule);
        }
        let keep = settings["keep_recent_count"].as_u64().unwrap() as usize;
        if settings.get("target_tokens").is_none() {
            for message in &history[history.len().saturating_sub(keep)..] {
                let snapshot = is_system(message) && compressed(&after);
                prop_assert!(snapshot || new.contains(message), "a newest message changed");
            }
        }
        let systems = |all: &[String]| all.iter().filter(|m| is_system(m)).count();
        let added = new.len() as u64 + u64::from(!compressed(&after));
        prop_assert!(systems(&new) >= systems(&history), "{}", added);
        let untouched = history.iter().filter(|m| is_system(m) && !new.contains(m)).count();
        prop_assert!(untouched <= usize::from(compressed(&after)), "one message holds snapshots");
        let total = |text: &str| app.count(text).iter().sum::<u64>();
        prop_assert_eq!(report["tokens_before"].as_u64(), Some(total(&before)));
        prop_assert_eq!(report["tokens_after"].as_u64(), Some(total(&after.messages)));
        prop_assert!(total(&after.messages) <= total(&before));
        prop_assert_eq!(report["messages_after"].as_u64(), Some(new.len() as u64));
        let changed = (0..history.len()).find(|i| new.get(*i) != Some(&history[*i]));
        let said = report["first_changed_index"].as_u64().map(|index| index as usize);
        prop_assert!(said <= changed && said.is_some() == (after.messages != before));
    }

    /// I12: each compressed message is in exactly one stored group.
    #[test]
    fn each_message_is_in_one_group(history in messages(), settings in settings()) {
        let app = TestApp::new();
        let after = app.offload(&array(&history), &settings);
        if !compressed(&after) {
            return Ok(());
        }
        let groups = after.report()["snapshot"]["groups"].as_array().unwrap().clone();
        let mut next = groups[0]["first"].as_u64().unwrap() as usize;
        let mut stored = Vec::new();
        for group in &groups {
            prop_assert_eq!(group["first"].as_u64().unwrap() as usize, next);
            next = group["last"].as_u64().unwrap() as usize + 1;
            let read = app.read_file(&json!({"absolute_path": group["path"], "max_tokens": 0}));
            let text = read["answer"].as_str().unwrap().to_owned();
            // Stubs stand for the system messages before a group.
            let stub = |message: &String| message.contains("(a system message of the history)");
            stored.extend(split(&text).into_iter().skip_while(stub));
        }
        let first = groups[0]["first"].as_u64().unwrap() as usize;
        prop_assert_eq!(stored.len(), next - first);
        for (stored, was) in stored.iter().zip(&history[first..next]) {
            let holder = stored.contains("(the system message of the history");
            prop_assert!(holder && is_system(was) || stored == was);
        }
    }

    /// I5, and I12 over time: a history that goes on, re-posted whole or from
    /// what came back, keeps what was written, and everything comes back.
    #[test]
    fn a_longer_history_comes_back_whole(
        one in messages(), two in messages(), three in messages(), settings in settings()
    ) {
        let app = TestApp::new();
        let mut whole = Vec::new();
        let mut now = Vec::new();
        let (mut stored, mut holder) = (HashMap::new(), None::<String>);
        for part in [one, two, three] {
            whole.extend(part.clone());
            now.extend(part);
            let after = app.offload(&array(&now), &settings);
            now = split(&after.messages);
            prop_assert!(!after.warnings().contains("are unchanged"), "{}", after.warnings());
            for (name, content) in app.files() {
                let known = stored.entry(name).or_insert_with(|| content.clone());
                prop_assert_eq!(&*known, &content, "a stored file never changes");
            }
            if after.report()["outcome"] == "unchanged" && holder.is_some() {
                prop_assert_eq!(now.first(), holder.as_ref());
            }
            holder = now.first().cloned();
            let expected = split(&app.rehydrate(&array(&whole)).messages);
            same(&expected, &split(&app.rehydrate(&after.messages).messages))?;
            let reposted = app.offload(&array(&whole), &settings);
            prop_assert!(!reposted.warnings().contains("are unchanged"), "{}", reposted.warnings());
            same(&expected, &split(&app.rehydrate(&reposted.messages).messages))?;
        }
    }

    /// I13: where the store cannot be written, the messages come back as they came.
    #[test]
    fn a_failing_store_costs_nothing(history in messages(), settings in settings()) {
        let app = TestApp::new();
        std::fs::write(app.folder().join("store"), "a file where a folder should be").unwrap();
        let before = array(&history);
        let after = app.offload(&before, &settings);
        prop_assert_eq!(&after.messages, &before);
    }
}
