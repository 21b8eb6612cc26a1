//! The protocol of a worker's output: lines of one tag byte, JSON and a line feed. JSON has no
//! raw line feed, so an output of a filter cannot imitate another line.

use record_sql::Outcome;

use crate::{
    job::{Cut, Trial},
    jq_error::JqError,
};

/// Tags an output as JSON.
pub(super) const VALUE: u8 = b'v';
/// Tags an output that is a string and returned as its text; a JSON string here.
pub(super) const TEXT: u8 = b's';
/// Tags the end of the outputs: a [`Cut`].
pub(super) const FULL: u8 = b'f';
/// Tags the result of one trial: a `Result<Trial, JqError>`.
pub(super) const TRIAL: u8 = b't';
/// Tags the last line of a statement: a `Result<Outcome, record_sql::SqlError>`, whose rows are the
/// outputs.
pub(super) const SQL: u8 = b'q';
/// Tags whether the filter runs on the array of all records. The last such line counts.
pub(super) const SLURPED: u8 = b'a';
/// Tags the notes about a filter that ran to its end.
pub(super) const NOTES: u8 = b'n';
/// Tags the last line: a `Result<Option<u64>, JqError>`, the number of outputs.
pub(super) const END: u8 = b'e';

/// A line from a worker.
#[derive(Debug)]
pub enum Line {
    /// An output, as JSON or as the text of a string.
    Output(String),
    /// The end of the outputs.
    Full(Cut),
    /// The result of one trial.
    Trial(Result<Trial, JqError>),
    /// The last line of a statement, whose rows are the outputs.
    Sql(Result<Outcome, record_sql::SqlError>),
    /// Whether the filter runs on the array of all records.
    Slurped(bool),
    /// The notes about a filter.
    Notes(Vec<String>),
    /// The last line: the number of outputs.
    End(Result<Option<u64>, JqError>),
}

/// Reads a line with its line feed. None if it is not a line of the protocol.
pub fn read(line: &[u8]) -> Option<Line> {
    let (tag, rest) = line.strip_suffix(b"\n")?.split_first()?;
    Some(match *tag {
        VALUE => Line::Output(str::from_utf8(rest).ok()?.to_owned()),
        TEXT => Line::Output(serde_json::from_slice(rest).ok()?),
        FULL => Line::Full(serde_json::from_slice(rest).ok()?),
        TRIAL => Line::Trial(serde_json::from_slice(rest).ok()?),
        SQL => Line::Sql(serde_json::from_slice(rest).ok()?),
        SLURPED => Line::Slurped(serde_json::from_slice(rest).ok()?),
        NOTES => Line::Notes(serde_json::from_slice(rest).ok()?),
        END => Line::End(serde_json::from_slice(rest).ok()?),
        _ => return None,
    })
}

/// Returns a line.
pub(super) fn write(tag: u8, body: &impl serde::Serialize) -> Vec<u8> {
    let mut line = vec![tag];
    serde_json::to_writer(&mut line, body).expect("strings, numbers and lists always serialise");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let end: Result<Option<u64>, JqError> = Ok(Some(7));
        assert!(matches!(read(&write(END, &end)), Some(Line::End(Ok(Some(7))))));
        let failed: Result<Trial, JqError> =
            Err(JqError::Runtime { message: "a\nb".into(), record: None });
        assert!(matches!(
            read(&write(TRIAL, &failed)),
            Some(Line::Trial(Err(JqError::Runtime { message, record: None }))) if message == "a\nb"
        ));
        assert!(matches!(read(b"s\"a\\nb\"\n"), Some(Line::Output(text)) if text == "a\nb"));
    }

    #[test]
    fn other_lines_are_rejected() {
        for line in [&b""[..], b"\n", b"x1\n", b"v1", b"v\xff\n", b"s1\n", b"e{\n"] {
            assert!(read(line).is_none(), "{line:?}");
        }
    }
}
