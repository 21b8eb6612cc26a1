//! The memory of the process: at rest, and after histories of three lengths. Each has a process
//! of its own.

use std::process::Command;

use serde_json::{Value, json};

use crate::served::Served;
use crate::skips::{shared, skipped};

/// Most memory at rest, in MiB.
const AT_REST: u64 = 25;
/// Most memory when a history of `../shared/bench` was answered, in MiB: 95,000, 300,000 and a
/// million tokens.
const AFTER: [(&str, u64); 3] = [("h50", 40), ("h500", 50), ("h2000", 85)];
/// Most memory of the command that counts one line, in MiB.
const COUNT: u64 = 20;
/// The least that the pages of the program itself take of each, in MiB. Without optimisation a
/// program is several times as large, and its heap larger too, so this is assumed in their place.
const PROGRAM: u64 = 8;

fn start() -> Served {
    let served = Served::start(tempfile::tempdir().unwrap(), &[]);
    served.wait_for("/readyz", "ready\"");
    served
}

/// The resident memory in MiB, rounded up.
fn resident(served: &Served) -> u64 {
    if cfg!(debug_assertions) {
        return served.memory_kib("RssAnon").div_ceil(1024) + PROGRAM;
    }
    served.memory_kib("VmRSS").div_ceil(1024)
}

#[test]
fn little_memory_at_rest() {
    let served = start();
    // The first count loads the tables.
    let body = json!({"messages": [{"role": "user", "content": "hello world"}]});
    let (status, answer) = served.post("/count_tokens", &body);
    assert_eq!(status, 200, "{answer}");
    let resident = resident(&served);
    assert!(resident <= AT_REST, "{resident} MiB at rest");
}

#[test]
fn little_memory_after_long_histories() {
    for (name, most) in AFTER {
        let Some(path) = shared(&format!("bench/{name}.json")) else { return };
        let messages: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let served = start();
        let body = json!({"messages": messages, "store_dir": "store"});
        let (status, answer) = served.post("/context_offload", &body);
        assert_eq!(status, 200, "{answer}");
        let resident = resident(&served);
        assert!(resident <= most, "{resident} MiB after {name}");
    }
}

#[test]
fn little_memory_to_count_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let history = folder.path().join("history.json");
    std::fs::write(&history, r#"[{"role": "user", "content": "hello world"}]"#).unwrap();
    let wait = "import os, sys\n\
        pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)\n\
        _, status, usage = os.wait4(pid, 0)\n\
        print(status, usage.ru_maxrss)";
    let program = env!("CARGO_BIN_EXE_unburden");
    let run = Command::new("python3").args(["-c", wait, program, "count"]).arg(history).output();
    let Ok(run) = run else { return skipped("python3 is not installed") };
    let said = String::from_utf8(run.stdout).unwrap();
    let figures = said.lines().last().and_then(|line| line.split_once(' '));
    let Some(("0", kib)) = figures else { panic!("{said}") };
    let mib = kib.parse::<u64>().unwrap().div_ceil(1024);
    // Without optimisation the program's own pages are many, and not told apart here.
    assert!(cfg!(debug_assertions) || mib <= COUNT, "{mib} MiB");
}
