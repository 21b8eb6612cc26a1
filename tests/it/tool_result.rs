//! `/read_tool_result`: a stored result by what its agent knows of it, and the part
//! of it that a word asks for.

use serde_json::{Value, json};
use token_count::Tokenizer;

use crate::app::{TestApp, split};
use crate::asking::{Said, memories};
use crate::history::array;

fn history(id: &str, text: &str) -> String {
    array(&[
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "scan", "arguments": "{\"port\":80}"}}]})
        .to_string(),
        json!({"role": "tool", "tool_call_id": id, "content": text}).to_string(),
        json!({"role": "user", "content": "go on"}).to_string(),
    ])
}

fn log(lines: usize) -> String {
    (1..=lines).map(|n| format!("L{n} a line of a log that is long enough\n")).collect()
}

/// A service with one stored log of 500 lines under the call `call_7`.
fn app() -> TestApp {
    let app = TestApp::new();
    app.offload(&history("call_7", &log(500)), &json!({"max_total_tokens": 1}));
    assert!(app.folder().join("store/tool_call_7.txt").exists());
    app
}

/// The lines of an answer, without the line that says which they are.
fn body(said: &Said) -> &str {
    said.answer.split_once("\n\n---\n\n").map_or(&said.answer, |(_, body)| body)
}

/// The lines from `first` to `last` of the log.
fn part(first: usize, last: usize) -> String {
    log(500).lines().skip(first - 1).take(last + 1 - first).map(|l| format!("{l}\n")).collect()
}

/// Names hold a part of an id only; the record of a file has the id.
#[test]
fn ids_that_begin_alike_have_results_of_their_own() {
    let app = TestApp::new();
    let ids = ["a", "b", "c"].map(|end| format!("call_{}{end}", "x".repeat(120)));
    for (number, id) in ids.iter().take(2).enumerate() {
        let log = log(500 + number);
        app.offload(&history(id, &log), &json!({"max_total_tokens": 1}));
    }
    for (number, id) in ids.iter().take(2).enumerate() {
        let said = app.tool_result(id, &json!({"lines": "1"}));
        assert_eq!(said.get("total_lines"), 500 + number, "{id}");
    }
    let refusal = app.tool_result_refusal(&ids[2], &json!({"lines": "1"}));
    assert!(refusal.contains(&ids[2]), "{refusal}");
}

/// file-backed-tool-results: `lines: "all", "first:100", "last:50", "grep:pattern"`.
#[test]
fn every_selector_over_text() {
    let app = app();
    for (lines, expected) in [
        ("all", part(1, 500)),
        ("first:100", part(1, 100)),
        ("first:9999", part(1, 500)),
        ("last:50", part(451, 500)),
        ("10-80", part(10, 80)),
        ("490-9999", part(490, 500)),
        ("7", part(7, 7)),
        (" ALL ", part(1, 500)),
        ("head_tail:20", format!("{}[… L21-L480 left out …]\n{}", part(1, 20), part(481, 500))),
        ("head_tail:250", part(1, 500)),
    ] {
        let said = app.tool_result("call_7", &json!({"lines": lines}));
        assert_eq!(body(&said), expected, "{lines}");
        assert_eq!(said.get("total_lines"), 500);
        assert_eq!(said.get("path"), "/workspace/store/tool_call_7.txt");
        assert_eq!(said.get("truncated"), false);
    }
    assert_eq!(body(&app.tool_result("call_7", &json!({}))), part(1, 500), "all is the default");
    let said = app.tool_result("call_7", &json!({"lines": "10-80"}));
    assert!(said.answer.starts_with("Showing lines 10-80 of 500 total lines.\n\n---\n\n"));
    let said = app.tool_result("call_7", &json!({"lines": "grep:l49\\d "}));
    assert!(said.answer.starts_with("Found 10 matches"), "{}", said.answer);
    assert_eq!(said.get("matches").as_array().unwrap().len(), 10);
    assert_eq!(said.get("matches")[0]["line"], 490);
}

/// Of records, each is a line, and the header is none of them.
#[test]
fn every_selector_over_records() {
    let app = TestApp::new();
    let records = memories(100, "full");
    let path = app.offload_records(&records, &json!({})).path();
    let all: Vec<Value> = serde_json::from_str(&records).unwrap();
    for (lines, first, last) in
        [("all", 1, 100), ("first:3", 1, 3), ("last:2", 99, 100), ("10-12", 10, 12)]
    {
        let said = app.tool_result(&path, &json!({"lines": lines}));
        let found: Vec<Value> =
            body(&said).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(found, all[first - 1..last], "{lines}");
        assert_eq!(said.get("total_lines"), 100);
    }
    let said = app.tool_result(&path, &json!({"lines": "head_tail:1"}));
    assert!(said.answer.contains("mem-0000") && said.answer.contains("mem-0099"));
    assert!(said.answer.contains("L2-L99 left out") && !said.answer.contains("lro_header"));
    let said = app.tool_result(&path, &json!({"lines": "grep:fact 42"}));
    assert!(said.answer.starts_with("Found 1 match"), "{}", said.answer);
}

