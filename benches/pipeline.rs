//! `cargo bench`: what a turn costs, against the naive way, in one process and
//! interleaved, so that the ratios hold on any machine; the milliseconds do not.
//!
//! Histories come from `../shared/bench`, or are generated where it is absent.
//!
//! - naive: `serde_json::Value`, tiktoken-rs, no cache, plain file writes
//! - first: a service that has not seen the history, on threads that counted
//!   other text before (a server at work), with and without syncing to the disk
//! - re-post: the same history with two new messages, the turn that follows
//!
//! Threads stay on a core each, the naive way's as well. Left alone, the kernel of a
//! virtual machine often takes a halted virtual core for a busy one and keeps two
//! threads on one core for the whole of a short post: that doubles its time or does
//! not, by chance. `unpinned` shows it.

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a bench prints what it measures, and its numbers are small"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use token_count::{Tokenizer, forget};
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
    let other = history("h500");
    // Folders stay until the end: a file system works for minutes on what was just
    // deleted, and that would be measured too.
    let mut folders = Vec::new();
    for name in ["h50", "h2000"] {
        pipeline(name, &history(name), &other, &mut folders);
    }
    counting(&texts(&history("h2000")), &texts(&other));
}

/// The messages of a history: recorded, or generated in the same spirit.
fn history(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../shared/bench/{name}.json"));
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).expect("a recorded history is JSON"),
        Err(_) => generated(name),
    }
}

fn generated(name: &str) -> Vec<Value> {
    println!("{name}: ../shared/bench is absent, the history is generated");
    let count: usize = name.trim_start_matches('h').parse().expect("a name says its length");
    let mut seed = 0x9E37_79B9_u64 + count as u64;
    let mut word = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let words = ["error", "warning", "the", "context", "of", "fn", "main", "let", "result"];
        match (seed >> 33) % 12 {
            n @ 0..=8 => words[n as usize].to_owned(),
            9 => format!("item_{}", seed >> 50),
            10 => format!("{}\n", seed >> 44),
            _ => "上下文".to_owned(),
        }
    };
    (0..count / 2)
        .flat_map(|n| {
            let length = if n % 8 == 0 { 4_000 } else { 300 };
            let text: Vec<String> = (0..length).map(|_| word()).collect();
            let id = format!("call_{n}");
            let call = json!({"id": id, "type": "function",
                "function": {"name": "bash", "arguments": "{\"command\":\"make\"}"}});
            [
                json!({"role": "assistant", "content": "I look.", "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": id, "content": text.join(" ")}),
            ]
        })
        .collect()
}

fn body(messages: &[Value]) -> Vec<u8> {
    let settings = r#""store_dir":"/bench/store","include_files":false}"#;
    let messages = serde_json::to_string(messages).expect("values serialise");
    format!("{{\"messages\":{messages},{settings}").into_bytes()
}

/// A service on a folder of its own.
struct Place {
    service: Service,
    folder: TempDir,
}

impl Place {
    fn new(durability: DurabilityConfig) -> Place {
        // Beside the crate: the system's temporary folder may be memory.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let mut config = Config::default();
        config.store.roots = vec![format!("/bench={}", folder.path().display())];
        config.store.durability = durability;
        Place { service: Service::open(&config).expect("the folder is there"), folder }
    }

    fn post(&self, body: &[u8]) -> usize {
        self.service.offload(body).expect("the history is valid").into_json().len()
    }
}

/// Where the threads of a pool run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    /// On a core each.
    Pinned,
    /// Where the kernel puts them.
    Anywhere,
}

impl Threads {
    fn pool(self) -> rayon::ThreadPool {
        let place = move |index| {
            if self == Threads::Pinned {
                stay_on(index);
            }
        };
        rayon::ThreadPoolBuilder::new().start_handler(place).build().expect("threads")
    }
}

