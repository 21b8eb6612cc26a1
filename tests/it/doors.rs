//! The doors against who should not come in, who comes too slowly, and too many at
//! once: Host and Origin, tenants, memory, turns, and the lines of slow clients.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, Version, header};
use futures::StreamExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;
use unburden::config::{Config, DurabilityConfig, TenantConfig};
use unburden::interfaces::http::{AppState, TenantEntry, Token, router};
use unburden::service::{Failure, OpenError, Service, Tenant, open_all};

use crate::app::{Reply, TestApp, send, split};
use crate::history::{array, call, result, user};
use crate::served::Served;
use crate::skips::skipped;

/// Every method and route of the contract.
fn routes() -> Vec<(Method, String)> {
    let contract: Value = serde_yaml_ng::from_str(include_str!("../../openapi.yaml")).unwrap();
    let mut routes = Vec::new();
    for (path, item) in contract["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            if let Ok(method) = method.to_uppercase().parse::<Method>()
                && ["GET", "POST", "DELETE"].contains(&method.as_str())
            {
                routes.push((method, path.replace(['{', '}'], "")));
            }
        }
    }
    assert!(routes.len() >= 15, "{routes:?}");
    routes
}

/// A body that never comes: who reads it before the refusal waits for it.
fn endless() -> Body {
    Body::from_stream(futures::stream::pending::<std::io::Result<Vec<u8>>>())
}

#[tokio::test]
async fn foreign_hosts_and_pages_are_refused_on_every_route_before_the_body_is_read() {
    let app = TestApp::new();
    let hosts = [
        "localhost",
        "127.0.0.1:8002",
        "[::1]:80",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "0.0.0.0",
        "169.254.169.254",
        "2130706433",
        "unburden",
        "127.0.0.1, evil.example",
    ];
    let origins = [
        None,
        Some("null"),
        Some("http://evil.example"),
        Some("http://localhost"),
        Some("http://localhost:8002"),
        Some("https://127.0.0.1:8002"),
        Some("file://"),
        Some("chrome-extension://abc"),
    ];
    let (door, mut refused) = (app.router(), 0);
    for (method, route) in routes() {
        for (number, host) in hosts.iter().enumerate() {
            for origin in origins {
                // A probe names the container's address.
                let probes = ["/healthz", "/readyz"].contains(&route.as_str());
                let is_named = number < 3 || (probes && host.parse::<Ipv4Addr>().is_ok());
                let own = is_named && origin.is_none();
                let mut request =
                    Request::builder().method(&method).uri(&route).header(header::HOST, *host);
                if let Some(origin) = origin {
                    request = request.header(header::ORIGIN, origin);
                }
                let body = if own { Body::empty() } else { endless() };
                // Not by the harness, which reads every body itself.
                let reply = door.clone().oneshot(request.body(body).unwrap()).await.unwrap();
                assert_eq!(reply.status() == 403, !own, "{method} {route} {host} {origin:?}");
                refused += usize::from(!own);
            }
        }
    }
    println!("{refused} foreign requests refused on {} routes", routes().len());
    let none = Request::post("/grep").version(Version::HTTP_10);
    let reply = ServiceExt::oneshot(app.router(), none.body(Body::empty()).unwrap());
    assert_eq!(reply.await.unwrap().status(), 403, "nobody was named");
}

/// Two tenants and the operator, each with a folder and a token.
struct Shared {
    door: Router,
    folder: TempDir,
}

const TOKENS: [&str; 3] = ["operator-s3cret", "acme-s3cret", "globex-s3cret"];

fn tenants(folder: &TempDir, folders: &[(&str, &str)]) -> Config {
    let mut config = Config::default();
    config.store.durability = DurabilityConfig::Relaxed;
    let make = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        path.display().to_string()
    };
    config.store.roots = vec![make("own")];
    config.extract.worker = env!("CARGO_BIN_EXE_unburden").to_owned();
    config.tenants = folders
        .iter()
        .map(|(tenant, root)| {
            let tenant_config = TenantConfig { roots: vec![make(root)], ..TenantConfig::default() };
            ((*tenant).to_owned(), tenant_config)
        })
        .collect::<BTreeMap<_, _>>();
    config
}

