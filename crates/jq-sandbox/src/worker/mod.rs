//! The worker: a process that reads a request and records from its standard input, runs filters,
//! writes their outputs, and ends.

mod compile;
mod compile_error;
mod confine;
mod excerpt;
mod json_text;
mod natives;
mod output;
mod patterns;
mod program;
mod record;
mod records;
mod remove_paths;
mod unsupported;

use std::{
    any::Any,
    io::{self, BufRead, BufWriter, Write},
    ops::ControlFlow,
    process::ExitCode,
    sync::mpsc,
    thread,
};

use jaq_json::Val;

use crate::{
    error::JqError,
    job::{JobMessage, Request, Trial},
    protocol,
};
use output::OutputWriter;
use program::{Program, RunError, ends};
use records::Records;

pub(crate) use confine::OUT_OF_MEMORY;

/// The first argument of a worker. Its limits follow: bytes of memory, and seconds of CPU time.
pub const ARGUMENT: &str = "jq-worker";

/// The stack of the thread that runs filters: `jaq` recurses into nested values.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs a worker instead of the program. Ends the process, or returns its exit code.
pub fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(2).map_while(|argument| argument.parse::<u64>().ok());
    let Some((memory_bytes, cpu_seconds)) = numbers.next().zip(numbers.next()) else {
        return ExitCode::FAILURE;
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (go, wait) = mpsc::channel();
    let server = thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        if wait.recv().is_ok() {
            let served = serve(io::stdin().lock(), io::stdout().lock());
            // Exits without dropping deep values, which costs time and stack.
            std::process::exit(i32::from(served.is_err()));
        }
    });
    let Ok(server) = server else { return ExitCode::FAILURE };
    if confine::confine(memory_bytes, cpu_seconds).is_err() || go.send(()).is_err() {
        return ExitCode::FAILURE;
    }
    if let Err(panic) = server.join() {
        let last: Result<Option<u64>, JqError> = Err(panic_error(&*panic, memory_bytes));
        _ = io::stdout().write_all(&protocol::write(protocol::END, &last));
    }
    ExitCode::FAILURE
}

fn panic_error(panic: &(dyn Any + Send), memory_bytes: u64) -> JqError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    match text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message") {
        "capacity overflow" => JqError::Memory { bytes: memory_bytes },
        text => JqError::Crashed { how: ends(text) },
    }
}

/// Serves one request in the calling process, without the limits of a worker.
///
/// # Errors
///
/// Fails if the request is invalid, or if reading or writing fails.
pub fn serve(mut input: impl BufRead, output: impl Write) -> io::Result<()> {
    let mut request = Vec::new();
    input.read_until(b'\n', &mut request)?;
    let request: Request = serde_json::from_slice(&request)?;
    let mut output = BufWriter::with_capacity(64 * 1024, output);
    let last = if request.only_try {
        try_all(&request.jobs, input, &mut output)?
    } else {
        match request.jobs.first() {
            Some(job) => run(job, input, &mut output, request.output_bytes)?,
            None => Ok(None),
        }
    };
    output.write_all(&protocol::write(protocol::END, &last))?;
    output.flush()
}

/// The result of a run: the outer error is of the pipe, the inner one of the filter.
type RunResult<T> = io::Result<Result<T, JqError>>;

fn run(
    job: &JobMessage,
    input: impl BufRead,
    output: impl Write,
    room: usize,
) -> RunResult<Option<u64>> {
    let program = match Program::new(job) {
        Ok(program) => program,
        Err(error) => return Ok(Err(error)),
    };
    let mut writer = OutputWriter::new(output, job, room);
    let result = program.run(Records::new(input), |value| writer.take(value));
    let last = match result {
        Err(RunError::Pipe(error)) => return Err(error),
        Ok(ControlFlow::Continue(())) => Ok(Some(writer.seen())),
        Ok(ControlFlow::Break(())) => Ok(None),
        // The page is complete: a later error does not matter.
        Err(RunError::Jq(_)) if writer.is_full() => Ok(None),
        Err(RunError::Jq(error)) => Err(error),
    };
    writer.into_inner().flush()?;
    Ok(last)
}

fn try_all(
    jobs: &[JobMessage],
    input: impl BufRead,
    output: &mut impl Write,
) -> RunResult<Option<u64>> {
    let records: Result<Vec<Val>, RunError> = Records::new(input).collect();
    let records = match records {
        Ok(records) => records,
        Err(RunError::Pipe(error)) => return Err(error),
        Err(RunError::Jq(error)) => return Ok(Err(error)),
    };
    for job in jobs {
        let mut trial = Trial { outputs: 0, nulls: 0 };
        let count = |value: &Val| {
            trial.outputs += 1;
            trial.nulls += u64::from(matches!(value, Val::Null));
            Ok(ControlFlow::Continue(()))
        };
        let records = records.iter().cloned().map(Ok);
        let result = Program::new(job).map(|program| program.run(records, count));
        let trial = match result {
            Ok(Err(RunError::Pipe(error))) => return Err(error),
            Ok(Err(RunError::Jq(error))) | Err(error) => Err(error),
            Ok(Ok(_)) => Ok(trial),
        };
        output.write_all(&protocol::write(protocol::TRIAL, &trial))?;
        output.flush()?;
    }
    Ok(Ok(None))
}
