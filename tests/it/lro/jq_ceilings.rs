//! The ceilings of a worker, met: what the system says of a worker while it runs, and what a
//! filter that asks for too much is told.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use query_sandbox::{Job, JqError, Limits, WorkerError, Workers};

const MIB: u64 = 1024 * 1024;
/// Longest wait for a worker to be seen.
const WAIT: Duration = Duration::from_secs(60);

/// Runs a filter, and meanwhile `look` over its worker's folder of `/proc`. Workers know their
/// memory from their command line: `memory_bytes` must be no other test's.
fn watched(
    filter: &str,
    (deadline, memory_bytes): (Duration, u64),
    mut look: impl FnMut(&Path),
) -> JqError {
    let limits = Limits { deadline, memory_bytes, ..Limits::default() };
    let jq = Workers::new(env!("CARGO_BIN_EXE_unburden").into(), limits);
    std::thread::scope(|scope| {
        let run = scope.spawn(|| jq.run(&Job::new(filter), "1\n").unwrap_err());
        let mut worker = None;
        while !run.is_finished() {
            if worker.is_none() {
                worker = worker_with(memory_bytes);
            }
            if let Some(worker) = &worker {
                look(worker);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(worker.is_some(), "no worker was seen");
        run.join().unwrap()
    })
}

fn worker_with(memory_bytes: u64) -> Option<PathBuf> {
    let argument = format!("\0{memory_bytes}\0");
    let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let is_worker = |process: &PathBuf| {
        let line = std::fs::read_to_string(process.join("cmdline"));
        line.is_ok_and(|line| line.contains(&argument))
    };
    all.filter(|path| path.join("cmdline").exists()).find(is_worker)
}

/// The soft limits of a process, by name.
fn limit(worker: &Path, name: &str) -> Option<String> {
    let limits = std::fs::read_to_string(worker.join("limits")).ok()?;
    let line = limits.lines().find(|line| line.starts_with(name))?;
    line[name.len()..].split_whitespace().next().map(str::to_owned)
}

/// Bytes that are a process's own, as the watch of the worker counts them.
fn own_bytes(worker: &Path) -> u64 {
    let sizes = std::fs::read_to_string(worker.join("statm")).unwrap_or_default();
    let mut pages = sizes.split(' ').skip(1).map(|pages| pages.parse::<u64>().unwrap());
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared) * rustix::param::page_size() as u64
}

/// The processor's time that a process has used.
fn cpu_time(worker: &Path) -> Duration {
    let stat = std::fs::read_to_string(worker.join("stat")).unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let ticks: u64 = fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second())
}

#[test]
fn a_worker_may_open_write_and_start_nothing() {
    let memory = 200 * MIB + 1;
    let mut seen = Vec::new();
    let error = watched("until(false; .)", (Duration::from_secs(1), memory), |worker| {
        // It lowers them one after the other, this one last.
        if seen.is_empty() && limit(worker, "Max processes").as_deref() == Some("0") {
            let names = ["Max file size", "Max open files", "Max core file size", "Max cpu time"];
            seen.extend(names.map(|name| limit(worker, name)));
            let space = limit(worker, "Max address space").unwrap();
            // Above what was mapped at the start, and bounded.
            assert!(
                (memory..memory + 64 * 1024 * MIB).contains(&space.parse().unwrap()),
                "{space}"
            );
        }
    });
    assert!(matches!(error, JqError::Worker(WorkerError::Deadline { ms: 1_000 })), "{error}");
    // Its own limit of time is for a worker whose parent is gone.
    assert_eq!(seen, ["0", "0", "0", "3"].map(|limit| Some(limit.to_owned())));
}

#[test]
fn a_worker_ends_with_its_deadline() {
    let mut used = Duration::ZERO;
    let limits = (Duration::from_millis(1_500), 200 * MIB + 2);
    let start = Instant::now();
    let error = watched("until(false; .)", limits, |worker| used = used.max(cpu_time(worker)));
    assert!(matches!(error, JqError::Worker(WorkerError::Deadline { ms: 1_500 })), "{error}");
    assert!(start.elapsed() >= limits.0 && start.elapsed() < WAIT, "{:?}", start.elapsed());
    assert!(used > Duration::ZERO && used < Duration::from_millis(2_300), "it worked for {used:?}");
}

#[test]
fn a_worker_meets_the_ceiling_of_its_memory() {
    for (number, filter) in
        ["[range(1e9)] | length", "[limit(1e9; repeat([1, 2]))]"].iter().enumerate()
    {
        let memory = 64 * MIB + 1 + number as u64;
        let mut most = 0;
        let error = watched(filter, (WAIT, memory), |worker| most = most.max(own_bytes(worker)));
        assert!(
            matches!(error, JqError::Worker(WorkerError::Memory { bytes }) if bytes == memory),
            "{filter}: {error}"
        );
        // It is looked at every few milliseconds, and fills some megabytes in them.
        assert!(most > 0 && most < memory + 40 * MIB, "{filter}: {} MiB of 64", most / MIB);
    }
}