impl Shared {
    fn new() -> Shared {
        let folder = tempfile::tempdir().unwrap();
        let config = tenants(&folder, &[("acme", "acme"), ("globex", "globex")]);
        let entries = open_all(&config)
            .unwrap()
            .into_iter()
            .zip(TOKENS)
            .map(|(Tenant { name, service }, token)| TenantEntry {
                name,
                token: Some(Token::new(token)),
                service,
            })
            .collect();
        Shared { door: router(AppState::for_tenants(entries, &config.server)), folder }
    }

    fn path(&self, of: &str) -> String {
        self.folder.path().join(of).display().to_string()
    }

    async fn post(&self, token: &str, route: &str, body: &Value) -> Reply {
        let request = Request::post(route).header("authorization", format!("Bearer {token}"));
        send(self.door.clone(), request.body(Body::from(body.to_string())).unwrap()).await
    }
}

fn history(text: &str) -> Value {
    json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "cat", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": text.repeat(3_000)},
        {"role": "user", "content": "thanks"}
    ])
}

/// Without a token a service is open to all; among several tenants one without is to nobody.
#[tokio::test]
async fn a_tenant_without_a_token_among_several_is_not_open() {
    let folder = tempfile::tempdir().unwrap();
    let config = tenants(&folder, &[("acme", "acme")]);
    let entries = |tokens: &[Option<&str>]| -> Vec<_> {
        open_all(&config)
            .unwrap()
            .into_iter()
            .zip(tokens)
            .map(|(Tenant { name, service }, token)| TenantEntry {
                name,
                token: token.map(Token::new),
                service,
            })
            .collect()
    };
    for (tokens, given, status) in [
        (&[None][..], None, 200),
        (&[Some(TOKENS[0]), None], None, 401),
        (&[None, Some(TOKENS[1])], None, 401),
        (&[Some(TOKENS[0]), None], Some(TOKENS[1]), 401),
        (&[Some(TOKENS[0]), None], Some(TOKENS[0]), 200),
    ] {
        let door = router(AppState::for_tenants(entries(tokens), &config.server));
        let mut request = Request::post("/grep");
        if let Some(token) = given {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let reply = send(door, request.body(Body::from(r#"{"pattern":"x"}"#)).unwrap()).await;
        assert_eq!(reply.status, status, "{tokens:?} {given:?}: {}", reply.text);
    }
}

#[tokio::test]
async fn a_token_opens_its_own_folders_and_nothing_widens_them() {
    let shared = Shared::new();
    let [operator, acme, globex] = TOKENS;
    let mut answers = Vec::new();
    for (token, name) in [(operator, "own"), (acme, "acme"), (globex, "globex")] {
        let store = format!("{}/store", shared.path(name));
        let body = json!({"messages": history(&format!("canary of {name}\n")), "store_dir": store,
            "max_total_tokens": 100, "chat_id": "chat"});
        let reply = shared.post(token, "/context_offload", &body).await;
        assert_eq!(reply.json["metadata"]["report"]["outcome"], "compacted", "{}", reply.text);
        answers.push(reply.json["messages"].clone());
    }
    for (token, own) in [(operator, "own"), (acme, "acme"), (globex, "globex")] {
        for (number, other) in ["own", "acme", "globex"].iter().enumerate() {
            let folder = format!("{}/store", shared.path(other));
            let file = format!("{folder}/tool_call_1.txt");
            let asks = [
                ("/read_file", json!({"absolute_path": file})),
                (
                    "/read_file",
                    json!({"absolute_path": format!("{}/../{other}/store/tool_call_1.txt", shared.path(own))}),
                ),
                ("/grep", json!({"pattern": "canary of", "path": folder})),
                ("/read_tool_result", json!({"result_id": "call_1", "store_dir": folder})),
                ("/read_tool_result", json!({"result_id": file})),
                (
                    "/lro_extract",
                    json!({"file_path": file, "where": {"field": "a", "op": "exists"}}),
                ),
                ("/rehydrate", json!({"messages": answers[number]})),
                (
                    "/context_offload",
                    json!({"messages": answers[number], "store_dir": folder, "max_total_tokens": 1}),
                ),
            ];
            for (route, body) in asks {
                let reply = shared.post(token, route, &body).await;
                let sent = body.to_string().matches("canary of").count();
                let mine = *other == own;
                let seen = reply.text.contains(&format!("canary of {other}\\ncanary"));
                assert!(mine || !seen || sent > 0, "{own} saw {other} by {route}: {}", reply.text);
                if route == "/read_file" && !mine {
                    assert_eq!(reply.status, 404, "{}", reply.text);
                }
                if route == "/context_offload" && !mine {
                    assert_eq!(reply.json["metadata"]["error"]["code"], "path_outside_roots");
                }
                if route == "/rehydrate" && !mine {
                    assert_eq!(reply.json["metadata"]["unresolved"].as_array().unwrap().len(), 1);
                }
            }
        }
        // Without a path, a search looks where the token leads.
        let body = json!({"pattern": "canary of \\w+", "limit": 1});
        let found = shared.post(token, "/grep", &body).await.text;
        for name in ["own", "acme", "globex"] {
            assert_eq!(found.contains(&format!("canary of {name}")), name == own, "{found}");
        }
        let mcp = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "grep", "arguments": {"pattern": "canary of \\w+", "limit": 1}}});
        let found = shared.post(token, "/mcp", &mcp).await.text;
        for name in ["own", "acme", "globex"] {
            assert_eq!(found.contains(&format!("canary of {name}")), name == own, "{found}");
        }
    }
}

#[tokio::test]
async fn no_other_word_is_a_token() {
    let shared = Shared::new();
    for token in
        ["", "acme", "acme-s3cre", "acme-s3crets", "ACME-S3CRET", "acme-s3cret operator-s3cret"]
    {
        let reply = shared.post(token, "/grep", &json!({"pattern": "x"})).await;
        assert_eq!(reply.status, 401, "{token:?}");
    }
}

#[test]
fn tenants_that_share_a_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (one, other) in
        [("shared", "shared"), ("shared", "shared/inner"), ("shared/inner", "shared")]
    {
        let config = tenants(&folder, &[("acme", one), ("globex", other)]);
        let Err(OpenError::Shared { one, other, .. }) = open_all(&config) else {
            panic!("{one} and {other} were taken")
        };
        assert_eq!((one.as_str(), other.as_str()), ("acme", "globex"));
    }
}

