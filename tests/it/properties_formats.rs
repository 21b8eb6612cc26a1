//! The invariants (`docs/invariants.md`) over every format except `openai-chat`. One
//! answer is looked at from many sides: what the sides are called stands in
//! [`Compacted`] and [`Compressed`].

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::formats::rules::{broken, counted, tree, worse};
use crate::formats::{Answered, Format, Posted, holes::frame, posted, read_back};
use crate::history::array;
use crate::properties::{config, holds, new_references, settings, value_of};
use crate::properties_compression::{compressed, same, settings as compressing};

type Holds = Result<(), TestCaseError>;

/// An answer of compaction, and what it is an answer to.
struct Compacted<'a> {
    app: TestApp,
    posted: &'a Posted,
    settings: &'a Value,
    before: String,
    answer: Answered,
    new: Vec<String>,
}

impl<'a> Compacted<'a> {
    fn of(posted: &'a Posted, settings: &'a Value) -> Compacted<'a> {
        let app = TestApp::new();
        let answer = posted.offload(&app, settings);
        let new = split(&answer.after.messages);
        Compacted { app, posted, settings, before: posted.array(), answer, new }
    }

    /// I1 losslessness, I2 closure: each new reference is readable, and everything
    /// comes back, the system prompt too.
    fn nothing_is_lost(&self) -> Holds {
        let old = &self.posted.messages;
        for (_, path) in new_references(old, &self.new) {
            let read = self.app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
            let mut stored = read["answer"].as_str().unwrap().to_owned();
            if path.ends_with(".jsonl") {
                stored = record_files::file::parse(&stored).unwrap().rebuild().unwrap();
            }
            let held = old.iter().any(|message| holds(message, &stored));
            prop_assert!(held, "{path} holds what no message held");
        }
        comes_back(self.posted, &self.app, &self.before, &self.answer)
    }

    /// I3 idempotence, I4 determinism.
    fn once_is_enough(&self) -> Holds {
        is_stable(self.posted, &self.app, self.settings, &self.answer)
    }

    /// I6, I7: nothing but the texts of results changes, and none of the newest.
    fn all_else_is_untouched(&self) -> Holds {
        let (old, new) = (&self.posted.messages, &self.new);
        prop_assert_eq!(old.len(), new.len());
        prop_assert_eq!(&self.answer.system, &self.posted.system);
        let user = self.settings.get("compact_roles").is_some();
        let keep = self.settings["keep_recent_count"].as_u64().unwrap() as usize;
        let recent = old.len().saturating_sub(keep);
        let targeted = self.settings.get("target_tokens").is_some();
        for (index, (was, is)) in old.iter().zip(new).enumerate() {
            let format = self.posted.format;
            prop_assert_eq!(frame(format, was, user), frame(format, is, user), "{}", index);
            prop_assert!(index < recent || targeted || was == is, "message {} is recent", index);
        }
        prop_assert_eq!(gaps(&self.before, old), gaps(&self.answer.after.messages, new));
        Ok(())
    }

    /// I8 pairing, by rules of the test's own and by those of the service.
    fn pairs_stay(&self) -> Holds {
        let Posted { format, messages, sound, .. } = self.posted;
        let rules = |messages: &[String]| counted(broken(*format, messages));
        prop_assert_eq!(rules(messages), rules(&self.new));
        let told = self.posted.validate(&self.app, &self.before);
        prop_assert_eq!(&told, &self.posted.validate(&self.app, &self.answer.after.messages));
        if *sound {
            prop_assert_eq!(&rules(messages), &HashMap::new());
            prop_assert_eq!(told, Vec::new());
        }
        Ok(())
    }

    /// I10 not larger, I21 accounting, and what the report says of itself.
    fn the_report_is_true(&self) -> Holds {
        let after = &self.answer.after;
        let report = after.report();
        let system = self.posted.system.as_deref();
        let (all_before, before) = self.posted.count(&self.app, &self.before, system);
        let (all_after, now) = self.posted.count(&self.app, &after.messages, system);
        for (was, is) in before.iter().zip(&now) {
            prop_assert!(is <= was);
        }
        prop_assert_eq!(report["tokens_before"].as_u64(), Some(all_before));
        prop_assert_eq!(report["tokens_after"].as_u64(), Some(all_after));
        prop_assert_eq!(report["format"].as_str(), Some(self.posted.format.name()));
        passes(after.report())?;
        let old = &self.posted.messages;
        let changed: BTreeSet<u64> =
            (0..old.len()).filter(|i| old[*i] != self.new[*i]).map(|i| i as u64).collect();
        prop_assert_eq!(report["first_changed_index"].as_u64(), changed.first().copied());
        let actions = report["actions"].as_array().unwrap().iter();
        let acts = actions.filter(|action| action["action"] != "keep");
        let said: BTreeSet<u64> = acts.map(|action| action["index"].as_u64().unwrap()).collect();
        prop_assert_eq!(said, changed);
        Ok(())
    }
}

