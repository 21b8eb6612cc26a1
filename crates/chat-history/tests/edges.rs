//! Edge cases of reading, pairing, finding and repairing that whole histories rarely have.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

use chat_history::History;
use chat_history::dialect::{CallIndex, no_new_problems};
use chat_history::message::MessageView;
use chat_history::repair::repair;
use chat_history::service_messages::STUB;
use raw_json::unescape;

/// The views of openai-chat messages.
fn views(messages: &[&str]) -> Vec<MessageView> {
    let array = format!("[{}]", messages.join(","));
    History::parse(&array, "openai-chat").unwrap().views().unwrap()
}

/// Returns calls of a tool, in one message; an empty id means no id.
fn calls(ids: &[&str]) -> String {
    let call = |id: &&str| match *id {
        "" => r#"{"function":{"name":"f","arguments":"{}"}}"#.to_owned(),
        id => format!(r#"{{"id":"{id}","function":{{"name":"f","arguments":"{{}}"}}}}"#),
    };
    let calls: Vec<String> = ids.iter().map(call).collect();
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
}

const NAMELESS: &str = r#"{"role":"tool","tool_name":"f","content":"x"}"#;

/// Returns the message and the id of the call that each result answers.
fn answered(messages: &[&str]) -> Vec<Option<(usize, Option<String>)>> {
    let views = views(messages);
    let mut callers = CallIndex::default();
    let mut answered = Vec::new();
    for (index, view) in views.iter().enumerate() {
        callers.add_calls(index, view);
        let of = |result| callers.call_of(result).map(|(index, call)| (index, call.id.clone()));
        answered.extend(view.results.iter().map(of));
    }
    answered
}

#[test]
fn a_result_without_an_id_answers_a_call_of_the_last_turn() {
    let (first, last) = (calls(&[""]), calls(&[""]));
    let user = r#"{"role":"user","content":"never mind"}"#;
    assert_eq!(answered(&[&first, user, &last, NAMELESS]), [Some((2, None))]);
}

/// The first call was answered by its id, so a result without an id answers the second.
#[test]
fn a_call_that_was_answered_by_its_id_is_answered() {
    let asked = calls(&["a", "b"]);
    let by_id = r#"{"role":"tool","tool_call_id":"a","name":"f","content":"x"}"#;
    let of = |id: &str| Some((0, Some(id.to_owned())));
    assert_eq!(answered(&[&asked, by_id, NAMELESS]), [of("a"), of("b")]);
}

/// If an id repeats in a later turn, that call waits for a result again.
#[test]
fn an_id_that_repeats_is_answered_again() {
    let asked = calls(&["a"]);
    let of = |index: usize| Some((index, Some("a".to_owned())));
    assert_eq!(answered(&[&asked, NAMELESS, &asked, NAMELESS]), [of(0), of(2)]);
}

#[test]
fn two_low_surrogates_are_two_characters() {
    let text = unescape(r#""\udc00\udc00x\ud83d\ude00""#);
    assert_eq!((text.text.as_ref(), text.exact), ("\u{FFFD}\u{FFFD}x😀", false));
}

/// Ollama has no ids: the tool's name is enough.
#[test]
fn a_result_that_names_its_tool_misses_no_id() {
    let array = format!("[{},{NAMELESS}]", calls(&[""]));
    let history = History::parse(&array, "openai-chat").unwrap();
    let views = history.views().unwrap();
    assert_eq!(history.dialect().problems(&views.iter().collect::<Vec<_>>()), []);
}

/// Of two calls with one id, a single result leaves one open.
#[test]
fn each_call_that_waits_is_one_problem() {
    let history = |result: &str| {
        let array = format!("[{},{result}]", calls(&["a", "a"]));
        let history = History::parse(&array, "openai-chat").unwrap();
        let views = history.views().unwrap();
        history.dialect().problems(&views.iter().collect::<Vec<_>>())
    };
    let one = history(r#"{"role":"tool","tool_call_id":"a","content":"x"}"#);
    let both = history(r#"{"role":"user","content":"never mind"}"#);
    let waiting = |problems: &[_]| problems.iter().filter(|p| **p == one[0]).count();
    assert_eq!((waiting(&one), waiting(&both)), (1, 2), "{one:?} {both:?}");
    assert!(no_new_problems(both.clone(), one.clone()) && no_new_problems(both.clone(), vec![]));
    assert!(!no_new_problems(one.clone(), both) && !no_new_problems(vec![], one));
}

/// A resource of MCP holds its text or its bytes one level deeper than other parts.
#[test]
fn parts_are_texts_or_resources() {
    let message = concat!(
        r#"{"role":"user","content":[{"type":"text","text":"a"},"#,
        r#"{"type":"resource","resource":{"uri":"x:y","text":"b"}},"#,
        r#"{"type":"resource","resource":{"uri":"x:z","blob":"QQ=="}}]}"#
    );
    let view = &views(&[message])[0];
    let texts: Vec<&str> = view.texts.iter().map(|slot| &message[slot.span.clone()]).collect();
    assert_eq!((texts, view.media, view.unknown.as_deref()), (vec!["\"a\"", "\"b\""], 1, None));
}

#[test]
fn thoughts_under_two_names_count_once_where_they_are_the_same() {
    for (second, texts) in [("think", 1), ("other", 2)] {
        let message =
            format!(r#"{{"role":"assistant","reasoning":"think","thinking":"{second}"}}"#);
        assert_eq!(views(&[&message])[0].texts.len(), texts, "{second}");
    }
}

/// If no message decides, the first with any evidence does.
#[test]
fn the_first_of_weak_evidence_counts() {
    let ai_sdk = r#"{"role":"user","content":"a","providerOptions":{"x":{}}}"#;
    let anthropic = concat!(
        r#"{"role":"assistant","content":"#,
        r#"[{"type":"thinking","thinking":"b","signature":"c"}]}"#
    );
    for (first, second, name) in [(ai_sdk, anthropic, "ai-sdk"), (anthropic, ai_sdk, "anthropic")] {
        let array = format!("[{first},{second}]");
        let chosen = chat_history::dialect::choose("auto", &[first, second], None).unwrap();
        assert_eq!(chosen.dialect.name(), name, "{array}");
    }
}

/// The format that a snapshot states counts only if every message can be read in it.
#[test]
fn a_snapshot_decides_no_format_that_does_not_fit() {
    let hash = "1".repeat(64);
    let snapshot = format!(
        r#"{{"role":"system","content":"<state_snapshot>messages of this snapshot as they were, in gemini, blake3 {hash}"}}"#
    );
    let user = r#"{"role":"user","content":"go on"}"#;
    let chosen = chat_history::dialect::choose("auto", &[&snapshot, user], None).unwrap();
    assert_ne!(chosen.dialect.name(), "gemini");
}

/// Repairs are reported in the order of the history, in whatever order they were made.
#[test]
fn mends_are_told_in_order() {
    let stub = format!(r#"{{"role":"tool","tool_call_id":"a","content":{STUB:?}}}"#);
    let messages = [
        r#"{"role":"user","content":"go"}"#,
        r#"{"role":"tool","tool_call_id":"none","content":"x"}"#,
        &calls(&["a"]),
        &stub,
        r#"{"role":"tool","tool_call_id":"a","content":"the result"}"#,
        r#"{"role":"user","content":"and?"}"#,
    ];
    let array = format!("[{}]", messages.join(","));
    let history = History::parse(&array, "openai-chat").unwrap();
    let mended = repair(&history).unwrap();
    let told: Vec<(usize, &str)> = mended.repairs.iter().map(|m| (m.index, m.rule)).collect();
    assert_eq!(told, [(1, "result_without_call"), (3, "duplicate_result")]);
    assert!(!mended.array.contains(STUB) && mended.array.contains("the result"));
}
