//! Links, pipes, sockets and devices: `grep` skips them, and a query that names one is refused.

use std::path::Path;
use std::time::Duration;

use cap_std::{ambient_authority, fs::Dir};

use super::{Store, lines, pattern, quarter};
use crate::reading::error::ReloadError;
use crate::reading::grep;
use crate::reading::read_file::{self, read_file};
use crate::reading::target::Target;

#[test]
fn special_files_and_ways_out_are_passed_over() {
    let outside = Store::with(&[("secret", b"secret fox\n"), ("in/secret", b"secret fox\n")]);
    let store = Store::with(&[("a.txt", b"fox\n")]);
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, store.path(name)).unwrap();
    link(&outside.path("secret"), "out");
    link(&outside.path("in"), "outdir");
    link(Path::new("a.txt"), "inside");
    link(Path::new("."), "circle");
    link(Path::new("loop"), "loop");
    let fifo = store.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(store.path("socket")).unwrap();

    let answer = store.grep(&pattern("fox"));
    assert_eq!((answer.matches.len(), answer.files_searched), (1, 1));
    assert_eq!((answer.truncated, answer.files_skipped), (None, 0));

    let outcome = |path: &str| {
        let grepped = store.grep_in(path, &pattern("fox"), &grep::Limits::default());
        let read = store.read(path, &lines(0, None));
        let kind = |error: ReloadError| match error {
            ReloadError::NotFound { .. } => "not found",
            ReloadError::NotAFile { .. } => "not a file",
            other => panic!("{other}"),
        };
        (grepped.map_or_else(kind, |_| "found"), read.map_or_else(kind, |_| "found"))
    };
    for path in ["fifo", "socket"] {
        assert_eq!(outcome(path), ("not a file", "not a file"), "{path}");
    }
    for path in [
        "out",
        "outdir",
        "outdir/secret",
        "loop",
        "../x",
        "/etc/passwd",
        "a.txt/b",
        "nul\0byte",
        "missing",
    ] {
        assert_eq!(outcome(path), ("not found", "not found"), "{path}");
    }
    let long_name = "n".repeat(5000);
    assert_eq!(outcome(&long_name), ("not found", "not found"));
    assert_eq!(outcome("inside"), ("found", "found"));
    assert_eq!(outcome("."), ("found", "not a file"));
    let devices = Dir::open_ambient_dir("/dev", ambient_authority()).unwrap();
    let target = Target::local(&devices, Path::new("zero"), "/dev/zero");
    assert!(matches!(
        read_file(&target, &lines(0, None), &read_file::Limits::default(), &quarter),
        Err(ReloadError::NotAFile { .. })
    ));
}

#[test]
fn a_file_that_outlasts_the_time_is_refused() {
    let store = Store::golden();
    let limits = read_file::Limits { deadline: Duration::ZERO, ..Default::default() };
    let refused = store.read_within("a.txt", &lines(0, Some(1)), &limits);
    assert!(matches!(refused, Err(ReloadError::TooSlow { .. })), "{refused:?}");
}
