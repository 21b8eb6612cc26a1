//! The order of the write protocol (I2), as the system saw it: a file is synced before it is
//! published, and its folder, with every folder made on the way to it, before the answer.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use crate::skips::skipped;

/// A call of the system that succeeded, with the lines of the trace at which it began and
/// ended.
#[derive(Debug)]
struct Call {
    name: String,
    arguments: String,
    begin: usize,
    end: usize,
}

impl Call {
    /// The folder and the name that a rename gives a file.
    fn published(&self) -> Option<(&str, &str)> {
        let (_, to) = self.arguments.rsplit_once(">, \"")?;
        let folder = self.arguments.rsplit_once(">, \"")?.0.rsplit_once('<')?.1;
        self.name.starts_with("rename").then_some((folder, to.split_once('"')?.0))
    }

    /// The path of a private file that a rename publishes.
    fn private(&self) -> Option<String> {
        let (folder, rest) = self.arguments.split_once('<')?.1.split_once(">, \"")?;
        Some(format!("{folder}/{}", rest.split_once('"')?.0))
    }

    fn syncs(&self, path: &str) -> bool {
        ["fsync", "fdatasync"].contains(&self.name.as_str())
            && self.arguments.ends_with(&format!("<{path}>"))
    }
}

/// The calls of a trace of several threads; one that another thread interrupts is told in two
/// lines.
fn calls(trace: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, (usize, &str)> = HashMap::new();
    let mut calls = Vec::new();
    for (at, line) in trace.lines().enumerate() {
        let (thread, told) = line.split_once(' ').unwrap();
        let told = told.trim_start();
        let (begin, told, result) = if let Some(first) = told.strip_suffix(" <unfinished ...>") {
            begun.insert(thread, (at, first));
            continue;
        } else if told.starts_with("<... ") {
            let Some((begin, first)) = begun.remove(thread) else { continue };
            (begin, first, told.rsplit_once("= "))
        } else {
            let Some((call, result)) = told.rsplit_once("= ") else { continue };
            (at, call.trim_end().trim_end_matches(')'), Some((call, result)))
        };
        let Some((name, arguments)) = told.split_once('(') else { continue };
        if result.is_some_and(|(_, result)| !result.starts_with('-')) {
            let (name, arguments) = (name.to_owned(), arguments.to_owned());
            calls.push(Call { name, arguments, begin, end: at });
        }
    }
    calls
}

/// Offloads the example under a trace, to a store whose folders are to be made; the calls that
/// came before the answer, and the root. None without strace.
fn traced(folder: &Path, durability: &str) -> Option<(Vec<Call>, String)> {
    let (root, trace) = (folder.join("root"), folder.join("trace"));
    std::fs::create_dir(&root).unwrap();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/history.json");
    let traced = Command::new("strace")
        .args(["-f", "-y", "-o"])
        .arg(&trace)
        .args(["-e", "trace=fsync,fdatasync,rename,renameat,renameat2,mkdir,mkdirat,write"])
        .arg(env!("CARGO_BIN_EXE_unburden"))
        .args(["offload", example, "--store-dir", "./a/b/store", "--root", "."])
        .env("UNBURDEN_STORE__DURABILITY", durability)
        .current_dir(&root)
        .output();
    let Ok(output) = traced else {
        skipped("there is no strace");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut calls = calls(&std::fs::read_to_string(&trace).unwrap());
    let answers = |call: &Call| call.name == "write" && call.arguments.starts_with("1<");
    let answer = calls.iter().find(|call| answers(call)).unwrap().begin;
    calls.retain(|call| call.end < answer);
    Some((calls, root.canonicalize().unwrap().display().to_string()))
}

/// Everything that was given out before it was on the disk, and how much was looked at.
fn unsynced(calls: &[Call], root: &str) -> (Vec<String>, usize) {
    let store = format!("{root}/a/b/store");
    let synced = |path: &str, after: usize, before: usize| {
        calls.iter().any(|call| call.syncs(path) && call.begin > after && call.end < before)
    };
    let (mut faults, mut seen) = (Vec::new(), 0);
    for call in calls {
        let Some((folder, name)) = call.published() else { continue };
        // Records and clocks of the private folder may be lost: they cost a look.
        if folder == store || name == "key" {
            seen += 1;
            let private = call.private().unwrap();
            if !synced(&private, 0, call.begin) {
                faults.push(format!("{name} was published before it was synced"));
            }
            if !synced(folder, call.end, usize::MAX) {
                faults.push(format!("{name} was given out before its folder was synced"));
            }
        }
    }
    for (folder, made) in [("", "a"), ("/a", "b"), ("/a/b", "store")] {
        seen += 1;
        let folder = format!("{root}{folder}");
        let is_made = format!("<{folder}>, \"{made}\"");
        let call = calls.iter().find(|call| call.arguments.contains(&is_made)).unwrap();
        if !synced(&folder, call.end, usize::MAX) {
            faults.push(format!("{folder} was not synced after {made} was made in it"));
        }
    }
    (faults, seen)
}

#[test]
fn files_are_synced_before_they_are_published_and_folders_before_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let Some((calls, root)) = traced(folder.path(), "sync") else { return };
    let (faults, seen) = unsynced(&calls, &root);
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(seen >= 10, "{seen} files and folders");
}

/// The control: without syncs the same look finds the files' faults.
#[test]
fn a_store_that_trusts_the_cache_is_seen_to() {
    let folder = tempfile::tempdir().unwrap();
    let Some((calls, root)) = traced(folder.path(), "relaxed") else { return };
    let (faults, seen) = unsynced(&calls, &root);
    assert!(faults.len() >= seen, "{} of {seen}: {faults:#?}", faults.len());
}
