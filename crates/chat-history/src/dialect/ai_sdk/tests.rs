//! Shapes, rules with valid counterparts, and texts that are replaced and restored.

use super::*;
use crate::message::SlotKind;
use crate::service_messages::BRIDGE;
use crate::splice::splice;

const CALL: &str = r#"{"type":"tool-call","toolCallId":"c1","toolName":"f","input":{"a":1}}"#;
const CALL_2: &str = r#"{"type":"tool-call","toolCallId":"c2","toolName":"g","input":{}}"#;
const ASKS: &str = r#"{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}"#;
const CONSENT: &str = r#"{"role":"tool","content":[{"type":"tool-approval-response","approvalId":"a1","approved":true}]}"#;
const USER: &str = r#"{"role":"user","content":"go on"}"#;

/// A history, and the rules that it breaks, with their messages.
type Case<'a> = (&'a [&'a str], &'a [(usize, &'static str)]);

fn view(message: &str) -> MessageView {
    AiSdk.view(message).expect("a message")
}

fn says(parts: &[&str]) -> String {
    format!(r#"{{"role":"assistant","content":[{}]}}"#, parts.join(","))
}

fn result(id: &str, output: &str) -> String {
    format!(r#"{{"type":"tool-result","toolCallId":"{id}","toolName":"f",{output}}}"#)
}

fn tool(results: &[&str]) -> String {
    let results: Vec<String> =
        results.iter().map(|id| result(id, r#""output":{"type":"text","value":"r"}"#)).collect();
    format!(r#"{{"role":"tool","content":[{}]}}"#, results.join(", "))
}

fn broken(messages: &[&str]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|message| view(message)).collect();
    let problems = AiSdk.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}

#[test]
fn views_of_shapes() {
    let image = r#"{"type":"image","image":"AAAA"}"#;
    let file = r#"{"type":"file","data":"AAAA","mediaType":"application/pdf"}"#;
    let own = quote(BRIDGE);
    // message, role, calls, results, texts, media
    let table = [
        (r#"{"role":"system","content":"be good"}"#.to_owned(), Role::System, [0, 0, 1, 0]),
        (USER.to_owned(), Role::User, [0, 0, 1, 0]),
        (format!(r#"{{"role":"user","content":{own}}}"#), Role::System, [0, 0, 1, 0]),
        (
            format!(r#"{{"role":"user","content":[{{"type":"text","text":{own}}}]}}"#),
            Role::System,
            [0, 0, 1, 0],
        ),
        (
            format!(r#"{{"role":"user","content":[{image},{file},{{"type":"text","text":"x"}}]}}"#),
            Role::User,
            [0, 0, 1, 2],
        ),
        (
            says(&[r#"{"type":"reasoning","text":"hm","providerOptions":{"x":{}}}"#, CALL, CALL_2]),
            Role::Assistant,
            [2, 0, 1, 0],
        ),
        (says(&[CALL, ASKS]), Role::Assistant, [1, 0, 0, 0]),
        (tool(&["c1", "c2"]), Role::Tool, [0, 2, 0, 0]),
        (CONSENT.to_owned(), Role::Tool, [0, 0, 0, 0]),
        (r#"{"role":"data","content":"x"}"#.to_owned(), Role::Other, [0, 0, 1, 0]),
    ];
    for (message, role, [calls, results, texts, media]) in table {
        let view = view(&message);
        assert_eq!(if view.is_service { Role::System } else { view.role }, role, "{message}");
        let found = (view.calls.len(), view.results.len(), view.texts.len(), view.media);
        assert_eq!(
            found,
            (calls, results, texts, u32::try_from(media).expect("small")),
            "{message}"
        );
    }
}

#[test]
fn tools_of_the_provider_are_counted_and_left_alone() {
    let call = r#"{"type":"tool-call","toolCallId":"p","toolName":"web","input":{"q":1},"providerExecuted":true}"#;
    let found = result("p", r#""output":{"type":"json","value":{"r":1}}"#);
    let message = says(&[call, &found]);
    let view = view(&message);
    assert!(view.calls.is_empty() && view.results.is_empty());
    let texts: Vec<&str> = view.texts.iter().map(|slot| &message[slot.span.clone()]).collect();
    assert_eq!(texts, [r#""web""#, r#"{"q":1}"#, r#""f""#, r#"{"r":1}"#]);
    assert_eq!(broken(&[USER, &message, USER]), []);
}

#[test]
fn settings_are_not_counted() {
    let custom = r#"{"type":"custom","kind":"a.b","providerOptions":{"a":{"x":"long"}}}"#;
    let message = says(&[custom]);
    let texts: Vec<String> =
        view(&message).texts.iter().map(|slot| message[slot.span.clone()].to_owned()).collect();
    assert_eq!(texts, [r#""custom""#, r#""a.b""#]);
}

#[test]
fn parts_of_other_formats_are_named() {
    let message = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"}]}"#;
    assert_eq!(view(message).other_format, Some("anthropic"));
}

#[test]
fn outputs_leave_and_come_back() {
    let content = r#"{"type":"content","value":[{"type":"text","text":"a"},{"type":"image-data","data":"AA","mediaType":"image/png"},{"type":"text","text":"b"}]}"#;
    let content = format!(r#""output":{content}"#);
    // output, texts in it, what it becomes
    let table = [
        (r#""output":{"type":"text","value":"long"}"#, 1, r#"{"type":"text","value":"s"}"#),
        (r#""output":{"type":"json","value":{"a":1.0}}"#, 1, r#"{"type":"text","value":"s"}"#),
        (r#""output": {"value" : [1], "type" : "json"}"#, 1, r#"{"value" : "s", "type" : "text"}"#),
        (r#""output":{"type":"json","value":"long"}"#, 1, r#"{"type":"json","value":"s"}"#),
        (
            r#""output":{"type":"error-json","value":null}"#,
            1,
            r#"{"type":"error-text","value":"s"}"#,
        ),
        (
            r#""output":{"type":"error-text","value":"bad"}"#,
            1,
            r#"{"type":"error-text","value":"s"}"#,
        ),
        (&content, 2, r#"{"type":"text","text":"s"}"#),
        (r#""output":{"type":"execution-denied","reason":"no"}"#, 0, r#""reason":"no""#),
        (r#""output":{"type":"text","value":[1]}"#, 0, r#""value":[1]"#),
        (r#""output":{"type":"new","x":1}"#, 0, r#"{"type":"new","x":1}"#),
        (r#""output":"long""#, 1, r#""output":"s""#),
        (r#""result":{"a":[1]}"#, 1, r#""result":"s""#),
        (
            r#""result":[1],"experimental_content":[{"type":"text","text":"a"}]"#,
            2,
            r#""result":"s","experimental_content":[{"type":"text","text":"s"}]"#,
        ),
    ];
    for (output, texts, becomes) in table {
        let message = format!(r#"{{"role":"tool","content":[{}]}}"#, result("c1", output));
        let before = view(&message);
        let slots = &before.results[0].slots;
        assert_eq!(slots.len(), texts, "{output}");
        let edits = slots.iter().flat_map(|slot| slot.replaced(0, r#""s""#, SlotKind::String));
        let moved = splice(&message, &edits.collect::<Vec<_>>());
        assert!(moved.contains(becomes), "{moved}");
        let after = view(&moved);
        assert!(before.same_shape(&after), "{moved}");
        let back = slots
            .iter()
            .zip(&after.results[0].slots)
            .flat_map(|(was, is)| is.replaced(0, &message[was.span.clone()], was.kind));
        assert_eq!(splice(&moved, &back.collect::<Vec<_>>()), message);
    }
}

#[test]
fn rules_and_their_sound_twins() {
    let [one, both, none] = [says(&[CALL]), says(&[CALL, CALL_2]), says(&[])];
    let asks = says(&[CALL, ASKS]);
    let [r1, r2, r12, r11] =
        [tool(&["c1"]), tool(&["c2"]), tool(&["c1", "c2"]), tool(&["c1", "c1"])];
    let no_id = r#"{"role":"tool","content":[{"type":"tool-result","toolName":"f"}]}"#;
    let anonymous = r#"{"role":"assistant","content":[{"type":"tool-call","toolName":"f"}]}"#;
    let missing = "call_without_result";
    let table: [Case<'_>; 17] = [
        (&[USER, &one, &r1, USER], &[]),
        (&[USER, &one, USER], &[(1, missing)]),
        (&[USER, &one], &[(1, missing)]),
        (&[USER, &both, &r1], &[(1, missing)]),
        (&[USER, &both, &r1, &r2], &[]),
        (&[USER, &one, &none, &r1], &[]),
        (&[USER, &one, &r1, &one, &r1], &[]),
        (&[USER, &one, &r1, &one, USER], &[(3, missing)]),
        (&[USER, &r1], &[(1, "result_without_call")]),
        (&[USER, &one, &r12], &[(2, "result_without_call")]),
        (&[USER, &one, &r1, USER, &r1], &[(4, "result_without_call")]),
        (&[USER, &one, &r11], &[(2, "duplicate_result")]),
        (&[USER, anonymous, no_id], &[(2, "missing_call_id")]),
        (&[USER, &asks], &[]),
        (&[USER, &asks, CONSENT], &[]),
        (&[USER, &asks, CONSENT, &r1, USER], &[]),
        (&[USER, &asks, CONSENT, USER], &[(1, missing)]),
    ];
    for (messages, found) in table {
        assert_eq!(broken(messages), found, "{messages:?}");
    }
}

#[test]
fn no_cut_goes_between_a_call_and_its_result() {
    let [one, asks, r1] = [says(&[CALL]), says(&[CALL, ASKS]), tool(&["c1"])];
    let starts = |messages: &[&str]| {
        let views: Vec<MessageView> = messages.iter().map(|message| view(message)).collect();
        let starts = AiSdk.unit_starts(&views.iter().collect::<Vec<_>>());
        starts.iter().map(|start| u8::from(*start)).collect::<Vec<_>>()
    };
    assert_eq!(starts(&[USER, &one, &r1, &one, &r1, USER]), [1, 1, 0, 1, 0, 1]);
    assert_eq!(starts(&[USER, &asks, CONSENT, &r1, USER]), [1, 1, 0, 0, 1]);
    assert_eq!(starts(&[&one, &says(&[]), &r1, &one, &r1]), [1, 0, 0, 1, 0]);
    assert_eq!(starts(&[&one, CONSENT, &says(&[]), &r1, USER]), [1, 0, 0, 0, 1]);
    // Two calls of one id have two results.
    let twice = says(&[CALL, CALL]);
    assert_eq!(starts(&[&twice, &r1, &one, &r1, &r1, &one, USER]), [1, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn repair_leaves_a_sound_history() {
    let both = says(&[CALL, CALL_2]);
    let calls = view(&both).calls;
    let Stubs::Messages(stubs) =
        AiSdk.stub_results(&both, &calls.iter().collect::<Vec<_>>(), "(stopped)", None)
    else {
        panic!("messages of their own")
    };
    assert_eq!(broken(&[USER, &both, &stubs[0], USER]), []);
    assert_eq!(view(&stubs[0]).results[1].name.as_deref(), Some("g"));
    let mixed = tool(&["c1", "c2", "c3"]);
    let without = |gone: &[usize]| AiSdk.without_results(&mixed, gone);
    assert_eq!(without(&[]), Some(mixed.clone()));
    assert_eq!(without(&[0, 2]), Some(tool(&["c2"])));
    assert_eq!(without(&[1]), Some(tool(&["c1", "c3"])));
    assert_eq!(without(&[0, 1, 2]), None);
}

#[test]
fn older_calls_are_answered_in_their_shape() {
    let old = says(&[r#"{"type":"tool-call","toolCallId":"c1","toolName":"f","args":{}}"#]);
    let calls = view(&old).calls;
    let answered = AiSdk.stub_results(&old, &[&calls[0]], "(stopped)", None);
    assert_eq!(
        answered,
        Stubs::Messages(vec![format!(
            r#"{{"role":"tool","content":[{}]}}"#,
            result("c1", r#""result":"(stopped)""#)
        )])
    );
}

#[test]
fn own_words() {
    let own = AiSdk.service_message(BRIDGE, None);
    assert!(view(&own).is_service);
    assert_eq!(AiSdk.content_slots(&own).len(), 1);
    assert_eq!(AiSdk.content_slots(&tool(&["c1"])), []);
    let parts = says(&[r#"{"type":"reasoning","text":"r"}"#, r#"{"type":"text","text":"t"}"#]);
    let slots = AiSdk.content_slots(&parts);
    assert_eq!(slots.iter().map(|s| &parts[s.span.clone()]).collect::<Vec<_>>(), [r#""t""#]);
}

#[test]
fn evidence_is_only_its_own() {
    let evidence = |message: &str| AiSdk.evidence(&raw::fields(message).expect("an object"));
    let own = [
        says(&[CALL]),
        tool(&["c1"]),
        CONSENT.to_owned(),
        r#"{"role":"user","content":[{"type":"file","data":"AA","mediaType":"image/png"}]}"#.into(),
        r#"{"role":"user","content":"x","providerOptions":{"a":{}}}"#.into(),
    ];
    for message in own {
        assert!(evidence(&message).is_some(), "{message}");
    }
    assert_eq!(evidence(&says(&[CALL])).as_deref(), Some("has a part of type \"tool-call\""));
    let others = [
        USER,
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{}}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f"}}]}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}"#,
        r#"{"role":"user","content":[{"type":"image","source":{"type":"base64"}}]}"#,
        r#"{"role":"user","content":[{"type":"image","image":"x.png"}]}"#,
        r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#,
        r#"{"type":"ai","content":[{"type":"tool_use","id":"a"}],"tool_calls":[]}"#,
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"f"}]}"#,
    ];
    for message in others {
        assert_eq!(evidence(message), None, "{message}");
    }
}

#[test]
fn no_message_at_all() {
    for (message, found) in [
        ("[1]", "is an array"),
        (r#"{"content":"x"}"#, "has no role"),
        (r#"{"role":1}"#, "has a number as role"),
    ] {
        assert_eq!(AiSdk.view(message).expect_err("no message").found, found);
    }
}
