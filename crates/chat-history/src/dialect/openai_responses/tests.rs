//! Items that the dialect reads, its pairs, units and rules.

use raw_json::{self as raw, quote};

use super::OpenAiResponses;
use crate::dialect::{Dialect, OpenAiChat, Stubs};
use crate::message::{MessageView, Role, Slot, SlotKind};
use crate::splice::splice;

fn view(message: &str) -> MessageView {
    OpenAiResponses.view(message).unwrap()
}

fn texts_of<'a>(message: &'a str, slots: &[Slot]) -> Vec<&'a str> {
    slots.iter().map(|slot| &message[slot.span.clone()]).collect()
}

fn problems(items: &[&str]) -> Vec<(usize, &'static str, Option<String>)> {
    let views: Vec<MessageView> = items.iter().map(|item| view(item)).collect();
    let problems = OpenAiResponses.problems(&views.iter().collect::<Vec<_>>());
    problems.into_iter().map(|found| (found.index, found.rule.name, found.id)).collect()
}

fn starts(items: &[&str]) -> String {
    let views: Vec<MessageView> = items.iter().map(|item| view(item)).collect();
    let starts = OpenAiResponses.unit_starts(&views.iter().collect::<Vec<_>>());
    starts.into_iter().map(|start| if start { '|' } else { '.' }).collect()
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#)
}

fn output(id: &str) -> String {
    format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"}}"#)
}

const USER: &str = r#"{"role":"user","content":"hi"}"#;
const SAID: &str =
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}"#;
const THOUGHT: &str = r#"{"type":"reasoning","id":"rs_1","summary":[]}"#;

/// Item, role, ids of calls, slots of results, texts, media, opaque bytes.
type Shape = (
    &'static str,
    Role,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    u32,
    u64,
);

