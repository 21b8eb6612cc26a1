//! The parts of large results, each by itself: records in texts, schema and
//! recipes, conditions, and jq – on real data, on random data, on hostile data, and
//! compared with the system's own jq.

mod jq_ceilings;
mod jq_filters;
mod jq_hostile;
mod jq_same_as_jq;
mod query_elements;
mod query_hostile;
mod query_same_as_jq;
mod query_tasks;
mod query_types;
mod random;
mod records;
mod records_random;
mod schema;
mod schema_hostile;
mod sql_hostile;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::skips::skipped;

/// What jq on this machine says: its output, or what it complained of. None where
/// there is no jq 1.6, and a line that says so.
pub(crate) fn system_jq(arguments: &[&str], input: &str) -> Option<Result<String, String>> {
    static VERSION: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let output = Command::new("jq").arg("--version").output();
        output.map(|output| output.stdout).unwrap_or_default()
    });
    if !VERSION.starts_with(b"jq-1.6") {
        skipped("there is no jq 1.6");
        return None;
    }
    let mut child = Command::new("jq")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // It may stop reading; what it says then is the answer.
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    });
    Some(match output.stderr.is_empty() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}
