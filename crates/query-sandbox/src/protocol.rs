//! The protocol of a worker's output: lines of one tag byte, JSON and a line feed. JSON has no
//! raw line feed, so an output of a filter cannot imitate another line.

use record_sql::Outcome;
use serde::{Deserialize, Serialize};

use crate::{
    job::{Cut, Trial},
    jq_error::JqError,
};

/// Tags an output as JSON.
pub(super) const VALUE: u8 = b'v';
/// Tags an output that is a string and returned as its text; a JSON string here.
pub(super) const TEXT: u8 = b's';
/// Tags every other [`Line`], as JSON.
const OTHER: u8 = b'e';

/// A line from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Line {
    /// An output, as JSON or as the text of a string.
    #[serde(skip)]
    Output(String),
    /// The end of the outputs.
    Full(Cut),
    /// The result of one trial.
    Trial(Result<Trial, JqError>),
    /// The last line of a statement, whose rows are the outputs.
    Sql(Result<Outcome, record_sql::SqlError>),
    /// Whether the filter runs on the array of all records. The last such line counts.
    Slurped(bool),
    /// The notes about a filter that ran to its end.
    Notes(Vec<String>),
    /// The last line: the number of outputs.
    End(Result<Option<u64>, JqError>),
}

/// Reads a line with its line feed. None if it is not a line of the protocol.
pub fn read(line: &[u8]) -> Option<Line> {
    let (tag, rest) = line.strip_suffix(b"\n")?.split_first()?;
    match *tag {
        VALUE => Some(Line::Output(str::from_utf8(rest).ok()?.to_owned())),
        TEXT => serde_json::from_slice(rest).ok().map(Line::Output),
        OTHER => serde_json::from_slice(rest).ok(),
        _ => None,
    }
}

/// Returns a line that is no output.
pub(super) fn write(line: &Line) -> Vec<u8> {
    let mut text = vec![OTHER];
    serde_json::to_writer(&mut text, line).expect("strings, numbers and lists always serialise");
    text.push(b'\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        assert!(matches!(read(&write(&Line::End(Ok(Some(7))))), Some(Line::End(Ok(Some(7))))));
        let failed = JqError::Runtime { message: "a\nb".into(), record: None };
        assert!(matches!(
            read(&write(&Line::Trial(Err(failed)))),
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
