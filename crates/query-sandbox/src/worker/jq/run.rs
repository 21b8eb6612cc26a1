//! Runs one filter over the records, and writes its outputs and the notes about it.

use std::{
    io::{BufRead, Write},
    ops::ControlFlow,
};

use jaq_json::Val;

use super::{
    error_text,
    output::OutputWriter,
    program::{Program, RunError},
    reading::{self, FieldCheck, Meant, Reading},
    records::Records,
};
use crate::{job::JobMessage, jq_error::JqError};

/// The note about a filter for an array that ran on each record.
const ONE_BY_ONE: &str = "the filter ran on each record by itself, and none is an array; with \
                          `slurp: true` it gets all of them as one array";

/// Runs a job. Returns the number of outputs, if it ran to its end.
///
/// # Errors
///
/// Fails if reading or writing fails, or with the error of the filter.
pub(super) fn run(
    job: &JobMessage,
    input: impl BufRead,
    output: impl Write,
    room: usize,
) -> Result<Option<u64>, RunError> {
    let program = Program::new(job)?;
    let mut writer = OutputWriter::new(output, job, room);
    match run_as_meant(job, &program, Records::new(input), &mut writer) {
        Ok(ControlFlow::Continue(())) => Ok(Some(writer.seen())),
        Ok(ControlFlow::Break(())) => Ok(None),
        // The page is complete: a later error does not matter.
        Err(RunError::Jq(_)) if writer.is_full() => Ok(None),
        Err(error) => Err(error),
    }
}

fn run_as_meant<W: Write>(
    job: &JobMessage,
    program: &Program,
    records: impl Iterator<Item = Result<Val, RunError>>,
    writer: &mut OutputWriter<W>,
) -> Result<ControlFlow<()>, RunError> {
    let mut records = records.peekable();
    let reading = reading::read(&job.filter, false);
    let first = records.next();
    let meant = match &first {
        // A text or number alone is no element.
        Some(Ok(record)) if matches!(record, Val::Obj(_)) || records.peek().is_some() => {
            reading.input.meant(record)
        }
        _ => Meant::Each,
    };
    let records = first.into_iter().chain(records);
    if !job.slurp.unwrap_or(meant != Meant::Each) {
        let one_by_one = (meant == Meant::All).then_some(ONE_BY_ONE);
        let result = run_on_each(program, reading, one_by_one, records, writer);
        return if one_by_one.is_some() { result.map_err(with_slurp) } else { result };
    }
    writer.start(true)?;
    let mut check = FieldCheck::new(reading::read(&job.filter, true));
    let all = records.map(|record| record.inspect(|record| check.see(record)));
    let all: Vec<Val> = all.collect::<Result<_, _>>()?;
    let may_be_each = job.slurp.is_none() && meant == Meant::AllIfPossible;
    let again = may_be_each.then(|| all.clone());
    let result = program.run_on_all(all, &mut |value| writer.take(value));
    match (result.map_err(|error| with_cause(error, &check)), again) {
        (Err(RunError::Jq(error)), Some(records)) if writer.seen() == 0 => {
            writer.start(false)?;
            let records = records.into_iter().map(Ok);
            match run_on_each(program, reading, None, records, writer) {
                Err(RunError::Jq(_)) if writer.seen() == 0 => Err(RunError::Jq(error)),
                result => result,
            }
        }
        (Ok(flow), _) => {
            write_notes(writer, flow, check, None)?;
            Ok(flow)
        }
        (error, _) => error,
    }
}

/// Adds to an error the field that is its likely cause.
fn with_cause(error: RunError, check: &FieldCheck) -> RunError {
    let RunError::Jq(JqError::Runtime { message, record }) = error else { return error };
    let cause = if message.starts_with(error_text::INDEX_ARRAY) {
        check.through_arrays().map(|path| format!("; the path is {path}"))
    } else if message.starts_with(error_text::INDEX) {
        None
    } else {
        check.first_absent().map(|note| format!("; {note}"))
    };
    let message = message + &cause.unwrap_or_default();
    RunError::Jq(JqError::Runtime { message, record })
}

/// Adds to an error of a filter for an array how to run it on one.
fn with_slurp(error: RunError) -> RunError {
    match error {
        RunError::Jq(JqError::Runtime { message, record }) => {
            let message = format!("{message}; with `slurp: true` it gets the array of all records");
            RunError::Jq(JqError::Runtime { message, record })
        }
        other => other,
    }
}

fn run_on_each<W: Write>(
    program: &Program,
    reading: Reading,
    one_by_one: Option<&str>,
    records: impl Iterator<Item = Result<Val, RunError>>,
    writer: &mut OutputWriter<W>,
) -> Result<ControlFlow<()>, RunError> {
    let mut check = FieldCheck::new(reading);
    let records = records.map(|record| record.inspect(|record| check.see(record)));
    let result = program.run_on_each(records, |value| writer.take(value));
    let flow = result.map_err(|error| with_cause(error, &check))?;
    write_notes(writer, flow, check, one_by_one)?;
    Ok(flow)
}

/// Writes the notes about a filter that ran on all records. `one_by_one` is one of them if no
/// output says more than null.
fn write_notes<W: Write>(
    writer: &mut OutputWriter<W>,
    flow: ControlFlow<()>,
    check: FieldCheck,
    one_by_one: Option<&str>,
) -> Result<(), RunError> {
    if flow.is_break() {
        return Ok(());
    }
    let says_nothing = writer.seen() == writer.nulls();
    let mut notes = check.notes(says_nothing);
    notes.extend(one_by_one.filter(|_| says_nothing && writer.seen() > 0).map(str::to_owned));
    Ok(writer.note(notes)?)
}