/// A bind mount is one folder under two paths, and no link leads from one to the other.
#[test]
fn tenants_that_share_a_folder_by_a_mount_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["acme/inner", "globex/in", "apart"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    // Source and place of the mount, the tenants' roots, and whether they meet.
    for (from, to, one, other, meet) in [
        ("acme", "globex", "acme", "globex", true),
        ("acme/inner", "globex", "acme", "globex", true),
        ("acme", "globex", "acme/inner", "globex", true),
        ("acme/inner", "globex/in", "acme", "globex", true),
        ("acme/inner", "globex/in", "acme/inner", "globex/in", true),
        ("apart", "globex/in", "acme", "globex", false),
    ] {
        let script = format!(
            "mount --bind {from} {to} && exec {} serve --listen 127.0.0.1:0",
            env!("CARGO_BIN_EXE_unburden")
        );
        let at = |name: &str| folder.path().join(name).display().to_string();
        let child = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script])
            .current_dir(folder.path())
            .env("UNBURDEN_STORE__ROOTS", at("apart"))
            .envs([("UNBURDEN_TENANTS__A__TOKEN", "the-token-of-one-tenant")])
            .envs([("UNBURDEN_TENANTS__B__TOKEN", "the-token-of-another-one")])
            .envs([
                ("UNBURDEN_TENANTS__A__ROOTS", at(one)),
                ("UNBURDEN_TENANTS__B__ROOTS", at(other)),
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else { return skipped("there is no unshare") };
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let started = line.starts_with("listening on");
        child.kill().unwrap();
        let said = child.wait_with_output().unwrap().stderr;
        let said = String::from_utf8_lossy(&said);
        let shared = said.contains("the tenants \"a\" and \"b\" share the folder");
        if !started && !shared {
            return skipped(&format!("no mount can be made here: {said}"));
        }
        assert_eq!((shared, started), (meet, !meet), "{from} at {to}, {one}, {other}: {said}");
    }
}

