//! `/offload_result` as its users meet it: what is small comes back as it is, what
//! is large becomes a file of the very same records, and nothing is ever lost.

use record_files::file;
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::asking::{large, lines, memories};

/// Records that no tree of JSON values can hold.
const HARD: [&str; 12] = [
    r#"{"n":9007199254740993}"#,
    r#"{"n":123456789012345678901234567890,"m":-0.0}"#,
    r#"{"price":1.10,"rate":1E+2}"#,
    r#"{"huge":1e400,"tiny":1e-400}"#,
    r#"{"z":1,"a":2,"m":{"y":1,"b":2}}"#,
    r#"{"twice":1,"twice":2}"#,
    r#"{"nothing":null,"empty":{},"none":[]}"#,
    r#"{"lone":"\ud800","pair":"\ud83d\ude00","é":"\u00e9"}"#,
    r#"{"quote":"\"","slash":"\/","control":"\u0000\n"}"#,
    r#"{"":{"":[[[]]]}}"#,
    r#"[1,"a",null,true]"#,
    r#""text""#,
];

fn hard_records() -> String {
    let all: Vec<&str> = HARD.iter().copied().cycle().take(400).collect();
    format!("[{}]", all.join(","))
}

/// The rows of a table, as a tool would list them.
fn rows(count: usize) -> Vec<Value> {
    let row = |n: usize| {
        let state = ["open", "done"][n % 2];
        json!({"id": n, "name": format!("row {n}"), "state": state})
    };
    (0..count).map(row).collect()
}

#[test]
fn what_is_small_comes_back_byte_for_byte() {
    let app = TestApp::new();
    for results in ["[]", " [ 1 , 2.0 ] ", r#"[{"b":1, "a":1.10, "a":null, "s":"\ud800"}]"#] {
        let said = app.offload_records(results, &json!({}));
        assert_eq!(said.raw("results"), Some(results.trim()));
        assert_eq!(said.answer, results.trim());
        assert!(said.inline());
        let why = said.get("offload")["why"].as_str().unwrap().to_owned();
        assert!(why.contains("1600"), "{why}");
    }
    let text = "a log\n\n  with \u{1} \"odd\" characters é\n";
    let said = app.offload_text(text, &json!({}));
    assert_eq!((said.get("results"), said.answer.as_str()), (json!(text), text));
    assert_eq!(app.files(), [], "nothing is written");
}

#[test]
fn the_records_of_a_file_are_those_of_the_result() {
    let app = TestApp::new();
    let said = app.offload_records(&hard_records(), &json!({}));
    let content = app.content(&said.path());
    let (header, records) = content.split_once('\n').unwrap();
    assert!(header.contains("\"count\":400"));
    for (record, expected) in records.lines().zip(HARD.iter().cycle()) {
        assert_eq!(record, *expected);
    }
    assert_eq!(file::split(&content).unwrap().rebuild().unwrap(), hard_records());
}

#[test]
fn white_space_between_tokens_is_kept_beside_the_records() {
    let app = TestApp::new();
    let pretty = serde_json::to_string_pretty(&rows(300)).unwrap();
    for text in [pretty.clone(), format!("\n {pretty}\n\n"), pretty.replace('\n', "\r\n")] {
        let said = app.offload_records(text.trim(), &json!({}));
        let content = app.content(&said.path());
        assert_eq!(content.lines().count(), 301, "a record is one line");
        assert_eq!(file::split(&content).unwrap().rebuild().unwrap(), text.trim());
        let said = app.offload_text(&text, &json!({}));
        assert_eq!(file::split(&app.content(&said.path())).unwrap().rebuild().unwrap(), text);
    }
}

