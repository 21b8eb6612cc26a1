//! Content and secrets stay out of logs and metrics: [`crate::watched`] looks after
//! every body that the suite posts; here each route is asked in turn, in the process
//! and as the real binary that logs all it can.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::scripted::{Endpoint, completion, grounded};
use crate::served::Served;
use crate::watched;

/// Words that stand in every text of these tests and nowhere else.
const WORDS: [&str; 3] = ["glockenspiel", "marmalade", "kittiwake"];
const TOKEN: &str = "token-zq81-of-the-canaries";
const KEY: &str = "sk-key-zq82-of-the-canaries";
/// What asks crates that log what goes over the wire to do so, by name.
const LOUD: &str = "trace,async_openai=trace,async_openai::client=trace,reqwest=trace,\
    reqwest::connect=trace,reqwest::async_impl=trace,rmcp=trace,rmcp::service=trace,\
    rmcp::transport=trace,hyper=trace,hyper::proto=trace,hyper_util=trace,\
    hyper_util::client=trace,rustls=trace,rustls::client=trace";

/// A text with the words in it.
fn canary(n: usize) -> String {
    format!("the {} plays number {n} with {} for a {}", WORDS[0], WORDS[1], WORDS[2])
}

fn history(turns: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": canary(0)})];
    for n in 0..turns {
        let log = format!("{}\nerror: {}\n", canary(n), canary(n + 1)).repeat(60);
        let rows: Vec<Value> = (0..40).map(|row| json!({"id": row, "name": canary(row)})).collect();
        let arguments = json!({"command": canary(n)}).to_string();
        let calls: Vec<Value> = ["log", "rows"]
            .iter()
            .map(|tool| {
                json!({"id": format!("{tool}_{n}"),
            "type": "function", "function": {"name": tool, "arguments": arguments}})
            })
            .collect();
        messages.extend([
            json!({"role": "user", "content": canary(n)}),
            json!({"role": "assistant", "content": canary(n), "tool_calls": calls}),
            json!({"role": "tool", "tool_call_id": format!("log_{n}"), "content": log}),
            json!({"role": "tool", "tool_call_id": format!("rows_{n}"), "content": json!(rows).to_string()}),
        ]);
    }
    messages.push(json!({"role": "user", "content": canary(99)}));
    Value::Array(messages)
}

/// Bodies for each route that takes one: such as succeed, such as are refused.
fn bodies(store: &str) -> Vec<(&'static str, Value)> {
    let (messages, text) = (history(3), canary(7));
    let rows: Vec<Value> = (0..200).map(|n| json!({"id": n, "name": canary(n)})).collect();
    let offload = |more: Value| {
        let mut all = json!({"messages": messages, "store_dir": store, "max_total_tokens": 1});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let mcp = |tool: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}})
    };
    let file = format!("{store}/tool_call_log_0.txt");
    vec![
        ("/context_offload", offload(json!({"context_manage_mode": "compact", "chat_id": text}))),
        ("/context_offload", offload(json!({"context_manage_mode": "compress"}))),
        ("/context_offload", offload(json!({"context_manage_mode": text}))),
        ("/context_offload", offload(json!({"unknown": text, "model": text, "dry_run": true}))),
        ("/context_offload", offload(json!({"store_dir": format!("/etc/{text}")}))),
        (
            "/offload_result",
            json!({"operation": "rows", "query": text, "results": rows, "output_dir": store}),
        ),
        (
            "/offload_result",
            json!({"operation": text, "content": text.repeat(500), "output_dir": store}),
        ),
        ("/offload_result", json!({"operation": "rows", "results": text})),
        ("/grep", json!({"pattern": text, "path": store})),
        ("/grep", json!({"pattern": format!("({text}"), "path": store})),
        ("/grep", json!({"pattern": text, "path": format!("/etc/{text}")})),
        ("/grep", json!({"pattern": WORDS[0], "path": store, "glob": text})),
        ("/read_file", json!({"absolute_path": file})),
        ("/read_file", json!({"absolute_path": format!("/etc/../{text}")})),
        ("/read_file", json!({"absolute_path": file, "offset": text})),
        (
            "/read_tool_result",
            json!({"result_id": "log_0", "store_dir": store, "lines": format!("grep:{text}")}),
        ),
        ("/read_tool_result", json!({"result_id": text, "store_dir": store})),
        ("/read_tool_result", json!({"result_id": "log_0", "store_dir": store, "lines": text})),
        ("/rehydrate", json!({"messages": messages})),
        ("/validate", json!({"messages": messages})),
        ("/validate", json!({"messages": [{"role": text}]})),
        ("/count_tokens", json!({"messages": messages, "tools": [text], "model": text})),
        ("/mcp", mcp("grep", json!({"pattern": text, "path": store}))),
        ("/mcp", mcp("grep", json!({"pattern": format!("({text}")}))),
        ("/mcp", mcp("read_file", json!({"absolute_path": file}))),
        ("/mcp", mcp("context_offload", offload(json!({})))),
        ("/mcp", mcp(&text, json!({"a": text}))),
        ("/mcp", json!({"jsonrpc": "2.0", "id": text, "method": text, "params": {"a": text}})),
    ]
}

/// Questions about a file of records.
fn questions(file: &str) -> Vec<(&'static str, Value)> {
    let text = canary(7);
    let about = |more: Value| {
        let mut all = json!({"file_path": file});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("/lro_extract", all)
    };
    vec![
        about(json!({"where": {"field": "name", "op": "contains", "value": text}})),
        about(json!({"where": {"field": text, "op": "=", "value": text}})),
        about(json!({"where": {"field": "name", "op": "matches", "value": format!("({text}")}})),
        about(json!({"query": format!("select(.name | test(\"{text}\"))")})),
        about(json!({"query": format!("select(.name | {text}")})),
        about(json!({"query": format!("error(\"{text}\")")})),
        about(json!({"ids": [text]})),
    ]
}

