//! Parser of server-sent events, according to
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>: it ignores unknown fields.
//! `sse-stream` would end the stream at one, and accepts events of any size.

use std::time::Duration;

/// Maximum delay before a reconnection, whatever the server asks for.
pub(super) const MAX_RETRY: Duration = Duration::from_secs(30);

/// A parser of one stream. `last_id` and `retry` outlive a stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Name of the event; a message has none, or `message`.
    name: Vec<u8>,
    /// True after a carriage return: a line feed directly after it ends no line.
    after_return: bool,
    /// False until the first line, which may begin with a byte order mark.
    begun: bool,
    /// Id of the last event, if the stream gives any.
    pub(super) last_id: Option<String>,
    /// Reconnection delay that the server asks for.
    pub(super) retry: Option<Duration>,
}

/// An event exceeds the size limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Reader {
    /// Starts a new stream that resumes the previous one.
    pub(super) fn begin(&mut self) {
        *self = Reader { last_id: self.last_id.take(), retry: self.retry, ..Reader::default() };
    }

    /// Parses a chunk and returns the data of its complete messages, with lines joined by a line
    /// break. Events with other names are not messages.
    pub(super) fn read(&mut self, chunk: &[u8], limit: usize) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut events = Vec::new();
        let mut rest = chunk;
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            let (end, after) = (rest[at], &rest[at + 1..]);
            let pair = end == b'\n' && at == 0 && self.after_return;
            self.line.extend_from_slice(&rest[..at]);
            self.after_return = end == b'\r';
            rest = after;
            if !pair {
                events.extend(self.end_of_line());
            }
        }
        if !rest.is_empty() {
            self.after_return = false;
            self.line.extend_from_slice(rest);
        }
        if self.line.len() + self.data.len() > limit { Err(TooLong) } else { Ok(events) }
    }

    fn end_of_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            let (data, name) = (std::mem::take(&mut self.data), std::mem::take(&mut self.name));
            let has_data = std::mem::take(&mut self.has_data);
            return (has_data && matches!(&*name, b"" | b"message")).then_some(data);
        }
        let colon = memchr::memchr(b':', line);
        let (name, value) =
            colon.map_or((line, [].as_slice()), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => self.name = value.to_vec(),
            b"id" if !value.contains(&0) => {
                self.last_id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                let ms = std::str::from_utf8(value).ok().and_then(|ms| ms.parse().ok());
                self.retry = ms.map(|ms| Duration::from_millis(ms).min(MAX_RETRY)).or(self.retry);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&str]) -> (Vec<String>, Reader) {
        let mut reader = Reader::default();
        let mut all = Vec::new();
        for chunk in chunks {
            all.extend(reader.read(chunk.as_bytes(), 100).unwrap());
        }
        (all.into_iter().map(|event| String::from_utf8(event).unwrap()).collect(), reader)
    }

    #[test]
    fn events_in_every_way_of_ending_lines() {
        let stream = "\u{feff}: hello\n\nid: 7\nretry: 20\ndata: {\"a\":\ndata: 1}\n\nevent: message\r\ndata:x\r\n\r\ndata\r\r";
        let (events, reader) = read(&[stream]);
        assert_eq!(events, ["{\"a\":\n1}", "x", ""]);
        assert_eq!(reader.last_id.as_deref(), Some("7"));
        assert_eq!(reader.retry, Some(Duration::from_millis(20)));
        let (_, reader) = read(&["retry: 18446744073709551615\n\n"]);
        assert_eq!(reader.retry, Some(MAX_RETRY));
        // The same stream, one byte at a time.
        let mut slow = Reader::default();
        let bytes = stream.as_bytes().chunks(1);
        let found: Vec<Vec<u8>> = bytes.flat_map(|byte| slow.read(byte, 100).unwrap()).collect();
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn events_of_other_names_are_passed_over() {
        let (events, reader) = read(&[
            "event: ping\nid: 3\ndata: 1\n\ndata: 2\n\nevent: endpoint\n\ndata: 3\n\n",
            "event: message\nevent: other\ndata: 4\n\nevent:message\ndata: 5\n\nevent\ndata: 6\n\n",
        ]);
        assert_eq!(events, ["2", "3", "5", "6"]);
        assert_eq!(reader.last_id.as_deref(), Some("3"));
    }

    #[test]
    fn an_event_that_never_ends_is_too_long() {
        let mut reader = Reader::default();
        assert_eq!(reader.read(&[b'x'; 101], 100), Err(TooLong));
        assert_eq!(read(&["data: cut"]).0, Vec::<String>::new());
        // Its lines count together, with the breaks between them.
        let of_lines = |lines| Reader::default().read(&b"data: 12345678\n".repeat(lines), 100);
        assert_eq!((of_lines(11), of_lines(12)), (Ok(vec![]), Err(TooLong)));
    }
}