/// Keeps this thread on one of the cores that the process may use, by number.
fn stay_on(number: usize) {
    let allowed = rustix::thread::sched_getaffinity(None).expect("the kernel says it");
    let cores: Vec<usize> =
        (0..rustix::thread::CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect();
    let mut one = rustix::thread::CpuSet::new();
    one.set(cores[number % cores.len()]);
    rustix::thread::sched_setaffinity(None, &one).expect("the core is allowed");
}

/// Writes out what was written before: it is not to be waited for in another's time.
fn settle_disk() {
    rustix::fs::sync();
}

fn pipeline(name: &str, messages: &[Value], other: &[Value], folders: &mut Vec<TempDir>) {
    let first = body(messages);
    let new = [
        json!({"role": "assistant", "content": "I go on."}),
        json!({"role": "user", "content": "Good. And the next one?"}),
    ];
    let second = body(&[messages, &new].concat());
    let other = body(other);
    let [mut naive, mut relaxed, mut synced, mut again, mut unpinned] =
        [const { Times(Vec::new()) }; 5];
    for durability in [DurabilityConfig::Relaxed, DurabilityConfig::Sync] {
        // The threads that write are made by the first who writes, and would stay
        // where that one stays.
        let place = Place::new(durability);
        place.post(&other);
        folders.push(place.folder);
    }
    for _ in 0..ROUNDS {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        // On a thread of its own, as a server would: tiktoken-rs is up to twice as
        // fast on the first thread of a process as on any other.
        let on_thread = || {
            std::thread::scope(|scope| {
                let run = || {
                    stay_on(0);
                    timed(&|| naive_way(&first, folder.path()))
                };
                scope.spawn(run).join().expect("no panic")
            })
        };
        settle_disk();
        naive.0.push(on_thread());
        folders.push(folder);
        for (durability, times, threads) in [
            (DurabilityConfig::Relaxed, &mut relaxed, Threads::Pinned),
            (DurabilityConfig::Sync, &mut synced, Threads::Pinned),
            (DurabilityConfig::Relaxed, &mut unpinned, Threads::Anywhere),
        ] {
            let pool = threads.pool();
            // What other threads have merged serves all of them.
            forget();
            let before = Place::new(DurabilityConfig::Relaxed);
            pool.install(|| before.post(&other));
            let place = Place::new(durability);
            settle_disk();
            times.take(|| pool.install(|| place.post(&first)));
            if durability == DurabilityConfig::Sync {
                again.take(|| pool.install(|| place.post(&second)));
            }
            folders.extend([before.folder, place.folder]);
        }
    }
    println!("\n{name}: {} messages, {:.2} MB", messages.len(), mb(first.len()));
    println!("  naive              {naive}  {:6.1} MB/s", mb(first.len()) / naive.seconds());
    for (what, times) in [
        ("first post", &relaxed),
        ("first post, synced", &synced),
        ("re-post + 2 new", &again),
        ("first, unpinned", &unpinned),
    ] {
        println!(
            "  {what:<18} {times}  {:6.1} MB/s  {:5.1} x naive",
            mb(first.len()) / times.seconds(),
            naive.over(times)
        );
    }
    println!(
        "  re-post against first post: {:.1} x, synced {:.1} x",
        relaxed.over(&again),
        synced.over(&again)
    );
    shares(&first, &relaxed, folders);
}

/// What the parts of a first post cost alone, on one thread. Writing is plain
/// writing of the texts that move. It is ten times slower on a file system that
/// has just deleted many files (ext4 steps over each inode that it freed in the
/// last five minutes): both ways pay that, and the ratio shrinks, so a run that
/// starts right after another one says more about the disk than about the product.
fn shares(body: &[u8], whole: &Times, folders: &mut Vec<TempDir>) {
    use raw_json as raw;
    let text = std::str::from_utf8(body).expect("JSON is UTF-8");
    let own = Tokenizer::O200kBase;
    let mut parts: [(&str, Times); 5] =
        ["scan", "unescape", "count", "hash", "write"].map(|name| (name, Times::default()));
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut files = 0;
    for _ in 0..ROUNDS {
        let [scan, unescape, count, hash, write] = parts.each_mut().map(|(_, times)| times);
        let mut contents = Vec::new();
        scan.take(|| {
            let fields = raw::fields(text).expect("an object");
            let messages =
                raw::elements(raw::field(&fields, "messages").expect("there")).expect("an array");
            for message in &messages {
                let fields = raw::fields(message).expect("an object");
                contents.extend(raw::field(&fields, "content"));
            }
            messages.len()
        });
        let mut texts = Vec::new();
        unescape.take(|| texts = contents.iter().map(|c| raw::unescape(c).text).collect());
        count.take(|| texts.iter().map(|t| own.count(t)).sum::<u64>());
        hash.take(|| {
            texts.iter().map(|t| blake3::hash(t.as_bytes()).as_bytes()[0] as usize).sum::<usize>()
        });
        texts.retain(|t| own.count_up_to(t, 2_000).is_none());
        write.take(|| {
            for text in &texts {
                files += 1;
                let file = folder.path().join(files.to_string());
                std::fs::write(file, text.as_bytes()).expect("the folder takes files");
            }
        });
    }
    folders.push(folder);
    println!("  {whole} in all, on {} threads; alone, on one:", rayon::current_num_threads());
    for (name, times) in &parts {
        println!("    {name:<16} {times}  {:6.1} MB/s", mb(body.len()) / times.seconds());
    }
    println!("    {} files, {:.3} ms each", files / ROUNDS, {
        parts[4].1.seconds() * 1e3 / (files / ROUNDS).max(1) as f64
    });
}

/// Everything in one tree, every text counted anew, one thread.
fn naive_way(body: &[u8], folder: &Path) -> usize {
    let bpe = tiktoken_rs::o200k_base_singleton();
    let mut request: Value = serde_json::from_slice(body).expect("the body is JSON");
    let messages = request["messages"].as_array_mut().expect("messages are an array");
    let last = messages.len() - 1;
    let mut total = 0;
    let mut counts = Vec::new();
    for message in messages.iter() {
        let mut count = bpe.encode_ordinary(message["content"].as_str().unwrap_or_default()).len();
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            count += bpe.encode_ordinary(arguments).len();
        }
        total += count;
        counts.push(count);
    }
    for (index, message) in messages.iter_mut().enumerate().take(last) {
        if message["role"] != "tool" || counts[index] <= 2_000 || total < 20_000 {
            continue;
        }
        let id = message["tool_call_id"].as_str().unwrap_or_default().to_owned();
        let path = folder.join(format!("tool_{id}.txt"));
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        std::fs::write(&path, &text).expect("the folder takes files");
        let head: String = text.chars().take(400).collect();
        let short = format!("{head}\n(detailed result is stored in {})", path.display());
        counts[index] = bpe.encode_ordinary(&short).len();
        message["content"] = Value::String(short);
    }
    serde_json::to_string(&request).expect("a tree serialises").len() + counts.len()
}