/// An answer of compression, and what it is an answer to.
struct Compressed<'a>(Compacted<'a>);

impl Compressed<'_> {
    /// I6, I7, I9: what stays is what came, in its order, but for the one message
    /// that holds the snapshots; the newest all stay.
    fn survivors_are_untouched(&self) -> Holds {
        let Compacted { posted, settings, answer, new, .. } = &self.0;
        let old = &posted.messages;
        let targeted = settings.get("target_tokens").is_some();
        // A hard target may have moved the results of the newest as well, and `auto`
        // those of messages that it does not compress.
        let compacts = targeted || settings["context_manage_mode"] == "auto";
        let seen = |message: &String| match compacts {
            true => frame(posted.format, message, false),
            false => message.clone(),
        };
        let came: Vec<String> = old.iter().map(seen).collect();
        let (mut at, mut strange) = (0, 0);
        for message in new.iter().map(seen) {
            match came[at..].iter().position(|was| *was == message) {
                Some(found) => at += found + 1,
                // Opens what the user has to open.
                None if message.contains("(The messages before this one are summarised") => {}
                None => strange += 1,
            }
        }
        let beside = answer.system != posted.system;
        prop_assert!(strange <= 1, "{} messages that did not come", strange);
        let is_system = |message: &&String| is_system(posted.format, message);
        // Words that look like the service's own are somebody's who repeats them. Among the
        // turns of Anthropic's a system message holds where it stands, and leaves with them; a
        // user's message ends the front, whatever it repeats.
        let front = old.iter().take_while(|message| has_systems_role(message)).count();
        let stays = |index: usize| posted.format != Format::Anthropic || index < front;
        let systems = old.iter().enumerate().filter(|one| is_system(&one.1) && !is_ours(one.1));
        let systems = systems.filter(|(index, _)| stays(*index));
        let kept = systems.filter(|(_, message)| !new.contains(message)).count();
        prop_assert!(kept <= usize::from(!beside), "one message holds the snapshots");
        let keep = settings["keep_recent_count"].as_u64().unwrap() as usize;
        if !targeted {
            for message in &old[old.len().saturating_sub(keep)..] {
                prop_assert!(is_system(&message) || new.contains(message), "{} is recent", message);
            }
        }
        Ok(())
    }

    /// I8 pairing: no rule is broken more often than before.
    fn pairs_stay(&self) -> Holds {
        let Compacted { app, posted, answer, new, before, .. } = &self.0;
        let Posted { format, messages, sound, .. } = posted;
        let now = broken(*format, new);
        prop_assert_eq!(worse(broken(*format, messages), now.clone()), Vec::new());
        let told = posted.validate(app, &answer.after.messages);
        prop_assert_eq!(worse(posted.validate(app, before), told.clone()), Vec::new());
        if *sound {
            prop_assert_eq!((now, told), (Vec::new(), Vec::new()));
        }
        Ok(())
    }

    /// I10 not larger, I21 accounting, with the system prompt.
    fn it_is_smaller(&self) -> Holds {
        let Compacted { app, posted, answer, before, .. } = &self.0;
        let report = answer.after.report();
        let was = posted.count(app, before, posted.system.as_deref()).0;
        let is = posted.count(app, &answer.after.messages, answer.system.as_deref()).0;
        prop_assert!(is < was, "{} tokens became {}", was, is);
        let prompt = match self.0.settings["counted_parts"].as_str() {
            Some("messages") => was - posted.count(app, before, None).0,
            _ => 0,
        };
        let (was, is) = (was - prompt, is - prompt);
        prop_assert_eq!(report["tokens_before"].as_u64(), Some(was));
        prop_assert_eq!(report["tokens_after"].as_u64(), Some(is));
        passes(report)
    }

    /// I12 totality: each compressed message is in exactly one stored group.
    fn each_message_is_in_one_group(&self) -> Holds {
        let Compacted { app, posted, answer, .. } = &self.0;
        let groups = answer.after.report()["snapshot"]["groups"].as_array().unwrap().clone();
        let first = groups[0]["first"].as_u64().unwrap() as usize;
        let (mut next, mut stored) = (first, Vec::new());
        for group in &groups {
            prop_assert_eq!(group["first"].as_u64().unwrap() as usize, next);
            next = group["last"].as_u64().unwrap() as usize + 1;
            let read = app.read_file(&json!({"absolute_path": group["path"], "max_tokens": 0}));
            // Stubs stand for the system messages before a group.
            let stub = |message: &String| message.contains("(a system message of the history)");
            stored.extend(split(read["answer"].as_str().unwrap()).into_iter().skip_while(stub));
        }
        prop_assert_eq!(stored.len(), next - first);
        for (stored, was) in stored.iter().zip(&posted.messages[first..next]) {
            let holder = stored.contains("(the system message of the history");
            prop_assert!(holder && is_system(posted.format, was) || stored == was);
        }
        Ok(())
    }
}