/// On a disk on which no file can be created, the service is not ready, and a chat can still be
/// deleted: that makes room.
#[test]
fn a_disk_without_room_is_told_and_can_be_freed() {
    let folder = tempfile::tempdir().unwrap();
    let log: String = (0..900).map(|n| format!("step {n} of the build went well\n")).collect();
    let history = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": log},
        {"role": "user", "content": "and?"}
    ]);
    std::fs::write(folder.path().join("h.json"), history.to_string()).unwrap();
    std::fs::create_dir(folder.path().join("disk")).unwrap();
    let unburden = env!("CARGO_BIN_EXE_unburden");
    let script = format!(
        "mount -t tmpfs -o size=50m,nr_inodes=80 none disk && cd disk || exit 9
         {unburden} offload ../h.json --store-dir store --chat-id one --max-total-tokens 100 -o ../s
         i=0; while [ $i -lt 500 ] && touch fill$i; do i=$((i + 1)); done
         exec {unburden} serve --listen 127.0.0.1:0 --root ."
    );
    let child = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return skipped("there is no unshare") };
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let Some(address) = line.trim().strip_prefix("listening on http://") else {
        let status = child.wait().unwrap();
        return skipped(&format!("no small disk can be mounted here ({status})"));
    };
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        write!(stream, "{request} {head}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answers = ["GET /readyz", "DELETE /chats/one?store_dir=./store", "GET /readyz"].map(ask);
    child.kill().unwrap();
    child.wait().unwrap();
    let [full, deleted, ready] = answers;
    assert!(full.starts_with("HTTP/1.1 503 ") && full.contains("No space left"), "{full}");
    assert!(deleted.contains("Deleted 1 file of the chat"), "{deleted}");
    assert!(ready.starts_with("HTTP/1.1 200 "), "{ready}");
}

#[tokio::test]
async fn what_does_not_fit_the_memory_is_told_before_it_is_read() {
    let app = TestApp::with(|config| config.server.memory_bytes = 4 * 1024 * 1024);
    let body = |bytes: usize| format!("{{\"messages\":[],\"x\":\"{}\"}}", "x".repeat(bytes));
    let code = |reply: &Reply| reply.json["metadata"]["error"]["code"].clone();
    let small = app.post("/count_tokens", body(1_000)).await;
    assert_eq!(small.status, 200, "{}", small.text);
    let large = app.post("/count_tokens", body(2_000_000)).await;
    assert_eq!((large.status.as_u16(), code(&large)), (413, json!("body_too_heavy")));
    // Small things weigh more than their bytes.
    let tiny = format!("{{\"messages\":[{}]}}", vec!["{}"; 100_000].join(","));
    let tiny = app.post("/count_tokens", tiny).await;
    assert_eq!((tiny.status.as_u16(), code(&tiny)), (413, json!("body_too_heavy")));

    let held = app.service.budget().take(3 * 1024 * 1024).unwrap();
    let request = Request::post("/count_tokens").header("host", "localhost");
    let request = request.body(Body::from(body(500_000))).unwrap();
    let response = ServiceExt::oneshot(app.router(), request).await.unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()[header::RETRY_AFTER], "1");
    assert_eq!(app.get("/healthz").await.status, 200);
    assert_eq!(app.post("/count_tokens", body(1_000)).await.status, 200, "small ones still fit");
    drop(held);
    assert_eq!(app.post("/count_tokens", body(500_000)).await.status, 200);
}

