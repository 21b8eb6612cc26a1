//! Reading messages: texts, calls, results, evidence, repairs.

use raw_json::{self as raw, quote};

use super::super::super::{Dialect, OpenAiChat, choose};
use super::super::Anthropic;
use super::*;
use crate::message::{Role, ServerTool, SlotKind};
use crate::service_messages::{BRIDGE, HOLDER_PLACEHOLDER};
use crate::splice::splice;
use crate::{History, HistoryError};

#[test]
fn blocks_are_read_as_what_they_are() {
    // Role, calls, slots of results, texts, media, opaque.
    type Facts = (Role, usize, Vec<usize>, usize, u32, u64);
    let source = r#""source":{"type":"base64","media_type":"image/png","data":"AAAA"}"#;
    let image = format!(r#"{{"type":"image",{source}}}"#);
    let text = r#"{"type":"text","text":"t","cache_control":{"type":"ephemeral"}}"#;
    let table: Vec<(String, Facts)> = vec![
        (HI.into(), (Role::User, 0, vec![], 1, 0, 0)),
        (SYSTEM.into(), (Role::MidSystem, 0, vec![], 1, 0, 0)),
        (r#"{"role":"judge","content":"x"}"#.into(), (Role::Other, 0, vec![], 1, 0, 0)),
        (r#"{"role":"user"}"#.into(), (Role::User, 0, vec![], 0, 0, 0)),
        (CALLS.into(), (Role::Assistant, 2, vec![], 0, 0, 0)),
        (RESULT_A.into(), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (RESULTS.into(), (Role::Tool, 0, vec![1, 0], 0, 0, 0)),
        (RESULTS.replace("]}", &format!(",{text}]}}")), (Role::User, 0, vec![1, 0], 1, 0, 0)),
        (user(&format!("{text},{image}")), (Role::User, 0, vec![], 1, 1, 0)),
        (result(&format!("[{text},{image},{text}]")), (Role::Tool, 0, vec![2], 0, 1, 0)),
        // Records of a tool, which are not blocks, and a value.
        (result(r#"[{"query":"q","result":"r"}]"#), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (result(r#"{"rows":[1]}"#), (Role::Tool, 0, vec![1], 0, 0, 0)),
        (result("[]"), (Role::Tool, 0, vec![0], 0, 0, 0)),
        (result("null"), (Role::Tool, 0, vec![0], 0, 0, 0)),
        // Counted, but never changed; text in a result is not the user's.
        (
            result(
                r#"[{"type":"search_result","source":"u","title":"t","content":[{"type":"text","text":"x"}],"citations":{"enabled":true}},{"type":"tool_reference","tool_name":"g"},{"type":"new","x":1}]"#,
            ),
            (Role::Tool, 0, vec![0], 5, 0, 0),
        ),
        (
            user(
                r#"{"type":"document","title":"d","source":{"type":"text","media_type":"text/plain","data":"x"}}"#,
            ),
            (Role::User, 0, vec![], 2, 0, 0),
        ),
        (
            user(&format!(
                r#"{{"type":"document","source":{{"type":"content","content":[{text},{image}]}}}}"#
            )),
            (Role::User, 0, vec![], 1, 1, 0),
        ),
        (user(&format!(r#"{{"type":"document",{source}}}"#)), (Role::User, 0, vec![], 0, 1, 0)),
        (
            user(
                r#"{"type":"file","path":"a.rs","content":"fn"},{"type":"container_upload","file_id":"f"}"#,
            ),
            (Role::User, 0, vec![], 2, 1, 0),
        ),
        (
            assistant(
                r#"{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"redacted_thinking","data":"AAAAAA"},{"type":"text","text":"t"}"#,
            ),
            (Role::Assistant, 0, vec![], 2, 0, 6),
        ),
        (assistant(&format!("{SEARCH},{FOUND}")), (Role::Assistant, 0, vec![], 4, 0, 10)),
        (
            assistant(r#"{"type":"compaction","content":"x"}"#),
            (Role::Assistant, 0, vec![], 1, 0, 0),
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
        assert_eq!(v.faults, vec![], "{message}");
        assert_eq!(v.other_format, None, "{message}");
    }
}

#[test]
fn names_ids_and_places_are_those_of_the_message() {
    let message = r#"{"role":"user","content":[{"content":"old","type":"tool_result","tool_use_id":"\u0061","name":"read","content":"new"}]}"#;
    let v = view(message);
    assert_eq!(v.results[0].call_id.as_deref(), Some("a"));
    assert_eq!(v.results[0].name.as_deref(), Some("read"));
    assert_eq!(&message[v.results[0].slots[0].span.clone()], "\"new\"");
    let call = &view(CALL).calls[0];
    assert_eq!((call.id.as_deref(), call.name.as_deref()), (Some("a"), Some("f")));
    assert_eq!(call.arguments.as_ref().map(|slot| slot.kind), Some(SlotKind::Json));
    let server = view(&assistant(&format!("{SEARCH},{FOUND}"))).server;
    assert_eq!(server, [ServerTool::Call("s".into()), ServerTool::Result("s".into())]);
}

#[test]
fn what_is_no_message_is_refused_in_words() {
    for (message, found) in
        [("7", "is a number"), ("{}", "has no role"), (r#"{"role":7}"#, "has a number as role")]
    {
        assert_eq!(Anthropic.view(message).unwrap_err().found, found);
    }
    assert!(Anthropic.view("{\"role\":").unwrap_err().found.starts_with("cannot be read"));
}

#[test]
fn parts_of_other_formats_are_named() {
    for (message, home) in [
        (user(r#"{"type":"input_text","text":"x"}"#), "openai-responses"),
        (assistant(r#"{"type":"tool-call","toolCallId":"a"}"#), "ai-sdk"),
        (r#"{"role":"tool","tool_call_id":"a","content":"x"}"#.to_owned(), "openai-chat"),
    ] {
        assert_eq!(view(&message).other_format, Some(home), "{message}");
    }
    // A tool's result may contain any type.
    assert_eq!(view(&result(r#"[{"type":"function_call","x":1}]"#)).other_format, None);
}

#[test]
fn evidence_is_what_no_other_format_has() {
    let own = [
        CALL.to_owned(),
        RESULT_A.to_owned(),
        assistant(SEARCH),
        assistant(FOUND),
        assistant(r#"{"type":"thinking","thinking":"","signature":"c2ln"}"#),
        user(r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#),
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}],"stop_reason":null}"#.to_owned(),
    ];
    let others = [
        HI,
        SYSTEM,
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"a","content":"x"}"#,
        r#"{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"x"}]}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#,
        r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"f","output":{"type":"text","value":"x"}}]}"#,
        r#"{"role":"user","content":[{"type":"image","image":"AAAA"}]}"#,
        r#"{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}"#,
        r#"{"type":"ai","content":[{"type":"tool_use","id":"a","name":"f","input":{}}],"tool_calls":[]}"#,
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":"x"}]}}]}"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"x","thinkingSignature":"s"}]}"#,
        r#"{"role":"user","name":"n","content":[{"type":"tool_result","id":"a","output":"x"}]}"#,
    ];
    let evidence = |message: &str| Anthropic.evidence(&raw::fields(message).unwrap());
    for message in &own {
        assert!(evidence(message).is_some(), "{message}");
        assert!(OpenAiChat.evidence(&raw::fields(message).unwrap()).is_none(), "{message}");
    }
    for message in others {
        assert_eq!(evidence(message), None, "{message}");
    }
    assert_eq!(evidence(CALL).unwrap(), "has a part of type \"tool_use\"");
    assert_eq!(choose("auto", &[HI, CALL, RESULT_A], None).unwrap().dialect.name(), "anthropic");
    assert_eq!(choose("auto", &[HI, OK], None).unwrap().dialect.name(), "openai-chat");
}

#[test]
fn a_part_of_another_format_stops_a_detected_history() {
    let array = format!(r#"[{HI},{CALL},{{"role":"tool","tool_call_id":"a","content":"x"}}]"#);
    let detected = History::parse(&array, "auto").unwrap();
    assert!(matches!(detected.view(2), Err(HistoryError::Mixed { index: 2, .. })));
    assert!(History::parse(&array, "anthropic").unwrap().view(2).is_ok());
}

#[test]
fn own_messages_are_told_from_the_users() {
    let snapshot = "<state_snapshot>s</state_snapshot>\n(Original 3 messages are stored in: /x)";
    for text in [snapshot, BRIDGE, HOLDER_PLACEHOLDER] {
        let message = Anthropic.service_message(text, None);
        assert!(view(&message).is_service || view(&message).role == Role::System);
        assert_eq!(Anthropic.content_slots(&message).len(), 1);
        assert_eq!(broken(&[&message, OK]), []);
    }
    assert_eq!(view(&Anthropic.service_message("<state_snapshot>", None)).role, Role::User);
    // Neither system messages nor results have text to append to.
    assert_eq!(Anthropic.content_slots(SYSTEM), []);
    assert_eq!(Anthropic.content_slots(RESULTS), []);
    let both = RESULTS.replace("]}", r#",{"type":"text","text":"x"}]}"#);
    assert_eq!(Anthropic.content_slots(&both).len(), 1);
}

#[test]
fn a_moved_result_keeps_its_type_and_comes_back() {
    let blocks = r#"[ {"type":"text","text":"one"} ,{"type":"image","source":{"type":"url","url":"u"}},{"text":"two\u00e9","type":"text"}]"#;
    for content in ["\"a\\nb\"", blocks, r#"[{"query" : 1.0,"result":"r"}]"#, r#"{"a":1e400}"#, "7"]
    {
        let message = result(content);
        let was = view(&message);
        let slots = &was.results[0].slots;
        let short = quote("moved");
        let edits: Vec<_> =
            slots.iter().flat_map(|slot| slot.replaced(0, &short, SlotKind::String)).collect();
        let moved = splice(&message, &edits);
        let now = view(&moved);
        assert!(was.same_shape(&now), "{moved}");
        assert_eq!(moved.contains("\"content\":[ {"), content == blocks, "{moved}");
        let back = now.results[0].slots.iter().zip(slots);
        let edits: Vec<_> = back
            .flat_map(|(now, was)| now.replaced(0, &message[was.span.clone()], was.kind))
            .collect();
        assert_eq!(splice(&moved, &edits), message);
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let block = format!(r#"{{"type":"x_tool_result","tool_use_id":"s","content":{deep}}}"#);
    assert_eq!(view(&assistant(&block)).texts.len(), 1);
}
