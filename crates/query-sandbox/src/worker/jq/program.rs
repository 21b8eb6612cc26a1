//! The program of a job: its compiled filter, and how it runs over records.

use std::{io, ops::ControlFlow};

use jaq_core::{Ctx, Exn, Filter, Vars};
use jaq_json::Val;

use super::{
    compile,
    data::Data,
    error_text::{ends, explain},
    output::OutputError,
    patterns, record,
};
use crate::{job::JobMessage, jq_error::JqError};

/// Why a run ended early.
pub(super) enum RunError {
    /// An error of the filter or of a record.
    Jq(JqError),
    /// The pipe to the client is closed.
    Pipe(io::Error),
}

impl From<JqError> for RunError {
    fn from(error: JqError) -> Self {
        Self::Jq(error)
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

/// A compiled filter with the values of its variables.
pub(super) struct Program {
    filter: Filter<Data>,
    values: Vec<Val>,
}

impl Program {
    /// Compiles the filter of a job.
    ///
    /// # Errors
    ///
    /// Fails if a variable or the filter is invalid.
    pub(super) fn new(job: &JobMessage) -> Result<Self, JqError> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for (name, json) in &job.vars {
            let invalid = |why| JqError::Variable { name: name.clone(), why };
            let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                return Err(invalid("a name has ASCII letters, digits and _ only".into()));
            }
            names.push(format!("${name}"));
            let value = record::read(json.as_bytes())
                .map_err(|error| invalid(format!("its value is not JSON: {}", ends(&error))))?;
            values.push(value);
        }
        let filter = compile::compile(&job.filter, &names)?;
        Ok(Self { filter, values })
    }

    /// Runs the filter on each record, and passes each output to `take` until it breaks.
    ///
    /// # Errors
    ///
    /// Fails with the first error of a record, the filter or `take`.
    pub(super) fn run_on_each(
        &self,
        mut records: impl Iterator<Item = Result<Val, RunError>>,
        mut take: impl FnMut(&Val) -> Result<ControlFlow<()>, OutputError>,
    ) -> Result<ControlFlow<()>, RunError> {
        records
            .try_fold((0, ControlFlow::Continue(())), |(index, flow), record| {
                if flow.is_break() {
                    return Ok((index, flow));
                }
                Ok((index + 1, self.run_on(record?, Some(index), &mut take)?))
            })
            .map(|(_, flow)| flow)
    }

    /// Runs the filter on the array of all records, and passes each output to `take` until it
    /// breaks.
    ///
    /// # Errors
    ///
    /// Fails with the first error of the filter or `take`.
    pub(super) fn run_on_all(
        &self,
        records: Vec<Val>,
        take: &mut impl FnMut(&Val) -> Result<ControlFlow<()>, OutputError>,
    ) -> Result<ControlFlow<()>, RunError> {
        self.run_on(records.into_iter().collect(), None, take)
    }

    fn run_on(
        &self,
        value: Val,
        record: Option<u64>,
        take: &mut impl FnMut(&Val) -> Result<ControlFlow<()>, OutputError>,
    ) -> Result<ControlFlow<()>, RunError> {
        let vars = Vars::new(self.values.iter().cloned());
        let context = Ctx::<Data>::new(&self.filter.lut, vars);
        for output in self.filter.id.run((context, value)) {
            let taken = take(&output.map_err(|exception| exception_error(exception, record))?);
            match taken {
                Ok(ControlFlow::Continue(())) => {}
                Ok(flow @ ControlFlow::Break(())) => return Ok(flow),
                Err(OutputError::Pipe(error)) => return Err(error.into()),

                Err(OutputError::Key) => {
                    let message = "object keys must be strings; use `tostring`".to_owned();
                    return Err(JqError::Runtime { message, record }.into());
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn exception_error(exception: Exn<'_, Val>, record: Option<u64>) -> JqError {
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
        None => JqError::Runtime { message: explain(&message), record },
    }
}
