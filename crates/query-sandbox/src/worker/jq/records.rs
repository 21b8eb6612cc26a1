//! The records in the input of a worker.

use std::io::BufRead;

use jaq_json::Val;

use super::{program::RunError, record};
use crate::jq_error::JqError;
use record_sql::excerpt;

/// Reads the records of the input, one on each line. Skips blank lines.
pub(super) struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
}

impl<R: BufRead> Records<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), line: 0 }
    }
}

impl<R: BufRead> Iterator for Records<R> {
    type Item = Result<Val, RunError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.buffer.clear();
            match self.input.read_until(b'\n', &mut self.buffer) {
                Ok(0) => return None,
                Ok(_) => self.line += 1,
                Err(error) => return Some(Err(RunError::Pipe(error))),
            }
            if !self.buffer.trim_ascii().is_empty() {
                let record = record::read(&self.buffer);
                let (line, buffer) = (self.line, &self.buffer);
                return Some(record.map_err(|what| {
                    let start = String::from_utf8_lossy(&buffer[..buffer.len().min(60)]);
                    let (_, near) = excerpt::at(&start, 0);
                    JqError::BadInput { line, what: format!("{what}\n{near}") }.into()
                }));
            }
        }
    }
}
