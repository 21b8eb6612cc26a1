//! The worker: a process that reads an order and records, runs filters, writes
//! what they give, and ends. Everything it needs comes by its arguments and its
//! standard input.

use std::{
    any::Any,
    io::{self, BufRead, BufWriter, Write},
    ops::ControlFlow,
    process::ExitCode,
    sync::mpsc,
    thread,
};

use jaq_core::{Ctx, Exn, Filter, Vars};
use jaq_json::Val;

use super::{
    compile::{self, Data},
    confine,
    error::JqError,
    excerpt,
    job::{Order, Task, Tried},
    line, patterns, record,
    sink::{Refusal, Sink},
};

/// The first argument of a worker; the bytes of memory and the seconds of CPU
/// time that it has follow.
pub const ARGUMENT: &str = "jq-worker";

/// Values may be nested deeply, and `jaq` goes down them by calls.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// Characters of jq's message that are kept at each end.
const MESSAGE_END: usize = 200;

/// What a worker process does in place of everything else. It ends the process,
/// or returns what the process shall end with.
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
            // Not by returning: to take deep values apart costs time and stack.
            std::process::exit(i32::from(served.is_err()));
        }
    });
    let Ok(server) = server else { return ExitCode::FAILURE };
    if confine::confine(memory_bytes, cpu_seconds).is_err() || go.send(()).is_err() {
        return ExitCode::FAILURE;
    }
    if let Err(panic) = server.join() {
        let last: Result<Option<u64>, JqError> = Err(of_panic(&*panic, memory_bytes));
        _ = io::stdout().write_all(&line::write(line::END, &last));
    }
    ExitCode::FAILURE
}

fn of_panic(panic: &(dyn Any + Send), memory_bytes: u64) -> JqError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    match text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message") {
        "capacity overflow" => JqError::Memory { bytes: memory_bytes },
        text => JqError::Crashed { how: ends(text) },
    }
}

/// Reads an order and does it, as the whole of a worker's life: in the calling process,
/// without its limits.
///
/// # Errors
///
/// An order that cannot be read, and a pipe that breaks.
pub fn serve(mut input: impl BufRead, output: impl Write) -> io::Result<()> {
    let mut order = Vec::new();
    input.read_until(b'\n', &mut order)?;
    let order: Order = serde_json::from_slice(&order)?;
    let mut output = BufWriter::with_capacity(64 * 1024, output);
    let last = if order.only_try {
        try_all(&order.jobs, input, &mut output)?
    } else {
        match order.jobs.first() {
            Some(task) => run(task, input, &mut output, order.output_bytes)?,
            None => Ok(None),
        }
    };
    output.write_all(&line::write(line::END, &last))?;
    output.flush()
}

/// An error of the pipe outside, one of the filter inside.
type Ran<T> = io::Result<Result<T, JqError>>;

fn run(task: &Task, input: impl BufRead, output: impl Write, room: usize) -> Ran<Option<u64>> {
    let program = match Program::new(task) {
        Ok(program) => program,
        Err(error) => return Ok(Err(error)),
    };
    let mut sink = Sink::new(output, task, room);
    let ended = program.run(Records::new(input), |value| sink.take(value));
    let last = match ended {
        Err(Failure::Pipe(error)) => return Err(error),
        Ok(ControlFlow::Continue(())) => Ok(Some(sink.seen())),
        Ok(ControlFlow::Break(())) => Ok(None),
        // What fails behind the last output that was asked for is not asked for.
        Err(Failure::Jq(_)) if sink.is_full() => Ok(None),
        Err(Failure::Jq(error)) => Err(error),
    };
    sink.into_inner().flush()?;
    Ok(last)
}

fn try_all(tasks: &[Task], input: impl BufRead, output: &mut impl Write) -> Ran<Option<u64>> {
    let records: Result<Vec<Val>, Failure> = Records::new(input).collect();
    let records = match records {
        Ok(records) => records,
        Err(Failure::Pipe(error)) => return Err(error),
        Err(Failure::Jq(error)) => return Ok(Err(error)),
    };
    for task in tasks {
        let mut tried = Tried { outputs: 0, nulls: 0 };
        let count = |value: &Val| {
            tried.outputs += 1;
            tried.nulls += u64::from(matches!(value, Val::Null));
            Ok(ControlFlow::Continue(()))
        };
        let records = records.iter().cloned().map(Ok);
        let ran = Program::new(task).map(|program| program.run(records, count));
        let said = match ran {
            Ok(Err(Failure::Pipe(error))) => return Err(error),
            Ok(Err(Failure::Jq(error))) | Err(error) => Err(error),
            Ok(Ok(_)) => Ok(tried),
        };
        output.write_all(&line::write(line::TRIED, &said))?;
        output.flush()?;
    }
    Ok(Ok(None))
}

