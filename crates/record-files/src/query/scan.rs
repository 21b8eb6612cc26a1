//! A scanner: checks the grammar of one JSON text and hands out the slices of
//! its parts. It exists beside `serde_json` because one pass over a record must
//! both check all of it and name only the few members that a query asks for,
//! and because a key with a lone surrogate is no reason to refuse a record.
//! Depth costs a byte on the heap a level, never stack.

use std::borrow::Cow;

use chat_history::raw;

/// Where a text stops being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// In bytes from the start of the text.
    pub(super) at: usize,
    /// What would have been accepted there.
    pub(super) expected: &'static str,
}

/// A key of an object as it is spelled, quotes included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'a> {
    literal: &'a str,
    escaped: bool,
}

impl<'a> Key<'a> {
    /// The key's text; borrowed unless it is spelled with escapes.
    pub(super) fn text(self) -> Cow<'a, str> {
        if self.escaped {
            return raw::unescape(self.literal).text;
        }
        Cow::Borrowed(&self.literal[1..self.literal.len() - 1])
    }
}

/// Checks that `text` is exactly one JSON value and calls `member` for each
/// member where it is an object; what repeats is called for again. Gives the
/// value without the white space around it.
pub(super) fn record<'a>(
    text: &'a str,
    member: impl FnMut(Key<'a>, &'a str),
) -> Result<&'a str, Fault> {
    let mut scanner = Scanner { text, at: 0, open: Vec::new() };
    scanner.space();
    let start = scanner.at;
    if scanner.peek() == Some(b'{') {
        scanner.members(member)?;
    } else {
        scanner.skip()?;
    }
    let value = &text[start..scanner.at];
    scanner.space();
    if scanner.at < text.len() {
        return Err(scanner.fault("the end of the record"));
    }
    Ok(value)
}

/// Calls `member` for each member of an object that has been checked before;
/// nothing for any other value.
pub(super) fn members<'a>(object: &'a str, member: impl FnMut(Key<'a>, &'a str)) {
    let mut scanner = Scanner { text: object, at: 0, open: Vec::new() };
    if scanner.peek() == Some(b'{') {
        // The text is a slice of a checked one, so there is no fault to tell.
        let _checked = scanner.members(member);
    }
}

/// Calls `element` for each element of an array that has been checked before,
/// until it answers false; nothing for any other value.
pub(super) fn elements<'a>(array: &'a str, element: impl FnMut(&'a str) -> bool) {
    let mut scanner = Scanner { text: array, at: 0, open: Vec::new() };
    if scanner.peek() == Some(b'[') {
        // As for `members`.
        let _checked = scanner.elements(element);
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The closing brackets that are still to come, the next one last.
    open: Vec<u8>,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.at, expected }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn members(&mut self, mut member: impl FnMut(Key<'a>, &'a str)) -> Result<(), Fault> {
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            let start = self.at;
            self.skip()?;
            member(key, &self.text[start..self.at]);
            if !self.next(b'}', "`,` or `}`")? {
                return Ok(());
            }
        }
    }

    fn elements(&mut self, mut element: impl FnMut(&'a str) -> bool) -> Result<(), Fault> {
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let start = self.at;
            self.skip()?;
            let more = element(&self.text[start..self.at]);
            if !more || !self.next(b']', "`,` or `]`")? {
                return Ok(());
            }
        }
    }

    /// After a value: true where a comma leads to another one.
    fn next(&mut self, close: u8, expected: &'static str) -> Result<bool, Fault> {
        self.space();
        let more = match self.peek() {
            Some(b',') => true,
            Some(byte) if byte == close => false,
            _ => return Err(self.fault(expected)),
        };
        self.at += 1;
        if more {
            self.space();
        }
        Ok(more)
    }

    /// A key and the colon after it, up to the value.
    fn key(&mut self) -> Result<Key<'a>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a key in quotes"));
        }
        let start = self.at;
        let escaped = self.string()?;
        let literal = &self.text[start..self.at];
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("`:`"));
        }
        self.at += 1;
        self.space();
        Ok(Key { literal, escaped })
    }

    /// Goes past one value, whatever it holds.
    fn skip(&mut self) -> Result<(), Fault> {
        let outside = self.open.len();
        loop {
            if self.begin()? {
                continue;
            }
            loop {
                if self.open.len() == outside {
                    return Ok(());
                }
                let close = self.open[self.open.len() - 1];
                if self.next(close, "`,` or a closing bracket")? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                self.open.pop();
            }
        }
    }

    /// Goes past a scalar or an empty container; true where a container has
    /// been opened instead, and its first value comes next.
    fn begin(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b'"') => self.string().map(|_escaped| false),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| false),
            Some(b'{') => self.enter(b'}'),
            Some(b'[') => self.enter(b']'),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.fault("a JSON value")),
        }
    }

    fn enter(&mut self, close: u8) -> Result<bool, Fault> {
        self.at += 1;
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        self.open.push(close);
        if close == b'}' {
            self.key()?;
        }
        Ok(true)
    }

    fn word(&mut self, word: &'static str) -> Result<bool, Fault> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault(word));
        }
        self.at += word.len();
        Ok(false)
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.fault("a digit"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// Goes past a string; true where it is spelled with escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        self.at += 1;
        loop {
            self.at += plain(&bytes[self.at..]);
            match bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.fault("an escape in place of a control character")),
                None => return Err(self.fault("the end of a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let bytes = self.text.as_bytes();
        let used = match bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u')
                if bytes
                    .get(self.at + 2..self.at + 6)
                    .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
            {
                6
            }
            _ => return Err(self.fault("an escape that JSON knows")),
        };
        self.at += used;
        Ok(())
    }
}

/// How many bytes stand before the first quote, backslash or control character.
/// Eight are looked at together: the texts of records are most of their bytes.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let mut at = 0;
    while let Some((word, _)) = bytes[at..].split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let quote = word ^ (ONES * u64::from(b'"'));
        let slash = word ^ (ONES * u64::from(b'\\'));
        // The lowest byte marked is exact; a borrow can only mark later ones.
        let special = (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        let marks = special & HIGHS;
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count()
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