/// What the answer becomes when it is put back is what the history becomes.
pub(crate) fn comes_back(posted: &Posted, app: &TestApp, before: &str, answer: &Answered) -> Holds {
    let system = answer.system.as_deref();
    let (messages, system) = posted.rehydrate(app, &answer.after.messages, system);
    // Texts that were references before they came are put back as well.
    let expected = posted.rehydrate(app, before, posted.system.as_deref());
    same(&split(&expected.0), &split(&messages))?;
    prop_assert_eq!(expected.1.as_deref().map(value_of), system.as_deref().map(value_of));
    Ok(())
}

/// The answer stays what it is, writes nothing again, and is the same elsewhere.
fn is_stable(posted: &Posted, app: &TestApp, settings: &Value, answer: &Answered) -> Holds {
    let files = app.files();
    let messages = &answer.after.messages;
    let second = posted.offload_as(&app.again(), messages, answer.system.as_deref(), settings);
    prop_assert_eq!(&second.after.messages, messages);
    prop_assert_eq!(&second.system, &answer.system);
    prop_assert_eq!(app.files(), files.clone());
    for again in [app.again(), TestApp::new()] {
        let again = posted.offload(&again, settings);
        prop_assert_eq!(&again.after.messages, messages);
        prop_assert_eq!(&again.system, &answer.system);
    }
    Ok(())
}

/// Every check passed, and the answer did not fall back to what came.
fn passes(report: &Value) -> Holds {
    let checks = json!({
        "pairing": true, "references_readable": true,
        "protected_untouched": true, "not_larger": true
    });
    prop_assert_eq!(&report["checks"], &checks);
    let warnings = report["warnings"].to_string();
    prop_assert!(!warnings.contains("unchanged"), "{}", warnings);
    Ok(())
}

/// The bytes between the messages of an array.
fn gaps(whole: &str, parts: &[String]) -> Vec<String> {
    let mut rest = whole;
    let gap = |part: &String| {
        let at = rest.find(part.as_str()).unwrap();
        let gap = rest[..at].to_owned();
        rest = &rest[at + part.len()..];
        gap
    };
    parts.iter().map(gap).collect()
}

/// True for a message with words as only the service writes them, or who forges them.
fn is_ours(message: &str) -> bool {
    let own = ["\"<state_snapshot>", "\"(The messages before this one", "\"(a system message of"];
    let message = tree(message).to_string();
    own.iter().any(|text| message.contains(text))
}

/// True for the operator's words, and where a format has none for what reads as
/// this service's own.
fn is_system(format: Format, message: &str) -> bool {
    let apart = [Format::Anthropic, Format::Gemini, Format::GeminiSnake, Format::AiSdk];
    has_systems_role(message)
        || (apart.contains(&format) && tree(message)["role"] == "user" && is_ours(message))
}