#[test]
fn a_search_counts_the_same_lines_as_the_other_selectors() {
    let app = TestApp::new();
    let path = app.offload_records(&memories(100, "full"), &json!({"query": "needle"})).path();
    let line =
        app.tool_result(&path, &json!({"lines": "grep:fact 42"})).get("matches")[0]["line"].clone();
    let said = app.tool_result(&path, &json!({"lines": line.to_string()}));
    assert!(said.answer.contains("fact 42"), "L{line}: {}", said.answer);
    let said = app.tool_result(&path, &json!({"lines": "grep:needle"}));
    assert!(said.answer.starts_with("No matches"), "{}", said.answer);
}

#[test]
fn a_result_is_named_by_its_call_its_file_or_its_path() {
    let app = app();
    for id in ["call_7", "7", "tool_call_7", "tool_call_7.txt", "/workspace/store/tool_call_7.txt"]
    {
        let said = app.tool_result(id, &json!({"lines": "first:1"}));
        assert_eq!(body(&said), part(1, 1), "{id}");
        assert_eq!(said.raw("others"), None, "{id}");
    }
    let said = app.tool_result("call_7", &json!({"store_dir": "/workspace/store", "lines": "7"}));
    assert_eq!(body(&said), part(7, 7));
    let refusal = app.tool_result_refusal("call_7", &json!({"store_dir": "/workspace/elsewhere"}));
    assert!(refusal.contains("call_7"), "{refusal}");
    let again = app.again().tool_result("call_7", &json!({"lines": "7"}));
    assert_eq!(body(&again), part(7, 7), "another process finds it, too");
}

/// Records that moved out of a history are found by the id of their call.
#[test]
fn records_of_a_history_are_named_by_their_call() {
    let app = TestApp::new();
    let records = memories(120, "full");
    let after = app.offload(&history("call_9", &records), &json!({"max_total_tokens": 1}));
    assert!(after.messages.contains(".jsonl"), "{}", after.messages);
    let said = app.tool_result("call_9", &json!({"lines": "first:2"}));
    assert_eq!(said.get("total_lines"), 120);
    assert!(said.answer.contains("mem-0000") && !said.answer.contains("lro_header"));
    let path = said.get("path").as_str().unwrap().to_owned();
    let stem = path.rsplit('/').next().unwrap().trim_end_matches(".jsonl");
    assert_eq!(app.tool_result(stem, &json!({"lines": "first:2"})).answer, said.answer);
}

#[test]
fn two_results_of_one_id_are_both_named_and_the_newest_is_read() {
    let app = app();
    app.age("/workspace/store/tool_call_7.txt", 100);
    app.offload(&history("call_7", &log(400)), &json!({"max_total_tokens": 1}));
    let said = app.tool_result("call_7", &json!({"lines": "first:1"}));
    assert_eq!(said.get("total_lines"), 400);
    assert_eq!(said.get("others"), json!(["/workspace/store/tool_call_7.txt"]));
    let note = "[stored with this id, too: /workspace/store/tool_call_7.txt]";
    for lines in ["first:1", "grep:L7 "] {
        let said = app.tool_result("call_7", &json!({"lines": lines}));
        assert!(said.answer.ends_with(note), "{lines}: {}", said.answer);
    }
}

