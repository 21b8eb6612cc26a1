//! Shapes of contents and their views, each rule with a broken and a valid history, and the results
//! of replacing, restoring and repairing.

use raw_json::{self as raw, quote};

use super::Gemini;
use crate::dialect::{CallIndex, Dialect, Opening, Stubs};
use crate::message::{Frame, MessageView, Role, Slot, SlotKind};
use crate::service_messages::HOLDER_PLACEHOLDER;
use crate::splice::{Edit, splice};

const USER: &str = r#"{"role":"user","parts":[{"text":"go"}]}"#;
const SAID: &str = r#"{"role":"model","parts":[{"text":"done"}]}"#;

fn view(message: &str) -> MessageView {
    Gemini.view(message).unwrap_or_else(|bad| panic!("{message}: {bad:?}"))
}

fn call(names: &[&str]) -> String {
    let part = |name: &&str| format!(r#"{{"functionCall":{{"name":"{name}","args":{{}}}}}}"#);
    let parts: Vec<String> = names.iter().map(part).collect();
    format!(r#"{{"role":"model","parts":[{}]}}"#, parts.join(","))
}

fn result(names: &[&str]) -> String {
    let part = |name: &&str| {
        format!(r#"{{"functionResponse":{{"name":"{name}","response":{{"output":"o"}}}}}}"#)
    };
    let parts: Vec<String> = names.iter().map(part).collect();
    format!(r#"{{"role":"user","parts":[{}]}}"#, parts.join(","))
}

/// A call of `f`, signed or not.
fn step(signature: &str) -> String {
    format!(
        r#"{{"role":"model","parts":[{{"functionCall":{{"name":"f","args":{{}}}}{signature}}}]}}"#
    )
}

fn problems(messages: &[&str]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|message| view(message)).collect();
    let problems = Gemini.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}

fn texts<'m>(message: &'m str, slots: &[Slot]) -> Vec<&'m str> {
    slots.iter().map(|slot| &message[slot.span.clone()]).collect()
}

#[test]
fn roles_are_what_the_parts_make_of_them() {
    let function = r#"{"role":"function","parts":[{"functionResponse":{"name":"f"}}]}"#;
    let beside = r#"{"parts":[{"functionResponse":{"name":"f"}},{"text":"and now"}]}"#;
    let image = r#"{"parts":[{"functionResponse":{"name":"f"}},{"inlineData":{"data":"AA"}}]}"#;
    let own = Gemini.service_message(HOLDER_PLACEHOLDER, None);
    let cases = [
        (USER, Role::User),
        (SAID, Role::Assistant),
        (r#"{"parts":[{"text":"no role"}]}"#, Role::User),
        (r#"{"role":null,"parts":["old"]}"#, Role::User),
        (r#"{"role":"system","parts":[{"text":"x"}]}"#, Role::System),
        (r#"{"role":"assistant","parts":[{"text":"x"}]}"#, Role::Other),
        (function, Role::Tool),
        (beside, Role::User),
        (image, Role::Tool),
        (&own, Role::System),
    ];
    for (message, role) in cases {
        assert_eq!(view(message).role, role, "{message}");
    }
}

#[test]
fn parts_are_read_in_both_spellings() {
    let camel = r#"{"role":"model","parts":[{"text":"t","thought":true,"thoughtSignature":"S"},{"functionCall":{"id":"1","name":"f","args":{"a":1}}},{"inlineData":{"mimeType":"image/png","data":"AA"}},{"executableCode":{"code":"1"}},{"odd":"x","thoughtSignature":"S"}]}"#;
    let snake = r#"{"role":"model","parts":[{"text":"t","thought":true,"thought_signature":"S","function_call":null},{"function_call":{"id":"1","name":"f","args":{"a":1}},"text":null},{"inline_data":{"mime_type":"image/png","data":"AA"}},{"executable_code":{"code":"1"}},{"odd":"x","thought_signature":"S"}]}"#;
    for message in [camel, snake] {
        let view = view(message);
        assert_eq!(texts(message, &view.texts), [r#""t""#, r#"{"code":"1"}"#, r#""x""#]);
        // Parts of unknown kind are not text that may be replaced.
        assert_eq!(view.texts[2].kind, SlotKind::Json);
        let call = &view.calls[0];
        assert_eq!((call.id.as_deref(), call.name.as_deref()), (Some("1"), Some("f")));
        assert_eq!(call.arguments.as_ref().map(|slot| slot.kind), Some(SlotKind::Json));
        assert_eq!((view.media, view.opaque, view.faults.len()), (1, 0, 0));
        assert!(Gemini.content_slots(message).is_empty());
    }
    let foreign = r#"{"role":"user","parts":[{"type":"tool_result","content":"x"}]}"#;
    assert_eq!(view(foreign).other_format, Some("anthropic"));
}

#[test]
fn what_is_no_content_says_so() {
    let cases = [
        (r#"[{"text":"x"}]"#, "is an array"),
        (r#""x""#, "is a string"),
        (r#"{"role":"user","content":"x"}"#, "has no parts"),
        (r#"{}"#, "has no parts"),
        (r#"{"role":1,"parts":[]}"#, "has a number as role"),
        (r#"{"role":"user","parts":7}"#, "has a number as parts"),
    ];
    for (message, found) in cases {
        assert_eq!(Gemini.view(message).map_err(|bad| bad.found), Err(found.to_owned()));
    }
    assert!(view(r#"{"role":"model"}"#).texts.is_empty());
    let lone = r#"{"role":"user","parts":{"text":"x"}}"#;
    assert_eq!(texts(lone, &Gemini.content_slots(lone)), [r#""x""#]);
}

#[test]
fn evidence_is_what_no_other_format_has() {
    let of = |message: &str| Gemini.evidence(&raw::fields(message).unwrap_or_default());
    let own = [
        USER,
        SAID,
        r#"{"parts":[{"function_response":{"name":"f"}}]}"#,
        r#"{"role":"user","parts":[{"text":null,"inline_data":{"data":""}}]}"#,
        r#"{"role":"model","parts":["old"]}"#,
    ];
    for message in own {
        assert!(of(message).is_some(), "{message}");
    }
    assert_eq!(of(&call(&["f"])).as_deref(), Some("has parts with functionCall"));
    let others = [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#,
        r#"{"id":"1","role":"user","parts":[{"type":"text","text":"hi"}]}"#,
        r#"{"kind":"request","parts":[{"part_kind":"user-prompt","content":"hi"}]}"#,
        r#"{"role":"user","parts":[{"kind":"text","text":"hi"}],"messageId":"1"}"#,
        r#"{"role":"assistant","parts":[{"text":"hi"}]}"#,
        r#"{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[{"text":"x"}]}}]}"#,
        r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#,
    ];
    for message in others {
        assert_eq!(of(message), None, "{message}");
    }
}

/// A response, the texts of its slots and the number of its other texts.
const RESPONSES: [(&str, &[&str], usize); 17] = [
    (r#"null"#, &[], 0),
    (r#"{ }"#, &[], 0),
    (r#"{"output":"o"}"#, &[r#""o""#], 0),
    (r#"{"output":""}"#, &[r#""""#], 0),
    (r#"{"out":"o","err":"e","code":0,"x":null,"l":[],"m":{}}"#, &[r#""o""#, r#""e""#], 4),
    (r#"{"out":"a","out":"b"}"#, &[r#""b""#], 0),
    (
        r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#,
        &[r#""a""#, r#""b""#],
        0,
    ),
    (r#"{"content":[{"type":"text","text":"a"}],"isError":false}"#, &[r#""a""#], 1),
    (r#"{"content":[{"type":"text"}]}"#, &[r#"{"content":[{"type":"text"}]}"#], 0),
    (r#"{"ok":true}"#, &[r#"{"ok":true}"#], 0),
    (r#"{"rows":[{"id":1}],"note":"n"}"#, &[r#"{"rows":[{"id":1}],"note":"n"}"#], 0),
    (r#"{"result":{"deep":"o"}}"#, &[r#"{"result":{"deep":"o"}}"#], 0),
    (
        r#"{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":""}"#,
        &[r#"{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":""}"#],
        0,
    ),
    (r#""plain""#, &[r#""plain""#], 0),
    (r#"[1,2]"#, &["[1,2]"], 0),
    (r#"7"#, &["7"], 0),
    (r#"{"stdout":"line\n","exit":1e0}"#, &[r#""line\n""#], 1),
];

#[test]
fn responses_are_replaced_and_restored_in_the_type_they_have() {
    for (response, slots, others) in RESPONSES {
        let message = format!(
            r#"{{"role":"user","parts":[ {{"functionResponse":{{"id":"1","name":"f","response":{response},"parts":[{{"inlineData":{{}}}}]}}}} ]}}"#
        );
        let before = view(&message);
        let found = &before.results[0].slots;
        assert_eq!((texts(&message, found).as_slice(), before.texts.len()), (slots, others));
        assert_eq!((before.role, before.media), (Role::Tool, 1));
        let objects = !response.starts_with(['"', '[', '7']);
        assert_eq!(before.faults.is_empty(), objects, "{response}");

        let replaced =
            edited(&message, found.iter().map(|slot| (slot, "\"ref\"", SlotKind::String)));
        let after = view(&replaced);
        assert!(before.same_shape(&after), "{replaced}");
        assert_eq!(before.faults, after.faults);
        assert_eq!(!objects, replaced.contains(r#""response":"ref""#), "{replaced}");

        let back = after.results[0].slots.iter().zip(found).zip(slots);
        let back = back.map(|((now, was), text)| (now, *text, was.kind));
        assert_eq!(edited(&replaced, back), message);
    }
}

fn edited<'s>(message: &str, slots: impl Iterator<Item = (&'s Slot, &'s str, SlotKind)>) -> String {
    let edits: Vec<Edit> =
        slots.flat_map(|(slot, text, kind)| slot.replaced(0, text, kind)).collect();
    splice(message, &edits)
}

#[test]
fn only_an_object_takes_the_place_of_a_whole_response() {
    let message = r#"{"parts":[{"functionResponse":{"name":"f","response":{"result":"ref"}}}]}"#;
    let slot = &view(message).results[0].slots[0];
    assert!(
        matches!(&slot.frame, Frame::Object { whole } if &message[whole.clone()] == r#"{"result":"ref"}"#)
    );
    let takes = |value| slot.accepts(value, SlotKind::Json);
    assert!(takes(r#" {"a":1}"#) && !takes("[1]") && slot.accepts("\"a text\"", SlotKind::String));
    let two = r#"{"parts":[{"functionResponse":{"response":{"out":"o","code":0}}}]}"#;
    assert_eq!(view(two).results[0].slots[0].frame, Frame::Bare);
}

/// A history, and the rules that it breaks.
type Case<'c> = (&'c [&'c str], &'c [(usize, &'c str)]);

#[test]
fn every_rule_has_a_broken_history_and_a_sound_one() {
    let (f, g, both) = (call(&["f"]), call(&["g"]), call(&["f", "g"]));
    let (rf, rg, rboth) = (result(&["f"]), result(&["g"]), result(&["g", "f"]));
    let image = r#"{"role":"user","parts":[{"inline_data":{"data":"AA"}}]}"#;
    let cases: [Case<'_>; 19] = [
        (&[USER, &f, &rf, SAID, USER], &[]),
        (&[USER, USER, &both, &rboth, image, &f, &rf], &[]),
        // Consecutive contents of the model are one turn; names are not compared.
        (&[USER, SAID, &f, &g, &rboth, SAID, SAID], &[]),
        (&[USER, &f, &rg], &[]),
        (&[USER, &f], &[(1, "call_without_result")]),
        (&[USER, &f, USER, &g, &rg], &[(1, "call_without_result")]),
        (&[USER, &both, &rg], &[(1, "call_without_result")]),
        (&[USER, &f, &rf, &g], &[(3, "call_without_result")]),
        (&[USER, &both, &rf, &rg], &[(2, "result_count_differs")]),
        (&[USER, &rf], &[(1, "result_without_call")]),
        (&[USER, &f, &rboth], &[(2, "result_without_call")]),
        (&[USER, &f, &rf, &rf], &[(3, "result_without_call")]),
        (&[USER, &f, SAID, USER, &rf], &[(1, "call_without_result"), (4, "result_without_call")]),
        (&[SAID, USER], &[(0, "first_message_not_user")]),
        (&[&f, &rf], &[(0, "first_message_not_user"), (0, "call_after_wrong_turn")]),
        (&[USER, r#"{"role":"model","parts":[]}"#], &[(1, "empty_content")]),
        (&[USER, r#"{"role":"model","parts":[{"text":"x"},{}]}"#], &[(1, "empty_content")]),
        (&[USER, r#"{"role":"model","parts":[{"text":""}]}"#], &[(1, "empty_text")]),
        (&[USER, r#"{"role":"model","parts":[{"text":"","thoughtSignature":"S"}]}"#], &[]),
    ];
    for (messages, broken) in cases {
        assert_eq!(problems(messages), broken, "{messages:?}");
    }
    let args = r#"{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":"{}"}}]}"#;
    let text = r#"{"parts":[{"functionResponse":{"id":"1","name":"f","response":"o"}}]}"#;
    let broken = [(1, "arguments_not_an_object"), (2, "result_not_an_object")];
    assert_eq!(problems(&[USER, args, text]), broken);
}

#[test]
fn signatures_are_missed_only_where_the_model_signs() {
    let (signed, unsigned, rf) = (step(r#","thoughtSignature":"S""#), step(""), result(&["f"]));
    let thought = r#"{"role":"model","parts":[{"text":"t","thought":true,"thought_signature":"S"},{"function_call":{"name":"f"}},{"function_call":{"name":"f"}}]}"#;
    let two = result(&["f", "f"]);
    assert_eq!(problems(&[USER, &unsigned, &rf, &unsigned, &rf]), []);
    assert_eq!(problems(&[USER, &signed, &rf, thought, &two]), []);
    // No signature is required before the user's last message.
    assert_eq!(problems(&[USER, &signed, &rf, &unsigned, &rf, USER, SAID]), []);
    assert_eq!(problems(&[USER, &signed, &rf, USER, &unsigned, &rf]), []);
    let missing = [(3, "missing_thought_signature")];
    assert_eq!(problems(&[USER, &signed, &rf, &unsigned, &rf]), missing);
}

#[test]
fn responses_leave_with_their_commas() {
    let message = r#"{"role":"user", "parts":[ {"functionResponse":{"name":"a"}}, {"text":"x"} , {"functionResponse":{"name":"b"}}, {"functionResponse":{"name":"c"}} ], "k":1.0}"#;
    let cases: [(&[usize], &str); 4] = [
        (
            &[0],
            r#"[ {"text":"x"} , {"functionResponse":{"name":"b"}}, {"functionResponse":{"name":"c"}} ]"#,
        ),
        (
            &[1],
            r#"[ {"functionResponse":{"name":"a"}}, {"text":"x"} , {"functionResponse":{"name":"c"}} ]"#,
        ),
        (&[1, 2], r#"[ {"functionResponse":{"name":"a"}}, {"text":"x"} ]"#),
        (&[2, 0, 1], r#"[ {"text":"x"} ]"#),
    ];
    for (results, parts) in cases {
        let rest = format!(r#"{{"role":"user", "parts":{parts}, "k":1.0}}"#);
        assert_eq!(Gemini.without_results(message, results), Some(rest));
    }
    assert_eq!(Gemini.without_results(message, &[]).as_deref(), Some(message));
    assert_eq!(Gemini.without_results(&result(&["f", "g"]), &[0, 1]), None);
}

#[test]
fn open_calls_get_answers_that_make_the_history_sound() {
    let of = r#"{"role":"model","parts":[{"function_call":{"id":"1","name":"f"}},{"function_call":{"name":"f"}}]}"#;
    let calls = view(of).calls;
    let all: Vec<_> = calls.iter().collect();
    let Stubs::Messages(own) = Gemini.stub_results(of, &all, "stub", Some(USER)) else {
        panic!("a user's words take no responses");
    };
    assert_eq!(own.len(), 1);
    assert!(
        own[0].contains(
            r#"{"function_response":{"id":"1","name":"f","response":{"result":"stub"}}}"#
        )
    );
    assert_eq!(problems(&[USER, of, &own[0], USER]), []);

    for next in
        [result(&["f"]), r#"{"parts":{"functionResponse":{"name":"f"}}, "k":1.0}"#.to_owned()]
    {
        let Stubs::Within(whole) = Gemini.stub_results(of, &all[1..], "stub", Some(&next)) else {
            panic!("the responses of a turn stand in one content");
        };
        assert_eq!(problems(&[USER, of, &whole]), []);
        let slots: Vec<Slot> = view(&whole).results[1].slots.clone();
        assert_eq!(texts(&whole, &slots), [quote("stub")]);
        assert!(Gemini.without_results(&whole, &[1]).is_some());
    }
}

#[test]
fn calls_and_results_pair_where_one_side_has_no_id() {
    let of = |call: &str, result: &str| {
        let call = format!(
            r#"{{"role":"model","parts":[{{"functionCall":{{{call}"name":"g"}}}},{{"functionCall":{{{call}"name":"f","args":{{}}}}}}]}}"#
        );
        let result = format!(r#"{{"parts":[{{"functionResponse":{{{result}"name":"f"}}}}]}}"#);
        let (asked, answer) = (view(&call), view(&result));
        let mut callers = CallIndex::default();
        callers.add_calls(0, &asked);
        let found = callers.call_of(&answer.results[0]).map(|(at, call)| (at, call.name.clone()));
        (found, callers.call_of(&answer.results[0]).is_some())
    };
    let f = Some((0, Some("f".to_owned())));
    assert_eq!(of("", ""), (f.clone(), false));
    assert_eq!(of("", r#""id":"2","#), (f.clone(), false));
    assert_eq!(of(r#""id":"2","#, ""), (f.clone(), false));
    assert_eq!(of(r#""id":"2","#, r#""id":"2","#), (f, true));
    assert_eq!(of(r#""id":"1","#, r#""id":"2","#), (None, false));
}

#[test]
fn own_messages_and_units() {
    let own = Gemini.service_message("a \"b\"", None);
    assert_eq!(own, r#"{"role":"user","parts":[{"text":"a \"b\""}]}"#);
    assert_eq!(texts(&own, &Gemini.content_slots(&own)), [r#""a \"b\"""#]);
    assert_eq!(Gemini.opening(), Opening::User);
    let (f, rf) = (call(&["f"]), result(&["f"]));
    let views: Vec<MessageView> = [USER, SAID, &f, &rf, SAID, USER].map(view).into();
    let starts = Gemini.unit_starts(&views.iter().collect::<Vec<_>>());
    assert_eq!(starts, [true, true, false, false, true, true]);
}
