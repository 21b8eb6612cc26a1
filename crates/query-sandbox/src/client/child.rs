//! Runs one worker process, from its start to its end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::{Duration, Instant},
};

use rustix::{pipe::fcntl_setpipe_size, process::Signal};

use crate::{
    job::{Cut, Trial},
    jq_error::JqError,
    limits::Limits,
    protocol::{self, Line},
    request::Request,
    worker,
    worker_error::WorkerError,
};

/// The longest time that outputs are only counted, after the last one that is returned.
const MAX_COUNTING: Duration = Duration::from_millis(300);

/// The bytes for the other lines of a worker, and for each trial.
const OTHER_LINES: usize = 64 * 1024;

/// The bytes that the pipe to a worker holds.
const PIPE_BYTES: usize = 1024 * 1024;

/// The bytes of standard error that are read, for the message of a crash.
const MAX_STDERR: u64 = 4096;

/// The environment of a worker: the allocator has one arena and no threads. Each of them would
/// take tens of megabytes of the limit on address space. It asks for huge pages, because a worker
/// fills its memory once: small ones took a fifth of the time of a query over 18 MB.
const ALLOCATOR: [(&str, &str); 2] = [
    ("_RJEM_MALLOC_CONF", "background_thread:false,narenas:1,thp:always"),
    ("MALLOC_ARENA_MAX", "1"),
];

/// The output of a worker.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) outputs: Vec<String>,
    pub(super) cut: Option<Cut>,
    pub(super) trials: Vec<Result<Trial, JqError>>,
    pub(super) slurped: bool,
    pub(super) notes: Vec<String>,
    /// The last line of a statement.
    pub(super) sql: Option<Result<record_sql::Outcome, record_sql::SqlError>>,
    /// The last line of a filter.
    pub(super) end: Option<Result<Option<u64>, JqError>>,
}

impl Transcript {
    fn is_ended(&self) -> bool {
        self.end.is_some() || self.sql.is_some()
    }
}

/// A worker process. It is killed and reaped when dropped.
#[derive(Debug)]
pub(super) struct WorkerProcess(Child);

impl WorkerProcess {
    /// Starts a worker, which waits for its request.
    ///
    /// # Errors
    ///
    /// Fails if the process cannot be started.
    pub(super) fn start(program: &Path, limits: &Limits) -> Result<WorkerProcess, WorkerError> {
        // The parent enforces the deadline; this limit is for a worker without a parent.
        let cpu_seconds = limits.deadline.as_secs().saturating_add(2);
        let child = Command::new(program)
            .arg(worker::ARGUMENT)
            .arg(limits.memory_bytes.to_string())
            .arg(cpu_seconds.to_string())
            .env_clear()
            .envs(ALLOCATOR)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        child.map(WorkerProcess).map_err(|source| WorkerError::Spawn { source })
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        // Killing a process that ended does not change its exit status.
        _ = self.0.kill();
        self.0.wait()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        _ = self.end();
    }
}

/// Writes the request and the records to a worker, and reads its output until `until`. Also
/// returns the error of a worker that ended without a last line.
///
/// # Errors
///
/// Fails if there are no threads for it.
pub(super) fn run_worker(
    mut child: WorkerProcess,
    request: &Request,
    inputs: &[&str],
    limits: &Limits,
    until: Instant,
) -> Result<(Transcript, Option<WorkerError>), WorkerError> {
    let spawn = |source| WorkerError::Spawn { source };
    let mut first = serde_json::to_vec(request).map_err(|error| spawn(error.into()))?;
    first.push(b'\n');
    let (stdin, stdout, stderr) =
        (child.0.stdin.take(), child.0.stdout.take(), child.0.stderr.take());
    let (outputs, others) = request.room();
    let room = outputs.saturating_add(OTHER_LINES.saturating_mul(others));
    thread::scope(|scope| {
        let write = move || {
            if let Some(mut pipe) = stdin {
                // A pipe of the usual size works as well, with more turns of both sides.
                _ = fcntl_setpipe_size(&pipe, PIPE_BYTES);
                // A worker that ended early closes the pipe; its output tells why.
                let mut write = |bytes: &[u8]| pipe.write_all(bytes).is_ok();
                _ = write(&first) && inputs.iter().all(|input| write(input.as_bytes()));
            }
        };
        let read_stderr = move || stderr.map(read_start).unwrap_or_default();
        let (full, events) = mpsc::channel();
        let read = move || stdout.map(|pipe| read(pipe, room, &full)).unwrap_or_default();
        let writer = thread::Builder::new().spawn_scoped(scope, write).map_err(spawn)?;
        let stderr_reader =
            thread::Builder::new().spawn_scoped(scope, read_stderr).map_err(spawn)?;
        let reader = thread::Builder::new().spawn_scoped(scope, read).map_err(spawn)?;
        let late = wait(&events, until);
        let status = child.end().map_err(spawn)?;
        _ = writer.join();
        let words = stderr_reader.join().unwrap_or_default();
        let transcript = reader.join().unwrap_or_default();
        let crash = (!transcript.is_ended()).then(|| {
            if late { limits.deadline_error() } else { crash_error(status, &words, limits) }
        });
        Ok((transcript, crash))
    })
}

