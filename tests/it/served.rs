//! The real binary, serving: started with an environment, asked over a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use tempfile::TempDir;

/// A running service; killed when it goes out of scope.
pub(crate) struct Served {
    child: Child,
    address: String,
    /// Reads what it logs, which would fill the pipe otherwise.
    log: Option<JoinHandle<String>>,
    _folder: TempDir,
}

impl Served {
    /// Starts it in `folder`, which is its only root.
    pub(crate) fn start(folder: TempDir, environment: &[(&str, &str)]) -> Served {
        Served::with_flags(folder, environment, &[])
    }

    /// The same with further flags.
    pub(crate) fn with_flags(
        folder: TempDir,
        environment: &[(&str, &str)],
        flags: &[&str],
    ) -> Served {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unburden"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(flags)
            .current_dir(folder.path())
            .env("UNBURDEN_STORE__ROOTS", folder.path())
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || {
            let mut log = Vec::new();
            stderr.read_to_end(&mut log).unwrap();
            String::from_utf8(log).unwrap()
        });
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let Some(address) = line.trim().strip_prefix("listening on http://") else {
            panic!("it did not start: {}", log.join().unwrap());
        };
        let address = address.to_owned();
        Served { child, address, log: Some(log), _folder: folder }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns a figure of the process in KiB, such as `VmRSS`.
    pub(crate) fn memory_kib(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.ask_with("", method, path, body)
    }

    /// The same with further header lines, each with its end.
    pub(crate) fn ask_with(
        &self,
        headers: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        (status, reply.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Posts JSON; status and answer.
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, reply) = self.ask("POST", path, &body.to_string());
        (status, serde_json::from_str(&reply).unwrap())
    }

    /// Gets `path` until its text holds `word`; what happens in the background is
    /// waited for, up to a minute.
    pub(crate) fn wait_for(&self, path: &str, word: &str) -> String {
        for _ in 0..1_200 {
            let (_, text) = self.ask("GET", path, "");
            if text.contains(word) {
                return text;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{path} did not say {word} within a minute: {}", self.ask("GET", path, "").1);
    }

    /// Asks it to stop; what it logged.
    pub(crate) fn stop(mut self) -> String {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        self.child.wait().unwrap();
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
