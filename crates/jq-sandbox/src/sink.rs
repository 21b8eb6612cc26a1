//! Where the outputs of a filter go: left out, written, or only counted.

use std::{
    io::{self, Write},
    ops::ControlFlow,
};

use jaq_json::Val;

use super::{
    job::{Cut, Task},
    line,
    text::{self, Lone, NoText},
};

/// How many outputs are counted after the last one given.
const COUNT_ON: u64 = 1_000_000;

/// Why an output could not be taken.
pub(super) enum Refusal {
    /// It has no JSON text.
    Key,
    /// Nobody listens.
    Pipe(io::Error),
}

/// What has come of a job's outputs so far.
pub(super) struct Sink<W> {
    out: W,
    raw: bool,
    offset: u64,
    limit: u64,
    room: usize,
    seen: u64,
    given: u64,
    /// How many outputs had been seen when the last one was given.
    full: Option<u64>,
    line: Vec<u8>,
}

impl<W: Write> Sink<W> {
    pub(super) fn new(out: W, task: &Task, room: usize) -> Self {
        Self {
            out,
            raw: task.raw,
            offset: task.offset,
            limit: task.limit.unwrap_or(u64::MAX),
            room,
            seen: 0,
            given: 0,
            full: None,
            line: Vec::new(),
        }
    }

    /// Whether the last output that is wanted has been given.
    pub(super) fn is_full(&self) -> bool {
        self.full.is_some()
    }

    /// How many outputs came.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    pub(super) fn into_inner(self) -> W {
        self.out
    }

    /// Takes an output; breaks where counting on is not worth it.
    pub(super) fn take(&mut self, value: &Val) -> Result<ControlFlow<()>, Refusal> {
        self.seen += 1;
        if let Some(full) = self.full {
            let on = self.seen - full < COUNT_ON;
            return Ok(if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) });
        }
        if self.seen <= self.offset {
            return Ok(ControlFlow::Continue(()));
        }
        if self.given >= self.limit {
            return self.fill(Cut::Limit);
        }
        self.line.clear();
        let written = match value {
            Val::TStr(bytes) if self.raw => {
                self.line.push(line::TEXT);
                text::write_string(bytes, &mut self.line, self.room, Lone::Replaced)
            }
            value => {
                self.line.push(line::VALUE);
                text::write(value, &mut self.line, self.room)
            }
        };
        self.line.push(b'\n');
        match written {
            Err(NoText::Key) => return Err(Refusal::Key),
            Err(NoText::TooLong) => return self.fill(Cut::OutputBytes),
            Ok(()) if self.line.len() > self.room => return self.fill(Cut::OutputBytes),
            Ok(()) => {}
        }
        self.out.write_all(&self.line).map_err(Refusal::Pipe)?;
        self.room -= self.line.len();
        self.given += 1;
        Ok(ControlFlow::Continue(()))
    }

    fn fill(&mut self, cut: Cut) -> Result<ControlFlow<()>, Refusal> {
        self.full = Some(self.seen);
        self.out.write_all(&line::write(line::FULL, &cut)).map_err(Refusal::Pipe)?;
        self.out.flush().map_err(Refusal::Pipe)?;
        Ok(ControlFlow::Continue(()))
    }
}
