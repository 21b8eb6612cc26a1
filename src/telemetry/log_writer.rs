//! The log writer, on standard error. Messages hold no content; with redaction on, each line is
//! redacted as well, for what a library, a path or an operator's setting may bring in.

use std::io::{self, Write};

use redact::Redact;

/// A writer of complete lines.
pub(super) struct LogWriter(pub(super) Redact);

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut out = io::stderr().lock();
        match (self.0, std::str::from_utf8(line)) {
            (Redact::Secrets, Ok(text)) => {
                out.write_all(self.0.text(text).as_bytes())?;
            }
            _ => out.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
