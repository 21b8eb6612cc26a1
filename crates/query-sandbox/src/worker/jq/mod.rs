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
    protocol::{self, Line},
    request::JqRequest,
};
pub(super) use error_text::ends;
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
        try_all(&request.jobs, input, output)
    } else {
        match request.jobs.first() {
            Some(job) => run::run(job, input, &mut *output, request.output_bytes),
            None => Ok(None),
        }
    };
    output.write_all(&protocol::write(&Line::End(without_pipe(last)?)))
}

/// Parts the errors of the pipe from those of the filter and the records.
fn without_pipe<T>(result: Result<T, RunError>) -> io::Result<Result<T, JqError>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(RunError::Jq(error)) => Ok(Err(error)),
        Err(RunError::Pipe(error)) => Err(error),
    }
}

fn try_all(
    jobs: &[JobMessage],
    input: impl BufRead,
    output: &mut impl Write,
) -> Result<Option<u64>, RunError> {
    let records: Vec<Val> = Records::new(input).collect::<Result<_, _>>()?;
    for job in jobs {
        let trial = without_pipe(try_one(job, &records))?;
        output.write_all(&protocol::write(&Line::Trial(trial)))?;
        output.flush()?;
    }
    Ok(None)
}

fn try_one(job: &JobMessage, records: &[Val]) -> Result<Trial, RunError> {
    let program = Program::new(job)?;
    let mut trial = Trial { outputs: 0, nulls: 0 };
    let mut count = |value: &Val| {
        trial.outputs += 1;
        trial.nulls += u64::from(matches!(value, Val::Null));
        Ok(ControlFlow::Continue(()))
    };
    _ = if job.slurp == Some(true) {
        program.run_on_all(records.to_vec(), &mut count)?
    } else {
        program.run_on_each(records.iter().cloned().map(Ok), count)?
    };
    Ok(trial)
}
