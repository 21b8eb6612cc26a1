//! Messages that the dialect reads, and histories that its provider rejects.

#![allow(clippy::unwrap_used)]

use raw_json::{self as raw, quote};

use super::super::{AiSdk, Anthropic, Dialect, Gemini, OpenAiChat, Pi, Stubs, choose};
use super::Bedrock;
use crate::message::{MessageView, Role, SlotKind};
use crate::repair::repair;
use crate::service_messages::{BRIDGE, HOLDER_PLACEHOLDER};
use crate::splice::splice;
use crate::{History, HistoryError};

const HI: &str = r#"{"role":"user","content":[{"text":"hi"}]}"#;
const OK: &str = r#"{"role":"assistant","content":[{"text":"ok"}]}"#;
const CALL: &str = r#"{"role":"assistant","content":[{"text":"I look."},{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}"#;
const CALLS: &str = r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{"x":1}}},{"toolUse":{"toolUseId":"b","name":"f","input":{}}}]}"#;
const RESULT_A: &str =
    r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}}]}"#;
const RESULT_B: &str = r#"{"role":"user","content":[{"toolResult":{"toolUseId":"b","content":[{"json":{"r":1}}],"status":"success"}}]}"#;
const RESULTS: &str = r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"r"}]}},{"toolResult":{"toolUseId":"b","content":[]}},{"cachePoint":{"type":"default"}}]}"#;
const IMAGE: &str = r#"{"image":{"format":"png","source":{"bytes":"AAAA"}}}"#;

fn view(message: &str) -> MessageView {
    Bedrock.view(message).unwrap()
}

