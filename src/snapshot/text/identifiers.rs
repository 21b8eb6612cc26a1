//! Identifiers of a text that can be verified: paths, addresses, ids, numbers and quotations.
//! Summaries are made from them and verified against them.
//!
//! The scan is one pass over the bytes and linear in the length of the text.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use crate::snapshot::text::word_shape::{classify, is_cjk};

pub(crate) use crate::snapshot::text::word_shape::IdentifierKind;

/// One identifier of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Identifier<'a> {
    /// The kind of thing that it names.
    pub kind: IdentifierKind,
    /// Its spelling in the text.
    pub text: &'a str,
}

/// Accepted length of a quotation, in characters.
const QUOTED: std::ops::RangeInclusive<usize> = 4..=200;

/// Returns the identifiers of a text, ordered by their beginnings. Identifiers inside a quotation
/// follow it. A quotation that contains one identifier only, such as a path in backticks, is
/// returned as that identifier.
pub(crate) fn identifiers(text: &str) -> Vec<Identifier<'_>> {
    let mut scan = Scan { text, at: 0, found: Vec::new(), quotes: QUOTES.map(Quote::new) };
    scan.run();
    scan.found
}

/// Returns the spelling to compare by. These are equal: `1,000` and `1000`; `./src/a.rs` and
/// `src\a.rs`; a hash in upper and in lower case.
pub(crate) fn canonical<'a>(identifier: &Identifier<'a>) -> Cow<'a, str> {
    let text = identifier.text;
    match identifier.kind {
        IdentifierKind::Path => {
            let text = text.strip_prefix("./").unwrap_or(text);
            let text = if text.len() > 1 { text.trim_end_matches(['/', '\\']) } else { text };
            match text.contains('\\') {
                true => Cow::Owned(text.replace("\\\\", "/").replace('\\', "/")),
                false => Cow::Borrowed(text),
            }
        }
        IdentifierKind::Url => Cow::Borrowed(text.trim_end_matches('/')),
        IdentifierKind::Id
            if is_hex(text) && text.bytes().any(|byte| byte.is_ascii_uppercase()) =>
        {
            Cow::Owned(text.to_ascii_lowercase())
        }
        IdentifierKind::Id => Cow::Borrowed(text),
        IdentifierKind::Number => {
            let plain = match text.contains([',', '_']) {
                true => Cow::Owned(text.replace([',', '_'], "")),
                false => Cow::Borrowed(text),
            };
            if !plain.contains('.') {
                return plain;
            }
            let end = plain.trim_end_matches('0').trim_end_matches('.').len();
            match plain {
                Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
                Cow::Owned(text) => Cow::Owned(text[..end].to_owned()),
            }
        }
        IdentifierKind::Quoted => Cow::Borrowed(text.trim()),
    }
}

/// Returns the last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns true if the text has hexadecimal digits and dashes only.
fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Pairs of marks that open and close a quotation.
const QUOTES: [(&str, &str); 4] = [("`", "`"), ("\"", "\""), ("“", "”"), ("「", "」")];

/// A kind of quotation, with the cached position of its next closing mark.
#[derive(Clone, Copy)]
struct Quote {
    open: &'static str,
    close: &'static str,
    /// The next closing mark or end of line from `known_from` on. The cache saves a line with many
    /// opening marks from a search for each of them.
    next: usize,
    known_from: usize,
}

impl Quote {
    fn new((open, close): (&'static str, &'static str)) -> Quote {
        Quote { open, close, next: 0, known_from: usize::MAX }
    }

    /// Returns the position of the closing mark in the same line.
    fn close_after(&mut self, text: &str, from: usize) -> Option<usize> {
        if self.known_from > from || self.next < from {
            let rest = &text.as_bytes()[from..];
            let close = self.close.as_bytes();
            let found = if close.len() == 1 {
                memchr2(close[0], b'\n', rest)
            } else {
                let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                memmem::find(&rest[..line], close).or(Some(line))
            };
            self.next = from + found.unwrap_or(rest.len());
            self.known_from = from;
        }
        text[self.next..].starts_with(self.close).then_some(self.next)
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    found: Vec<Identifier<'a>>,
    quotes: [Quote; 4],
}

impl<'a> Scan<'a> {
    fn run(&mut self) {
        // Positions of marks that close a known quotation; they do not open another.
        let mut closing: [usize; 4] = [usize::MAX; 4];
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if matches!(byte, b' ' | b'\n') {
                self.at += 1;
                continue;
            }
            if self.token() {
                continue;
            }
            let mark = match byte {
                b'`' => 0,
                b'"' => 1,
                0xE2 => 2,
                0xE3 => 3,
                _ => {
                    self.at = self.text.ceil_char_boundary(self.at + 1);
                    continue;
                }
            };
            if closing[mark] != self.at && self.text[self.at..].starts_with(self.quotes[mark].open)
            {
                closing[mark] = self.quotation(mark).unwrap_or(usize::MAX);
            }
            self.at = self.text.ceil_char_boundary(self.at + 1);
        }
    }

    /// Adds the quotation that begins here if it is an identifier. Returns the position of its
    /// closing mark.
    fn quotation(&mut self, mark: usize) -> Option<usize> {
        let open = self.quotes[mark].open.len();
        let start = self.at + open;
        let end = self.quotes[mark].close_after(self.text, start)?;
        let inner = &self.text[start..end];
        // Two adjacent marks belong to a code fence.
        if inner.is_empty() {
            return Some(end);
        }
        let counts = inner.len() <= QUOTED.end() * 4 && QUOTED.contains(&inner.chars().count());
        // In JSON and code, the text between two quotations looks quoted as well: `", "`.
        let says = inner.chars().any(char::is_alphanumeric);
        if counts && says && !self.is_one_token(inner) {
            self.found.push(Identifier { kind: IdentifierKind::Quoted, text: inner });
        }
        Some(end)
    }

