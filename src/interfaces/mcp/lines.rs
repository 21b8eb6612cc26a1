//! Lines of a stream, up to a length limit.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use super::message::{INVALID_REQUEST, PARSE_ERROR, error, id_at_the_edges, is_json};

/// Bytes kept of either end of a line that is too long.
const EDGE_BYTES: usize = 4_096;

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A complete line without its line feed.
    Whole(Vec<u8>),
    /// A line over the limit.
    TooLong {
        /// Its first bytes.
        head: Vec<u8>,
        /// Its last bytes.
        tail: Vec<u8>,
        /// Length of the line.
        bytes: u64,
    },
}

impl Line {
    /// Returns the line if it is JSON, otherwise the JSON-RPC error that answers it.
    /// `limit` is the limit that the line was read with.
    pub(crate) fn json(self, limit: usize) -> Result<Vec<u8>, Vec<u8>> {
        match self {
            Line::Whole(line) if std::str::from_utf8(&line).is_ok_and(is_json) => Ok(line),
            Line::Whole(_) => {
                let why = "the line is not JSON; accepted is one JSON-RPC message a line";
                Err(error("null", PARSE_ERROR, why))
            }
            Line::TooLong { head, tail, bytes } => {
                let [head, tail] =
                    [head, tail].map(|edge| String::from_utf8_lossy(&edge).into_owned());
                let id = id_at_the_edges(&head, &tail);
                let why = format!(
                    "the message has {bytes} bytes; accepted are up to {limit} \
                     (server.body_limit_bytes)"
                );
                Err(error(id.as_deref().unwrap_or("null"), INVALID_REQUEST, &why))
            }
        }
    }
}

/// Returns the next line that is not blank; `None` at the end. A line of more than `limit` bytes is
/// read to its end, but only its edges are kept.
pub(crate) async fn next(
    input: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> io::Result<Option<Line>> {
    loop {
        let Some(line) = read(input, limit).await? else { return Ok(None) };
        if !matches!(&line, Line::Whole(line) if line.trim_ascii().is_empty()) {
            return Ok(Some(line));
        }
    }
}

async fn read(input: &mut (impl AsyncBufRead + Unpin), limit: usize) -> io::Result<Option<Line>> {
    let (mut line, mut tail, mut bytes) = (Vec::new(), Vec::new(), 0u64);
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() && bytes == 0 {
            return Ok(None);
        }
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        bytes += part.len() as u64;
        let room = limit.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        if part.len() > room {
            if tail.is_empty() {
                tail.extend_from_slice(&line[line.len().saturating_sub(EDGE_BYTES)..]);
            }
            tail.extend_from_slice(&part[room..]);
            tail.drain(..tail.len().saturating_sub(EDGE_BYTES));
        }
        let (used, ended) =
            (end.map_or(part.len(), |at| at + 1), end.is_some() || chunk.is_empty());
        input.consume(used);
        if ended && bytes > limit as u64 {
            line.truncate(EDGE_BYTES);
            return Ok(Some(Line::TooLong { head: line, tail, bytes }));
        }
        if ended {
            return Ok(Some(Line::Whole(line)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &str, limit: usize) -> Vec<Line> {
        let mut input = tokio::io::BufReader::with_capacity(3, text.as_bytes());
        let mut all = Vec::new();
        while let Some(line) = next(&mut input, limit).await.unwrap() {
            all.push(line);
        }
        all
    }

    fn whole(line: &str) -> Line {
        Line::Whole(line.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_come_whole_and_blank_ones_not_at_all() {
        let found = lines("first\n\n  \r\nsecond\r\nlast", 10).await;
        assert_eq!(found, [whole("first"), whole("second\r"), whole("last")]);
        assert_eq!(lines("", 10).await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over() {
        let found = lines("0123456789\n01234567890\nok\n", 10).await;
        let (head, tail) = (b"0123456789".to_vec(), b"01234567890".to_vec());
        let long = Line::TooLong { head, tail, bytes: 11 };
        assert_eq!(found, [whole("0123456789"), long, whole("ok")]);
    }
}