fn user(blocks: &str) -> String {
    format!(r#"{{"role":"user","content":[{blocks}]}}"#)
}

fn assistant(blocks: &str) -> String {
    format!(r#"{{"role":"assistant","content":[{blocks}]}}"#)
}

fn result(content: &str) -> String {
    user(&format!(r#"{{"toolResult":{{"toolUseId":"a","content":{content}}}}}"#))
}

fn broken<M: AsRef<str>>(messages: &[M]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|m| view(m.as_ref())).collect();
    let problems = Bedrock.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}

#[test]
fn blocks_are_read_as_what_they_are() {
    // Role, calls, slots of results, texts, media, opaque.
    type Facts = (Role, usize, Vec<usize>, usize, u32, u64);
    let file = r#"{"document":{"name":"d","format":"pdf","source":{"bytes":"AAAA"}}}"#;
    let table: Vec<(String, Facts)> = vec![
        (HI.into(), (Role::User, 0, vec![], 1, 0, 0)),
        (r#"{"role":"user","content":"hi"}"#.into(), (Role::User, 0, vec![], 1, 0, 0)),
        (user(r#"{"type":"text","text":"x"}"#), (Role::User, 0, vec![], 1, 0, 0)),
        (CALL.into(), (Role::Assistant, 1, vec![], 1, 0, 0)),
        (RESULT_B.into(), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (RESULTS.into(), (Role::Tool, 0, vec![1, 0], 0, 0, 0)),
        (
            RESULT_A.replace("]}}]", &format!(r#"]}}}},{{"text":"see"}},{file}]"#)),
            (Role::User, 0, vec![1], 1, 1, 0),
        ),
        (
            result(&format!(r#"[{{"text":"a"}},{IMAGE},{file},{{"json":[1]}}]"#)),
            (Role::Tool, 0, vec![2], 0, 2, 0),
        ),
        // No slot unless exactly one plain key can be replaced: counted and left unchanged.
        (
            result(
                r#"[{"text":"a","json":{}},{"json":{},"json":{}},{"\u006ason":{}},{"text":7},{"new":{}},7]"#,
            ),
            (Role::Tool, 0, vec![0], 6, 0, 0),
        ),
        (result("\"r\""), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (result(r#"{"r":1}"#), (Role::Tool, 0, vec![0], 1, 0, 0)),
        (
            user(
                r#"{"document":{"name":"d","format":"txt","context":"c","source":{"text":"t"}}},{"document":{"name":"d","source":{"content":[{"text":"t"},{"text":"u"}]}}},{"guardContent":{"text":{"text":"g"}}},{"searchResult":{"title":"t","source":"s","content":[{"text":"x"}]}},{"new":{"x":1}}"#,
            ),
            (Role::User, 0, vec![], 7, 0, 0),
        ),
        (
            assistant(
                r#"{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},{"reasoningContent":{"redactedContent":"AAAAAA"}},{"citationsContent":{"content":[{"text":"t"}],"citations":[{"title":"x"}]}}"#,
            ),
            (Role::Assistant, 0, vec![], 3, 0, 6),
        ),
        // A call of the provider's tool is not a call of the caller's.
        (
            assistant(
                r#"{"toolUse":{"toolUseId":"s","name":"nova_grounding","input":{},"type":"server_tool_use"}},{"toolResult":{"toolUseId":"s","content":[{"json":{"r":1}}],"type":"nova_grounding_result"}}"#,
            ),
            (Role::Assistant, 0, vec![], 3, 0, 0),
        ),
    ];
    for (message, facts) in table {
        let v = view(&message);
        let slots = v.results.iter().map(|result| result.slots.len()).collect();
        assert_eq!(
            (v.role, v.calls.len(), slots, v.texts.len(), v.media, v.opaque),
            facts,
            "{message}"
        );
        let faults = v.faults.iter().map(|fault| fault.rule.name);
        assert!(faults.clone().all(|name| name == "result_not_an_object"), "{message}");
        assert_eq!(v.other_format, None, "{message}");
    }
    for (message, found) in [("7", "is a number"), (r#"{"role":7}"#, "has a number as role")] {
        assert_eq!(Bedrock.view(message).unwrap_err().found, found);
    }
}

#[test]
fn evidence_is_what_no_other_format_has() {
    let own = [
        CALL.to_owned(),
        RESULT_A.to_owned(),
        user(IMAGE),
        assistant(r#"{"reasoningContent":{"reasoningText":{"text":"x"}}}"#),
        user(r#"{"text":"x"},{"cachePoint":{"type":"default"}}"#),
    ];
    let evidence = |message: &str| Bedrock.evidence(&raw::fields(message).unwrap());
    for message in &own {
        assert!(evidence(message).is_some(), "{message}");
        for other in [&AiSdk as &dyn Dialect, &Anthropic, &OpenAiChat, &Gemini, &Pi] {
            assert_eq!(other.evidence(&raw::fields(message).unwrap()), None, "{message}");
        }
        assert_eq!(choose("auto", &[HI, message], None).unwrap().dialect.name(), "bedrock");
    }
    // Text blocks without a type decide if there is no other evidence.
    assert!(!Bedrock.decides(&raw::fields(HI).unwrap()));
    assert_eq!(choose("auto", &[HI, OK], None).unwrap().dialect.name(), "bedrock");
    for message in [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}"#,
        r#"{"role":"user","content":[{"type":"image","image":{"format":"png","source":"x"}}]}"#,
        r#"{"role":"user","content":[{"type":"image","source":{"type":"url","url":"u"}}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"f","arguments":{}}]}"#,
        r#"{"role":"model","parts":[{"text":"x"},{"functionCall":{"name":"f","args":{}}}]}"#,
        r#"{"role":"tool","tool_call_id":"a","content":[{"text":"x"}]}"#,
        r#"{"role":"user","meta":{},"name":null,"content":[{"text":"x"}]}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#,
    ] {
        assert_eq!(evidence(message), None, "{message}");
    }
    assert_eq!(evidence(CALL).unwrap(), "has a block \"toolUse\"");
    let array = format!(r#"[{HI},{CALL},{{"role":"tool","tool_call_id":"a","content":"x"}}]"#);
    let mixed = History::parse(&array, "auto").unwrap().view(2);
    assert!(matches!(mixed, Err(HistoryError::Mixed { index: 2, other: "openai-chat", .. })));
}

#[test]
fn each_rule_has_a_broken_history_and_a_sound_one() {
    let h = |messages: &[&str]| messages.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>();
    let twice = CALLS.replace("\"b\"", "\"a\"");
    let both = RESULT_A.replace("]}}]", r#"]}},{"toolResult":{"toolUseId":"a","content":[]}}]"#);
    let failed = result("[],\"status\":\"error\"");
    let no_id = assistant(r#"{"toolUse":{"name":"f","input":{}}}"#);
    let called = |id: &str| {
        [HI.to_owned(), CALL.replace("\"a\"", id), RESULT_A.replace("\"a\"", id)].to_vec()
    };
    type Case = (&'static str, usize, Vec<String>, Vec<String>);
    let table: Vec<Case> = vec![
        ("call_without_result", 1, h(&[HI, CALLS, RESULT_A, OK]), h(&[HI, CALLS, RESULTS, OK])),
        ("call_without_result", 1, h(&[HI, CALL]), h(&[HI, OK])),
        ("call_without_result", 1, h(&[HI, CALL, HI]), h(&[HI, CALL, RESULT_A, HI])),
        ("results_apart", 3, h(&[HI, CALLS, RESULT_A, RESULT_B]), h(&[HI, CALLS, RESULTS])),
        ("results_apart", 3, h(&[HI, CALL, HI, RESULT_A]), h(&[HI, CALL, RESULT_A, HI])),
        ("result_without_call", 2, h(&[HI, OK, RESULT_A]), h(&[HI, CALL, OK, RESULT_A])),
        ("result_without_call", 0, h(&[RESULT_A, OK]), h(&[HI, OK])),
        ("duplicate_result", 2, h(&[HI, CALL, &both]), h(&[HI, CALL, RESULT_A, CALL, RESULT_A])),
        ("duplicate_call_id", 1, h(&[HI, &twice, RESULT_A]), h(&[HI, CALLS, RESULTS])),
        ("missing_call_id", 1, h(&[HI, &no_id]), h(&[HI])),
        ("invalid_call_id", 1, called("\"a b\""), called("\"f.g:1-2_\"")),
        ("arguments_not_an_object", 1, h(&[HI, &CALL.replace("{}", "\"{}\"")]), h(&[HI])),
        ("result_not_an_object", 2, h(&[HI, CALL, &result(r#"[{"json":[1]}]"#)]), h(&[HI])),
        ("empty_error_result", 2, h(&[HI, CALL, &failed]), h(&[HI, CALL, &result("[]")])),
        ("first_message_not_user", 0, h(&[OK, HI]), h(&[HI, OK])),
        ("empty_text", 0, vec![user(r#"{"text":""}"#)], h(&[HI])),
        ("blank_text", 0, vec![user(r#"{"text":"\n "}"#)], h(&[HI])),
        ("empty_content", 1, h(&[HI, &assistant("")]), h(&[HI, OK, HI])),
    ];
    for (rule, index, bad, sound) in table {
        assert!(broken(&bad).contains(&(index, rule)), "{rule}: {:?}", broken(&bad));
        assert_eq!(broken(&sound), [], "{rule}");
    }
    // Neighbouring messages of one role are accepted.
    assert_eq!(broken(&[HI, HI, OK, OK, HI]), []);
}

#[test]
fn a_unit_is_a_turn_with_its_results() {
    let starts = |messages: &[&str]| {
        let views: Vec<MessageView> = messages.iter().map(|message| view(message)).collect();
        Bedrock.unit_starts(&views.iter().collect::<Vec<_>>())
    };
    assert_eq!(
        starts(&[HI, OK, CALLS, RESULT_A, RESULT_B, OK, HI]),
        [true, true, false, false, false, true, true]
    );
    // Text between them does not separate them, because the API merges both messages into one turn.
    assert_eq!(
        starts(&[HI, CALLS, RESULT_A, HI, RESULT_B, HI, OK, HI]),
        [true, true, false, false, false, true, true, true]
    );
    assert_eq!(starts(&[HI, RESULT_A, OK, HI]), [true, true, true, true]);
}

#[test]
fn a_moved_result_keeps_its_place_and_comes_back() {
    let blocks = r#"[ {"text":"o\u00e9"} ,{"json" : {"a":1e400, "a":[2]}},{"image":{"format":"png","source":{"bytes":"A"}}},{"json":[1.0]}]"#;
    for content in [blocks, "\"plain\"", r#"[{"json":"text"}]"#, r#"[{"x":null,"json":{}}]"#] {
        let message = result(content);
        let was = view(&message);
        let slots = &was.results[0].slots;
        let short = quote("moved");
        let edits: Vec<_> =
            slots.iter().flat_map(|slot| slot.replaced(0, &short, SlotKind::String)).collect();
        let moved = splice(&message, &edits);
        let now = view(&moved);
        assert!(was.same_shape(&now), "{moved}");
        assert_eq!(moved.contains(r#",{"text" : "moved"},"#), content == blocks, "{moved}");
        let back = now.results[0].slots.iter().zip(slots);
        let edits: Vec<_> = back
            .flat_map(|(now, was)| now.replaced(0, &message[was.span.clone()], was.kind))
            .collect();
        assert_eq!(splice(&moved, &edits), message);
    }
}

#[test]
fn a_broken_history_is_mended() {
    // An orphan next to text, an orphan with only a cache point, a call that a message interrupts.
    let orphan = RESULT_A.replace("]}}]", r#"]}},{"text":"see"}]"#);
    let cached = RESULT_A.replace("]}}]", r#"]}},{"cachePoint":{"type":"default"}}]"#);
    let array = format!("[{orphan},{OK},{cached},{CALLS},{RESULT_B},{CALL},{HI},{CALL}]");
    let mended = repair(&History::parse(&array, "bedrock").unwrap()).unwrap();
    let messages = raw::elements(&mended.array).unwrap();
    assert_eq!(broken(&messages), [], "{}", mended.array);
    assert_eq!(messages.len(), 8);
    assert_eq!(messages[0], user(r#"{"text":"see"}"#));
    assert!(messages[3].contains(r#""content":[{"toolResult":{"toolUseId":"a""#));
    assert!(messages[5].ends_with(r#"]}},{"text":"hi"}]}"#));
    let own = Bedrock.service_message(BRIDGE, None);
    let asked = view(CALL);
    let calls: Vec<_> = asked.calls.iter().collect();
    for next in [None, Some(own.as_str()), Some(OK)] {
        let Stubs::Messages(stubs) = Bedrock.stub_results(CALL, &calls, "(lost)", next) else {
            panic!("{next:?}")
        };
        assert_eq!(broken(&[HI, CALL, &stubs[0]]), []);
    }
    assert_eq!(Bedrock.stub_results(CALL, &[], "x", None), Stubs::Messages(vec![]));
    assert_eq!(Bedrock.without_results(HI, &[]), Some(HI.to_owned()));
}

#[test]
fn own_messages_are_told_from_the_users() {
    let snapshot = "<state_snapshot>s</state_snapshot>\n(Original 3 messages are stored in: /x)";
    for text in [snapshot, BRIDGE, HOLDER_PLACEHOLDER] {
        let message = Bedrock.service_message(text, None);
        assert!(view(&message).is_service || view(&message).role == Role::System);
        assert_eq!(Bedrock.content_slots(&message).len(), 1);
        assert_eq!(broken(&[&message, OK]), []);
        // Without other messages it is recognised by its shape.
        assert_eq!(choose("auto", &[&message, HI], None).unwrap().dialect.name(), "bedrock");
        let typed = Anthropic.service_message(text, None);
        assert_eq!(choose("auto", &[&typed], None).unwrap().dialect.name(), "anthropic");
    }
    assert_eq!(view(&Bedrock.service_message("<state_snapshot>", None)).role, Role::User);
    assert_eq!(Bedrock.content_slots(RESULTS), []);
    assert_eq!(Bedrock.content_slots(CALL).len(), 1);
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(
        view(&user(&format!(r#"{{"citationsContent":{{"citations":{deep}}}}}"#))).texts.len(),
        1
    );
    assert_eq!(view(&result(&format!(r#"[{{"json":{deep}}}]"#))).results[0].slots.len(), 1);
}