#[tokio::test]
async fn what_arrived_of_a_body_holds_its_memory() {
    let app = TestApp::with(|config| config.server.memory_bytes = 4 * 1024 * 1024);
    let whole = app.service.budget().total();
    let begin = futures::stream::iter([std::io::Result::Ok(vec![b' '; 500_000])]);
    let body = Body::from_stream(begin.chain(futures::stream::pending()));
    let request = Request::post("/count_tokens").header("host", "localhost").body(body).unwrap();
    let asked = tokio::spawn(ServiceExt::oneshot(app.router(), request));
    let mut is_held = false;
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
        is_held |= app.service.budget().take(whole).is_err();
    }
    assert!(is_held && !asked.is_finished());
    asked.abort();
}

#[tokio::test]
async fn an_answer_gives_its_memory_back_when_it_has_left() {
    let app = TestApp::with(|config| config.server.memory_bytes = 4 * 1024 * 1024);
    let whole = app.service.budget().total();
    let body = format!("{{\"messages\":[],\"x\":\"{}\"}}", "x".repeat(500_000));
    let request = Request::post("/count_tokens").header("host", "localhost");
    let request = request.body(Body::from(body)).unwrap();
    let response = ServiceExt::oneshot(app.router(), request).await.unwrap();
    assert!(app.service.budget().take(whole).is_err(), "the answer is still here");
    drop(response);
    assert!(app.service.budget().take(whole).is_ok());
}

/// A byte of a file may be six of an answer, and a client may never take it.
#[tokio::test]
async fn a_large_answer_to_a_small_request_holds_its_memory() {
    let app = TestApp::with(|config| config.server.memory_bytes = 4 * 1024 * 1024);
    std::fs::write(app.folder().join("nul.txt"), vec![0; 300_000]).unwrap();
    let whole = app.service.budget().total();
    let ask = async || {
        let body = Body::from(r#"{"absolute_path": "/workspace/nul.txt", "max_tokens": 0}"#);
        let request = Request::post("/read_file").header("host", "localhost").body(body).unwrap();
        ServiceExt::oneshot(app.router(), request).await.unwrap()
    };
    let response = ask().await;
    assert_eq!(response.status(), 200);
    assert!(app.service.budget().take(whole - 1_800_000).is_err(), "the answer is still here");
    drop(response);
    let others = app.service.budget().take(2_500_000).unwrap();
    assert_eq!(ask().await.status(), 503);
    drop(others);
    assert!(app.service.budget().take(whole).is_ok());
}

#[test]
fn a_reference_that_finds_no_memory_is_not_told_lost() {
    let app = TestApp::with(|config| config.server.memory_bytes = 1024 * 1024);
    let text: String = (0..500).map(|n| format!("line {n} of the build\n")).collect();
    let history = [call("call_1", "bash", &json!({})), result("call_1", &text), user("go on")];
    let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
        "keep_recent_count": 0, "include_files": false});
    let after = app.offload(&array(&history), &settings).messages;
    assert!(!after.contains("line 250 "));
    let body = format!("{{\"messages\":{after}}}");
    let others = app.service.budget().take(u64::MAX).unwrap();
    let refused = app.service.rehydrate(body.as_bytes()).err().unwrap();
    assert!(matches!(refused, Failure::Full(_)), "{refused}");
    drop(others);
    assert_eq!(split(&app.rehydrate(&after).messages), history);
}

