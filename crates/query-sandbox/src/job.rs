//! A jq filter, and its outcome.

use serde::{Deserialize, Serialize};

/// A filter, and how to run it over records.
///
/// ```
/// use query_sandbox::Job;
///
/// let job = Job { limit: Some(10), slurp: Some(true), ..Job::new("map(.size) | add") };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The filter in the language of jq.
    pub filter: &'a str,
    /// The variables of the filter: names without `$`, and JSON texts.
    pub vars: &'a [(String, String)],
    /// Runs the filter once, on the array of all records (true), or on each record (false). If
    /// None, on the array if the records are objects and the filter does not use them as objects:
    /// `length`, `map(.x)`, `group_by(.x)`, `.[0]`.
    pub slurp: Option<bool>,
    /// Returns strings without quotes and escapes, like `jq -r`.
    pub raw: bool,
    /// The number of outputs that are skipped at the start.
    pub offset: u64,
    /// The most outputs that are returned after those; None for all.
    pub limit: Option<u64>,
}

impl<'a> Job<'a> {
    /// Returns a job that returns all outputs of `filter` as JSON.
    pub fn new(filter: &'a str) -> Self {
        Self { filter, vars: &[], slurp: None, raw: false, offset: 0, limit: None }
    }
}

/// The outputs of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The outputs as compact JSON; with `raw`, strings as their text.
    pub values: Vec<String>,
    /// The number of all outputs, also those that are not in `values`; None if the filter was not
    /// run to its end.
    pub total: Option<u64>,
    /// Why `values` does not have all outputs after the offset.
    pub cut: Option<Cut>,
    /// True if the filter ran once, on the array of all records.
    pub slurped: bool,
    /// The fields of the filter that no record has, with similar ones.
    pub warnings: Vec<String>,
}

/// The limit that ended the list of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// [`Job::limit`].
    Limit,
    /// [`crate::Limits::output_bytes`]: the next output did not fit.
    OutputBytes,
}

/// The result of a filter that was only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// The number of outputs.
    pub outputs: u64,
    /// The number of outputs that are null.
    pub nulls: u64,
}

/// A [`Job`] as a worker receives it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JobMessage {
    pub(super) filter: String,
    pub(super) vars: Vec<(String, String)>,
    pub(super) slurp: Option<bool>,
    pub(super) raw: bool,
    pub(super) offset: u64,
    pub(super) limit: Option<u64>,
}

impl From<&Job<'_>> for JobMessage {
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
