//! Each test runs over the three shapes of the same message.

use super::*;
use crate::message::SlotKind;
use crate::splice::splice;

/// A message in the three shapes.
fn shapes(kind: &str, class: &str, members: &str) -> [String; 3] {
    [
        format!(r#"{{{members},"type":"{kind}"}}"#),
        format!(r#"{{"type":"{kind}","data":{{{members}}}}}"#),
        format!(
            r#"{{"lc":1,"type":"constructor","id":["langchain","schema","messages","{class}"],"kwargs":{{{members}}}}}"#
        ),
    ]
}

fn human(shape: usize) -> String {
    shapes("human", "HumanMessage", r#""content":"hi""#)[shape].clone()
}

fn ai(shape: usize, members: &str) -> String {
    shapes("ai", "AIMessage", members)[shape].clone()
}

fn tool(shape: usize, members: &str) -> String {
    shapes("tool", "ToolMessage", members)[shape].clone()
}

/// A history, and the rules that it breaks, with their messages.
type Case<'a> = (&'a [&'a str], &'a [(usize, &'static str)]);

fn view(message: &str) -> MessageView {
    LangChain.view(message).expect("a message")
}

fn broken<S: AsRef<str>>(messages: &[S]) -> Vec<(usize, &'static str)> {
    let views: Vec<MessageView> = messages.iter().map(|message| view(message.as_ref())).collect();
    let problems = LangChain.problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| (problem.index, problem.rule.name)).collect()
}

#[test]
fn roles() {
    let table = [
        ("system", "SystemMessage", Role::System),
        ("human", "HumanMessage", Role::User),
        ("ai", "AIMessage", Role::Assistant),
        ("AIMessageChunk", "AIMessageChunk", Role::Assistant),
        ("tool", "ToolMessage", Role::Tool),
        ("function", "FunctionMessage", Role::Tool),
        ("remove", "RemoveMessage", Role::Other),
        ("new", "NewMessage", Role::Other),
    ];
    for (kind, class, role) in table {
        for message in shapes(kind, class, r#""content":"x","tool_call_id":"c""#) {
            assert_eq!(view(&message).role, role, "{message}");
        }
    }
    for message in shapes("chat", "ChatMessage", r#""content":"x","role":"assistant""#) {
        assert_eq!(view(&message).role, Role::Assistant, "{message}");
    }
    assert_eq!(view(r#"{"role":"user","content":"x"}"#).role, Role::User);
}

#[test]
fn views_of_shapes() {
    let call = r#""tool_calls":[{"name":"f","args":{"a":1},"id":"c1","type":"tool_call"}]"#;
    let sent = r#""additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}],"reasoning_content":"hm"}"#;
    // members, calls, texts, media, opaque
    let table = [
        (r#""content":"x","name":"bob""#.to_owned(), [0, 2, 0, 0]),
        (r#""content":["a",{"type":"text","text":"b"},{"type":"image_url"}]"#.into(), [0, 2, 1, 0]),
        (format!(r#""content":"",{call}"#), [1, 1, 0, 0]),
        (format!(r#""content":"",{call},"invalid_tool_calls":[{{"id":"c2"}}]"#), [2, 1, 0, 0]),
        (format!(r#""content":"",{call},{sent}"#), [1, 2, 0, 0]),
        (format!(r#""content":"","tool_calls":[],{sent}"#), [1, 2, 0, 0]),
        (
            format!(r#""content":[{{"type":"tool_use","id":"c1","input":{{}}}}],{call}"#),
            [1, 0, 0, 0],
        ),
        (r#""content":[{"type":"function_call","id":"x","call_id":"c1"}]"#.into(), [1, 0, 0, 0]),
        (
            format!(r#""content":[{{"type":"function_call","id":"x","call_id":"c1"}}],{call}"#),
            [1, 0, 0, 0],
        ),
        (
            r#""content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"redacted_thinking","data":"abcd"}]"#.into(),
            [0, 1, 0, 4],
        ),
        (
            r#""content":[{"type":"reasoning","summary":[{"text":"a"}],"encrypted_content":"abc"}]"#.into(),
            [0, 1, 0, 3],
        ),
        (r#""content":[{"type":"server_tool_use","id":"s","name":"web"}]"#.into(), [0, 1, 0, 0]),
        (
            format!(r#""content_blocks":[{{"type":"text","text":"x"}},{{"type":"tool_call","id":"c1"}}],{call}"#),
            [1, 1, 0, 0],
        ),
    ];
    for (members, [calls, texts, media, opaque]) in table {
        for shape in 0..3 {
            let view = view(&ai(shape, &members));
            let found = [view.calls.len() as u64, view.texts.len() as u64, view.media.into()];
            assert_eq!((found, view.opaque), ([calls, texts, media], opaque), "{members}");
            assert_eq!(view.other_format, None);
        }
    }
}

#[test]
fn arguments_and_ids() {
    let message =
        ai(0, r#""content":"","invalid_tool_calls":[{"name":"g","args":"{x","id":"c2"}]"#);
    let call = &view(&message).calls[0];
    assert_eq!((call.id.as_deref(), call.name.as_deref()), (Some("c2"), Some("g")));
    let arguments = call.arguments.as_ref().map(|slot| &message[slot.span.clone()]);
    assert_eq!(arguments, Some(r#""{x""#));
}

#[test]
fn results_leave_and_come_back() {
    // content, texts of the result, other texts, media
    let table = [
        (r#""content":"long""#, 1, 0, 0),
        (r#""content":["a",{"type":"text","text":"b"},{"type":"image"}]"#, 2, 0, 1),
        (r#""content":[{"type":"json","json":{}}]"#, 0, 1, 0),
        (r#""content":[{"id":1.0},{"id":2}]"#, 1, 0, 0),
        (r#""content":{"rows":[1]}"#, 1, 0, 0),
        (r#""content":[]"#, 0, 0, 0),
        (r#""content":[{"type":"document","text":"d"}]"#, 0, 0, 1),
    ];
    for (content, texts, others, media) in table {
        for shape in 0..3 {
            let members = format!(r#"{content},"tool_call_id":"c1","artifact":{{"big":["x"]}}"#);
            let message = tool(shape, &members);
            let before = view(&message);
            let slots = &before.results[0].slots;
            assert_eq!((slots.len(), before.texts.len(), before.media), (texts, others, media));
            let edits = slots.iter().flat_map(|slot| slot.replaced(0, r#""s""#, SlotKind::String));
            let moved = splice(&message, &edits.collect::<Vec<_>>());
            let after = view(&moved);
            assert!(before.same_shape(&after), "{moved}");
            let back = slots
                .iter()
                .zip(&after.results[0].slots)
                .flat_map(|(was, is)| is.replaced(0, &message[was.span.clone()], was.kind));
            assert_eq!(splice(&moved, &back.collect::<Vec<_>>()), message);
        }
    }
}

#[test]
fn rules_and_their_sound_twins() {
    for shape in 0..3 {
        let call = ai(shape, r#""content":"","tool_calls":[{"name":"f","args":{},"id":"c1"}]"#);
        let bad = ai(shape, r#""content":"","invalid_tool_calls":[{"name":"f","id":"c1"}]"#);
        let result = tool(shape, r#""content":"r","tool_call_id":"c1""#);
        let nameless = tool(shape, r#""content":"r""#);
        let old = ai(shape, r#""content":"","additional_kwargs":{"function_call":{"name":"f"}}"#);
        let function = shapes("function", "FunctionMessage", r#""content":"r","name":"f""#);
        let hi = human(shape);
        let missing = "call_without_result";
        let table: [Case<'_>; 9] = [
            (&[&hi, &call, &result, &hi], &[]),
            (&[&hi, &bad, &result, &hi], &[]),
            (&[&hi, &old, &function[shape], &hi], &[]),
            (&[&hi, &call, &hi], &[(1, missing)]),
            (&[&hi, &bad], &[(1, missing)]),
            (&[&hi, &call, &hi, &result], &[(1, missing), (3, "result_without_call")]),
            (&[&hi, &result], &[(1, "result_without_call")]),
            (&[&hi, &call, &result, &result], &[(3, "result_without_call")]),
            (&[&nameless], &[(0, "missing_call_id"), (0, "result_without_call")]),
        ];
        for (messages, found) in table {
            assert_eq!(broken(messages), found, "{messages:?}");
        }
    }
}

#[test]
fn repair_leaves_a_sound_history_in_the_same_shape() {
    for shape in 0..3 {
        let call = ai(
            shape,
            r#""content":"","tool_calls":[{"name":"f","id":"c1"},{"name":"g","args":{},"id":null}]"#,
        );
        let calls = view(&call).calls;
        let Stubs::Messages(stubs) =
            LangChain.stub_results(&call, &calls.iter().collect::<Vec<_>>(), "(stopped)", None)
        else {
            panic!("messages of their own")
        };
        let history = [human(shape), call, stubs[0].clone(), stubs[1].clone()];
        assert_eq!(broken(&history), []);
        let shape_of = |message: &str| match shape::read(message).map(|unwrapped| unwrapped.shape) {
            Ok(Shape::Flat(_)) => Some(0),
            Ok(Shape::Data) => Some(1),
            Ok(Shape::Constructor(_)) => Some(2),
            Err(_) => None,
        };
        assert_eq!(stubs.iter().filter_map(|stub| shape_of(stub)).sum::<usize>(), 2 * shape);
        assert_eq!(LangChain.without_results(&stubs[0], &[0]), None);
        assert_eq!(LangChain.without_results(&stubs[0], &[]).as_ref(), Some(&stubs[0]));
    }
}

#[test]
fn own_words() {
    for shape in 0..3 {
        let own = LangChain.service_message("note", Some(&human(shape)));
        let members = r#""content":"note""#;
        assert_eq!(own.len(), shapes("system", "SystemMessage", members)[shape].len());
        assert_eq!(view(&own).role, Role::System);
        assert_eq!(LangChain.content_slots(&own).len(), 1);
        assert_eq!(LangChain.content_slots(&tool(shape, r#""content":"r""#)), []);
    }
    assert_eq!(LangChain.service_message("note", None), r#"{"type":"system","content":"note"}"#);
    let role = r#"{"role":"user","content":"x"}"#;
    let own = LangChain.service_message("note", Some(role));
    assert_eq!(own, r#"{"role":"system","content":"note"}"#);
}

#[test]
fn evidence_is_only_its_own() {
    let evidence = |message: &str| LangChain.evidence(&raw::fields(message).expect("an object"));
    for message in (0..3).flat_map(|shape| [human(shape), tool(shape, r#""content":"r""#)]) {
        assert!(evidence(&message).is_some(), "{message}");
    }
    assert_eq!(evidence(&human(0)).as_deref(), Some("is of type \"human\""));
    let others = [
        r#"{"role":"user","content":"hi"}"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"x"}]}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"x"}"#,
        r#"{"role":"tool","tool_call_id":"a","content":"x"}"#,
        r#"{"role":"tool","type":"tool","content":[{"type":"tool-result"}]}"#,
        r#"{"role":"user","parts":[{"text":"x"}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}"#,
        r#"{"type":"function","function":{"name":"f"}}"#,
    ];
    for message in others {
        assert_eq!(evidence(message), None, "{message}");
    }
}

#[test]
fn no_message_at_all() {
    for (message, found) in [
        ("\"x\"", "is a string"),
        (r#"{"content":"x"}"#, "has no type"),
        (r#"{"lc":1,"type":"constructor","kwargs":{}}"#, "names no class in \"id\""),
    ] {
        assert_eq!(LangChain.view(message).expect_err("no message").found, found);
    }
}
