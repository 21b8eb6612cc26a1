//! The MCP door: the same answers as over HTTP, in both generations of the
//! protocol, on `/mcp` and on standard input.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{Reply, TestApp};
use crate::history::array;

const TOOLS: [&str; 5] =
    ["read_file", "grep", "lro_extract", "read_tool_result", "context_offload"];

impl TestApp {
    async fn mcp(&self, message: &str) -> Reply {
        self.post("/mcp", message.to_owned()).await
    }

    /// The result of a call of a tool, its arguments as JSON text.
    pub(crate) async fn call(&self, tool: &str, arguments: &str) -> Value {
        let params = format!("{{\"name\":\"{tool}\",\"arguments\":{arguments}}}");
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let mut reply = self.mcp(&message).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json["result"].take()
    }
}

fn said(result: &Value) -> &str {
    assert_eq!(result["content"].as_array().unwrap().len(), 1);
    result["content"][0]["text"].as_str().unwrap()
}

fn log(lines: usize) -> String {
    (1..=lines).map(|n| format!("L{n} a line of a log that is long enough\n")).collect()
}

fn records() -> String {
    let record = |n| format!(r#"{{"id":"T-{n}","open":{},"score":{n}.50}}"#, n % 2 == 0);
    array(&(0..300).map(record).collect::<Vec<_>>())
}

fn history() -> String {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "scan", "arguments": "{}"}});
    let result = |id: &str, text: String| {
        json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
    };
    array(&[
        json!({"role": "user", "content": "scan"}).to_string(),
        json!({"role": "assistant", "content": null, "tool_calls": [call("call_7"), call("call_8")]})
            .to_string(),
        result("call_7", log(4_000)),
        result("call_8", records()),
        json!({"role": "user", "content": "go on"}).to_string(),
    ])
}

/// A service with a stored log and a stored array of records; the path of the latter.
fn app() -> (TestApp, String) {
    let app = TestApp::new();
    let done = app.offload(&history(), &json!({"max_total_tokens": 1}));
    let actions = done.report()["actions"].as_array().unwrap().clone();
    let path = |action: &Value| action["path"].as_str().map(str::to_owned);
    let path = actions.iter().filter_map(path).find(|path| path.ends_with(".jsonl")).unwrap();
    (app, path)
}

fn fits(schema: &Value, value: &Value, what: &str) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(value).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{what}: {errors:?} in {value}");
}

