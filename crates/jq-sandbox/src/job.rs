//! What a filter is asked to do, and what came of it.

use serde::{Deserialize, Serialize};

/// A filter and how it is run over the records.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// In jq's language.
    pub filter: &'a str,
    /// What the filter sees as `$name`: the name without `$`, and JSON text.
    pub vars: &'a [(String, String)],
    /// One run over the array of all records, in place of a run for each.
    pub slurp: bool,
    /// Strings come without quotes and escapes, as with `jq -r`.
    pub raw: bool,
    /// How many outputs are left out at the start.
    pub offset: u64,
    /// The most outputs that are given after those.
    pub limit: Option<u64>,
}

impl<'a> Job<'a> {
    /// Each record through `filter`: no variables, every output, as JSON.
    pub fn new(filter: &'a str) -> Self {
        Self { filter, vars: &[], slurp: false, raw: false, offset: 0, limit: None }
    }
}

/// What a filter gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Compact JSON each, or with `raw` the text of a string.
    pub values: Vec<String>,
    /// How many outputs the filter has, the ones not given included; none
    /// where it was not run to its end.
    pub total: Option<u64>,
    /// What kept `values` from holding every output after the offset.
    pub cut: Option<Cut>,
    /// Fields that the filter names and no record has, where every output is
    /// null or there is none; each with the nearest names that records have.
    pub warnings: Vec<String>,
}

/// What ended the list of outputs before the filter's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// [`Job::limit`].
    Limit,
    /// [`super::Limits::output_bytes`]; the next output would not fit.
    OutputBytes,
}

/// What a filter gave that was only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// How many outputs the filter has.
    pub outputs: u64,
    /// How many of them are null.
    pub nulls: u64,
}

/// The first line that a worker reads; the records follow it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) jobs: Vec<Task>,
    /// Only count the outputs, of every job; else there is one job.
    pub(super) only_try: bool,
    pub(super) output_bytes: usize,
}

/// A [`Job`] on its way to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) filter: String,
    pub(super) vars: Vec<(String, String)>,
    pub(super) slurp: bool,
    pub(super) raw: bool,
    pub(super) offset: u64,
    pub(super) limit: Option<u64>,
}

impl From<&Job<'_>> for Task {
    fn from(job: &Job<'_>) -> Self {
        Self {
            filter: job.filter.to_owned(),
            vars: job.vars.to_vec(),
            slurp: job.slurp,
            raw: job.raw,
            offset: job.offset,
            limit: job.limit,
        }
    }
}
