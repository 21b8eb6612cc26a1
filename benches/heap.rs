//! `cargo bench --bench heap`: the most memory that a request takes, as a
//! multiple of its body. A bench of its own, since counting allocations slows
//! them down.

#![expect(clippy::print_stdout, reason = "a bench prints what it measures")]

use peak_alloc::PeakAlloc;
use unburden::config::{Config, DurabilityConfig};
use unburden::service::Service;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() {
    // `cargo test --benches` asks every bench to run as a test; there is nothing to test.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::default();
    config.store.roots = vec![format!("/bench={}", folder.path().display())];
    config.store.durability = DurabilityConfig::Relaxed;
    let service = Service::open(&config).expect("the folder is there");
    // Vocabularies and the caches of each thread are the process's, not a request's.
    service.offload(body(300, "warm").as_bytes()).expect("valid");
    println!("{:>9} {:>9} {:>22}", "messages", "body MB", "peak heap / body");
    for count in [500, 2_000, 8_000] {
        let body = body(count, "measured");
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage() - body.len();
        service.offload(body.as_bytes()).expect("valid").into_json();
        let peak = HEAP.peak_usage() - before;
        let size = body.len() as f64;
        println!("{count:>9} {:>9.2} {:>22.2}", size / 1e6, peak as f64 / size);
    }
}

/// A history like an agent's: every fifth result is large.
fn body(count: usize, name: &str) -> String {
    let turns: Vec<String> = (0..count / 2)
        .map(|n| {
            let lines = if n % 5 == 0 { 350 } else { 12 };
            let text: String =
                (0..lines).map(|k| format!("{name} {n}: line {k} of a \\\"build\\\" log\\n")).collect();
            format!(
                "{{\"role\":\"assistant\",\"content\":\"on it\",\"tool_calls\":[{{\"id\":\"call_{n}\",\
                 \"type\":\"function\",\"function\":{{\"name\":\"bash\",\"arguments\":\"{{}}\"}}}}]}},\
                 {{\"role\":\"tool\",\"tool_call_id\":\"call_{n}\",\"content\":\"{text}\"}}"
            )
        })
        .collect();
    let settings = "\"store_dir\":\"/bench/store\",\"include_files\":false,\"max_total_tokens\":1";
    format!("{{\"messages\":[{}],{settings}}}", turns.join(","))
}
