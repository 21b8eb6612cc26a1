//! End to end: the real binary, a real socket, a real client, a real signal.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for an event.
const WAIT: Duration = Duration::from_secs(60);

/// A running service; killed if a test fails before it stops it.
struct Server {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Server {
    fn start(environment: &[(&str, &str)], flags: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_unburden"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(flags)
            .current_dir(folder.path())
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap().to_owned();
        Server { child, address, folder }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        (status, reply)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let (status, reply) = self.ask("POST", path, &body.to_string());
        assert_eq!(status, 200, "{reply}");
        serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Sends SIGTERM; returns the exit status and what was logged.
    fn stop(mut self) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut log = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
                return (status.code(), log);
            }
            assert!(start.elapsed() < WAIT, "the service did not stop within {WAIT:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn history(canary: &str) -> Value {
    json!([
        {"role": "user", "content": format!("read the {canary} file")},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "cat", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": format!("{canary} of the file\n").repeat(3_000)},
        {"role": "user", "content": "thanks"}
    ])
}

#[test]
fn a_history_goes_out_and_comes_back_over_a_socket() {
    let server = Server::start(&[], &[]);
    let body =
        json!({"messages": history("text"), "store_dir": "./store", "max_total_tokens": 100});
    let answer = server.post("/context_offload", &body);
    assert_eq!(answer["metadata"]["report"]["outcome"], "compacted");
    let whole = json!({"absolute_path": "./store/tool_call_1.txt", "max_tokens": 0});
    let read = server.post("/read_file", &whole);
    assert_eq!(read["answer"], history("text")[2]["content"]);
    assert!(server.folder.path().join("store/tool_call_1.txt").exists());
    let found = server.post("/grep", &json!({"pattern": "TEXT of", "path": "./store", "limit": 2}));
    assert!(found["answer"].as_str().unwrap().starts_with("Found 3000 matches, 1-2 shown"));
    let back = server.post("/rehydrate", &json!({"messages": answer["messages"]}));
    assert_eq!(back["messages"], history("text"));

    let (status, reply) = server.ask("GET", "/healthz", "");
    assert_eq!(status, 200);
    assert!(reply.to_lowercase().contains("x-request-id: "), "{reply}");
    let check = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(["healthcheck", "--address", &server.address])
        .output()
        .unwrap();
    assert_eq!(check.status.code(), Some(0));
    let address = server.address.clone();
    assert_eq!(server.stop().0, Some(0));
    let check = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(["healthcheck", "--address", &address])
        .output()
        .unwrap();
    assert_eq!(check.status.code(), Some(1));
}

#[test]
fn logs_are_json_and_hold_no_content() {
    let server = Server::start(&[("RUST_LOG", "trace")], &[]);
    let body =
        json!({"messages": history("CANARY"), "store_dir": "./store", "max_total_tokens": 100});
    server.post("/context_offload", &body);
    server.post("/read_file", &json!({"absolute_path": "./store/tool_call_1.txt"}));
    server.ask("POST", "/context_offload", "{\"messages\": \"CANARY\"");
    let (status, log) = server.stop();
    assert_eq!(status, Some(0));
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answered = lines.iter().find(|line| line["message"] == "answered").unwrap();
    assert_eq!(answered["status"], 200);
    assert_eq!(answered["span"]["route"], "/context_offload");
    assert!(!log.contains("CANARY"), "{log}");
}

/// A body that never comes ends with the time limit, and others are served.
#[test]
fn a_stalled_client_is_cut_off() {
    let server = Server::start(&[("UNBURDEN_SERVER__REQUEST_TIMEOUT_SECONDS", "1")], &[]);
    let mut stalled = TcpStream::connect(&server.address).unwrap();
    write!(stalled, "POST /grep HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{{")
        .unwrap();
    assert_eq!(server.ask("GET", "/healthz", "").0, 200);
    let mut reply = String::new();
    stalled.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 504"), "{reply}");
    assert!(reply.contains("request_timeout"));
}

/// SIGTERM lets a request under way finish.
#[test]
fn stopping_finishes_what_is_under_way() {
    // However slow the machine is, no time limit ends the request.
    let hour = ["BODY_TIMEOUT", "DRAIN"].map(|of| format!("UNBURDEN_SERVER__{of}_SECONDS"));
    let server = Server::start(&hour.each_ref().map(|name| (name.as_str(), "3600")), &[]);
    let body =
        json!({"messages": history("text"), "store_dir": "./store", "max_total_tokens": 100});
    let body = body.to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "POST /context_offload HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n", body.len()).unwrap();
    // It asks for the body: the request is under way.
    let mut going = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
    stream.read_exact(&mut going).unwrap();
    let (first, rest) = body.split_at(body.len() / 2);
    stream.write_all(first.as_bytes()).unwrap();
    stream.flush().unwrap();
    let address = server.address.clone();
    let stopper = std::thread::spawn(move || server.stop());
    let start = Instant::now();
    while TcpStream::connect(&address).is_ok() {
        assert!(start.elapsed() < WAIT, "it still listens {WAIT:?} after SIGTERM");
        std::thread::sleep(Duration::from_millis(10));
    }
    stream.write_all(rest.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{}", &reply[..100.min(reply.len())]);
    assert_eq!(stopper.join().unwrap().0, Some(0));
}

/// A service that has named its address ends in order, however soon SIGTERM follows.
#[test]
fn a_service_ends_in_order_as_soon_as_it_named_its_address() {
    for _ in 0..5 {
        assert_eq!(Server::start(&[], &[]).stop().0, Some(0));
    }
}

/// A body that is far too large gets its answer, not a broken pipe.
#[test]
fn a_body_that_is_too_large_is_told_so() {
    let server = Server::start(&[("UNBURDEN_SERVER__BODY_LIMIT_BYTES", "1000000")], &[]);
    let (status, reply) = server.ask("POST", "/context_offload", &"x".repeat(3_500_000));
    assert_eq!(status, 413);
    assert!(reply.contains("body_too_large"), "{reply}");
}
