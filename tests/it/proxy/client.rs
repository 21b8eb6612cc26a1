//! The client of the tests: lines in, lines out, and what the server logged.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use raw_json as raw;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest wait for a line.
pub(super) const WAIT: Duration = Duration::from_secs(60);
const UPSTREAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/proxy/upstream.py");

/// How the proxy reaches the scripted server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Child,
    /// Answers are JSON, on more than one line.
    Json,
    /// Answers are streams of events.
    Events,
}

pub(super) const WAYS: [Way; 3] = [Way::Child, Way::Json, Way::Events];

/// A proxy and the server behind it; both are killed when this goes out of scope.
pub(super) struct Client {
    proxy: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    passed: RefCell<Vec<String>>,
    server: Option<Child>,
    pub(super) folder: TempDir,
}

impl Client {
    /// Begins a session.
    pub(super) fn new(way: Way, flags: &[&str], options: &[&str]) -> Client {
        let mut client = Client::silent(way, flags, options);
        let id = client.initialize();
        assert!(client.answer(&id).contains("2025-11-25"));
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    pub(super) fn initialize(&mut self) -> String {
        self.send(
            r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"tests","version":"1.10","odd":1.10}}}"#,
        );
        "\"first\"".to_owned()
    }

    /// Starts both and says nothing.
    pub(super) fn silent(way: Way, flags: &[&str], options: &[&str]) -> Client {
        Client::start(way, flags, options, |_| {})
    }

    pub(super) fn start(
        way: Way,
        flags: &[&str],
        options: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Client {
        Client::launch(way, options, |command, folder| {
            let files = folder.join("files");
            std::fs::create_dir(&files).unwrap();
            command.arg("--root").arg(&files).args(flags);
            change(command);
        })
    }

    /// Starts a child that has no folder but those of `flags` and `change`.
    pub(super) fn bare(flags: &[&str], change: impl FnOnce(&mut Command, &Path)) -> Client {
        Client::launch(Way::Child, &[], |command, folder| {
            command.args(flags);
            change(command, folder);
        })
    }

    fn launch(way: Way, options: &[&str], change: impl FnOnce(&mut Command, &Path)) -> Client {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
        command.arg("proxy");
        change(&mut command, folder.path());
        let mut server = None;
        if way == Way::Child {
            command.args(["--", "python3", UPSTREAM]).arg(&log).arg("stdio").args(options);
        } else {
            let (child, port) = serve(way, &log, options);
            server = Some(child);
            command.args(["--url", &format!("http://127.0.0.1:{port}/mcp?key=SECRET")]);
        }
        let stderr = std::fs::File::create(folder.path().join("stderr")).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut proxy = command.spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(proxy.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let input = proxy.stdin.take();
        Client { proxy, input, lines, passed: RefCell::default(), server, folder }
    }

    pub(super) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
    }

    /// The next line for which `wanted` holds; others are kept for later.
    pub(super) fn line(&self, wanted: impl Fn(&str) -> bool) -> String {
        let mut passed = self.passed.borrow_mut();
        if let Some(at) = passed.iter().position(|line| wanted(line)) {
            return passed.remove(at);
        }
        let over = Instant::now() + WAIT;
        loop {
            match self.lines.recv_timeout(over.saturating_duration_since(Instant::now())) {
                Ok(line) if wanted(&line) => return line,
                Ok(line) => passed.push(line),
                Err(why) => panic!("{why}; came: {passed:.300?}; said: {}", self.stderr()),
            }
        }
    }

    /// The answer to the request with this id, raw.
    pub(super) fn answer(&self, id: &str) -> String {
        self.line(|line| {
            let members = raw::fields(line).unwrap();
            raw::field(&members, "method").is_none() && raw::field(&members, "id") == Some(id)
        })
    }

    /// Sends a request, given as method and params; its answer.
    pub(super) fn ask(&mut self, id: u64, method: &str, params: &str) -> String {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        self.answer(&id.to_string())
    }

    /// Calls a tool; its answer.
    pub(super) fn call(&mut self, id: u64, tool: &str, arguments: &Value) -> String {
        self.ask(id, "tools/call", &json!({"name": tool, "arguments": arguments}).to_string())
    }

    /// The same, only the result, as a tree.
    pub(super) fn result(&mut self, id: u64, tool: &str, arguments: &Value) -> Value {
        let answer: Value = serde_json::from_str(&self.call(id, tool, arguments)).unwrap();
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// What the server received until now.
    pub(super) fn log(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The first entry of the server's log that holds `word` in its body.
    pub(super) fn received(&self, word: &str) -> Value {
        for _ in 0..3_000 {
            let has = |entry: &Value| entry["body"].as_str().is_some_and(|b| b.contains(word));
            if let Some(entry) = self.log().into_iter().find(has) {
                return entry;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not get {word} within a minute: {:#?}", self.log());
    }

    pub(super) fn body(&self, word: &str) -> String {
        self.received(word)["body"].as_str().unwrap().to_owned()
    }

    pub(super) fn stderr(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    /// The files that were written.
    pub(super) fn files(&self) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(self.folder.path().join("files")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let name =
            |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let stored = |path: &std::path::PathBuf| {
            ["lro-", "tool_text_"].iter().any(|start| name(path).starts_with(start))
        };
        paths.filter(stored).collect()
    }

    /// Ends the input; the exit status.
    pub(super) fn end(&mut self) -> Option<i32> {
        self.input.take();
        self.status()
    }

    /// The exit status, waited for.
    pub(super) fn status(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < WAIT {
            if let Some(status) = self.proxy.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the proxy did not end: {}", self.stderr());
    }

    /// What came and was not asked for, until the proxy ended with its input.
    pub(super) fn rest(&mut self) -> Vec<String> {
        self.input.take();
        let mut rest: Vec<String> = self.passed.borrow_mut().drain(..).collect();
        loop {
            match self.lines.recv_timeout(WAIT) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the proxy did not end within {WAIT:?}: {}", self.stderr())
                }
            }
        }
    }

    pub(super) fn terminate(&self) {
        let id = self.proxy.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
    }

    /// The most memory that the proxy has had; 0 where the system does not say.
    pub(super) fn peak_megabytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.proxy.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        kilobytes.map_or(0, |kilobytes| kilobytes.parse::<u64>().unwrap() / 1024)
    }

    pub(super) fn stop_server(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        for child in [Some(&mut self.proxy), self.server.as_mut()].into_iter().flatten() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn serve(way: Way, log: &Path, options: &[&str]) -> (Child, u16) {
    let mode = if way == Way::Json { "json" } else { "sse" };
    let mut child = Command::new("python3")
        .arg(UPSTREAM)
        .arg(log)
        .arg(mode)
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().parse().unwrap())
}

/// What the proxy says on standard error where it does not even start.
pub(super) fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    refused_with(arguments, |_| {})
}

/// The same with a change of its command.
pub(super) fn refused_with(
    arguments: &[&str],
    change: impl FnOnce(&mut Command),
) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unburden"));
    command.arg("proxy").args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    change(&mut command);
    let mut child = command.spawn().unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

/// The text of the first block of a result.
pub(super) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The descriptor in a result: of records their own, of a text its file and preview.
pub(super) fn descriptor(result: &Value) -> Value {
    let said = text(result);
    let Some(path) = moved(said) else {
        let descriptor: Value = serde_json::from_str(said).unwrap();
        assert_eq!(descriptor["offloaded"], true, "{descriptor}");
        return descriptor;
    };
    serde_json::json!({"file_path": path, "preview": said})
}

/// The file that the last line of a preview names.
pub(super) fn moved(preview: &str) -> Option<&str> {
    let last = preview.lines().last()?;
    last.strip_prefix("(detailed result is stored in ")?.strip_suffix(')')
}

/// The text that the scripted server gives as `text`.
pub(super) fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n} of a long text, with \"quotes\" and \u{e9}\n")).collect()
}
