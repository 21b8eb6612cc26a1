//! Reads a file once and keeps only the requested page. Counts lines and bytes to the end through a
//! fixed buffer, so a file with one line of a gigabyte takes no more memory than its page.

use std::{
    io::{self, Read},
    ops::Range,
};

const BUFFER_BYTES: usize = 64 * 1024;

/// Maximum number of bytes of a character before the first byte of a range.
const CHARACTER_TAIL: u64 = 3;

/// The part of a file to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Lines by number, from 0; an end of `u64::MAX` is the end of the file.
    Lines(Range<u64>),
    Bytes(Range<u64>),
}

/// The result of the pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) total_lines: u64,
    pub(crate) total_bytes: u64,
    /// The kept bytes of the span, from `start` on. A byte span begins up to three bytes early, so
    /// that a character that it splits is whole.
    pub(crate) kept: Vec<u8>,
    pub(crate) start: u64,
    /// The first byte after the span, kept or not.
    pub(crate) end: u64,
    /// The number of the line that contains `start`.
    pub(crate) first_line: u64,
    /// The first byte after the line that contains `start`.
    pub(crate) first_line_end: u64,
}

/// Reads a file to its end and keeps at most `keep` bytes of a span.
pub(crate) fn scan(mut file: impl Read, span: &Span, keep: usize) -> io::Result<Page> {
    let mut scan = Scan::new(span, keep);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(scan.finish()),
            Ok(read) => scan.take(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[derive(Debug)]
struct Scan<'a> {
    span: &'a Span,
    keep: usize,
    kept: Vec<u8>,
    /// Bytes and line feeds seen.
    bytes: u64,
    line_feeds: u64,
    /// False if the bytes seen end with a line feed, or if there are none.
    open_line: bool,
    /// The ends of the span, once they are known.
    start: Option<u64>,
    end: Option<u64>,
    first_line: u64,
    first_line_end: Option<u64>,
}

impl<'a> Scan<'a> {
    fn new(span: &'a Span, keep: usize) -> Self {
        let (start, end) = match span {
            Span::Lines(lines) => ((lines.start == 0).then_some(0), None),
            Span::Bytes(bytes) => {
                (Some(bytes.start.saturating_sub(CHARACTER_TAIL)), Some(bytes.end))
            }
        };
        Self {
            span,
            keep,
            kept: Vec::new(),
            bytes: 0,
            line_feeds: 0,
            open_line: false,
            start,
            end,
            first_line: 0,
            first_line_end: None,
        }
    }

    fn take(&mut self, chunk: &[u8]) {
        let chunk_end = self.bytes + chunk.len() as u64;
        if self.is_settled() {
            self.line_feeds += memchr::memchr_iter(b'\n', chunk).count() as u64;
        } else {
            for at in memchr::memchr_iter(b'\n', chunk) {
                self.line_feed(self.bytes + at as u64 + 1);
            }
        }
        if let Some(start) = self.start {
            let end = self.end.unwrap_or(chunk_end).min(chunk_end);
            let from = start.max(self.bytes).min(chunk_end);
            if from < end {
                let room = self.keep - self.kept.len();
                let in_chunk = |at: u64| {
                    usize::try_from(at - self.bytes).expect("a place in the chunk, so in memory")
                };
                let (from, end) = (in_chunk(from), in_chunk(end));
                self.kept.extend_from_slice(&chunk[from..end.min(from.saturating_add(room))]);
            }
        }
        self.bytes = chunk_end;
        self.open_line = chunk.last().is_some_and(|byte| *byte != b'\n');
    }

    /// Returns true if no further line feed can change the span.
    fn is_settled(&self) -> bool {
        let open_end = matches!(self.span, Span::Lines(lines) if lines.end == u64::MAX);
        (self.end.is_some() || open_end) && self.first_line_end.is_some()
    }

    /// Handles a line feed: the next line begins at byte `next`.
    fn line_feed(&mut self, next: u64) {
        match self.start {
            Some(start) if next <= start => self.first_line += 1,
            Some(_) => {
                self.first_line_end.get_or_insert(next);
            }
            None => {}
        }
        self.line_feeds += 1;
        if let Span::Lines(lines) = self.span {
            if self.line_feeds == lines.start {
                self.start = Some(next);
                self.first_line = lines.start;
            }
            if self.line_feeds == lines.end {
                self.end = Some(next);
            }
        }
    }

    fn finish(self) -> Page {
        let total_bytes = self.bytes;
        Page {
            total_lines: self.line_feeds + u64::from(self.open_line),
            total_bytes,
            kept: self.kept,
            start: self.start.unwrap_or(total_bytes).min(total_bytes),
            end: self.end.unwrap_or(total_bytes).min(total_bytes),
            first_line: self.first_line,
            first_line_end: self.first_line_end.unwrap_or(total_bytes),
        }
    }
}