async fn definitions(app: &TestApp) -> Vec<Value> {
    let listed = app.mcp(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    listed.json["result"]["tools"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_tools_are_listed_with_what_a_client_needs() {
    let tools = definitions(&TestApp::new()).await;
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        let reads = tool["name"] != "context_offload";
        assert_eq!(tool["annotations"]["readOnlyHint"], reads);
        assert!(tool["description"].as_str().unwrap().len() > 100);
        jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        // Hosts show structured content to the model instead of the text.
        assert_eq!(tool.get("outputSchema").is_some(), !reads, "{tool}");
    }
}

#[tokio::test]
async fn a_call_says_what_the_route_says() {
    let (app, records) = app();
    let path = "/workspace/store/tool_call_7.txt";
    let tools = definitions(&app).await;
    for (tool, arguments) in [
        ("read_file", json!({"absolute_path": path, "start_line": 11, "limit": 3})),
        ("read_file", json!({"absolute_path": path, "byte_offset": 7, "byte_limit": 30})),
        ("grep", json!({"pattern": "L39.5 ", "path": "/workspace/store"})),
        ("grep", json!({"pattern": "L395 ", "path": path, "context": 2})),
        ("grep", json!({"pattern": "not there"})),
        ("lro_extract", json!({"file_path": records, "ids": ["T-7", "T-900"]})),
        ("lro_extract", json!({"file_path": records, "group_by": "open"})),
        ("lro_extract", json!({"file_path": records, "query": "select(.score > 297)"})),
        ("read_tool_result", json!({"result_id": "call_7", "lines": "head_tail:2"})),
        ("read_tool_result", json!({"result_id": "call_7", "lines": "grep:L40.0"})),
    ] {
        let route = app.post(&format!("/{tool}"), arguments.to_string()).await;
        let result = app.call(tool, &arguments.to_string()).await;
        assert_eq!(said(&result), route.json["answer"], "{tool} {arguments}");
        assert_eq!(result["isError"], false);
        let definition = tools.iter().find(|known| known["name"] == tool).unwrap();
        fits(&definition["inputSchema"], &arguments, tool);
        assert!(result.get("structuredContent").is_none(), "{result}");
    }
}

/// Models quote numbers, put objects into strings and give null for nothing.
#[tokio::test]
async fn arguments_are_taken_as_models_spell_them() {
    let (app, records) = app();
    let meant = json!({"file_path": records, "where": {"field": "open", "op": "=", "value": true},
        "select": ["id"], "limit": 5});
    let spelled = json!({"file_path": records, "limit": "5", "sort_by": null,
        "select": "[\"id\"]",
        "where": "{\"field\":\"open\",\"op\":\"=\",\"value\":true}"});
    let meant = app.call("lro_extract", &meant.to_string()).await;
    let spelled = app.call("lro_extract", &spelled.to_string()).await;
    assert!(said(&meant).starts_with("150 of 300 records match."), "{}", said(&meant));
    assert_eq!(said(&meant), said(&spelled));
}

#[tokio::test]
async fn what_cannot_be_done_is_a_sentence_for_the_model() {
    let (app, records) = app();
    for (tool, arguments, words) in [
        ("read_file", "{}", "absolute_path is missing; accepted is a path"),
        ("read_file", r#"{"absolute_path":"/etc/passwd"}"#, "was not found"),
        ("grep", r#"{"pattern":"("}"#, "pattern"),
        ("read_file", r#"{"absolute_path":"/workspace/x","offset":"ten"}"#, "offset is \"ten\""),
        ("read_tool_result", r#"{"result_id":"call_99"}"#, "call_99"),
        ("context_offload", r#"{"store_dir":"/workspace/s"}"#, "messages is missing"),
    ] {
        let result = app.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(said(&result).contains(words), "{}", said(&result));
        assert!(result.get("structuredContent").is_none());
    }
    let unknown = json!({"file_path": records, "where": {"field": "opne", "op": "exists"}});
    let result = app.call("lro_extract", &unknown.to_string()).await;
    assert!(said(&result).contains("nearest: open"), "{}", said(&result));
    let nobody =
        app.mcp(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"cat"}}"#).await;
    let words = r#"there is no tool "cat"; the tools are read_file, grep"#;
    assert!(nobody.json["error"]["message"].as_str().unwrap().starts_with(words));
}

/// A page that the ceiling cut says how to go on, and the pages are the file.
#[tokio::test]
async fn pages_under_the_ceiling_are_the_whole_file() {
    let (app, _) = app();
    let count = |text: &str| token_count::Tokenizer::O200kBase.count(text);
    let (mut read, mut calls) = (String::new(), 0);
    let mut arguments = json!({"absolute_path": "/workspace/store/tool_call_7.txt"});
    loop {
        let result = app.call("read_file", &arguments.to_string()).await;
        let page = said(&result);
        assert!(count(page) <= 10_000, "{}", count(page));
        let (header, body) = page.split_once("\n\n---\n\n").unwrap_or(("", page));
        read.push_str(body);
        calls += 1;
        let Some((_, next)) = header.split_once(" More: the same call with start_line=") else {
            break;
        };
        let next: u64 = next.strip_suffix('.').unwrap().parse().unwrap();
        assert_eq!(next, read.lines().count() as u64 + 1);
        arguments["start_line"] = json!(next);
    }
    assert!(calls > 4, "{calls}");
    assert_eq!(read, log(4_000));
    let everything = json!({"absolute_path": "/workspace/store/tool_call_7.txt", "max_tokens": 0});
    let result = app.call("read_file", &everything.to_string()).await;
    assert_eq!(said(&result), read);
}

/// The ceiling holds for the whole answer, its header included, and the next page begins where
/// this one ends.
#[tokio::test]
async fn a_page_and_its_next_call_fit_the_ceiling() {
    let (app, _) = app();
    let count = |text: &str| token_count::Tokenizer::O200kBase.count(text);
    let path = "/workspace/store/tool_call_7.txt";
    for (tool, arguments) in [
        ("read_file", json!({"absolute_path": path})),
        ("read_file", json!({"absolute_path": path, "start_line": 996, "limit": 2_999})),
        ("read_file", json!({"absolute_path": path, "byte_offset": 1, "byte_limit": 100_000})),
        ("read_tool_result", json!({"result_id": "call_7"})),
        ("read_tool_result", json!({"result_id": "call_7", "lines": "last:3500"})),
    ] {
        for max_tokens in [60, 100, 999, 1_000, 5_000] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(max_tokens);
            let result = app.call(tool, &arguments.to_string()).await;
            let page = said(&result);
            let tokens = count(page);
            assert!(tokens <= max_tokens, "{tool} {arguments}: {tokens} tokens: {page}");
            assert!(page.contains(" More: the same call with "), "{tool} {arguments}: {page}");
            assert!(tokens + 25 > max_tokens, "{tool} {arguments}: only {tokens} tokens: {page}");
            let (header, body) = page.split_once("\n\n---\n\n").unwrap();
            if let Some((_, next)) = header.split_once(" More: the same call with start_line=") {
                let last = body.lines().last().unwrap();
                let next = next.trim_end_matches('.').split(' ').next().unwrap();
                let number = next.parse::<u64>().unwrap();
                assert!(last.starts_with(&format!("L{} ", number - 1)), "{header}: {last}");
            }
        }
    }
}

/// I3: what a page brought back shrinks to a reference of its file, without a new one.
#[tokio::test]
async fn a_page_with_its_header_is_known_as_read_back() {
    let (app, records) = app();
    let before = app.files();
    for (tool, arguments) in [
        (
            "read_file",
            json!({"absolute_path": "/workspace/store/tool_call_7.txt", "start_line": 6}),
        ),
        ("read_tool_result", json!({"result_id": "/workspace/store/tool_call_7.txt"})),
        ("lro_extract", json!({"file_path": records, "query": ".", "max_tokens": 2500})),
    ] {
        let result = app.call(tool, &arguments.to_string()).await;
        let page = said(&result);
        assert!(page.starts_with("Showing lines ") || page.contains(" shown; "), "{tool}: {page}");
        let again = array(&[
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_9", "type": "function",
                "function": {"name": tool, "arguments": arguments.to_string()}}]})
            .to_string(),
            json!({"role": "tool", "tool_call_id": "call_9", "content": said(&result)}).to_string(),
            json!({"role": "user", "content": "thanks"}).to_string(),
        ]);
        let done = app.offload(&again, &json!({"max_total_tokens": 1}));
        assert_eq!(done.report()["outcome"], "compacted", "{tool}: {}", done.json);
        assert_eq!(app.files(), before, "{tool}: no new file");
        assert_eq!(app.rehydrate(&done.messages).messages, again, "{tool}");
    }
}

#[tokio::test]
async fn a_history_leaves_byte_for_byte_as_over_http() {
    let odd = r#"{"role":"user","z":1.10,"a":12345678901234567890123,"content":"\u0041 é"}"#;
    let messages = history().replacen('[', &format!("[{odd},"), 1);
    let body = |tools: &str| {
        format!(
            r#"{{"messages":{messages},"store_dir":"/workspace/s","max_total_tokens":1,"include_files":false{tools}}}"#
        )
    };
    let route = TestApp::new()
        .post(
            "/context_offload",
            body(r#","reload_tools":["read_file","grep","lro_extract","read_tool_result"]"#),
        )
        .await;
    let result = TestApp::new().call("context_offload", &body("")).await;
    assert_eq!(said(&result), route.text);
    assert!(said(&result).contains(odd));
    assert_eq!(result["structuredContent"]["report"]["outcome"], "compacted");
    assert_eq!(result["structuredContent"]["report"], route.json["metadata"]["report"]);
}

/// The generation without sessions: a request carries everything itself.
fn of_2026(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn every_method_that_is_named_is_answered() {
    let (app, _) = app();
    let of = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
    let reply = app.mcp(&of("tools/eat")).await;
    let words = reply.json["error"]["message"].as_str().unwrap();
    let (_, methods) = words.split_once("this server has ").unwrap();
    assert_eq!(methods.split(", ").count(), 8, "{words}");
    for method in methods.split(", ") {
        let reply = app.mcp(&of(method)).await;
        assert_ne!(reply.json["error"]["code"], -32601, "{method}: {}", reply.text);
    }
}

#[tokio::test]
async fn both_generations_are_spoken_over_http() {
    let (app, _) = app();
    for (version, agreed) in [
        ("2024-11-05", "2024-11-05"),
        // It demands that batches are received.
        ("2025-03-26", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2030-01-01", "2025-11-25"),
    ] {
        let begin = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
        let reply = app.mcp(&begin.to_string()).await;
        assert_eq!(reply.json["result"]["protocolVersion"], agreed, "{version}");
        assert_eq!(reply.json["result"]["serverInfo"]["name"], "unburden");
    }
    let params = json!({"name": "grep", "arguments": {"pattern": "L3999 "}});
    let body = of_2026(1, "tools/call", params).to_string();
    let request = Request::post("/mcp")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "grep");
    let reply = app.send(request.body(Body::from(body)).unwrap()).await;
    assert_eq!(reply.json["result"]["resultType"], "complete", "{}", reply.text);
    assert!(said(&reply.json["result"]).starts_with("Found 1 match"));
}

#[tokio::test]
async fn foreign_hosts_and_web_pages_are_refused() {
    let app = TestApp::new();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (name, value, status) in [
        ("host", "127.0.0.1:8002", 200),
        ("host", "localhost", 200),
        ("host", "evil.example", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
    ] {
        let request = Request::post("/mcp").header(name, value);
        let reply = app.send(request.body(Body::from(list)).unwrap()).await;
        assert_eq!(reply.status, status, "{name}: {value}");
    }
    let token = app.router_with_token("a-token-of-mcp");
    let request = Request::post("/mcp").body(Body::from(list)).unwrap();
    assert_eq!(crate::app::send(token, request).await.status, 401);
    assert_eq!(app.get("/mcp").await.json["metadata"]["error"]["code"], "method_not_allowed");
}

/// A body that is no message is an error of JSON-RPC, and params that cannot be read are no unknown
/// method.
#[tokio::test]
async fn what_is_no_message_is_said_in_json_rpc() {
    let (app, _) = app();
    for (body, code) in [
        ("{", -32700),
        ("[]", -32600),
        ("5", -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ] {
        let reply = app.mcp(body).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json["error"]["code"]),
            (400, &json!(code)),
            "{body}"
        );
        assert_eq!(reply.json["id"], Value::Null);
    }
    let begin = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let error = app.mcp(begin).await.json["error"].take();
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("clientInfo"), "{error}");
}

#[tokio::test]
async fn ready_made_definitions_take_what_the_routes_take() {
    let app = TestApp::new();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.yaml"));
    let contract: Value = serde_yaml_ng::from_str(&page.unwrap()).unwrap();
    let tools = app.get("/tools?format=anthropic").await.json;
    for tool in tools.as_array().unwrap() {
        let path = format!("/paths/~1{}/post", tool["name"].as_str().unwrap());
        let media = contract.pointer(&format!("{path}/requestBody/content/application~1json"));
        let schema = media.unwrap()["schema"]["$ref"].as_str().unwrap().trim_start_matches('#');
        let route = contract.pointer(schema).unwrap()["properties"].as_object().unwrap();
        let given = tool["input_schema"]["properties"].as_object().unwrap();
        // A model counts lines in one way, as previews do.
        let one_way = |name: &&String| tool["name"] != "read_file" || *name != "offset";
        let (given, route): (Vec<_>, Vec<_>) =
            (given.keys().collect(), route.keys().filter(one_way).collect());
        assert_eq!(given, route, "{}", tool["name"]);
    }
    assert_eq!(app.get("/tools").await.json, app.get("/tools?format=openai-chat").await.json);
    let escaped = app.get("/tools?format=%61nthropic&prefix=my%5F").await;
    assert_eq!(escaped.json, app.get("/tools?format=anthropic&prefix=my_").await.json);
    let refused = app.get("/tools?x=1&format=cohere").await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json["metadata"]["error"]["code"], "format_unknown");
}

/// `unburden mcp`, a line a message.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: TempDir,
}

