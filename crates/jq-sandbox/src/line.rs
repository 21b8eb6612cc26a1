//! A line that the worker says: one tag byte, then JSON, then a line feed. JSON
//! text holds no raw line feed, so no output of a filter can look like a line of
//! the worker's own.

use super::{
    error::JqError,
    job::{Cut, Tried},
};

/// An output as JSON.
pub(super) const VALUE: u8 = b'v';
/// An output that is a string and is given as its text; a JSON string here.
pub(super) const TEXT: u8 = b's';
/// No further outputs follow: a [`Cut`].
pub(super) const FULL: u8 = b'f';
/// What trying one filter gave: a `Result<Tried, JqError>`.
pub(super) const TRIED: u8 = b't';
/// The last word: a `Result<Option<u64>, JqError>`, the number of outputs.
pub(super) const END: u8 = b'e';

/// A line read.
#[derive(Debug)]
pub enum Line {
    /// An output, as JSON or as the text of a string.
    Output(String),
    /// No further outputs follow.
    Full(Cut),
    /// What trying one filter gave.
    Tried(Result<Tried, JqError>),
    /// The last word: how many outputs there were.
    End(Result<Option<u64>, JqError>),
}

/// Reads a line, its line feed included; none where it is none of the above.
pub fn read(line: &[u8]) -> Option<Line> {
    let (tag, rest) = line.strip_suffix(b"\n")?.split_first()?;
    Some(match *tag {
        VALUE => Line::Output(str::from_utf8(rest).ok()?.to_owned()),
        TEXT => Line::Output(serde_json::from_slice(rest).ok()?),
        FULL => Line::Full(serde_json::from_slice(rest).ok()?),
        TRIED => Line::Tried(serde_json::from_slice(rest).ok()?),
        END => Line::End(serde_json::from_slice(rest).ok()?),
        _ => return None,
    })
}

/// A line of the worker's own.
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
        let failed: Result<Tried, JqError> =
            Err(JqError::Runtime { message: "a\nb".into(), record: None });
        assert!(matches!(
            read(&write(TRIED, &failed)),
            Some(Line::Tried(Err(JqError::Runtime { message, record: None }))) if message == "a\nb"
        ));
        assert!(matches!(read(b"s\"a\\nb\"\n"), Some(Line::Output(text)) if text == "a\nb"));
    }

    #[test]
    fn anything_else_is_no_line() {
        for line in [&b""[..], b"\n", b"x1\n", b"v1", b"v\xff\n", b"s1\n", b"e{\n"] {
            assert!(read(line).is_none(), "{line:?}");
        }
    }
}
