//! Speed: offloads and queries the largest corpus, and compares with jq and plain parsing.

use std::path::Path;
use std::process::{Command, Stdio};

use raw_json as raw;
use record_files::file;
use record_files::query::{self, Query};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use unburden::config::DurabilityConfig;

use crate::corpus::Corpus;
use crate::parts;
use crate::place::{Place, body};
use crate::task::{Filter, Way, number};
use crate::times::{Table, Times};

const OFFLOADS: usize = 5;
const QUESTIONS: usize = 7;

pub(crate) fn run(corpus: &Corpus) {
    let mb = corpus.results.len() as f64 / 1e6;
    println!(
        "\n2. SPEED: {} records, {mb:.1} MB, {} threads; interleaved, {OFFLOADS} and {QUESTIONS} rounds",
        corpus.n,
        rayon::current_num_threads()
    );
    let place = offloading(corpus, mb);
    asking(corpus, &place, mb);
}

/// Offloads into one folder after the other, measures the parts in between, and returns the last
/// place.
fn offloading(corpus: &Corpus, mb: f64) -> Place {
    let spaced = body(&corpus.results, "full", "all");
    let compact = body(&raw::canonical(&corpus.results), "full", "compact");
    let (mut whole, mut steps) = (Table::default(), Table::default());
    // Folders stay until the end: to delete is work for the disk, too.
    let mut places = Vec::new();
    for _ in 0..OFFLOADS {
        let synced = Place::new(DurabilityConfig::Sync);
        whole.take("synced", || synced.offload(&spaced));
        let relaxed = Place::new(DurabilityConfig::Relaxed);
        whole.take(RELAXED, || relaxed.offload(&spaced));
        whole.take("the same again: nothing to write", || relaxed.offload(&spaced));
        whole.take("relaxed, no white space between records", || relaxed.offload(&compact));
        parts::of_offloading(&spaced, &relaxed, &mut steps);
        places.extend([synced, relaxed]);
    }
    println!("\n   /offload_result, request to descriptor (a line feed between records)");
    print(&whole, mb, None);
    println!("\n   its steps alone, one after the other (share: of the relaxed call)");
    print(&steps, mb, whole.of(RELAXED));
    places.pop().expect("there was a round")
}

const RELAXED: &str = "relaxed";

fn print(table: &Table, mb: f64, whole: Option<&Times>) {
    let title = if whole.is_some() { "share" } else { "" };
    println!("   {:<46} {:>9} {:>9} {:>8} {title:>7}", "ms", "best", "median", "MB/s");
    for (name, times) in &table.0 {
        let (best, median) = (times.best_ms(), times.median_ms());
        let share = |whole: &Times| format!("{:>5.0} %", median * 100.0 / whole.median_ms());
        let share = whole.map(share).unwrap_or_default();
        println!("   {name:<46} {best:>9.1} {median:>9.1} {:>8.0} {share}", mb / median * 1e3);
    }
}

const WHERE: &str = "where, lro_extract (file read included)";
const IN_PROCESS: &str = "where, query::run on text in memory";
const WORKER: &str = "jq, lro_extract (worker)";
const WORKER_SLURP: &str = "jq with slurp, lro_extract (worker)";
const SYSTEM: &str = "system: tail | jq select(…)";
const SYSTEM_SLURP: &str = "system: tail | jq -s map(select(…)) | length";
const VALUE: &str = "each line into serde_json::Value";
const IGNORED: &str = "each line into IgnoredAny";

/// Measures the same three predicates in every way.
fn asking(corpus: &Corpus, place: &Place, mb: f64) {
    let path = place.offload(&body(&corpus.results, "full", "all")).path;
    let Some(filter) = corpus.tasks.aggregate_filter.first() else { return };
    let content = std::fs::read_to_string(place.real(&path)).expect("the file is there");
    let lines = file::split(&content).expect("a file of records").body();
    let question = json!({"where": filter.condition(), "count": true}).to_string();
    let query = Query::parse(&raw::fields(&question).expect("an object")).expect("valid");
    let (mut table, mut steps) = (Table::default(), Table::default());
    let mut found = Vec::new();
    for _ in 0..QUESTIONS {
        for (name, way) in
            [(WHERE, Way::Where), (WORKER, Way::JqEach), (WORKER_SLURP, Way::JqSlurp)]
        {
            let call = filter.call(way, &path);
            let said = table.take(name, || place.ask(&call));
            found.push(number(&said, way));
        }
        let outcome = table.take(IN_PROCESS, || query::run(&query, lines, &|| false));
        found.push(outcome.ok().map(|outcome| outcome.matched));
        table.take(VALUE, || {
            lines.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()).count()
        });
        table.take(IGNORED, || {
            lines.lines().filter_map(|l| serde_json::from_str::<IgnoredAny>(l).ok()).count()
        });
        parts::of_asking(&place.real(&path), &query, &mut steps);
        found.extend(system(filter, &place.real(&path), &mut table));
    }
    println!("\n   three predicates over the file (the last columns: times slower than where)");
    println!(
        "   {:<46} {:>9} {:>9} {:>8} {:>8} {:>8}",
        "ms", "best", "median", "MB/s", "by best", "median"
    );
    for name in [WHERE, IN_PROCESS, WORKER, WORKER_SLURP, SYSTEM, SYSTEM_SLURP, VALUE, IGNORED] {
        let (Some(times), Some(base)) = (table.of(name), table.of(WHERE)) else {
            println!("   {name:<46} (no /usr/bin/jq)");
            continue;
        };
        let (best, median) = (times.best_ms(), times.median_ms());
        let (by_best, by_median) = (best / base.best_ms(), median / base.median_ms());
        println!(
            "   {name:<46} {best:>9.1} {median:>9.1} {:>8.0} {by_best:>7.1}x {by_median:>7.1}x",
            mb / median * 1e3
        );
    }
    let same = found.iter().all(|found| *found == Some(filter.answer));
    println!("   all {} answers are {}: {same}", found.len(), filter.answer);
    println!("\n   the steps of where alone (share: of the whole question)");
    print(&steps, mb, table.of(WHERE));
}

/// Measures the jq of the system once in each way, if there is one.
fn system(filter: &Filter, file: &Path, table: &mut Table) -> Vec<Option<u64>> {
    let jq = Path::new("/usr/bin/jq");
    if !jq.exists() {
        return Vec::new();
    }
    let select = filter.select();
    let each = table.take(SYSTEM, || piped(file, jq, &["-c", &select]));
    let all = format!("map({select}) | length");
    let slurped = table.take(SYSTEM_SLURP, || piped(file, jq, &["-s", &all]));
    vec![
        each.map(|out| out.lines().count() as u64),
        slurped.and_then(|out| out.trim().parse().ok()),
    ]
}

/// Returns the output of `tail -n +2 FILE | jq …`.
fn piped(file: &Path, jq: &Path, arguments: &[&str]) -> Option<String> {
    let mut tail =
        Command::new("tail").args(["-n", "+2"]).arg(file).stdout(Stdio::piped()).spawn().ok()?;
    let output = Command::new(jq).args(arguments).stdin(tail.stdout.take()?).output().ok()?;
    tail.wait().ok()?;
    String::from_utf8(output.stdout).ok()
}
