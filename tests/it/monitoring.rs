//! The operators' view of the real binary: log lines, metrics, and the listener for both probes and
//! metrics.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::served::Served;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const TOKEN: &str = "the-token-of-the-monitor";

fn history() -> Value {
    let log: String = (0..3_000).map(|n| format!("line {n} of the log\n")).collect();
    let call = json!({"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!([
        {"role": "user", "content": "read the log"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": log},
        {"role": "user", "content": "go on"},
    ])
}

fn offload(chat: &str) -> Value {
    json!({"messages": history(), "store_dir": "./store", "max_total_tokens": 100, "chat_id": chat})
}

fn served(environment: &[(&str, &str)]) -> Served {
    Served::start(tempfile::tempdir().unwrap(), environment)
}

/// The value of a metric, by its name and labels.
fn value(page: &str, metric: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{metric} is missing: {page}")).parse().unwrap()
}

#[test]
fn a_line_has_the_tokens_the_chat_and_the_trace() {
    let served = served(&[("RUST_LOG", "info")]);
    let traced = format!("traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    let body = offload("a chat of a user").to_string();
    let (status, answer) = served.ask_with(&traced, "POST", "/context_offload", &body);
    assert_eq!(status, 200, "{answer}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "context_offload", "arguments": offload("another chat")}});
    assert_eq!(served.ask_with("", "POST", "/mcp", &call.to_string()).0, 200);
    assert_eq!(served.ask_with("", "DELETE", "/chats/a%20chat%20of%20a%20user", "").0, 200);
    for probe in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(served.ask_with("", "GET", probe, "").0, 200);
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let report = &answer["metadata"]["report"];
    let log = served.stop();
    assert!(!log.contains("chat of a user"), "{log}");
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answered: Vec<Value> = lines.filter(|line| line["message"] == "answered").collect();
    let [first, mcp, deletion] = answered.as_slice() else { panic!("{answered:?}") };
    assert!(first["us"].as_u64().unwrap() > 0, "{first}");
    let span = &first["span"];
    assert_eq!(span["tokens_before"], report["tokens_before"], "{first}");
    assert_eq!(span["tokens_after"], report["tokens_after"]);
    let chat = blake3::hash(b"a chat of a user").to_hex()[..16].to_owned();
    assert_eq!((&span["chat"], &deletion["span"]["chat"]), (&json!(chat), &json!(chat)));
    assert_eq!(
        (&span["trace_id"], &span["parent_id"]),
        (&json!(TRACE), &json!("00f067aa0ba902b7"))
    );
    assert_eq!(mcp["span"]["tokens_before"], report["tokens_before"], "{mcp}");
    assert!(mcp["span"].get("trace_id").is_none());
}

#[test]
fn the_format_of_a_line_is_a_setting() {
    let text = served(&[("UNBURDEN_LOG__FORMAT", "text"), ("RUST_LOG", "debug")]);
    assert_eq!(text.ask_with("", "GET", "/healthz", "").0, 200);
    let log = text.stop();
    let line = log.lines().find(|line| line.contains("answered")).unwrap();
    assert!(line.contains("DEBUG") && line.contains("route=\"/healthz\""), "{line}");
    assert!(!line.starts_with('{') && !line.contains('\u{1b}'), "{line}");
}

#[test]
fn metrics_tell_latency_memory_and_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let first = Served::start(folder, &[]);
    assert_eq!(first.post("/context_offload", &offload("chat")).0, 200);
    assert_eq!(first.post("/context_offload", &json!({})).0, 422);
    let page = first.wait_for("/metrics", "unburden_request_seconds_count");
    let route = "route=\"/context_offload\"";
    assert_eq!(value(&page, &format!("unburden_request_seconds_count{{{route}}}")) as u64, 2);
    let all = format!("unburden_request_seconds_bucket{{{route},le=\"+Inf\"}}");
    assert_eq!(value(&page, &all) as u64, 2);
    assert!(value(&page, &format!("unburden_request_seconds_sum{{{route}}}")) > 0.0);
    // The request for the metrics itself.
    assert_eq!(value(&page, "unburden_requests_in_flight") as u64, 1);
    assert!(page.contains("unburden_build_info{version="), "{page}");
    assert_eq!(value(&page, "unburden_model_calls_total{outcome=\"completed\"}") as u64, 0);
    assert!(value(&page, "unburden_written_bytes_total") > 10_000.0);
    assert!(value(&page, "process_resident_memory_bytes") > 1e6);
    assert!(value(&page, "process_open_fds") > 3.0);
    assert!(value(&page, "process_max_fds") > 100.0);
    assert!(value(&page, "process_start_time_seconds") > 1.6e9);
}

/// A sweep counts what is stored.
#[test]
fn a_sweep_counts_the_store() {
    let served = served(&[("UNBURDEN_STORE__SWEEP_SECONDS", "1")]);
    assert_eq!(served.post("/context_offload", &offload("chat")).0, 200);
    let page = served.wait_for("/metrics", "unburden_store_files 1\n");
    let stored = value(&page, "unburden_store_bytes");
    assert_eq!(stored, value(&page, "unburden_written_bytes_total"), "{page}");
}

#[test]
fn the_listener_for_metrics_needs_no_token_and_answers_nothing_else() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let served =
        served(&[("UNBURDEN_SERVER__METRICS_LISTEN", &free), ("UNBURDEN_SERVER__TOKEN", TOKEN)]);
    let ask = |path: &str, host: &str| {
        let mut stream = TcpStream::connect(&free).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        (reply.split(' ').nth(1).unwrap().parse::<u16>().unwrap(), reply)
    };
    assert_eq!(served.ask_with("", "GET", "/metrics", "").0, 401);
    let (status, page) = ask("/metrics", "localhost");
    assert!(status == 200 && page.contains("unburden_requests_total"), "{page}");
    assert_eq!((ask("/healthz", "localhost").0, ask("/readyz", "localhost").0), (200, 200));
    assert_eq!((ask("/version", "localhost").0, ask("/tools", "localhost").0), (404, 404));
    assert_eq!(ask("/metrics", "attacker.example").0, 403);
}
