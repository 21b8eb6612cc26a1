//! The HTTP door: one envelope for everything, the right status, nothing lost.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::app::{TestApp, request, send, split};

fn small() -> &'static str {
    r#"[{"role":"user","content":"hi"}]"#
}

/// Status, code and field of a failure; the envelope is checked on the way.
async fn refused(app: &TestApp, path: &str, body: impl Into<Body>) -> (u16, String, Value) {
    let reply = app.post(path, body).await;
    assert_eq!(reply.json["success"], false, "{}", reply.text);
    assert_eq!(reply.json["messages"], json!([]));
    let error = &reply.json["metadata"]["error"];
    assert_eq!(reply.json["answer"], error["message"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.len() > 20 && message.len() < 1_000, "{message}");
    (reply.status.as_u16(), error["code"].as_str().unwrap().to_owned(), error["field"].clone())
}

#[tokio::test]
async fn unreadable_bodies() {
    let app = TestApp::new();
    let bad = |text: &str| text.to_owned();
    for (body, status, code) in [
        (bad("{\"messages\": ["), 400, "body_not_json"),
        (bad(""), 400, "body_not_json"),
        (bad("[1,2]"), 422, "body_not_an_object"),
        (bad("\"text\""), 422, "body_not_an_object"),
        (bad("{} trailing"), 400, "body_not_json"),
        (bad("{\"messages\": [], \"store_dir\": \"\\ud8zz\"}"), 400, "body_not_json"),
    ] {
        for path in ["/context_offload", "/grep", "/read_file", "/rehydrate", "/count_tokens"] {
            let (found, found_code, _) = refused(&app, path, body.clone()).await;
            assert_eq!((found, found_code.as_str()), (status, code), "{path} {body}");
        }
    }
    let (status, code, _) = refused(&app, "/grep", vec![b'{', 0xff, b'}']).await;
    assert_eq!((status, code.as_str()), (400, "body_not_utf8"));
}

#[tokio::test]
async fn fields_of_the_wrong_type_are_named() {
    let app = TestApp::new();
    for (name, value) in [
        ("context_manage_mode", json!("bogus")),
        ("context_manage_mode", json!(7)),
        ("working_summary_mode", json!("bogus")),
        ("max_total_tokens", json!(-1)),
        ("max_total_tokens", json!("many")),
        ("max_tool_message_tokens", json!(1.5)),
        ("keep_recent_count", json!(-1)),
        ("compact_ratio_threshold", json!(1.5)),
        ("store_dir", json!(7)),
        ("store_dir", json!("")),
        ("store_dir", json!("/etc")),
        ("format", json!("klingon")),
        ("preview_tokens", json!("x")),
        ("preview_char_length", json!(-3)),
        ("compact_roles", json!("tool")),
        ("compact_roles", json!(["dog"])),
        ("target_tokens", json!(0)),
        ("reload_tools", json!(["teleport"])),
        ("include_files", json!("yes")),
        ("dry_run", json!(1)),
        ("model", json!(["a"])),
        ("descriptor", json!("huge")),
        ("chat_id", json!("")),
        ("chat_id", json!(" ")),
        ("messages", json!("hello")),
        ("messages", json!([1])),
        ("messages", json!([{"content": "no role"}])),
        ("messages", json!([{"role": 7}])),
    ] {
        let mut body = json!({"messages": [], "store_dir": "/workspace/s"});
        body[name] = value.clone();
        let (status, _, field) = refused(&app, "/context_offload", body.to_string()).await;
        assert_eq!((status, field), (422, json!(name)), "{name} = {value}");
    }
    for missing in ["messages", "store_dir"] {
        let mut body = json!({"messages": [], "store_dir": "/workspace/s"});
        body.as_object_mut().unwrap().remove(missing);
        let (status, code, field) = refused(&app, "/context_offload", body.to_string()).await;
        assert_eq!((status, code.as_str(), field), (422, "field_missing", json!(missing)));
    }
}

#[tokio::test]
async fn reading_says_what_is_wrong() {
    let app = TestApp::new();
    std::fs::write(app.folder().join("a.txt"), "one\ntwo\n").unwrap();
    let at = "/workspace/a.txt";
    for (path, body, status, code) in [
        ("/grep", json!({}), 422, "field_missing"),
        ("/grep", json!({"pattern": ""}), 422, "pattern_empty"),
        ("/grep", json!({"pattern": "(unclosed"}), 422, "pattern_invalid"),
        ("/grep", json!({"pattern": "x".repeat(2_000)}), 422, "pattern_too_long"),
        ("/grep", json!({"pattern": "x", "path": "/workspace/none"}), 404, "file_not_found"),
        ("/grep", json!({"pattern": "x", "path": "/etc"}), 404, "file_not_found"),
        ("/grep", json!({"pattern": "x", "glob": "[a"}), 422, "glob_invalid"),
        ("/grep", json!({"pattern": "x", "path": "\u{0}"}), 422, "path_invalid"),
        ("/read_file", json!({}), 422, "field_missing"),
        ("/read_file", json!({"absolute_path": ""}), 422, "path_invalid"),
        ("/read_file", json!({"absolute_path": "/workspace/none"}), 404, "file_not_found"),
        ("/read_file", json!({"absolute_path": "/workspace"}), 422, "not_a_file"),
        ("/read_file", json!({"absolute_path": at, "offset": 9}), 422, "offset_past_end"),
        ("/read_file", json!({"absolute_path": at, "limit": 0}), 422, "field_invalid"),
        ("/read_file", json!({"absolute_path": at, "offset": -1}), 422, "field_invalid"),
        (
            "/read_file",
            json!({"absolute_path": at, "offset": 0, "byte_offset": 0}),
            422,
            "field_invalid",
        ),
    ] {
        let (found, found_code, _) = refused(&app, path, body.to_string()).await;
        assert_eq!((found, found_code.as_str()), (status, code), "{path} {body}");
    }
}

/// The reference behind many snapshots names several files.
#[tokio::test]
async fn a_path_of_several_files_says_how_each_is_read() {
    let app = TestApp::new();
    let several = "/workspace/compressed_group_c_{0..7,9}.json";
    for (path, body) in [
        ("/read_file", json!({"absolute_path": several})),
        ("/grep", json!({"pattern": "x", "path": several})),
        ("/read_tool_result", json!({"result_id": several, "store_dir": "/workspace"})),
    ] {
        let reply = app.post(path, body.to_string()).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
        let said = reply.json["answer"].as_str().unwrap();
        assert!(
            said.contains("names 9 files; accepted is one of them, such as \"/workspace/compressed_group_c_9.json\"; grep searches all of them with path=\"/workspace\" and glob=\"compressed_group_c_*.json\""),
            "{said}"
        );
    }
}

/// An orchestrator's probe names the address of a container.
#[tokio::test]
async fn probes_are_answered_whatever_host_they_name() {
    let app = TestApp::with(|config| config.server.allowed_hosts = vec!["unburden".to_owned()]);
    for (path, status) in [("/healthz", 200), ("/readyz", 200), ("/tools", 403)] {
        let request = Request::get(path).header("host", "10.0.0.1:8002").body(Body::empty());
        assert_eq!(app.send(request.unwrap()).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn unknown_routes_wrong_methods_and_large_bodies_speak_the_envelope() {
    let app = TestApp::with(|config| config.server.body_limit_bytes = 1_000);
    let (status, code, _) = refused(&app, "/no_such_flow", "{}").await;
    assert_eq!((status, code.as_str()), (404, "route_unknown"));
    let reply = app.get("/context_offload").await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(reply.json["metadata"]["error"]["code"], "method_not_allowed");
    let (status, code, _) = refused(&app, "/context_offload", "x".repeat(1_001)).await;
    assert_eq!((status, code.as_str()), (413, "body_too_large"));
    let delete =
        Request::builder().method(Method::DELETE).uri("/grep").body(Body::empty()).unwrap();
    assert_eq!(app.send(delete).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit() {
    let app = TestApp::with(|config| config.server.body_limit_bytes = 1_000);
    let ask = async |bytes: usize, is_announced: bool| {
        let mut asked = Request::post("/count_tokens");
        if is_announced {
            asked = asked.header("content-length", bytes);
        }
        let body = format!("{:<bytes$}", r#"{"messages":[]}"#);
        app.send(asked.body(Body::from(body)).unwrap()).await.status.as_u16()
    };
    for is_announced in [true, false] {
        assert_eq!(ask(1_000, is_announced).await, 200, "{is_announced}");
        assert_eq!(ask(1_001, is_announced).await, 413, "{is_announced}");
    }
}

#[tokio::test]
async fn unknown_fields_are_accepted_and_named() {
    let app = TestApp::new();
    for (path, body) in [
        ("/context_offload", json!({"messages": [], "store_dir": "/workspace/s", "extra": 1})),
        ("/rehydrate", json!({"messages": [], "extra": 1})),
        ("/count_tokens", json!({"messages": [], "extra": 1})),
    ] {
        let reply = app.post(path, body.to_string()).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let warnings = reply.json["metadata"]["report"]["warnings"].to_string();
        assert!(warnings.contains("extra"), "{path}: {warnings}");
    }
}

/// Models write the calls of tools: a member that is ignored would give a wrong answer.
#[tokio::test]
async fn unknown_members_of_tool_calls_are_refused_with_what_is_meant() {
    let app = TestApp::new();
    for (path, body, send) in [
        ("/grep", r#"{"regex":"x"}"#, r#"send {"pattern": "x"}"#),
        ("/grep", r#"{"pattern":"x","max_results":5}"#, r#"send {"pattern": "x", "limit": 5}"#),
        ("/read_file", r#"{"path":"x"}"#, r#"send {"absolute_path": "x"}"#),
        ("/read_tool_result", r#"{"tool_call_id":"x"}"#, r#"send {"result_id": "x"}"#),
        (
            "/lro_extract",
            r#"{"file_path":"x","count":true,"filter":"status=active"}"#,
            r#"send {"file_path": "x", "count": true, "where": "status=active"}"#,
        ),
        (
            "/lro_extract",
            r#"{"file_path":"x","columns":["a"],"order_by":"b"}"#,
            r#"send {"file_path": "x", "select": ["a"], "sort_by": "b"}"#,
        ),
        ("/lro_extract", r#"{"file_path":"x","aggregate":"avg"}"#, r#"send {"sql": "SELECT "#),
    ] {
        let reply = app.post(path, body.to_owned()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.text);
        let error = &reply.json["metadata"]["error"];
        assert_eq!(error["code"], "member_unknown", "{error}");
        assert!(error["message"].as_str().unwrap().contains(send), "{error}");
    }
    let odd = app.post("/grep", r#"{"pattern":"x","zzzzzzzzzzz":1}"#.to_owned()).await;
    let message = odd.json["metadata"]["error"]["message"].to_string();
    assert!(message.contains("accepted are pattern, glob, limit"), "{message}");
}

#[tokio::test]
async fn hostile_json_is_answered_and_never_panics() {
    let app = TestApp::new();
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let nested = format!("[{{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":{deep}}}]");
    let lone = r#"[{"role":"tool","tool_call_id":"a","content":"\ud800 and more text than the threshold"}]"#;
    let number = r#"[{"role":"user","content":"x","n":1e999999999,"m":-0,"k":123456789012345678901234567890}]"#;
    let twice = r#"[{"role":"user","role":"tool","content":"a","content":"b b b b b b b b b b b","tool_call_id":"t"}]"#;
    for messages in [nested.as_str(), lone, number, twice, &deep] {
        let settings =
            json!({"max_total_tokens": 0, "max_tool_message_tokens": 0, "keep_recent_count": 0});
        let body = request(messages, &settings);
        for (path, body) in [
            ("/context_offload", body.clone()),
            ("/rehydrate", format!("{{\"messages\":{messages}}}")),
            ("/count_tokens", format!("{{\"messages\":{messages}}}")),
        ] {
            let reply = app.post(path, body.to_string()).await;
            let status = reply.status.as_u16();
            assert!(
                [200, 400, 422].contains(&status),
                "{path}: {status} {}",
                &reply.text[..200.min(reply.text.len())]
            );
        }
    }
    // A text that no file can hold stays where it is, and says why.
    let after = app.offload(
        lone,
        &json!({"max_total_tokens": 0, "max_tool_message_tokens": 0, "keep_recent_count": 0}),
    );
    assert_eq!(after.messages, lone);
    assert!(after.report()["actions"][0]["why"].as_str().unwrap().contains("lone surrogate"));
}

#[tokio::test]
async fn probes_and_documents() {
    let app = TestApp::new();
    assert_eq!(app.get("/healthz").await.json, json!({"status": "ok"}));
    assert_eq!(app.get("/readyz").await.json, json!({"status": "ready"}));
    let version = app.get("/version").await.json;
    assert_eq!(version, json!({"name": "unburden", "version": env!("CARGO_PKG_VERSION")}));
    assert!(app.get("/openapi.yaml").await.text.starts_with("openapi: 3.1"));
    std::fs::remove_dir_all(app.folder()).unwrap();
    let reply = app.get("/readyz").await;
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(reply.json["reason"].as_str().unwrap().contains("/workspace"), "{}", reply.text);
    assert_eq!(app.get("/healthz").await.status, StatusCode::OK);
}

/// Where the folders lie is for who may use them.
#[tokio::test]
async fn a_probe_without_a_token_shows_no_path() {
    let app = TestApp::new();
    std::fs::remove_dir_all(app.folder()).unwrap();
    let ask = async |authorization: Option<&str>| {
        let mut request = Request::get("/readyz").header("host", "localhost");
        if let Some(word) = authorization {
            request = request.header("authorization", word);
        }
        let reply = send(app.router_with_token("s3cret"), request.body(Body::empty()).unwrap());
        let reply = reply.await;
        assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(reply.json["status"], "not ready");
        reply.json["reason"].as_str().unwrap().to_owned()
    };
    let real = app.folder().display().to_string();
    for stranger in [None, Some("Bearer s3cre"), Some("Basic s3cret")] {
        let reason = ask(stranger).await;
        assert!(!reason.contains("/workspace") && !reason.contains(&real), "{reason}");
        assert!(!reason.contains('/') && reason.contains("token"), "{reason}");
    }
    assert!(ask(Some("Bearer s3cret")).await.contains("/workspace"));
}

#[tokio::test]
async fn with_a_token_only_the_probes_are_open() {
    let app = TestApp::new();
    let ask = async |path: &str, header: Option<&str>| {
        let mut request = Request::post(path);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        let body = Body::from(request_body());
        send(app.router_with_token("s3cret"), request.body(body).unwrap()).await.status.as_u16()
    };
    fn request_body() -> String {
        format!("{{\"messages\":{}}}", small())
    }
    assert_eq!(ask("/count_tokens", None).await, 401);
    assert_eq!(ask("/count_tokens", Some("Bearer wrong")).await, 401);
    assert_eq!(ask("/count_tokens", Some("Basic s3cret")).await, 401);
    assert_eq!(ask("/count_tokens", Some("Bearer s3cret")).await, 200);
    let probe = Request::get("/healthz").body(Body::empty()).unwrap();
    assert_eq!(send(app.router_with_token("s3cret"), probe).await.status, StatusCode::OK);
}

#[tokio::test]
async fn count_tokens_adds_up() {
    let app = TestApp::new();
    let plain = json!({"messages": [{"role": "user", "content": "héllo wörld"}]});
    let escaped = r#"{"messages":[{"role":"user","content":"h\u00e9llo w\u00F6rld"}]}"#;
    let plain = app.post("/count_tokens", plain.to_string()).await.json;
    let escaped = app.post("/count_tokens", escaped).await.json;
    assert_eq!(plain["metadata"], escaped["metadata"]);
    let body = json!({
        "messages": [
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"ls -la /tmp\"}"}}]},
            {"role": "user", "content": [{"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{}", "A".repeat(100_000))}}]}
        ],
        "tools": [{"type": "function", "function": {"name": "bash", "description": "runs a command"}}],
        "system": "be brief", "model": "gpt-4"
    });
    let all = app.post("/count_tokens", body.to_string()).await.json;
    let metadata = &all["metadata"];
    let parts = &metadata["tokens_by_part"];
    let sum: u64 = ["messages", "tools", "system"].iter().map(|p| parts[p].as_u64().unwrap()).sum();
    assert_eq!(metadata["tokens"].as_u64(), Some(sum));
    assert_eq!(metadata["tokenizer"], "cl100k_base");
    let each = metadata["tokens_by_message"].as_array().unwrap();
    assert!(each[0].as_u64().unwrap() >= 8, "arguments of calls count");
    let image = each[1].as_u64().unwrap();
    assert!((700..1_000).contains(&image), "an image has a flat cost: {image}");
}

#[tokio::test]
async fn rehydrate_names_what_is_gone() {
    let app = TestApp::new();
    let text = "line\n".repeat(9_000);
    let history = format!(
        r#"[{{"role":"tool","tool_call_id":"call_1","content":{}}},{{"role":"user","content":"x"}}]"#,
        json!(text)
    );
    let after = app.offload(&history, &json!({"max_total_tokens": 1}));
    std::fs::remove_file(app.folder().join("store/tool_call_1.txt")).unwrap();
    let back = app.rehydrate(&after.messages);
    assert_eq!(split(&back.messages), split(&after.messages));
    let lost = &back.json["metadata"]["unresolved"][0];
    assert_eq!(lost["index"], 0);
    assert_eq!(lost["path"], "/workspace/store/tool_call_1.txt");
}

#[tokio::test]
async fn a_request_id_is_taken_over_when_it_is_plain() {
    let app = TestApp::new();
    let id = async |given: &str| {
        let request = Request::get("/healthz").header("x-request-id", given);
        let response =
            tower::ServiceExt::oneshot(app.router(), request.body(Body::empty()).unwrap());
        response.await.unwrap().headers()["x-request-id"].to_str().unwrap().to_owned()
    };
    assert_eq!(id("turn-7").await, "turn-7");
    assert_eq!(id(&"x".repeat(64)).await.len(), 64);
    assert_eq!(id(&"x".repeat(65)).await.len(), 26);
    assert_eq!(id("with space").await.len(), 26);
}

#[tokio::test]
async fn a_folder_that_would_break_the_reference_line_is_refused() {
    let app = TestApp::new();
    for folder in ["/workspace/a\nb", "/workspace/a\u{0}", "/workspace/\u{1b}[31m"] {
        let body = request(small(), &json!({"store_dir": folder}));
        let (status, code, field) = refused(&app, "/context_offload", body).await;
        assert_eq!((status, code.as_str(), field), (422, "path_invalid", json!("store_dir")));
    }
}
