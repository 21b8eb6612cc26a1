//! Any pattern over lines of every kind: compiled and searched within its time, and
//! what it finds is what the pattern matches of each line by itself (I18).

use std::fs;
use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::place::{Place, Said};

/// The service's own limit, and what the processor may need beyond it: a pattern is
/// compiled before its time runs, and the program is built with checks.
const DEADLINE_MS: u64 = 500;
const BEYOND: Duration = Duration::from_secs(4);

/// The reference's limit: patterns that need more are refused by the service.
const SIZE: usize = 1 << 20;

thread_local! {
    static SEARCHED: Place = searched();
}

/// The lines that are searched; no carriage return, at which lines may end for `$`.
fn lines() -> Vec<String> {
    let mut lines: Vec<String> = [
        "",
        " ",
        "a",
        "A",
        "aaaa",
        "error: cannot find value `x`",
        "E0308 at src/lib.rs:12:5",
        "tool1 tool1",
        "Ünïcode ſtraße 中文 😀",
        "\u{0}nul",
        "tab\there",
        "(a|b)*[c]{2}\\d^$.",
        "word_word-word",
        "0123456789",
        "http://localhost:8080/x?y=1#z",
        "end",
    ]
    .map(str::to_owned)
    .to_vec();
    lines.push("ab".repeat(3_000));
    lines.push(format!("{}!", "a".repeat(20_000)));
    lines
}

fn searched() -> Place {
    let place = Place::with(|config, _| config.reload.grep_deadline_ms = DEADLINE_MS);
    let text = lines().join("\n") + "\n";
    fs::write(place.path("lines.txt"), text).expect("a folder for temporary files");
    place
}

pub(crate) fn run(data: &[u8]) {
    let Some((flags, pattern)) = data.split_first() else { return };
    let Ok(pattern) = std::str::from_utf8(pattern) else { return };
    let (ignore_case, literal) = (flags & 1 != 0, flags & 2 != 0);
    let body = json!({
        "pattern": pattern, "path": "/workspace/lines.txt", "ignore_case": ignore_case,
        "literal": literal, "context": flags >> 4
    });
    SEARCHED.with(|place| {
        let start = on_processor();
        let answer = place.service.grep(body.to_string().as_bytes());
        let took = on_processor().saturating_sub(start);
        assert!(took < Duration::from_millis(DEADLINE_MS) + BEYOND, "{pattern:?} took {took:?}");
        let Ok(answer) = answer else { return };
        let said = Said::of(answer);
        let source = if literal { regex::escape(pattern) } else { pattern.to_owned() };
        let whole = said.metadata["truncated"] == false;
        if let Some(expected) = compiled(&source, ignore_case).filter(|_| whole) {
            assert_eq!(found(&said), of_each_line(&expected), "{pattern:?}");
        }
    });
}

/// What this thread has had of the processor: on a busy machine a clock says nothing.
fn on_processor() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let spent = stat.split(' ').next().and_then(|spent| spent.parse().ok());
    Duration::from_nanos(spent.unwrap_or_default())
}

fn compiled(source: &str, ignore_case: bool) -> Option<Regex> {
    let mut builder = RegexBuilder::new(source);
    builder.case_insensitive(ignore_case).multi_line(true).size_limit(SIZE);
    builder.build().ok()
}

fn found(said: &Said) -> Vec<u64> {
    let matches = said.metadata["matches"].as_array().into_iter().flatten();
    matches.filter_map(|one: &Value| one["line"].as_u64()).collect()
}

fn of_each_line(pattern: &Regex) -> Vec<u64> {
    let matches = |(_, line): &(u64, String)| pattern.is_match(line.as_bytes());
    (1..).zip(lines()).filter(matches).map(|(number, _)| number).collect()
}
