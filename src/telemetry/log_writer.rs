//! The log writer, on standard error or to a file. Messages hold no content. With redaction, each
//! line is redacted as well, because a library, a path or an operator's setting may contain a
//! secret.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use redact::Redact;

/// A writer of complete lines.
pub(super) struct LogWriter {
    pub redact: Redact,
    /// The file that takes the lines in place of standard error.
    pub file: Option<Arc<File>>,
}

impl LogWriter {
    fn put(&self, line: &[u8]) -> io::Result<()> {
        match self.file.as_deref() {
            Some(mut file) => file.write_all(line),
            None => io::stderr().lock().write_all(line),
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match (self.redact, std::str::from_utf8(line)) {
            (Redact::Secrets, Ok(text)) => self.put(self.redact.text(text).as_bytes())?,
            _ => self.put(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