fn texts(messages: &[Value]) -> String {
    messages.iter().filter_map(|m| m["content"].as_str()).take(400).collect::<Vec<_>>().join("\n")
}

/// `cold thread`: its first text. `other text before`: a thread at work, a text that
/// it has not seen. `same text before`: one that it has.
fn counting(text: &str, other: &str) {
    let bpe = tiktoken_rs::o200k_base_singleton();
    let own = Tokenizer::O200kBase;
    let (mut theirs, mut cold, mut unseen, mut warm) =
        (Times::default(), Times::default(), Times::default(), Times::default());
    let mut exit = Times::default();
    for _ in 0..ROUNDS {
        let on_warm_thread = |first: &str| {
            forget();
            std::thread::scope(|scope| {
                let run = || {
                    own.count(first);
                    timed(&|| own.count(text) as usize)
                };
                scope.spawn(run).join().expect("no panic")
            })
        };
        // Each on a fresh thread, as on a pool: tiktoken-rs keeps its fast path
        // for the first thread of a process, which is no server's.
        let fresh = |work: &(dyn Fn() -> usize + Sync)| {
            std::thread::scope(|scope| scope.spawn(|| timed(work)).join().expect("no panic"))
        };
        theirs.0.push(fresh(&|| bpe.encode_ordinary(text).len()));
        unseen.0.push(on_warm_thread(other));
        forget();
        cold.0.push(fresh(&|| own.count(text) as usize));
        warm.0.push(on_warm_thread(text));
        exit.0.push(timed(&|| usize::from(own.count_up_to(text, 2_000).is_some())));
    }
    println!("\ncounting {:.2} MB, one thread", mb(text.len()));
    println!("  tiktoken-rs        {theirs}  {:6.1} MB/s", mb(text.len()) / theirs.seconds());
    for (what, times) in
        [("cold thread", &cold), ("other text before", &unseen), ("same text before", &warm)]
    {
        println!(
            "  {what:<18} {times}  {:6.1} MB/s  {:5.1} x tiktoken-rs",
            mb(text.len()) / times.seconds(),
            theirs.over(times)
        );
    }
    println!("  above 2,000 tokens? {exit}, {:.0} x a full count", warm.seconds() / exit.seconds());
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn timed(work: &dyn Fn() -> usize) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn take<T>(&mut self, work: impl FnOnce() -> T) {
        let start = Instant::now();
        std::hint::black_box(work());
        self.0.push(start.elapsed());
    }

    /// The median.
    fn seconds(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted[sorted.len() / 2].as_secs_f64()
    }
}

impl Times {
    /// How many times as long these took as the others: round by round, since a
    /// machine is now faster and now slower, and of that the median.
    fn over(&self, others: &Times) -> f64 {
        let rounds = self.0.iter().zip(&others.0);
        let mut ratios: Vec<f64> = rounds.map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[ratios.len() / 2]
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:8.3} ms", self.seconds() * 1e3)
    }
}
