//! A process as upstream: a line a message on its standard input and output. What
//! it says on standard error goes to ours.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::process::{self, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, mpsc};

use super::super::lines::{self, Line};
use super::super::message::{UPSTREAM_FAILED, error, id_at_the_edges};
use super::{Environment, Event, StartError};

/// Time that a process has to end after its input did.
const GRACE: Duration = Duration::from_secs(2);
/// Room for reading, in bytes.
const BUFFER: usize = 256 * 1024;

/// The process.
#[derive(Clone)]
pub(in crate::proxy) struct Child {
    input: Arc<Mutex<Option<ChildStdin>>>,
    process: Arc<Mutex<process::Child>>,
    /// It and its children.
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
            .envs(environment.all())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A launcher's own children end with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let missing = || failed(std::io::Error::other("it has no standard input or output"));
        let group = process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let input = process.stdin.take().ok_or_else(missing)?;
        let output = process.stdout.take().ok_or_else(missing)?;
        let process = Arc::new(Mutex::new(process));
        tokio::spawn(read(output, limit, events, Arc::clone(&process)));
        Ok(Child { input: Arc::new(Mutex::new(Some(input))), process, group })
    }

    /// Where the process does not read any more, its end is told by its output.
    pub(super) async fn send(&self, mut message: Vec<u8>) {
        message.push(b'\n');
        if let Some(input) = self.input.lock().await.as_mut() {
            let _ = input.write_all(&message).await;
            let _ = input.flush().await;
        }
    }

    /// Ends its input; kills what does not end by itself.
    pub(super) async fn close(&self) {
        // A send that hangs holds the input; then the process is not waited for.
        if let Ok(mut input) = tokio::time::timeout(GRACE, self.input.lock()).await {
            input.take();
        }
        let Ok(mut process) = tokio::time::timeout(GRACE, self.process.lock()).await else {
            return;
        };
        let ended = tokio::time::timeout(GRACE, process.wait()).await;
        // Where it was a launcher, what it launched may be there still.
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if ended.is_err() {
            let _ = process.kill().await;
        }
    }
}

async fn read(
    output: ChildStdout,
    limit: usize,
    events: mpsc::Sender<Event>,
    process: Arc<Mutex<process::Child>>,
) {
    let mut output = BufReader::with_capacity(BUFFER, output);
    let why = loop {
        let message = match lines::next(&mut output, limit).await {
            Ok(Some(Line::Whole(line))) => line,
            Ok(Some(Line::TooLong { head, tail, bytes })) => {
                match refused(&head, &tail, bytes, limit) {
                    Some(message) => message,
                    None => continue,
                }
            }
            Ok(None) => break ended(&process).await,
            Err(error) => break format!("reading from the server failed: {error}"),
        };
        if events.send(Event::Message(message)).await.is_err() {
            return;
        }
    };
    let _ = events.send(Event::Ended(why)).await;
}

/// An error in place of a message that is too long, where its request is known.
fn refused(head: &[u8], tail: &[u8], bytes: u64, limit: usize) -> Option<Vec<u8>> {
    let said = format!("the server's message has {bytes} bytes; accepted are up to {limit}");
    tracing::warn!(bytes, limit, "a message of the server is too long");
    let id = id_at_the_edges(&String::from_utf8_lossy(head), &String::from_utf8_lossy(tail))?;
    Some(error(&id, UPSTREAM_FAILED, &said))
}

/// What became of a process that says no more.
async fn ended(process: &Mutex<process::Child>) -> String {
    let wait = async { process.lock().await.wait().await };
    match tokio::time::timeout(GRACE, wait).await {
        Ok(Ok(status)) => format!("the server ended ({status})"),
        _ => "the server closed its output".to_owned(),
    }
}
