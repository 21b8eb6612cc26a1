//! Rules of the provider, with histories that break and that keep them.

use super::super::super::{Dialect, Stubs};
use super::super::Anthropic;
use super::*;
use crate::service_messages::BRIDGE;

#[test]
fn each_rule_has_a_broken_history_and_a_sound_one() {
    let search = assistant(&format!("{SEARCH},{CALL_BLOCK}"));
    let found = assistant(FOUND);
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let no_id = assistant(r#"{"type":"tool_use","name":"f","input":{}}"#);
    let nameless = RESULT_A.replace(r#""tool_use_id":"a","#, "");
    let failed = RESULT_A.replace(r#""content":"r""#, r#""is_error":true,"content":"""#);
    let behind = user(&format!("{},{RESULT_BLOCK}", text("x")));
    let before = user(&format!("{RESULT_BLOCK},{}", text("x")));
    let h = |messages: &[&str]| messages.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>();
    type Case = (&'static str, usize, Vec<String>, Vec<String>);
    let table: Vec<Case> = vec![
        ("call_without_result", 1, h(&[HI, CALLS, RESULT_A, OK]), h(&[HI, CALLS, RESULTS, OK])),
        ("call_without_result", 1, h(&[HI, CALL]), h(&[HI, OK])),
        ("call_without_result", 1, h(&[HI, CALL, HI, OK]), h(&[HI, CALL, RESULT_A, HI, OK])),
        // Neighbouring messages of one role are one turn.
        (
            "call_without_result",
            2,
            h(&[HI, OK, CALL, OK, HI]),
            h(&[HI, OK, CALL, RESULT_A, HI, HI]),
        ),
        (
            "call_without_result",
            1,
            h(&[HI, CALLS, RESULT_B, OK]),
            h(&[HI, CALLS, RESULT_B, RESULT_A]),
        ),
        ("result_without_call", 2, h(&[HI, OK, RESULT_A]), h(&[HI, CALL, OK, RESULT_A])),
        ("result_without_call", 0, h(&[RESULT_A, OK]), h(&[HI, OK])),
        (
            "duplicate_result",
            3,
            h(&[HI, CALL, RESULT_A, RESULT_A]),
            h(&[HI, CALLS, RESULT_A, RESULT_B]),
        ),
        (
            "duplicate_call_id",
            3,
            h(&[HI, CALL, RESULT_A, CALL, RESULT_A]),
            h(&[HI, CALL, RESULT_A, OK]),
        ),
        ("missing_call_id", 1, h(&[HI, &no_id, &nameless]), h(&[HI])),
        (
            "arguments_not_an_object",
            1,
            h(&[HI, &CALL.replace("{}", "\"{}\""), RESULT_A]),
            h(&[HI, CALL, RESULT_A]),
        ),
        ("results_not_first", 2, h(&[HI, CALL, &behind]), h(&[HI, CALL, &before, HI])),
        ("results_not_first", 3, h(&[HI, CALL, HI, RESULT_A]), h(&[HI, CALL, RESULT_A, HI])),
        (
            "results_not_first",
            3,
            h(&[HI, CALLS, &before, RESULT_B]),
            h(&[HI, CALLS, RESULT_B, &before]),
        ),
        ("first_message_not_user", 0, h(&[OK, HI]), h(&[HI, OK])),
        ("empty_text", 0, vec![user(&text(""))], vec![user(&text("x"))]),
        (
            "blank_text",
            0,
            vec![user(&text("\\n "))],
            vec![user(&format!("{},{}", text(" "), text("x")))],
        ),
        (
            "empty_content",
            1,
            h(&[HI, r#"{"role":"assistant","content":[]}"#, HI]),
            h(&[HI, r#"{"role":"assistant","content":[]}"#]),
        ),
        ("empty_content", 0, h(&[r#"{"role":"user","content":""}"#]), h(&[HI])),
        ("empty_error_result", 2, h(&[HI, CALL, &failed]), h(&[HI, CALL, &result("\"\"")])),
        ("server_result_without_call", 1, h(&[HI, &found]), h(&[HI, &search, RESULT_A, &found])),
    ];
    for (rule, index, bad, sound) in table {
        assert!(broken(&bad).contains(&(index, rule)), "{rule}: {:?}", broken(&bad));
        assert_eq!(broken(&sound), [], "{rule}");
    }
    // System messages may follow results, but not separate call and result.
    assert_eq!(broken(&[HI, SYSTEM, CALL, RESULT_A, SYSTEM, OK]), []);
    let between = broken(&[HI, CALL, SYSTEM, RESULT_A]);
    let behind = [(2, "system_not_behind_user"), (2, "system_not_before_model")];
    assert_eq!(
        between,
        [&[(1, "call_without_result")][..], &behind, &[(3, "result_without_call")]].concat()
    );
}

/// The API's verdicts on these lists, from its errors.
#[test]
fn system_messages_stand_behind_the_user_and_before_the_model() {
    let found = assistant(&format!("{SEARCH},{FOUND}"));
    let effort = r#"{"role":"system","content":[],"output_config":{"effort":"low"}}"#;
    let tool = r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","tool_name":"Grep"}}]}"#;
    let image =
        r#"{"role":"system","content":[{"type":"image","source":{"type":"url","url":"u"}}]}"#;
    for sound in [
        &[HI, SYSTEM][..],
        &[HI, SYSTEM, OK, HI],
        &[HI, SYSTEM, SYSTEM],
        &[HI, SYSTEM, SYSTEM, OK],
        &[HI, tool, OK],
        &[HI, &found, SYSTEM, OK],
        &[HI, CALL, RESULT_A, SYSTEM, OK],
        // A message that only sets the effort may be anywhere.
        &[effort, HI, effort, OK, effort, HI],
        &[HI, effort, SYSTEM, effort, OK],
    ] {
        assert_eq!(broken(sound), [], "{sound:?}");
    }
    let (first, behind, before) =
        ("system_first", "system_not_behind_user", "system_not_before_model");
    for (bad, problems) in [
        (&[SYSTEM, HI][..], &[(0, first)][..]),
        (&[SYSTEM, SYSTEM, HI], &[(0, first)]),
        (&[HI, OK, SYSTEM, HI], &[(2, behind), (2, before)]),
        (&[HI, OK, SYSTEM, OK, HI], &[(2, behind)]),
        (&[HI, OK, SYSTEM, SYSTEM, HI], &[(2, behind), (3, before)]),
        (&[HI, SYSTEM, HI], &[(1, before)]),
        (&[HI, SYSTEM, SYSTEM, HI], &[(2, before)]),
        (&[HI, SYSTEM, SYSTEM, SYSTEM, HI], &[(3, before)]),
        (&[HI, r#"{"role":"system","content":[]}"#], &[(1, "empty_content")]),
        (&[HI, r#"{"role":"system","content":""}"#], &[(1, "empty_content")]),
        (&[HI, image], &[(1, "system_block_type")]),
    ] {
        assert_eq!(broken(bad), problems, "{bad:?}");
    }
}

#[test]
fn what_the_provider_says_names_the_id() {
    let views = [view(HI), view(CALL)];
    let problems = Anthropic.problems(&views.iter().collect::<Vec<_>>());
    assert!(problems[0].error().contains("immediately after: a. Each `tool_use` block"));
}

#[test]
fn a_unit_is_a_turn_with_its_results_and_those_of_the_server() {
    let starts = |messages: &[&str]| {
        let views: Vec<MessageView> = messages.iter().map(|m| view(m)).collect();
        Anthropic.unit_starts(&views.iter().collect::<Vec<_>>())
    };
    assert_eq!(
        starts(&[HI, OK, CALLS, RESULT_A, RESULT_B, OK, HI]),
        [true, true, false, false, false, true, true]
    );
    let (search, found) = (assistant(SEARCH), assistant(FOUND));
    assert_eq!(
        starts(&[HI, &search, RESULT_A, &found, HI, &found]),
        [true, true, false, false, false, false]
    );
    assert_eq!(starts(&[HI, &found, HI]), [true, true, true]);
    // Text between them does not separate them, because the API merges both messages into one turn;
    // a system message does.
    assert_eq!(
        starts(&[HI, CALLS, RESULT_A, HI, RESULT_B, HI, OK, HI]),
        [true, true, false, false, false, true, true, true]
    );
    assert_eq!(starts(&[CALLS, HI, SYSTEM, RESULT_A]), [true, true, false, true]);
    assert_eq!(starts(&[HI, SYSTEM, SYSTEM, CALL, RESULT_A, SYSTEM, OK]), {
        [true, false, false, true, false, false, true]
    });
    assert_eq!(starts(&[]), [] as [bool; 0]);
}

#[test]
fn orphans_leave_and_the_rest_stays_as_it_is() {
    let one = |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}"}}"#);
    let text = r#"{"type":"text","text":"x"}"#;
    let message = format!(
        r#"{{"role":"user", "content": [ {} , {} ,{text},{} ] ,"x":1.0}}"#,
        one("a"),
        one("b"),
        one("c")
    );
    let without = |results: &[usize]| Anthropic.without_results(&message, results);
    let kept =
        |blocks: &str| Some(format!(r#"{{"role":"user", "content": [ {blocks} ] ,"x":1.0}}"#));
    assert_eq!(without(&[]), Some(message.clone()));
    assert_eq!(without(&[0]), kept(&format!("{} ,{text},{}", one("b"), one("c"))));
    assert_eq!(without(&[1, 2]), kept(&format!("{} , {text}", one("a"))));
    assert_eq!(without(&[0, 1, 2]), kept(text));
    assert_eq!(Anthropic.without_results(RESULTS, &[0, 1]), None);
    assert_eq!(Anthropic.without_results(HI, &[0]), Some(HI.to_owned()));
}

#[test]
fn dangling_calls_are_answered_in_the_users_next_message() {
    let asked = view(CALLS);
    let calls: Vec<_> = asked.calls.iter().collect();
    let mended =
        |calls: &[_], next: Option<&str>| Anthropic.stub_results(CALLS, calls, "(lost)", next);
    let empty = r#"{"role":"user","content":[ ]}"#;
    for next in [HI, empty, r#"{"role":"user","content":""}"#, r#"{"role":"user","content":null}"#]
    {
        let Stubs::Within(message) = mended(&calls, Some(next)) else { panic!("{next}") };
        assert_eq!(broken(&[HI, CALLS, &message]), [], "{message}");
        assert_eq!(view(&message).texts.len(), view(next).texts.len());
    }
    let Stubs::Within(message) = mended(&calls[1..], Some(RESULT_A)) else { panic!() };
    assert_eq!(broken(&[HI, CALLS, &message]), []);
    // The message of the snapshots stays unchanged, and there may be no message to add the stubs
    // to.
    let own = Anthropic.service_message(BRIDGE, None);
    for next in [None, Some(own.as_str()), Some(OK), Some(SYSTEM)] {
        let Stubs::Messages(messages) = mended(&calls, next) else { panic!("{next:?}") };
        let history = [&[HI.to_owned(), CALLS.to_owned()], messages.as_slice()].concat();
        assert_eq!(broken(&history), []);
        assert_eq!(messages.len(), 1);
    }
    assert_eq!(mended(&[], None), Stubs::Messages(vec![]));
}
