//! Writing: the time until a result of a few hundred records is a file.

use record_files::{find, schema};
use unburden::config::DurabilityConfig;

use crate::corpus::Corpus;
use crate::parts;
use crate::place::{Place, body};
use crate::times::Times;

const ROUNDS: usize = 60;

/// The median time to write a file in the paper (`lro-paper.txt`, E1).
const PUBLISHED_MS: f64 = 23.9;

pub(crate) fn run(corpus: &Corpus) {
    let places = [DurabilityConfig::Sync, DurabilityConfig::Relaxed].map(Place::new);
    let mut whole = [Times::default(), Times::default()];
    let (mut again, mut all_recipes, mut one_recipe) =
        (Times::default(), Times::default(), Times::default());
    let found = find::records_of_array(&corpus.results).expect("an array");
    let lines: Vec<&str> = found.records().collect();
    let schema = schema::infer(lines.iter().copied());
    let mut plain = [Times::default(), Times::default()];
    for round in 0..ROUNDS {
        // A query of its own makes each result another one, and its file new.
        let body = body(&corpus.results, "full", &format!("round {round}"));
        for (place, times) in places.iter().zip(&mut whole) {
            times.take(|| place.offload(&body));
        }
        again.take(|| places[0].offload(&body));
        all_recipes.take(|| parts::tried(&schema, &lines, usize::MAX));
        one_recipe.take(|| parts::tried(&schema, &lines[..1], 1));
        for (synced, times) in plain.iter_mut().enumerate().map(|(at, times)| (at == 0, times)) {
            let path = places[usize::from(!synced)].real(&format!("plain_{round}"));
            times.take(|| {
                let file = parts::write(&path, corpus.results.as_bytes());
                if synced {
                    file.sync_all().expect("the disk can be synced");
                }
            });
        }
    }
    println!(
        "\n3. FILE WRITE: {} records, {:.0} KB, {ROUNDS} times, each a new file\n",
        corpus.n,
        corpus.results.len() as f64 / 1e3
    );
    println!("   {:<58} {:>8} {:>8} {:>8}", "ms", "best", "median", "p95");
    let [synced, relaxed] = &whole;
    let [plain_synced, plain_relaxed] = &plain;
    for (what, times) in [
        ("/offload_result, request to descriptor, synced", synced),
        ("/offload_result, request to descriptor, relaxed", relaxed),
        ("/offload_result, the same result again", &again),
        ("  of it: all recipes tried in the jq worker", &all_recipes),
        ("  one recipe on one record: the worker's start and end", &one_recipe),
        ("a plain write of the same bytes, file synced", plain_synced),
        ("a plain write of the same bytes, not synced", plain_relaxed),
    ] {
        let (best, median, p95) = (times.best_ms(), times.median_ms(), times.p95_ms());
        println!("   {what:<58} {best:>8.2} {median:>8.2} {p95:>8.2}");
    }
    println!(
        "   {:<58} {:>8} {PUBLISHED_MS:>8.1}",
        "PUBLISHED by the paper: file write alone, other hardware", ""
    );
    println!(
        "   published write / our whole call, synced: {:.1} x",
        PUBLISHED_MS / synced.median_ms()
    );
}