/// The text around the records of a result is part of it. The note fits the ceiling, and an answer
/// with it is recognised as read back (I3).
#[test]
fn the_text_around_records_is_told() {
    let app = TestApp::new();
    let items = (0..100).map(|n| json!({"id": n, "name": format!("item {n}")}));
    let items = Value::from_iter(items);
    let errors = Value::from_iter((0..30).map(|n| json!({"code": n, "m": "bad thing"})));
    let envelope = json!({"total": 812, "items": items, "errors": errors}).to_string();
    let settings = json!({"max_total_tokens": 1, "max_tool_message_tokens": 50});
    for (id, text, pattern, parts) in [
        (
            "call_1",
            format!("error: no crate\n{items}\nexit code: 101\n"),
            "^exit code: 101$",
            &[r#""error: no crate\n…\nexit code: 101"]"#][..],
        ),
        ("call_2", envelope, "bad thing", &["\\\"total\\\":812"]),
    ] {
        let after = app.offload(&history(id, &text), &settings);
        assert!(after.messages.contains(".jsonl"), "{}", after.messages);
        for lines in ["first:1", "last:1", "grep:item 42"] {
            let said = app.tool_result(id, &json!({"lines": lines}));
            let (shown, note) =
                said.answer.split_once("[around the records, in line 1 of the file: ").unwrap();
            assert!(shown.ends_with('\n') && shown.contains("item "), "{lines}: {}", said.answer);
            assert!(parts.iter().all(|part| note.contains(part)), "{lines}: {}", said.answer);
        }
        let path = app.tool_result(id, &json!({"lines": "1"})).get("path");
        let said = app.tool_result(id, &json!({"lines": "first:60"}));
        let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_9",
            "type": "function", "function": {"name": "read_tool_result",
            "arguments": json!({"result_id": path, "lines": "first:60"}).to_string()}}]});
        let read = json!({"role": "tool", "tool_call_id": "call_9", "content": said.answer});
        let more = json!({"role": "user", "content": "And?"});
        let messages = split(&after.messages).into_iter();
        let messages: Vec<String> =
            messages.chain([call, read, more].map(|message| message.to_string())).collect();
        app.offload(&array(&messages), &settings);
        assert!(!app.folder().join("store/tool_call_9.txt").exists(), "{id}");
        for most in [40, 60, 100, 400] {
            let said = app.tool_result(id, &json!({"lines": "first:60", "max_tokens": most}));
            let tokens = Tokenizer::O200kBase.count(&said.answer);
            assert!(tokens <= most, "{most}: {tokens}, {}", said.answer);
        }
        let said = app.tool_result(id, &json!({"lines": format!("grep:{pattern}")}));
        let head = said.answer.lines().next().unwrap();
        let note = "; line 1 of the file, around the records, matches, too.";
        assert!(head.starts_with("No matches") && head.ends_with(note), "{}", said.answer);
    }
}

/// Ids are counted up by many frameworks: the same one in another folder is another
/// chat's call, and which is meant, only the caller knows.
#[tokio::test]
async fn an_id_of_several_folders_is_a_choice_and_not_made_here() {
    let app = app();
    for n in 0..20 {
        let folder = format!("/workspace/chat{n:02}");
        let settings = json!({"max_total_tokens": 1, "store_dir": folder});
        app.offload(&history("call_7", &log(300 + n)), &settings);
        if n == 0 {
            let refusal = app.tool_result_refusal("call_7", &json!({}));
            assert_eq!(
                refusal,
                "2 results of \"call_7\" are in different folders: \
                 \"/workspace/chat00/tool_call_7.txt\", \"/workspace/store/tool_call_7.txt\"; \
                 accepted is one of these paths as result_id, or its folder as store_dir"
            );
        }
    }
    let refusal = app.tool_result_refusal("tool_call_7", &json!({"lines": "grep:L1"}));
    assert!(refusal.starts_with("21 results of \"tool_call_7\" are in"), "{refusal}");
    assert_eq!(refusal.matches("/tool_call_7.txt\"").count(), 10, "{refusal}");
    assert!(refusal.contains("\"/workspace/chat09/tool_call_7.txt\" and 11 more; "), "{refusal}");
    // The same words everywhere, and a folder or a path decides.
    let body = json!({"result_id": "tool_call_7", "lines": "grep:L1"});
    let reply = app.post("/read_tool_result", body.to_string()).await;
    assert_eq!((reply.status.as_u16(), &reply.json["answer"]), (422, &json!(refusal)));
    assert_eq!(reply.json["metadata"]["error"]["code"], "result_ambiguous");
    let said = app.tool_result("call_7", &json!({"store_dir": "/workspace/chat05"}));
    assert_eq!((said.get("total_lines"), said.raw("others")), (json!(305), None));
    let said = app.tool_result("/workspace/chat11/tool_call_7.txt", &json!({}));
    assert_eq!(said.get("total_lines"), 311);
    // One folder of many has it: no doubt.
    let settings = json!({"max_total_tokens": 1, "store_dir": "/workspace/chat03"});
    app.offload(&history("call_8", &log(250)), &settings);
    let said = app.tool_result("call_8", &json!({"lines": "7"}));
    assert_eq!(said.get("path"), "/workspace/chat03/tool_call_8.txt");
}