/// The answer holds each of the texts, though their file is read once.
#[test]
fn a_file_that_was_read_often_counts_as_often_as_it_is_put_back() {
    let text: String = (0..3_000).map(|n| format!("line {n} of the build\n")).collect();
    let settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
        "keep_recent_count": 0, "include_files": false});
    let often_read = |app: &TestApp| {
        let history = [call("call_1", "bash", &json!({})), result("call_1", &text), user("go on")];
        let mut messages = split(&app.offload(&array(&history), &settings).messages);
        for n in 2..10 {
            let (id, file) = (format!("call_{n}"), "/workspace/store/tool_call_1.txt");
            messages.extend([call(&id, "cat", &json!({"file": file})), result(&id, &text)]);
        }
        messages.push(user("and?"));
        app.offload(&array(&messages), &settings).messages
    };

    let app = TestApp::with(|config| config.server.memory_bytes = 4 * 1024 * 1024);
    let after = often_read(&app);
    assert!(after.len() < 9_000, "{after}");
    let body = format!("{{\"messages\":{after}}}");
    let others = app.service.budget().take(app.service.budget().total() - 1_000_000).unwrap();
    let refused = app.service.rehydrate(body.as_bytes()).err().unwrap();
    assert!(matches!(refused, Failure::Full(_)), "{refused}");
    drop(others);
    assert_eq!(app.rehydrate(&after).json["metadata"]["restored"], 9);

    let most = text.len() as u64 * 5 / 2;
    let app = TestApp::with(|config| config.reload.rehydrate_bytes = most);
    let back = app.rehydrate(&often_read(&app));
    assert_eq!(back.json["metadata"]["restored"], 2);
    let why = back.json["metadata"]["unresolved"][0]["why"].as_str().unwrap().to_owned();
    assert!(why.contains("too large"), "{why}");
}

fn impatient() -> Served {
    let limits = [
        ("UNBURDEN_SERVER__HEADER_TIMEOUT_SECONDS", "1"),
        ("UNBURDEN_SERVER__BODY_TIMEOUT_SECONDS", "1"),
        ("UNBURDEN_SERVER__IDLE_TIMEOUT_SECONDS", "3"),
    ];
    Served::start(tempfile::tempdir().unwrap(), &limits)
}

/// Sends pieces with pauses, then reads until the line ends; what came and how long it took.
fn talk(address: &str, pieces: &[&str], pause: Duration) -> (String, Duration) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let start = Instant::now();
    for piece in pieces {
        if stream.write_all(piece.as_bytes()).is_err() {
            break;
        }
        std::thread::sleep(pause);
    }
    let mut said = Vec::new();
    // An end by reset is an end.
    let _ = stream.read_to_end(&mut said);
    (String::from_utf8_lossy(&said).into_owned(), start.elapsed())
}

#[test]
fn slow_clients_lose_their_line() {
    let served = impatient();
    let address = served.address();
    let none = Duration::ZERO;
    let (said, took) = talk(address, &[], none);
    assert!(said.is_empty() && took < Duration::from_secs(15), "no head: {said} {took:?}");
    let head = "POST /grep HTTP/1.1\r\nhost: localhost\r\n";
    let (said, _) = talk(address, &[head], none);
    assert_eq!(said, "", "half a head");
    let drip = ["P", "O", "S", "T", " ", "/", "g", "r", "e", "p"];
    let (said, took) = talk(address, &drip, Duration::from_millis(300));
    assert!(said.is_empty() && took < Duration::from_secs(15), "a drip: {said} {took:?}");
    let half = "POST /grep HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{\"pattern\"";
    let (said, _) = talk(address, &[half], none);
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("body_too_slow"), "{said}");
    // A whole request and then silence: answered, kept for a while, then closed.
    let whole = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let (said, took) = talk(address, &[whole], none);
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(18), "{took:?}");
    // Two requests with a pause longer than a head may take, on one line.
    let (said, _) = talk(address, &[whole, whole], Duration::from_millis(1_500));
    assert_eq!(said.matches("HTTP/1.1 200").count(), 2, "{said}");
}

#[test]
fn who_is_refused_early_still_hears_why() {
    let served = impatient();
    let body = "x".repeat(8 * 1024 * 1024);
    let head = |host: &str| {
        format!(
            "POST /grep HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
    };
    let (said, _) = talk(served.address(), &[&head("evil.example"), &body], Duration::ZERO);
    assert!(said.starts_with("HTTP/1.1 403"), "{said}");
    let (said, _) = talk(served.address(), &[&head("localhost"), &body], Duration::ZERO);
    assert!(said.starts_with("HTTP/1.1 400"), "{said}");
}

/// What `serve` says on standard error when it does not start.
fn refused(flags: &[&str], environment: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .arg("serve")
        .args(flags)
        .current_dir(folder.path())
        .env("UNBURDEN_STORE__ROOTS", folder.path())
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stdout));
    String::from_utf8_lossy(&out.stderr).into_owned()
}

