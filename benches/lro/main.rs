//! `cargo bench --bench lro`: what leaves the context as a file of records, what
//! comes back, and how fast: tasks in the manner of the paper on large result
//! offloading, answered through the service; then speed.
//!
//! Ratios are of one run, interleaved, and hold on any machine; milliseconds do not.

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a bench prints what it measures, and its numbers are small"
)]

mod corpus;
mod parts;
mod place;
mod speed;
mod task;
mod tasks;
mod times;
mod write;

/// As in the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    // `cargo test --benches` asks every bench to run as a test; there is nothing to test.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let start = std::time::Instant::now();
    token_count::warm_up();
    let corpora = corpus::all();
    tasks::run(&corpora);
    if let Some(largest) = corpora.iter().max_by_key(|corpus| corpus.n) {
        speed::run(largest);
    }
    if let Some(middle) = corpora.iter().find(|corpus| corpus.n >= 200) {
        write::run(middle);
    }
    println!("\n{:.0} s in all", start.elapsed().as_secs_f64());
}