fn has_systems_role(message: &str) -> bool {
    let message = tree(message);
    let names = ["system", "developer", "SystemMessage"];
    let of = |value: &Value| value.as_str().is_some_and(|name| names.contains(&name));
    [&message["role"], &message["type"], &message["id"][3]].into_iter().any(of)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn compaction_keeps_its_promises(posted in posted(), settings in settings()) {
        let compacted = Compacted::of(&posted, &settings);
        compacted.nothing_is_lost()?;
        compacted.once_is_enough()?;
        compacted.all_else_is_untouched()?;
        compacted.pairs_stay()?;
        compacted.the_report_is_true()?;
    }

    #[test]
    fn compression_keeps_its_promises(posted in posted(), settings in compressing()) {
        let compacted = Compacted::of(&posted, &settings);
        comes_back(&posted, &compacted.app, &compacted.before, &compacted.answer)?;
        compacted.once_is_enough()?;
        if !compressed(&compacted.answer.after) {
            compacted.all_else_is_untouched()?;
            // A broken history may have no shorter form that breaks no further rule.
            return if posted.sound { passes(compacted.answer.after.report()) } else { Ok(()) };
        }
        let compressed = Compressed(compacted);
        compressed.survivors_are_untouched()?;
        compressed.pairs_stay()?;
        compressed.it_is_smaller()?;
        compressed.each_message_is_in_one_group()?;
    }

    /// I5 prefix stability: what was compacted once keeps its bytes as the history
    /// goes on, sent whole or from what came back.
    #[test]
    fn a_longer_history_keeps_its_beginning(
        whole in posted(), cut in 0..100usize, settings in settings()
    ) {
        // A hard target may ask for more with every message, and says so.
        prop_assume!(settings.get("target_tokens").is_none());
        let app = TestApp::new();
        let cut = whole.messages.len() * cut / 100;
        let (history, more) = whole.messages.split_at(cut);
        // A beginning without a call may not say which format it is.
        let whole = Posted { named: true, ..whole.clone() };
        let first = whole.with(history.to_vec(), whole.system.clone()).offload(&app, &settings);
        let compacted = split(&first.after.messages);
        let later = whole.offload(&app, &settings);
        let reposted = split(&later.after.messages);
        let continued = array(&[&compacted, more].concat());
        let system = whole.system.as_deref();
        let continued = whole.offload_as(&app, &continued, system, &settings);
        let continued = split(&continued.after.messages);
        for (index, old) in compacted.iter().enumerate() {
            if *old != history[index] {
                prop_assert_eq!(old, &reposted[index], "message {} of the longer history", index);
                prop_assert_eq!(old, &continued[index], "message {} of the continued one", index);
            }
        }
        let changed = later.after.report()["first_changed_index"].as_u64().unwrap_or(u64::MAX);
        for (index, (old, new)) in whole.messages.iter().zip(&reposted).enumerate() {
            prop_assert!(index as u64 >= changed || old == new);
        }
    }

    /// I3: what was read back from a file is never stored a second time: it stays,
    /// or becomes that file's reference again.
    #[test]
    fn what_was_read_back_is_not_stored_again(posted in posted(), settings in settings()) {
        prop_assume!(posted.sound);
        let app = TestApp::new();
        let answer = posted.offload(&app, &settings);
        let messages = split(&answer.after.messages);
        let found = new_references(&posted.messages, &messages);
        let is_text = |(_, path): &&(usize, String)| path.ends_with(".txt");
        let Some((_, path)) = found.iter().find(is_text) else { return Ok(()) };
        let read = app.read_file(&json!({"absolute_path": path, "max_tokens": 0}));
        let text = read["answer"].as_str().unwrap();
        // Another result may say the same, and is stored under its own name.
        let same = posted.messages.iter().filter(|message| holds(message, text)).count();
        prop_assume!(same <= 1);
        let files = app.files();
        let back = read_back(posted.format, path, text);
        let longer = posted.with([messages, back.clone()].concat(), posted.system.clone());
        let settings = {
            let mut settings = settings;
            settings["keep_recent_count"] = json!(0);
            settings
        };
        let after = longer.offload(&app, &settings);
        let new = split(&after.after.messages);
        let stored = |(name, content): &(String, Vec<u8>)| {
            content == text.as_bytes() && !files.iter().any(|(known, _)| known == name)
        };
        prop_assert!(!app.files().iter().any(stored), "{} is stored again", path);
        let (was, is) = (back.last().unwrap(), new.last().unwrap());
        let line = format!("(detailed result is stored in {path})");
        prop_assert!(was == is || is.contains(&line), "{}", is);
        prop_assert_eq!(frame(posted.format, was, false), frame(posted.format, is, false));
        comes_back(&longer, &app, &longer.array(), &after)?;
    }

    /// I11: below every threshold the bytes come back and nothing is opened. I13:
    /// where the store cannot be written they come back with the reason.
    #[test]
    fn nothing_happens_below_the_floor_or_without_a_store(
        posted in posted(), settings in prop_oneof![settings(), compressing()]
    ) {
        let app = TestApp::new();
        let before = posted.array();
        let (total, _) = posted.count(&app, &before, posted.system.as_deref());
        let floor = json!({"max_total_tokens": total + 1, "max_tool_message_tokens": 0});
        let same = posted.offload(&app, &floor);
        prop_assert_eq!(&same.after.messages, &before);
        prop_assert_eq!(&same.system, &posted.system);
        prop_assert!(app.files().is_empty());
        let healthy = posted.offload(&TestApp::new(), &settings);
        std::fs::write(app.folder().join("store"), "a file where a folder should be").unwrap();
        let failed = posted.offload(&app, &settings);
        prop_assert_eq!(&failed.after.messages, &before);
        prop_assert_eq!(&failed.system, &posted.system);
        if healthy.after.messages != before {
            prop_assert!(failed.after.warnings().contains("unchanged"), "{}", failed.after.warnings());
        }
    }
}
