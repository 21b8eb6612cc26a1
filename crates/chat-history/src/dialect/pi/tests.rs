//! Messages that the dialect reads, and histories that its provider rejects.

#![allow(clippy::unwrap_used)]

use raw_json::{self as raw, quote};

use super::super::{AiSdk, Anthropic, Bedrock, Dialect, OpenAiChat, Stubs, choose};
use super::Pi;
use crate::message::{MessageView, Role, SlotKind};
use crate::repair::repair;
use crate::service_messages::{BRIDGE, HOLDER_PLACEHOLDER};
use crate::splice::splice;
use crate::{History, HistoryError};

const HI: &str = r#"{"role":"user","content":[{"type":"text","text":"hi"}],"timestamp":1}"#;
const OK: &str = r#"{"role":"assistant","content":[{"type":"text","text":"ok"}],"api":"a","provider":"p","model":"m","usage":{"input":1},"stopReason":"stop","timestamp":2}"#;
const CALLS: &str = r#"{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"read","arguments":{"path":"x"}},{"type":"toolCall","id":"b","name":"read","arguments":{}}],"stopReason":"toolUse","timestamp":3.0}"#;
const RESULT_A: &str = r#"{"role":"toolResult","toolCallId":"a","toolName":"read","content":[{"type":"text","text":"r"}],"isError":false,"details":{"diff":"long"},"timestamp":4}"#;
const RESULT_B: &str = r#"{"role":"toolResult","toolCallId":"b","toolName":"read","content":[{"type":"text","text":"r"}],"isError":false}"#;
const BASH: &str =
    r#"{"role":"bashExecution","command":"ls","output":"a b","exitCode":0,"timestamp":5}"#;

fn view(message: &str) -> MessageView {
    Pi.view(message).unwrap()
}

fn assistant(parts: &str) -> String {
    format!(r#"{{"role":"assistant","content":[{parts}],"stopReason":"stop"}}"#)
}

fn broken(messages: &[&str]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|message| view(message)).collect();
    let problems = Pi.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}

