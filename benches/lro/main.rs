//! `cargo bench --bench lro`: correctness, tokens and speed of files of records. Tasks like those
//! of the paper on large result offloading are answered through the service; then the speed is
//! measured.
//!
//! Ratios are measured interleaved and are valid on any machine; milliseconds are not.

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

/// The allocator of the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    // `cargo test --benches` runs every bench as a test; there is nothing to test.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let start = std::time::Instant::now();
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
