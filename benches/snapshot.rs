//! `cargo bench --bench snapshot`: what a snapshot costs without a model: the
//! built-in summariser, the check of a model's text, the identifiers, and whole
//! compressions, first and again. Medians; the shares hold on any machine, the
//! milliseconds do not.

#![expect(clippy::print_stdout, reason = "a bench prints what it measures")]

use std::time::{Duration, Instant};

use chat_history::message::Role;
use serde_json::{Value, json};
use token_count::{Tokenizer, warm_up};
use unburden::config::{Config, DurabilityConfig};
use unburden::service::Service;
use unburden::snapshot::acceptance::{Limits, SourceText, accept};
use unburden::snapshot::extractive::summarise;
use unburden::snapshot::format::summary::{Section, Summary};
use unburden::snapshot::retention::Retention;
use unburden::snapshot::text::identifiers::identifiers;
use unburden::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

/// As in the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const ROUNDS: usize = 7;

fn main() {
    // `cargo test --benches` asks every bench to run as a test; there is nothing to test.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    warm_up();
    for (name, results) in [
        ("logs", (0..125).map(log).collect::<Vec<_>>()),
        ("prose", (0..125).map(prose).collect()),
        ("one line", vec!["x9 ".repeat(340_000)]),
    ] {
        summaries(name, &results);
    }
    check();
    whole();
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

/// A transcript of an order and a call with a result for each text.
fn transcript(results: &[String]) -> Vec<TranscriptMessage<'_>> {
    let said = |index, role| TranscriptMessage {
        index,
        role,
        texts: vec![],
        calls: vec![],
        results: vec![],
    };
    let mut all = vec![said(0, Role::User)];
    all[0].texts.push("Make all tests pass. Never skip one.".into());
    for text in results {
        let mut asks = said(all.len(), Role::Assistant);
        asks.texts.push("I run the next part.".into());
        let arguments = r#"{"command":"make test"}"#.into();
        asks.calls.push(ToolCall { id: Some("call"), name: Some("bash"), arguments });
        all.push(asks);
        let mut answers = said(all.len(), Role::Tool);
        let (call_id, tool) = (Some("call"), Some("bash"));
        answers.results.push(ToolResult { call_id, tool, text: text.into(), moved_to: None });
        all.push(answers);
    }
    all
}

fn summaries(name: &str, results: &[String]) {
    let said = transcript(results);
    let size: usize = results.iter().map(String::len).sum();
    let count = |text: &str| Tokenizer::O200kBase.count(text);
    let took = median(|| summarise(&said, None, 8_000, &count));
    row(&format!("summarise {name}"), size, took);
    let took = median(|| results.iter().map(|text| identifiers(text).len()).sum::<usize>());
    row(&format!("identifiers {name}"), size, took);
    let took = median(|| Retention::of(&said, "case_1 src/part_3.rs", true));
    row(&format!("retention {name}"), size, took);
}

/// A snapshot of 30 KB, half of whose names are made up, against 2 MB.
fn check() {
    let results: Vec<String> = (0..250).map(log).collect();
    let said = transcript(&results);
    let size: usize = results.iter().map(String::len).sum();
    let mut summary = Summary::default();
    let fact = |n: usize| format!("- `src/part_{n}.rs` failed as case_{n}; gone_{n}.rs did not\n");
    summary.set(Section::KeyKnowledge, (0..500).map(fact).collect::<String>());
    let reply = format!(
        "<state_snapshot>\n{}</state_snapshot>",
        unburden::snapshot::format::block::sections(&summary)
    );
    let took = median(|| {
        let source = SourceText::new(&said, &[], None, "");
        accept(&reply, &source, &Limits { max_tokens: 1 << 40, count: &|_| 0 })
    });
    row("check of a snapshot", size, took);
}

/// A history of 2,000 messages through the service.
fn whole() {
    let messages: Vec<Value> = (0..500)
        .flat_map(|n| {
            let id = format!("call_{n}");
            let call = json!({"id": id, "type": "function",
                "function": {"name": "bash", "arguments": "{\"command\":\"make\"}"}});
            [
                json!({"role": "user", "content": format!("Please look at part {n}.")}),
                json!({"role": "assistant", "content": "I look.", "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": id, "content": log(n)}),
                json!({"role": "assistant", "content": format!("Part {n} is done.")}),
            ]
        })
        .collect();
    let body = |messages: &[Value]| {
        let settings =
            r#""context_manage_mode":"compress","store_dir":"/bench/s","include_files":false}"#;
        let messages = serde_json::to_string(messages).expect("values serialise");
        format!("{{\"messages\":{messages},{settings}").into_bytes()
    };
    let (first, longer) = (body(&messages[..1_998]), body(&messages));
    let (mut fresh, mut again, mut grown) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let mut config = Config::default();
        config.store.roots = vec![format!("/bench={}", folder.path().display())];
        config.store.durability = DurabilityConfig::Relaxed;
        let service = Service::open(&config).expect("the folder is there");
        let post = |body: &[u8]| service.offload(body).expect("valid").into_json().len();
        fresh.push(timed(|| post(&first)));
        again.push(timed(|| post(&first)));
        grown.push(timed(|| post(&longer)));
    }
    row("compress, first post", first.len(), middle(&mut fresh));
    row("compress, same again", first.len(), middle(&mut again));
    row("compress, two more", longer.len(), middle(&mut grown));
}

fn median<T>(mut work: impl FnMut() -> T) -> Duration {
    middle(&mut (0..ROUNDS).map(|_| timed(&mut work)).collect::<Vec<_>>())
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
