//! The outputs of a filter: skipped, written, or only counted.

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use jaq_json::Val;

use super::json_text::{self, LoneSurrogates, WriteError};
use crate::job::{Cut, JobMessage};
use crate::protocol::{self, Line};

/// The most outputs that are counted after the last one written.
const MAX_COUNTED_AFTER: u64 = 1_000_000;

/// Why an output cannot be written.
pub(super) enum OutputError {
    /// It has a key that is not a string.
    Key,
    /// The pipe is closed.
    Pipe(io::Error),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

/// Writes the outputs of a job.
pub(super) struct OutputWriter<W> {
    out: W,
    raw: bool,
    offset: u64,
    limit: u64,
    room: usize,
    seen: u64,
    nulls: u64,
    written: u64,
    /// The number of outputs when the last one was written.
    full: Option<u64>,
    line: Vec<u8>,
}

impl<W: Write> OutputWriter<W> {
    pub(super) fn new(out: W, job: &JobMessage, room: usize) -> Self {
        Self {
            out,
            raw: job.raw,
            offset: job.offset,
            limit: job.limit.unwrap_or(u64::MAX),
            room,
            seen: 0,
            nulls: 0,
            written: 0,
            full: None,
            line: Vec::new(),
        }
    }

    /// Returns true if the last output of the page was written.
    pub(super) fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// Returns the number of outputs.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// Returns the number of outputs that are null.
    pub(super) fn nulls(&self) -> u64 {
        self.nulls
    }

    /// Writes whether the filter runs on the array of all records.
    pub(super) fn start(&mut self, slurped: bool) -> io::Result<()> {
        self.out.write_all(&protocol::write(&Line::Slurped(slurped)))
    }

    /// Writes the notes about a filter that ended.
    pub(super) fn note(&mut self, notes: Vec<String>) -> io::Result<()> {
        self.out.write_all(&protocol::write(&Line::Notes(notes)))
    }

    /// Writes, skips or counts an output; breaks when too many were only counted.
    pub(super) fn take(&mut self, value: &Val) -> Result<ControlFlow<()>, OutputError> {
        self.seen += 1;
        self.nulls += u64::from(matches!(value, Val::Null));
        if let Some(full) = self.full {
            let more = self.seen - full < MAX_COUNTED_AFTER;
            return Ok(if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
        }
        if self.seen <= self.offset {
            return Ok(ControlFlow::Continue(()));
        }
        if self.written >= self.limit {
            return self.fill(Cut::Limit);
        }
        self.line.clear();
        let written = match value {
            Val::TStr(bytes) if self.raw => {
                self.line.push(protocol::TEXT);
                json_text::write_string(bytes, &mut self.line, self.room, LoneSurrogates::Replace)
            }
            value => {
                self.line.push(protocol::VALUE);
                json_text::write(value, &mut self.line, self.room)
            }
        };
        self.line.push(b'\n');
        match written {
            Err(WriteError::Key) => return Err(OutputError::Key),
            Err(WriteError::TooLong) => return self.fill(Cut::OutputBytes),
            Ok(()) if self.line.len() > self.room => return self.fill(Cut::OutputBytes),
            Ok(()) => {}
        }
        self.out.write_all(&self.line)?;
        self.room -= self.line.len();
        self.written += 1;
        Ok(ControlFlow::Continue(()))
    }

    fn fill(&mut self, cut: Cut) -> Result<ControlFlow<()>, OutputError> {
        self.full = Some(self.seen);
        self.out.write_all(&protocol::write(&Line::Full(cut)))?;
        self.out.flush()?;

        Ok(ControlFlow::Continue(()))
    }
}