#[test]
fn an_answer_that_a_ceiling_cuts_says_how_to_go_on() {
    let app = app();
    let (mut found, mut lines, mut pages) = (String::new(), json!("all"), 0);
    while !lines.is_null() {
        let said = app.tool_result("call_7", &json!({"lines": lines, "max_tokens": 700}));
        found.push_str(body(&said));
        lines = said.get("next_lines");
        assert_eq!(said.get("truncated"), !lines.is_null());
        pages += 1;
    }
    assert_eq!(found, log(500));
    assert!(pages > 3, "{pages}");
    let app = TestApp::new();
    app.offload(&history("call_8", &"x".repeat(900_000)), &json!({"max_total_tokens": 1}));
    let said = app.tool_result("call_8", &json!({"max_tokens": 100}));
    assert!(
        said.answer.len() < 3_000 && said.answer.contains("read_file"),
        "{}",
        said.answer.len()
    );
}

#[tokio::test]
async fn what_cannot_be_read_is_told_apart() {
    let app = app();
    std::fs::write(app.folder().join("store/tool_call_bin.txt"), [0xff, 0xfe]).unwrap();
    let ask = async |body: Value| {
        let reply = app.post("/read_tool_result", body.to_string()).await;
        let error = reply.json["metadata"]["error"].clone();
        let code = error["code"].as_str().unwrap_or_default().to_owned();
        (reply.status.as_u16(), code, reply.json["answer"].as_str().unwrap().to_owned())
    };
    for (body, status, code, word) in [
        (json!({}), 422, "field_missing", "result_id"),
        (json!({"result_id": " "}), 422, "field_missing", "result_id"),
        (json!({"result_id": 7}), 422, "field_invalid", "result_id"),
        (json!({"result_id": "call_7", "lines": "some"}), 422, "field_invalid", "head_tail:20"),
        (json!({"result_id": "call_7", "lines": "first:0"}), 422, "field_invalid", "first:100"),
        (json!({"result_id": "call_7", "lines": "80-10"}), 422, "field_invalid", "10-80"),
        (json!({"result_id": "call_7", "max_tokens": -1}), 422, "field_invalid", "max_tokens"),
        (json!({"result_id": "call_99"}), 404, "file_not_found", "call_99"),
        (json!({"result_id": "../../etc/passwd"}), 404, "file_not_found", "passwd"),
        (json!({"result_id": "/etc/passwd"}), 404, "file_not_found", "passwd"),
        (json!({"result_id": ".unburden"}), 404, "file_not_found", "unburden"),
        (json!({"result_id": "*"}), 404, "file_not_found", "*"),
    ] {
        let (found, found_code, message) = ask(body.clone()).await;
        assert_eq!((found, found_code.as_str()), (status, code), "{body}: {message}");
        assert!(message.contains(word) && message.len() < 500, "{body}: {message}");
    }
    let (status, _, message) = ask(json!({"result_id": "call_7", "lines": "600-700"})).await;
    assert!(status == 422 && message.contains("500 lines"), "{status} {message}");
    let (status, _, message) = ask(json!({"result_id": "call_7", "lines": "grep:("})).await;
    assert!(status == 422, "{status} {message}");
    let (status, _, message) = ask(json!({"result_id": "call_bin"})).await;
    assert!(status == 422, "{status} {message}");
}

#[tokio::test]
async fn what_has_expired_names_the_call_that_made_it() {
    let app = TestApp::with(|config| config.store.ttl_seconds = 3_600);
    app.offload(&history("call_7", &log(500)), &json!({"max_total_tokens": 1}));
    let path = app
        .offload_records(&memories(100, "full"), &json!({"operation": "list", "query": "q 1"}))
        .path();
    for path in ["/workspace/store/tool_call_7.txt", &path] {
        app.age(path, 4_000);
    }
    app.sweep(&json!({}));
    let name = path.rsplit('/').next().unwrap();
    for (id, words) in [
        ("call_7", vec!["scan", "port", "call_7"]),
        ("tool_call_7.txt", vec!["scan"]),
        ("/workspace/store/tool_call_7.txt", vec!["scan"]),
        (&path, vec!["list({\"query\":\"q 1\"})"]),
        (name, vec!["list({\"query\":\"q 1\"})"]),
    ] {
        let body = json!({"result_id": id}).to_string();
        let reply = app.post("/read_tool_result", body).await;
        assert_eq!(reply.status.as_u16(), 410, "{id}: {}", reply.text);
        for word in words {
            assert!(reply.json["answer"].as_str().unwrap().contains(word), "{id}: {}", reply.text);
        }
    }
}