/// The routes of the contract that take a body.
fn routes() -> BTreeSet<String> {
    let page = include_str!("../../openapi.yaml");
    let contract: Value = serde_yaml_ng::from_str(page).unwrap();
    let paths = contract["paths"].as_object().unwrap().iter();
    paths.filter(|(_, of)| of.get("post").is_some()).map(|(path, _)| path.clone()).collect()
}

fn file_of(answer: &Value) -> Option<String> {
    answer["metadata"]["file"]["path"].as_str().map(str::to_owned)
}

/// Every test that posts through the harness is watched; this one asks every route,
/// and says how much was watched until now.
#[tokio::test(flavor = "multi_thread")]
async fn no_body_is_in_a_log_line_or_a_metric() {
    let app = TestApp::new();
    let (mut asked, mut file) = (BTreeSet::new(), None);
    let before = watched::seen();
    let mut posted = 0;
    for (route, body) in bodies("/workspace/store") {
        let reply = app.post(route, body.to_string()).await;
        file = file_of(&reply.json).or(file);
        asked.insert(route.to_owned());
        posted += 1;
    }
    for (route, body) in questions(&file.unwrap()) {
        app.post(route, body.to_string()).await;
        asked.insert(route.to_owned());
        posted += 1;
    }
    for route in routes() {
        app.post(&route, format!("{{\"messages\": \"{}", canary(1))).await;
        app.post(&route, format!("\"{}\"", canary(1))).await;
        posted += 2;
    }
    assert_eq!(asked, routes());
    let (bodies, lines) = watched::seen();
    assert!(bodies >= before.0 + posted && lines >= before.1 + posted, "{bodies} {lines}");
    println!("{bodies} bodies, {lines} log lines, 0 leaks");
}

/// The real binary with a token, a model and its key, as loud as it can be.
#[tokio::test(flavor = "multi_thread")]
async fn the_binary_logs_no_content_and_no_secret() {
    let model = Endpoint::answers(|n, asked| match n {
        0 => completion(&grounded(asked.request())),
        // A server's error repeats what it was sent.
        1 => wiremock::ResponseTemplate::new(400).set_body_string(asked.body.to_string()),
        2 => wiremock::ResponseTemplate::new(200).set_body_string(asked.body.to_string()),
        _ => completion(&canary(n)),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let (store, token) = (folder.path().join("store"), folder.path().join("token"));
    let store = store.display().to_string();
    std::fs::write(&token, TOKEN).unwrap();
    let token = token.display().to_string();
    let environment = [
        ("RUST_LOG", LOUD),
        ("UNBURDEN_LLM__BASE_URL", model.base_url.as_str()),
        ("UNBURDEN_LLM__API_KEY", KEY),
        ("UNBURDEN_LLM__MODEL", "m"),
    ];
    let served = Served::with_flags(folder, &environment, &["--token-file", &token]);
    let authorized = format!("authorization: Bearer {TOKEN}\r\n");
    let post = |route: &str, body: &str| served.ask_with(&authorized, "POST", route, body);
    let (mut asked, mut file, mut statuses) = (BTreeSet::new(), None, BTreeSet::new());
    let mut keep = |route: &str, (status, reply): (u16, String)| {
        asked.insert(route.to_owned());
        statuses.insert(status);
        file_of(&serde_json::from_str(&reply).unwrap_or_default())
    };
    for (route, body) in bodies(&store) {
        file = keep(route, post(route, &body.to_string())).or(file);
    }
    for (route, body) in questions(&file.unwrap()) {
        keep(route, post(route, &body.to_string()));
    }
    for n in 0..4 {
        let body = json!({"messages": history(4 + n), "store_dir": store, "max_total_tokens": 1,
            "context_manage_mode": "compress", "chat_id": format!("chat {n}")});
        keep("/context_offload", post("/context_offload", &body.to_string()));
    }
    for route in routes() {
        keep(&route, post(&route, &format!("{{\"messages\": \"{}", canary(1))));
        keep(&route, post(&route, &format!("\"{}\"", canary(1))));
        let wrong = format!("authorization: Bearer {}\r\n", canary(1));
        keep(&route, served.ask_with(&wrong, "POST", &route, &format!("\"{}\"", canary(2))));
        let nowhere = format!("{route}/{}?q={}", WORDS[0], WORDS[1]);
        keep(&route, post(&nowhere, &canary(3)));
    }
    let metrics = served.ask_with(&authorized, "GET", "/metrics", "").1;
    assert!(model.calls() >= 3, "{} calls of the model", model.calls());
    assert_eq!(asked, routes());
    let expected = [200, 400, 401, 404, 422];
    assert!(expected.iter().all(|status| statuses.contains(status)), "{statuses:?}");
    let log = served.stop();
    let answered = log.lines().filter(|line| line.contains("\"message\":\"answered\"")).count();
    assert!(answered > 60, "{answered} requests are in the log");
    assert!(metrics.contains("unburden_requests_total"));
    for text in [&log, &metrics] {
        let line = text.lines().find(|line| {
            let line = line.to_lowercase();
            WORDS.iter().chain(&[TOKEN, KEY]).any(|word| line.contains(word))
        });
        assert!(line.is_none(), "{line:?}");
        assert!(!text.contains("panicked"));
    }
}