#[test]
fn what_surrounded_the_records_is_kept() {
    let app = TestApp::new();
    let items = Value::from(rows(300)).to_string();
    let mut by_name = serde_json::Map::new();
    for row in rows(300) {
        by_name.insert(format!("key {}", row["id"]), row);
    }
    for text in [
        format!(r#"{{"total":300,"next":null,"items":{items},"ok":true}}"#),
        format!(r#"{{"data":{{"page":1,"rows":{items}}},"page":1.10}}"#),
        format!("Here are the rows:\n{items}\nThat is all.\n"),
        json!({"output": items}).to_string(),
        Value::from(by_name).to_string(),
        rows(300).iter().map(|row| format!("{row}\n")).collect(),
    ] {
        let said = app.offload_text(&text, &json!({}));
        let content = app.content(&said.path());
        let (header, records) = lines(&content);
        assert_eq!((header["count"].as_u64(), records.len()), (Some(300), 300));
        assert_eq!(file::split(&content).unwrap().rebuild().unwrap(), text);
        let answer = app.extract(&said.path(), &json!({"query": "length", "slurp": true}));
        assert_eq!(answer.answer, "300");
    }
    let text = format!(r#"{{"total":4711,"items":{items}}}"#);
    let said = app.offload_text(&text, &json!({}));
    assert_eq!(said.get("offload")["around"], json!({"total": 4_711}));
}

#[test]
fn the_same_result_again_is_the_same_file() {
    let app = TestApp::new();
    let records = memories(200, "full");
    let first = app.offload_records(&records, &json!({"query": "q"}));
    assert_eq!(first.get("file")["created"], true);
    app.age(&first.path(), 3_000);
    let files = app.files().len();
    for app in [&app, &app.again()] {
        let second = app.offload_records(&records, &json!({"query": "q", "ttl_seconds": 9}));
        assert_eq!(second.path(), first.path());
        assert_eq!(second.get("file")["created"], false);
        assert_eq!(second.get("file")["ttl_seconds"], 3_600, "the file's own lifetime");
        assert_eq!(second.answer, first.answer);
    }
    assert_eq!(app.files().len(), files);
    app.sweep(&json!({}));
    assert!(app.real(&first.path()).exists(), "asking again renewed it");
    // What differs in anything is another file.
    let others = [
        app.offload_records(&memories(201, "full"), &json!({"query": "q"})),
        app.offload_records(&records, &json!({"query": "another"})),
        app.offload_records(&records, &json!({"query": "q", "operation": "list"})),
        app.offload_records(&records, &json!({"query": "q", "output_dir": "/workspace/other"})),
    ];
    let mut paths: Vec<String> = others.iter().map(crate::asking::Said::path).collect();
    paths.push(first.path());
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 5);
}

#[test]
fn a_file_that_was_swept_is_written_again() {
    let app = TestApp::new();
    let records = memories(200, "full");
    let first = app.offload_records(&records, &json!({}));
    app.age(&first.path(), 4_000);
    app.sweep(&json!({}));
    let second = app.offload_records(&records, &json!({}));
    assert_eq!(second.get("file")["created"], true);
    assert!(app.real(&second.path()).exists());
    assert_eq!(app.extract(&second.path(), &json!({"count": true})).get("count"), 200);
}

#[test]
fn a_log_becomes_a_text_file_with_the_preview_of_a_history() {
    let app = TestApp::new();
    let log: String = (0..2_000).map(|n| format!("{n:04} \"info\"\tall is well\r\n")).collect();
    for text in [log.clone(), log.trim_end().to_owned(), format!("\n\n{log}\n"), "x ".repeat(9_000)]
    {
        let said = app.offload_text(&text, &json!({"operation": "build"}));
        let path = said.path();
        assert!(path.contains("/tool_text_build_") && path.ends_with(".txt"), "{path}");
        assert_eq!(app.content(&path), text);
        let last = format!("(detailed result is stored in {path})");
        assert_eq!(said.answer.lines().last(), Some(&*last));
        let offload = said.get("offload");
        assert_eq!(offload["preview"], *said.answer);
        assert_eq!(offload["summary"]["count"], text.lines().count());
        assert!(said.get("file")["created"] == true && said.get("file")["ttl_seconds"] == 3_600);
        let again = app.offload_text(&text, &json!({"operation": "build"}));
        assert_eq!((again.path(), &again.get("file")["created"]), (path.clone(), &json!(false)));
        let longer = app.offload_text(&text, &json!({"operation": "build", "ttl_seconds": 9_000}));
        assert_eq!(longer.get("file")["ttl_seconds"], 3_600);
        assert!(longer.warnings().contains("its lifetime is 3600 seconds, not 9000"));
        let said = app.tool_result(&path, &json!({"max_tokens": 0}));
        assert_eq!(said.answer, text);
    }
    let said = app.offload_text(&log, &json!({"operation": "build"}));
    let said = app.tool_result(&said.path(), &json!({"lines": "12-13"}));
    let body = said.answer.split_once("---\n\n").unwrap().1;
    assert_eq!(body, "0011 \"info\"\tall is well\r\n0012 \"info\"\tall is well\r\n");
}

#[test]
fn a_descriptor_is_as_rich_as_was_asked_for() {
    let app = TestApp::new();
    let mut sizes = Vec::new();
    for (richness, has, has_not) in [
        ("full", vec!["fields", "example", "jq_recipes", "guidance", "summary"], vec!["calls"]),
        ("no_recipes", vec!["fields", "example", "guidance", "summary"], vec!["jq_recipes"]),
        ("no_schema", vec!["jq_recipes", "guidance", "summary"], vec!["fields", "example"]),
        ("compact", vec!["summary", "fields", "calls"], vec!["jq_recipes", "guidance"]),
        ("pointer", vec!["count", "fields"], vec!["summary", "calls", "guidance"]),
    ] {
        let said = app.offload_records(&memories(300, "full"), &json!({"descriptor": richness}));
        let offload = said.get("offload");
        for name in has.iter().chain(&["offloaded", "file_path"]) {
            assert!(!offload[*name].is_null(), "{richness} has {name}: {offload}");
        }
        for name in has_not {
            assert!(offload[name].is_null(), "{richness} has no {name}: {offload}");
        }
        let recipes = offload["jq_recipes"].as_array().map_or(0, Vec::len);
        let expected = if matches!(richness, "full" | "no_schema") { 2 } else { 0 };
        assert_eq!(recipes, expected, "{richness}");
        sizes.push(said.answer.len());
    }
    assert!(sizes[0] > sizes[1] && sizes[2] > sizes[3] && sizes[3] > sizes[4], "{sizes:?}");
    assert!(sizes[4] < 600, "a pointer is short: {sizes:?}");
}

#[test]
fn a_descriptor_is_never_larger_than_the_result() {
    let app = TestApp::new();
    for count in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89] {
        for richness in ["full", "compact", "pointer"] {
            let results = memories(count, "full");
            let settings = json!({"descriptor": richness, "threshold_tokens": 0});
            let said = app.offload_records(&results, &settings);
            let inline = said.inline();
            let size = |text: &str| text.chars().count().div_ceil(4);
            assert!(inline || size(&said.answer) < size(&results), "{count}: {}", said.answer);
            assert!(!inline || said.raw("results") == Some(results.as_str()));
        }
    }
    let said = app.offload_records("[1,2,3]", &json!({"threshold_tokens": 0}));
    assert!(said.inline());
    assert!(said.envelope.contains("no descriptor of it would be smaller"), "{}", said.envelope);
    assert_eq!(said.raw("results"), Some("[1,2,3]"));
}

#[test]
fn a_request_that_says_too_little_or_too_much_is_told_what_to_say() {
    let app = TestApp::new();
    let long = "x".repeat(65_536);
    for (body, words) in [
        (r#"{"results":[1]}"#.to_owned(), vec!["operation is missing", "name of a tool"]),
        (r#"{"operation":" ","results":[1]}"#.to_owned(), vec!["operation", "1 to 200"]),
        (format!(r#"{{"operation":"{long}","results":[1]}}"#), vec!["operation", "1 to 200"]),
        (r#"{"operation":7,"results":[1]}"#.to_owned(), vec!["operation"]),
        (r#"{"operation":"x"}"#.to_owned(), vec!["results is missing", "content"]),
        (
            r#"{"operation":"x","results":[1],"content":"a"}"#.to_owned(),
            vec!["content", "either results or content"],
        ),
        (large(r#""results":{"a":1}"#, &json!({})), vec!["results", "an array"]),
        (large(r#""results":"[1]""#, &json!({})), vec!["results", "an array"]),
        (large(r#""content":[1]"#, &json!({})), vec!["content", "string"]),
        (large(r#""results":[]"#, &json!({"ttl_seconds": 0})), vec!["ttl_seconds", "1"]),
        (large(r#""results":[]"#, &json!({"ttl_seconds": -1})), vec!["ttl_seconds"]),
        (large(r#""results":[]"#, &json!({"threshold_tokens": "no"})), vec!["threshold_tokens"]),
        (
            large(r#""results":[]"#, &json!({"profile": "mif-9"})),
            vec!["profile", "general", "mif", "mif-6400"],
        ),
        (
            large(r#""results":[]"#, &json!({"descriptor": "rich"})),
            vec!["descriptor", "full", "no_recipes", "no_schema", "compact", "pointer"],
        ),
        (
            large(r#""results":[]"#, &json!({"profile": "mif", "detail": "much"})),
            vec!["detail", "light", "medium", "full"],
        ),
        (
            large(r#""results":[]"#, &json!({"output_dir": "/etc"})),
            vec!["output_dir", "/workspace"],
        ),
        (large(r#""results":[]"#, &json!({"output_dir": "/workspace/../etc"})), vec!["output_dir"]),
        (large(r#""results":[]"#, &json!({"output_dir": 7})), vec!["output_dir"]),
        ("[".to_owned(), vec!["JSON"]),
    ] {
        let refusal = app.offload_refusal(&body);
        for word in words {
            assert!(refusal.contains(word), "{word}: {refusal}");
        }
        assert!(refusal.len() < 400, "{refusal}");
    }
    assert_eq!(app.files(), [], "nothing was written");
}

#[test]
fn an_unknown_field_is_named_and_does_no_harm() {
    let app = TestApp::new();
    let said = app.offload_records("[1]", &json!({"treshold_tokens": 5}));
    assert!(said.warnings().contains("treshold_tokens"), "{}", said.envelope);
    assert_eq!(said.raw("results"), Some("[1]"));
}

#[test]
fn whatever_an_operation_is_called_its_file_stays_in_its_folder() {
    let app = TestApp::new();
    let long = "x".repeat(200);
    for operation in [
        "a/b",
        "../../etc/passwd",
        "..",
        "/",
        "a\u{0}b",
        "a b\nc",
        "ünïcödé",
        "-rf",
        "*",
        &long,
        "C:\\x",
        ".hidden",
        "mcp__server__tool",
    ] {
        let said = app.offload_records(&memories(60, "full"), &json!({"operation": operation}));
        let path = said.path();
        let name = path.strip_prefix("/workspace/lro/lro-").unwrap();
        assert!(name.len() < 100 && name.ends_with(".jsonl"), "{name}");
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)), "{name}");
        let content = app.content(&path);
        assert_eq!(lines(&content).0["operation"], operation, "the header has it in full");
        assert_eq!(app.extract(&path, &json!({"count": true})).get("count"), 60);
    }
    let own = |(name, _): &(String, Vec<u8>)| name.starts_with("lro/");
    assert!(app.files().iter().all(own));
}

#[test]
fn without_a_folder_of_its_own_a_file_goes_where_the_operator_says() {
    let body = format!(r#"{{"operation":"x","results":{}}}"#, memories(90, "full"));
    // No root holds the system's folder for temporary files: the first root does.
    let app = TestApp::new();
    assert!(app.offload_result(&body).path().starts_with("/workspace/lro-x-"));
    let configured = TestApp::with(|config| {
        config.prompt.offload.output_dir = "/workspace/results".to_owned();
    });
    assert!(configured.offload_result(&body).path().starts_with("/workspace/results/lro-x-"));
    // A folder that is not allowed costs no turn.
    let outside = TestApp::with(|config| {
        config.prompt.offload.output_dir = "/etc/unburden".to_owned();
    });
    let said = outside.offload_result(&body);
    assert!(said.warnings().contains("no allowed folder"), "{}", said.envelope);
    assert!(!said.get("results").as_array().unwrap().is_empty());
}

#[tokio::test]
async fn the_door_over_http() {
    let app = TestApp::new();
    let body = large(&format!("\"results\":{}", memories(100, "full")), &json!({}));
    let reply = app.post("/offload_result", body).await;
    assert_eq!((reply.status.as_u16(), &reply.json["success"]), (200, &json!(true)));
    assert_eq!(reply.json["messages"], json!([]));
    let path = reply.json["metadata"]["offload"]["file_path"].as_str().unwrap();
    let body = json!({"file_path": path, "count": true}).to_string();
    assert_eq!(app.post("/lro_extract", body).await.json["metadata"]["count"], 100);
    for (body, status, code, field) in [
        (r#"{"results":[1]}"#, 422, "field_missing", "operation"),
        (r#"{"operation":"x","results":1}"#, 422, "field_invalid", "results"),
        (
            r#"{"operation":"x","results":[1],"output_dir":"/etc"}"#,
            422,
            "path_outside_roots",
            "output_dir",
        ),
        (
            r#"{"operation":"x","results":[1],"output_dir":"a\u0000b"}"#,
            422,
            "path_invalid",
            "output_dir",
        ),
    ] {
        let reply = app.post("/offload_result", body).await;
        let error = &reply.json["metadata"]["error"];
        assert_eq!(
            (reply.status.as_u16(), &error["code"]),
            (status, &json!(code)),
            "{}",
            reply.text
        );
        assert_eq!(error["field"], field);
    }
}

/// A text without records is summed up by what it says itself: its ends, its errors,
/// its size.
#[test]
fn a_text_comes_with_a_summary() {
    let app = TestApp::new();
    let mut log: String = (0..600).map(|n| format!("step {n} went well\n")).collect();
    log.push_str("error: linking failed\n");
    log.extend((0..600).map(|n| format!("cleaning {n}\n")));
    log.push_str("exit code: 1\n");
    for richness in ["full", "compact", "pointer"] {
        let body = json!({"operation": "build", "content": log, "descriptor": richness,
            "output_dir": "/workspace/lro"});
        let answer = app.service.offload_result(body.to_string().as_bytes()).unwrap();
        let preview = answer.answer();
        for words in ["step 0 went well", "error: linking failed", "exit code: 1", "[1202 lines, "]
        {
            assert!(preview.contains(words), "{richness}: {preview}");
        }
        assert!(preview.len() < 1_000, "{preview}");
    }
}
