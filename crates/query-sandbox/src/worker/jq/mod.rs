//! Runs jq filters.

mod adapt;
mod compile;
mod compile_error;
mod data;
mod error_text;
mod index_path;
mod json_text;
mod natives;
mod output;
mod patterns;
mod program;
mod reading;
mod record;
mod records;
mod remove_paths;
mod run;
#[cfg(test)]
mod tests;
mod unsupported;

use std::{
    io::{self, BufRead, Write},
    ops::ControlFlow,
};

use jaq_json::Val;

use crate::{
    job::{JobMessage, Trial},
    jq_error::JqError,
    protocol,
    request::JqRequest,
};
pub(super) use error_text::ends;
use output::OutputError;
use program::{Program, RunError};
use records::Records;

/// Runs or tries the filters of a request, and writes the last line.
///
/// # Errors
///
/// Fails if reading or writing fails.
pub(super) fn serve(
    request: &JqRequest,
    input: impl BufRead,
    output: &mut impl Write,
) -> io::Result<()> {
    let last = if request.only_try {
        try_all(&request.jobs, input, output)?
    } else {
        match request.jobs.first() {
            Some(job) => run::run(job, input, &mut *output, request.output_bytes)?,
            None => Ok(None),
        }
    };
    output.write_all(&protocol::write(protocol::END, &last))
}

/// The result of a run: the outer error is of the pipe, the inner one of the filter.
type RunResult<T> = io::Result<Result<T, JqError>>;

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
        let result = Program::new(job).map(|program| try_one(&program, job, &records, count));
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

fn try_one(
    program: &Program,
    job: &JobMessage,
    records: &[Val],
    mut take: impl FnMut(&Val) -> Result<ControlFlow<()>, OutputError>,
) -> Result<ControlFlow<()>, RunError> {
    if job.slurp == Some(true) {
        return program.run_on_all(records.to_vec(), &mut take);
    }
    program.run_on_each(records.iter().cloned().map(Ok), take)
}
