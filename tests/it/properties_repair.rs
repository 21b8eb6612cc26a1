//! Formats are found as they are named, and a broken history is mended without a
//! change to anything else – in every format.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use raw_json::canonical;
use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::formats::rules::broken;
use crate::formats::{FORMATS, Format, Posted, posted, posted_in};
use crate::properties::{config, settings};

/// Mends, and does nothing else.
fn mended(posted: &Posted, app: &TestApp) -> (String, Vec<Value>) {
    let settings = json!({"repair": true, "max_total_tokens": 100_000_000});
    let answer = posted.offload(app, &settings).after;
    let repairs = answer.report()["repairs"].as_array().cloned().unwrap_or_default();
    (answer.messages, repairs)
}

/// Results in one message after their calls keep these; no message is gone without one.
const GATHERED: [&str; 3] = ["results_apart", "results_not_first", "result_count_differs"];

const MENDABLE: [&str; 6] = [
    "result_without_call",
    "call_without_result",
    "duplicate_result",
    GATHERED[0],
    GATHERED[1],
    GATHERED[2],
];

/// Histories of the formats whose results always name their calls.
fn posted_with_ids() -> impl Strategy<Value = Posted> {
    let with_ids = |format: &Format| !matches!(format, Format::Gemini | Format::GeminiSnake);
    select(FORMATS.into_iter().filter(with_ids).collect::<Vec<_>>()).prop_flat_map(posted_in)
}

proptest! {
    #![proptest_config(config())]

    /// A call names the format: found, it gives the bytes that naming it gives.
    #[test]
    fn a_format_is_found_by_its_calls(posted in posted(), settings in settings()) {
        prop_assume!(posted.calls);
        let named = Posted { named: true, ..posted.clone() };
        let found = Posted { named: false, ..posted.clone() };
        let by_name = named.offload(&TestApp::new(), &settings);
        let by_look = found.offload(&TestApp::new(), &settings);
        prop_assert_eq!(by_look.after.report()["format"].as_str(), Some(posted.format.name()));
        prop_assert_eq!(&by_look.after.messages, &by_name.after.messages);
        prop_assert_eq!(&by_look.system, &by_name.system);
    }

    /// What calls and results a provider would reject is gone, and all else is as
    /// it came: a message is as it was, or it lost or got a result.
    #[test]
    fn a_mended_history_has_its_pairs(posted in posted()) {
        let app = TestApp::new();
        let before = posted.array();
        let (after, repairs) = mended(&posted, &app);
        let told = posted.validate(&app, &before);
        let left = posted.validate(&app, &after);
        let left: Vec<_> =
            left.into_iter().filter(|(rule, _)| MENDABLE.contains(&rule.as_str())).collect();
        prop_assert_eq!(left, Vec::new(), "of {:?}", told);
        let pairs = broken(posted.format, &split(&after));
        let pairs: Vec<_> = pairs
            .into_iter()
            .filter(|(rule, _)| ["orphan", "unanswered"].contains(&rule.as_str()))
            // Nothing can answer a call without an id.
            .filter(|(_, id)| !["null", "\"\""].contains(&id.as_str()))
            .collect();
        prop_assert_eq!(pairs, Vec::new());
        if !told.iter().any(|(rule, _)| MENDABLE.contains(&rule.as_str())) {
            prop_assert_eq!(&after, &before);
            prop_assert_eq!(repairs, Vec::<Value>::new());
            return Ok(());
        }
        prop_assert!(!repairs.is_empty());
        let new = split(&after);
        let (mut at, mut gone) = (0, 0);
        for message in &posted.messages {
            match new[at..].iter().position(|is| is == message) {
                Some(found) => at += found + 1,
                None => gone += 1,
            }
        }
        let is_gathered = |repair: &Value| GATHERED.contains(&repair["rule"].as_str().unwrap());
        if !repairs.iter().any(is_gathered) {
            prop_assert!(gone <= 2 * repairs.len(), "{} changed by {:?}", gone, repairs);
        }
        let (again, repairs) = mended(&posted.with(new, posted.system.clone()), &app);
        prop_assert_eq!(again, crate::history::array(&split(&after)));
        prop_assert_eq!(repairs, Vec::<Value>::new());
    }

    /// Whoever posts between a call and its results, and goes on from what came back,
    /// has in the end the history of who waited. Ids tell which result came late, so
    /// each call must have its own.
    #[test]
    fn a_stub_gives_way_to_the_result(posted in posted_with_ids(), at in any::<Index>()) {
        let app = TestApp::new();
        // Its beginning alone may look like another format.
        let posted = Posted { named: true, ..posted };
        let all = canonical(&posted.array()).to_lowercase();
        let unclear = ["id\":\"\"", "id\":null", "_same\""].iter().any(|id| all.contains(id));
        let sound = || posted.validate(&app, &posted.array()).is_empty();
        if posted.messages.is_empty() || unclear || !sound() {
            return Ok(());
        }
        let (said, to_come) = posted.messages.split_at(at.index(posted.messages.len()) + 1);
        let begun = posted.with(said.to_vec(), posted.system.clone());
        // A later call with the id of one that waits takes its result.
        let is_shared = |(_, id): (String, String)| {
            to_come.iter().filter(|message| canonical(message).contains(&id)).count() > 1
        };
        if posted.validate(&app, &begun.array()).into_iter().any(is_shared) {
            return Ok(());
        }
        let (mut grown, _) = mended(&begun, &app);
        grown = crate::history::array(&[split(&grown), to_come.to_vec()].concat());
        let grown = posted.with(split(&grown), posted.system.clone());
        let (after, _) = mended(&grown, &app);
        // A message that a stub stood in is put together anew.
        let values = |messages: &[String]| -> Vec<String> {
            messages.iter().map(|message| canonical(message)).collect()
        };
        prop_assert_eq!(values(&split(&after)), values(&posted.messages));
    }
}

/// Most histories of these properties break no rule: a promise about valid ones is
/// about nothing otherwise.
#[test]
fn most_histories_are_sound() {
    let app = TestApp::new();
    for format in FORMATS {
        let mut runner = TestRunner::deterministic();
        let (mut sound, mut with_calls) = (0, 0);
        for _ in 0..100 {
            let posted = posted_in(format).new_tree(&mut runner).unwrap().current();
            let told = posted.validate(&app, &posted.array());
            let is_sound = told.is_empty() && broken(format, &posted.messages).is_empty();
            sound += usize::from(is_sound);
            with_calls += usize::from(is_sound && posted.calls);
        }
        assert!(sound >= 70 && with_calls >= 50, "{format:?}: {sound}, {with_calls} with calls");
    }
}