    /// Returns true if a quoted text is a single path, address, id or number.
    fn is_one_token(&self, inner: &str) -> bool {
        if inner.len() > 400 || inner.contains(' ') {
            return false;
        }
        // A fast path: words of letters only are identifiers only if they are names of files, such
        // as `Makefile`.
        if inner.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return inner.ends_with("file") && classify(inner, false, false).is_some();
        }
        let mut scan =
            Scan { text: inner, at: 0, found: Vec::new(), quotes: QUOTES.map(Quote::new) };
        scan.token();
        scan.found.first().is_some_and(|first| first.text == inner)
    }

    /// Consumes the word that begins here. Returns false if no word begins here.
    fn token(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.at;
        if bytes[start].is_ascii_digit()
            && let Some(end) = number_end(bytes, start)
        {
            if bytes[start..end].iter().filter(|byte| byte.is_ascii_digit()).count() > 3 {
                self.push(IdentifierKind::Number, start, end);
            }
            self.at = end;
            return true;
        }
        let end = self.word_end(start);
        if end == start {
            return false;
        }
        if bytes[end..].starts_with(b"://") && bytes[start].is_ascii_alphabetic()
            || self.text[start..end].starts_with("www.")
        {
            let end = url_end(self.text, end);
            self.push(IdentifierKind::Url, start, end);
            self.at = end.max(start + 1);
            return true;
        }
        let called = bytes.get(end) == Some(&b'(');
        let closes = start > 0 && bytes[start - 1] == b'<';
        if let Some((kind, range)) = classify(&self.text[start..end], called, closes) {
            self.push(kind, start + range.start, start + range.end);
        }
        self.at = end;
        true
    }

    /// Returns the end of the word that begins at `start`: letters, digits, and the marks of paths
    /// and ids. A script without spaces ends the word, unless its characters name a folder or file
    /// in a path.
    fn word_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            let drive = at == start + 1
                && byte == b':'
                && bytes[start].is_ascii_alphabetic()
                && matches!(bytes.get(at + 1), Some(b'\\' | b'/'))
                && bytes.get(at + 2) != Some(&b'/');
            if is_word(byte) || drive {
                at += 1;
            } else if byte == b'\\' {
                let windows = bytes.get(start + 1) == Some(&b':') || bytes[start] == b'\\';
                let escape = matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r' | b'u' | b'"'));
                if (escape && !windows) || bytes.get(at + 1).is_none_or(|next| *next == b'"') {
                    // An escape of JSON ends the word.
                    return if at == start { start } else { at };
                }
                at += 1;
            } else if byte >= 0x80 {
                let rest = &self.text[at..];
                let first = rest.chars().next().expect("a byte above 0x80 begins a character");
                if first.is_alphanumeric() && !is_cjk(first) {
                    at += first.len_utf8();
                } else if at > start && bytes[at - 1] == b'/' && is_cjk(first) {
                    let name = rest.chars().take(32).take_while(|c| is_cjk(*c));
                    let len = name.map(char::len_utf8).sum::<usize>();
                    if !matches!(bytes.get(at + len), Some(b'/' | b'.' | b'_' | b'-')) {
                        return at;
                    }
                    at += len;
                } else {
                    return at;
                }
            } else {
                return at;
            }
        }
        at
    }

    fn push(&mut self, kind: IdentifierKind, start: usize, end: usize) {
        self.found.push(Identifier { kind, text: &self.text[start..end] });
    }
}

/// Bytes of a word.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'@' | b'~' | b'+' | b'%');
        byte += 1;
    }
    table
};

fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

/// Returns the end of the number that begins at `start`. Returns `None` if the word has other
/// content than the number and a unit of up to three letters.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut at = digits(start);
    while matches!(bytes.get(at), Some(b',' | b'_')) && digits(at + 1) == at + 4 {
        at += 4;
    }
    if bytes.get(at) == Some(&b'.') && digits(at + 1) > at + 1 {
        at = digits(at + 1);
    }
    let unit = bytes[at..].iter().take(5).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let after = at + unit;
    let ends = match bytes.get(after) {
        None => true,
        Some(b'.' | b'/' | b'-') => !bytes.get(after + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(byte) => !is_word(*byte),
    };
    // `7d589fc` is a hash, and `0x1f` is not a number with a unit.
    (ends && unit <= 3 && (unit == 0 || bytes[start] != b'0')).then_some(at)
}

/// Returns the end of an address whose scheme ends at `from`.
fn url_end(text: &str, from: usize) -> usize {
    let mut open = 0_i32;
    let mut end = text.len();
    for (at, c) in text[from..].char_indices() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => {
                end = from + at;
                break;
            }
            ')' => open -= 1,
            '"' | '\'' | '`' | '<' | '>' | ']' | '}' | '|' | '\\' | '^' => {
                end = from + at;
                break;
            }
            c if c.is_whitespace()
                || c.is_control()
                || (!c.is_ascii() && !c.is_alphanumeric())
                || is_cjk(c) =>
            {
                end = from + at;
                break;
            }
            _ => {}
        }
    }
    let url = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_']);
    url.len().max(from)
}

#[cfg(test)]
#[path = "identifiers_tests.rs"]
mod tests;