#[test]
fn messages_are_read_as_what_they_are() {
    // Role, calls, slots of results, texts, media, opaque.
    type Facts = (Role, usize, Vec<usize>, usize, u32, u64);
    let image = r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#;
    let table: Vec<(String, Facts)> = vec![
        (HI.into(), (Role::User, 0, vec![], 1, 0, 0)),
        (r#"{"role":"user","content":"hi"}"#.into(), (Role::User, 0, vec![], 1, 0, 0)),
        (HI.replace("]", &format!(",{image}]")), (Role::User, 0, vec![], 1, 1, 0)),
        (OK.into(), (Role::Assistant, 0, vec![], 1, 0, 0)),
        (CALLS.into(), (Role::Assistant, 2, vec![], 0, 0, 0)),
        (RESULT_A.into(), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (
            RESULT_A.replace("}],", &format!("}},{image},{{\"type\":\"text\",\"text\":\"\"}}],")),
            (Role::Tool, 0, vec![2], 0, 1, 0),
        ),
        (RESULT_A.replace("}],", "},{\"type\":\"new\"},7],"), (Role::Tool, 0, vec![1], 2, 0, 0)),
        (
            RESULT_B.replace(r#"[{"type":"text","text":"r"}]"#, "\"r\""),
            (Role::Tool, 0, vec![1], 0, 0, 0),
        ),
        // The text of an aborted turn stays, because some releases send it.
        (
            CALLS
                .replace("\"toolUse\"", "\"aborted\"")
                .replace(r#""content":["#, r#""content":[{"type":"text","text":"I"},"#),
            (Role::Assistant, 0, vec![], 1, 0, 0),
        ),
        (
            assistant(
                r#"{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"thinking","thinking":"x","thinkingSignature":"{\"id\":\"rs\",\"encrypted_content\":\"12345\"}"},{"type":"thinking","thinking":"[Reasoning redacted]","thinkingSignature":"AAAA","redacted":true}"#,
            ),
            (Role::Assistant, 0, vec![], 2, 0, 9),
        ),
        (BASH.into(), (Role::Tool, 0, vec![], 2, 0, 0)),
        (
            BASH.replace("\"exitCode\"", "\"excludeFromContext\":true,\"exitCode\""),
            (Role::Tool, 0, vec![], 0, 0, 0),
        ),
        (
            r#"{"role":"compactionSummary","summary":"s","tokensBefore":9}"#.into(),
            (Role::Assistant, 0, vec![], 1, 0, 0),
        ),
        (
            r#"{"role":"custom","customType":"c","content":"x","details":{"y":1}}"#.into(),
            (Role::Tool, 0, vec![], 1, 0, 0),
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
        assert_eq!((v.faults, v.other_format), (vec![], None), "{message}");
    }
    let result = &view(RESULT_A).results[0];
    assert_eq!((result.call_id.as_deref(), result.name.as_deref()), (Some("a"), Some("read")));
    for (message, found) in [("7", "is a number"), ("{}", "has no role")] {
        assert_eq!(Pi.view(message).unwrap_err().found, found);
    }
}

#[test]
fn evidence_is_what_no_other_format_has() {
    let evidence = |message: &str| Pi.evidence(&raw::fields(message).unwrap());
    let summary = r#"{"role":"branchSummary","summary":"s","fromId":"f"}"#;
    for message in [OK, CALLS, RESULT_A, BASH, summary] {
        assert!(evidence(message).is_some(), "{message}");
        for other in [&AiSdk as &dyn Dialect, &Anthropic, &OpenAiChat, &Bedrock] {
            assert_eq!(other.evidence(&raw::fields(message).unwrap()), None, "{message}");
        }
        assert_eq!(choose("auto", &[HI, message], None).unwrap().dialect.name(), "pi", "{message}");
    }
    for message in [
        HI,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"a","content":"x"}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"f","input":{}}]}"#,
        r#"{"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]}"#,
        r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#,
        r#"{"type":"ai","content":"x","tool_calls":[]}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"role":"assistant","provider":"p","content":"x"}"#,
    ] {
        assert_eq!(evidence(message), None, "{message}");
    }
    assert_eq!(evidence(RESULT_A).unwrap(), "has role \"toolResult\"");
    let foreign = assistant(r#"{"type":"tool_use","id":"a","name":"f","input":{}}"#);
    let array = format!("[{HI},{OK},{foreign}]");
    let mixed = History::parse(&array, "auto").unwrap().view(2);
    assert!(matches!(mixed, Err(HistoryError::Mixed { index: 2, other: "anthropic", .. })));
}

#[test]
fn each_rule_has_a_broken_history_and_a_sound_one() {
    let nameless = RESULT_A.replace(r#""toolCallId":"a","#, "");
    let aborted = CALLS.replace("\"toolUse\"", "\"aborted\"");
    let failed = CALLS.replace("\"toolUse\"", "\"error\"");
    let table: [(&str, usize, &[&str], &[&str]); 8] = [
        (
            "call_without_result",
            1,
            &[HI, CALLS, RESULT_A, OK],
            &[HI, CALLS, RESULT_B, RESULT_A, OK],
        ),
        ("call_without_result", 1, &[HI, CALLS], &[HI, &aborted]),
        ("call_without_result", 1, &[HI, CALLS, HI], &[HI, &failed, HI]),
        ("call_without_result", 1, &[HI, CALLS, BASH, RESULT_A, RESULT_B], &[HI, BASH]),
        ("result_without_call", 0, &[RESULT_A], &[HI]),
        ("result_without_call", 2, &[HI, &aborted, RESULT_A], &[&aborted, OK]),
        (
            "duplicate_result",
            4,
            &[HI, CALLS, RESULT_A, RESULT_B, RESULT_A],
            &[CALLS, RESULT_A, RESULT_B, CALLS, RESULT_A, RESULT_B],
        ),
        ("missing_call_id", 2, &[HI, CALLS, &nameless], &[OK]),
    ];
    for (rule, index, bad, sound) in table {
        assert!(broken(bad).contains(&(index, rule)), "{rule}: {:?}", broken(bad));
        assert_eq!(broken(sound), [], "{rule}");
    }
}

#[test]
fn a_unit_is_a_message_with_its_results() {
    let views: Vec<MessageView> =
        [HI, OK, CALLS, RESULT_A, RESULT_B, OK, BASH, HI].map(view).into();
    assert_eq!(
        Pi.unit_starts(&views.iter().collect::<Vec<_>>()),
        [true, true, true, false, false, true, true, true]
    );
}

#[test]
fn a_broken_history_is_mended() {
    let orphan = RESULT_B.replace("\"b\"", "\"z\"");
    let array = format!("[{HI},{CALLS},{RESULT_A},{RESULT_A},{HI},{orphan}]");
    let mended = repair(&History::parse(&array, "pi").unwrap()).unwrap();
    let stub = r#"{"role":"toolResult","toolCallId":"b","toolName":"read","content":[{"type":"text","text":"#;
    assert!(mended.array.contains(&format!("{CALLS},{stub}")), "{}", mended.array);
    assert!(mended.array.contains(r#""isError":true,"timestamp":3.0},{"role":"toolResult""#));
    assert!(mended.array.ends_with(&format!(",{RESULT_A},{HI}]")));
    assert_eq!(broken(&raw::elements(&mended.array).unwrap()), []);
    assert_eq!(Pi.stub_results(CALLS, &[], "x", None), Stubs::Messages(vec![]));
}

#[test]
fn own_messages_are_told_from_the_users() {
    let snapshot = "<state_snapshot>s</state_snapshot>\n(Original 3 messages are stored in: /x)";
    for text in [snapshot, BRIDGE, HOLDER_PLACEHOLDER] {
        let message = Pi.service_message(text, None);
        assert!(view(&message).is_service || view(&message).role == Role::System);
        assert_eq!(Pi.content_slots(&message).len(), 1);
    }
    assert_eq!(view(&Pi.service_message("<state_snapshot>", None)).role, Role::User);
    assert_eq!((Pi.content_slots(RESULT_A), Pi.content_slots(BASH)), (vec![], vec![]));
    assert_eq!(Pi.content_slots(OK).len(), 1);
}

#[test]
fn a_moved_result_keeps_its_type_and_comes_back() {
    let long = r#"[ {"text":"o\u00e9","type":"text"} ,{"type":"text","text":"two"}]"#;
    for content in [long, "\"plain\"", r#"{"a" : 1.0}"#] {
        let message = RESULT_A.replace(r#"[{"type":"text","text":"r"}]"#, content);
        let was = view(&message);
        let slots = &was.results[0].slots;
        let short = quote("moved");
        let edits: Vec<_> =
            slots.iter().flat_map(|slot| slot.replaced(0, &short, SlotKind::String)).collect();
        let moved = splice(&message, &edits);
        let now = view(&moved);
        assert!(was.same_shape(&now), "{moved}");
        let back = now.results[0].slots.iter().zip(slots);
        let edits: Vec<_> = back
            .flat_map(|(now, was)| now.replaced(0, &message[was.span.clone()], was.kind))
            .collect();
        assert_eq!(splice(&moved, &edits), message);
    }
}
