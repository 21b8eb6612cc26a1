//! `cargo bench --bench snapshot`: the cost of snapshots without a model: compressions of logs,
//! of prose and of one long line, and of a longer history first and again. Medians; the shares
//! hold on any machine, the milliseconds do not.

#![expect(clippy::print_stdout, reason = "a bench prints what it measures")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use unburden::config::{Config, DurabilityConfig};
use unburden::service::Service;

/// As in the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const ROUNDS: usize = 7;

fn main() {
    // `cargo test --benches` asks every bench to run as a test; there is nothing to test.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    for (name, results) in [
        ("logs", (0..125).map(log).collect::<Vec<_>>()),
        ("prose", (0..125).map(prose).collect()),
        ("one line", vec!["x9 ".repeat(340_000)]),
    ] {
        one_turn(name, &results);
    }
    many_turns();
}

fn log(n: usize) -> String {
    let line = |at: usize| match at % 37 {
        0 => format!("error: case_{n}_{at} failed in src/part_{at}.rs:{at}:5\n"),
        1..12 => format!("    let value_{at} = compute({n}, \"{at}\"); // step {at}\n"),
        _ => format!("2026-01-01 12:{:02}:00 INFO worker {at} took {}ms\n", at % 60, at * n),
    };
    (0..180).map(line).collect()
}

fn prose(n: usize) -> String {
    let sentence = |at: usize| {
        format!("In part {n} the {at}th remark says what was found because a value was {at}. ")
    };
    (0..110).map(sentence).collect()
}

/// Compresses an order and a call with a result for each text.
fn one_turn(name: &str, results: &[String]) {
    let mut messages = vec![json!({"role": "user", "content": "Make all tests pass."})];
    for (n, text) in results.iter().enumerate() {
        messages.extend(called(n, text));
    }
    messages.push(json!({"role": "user", "content": "Go on."}));
    let body = body(&messages);
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let (service, _folder) = service();
            timed(|| post(&service, &body))
        })
        .collect();
    row(&format!("compress {name}"), body.len(), middle(&mut times));
}

/// A call of a tool and its result.
fn called(n: usize, result: &str) -> [Value; 2] {
    let id = format!("call_{n}");
    let call = json!({"id": id, "type": "function",
        "function": {"name": "bash", "arguments": "{\"command\":\"make\"}"}});
    [
        json!({"role": "assistant", "content": "I look.", "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": id, "content": result}),
    ]
}

fn body(messages: &[Value]) -> Vec<u8> {
    let settings =
        r#""context_manage_mode":"compress","store_dir":"/bench/s","include_files":false}"#;
    let messages = serde_json::to_string(messages).expect("values serialise");
    format!("{{\"messages\":{messages},{settings}").into_bytes()
}

/// A service over a folder of its own.
fn service() -> (Service, TempDir) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut config = Config::default();
    config.store.roots = vec![format!("/bench={}", folder.path().display())];
    config.store.durability = DurabilityConfig::Relaxed;
    (Service::open(&config).expect("the folder is there"), folder)
}

fn post(service: &Service, body: &[u8]) -> usize {
    service.offload(body).expect("valid").into_json().len()
}

/// A history of 2,000 messages.
fn many_turns() {
    let messages: Vec<Value> = (0..500)
        .flat_map(|n| {
            let [call, result] = called(n, &log(n));
            [
                json!({"role": "user", "content": format!("Please look at part {n}.")}),
                call,
                result,
                json!({"role": "assistant", "content": format!("Part {n} is done.")}),
            ]
        })
        .collect();
    let (first, longer) = (body(&messages[..1_998]), body(&messages));
    let (mut fresh, mut again, mut grown) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (service, _folder) = service();
        fresh.push(timed(|| post(&service, &first)));
        again.push(timed(|| post(&service, &first)));
        grown.push(timed(|| post(&service, &longer)));
    }
    row("compress, first post", first.len(), middle(&mut fresh));
    row("compress, same again", first.len(), middle(&mut again));
    row("compress, two more", longer.len(), middle(&mut grown));
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn row(what: &str, bytes: usize, took: Duration) {
    let (mb, ms) = (bytes as f64 / 1e6, took.as_secs_f64() * 1e3);
    println!("{what:<24} {mb:6.2} MB {ms:9.2} ms {:8.0} MB/s", mb / ms * 1e3);
}