/// Waits for the end of the worker's output; returns true if `until` comes first.
fn wait(events: &mpsc::Receiver<()>, mut until: Instant) -> bool {
    loop {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(()) => until = until.min(Instant::now() + MAX_COUNTING),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Reads the output of a worker until its last line, its end, or a line that is not of the
/// protocol.
fn read(pipe: impl Read, room: usize, full: &Sender<()>) -> Transcript {
    let room = u64::try_from(room).unwrap_or(u64::MAX);
    let mut pipe = BufReader::with_capacity(64 * 1024, pipe.take(room));
    let mut transcript = Transcript::default();
    let mut text = Vec::new();
    while !transcript.is_ended() {
        text.clear();
        if pipe.read_until(b'\n', &mut text).is_err() {
            break;
        }
        match protocol::read(&text) {
            Some(Line::Output(output)) => transcript.outputs.push(output),
            Some(Line::Full(cut)) => {
                transcript.cut = Some(cut);
                _ = full.send(());
            }
            Some(Line::Slurped(slurped)) => transcript.slurped = slurped,
            Some(Line::Notes(notes)) => transcript.notes = notes,
            Some(Line::Trial(trial)) => transcript.trials.push(trial),
            Some(Line::Sql(end)) => transcript.sql = Some(end),
            Some(Line::End(end)) => transcript.end = Some(end),
            None => break,
        }
    }
    transcript
}

fn read_start(pipe: impl Read) -> String {
    let mut words = Vec::new();
    _ = pipe.take(MAX_STDERR).read_to_end(&mut words);
    String::from_utf8_lossy(&words).into_owned()
}

fn crash_error(status: ExitStatus, words: &str, limits: &Limits) -> WorkerError {
    let by = |signal: Signal| status.signal() == Some(signal.as_raw());
    if by(Signal::XCPU) {
        return limits.deadline_error();
    }
    if by(worker::OUT_OF_MEMORY) || words.contains("memory allocation of") {
        return WorkerError::Memory { bytes: limits.memory_bytes };
    }
    if words.contains("overflowed its stack") || by(Signal::SEGV) {
        let how = "it recurses too deeply, or builds values nested too deeply".to_owned();
        return WorkerError::Crashed { how };
    }
    WorkerError::Crashed { how: format!("it ended by {status}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_told_by_its_signal_or_its_words() {
        let limits = Limits::default();
        let of = |signal: Option<Signal>, words: &str| {
            let status = ExitStatus::from_raw(signal.map_or(256, Signal::as_raw));
            crash_error(status, words, &limits)
        };
        assert!(matches!(of(Some(Signal::XCPU), ""), WorkerError::Deadline { .. }));
        assert!(matches!(of(Some(worker::OUT_OF_MEMORY), ""), WorkerError::Memory { .. }));
        let refused = "memory allocation of 4096 bytes failed";
        assert!(matches!(of(Some(Signal::ABORT), refused), WorkerError::Memory { .. }));
        let how = |error| match error {
            WorkerError::Crashed { how } => how,
            other => panic!("{other:?}"),
        };
        assert!(how(of(Some(Signal::SEGV), "")).contains("nested too deeply"));
        let overflowed = "thread 'main' has overflowed its stack";
        assert!(how(of(Some(Signal::ABORT), overflowed)).contains("nested too deeply"));
        assert_eq!(how(of(None, "")), "it ended by exit status: 1");
    }
}