impl Talk {
    fn start() -> Talk {
        Talk::with(&[])
    }

    fn with(environment: &[(&str, &str)]) -> Talk {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_unburden"))
            .args(["mcp", "--root", "."])
            .current_dir(folder.path())
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Talk { child, input, output, folder }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Ends its input; its exit status.
    fn end(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

const BEGIN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

#[test]
fn on_standard_input_it_answers_until_the_input_ends() {
    let mut mcp = Talk::start();
    std::fs::write(mcp.folder.path().join("tool_call_1.txt"), log(50)).unwrap();
    mcp.send(BEGIN);
    assert_eq!(mcp.receive()["result"]["protocolVersion"], "2025-11-25");
    mcp.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    mcp.send("this is no JSON");
    assert!(
        mcp.receive()["error"]["message"].as_str().unwrap().starts_with("the line is not JSON")
    );
    for (message, id, why) in [
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, Value::Null, "hex escape"),
        (r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#, Value::Null, "out of range"),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null, "a whole number"),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, "is no JSON-RPC message"),
    ] {
        mcp.send(message);
        let reply = mcp.receive();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&id, &json!(-32600)), "{message}");
        assert!(reply["error"]["message"].as_str().unwrap().contains(why), "{reply}");
    }
    mcp.send(r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"grep","arguments":[1]}}"#);
    let unreadable = mcp.receive();
    assert_eq!((&unreadable["id"], &unreadable["error"]["code"]), (&json!(5), &json!(-32602)));
    mcp.send(r#"{"jsonrpc":"2.0","id":6,"method":"tools/eat"}"#);
    let unknown = mcp.receive()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        unknown,
        "there is no method \"tools/eat\"; this server has initialize, server/discover, ping, \
         tools/list, tools/call, resources/list, resources/templates/list, prompts/list"
    );
    // Half of a surrogate pair, and a number that no type of numbers holds.
    let messages = r#"[{"role":"user","n":1.10,"m":1e400,"content":"hi \ud83d"}]"#;
    let arguments = format!(r#"{{"messages":{messages},"store_dir":"./s"}}"#);
    mcp.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{{"name":"context_offload","arguments":{arguments}}}}}"#
    ));
    let reply = mcp.receive();
    assert_eq!(reply["id"], "a");
    assert!(said(&reply["result"]).contains(messages), "{reply}");
    for id in 1..=20 {
        mcp.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"grep","arguments":{{"pattern":"L{id} "}}}}}}"#
        ));
    }
    let mut answered: Vec<u64> = (1..=20)
        .map(|_| {
            let reply = mcp.receive();
            let id = reply["id"].as_u64().unwrap();
            assert!(said(&reply["result"]).contains(&format!("L{id}: L{id} a line")), "{reply}");
            id
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (1..=20).collect::<Vec<_>>());
    assert_eq!(mcp.end(), 0);
}

#[test]
fn on_standard_input_the_generation_without_sessions_is_spoken_too() {
    let mut mcp = Talk::start();
    mcp.send(&of_2026(1, "tools/list", json!({})).to_string());
    let reply = mcp.receive();
    assert_eq!(reply["result"]["tools"].as_array().unwrap().len(), 5, "{reply}");
    assert_eq!(mcp.end(), 0);
}

#[test]
fn a_message_that_is_too_long_is_answered() {
    let mut mcp = Talk::with(&[("UNBURDEN_SERVER__BODY_LIMIT_BYTES", "2000")]);
    mcp.send(BEGIN);
    mcp.receive();
    let long = "x".repeat(3_000);
    mcp.send(&format!(
        r#"{{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{{"name":"grep","arguments":{{"pattern":"{long}"}}}}}}"#
    ));
    let reply = mcp.receive();
    assert_eq!(reply["id"], "big");
    let words = reply["error"]["message"].as_str().unwrap();
    assert!(words.contains("accepted are up to 2000"), "{words}");
    mcp.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(mcp.receive()["id"], 2);
    assert_eq!(mcp.end(), 0);
}

#[test]
fn a_client_that_says_nothing_is_no_error() {
    assert_eq!(Talk::start().end(), 0);
}