#[rustfmt::skip]
const SHAPES: [Shape; 36] = [
    (r#"{"role":"user","content":"hi"}"#, Role::User, &[], &[], &["\"hi\""], 0, 0),
    (r#"{"type":null,"role":"user","content":null}"#, Role::User, &[], &[], &[], 0, 0),
    (r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:"},{"type":"input_file","file_data":"x"},{"type":"input_audio","input_audio":{}}]}"#, Role::System, &[], &[], &["\"a\""], 3, 0),
    (r#"{"type":"message","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"a"},{"type":"refusal","refusal":"no"}],"status":"completed"}"#, Role::Assistant, &[], &[], &["\"a\"", "\"no\""], 0, 0),
    (r#"{"type":"message","role":"user","content":[{"type":"new","n":1}]}"#, Role::User, &[], &[], &[r#"{"type":"new","n":1}"#], 0, 0),
    (r#"{"type":"agent_message","author":"a","content":[{"type":"input_text","text":"t"},{"type":"encrypted_content","encrypted_content":"abcd"}]}"#, Role::Other, &[], &[], &["\"t\""], 0, 4),
    (r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"content":[{"type":"reasoning_text","text":"c"}],"encrypted_content":"abcdef"}"#, Role::Assistant, &[], &[], &["\"s\"", "\"c\""], 0, 6),
    (r#"{"type":"reasoning","summary":[],"content":null,"encrypted_content":null}"#, Role::Assistant, &[], &[], &[], 0, 0),
    (r#"{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}"#, Role::Assistant, &["c"], &[], &[], 0, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":"x"}"#, Role::Tool, &[], &["\"x\""], &[], 0, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:"},{"type":"input_text","text":""}]}"#, Role::Tool, &[], &["\"x\"", "\"\""], &[], 1, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":{"type":"input_text","text":"x","detail":null}}"#, Role::Tool, &[], &["\"x\""], &[], 0, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":{"type":"input_image","image_url":"data:"}}"#, Role::Tool, &[], &[], &[], 1, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":{"type":"file","content":"x"}}"#, Role::Tool, &[], &[r#"{"type":"file","content":"x"}"#], &[], 0, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":[{"id":1},{"id":2}]}"#, Role::Tool, &[], &[r#"[{"id":1},{"id":2}]"#], &[], 0, 0),
    (r#"{"type":"function_call_output","call_id":"c","output":"old","output":"new"}"#, Role::Tool, &[], &["\"new\""], &[], 0, 0),
    (r#"{"type":"custom_tool_call","call_id":"c","name":"patch","input":"*** Begin"}"#, Role::Assistant, &["c"], &[], &[], 0, 0),
    (r#"{"type":"custom_tool_call_output","call_id":"c","output":"x"}"#, Role::Tool, &[], &["\"x\""], &[], 0, 0),
    (r#"{"type":"local_shell_call","id":"ls","call_id":"c","action":{"type":"exec","command":["ls"]}}"#, Role::Assistant, &["c"], &[], &[], 0, 0),
    (r#"{"type":"local_shell_call_output","id":"c","output":"x"}"#, Role::Tool, &[], &["\"x\""], &[], 0, 0),
    (r#"{"type":"shell_call","call_id":"c","action":{"commands":["ls"]}}"#, Role::Assistant, &["c"], &[], &[], 0, 0),
    (r#"{"type":"shell_call_output","call_id":"c","output":[{"stderr":"e","stdout":"o","outcome":{"type":"exit","exit_code":0}},{"stdout":"","stderr":""},7]}"#, Role::Tool, &[], &["\"e\"", "\"o\"", "\"\"", "\"\""], &["7"], 0, 0),
    (r#"{"type":"apply_patch_call_output","call_id":"c","status":"completed"}"#, Role::Tool, &[], &[], &[], 0, 0),
    (r#"{"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"x"}"#, Role::Tool, &[], &["\"x\""], &[], 0, 0),
    (r#"{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:"}}"#, Role::Tool, &[], &[], &[], 1, 0),
    (r#"{"type":"tool_search_call","call_id":"c","execution":"client","arguments":{"query":"q"}}"#, Role::Assistant, &["c"], &[], &[], 0, 0),
    (r#"{"type":"tool_search_output","call_id":"c","execution":"client","tools":[]}"#, Role::Tool, &[], &[], &["[]"], 0, 0),
    (r#"{"type":"tool_search_output","call_id":null,"execution":"server","tools":[]}"#, Role::Assistant, &[], &[], &["[]"], 0, 0),
    (r#"{"type":"mcp_call","id":"mcp_1","name":"n","arguments":"{}","output":"big","error":null}"#, Role::Assistant, &[], &[], &["\"n\"", "\"{}\"", "\"big\""], 0, 0),
    (r#"{"type":"code_interpreter_call","id":"ci_1","code":"1","outputs":[{"type":"logs","logs":"l"},{"type":"image","url":"data:"}]}"#, Role::Assistant, &[], &[], &["\"1\"", "\"l\""], 1, 0),
    (r#"{"type":"image_generation_call","id":"ig_1","result":"base64","revised_prompt":"p"}"#, Role::Assistant, &[], &[], &["\"p\""], 1, 0),
    (r#"{"type":"compaction","encrypted_content":"abcd"}"#, Role::System, &[], &[], &[], 0, 4),
    (r#"{"type":"additional_tools","role":"developer","tools":[1]}"#, Role::System, &[], &[], &["[1]"], 0, 0),
    (r#"{"type":"ghost_snapshot","ghost_commit":{"id":"x"}}"#, Role::Assistant, &[], &[], &[], 0, 0),
    (r#"{"type":"brand_new","x":1}"#, Role::Other, &[], &[], &[r#"{"type":"brand_new","x":1}"#], 0, 0),
    (r#"{"id":"msg_1"}"#, Role::Assistant, &[], &[], &[], 0, 0),
];

#[test]
fn every_item_is_read_by_its_type() {
    for (item, role, calls, results, texts, media, opaque) in SHAPES {
        let view = view(item);
        let ids: Vec<&str> = view.calls.iter().filter_map(|call| call.id.as_deref()).collect();
        let slots: Vec<Slot> = view.results.iter().flat_map(|r| r.slots.clone()).collect();
        assert_eq!((view.role, ids.as_slice()), (role, calls), "{item}");
        assert_eq!(texts_of(item, &slots), results, "{item}");
        assert_eq!(texts_of(item, &view.texts), texts, "{item}");
        assert_eq!((view.media, view.opaque), (media, opaque), "{item}");
        assert_eq!((view.faults.as_slice(), view.other_format), (&[][..], None), "{item}");
        assert_eq!(view.results.len(), usize::from(role == Role::Tool), "{item}");
        assert_eq!(view.reasoning, item.contains("\"reasoning\""), "{item}");
    }
}

#[test]
fn calls_have_a_name_and_arguments() {
    for (item, name, arguments) in [
        (
            r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#,
            "f",
            Some("\"{}\""),
        ),
        (r#"{"type":"function_call","call_id":"c","name":"f","arguments":null}"#, "f", None),
        (r#"{"type":"custom_tool_call","call_id":"c","name":"p","input":"x"}"#, "p", Some("\"x\"")),
        (
            r#"{"type":"shell_call","call_id":"c","action":{"commands":[]}}"#,
            "shell",
            Some(r#"{"commands":[]}"#),
        ),
        (r#"{"type":"apply_patch_call","call_id":"c","operation":{}}"#, "apply_patch", Some("{}")),
        (r#"{"type":"computer_call","call_id":"c","actions":[]}"#, "computer", Some("[]")),
    ] {
        let view = view(item);
        let found = view.calls[0].arguments.as_ref().map(|slot| &item[slot.span.clone()]);
        assert_eq!((view.calls[0].name.as_deref(), found), (Some(name), arguments), "{item}");
    }
}

#[test]
fn a_result_that_was_replaced_reads_the_same_and_comes_back() {
    for (item, ..) in SHAPES {
        let before = view(item);
        for (result, at) in before
            .results
            .iter()
            .enumerate()
            .flat_map(|(r, v)| (0..v.slots.len()).map(move |s| (r, s)))
        {
            let slot = &before.results[result].slots[at];
            let short = splice(item, &slot.replaced(0, &quote("short"), SlotKind::String));
            let after = view(&short);
            assert!(before.same_shape(&after), "{item} -> {short}");
            let back = &after.results[result].slots[at];
            let edits = back.replaced(0, &item[slot.span.clone()], slot.kind);
            assert_eq!(splice(&short, &edits), item);
        }
    }
}

#[test]
fn only_what_no_other_format_has_is_evidence() {
    let evidence = |item: &str| OpenAiResponses.evidence(&raw::fields(item).unwrap());
    for (item, words) in [
        (call("c").as_str(), "is an item of type \"function_call\""),
        (THOUGHT, "is an item of type \"reasoning\""),
        (SAID, "has a part of type \"output_text\""),
        (
            r#"{"role":"user","content":[{"type":"input_image","image_url":"x"}]}"#,
            "has a part of type \"input_image\"",
        ),
        (r#"{"type":"web_search_call","action":{}}"#, "is an item of type \"web_search_call\""),
        (&OpenAiResponses.service_message("x", None), "has a part of type \"input_text\""),
    ] {
        assert_eq!(evidence(item).as_deref(), Some(words), "{item}");
    }
    for item in [
        USER,
        r#"{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{}}]}"#,
        r#"{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{}}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"input_text"}]}]}"#,
        r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}"#,
        r#"{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"n","output":{"type":"text","value":"x"}}]}"#,
        r#"{"type":"ai","content":[{"type":"reasoning","text":"x"}],"tool_calls":[]}"#,
        r#"{"type":"tool","content":"x","tool_call_id":"c"}"#,
        r#"{"lc":1,"type":"constructor","id":["ToolMessage"],"kwargs":{}}"#,
        r#"{"type":"function_call","callId":"c","name":"f","arguments":"{}"}"#,
        r#"{"type":"compaction","summary":"x"}"#,
    ] {
        assert_eq!(evidence(item), None, "{item}");
    }
}

#[test]
fn an_item_of_another_format_is_named() {
    for (item, home) in [
        (r#"{"role":"assistant","content":[{"type":"tool_use","id":"t"}]}"#, "anthropic"),
        (r#"{"role":"tool","tool_call_id":"c","content":"x"}"#, OpenAiChat.name()),
        (r#"{"type":"function_call_result","callId":"c","output":"x"}"#, "openai-agents-js"),
        (r#"{"type":"function_call","callId":"c","name":"f"}"#, "openai-agents-js"),
        (r#"{"type":"tool-call","toolCallId":"c"}"#, "ai-sdk"),
    ] {
        let view = view(item);
        assert_eq!((view.other_format, view.faults.len()), (Some(home), 0), "{item}");
    }
    let own = r#"{"role":"user","content":[{"type":"function_call","call_id":"c"}]}"#;
    assert_eq!((view(SAID).other_format, view(own).other_format), (None, None));
}

#[test]
fn what_is_no_item_says_what_it_is() {
    for (item, found) in [
        ("\"x\"", "is a string"),
        ("{}", "has neither type nor role"),
        (r#"{"content":"x","id":"c"}"#, "has neither type nor role"),
        (r#"{"role":1}"#, "has a number as role"),
        (r#"{"type":[],"role":"user"}"#, "has an array as type"),
    ] {
        assert_eq!(OpenAiResponses.view(item).unwrap_err().found, found, "{item}");
    }
}

#[test]
fn every_rule_is_told_from_its_sound_twin() {
    let (one, result) = (call("c"), output("c"));
    let (one, result) = (one.as_str(), result.as_str());
    let found = |index, rule, id: &str| (index, rule, (!id.is_empty()).then(|| id.to_owned()));
    for sound in [
        &[USER, one, result][..],
        // Ids repeat, and other items are between.
        &[one, result, one, result],
        &[one, SAID, USER, result],
        &[one, one, result, result],
        &[THOUGHT, one, result],
        &[THOUGHT, THOUGHT, SAID],
        // Without an id, the provider can look up nothing.
        &[r#"{"type":"reasoning","summary":[]}"#, USER],
        // Only the provider knows a stored call.
        &[r#"{"type":"item_reference","id":"fc_1"}"#, result],
        &[r#"{"type":"function_call_output","name":"event","output":"x"}"#],
        &[r#"{"type":"mcp_approval_request","id":"a","name":"n","arguments":"{}"}"#],
    ] {
        assert_eq!(problems(sound), [], "{sound:?}");
    }
    for (broken, expected) in [
        (&[USER, result][..], vec![found(1, "result_without_call", "c")]),
        (
            &[result, one],
            vec![found(0, "result_without_call", "c"), found(1, "call_without_result", "c")],
        ),
        (&[one, result, result], vec![found(2, "result_without_call", "c")]),
        (&[one, USER], vec![found(0, "call_without_result", "c")]),
        (&[one, one, result], vec![found(0, "call_without_result", "c")]),
        (&[THOUGHT, USER], vec![found(0, "reasoning_without_item", "rs_1")]),
        (&[one, THOUGHT, result], vec![found(1, "reasoning_without_item", "rs_1")]),
        (
            &[THOUGHT, THOUGHT],
            vec![
                found(0, "reasoning_without_item", "rs_1"),
                found(1, "reasoning_without_item", "rs_1"),
            ],
        ),
        (
            &[r#"{"type":"item_reference","id":"rs_1"}"#],
            vec![found(0, "reasoning_without_item", "rs_1")],
        ),
        (
            &[r#"{"type":"function_call","call_id":"","name":"f"}"#],
            vec![found(0, "missing_call_id", "")],
        ),
        (
            &[r#"{"type":"custom_tool_call_output","name":"f","output":"x"}"#],
            vec![found(0, "missing_call_id", "")],
        ),
    ] {
        assert_eq!(problems(broken), expected, "{broken:?}");
    }
}

const NO_ID: &str = r#"{"type":"function_call","name":"f","arguments":"{}"}"#;

#[test]
fn no_unit_begins_between_a_call_and_its_output() {
    let (a, b, ra, rb) = (call("a"), call("b"), output("a"), output("b"));
    let (a, b, ra, rb) = (a.as_str(), b.as_str(), ra.as_str(), rb.as_str());
    let system = r#"{"role":"developer","content":"x"}"#;
    for (items, expected) in [
        (&[USER, THOUGHT, SAID, a, b, ra, rb, SAID, USER][..], "||.....||"),
        (&[THOUGHT, a, ra, THOUGHT, b, rb], "|..|.."),
        (&[USER, a, SAID, USER, system, ra, USER], "||....|"),
        (&[a, b, ra, USER, b, rb, rb], "|......"),
        // A call without an output holds nothing together.
        (&[a, USER, b, rb, USER], "|||.|"),
        (&[ra, USER, ra, a, ra], "||||."),
        (&[r#"{"type":"item_reference","id":"fc_1"}"#, USER, ra, USER], "|..|"),
        // A call without an id has its output in its turn.
        (&[NO_ID, ra, SAID, USER], "|.||"),
        (&[NO_ID, USER, ra, USER], "||||"),
        (
            &[
                SAID,
                r#"{"type":"mcp_approval_request","id":"m"}"#,
                r#"{"type":"mcp_approval_response","approval_request_id":"m"}"#,
            ],
            "|..",
        ),
    ] {
        assert_eq!(starts(items), expected, "{items:?}");
    }
}

#[test]
fn answers_are_of_the_type_that_fits_the_call() {
    for (kind, expected) in [
        ("function_call", "function_call_output"),
        ("custom_tool_call", "custom_tool_call_output"),
        ("local_shell_call", "local_shell_call_output"),
        ("shell_call", "shell_call_output"),
        ("apply_patch_call", "apply_patch_call_output"),
        ("computer_call", "computer_call_output"),
        ("tool_search_call", "tool_search_output"),
    ] {
        let item = format!(r#"{{"type":"{kind}","call_id":"c\"1","name":"f"}}"#);
        let calls = view(&item).calls;
        let Stubs::Messages(answers) = OpenAiResponses.stub_results(
            &item,
            &calls.iter().collect::<Vec<_>>(),
            "no \"result\"",
            None,
        ) else {
            panic!("an output is an item of its own");
        };
        assert_eq!(problems(&[&item, &answers[0]]), [], "{}", answers[0]);
        assert!(answers[0].contains(&format!("\"type\":\"{expected}\"")), "{}", answers[0]);
    }
}

#[test]
fn own_words_are_what_a_message_says() {
    let own = OpenAiResponses.service_message("a \"b\"", None);
    assert_eq!(texts_of(&own, &OpenAiResponses.content_slots(&own)), [r#""a \"b\"""#]);
    assert_eq!(view(&own).role, Role::System);
    assert_eq!(OpenAiResponses.content_slots(USER).len(), 1);
    for item in [
        r#"{"type":"reasoning","content":[{"type":"reasoning_text","text":"x"}]}"#,
        &call("c"),
        &output("c"),
        r#"{"type":"compaction","encrypted_content":"x"}"#,
    ] {
        assert_eq!(OpenAiResponses.content_slots(item), [], "{item}");
    }
    assert_eq!(OpenAiResponses.without_results(&output("c"), &[0]), None);
    assert_eq!(OpenAiResponses.without_results(USER, &[]).as_deref(), Some(USER));
}
