//! Lines of the log, on standard error. No message puts content into one; where
//! secrets are to stay out of sight, each line is read once more by the rules, for
//! what a library, a path or an operator's own setting may bring in.

use std::io::{self, Write};

use redact::Redact;

/// A writer of whole lines, as the subscriber hands them on.
pub(super) struct Lines(pub(super) Redact);

impl Write for Lines {
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
