//! How it ends: with its client, with its server, when it is told to.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, WAIT, WAYS, Way, refused};

#[test]
fn a_server_that_dies_leaves_no_request_without_an_answer() {
    let mut client = Client::new(Way::Child, &[], &[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":30}}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"slow","arguments":{"seconds":30}}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"text"}}"#);
    assert!(client.answer("3").contains("(detailed result is stored in "));
    client.send(r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"die"}}"#);
    for id in ["1", "\"two\"", "4"] {
        let answer: Value = serde_json::from_str(&client.answer(id)).unwrap();
        assert_eq!(answer["error"]["code"], -32000);
        assert_eq!(answer["error"]["message"], "the server ended (exit status: 3)");
    }
    assert_eq!(client.status(), Some(1));
    assert!(client.stderr().contains("error: the server ended (exit status: 3)"));
}

/// What was asked before the end of the input is answered, then the server hears of
/// the end.
#[test]
fn the_end_of_the_input_ends_it_in_order() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":1}}}"#);
        assert_eq!(client.end(), Some(0));
        assert!(client.answer("1").contains("(detailed result is stored in "), "{way:?}");
        if way == Way::Child {
            assert_eq!(client.log().pop().unwrap(), json!({"ended": true}));
        }
    }
    let mut silent = Client::silent(Way::Child, &[], &[]);
    assert_eq!(silent.end(), Some(0));
}

/// A server that does not end with its input is ended, and what it started too.
#[test]
fn no_server_outlives_it() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!("echo $$ >> {0}; sleep 600 & echo $! >> {0}; wait", pids.display());
    let (status, said) = refused(&["--", "sh", "-c", &script]);
    assert_eq!(status, Some(0), "{said}");
    let pids = std::fs::read_to_string(pids).unwrap();
    assert_eq!(pids.lines().count(), 2);
    // One that nobody has looked after yet is a zombie, `Z`.
    let alive = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    let over = Instant::now() + WAIT;
    while pids.lines().any(alive) {
        assert!(Instant::now() < over, "still alive after {WAIT:?}: {pids}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_signal_ends_it() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":30}}}"#);
        client.received("slow");
        client.terminate();
        assert_eq!(client.status(), Some(0), "{way:?}");
    }
}

/// A client that closes the pipe of the answers has ended.
#[test]
fn a_client_that_reads_no_more_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(["proxy", "--output-dir", "files", "--", "cat"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = proxy.stdin.take().unwrap();
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
    input.write_all(line.as_bytes()).unwrap();
    let mut answers = BufReader::new(proxy.stdout.take().unwrap());
    answers.read_line(&mut String::new()).unwrap();
    drop(answers);
    let over = Instant::now() + WAIT;
    while proxy.try_wait().unwrap().is_none() {
        assert!(Instant::now() < over, "it did not end within {WAIT:?}");
        // The pipe to a proxy that has ended is closed, too.
        let _ = input.write_all(line.as_bytes());
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = proxy.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}
