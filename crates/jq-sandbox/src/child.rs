//! A worker process, from its start to its end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use super::{
    confine,
    error::JqError,
    job::{Cut, Order, Tried},
    limits::Limits,
    line::{self, Line},
    worker,
};

/// How long outputs are only counted, after the last one that is given.
const COUNT_ON: Duration = Duration::from_millis(300);

/// Room for the worker's own lines, and for each filter that is tried.
const OWN_LINES: usize = 64 * 1024;

/// Of the worker's standard error, where the runtime names a death.
const LAST_WORDS: u64 = 4096;

/// The environment of a worker: one arena, and no threads of the allocator's own. Each of
/// them takes tens of megabytes of address space once the limit on that stands.
const ALLOCATOR: [(&str, &str); 2] =
    [("_RJEM_MALLOC_CONF", "background_thread:false,narenas:1"), ("MALLOC_ARENA_MAX", "1")];

/// What a worker said.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) outputs: Vec<String>,
    pub(super) cut: Option<Cut>,
    pub(super) tried: Vec<Result<Tried, JqError>>,
    /// Its last word; none where it died before that.
    pub(super) end: Option<Result<Option<u64>, JqError>>,
}

/// Whatever becomes of a call, the worker is ended and reaped.
struct Reaped(Child);

impl Reaped {
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        // To kill one that has died changes nothing of how it died.
        _ = self.0.kill();
        self.0.wait()
    }
}

impl Drop for Reaped {
    fn drop(&mut self) {
        _ = self.end();
    }
}

/// Starts a worker, gives it the order and the records, and gives what it said
/// until `until`, with the error that its death amounts to where it had no last
/// word.
pub(super) fn talk(
    program: &Path,
    order: &Order,
    input: &str,
    limits: &Limits,
    until: Instant,
) -> Result<(Transcript, Option<JqError>), JqError> {
    let spawn = |source| JqError::Spawn { source };
    let mut first = serde_json::to_vec(order).map_err(|error| spawn(error.into()))?;
    first.push(b'\n');
    let mut child = Reaped(start(program, limits).map_err(spawn)?);
    let (stdin, stdout, stderr) =
        (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let room = limits.output_bytes.saturating_add(OWN_LINES * (order.jobs.len() + 1));
    thread::scope(|scope| {
        let write = move || {
            if let Some(mut pipe) = stdin {
                // A worker that has died, or has enough, is told by its end.
                _ = pipe.write_all(&first).and_then(|()| pipe.write_all(input.as_bytes()));
            }
        };
        let listen = move || stderr.map(last_words).unwrap_or_default();
        let (full, news) = mpsc::channel();
        let read = move || stdout.map(|pipe| read(pipe, room, &full)).unwrap_or_default();
        let writer = thread::Builder::new().spawn_scoped(scope, write).map_err(spawn)?;
        let listener = thread::Builder::new().spawn_scoped(scope, listen).map_err(spawn)?;
        let reader = thread::Builder::new().spawn_scoped(scope, read).map_err(spawn)?;
        let late = wait(&news, until);
        let status = child.end().map_err(spawn)?;
        _ = writer.join();
        let words = listener.join().unwrap_or_default();
        let transcript = reader.join().unwrap_or_default();
        let death = transcript
            .end
            .is_none()
            .then(|| if late { deadline(limits) } else { of_death(status, &words, limits) });
        Ok((transcript, death))
    })
}

fn start(program: &Path, limits: &Limits) -> std::io::Result<Child> {
    // The time limit is the parent's; this one is for a worker without a parent.
    let cpu_seconds = limits.deadline.as_secs().saturating_add(2);
    Command::new(program)
        .arg(worker::ARGUMENT)
        .arg(limits.memory_bytes.to_string())
        .arg(cpu_seconds.to_string())
        .env_clear()
        .envs(ALLOCATOR)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Waits for the end of the worker's output; true where time ends first.
fn wait(news: &mpsc::Receiver<()>, mut until: Instant) -> bool {
    loop {
        match news.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(()) => until = until.min(Instant::now() + COUNT_ON),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Reads what the worker says until its last word, its end, or something that
/// no worker says.
fn read(pipe: impl Read, room: usize, full: &Sender<()>) -> Transcript {
    let room = u64::try_from(room).unwrap_or(u64::MAX);
    let mut pipe = BufReader::with_capacity(64 * 1024, pipe.take(room));
    let mut transcript = Transcript::default();
    let mut text = Vec::new();
    while transcript.end.is_none() {
        text.clear();
        if pipe.read_until(b'\n', &mut text).is_err() {
            break;
        }
        match line::read(&text) {
            Some(Line::Output(output)) => transcript.outputs.push(output),
            Some(Line::Full(cut)) => {
                transcript.cut = Some(cut);
                _ = full.send(());
            }
            Some(Line::Tried(tried)) => transcript.tried.push(tried),
            Some(Line::End(end)) => transcript.end = Some(end),
            None => break,
        }
    }
    transcript
}

fn last_words(pipe: impl Read) -> String {
    let mut words = Vec::new();
    _ = pipe.take(LAST_WORDS).read_to_end(&mut words);
    String::from_utf8_lossy(&words).into_owned()
}

/// The error of a run that took longer than it may.
pub(super) fn deadline(limits: &Limits) -> JqError {
    JqError::Deadline { ms: u64::try_from(limits.deadline.as_millis()).unwrap_or(u64::MAX) }
}

fn of_death(status: ExitStatus, words: &str, limits: &Limits) -> JqError {
    let by = |signal: Signal| status.signal() == Some(signal.as_raw());
    if by(Signal::XCPU) {
        return deadline(limits);
    }
    if by(confine::OUT_OF_MEMORY) || words.contains("memory allocation of") {
        return JqError::Memory { bytes: limits.memory_bytes };
    }
    if words.contains("overflowed its stack") || by(Signal::SEGV) {
        let how = "it recurses too deeply, or builds values nested too deeply".to_owned();
        return JqError::Crashed { how };
    }
    JqError::Crashed { how: format!("it ended by {status}") }
}