enum Failure {
    Jq(JqError),
    Pipe(io::Error),
}

impl From<JqError> for Failure {
    fn from(error: JqError) -> Self {
        Self::Jq(error)
    }
}

/// A job's filter and the values of its variables.
struct Program {
    filter: Filter<Data>,
    values: Vec<Val>,
    slurp: bool,
}

impl Program {
    fn new(task: &Task) -> Result<Self, JqError> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for (name, json) in &task.vars {
            let wrong = |why| JqError::Variable { name: name.clone(), why };
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(wrong("a name has ASCII letters, digits and _ only".into()));
            }
            names.push(format!("${name}"));
            values.push(
                record::read(json.as_bytes())
                    .map_err(|error| wrong(format!("its value is not JSON: {}", ends(&error))))?,
            );
        }
        let filter = compile::compile(&task.filter, &names)?;
        Ok(Self { filter, values, slurp: task.slurp })
    }

    /// Runs the filter on each record, or on the array of them, and hands each
    /// output on until `take` breaks.
    fn run(
        &self,
        mut records: impl Iterator<Item = Result<Val, Failure>>,
        mut take: impl FnMut(&Val) -> Result<ControlFlow<()>, Refusal>,
    ) -> Result<ControlFlow<()>, Failure> {
        if self.slurp {
            let all = records.collect::<Result<Vec<Val>, Failure>>()?;
            return self.run_on(all.into_iter().collect(), None, &mut take);
        }
        records
            .try_fold((0, ControlFlow::Continue(())), |(index, flow), record| {
                if flow.is_break() {
                    return Ok((index, flow));
                }
                Ok((index + 1, self.run_on(record?, Some(index), &mut take)?))
            })
            .map(|(_, flow)| flow)
    }

    fn run_on(
        &self,
        value: Val,
        record: Option<u64>,
        take: &mut impl FnMut(&Val) -> Result<ControlFlow<()>, Refusal>,
    ) -> Result<ControlFlow<()>, Failure> {
        let vars = Vars::new(self.values.iter().cloned());
        let context = Ctx::<Data>::new(&self.filter.lut, vars);
        for output in self.filter.id.run((context, value)) {
            let taken = take(&output.map_err(|exception| of_exception(exception, record))?);
            match taken {
                Ok(ControlFlow::Continue(())) => {}
                Ok(flow @ ControlFlow::Break(())) => return Ok(flow),
                Err(Refusal::Pipe(error)) => return Err(Failure::Pipe(error)),
                Err(Refusal::Key) => {
                    let message = "object keys must be strings; use `tostring`".to_owned();
                    return Err(JqError::Runtime { message, record }.into());
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn of_exception(exception: Exn<'_, Val>, record: Option<u64>) -> JqError {
    let Ok(error) = exception.get_err() else {
        return JqError::Runtime { message: "break outside of its label".into(), record };
    };
    let message = match error.into_val() {
        Val::TStr(text) => String::from_utf8_lossy(&text).into_owned(),
        other => other.to_string(),
    };
    match message.strip_prefix(patterns::UNSUPPORTED) {
        Some(rest) => {
            JqError::Unsupported { what: format!("the regular expression{}", ends(rest)) }
        }
        None => JqError::Runtime { message: ends(&message), record },
    }
}

/// A text without its middle where it is long: jq's messages hold whole values,
/// and say at their ends what was done with them.
fn ends(text: &str) -> String {
    if text.len() <= 2 * MESSAGE_END {
        return text.to_owned();
    }
    let start = text.floor_char_boundary(MESSAGE_END);
    let end = text.ceil_char_boundary(text.len() - MESSAGE_END);
    format!("{} … {}", &text[..start], &text[end..])
}

/// The records of the input, one a line; blank lines are passed over.
struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
}

impl<R: BufRead> Records<R> {
    fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), line: 0 }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Val, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.buffer.clear();
            match self.input.read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(_) => self.line += 1,
                Err(error) => return Some(Err(Failure::Pipe(error))),
            }
            if !self.buffer.trim_ascii().is_empty() {
                let read = record::read(&self.buffer);
                let (line, buffer) = (self.line, &self.buffer);
                return Some(read.map_err(|what| {
                    let start = String::from_utf8_lossy(&buffer[..buffer.len().min(60)]);
                    let (_, near) = excerpt::at(&start, 0);
                    JqError::BadInput { line, what: format!("{what}\n{near}") }.into()
                }));
            }
        }
    }
}