#[test]
fn it_does_not_start_open_to_the_world_or_with_doubtful_tokens() {
    let open = refused(&["--listen", "0.0.0.0:0"], &[]);
    assert!(open.contains("--no-auth"), "{open}");
    let open6 = refused(&["--listen", "[::]:0"], &[]);
    assert!(open6.contains("--no-auth"), "{open6}");
    let empty = refused(&[], &[("UNBURDEN_SERVER__TOKEN", "  ")]);
    assert!(empty.contains("server has no token"), "{empty}");
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    for made in [&a, &b] {
        std::fs::create_dir(made).unwrap();
    }
    let roots = (a.display().to_string(), b.display().to_string());
    let base = [
        ("UNBURDEN_TENANTS__ACME__ROOTS", roots.0.as_str()),
        ("UNBURDEN_TENANTS__GLOBEX__ROOTS", roots.1.as_str()),
        ("UNBURDEN_TENANTS__ACME__TOKEN", "one-and-no-other-word"),
    ];
    let without = refused(&[], &base);
    assert!(without.contains("tenants.globex has no token"), "{without}");
    let same: Vec<_> = base
        .into_iter()
        .chain([("UNBURDEN_TENANTS__GLOBEX__TOKEN", "one-and-no-other-word")])
        .collect();
    let same = refused(&[], &same);
    assert!(same.contains("tenants.acme and tenants.globex have the same token"), "{same}");
    assert!(!same.contains("one-and"), "no token is shown: {same}");
}

#[test]
fn a_token_that_can_be_guessed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, " \n fifteen_letters\n").unwrap();
    let roots = folder.path().display().to_string();
    let sentence = |section: &str, found: usize| {
        format!(
            "{section} has a token of {found} characters; accepted are 16 or more, such as \
             `openssl rand -hex 32` gives"
        )
    };
    let short = refused(&[], &[("UNBURDEN_SERVER__TOKEN", "x")]);
    assert!(short.contains(&sentence("server", 1)), "{short}");
    let short = refused(&["--token-file", file.to_str().unwrap()], &[]);
    assert!(short.contains(&sentence("server", 15)) && !short.contains("fifteen"), "{short}");
    let tenant = [
        ("UNBURDEN_TENANTS__ACME__ROOTS", roots.as_str()),
        ("UNBURDEN_TENANTS__ACME__TOKEN", "\u{e9}\u{e9}"),
    ];
    let short = refused(&[], &tenant);
    assert!(short.contains(&sentence("tenants.acme", 2)), "{short}");
}

#[test]
fn tokens_come_from_the_environment_and_digits_stay_digits() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder, &[("UNBURDEN_SERVER__TOKEN", "0123456789012345")]);
    let ask = |token: &str| {
        let head = format!(
            "POST /grep HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             connection: close\r\ncontent-length: 15\r\n\r\n{{\"pattern\":\"x\"}}"
        );
        talk(served.address(), &[&head], Duration::ZERO).0
    };
    assert!(ask("0123456789012345").starts_with("HTTP/1.1 200"));
    assert!(ask("123456789012345").starts_with("HTTP/1.1 401"));
}

/// `Service` is what a door has; it opens with the defaults of a test.
#[test]
fn a_budget_is_found_without_a_setting() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.roots = vec![folder.path().display().to_string()];
    let service = Service::open(&config).unwrap();
    assert!(service.budget().total() > 64 * 1024 * 1024);
}

#[tokio::test]
async fn packed_bodies_are_refused_as_such() {
    let app = TestApp::new();
    for (coding, status) in [("gzip", 415), ("br", 415), ("zstd, gzip", 415), ("identity", 200)] {
        let request = Request::post("/grep").header(header::CONTENT_ENCODING, coding);
        let reply = app.send(request.body(Body::from(r#"{"pattern":"x"}"#)).unwrap()).await;
        assert_eq!(reply.status, status, "{coding}: {}", reply.text);
    }
}
