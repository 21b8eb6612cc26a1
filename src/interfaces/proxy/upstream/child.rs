//! A child process as upstream, with one message per line on its standard input and output. It
//! inherits the standard error.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{self, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, mpsc};

use super::environment::Environment;
use super::event::Event;
use super::start_error::StartError;
use crate::interfaces::mcp::lines::{self, Line};
use crate::interfaces::mcp::message::{UPSTREAM_FAILED, error, id_at_the_edges};

/// Time for the process to exit after its input was closed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Read buffer, in bytes.
const READ_BUFFER: usize = 256 * 1024;

/// A child process.
#[derive(Clone)]
pub(crate) struct Child {
    input: Arc<Mutex<Option<ChildStdin>>>,
    process: Arc<Mutex<process::Child>>,
    /// Process group of the child and its descendants.
    group: Option<Pid>,
}

impl Child {
    pub(super) fn start(
        command: &[String],
        environment: &Environment,
        limit: usize,
        events: mpsc::Sender<Event>,
    ) -> Result<Child, StartError> {
        let (name, arguments) = command.split_first().map_or(("", [].as_slice()), |(n, a)| (n, a));
        let failed = |source| StartError::Command { command: name.to_owned(), source };
        let mut process = Command::new(name)
            .args(arguments)
            .env_clear()
            .envs(environment.variables())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its own process group, so that a launcher's children end with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let missing = || failed(std::io::Error::other("it has no standard input or output"));
        let group = process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let process = Arc::new(Mutex::new(process));
        tokio::spawn(read_output(output, limit, events, Arc::clone(&process)));
        Ok(Child { input: Arc::new(Mutex::new(Some(input))), process, group })
    }

    /// Sends a message. If the process stopped reading, its output reports the end.
    pub(super) async fn send(&self, mut message: Vec<u8>) {
        message.push(b'\n');
        if let Some(input) = self.input.lock().await.as_mut() {
            let _ = input.write_all(&message).await;
            let _ = input.flush().await;
        }
    }

    /// Closes the input, then kills the process if it does not exit by itself.
    pub(super) async fn close(&self) {
        // A blocked send holds the lock; in that case, does not wait for the process.
        if let Ok(mut input) = tokio::time::timeout(EXIT_TIMEOUT, self.input.lock()).await {
            input.take();
        }
        let Ok(mut process) = tokio::time::timeout(EXIT_TIMEOUT, self.process.lock()).await else {
            return;
        };
        let ended = tokio::time::timeout(EXIT_TIMEOUT, process.wait()).await;
        // A launcher may leave its children running.
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if ended.is_err() {
            let _ = process.kill().await;
        }
    }
}

async fn read_output(
    output: ChildStdout,
    limit: usize,
    events: mpsc::Sender<Event>,
    process: Arc<Mutex<process::Child>>,
) {
    let mut output = BufReader::with_capacity(READ_BUFFER, output);
    let why = loop {
        let message = match lines::next(&mut output, limit).await {
            Ok(Some(Line::Whole(line))) => line,
            Ok(Some(Line::TooLong { head, tail, bytes })) => {
                match too_long_error(&head, &tail, bytes, limit) {
                    Some(message) => message,
                    None => continue,
                }
            }
            Ok(None) => break exit_reason(&process).await,
            Err(error) => break format!("reading from the server failed: {error}"),
        };
        if events.send(Event::Message(message)).await.is_err() {
            return;
        }
    };
    let _ = events.send(Event::Ended(why)).await;
}

/// Returns an error in place of a message that is too long, if its request is known.
fn too_long_error(head: &[u8], tail: &[u8], bytes: u64, limit: usize) -> Option<Vec<u8>> {
    let said = format!("the server's message has {bytes} bytes; accepted are up to {limit}");
    tracing::warn!(bytes, limit, "a message of the server was too long");
    let id = id_at_the_edges(&String::from_utf8_lossy(head), &String::from_utf8_lossy(tail))?;
    Some(error(&id, UPSTREAM_FAILED, &said))
}

/// Returns why the output ended.
async fn exit_reason(process: &Mutex<process::Child>) -> String {
    let wait = async { process.lock().await.wait().await };
    match tokio::time::timeout(EXIT_TIMEOUT, wait).await {
        Ok(Ok(status)) => format!("the server ended ({status})"),
        _ => "the server closed its output".to_owned(),
    }
}
