//! Any file in pages of any size: the pages at the returned offsets, concatenated, are the file
//! byte for byte; totals stay the same, and offsets grow (I1, I17).

use std::fs;
use std::path::Path;

use context_store::{RootSpec, Roots};
use token_count::Tokenizer;

use crate::reading::error::ReloadError;
use crate::reading::read_file::{Limits, Part, Query, ReadAnswer, read_file};
use crate::reading::target::Target;
use crate::reading::tool_result::{Lines, Room, part};

/// The text between a page's header and the page.
const RULE: &str = "\n\n---\n\n";

/// The size of the pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pages {
    /// True for pages of lines, false for pages of bytes.
    pub(super) by_lines: bool,
    /// Maximum number of lines or bytes of a page.
    pub(super) limit: Option<u64>,
    /// Maximum number of tokens of a page.
    pub(super) max_tokens: Option<u64>,
    /// Maximum number of bytes of a page.
    pub(super) answer_bytes: usize,
}

fn count(text: &str) -> u64 {
    Tokenizer::O200kBase.count(text)
}

impl Pages {
    /// Reads `folder/file` by `read_file` and, if it is text, by `read_tool_result`.
    pub(super) fn check(self, folder: &Path) {
        let content = fs::read(folder.join("file")).expect("the file is there");
        let spec = RootSpec::parse(&format!("/workspace={}", folder.display()));
        let roots = Roots::open(&[spec]).expect("the folder is there");
        let at = roots.locate("/workspace/file").expect("it lies under the root");
        let target = Target::of(&at);
        self.follow(&target, &content);
        if let Ok(text) = std::str::from_utf8(&content) {
            self.parts(text);
        }
    }

    /// Reads page after page; an error must name the first byte that is not text.
    fn follow(&self, target: &Target<'_>, content: &[u8]) {
        let mut whole: Vec<u8> = Vec::new();
        let limits = Limits { answer_bytes: self.answer_bytes, ..Limits::default() };
        let mut part = if self.by_lines { self.lines(0) } else { self.bytes(0) };
        let mut pages = 0;
        loop {
            let query = Query { part, max_tokens: self.max_tokens };
            let page = match read_file(target, &query, &limits, &count) {
                Ok(page) => page,
                Err(error) => return is_no_text(&error, &whole, content),
            };
            is_true(&page, content, whole.len());
            whole.extend_from_slice(page.body().as_bytes());
            part = match (part, page.next_offset, page.next_byte_offset) {
                (Part::Lines { .. }, Some(line), _) => self.lines(line),
                (_, _, Some(byte)) => self.bytes(byte),
                (_, None, None) => break,
                (_, Some(byte), None) => panic!("byte {byte} follows the last one"),
            };
            pages += 1;
            assert!(pages <= content.len() + 2, "more pages than bytes");
        }
        assert_eq!(whole, content, "the pages are not the file");
    }

    fn lines(&self, offset: u64) -> Part {
        Part::Lines { offset, limit: self.limit }
    }

    fn bytes(&self, offset: u64) -> Part {
        Part::Bytes { offset, limit: self.limit }
    }

    /// Reads the text in parts, by the selectors of `read_tool_result`.
    fn parts(&self, text: &str) {
        let room =
            Room { max_tokens: self.max_tokens, answer_bytes: self.answer_bytes, count: &count };
        let mut lines = Lines::All;
        let (mut whole, mut first) = (String::new(), 0);
        loop {
            let got = part(text, &lines, "file", &room).expect("cursors stay inside");
            // A line that fits no page is truncated, and the answer says how to read the rest.
            if got.answer.ends_with("of this line left out: read_file by bytes]") {
                return;
            }
            let headed = first > 0 || got.next_lines.is_some();
            let body =
                if headed { got.answer.split_once(RULE).map(|(_, body)| body) } else { None };
            whole.push_str(body.unwrap_or(&got.answer));
            let Some(next) = got.next_lines else { break };
            lines = Lines::parse(&next).expect("a cursor is a selector");
            let Lines::Range(start, _) = lines else { panic!("{next} is no range") };
            assert!(start > first, "{next} stands still");
            first = start;
        }
        assert_eq!(whole, text, "the parts are not the text");
    }
}

/// Checks the totals and offsets that a page reports.
fn is_true(page: &ReadAnswer, content: &[u8], read: usize) {
    let lines = content.split_inclusive(|byte| *byte == b'\n').count() as u64;
    assert_eq!(page.total_bytes, content.len() as u64);
    assert_eq!(page.total_lines, lines);
    assert_eq!(page.first_byte, read as u64, "a page begins where the one before ended");
    assert_eq!(page.end_byte, page.first_byte + page.body().len() as u64);
    let more = page.next_byte_offset.is_some();
    assert!(!more || page.end_byte > page.first_byte, "a page stands still");
    assert_eq!(more, page.end_byte < page.total_bytes);
}

/// Checks that only the first byte that is not text ends the reading, and that everything before it
/// was read.
fn is_no_text(error: &ReloadError, whole: &[u8], content: &[u8]) {
    let ReloadError::NotText { byte_offset, .. } = error else { panic!("{error}") };
    let bad = std::str::from_utf8(content).expect_err("the file is text").valid_up_to();
    assert_eq!(*byte_offset, bad as u64, "that byte is text");
    assert_eq!(whole, &content[..whole.len()], "the pages are not the file");
}
