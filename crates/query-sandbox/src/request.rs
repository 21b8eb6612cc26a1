//! The first line of a worker's input.

use serde::{Deserialize, Serialize};

use crate::job::JobMessage;

/// The request of a worker; the records follow it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Request {
    Sql(SqlRequest),
    Jq(JqRequest),
}

/// jq filters over the rest of the input.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JqRequest {
    pub(super) jobs: Vec<JobMessage>,
    /// Only counts the outputs, of every job; else there is one job.
    pub(super) only_try: bool,
    pub(super) output_bytes: usize,
}

/// An SQL statement over files that follow one another.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SqlRequest {
    pub(super) sql: String,
    pub(super) files: Vec<FileMessage>,
    pub(super) offset: u64,
    pub(super) limit: Option<u64>,
    pub(super) time_ms: u64,
    pub(super) memory_bytes: u64,
    pub(super) output_bytes: usize,
}

/// A file of records: its names, and its length in the input.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct FileMessage {
    pub(super) names: Vec<String>,
    pub(super) bytes: u64,
}

impl Request {
    /// Returns the bytes of all outputs, and the number of other lines at most.
    pub(super) fn room(&self) -> (usize, usize) {
        match self {
            Self::Sql(request) => (request.output_bytes, 2),
            Self::Jq(request) => (request.output_bytes, request.jobs.len() + 4),
        }
    }
}
