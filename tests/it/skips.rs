//! Skips: tests that this machine cannot run. The harness hides what a passing test prints, so
//! a skip is written past it, and `tests/run` lists all of them at its end. Where `CI` is set
//! a missing tool fails the test; only the data of `../shared` may be absent there.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Skips a test for want of a tool.
pub(crate) fn skipped(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "CI skips nothing, but {why}");
    say(why);
}

/// The path of a file or folder of `../shared`; None, and a line that says so, where it is
/// absent.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if !path.exists() {
        say(&format!("../shared/{name} is absent"));
        return None;
    }
    Some(path)
}

/// The entries of a folder of `../shared`, in order, at least one; None where it is absent.
pub(crate) fn shared_entries(name: &str) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(shared(name)?).unwrap().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "../shared/{name} is empty: nothing is tested");
    Some(paths)
}

/// Says a test's reason once.
fn say(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a test"));
    if !SAID.lock().unwrap().insert(line.clone()) {
        return;
    }
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    if let Some(list) = std::env::var_os("SKIPPED_TESTS") {
        let mut list = std::fs::File::options().append(true).create(true).open(list).unwrap();
        list.write_all(line.as_bytes()).unwrap();
    }
}
