//! The worker: a process that reads a request and records from its standard input, runs a query,
//! writes its outputs, and ends.

mod confine;
mod jq;
mod sql;

use std::{
    any::Any,
    io::{self, BufRead, BufWriter, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};

use rayon::ThreadPoolBuilder;

use crate::{
    jq_error::JqError,
    protocol::{self, Line},
    request::Request,
    worker_error::WorkerError,
};

pub(crate) use confine::OUT_OF_MEMORY;

/// The first argument of a worker. Its limits follow: bytes of memory, and seconds of CPU time.
pub const ARGUMENT: &str = "query-worker";

/// The threads that run queries: two share the scan of the records.
const THREADS: usize = 2;

/// The stack of each thread that runs queries: `jaq` recurses into nested values.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Runs a worker instead of the program. Ends the process, or returns its exit code.
pub fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(2).map_while(|argument| argument.parse::<u64>().ok());
    let Some((memory_bytes, cpu_seconds)) = numbers.next().zip(numbers.next()) else {
        return ExitCode::FAILURE;
    };
    std::panic::set_hook(Box::new(|_| {}));
    // The service may have them disabled, and a worker inherits that.
    _ = rustix::thread::disable_transparent_huge_pages(false);
    let Ok(threads) = ThreadPoolBuilder::new().num_threads(THREADS).stack_size(STACK_BYTES).build()
    else {
        return ExitCode::FAILURE;
    };
    if confine::confine(memory_bytes, cpu_seconds).is_err() {
        return ExitCode::FAILURE;
    }
    let served = || {
        let served = serve(io::stdin().lock(), io::stdout().lock());
        // Exits without dropping deep values, which costs time and stack.
        std::process::exit(i32::from(served.is_err()));
    };
    let Err(panic) = catch_unwind(AssertUnwindSafe(|| threads.install(served)));
    let last = Line::End(Err(panic_error(&*panic, memory_bytes)));
    _ = io::stdout().write_all(&protocol::write(&last));

    ExitCode::FAILURE
}

fn panic_error(panic: &(dyn Any + Send), memory_bytes: u64) -> JqError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    match text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message") {
        "capacity overflow" => WorkerError::Memory { bytes: memory_bytes },
        text => WorkerError::Crashed { how: jq::ends(text) },
    }
    .into()
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
    match request {
        Request::Sql(request) => sql::serve(&request, input, &mut output)?,
        Request::Jq(request) => jq::serve(&request, input, &mut output)?,
    }
    output.flush()
}
