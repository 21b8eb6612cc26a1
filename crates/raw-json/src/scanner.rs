//! A scanner that checks the grammar of a JSON text and returns its parts as slices.
//!
//! It exists next to `serde_json` because one pass over a record must both check all of it and
//! return only a few members, and because a key with a lone surrogate must not make the record
//! invalid.

use std::borrow::Cow;

use crate::{Cursor, Kind, find, unescape};

/// The position where a text is not valid JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The position in bytes from the start of the text.
    pub at: usize,
    /// A description of valid input at that position.
    pub expected: &'static str,
}

/// A key of an object as spelled.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    pub(crate) literal: &'a str,
    escaped: bool,
}

impl<'a> Key<'a> {
    /// Returns the literal, quotes included.
    #[inline]
    pub fn literal(self) -> &'a str {
        self.literal
    }

    /// Returns the key's text; borrowed unless its spelling has escapes.
    #[inline]
    pub fn text(self) -> Cow<'a, str> {
        if self.escaped {
            return unescape(self.literal).text;
        }
        Cow::Borrowed(&self.literal[1..self.literal.len() - 1])
    }
}

/// Returns the members of an object that was checked before, duplicates included; no members for
/// any other value. Stops where the text is not valid JSON.
pub fn each_member(object: &str) -> impl Iterator<Item = (Key<'_>, &str)> {
    let mut scanner = Scanner::new(object);
    let mut more = scanner.cursor.peek() == Some(b'{') && scanner.open(b'}');
    std::iter::from_fn(move || {
        if !std::mem::take(&mut more) {
            return None;
        }
        let key = scanner.next_key().ok()?;
        let value = scanner.next_value().ok()?;
        more = scanner.next(b'}', "").unwrap_or(false);
        Some((key, value))
    })
}

/// Returns the elements of an array that was checked before; no elements for any other value. Stops
/// where the text is not valid JSON.
///
/// ```
/// let first = raw_json::each_element("[1.0, [2]]").next();
/// assert_eq!(first, Some("1.0"));
/// ```
pub fn each_element(array: &str) -> impl Iterator<Item = &str> {
    let mut scanner = Scanner::new(array);
    let mut more = scanner.cursor.peek() == Some(b'[') && scanner.open(b']');
    std::iter::from_fn(move || {
        if !std::mem::take(&mut more) {
            return None;
        }
        let element = scanner.next_value().ok()?;
        more = scanner.next(b']', "").unwrap_or(false);
        Some(element)
    })
}

/// A position in a JSON text. The scanner checks the values that it passes.
///
/// ```
/// use raw_json::{Kind, Scanner};
///
/// let mut scanner = Scanner::new(r#"{"a": [1, 2]}"#);
/// assert_eq!(scanner.kind(), Some(Kind::Object));
/// assert!(scanner.take(b'{'));
/// assert_eq!(scanner.key().map(|key| key.literal()), Some("\"a\""));
/// assert_eq!(scanner.value(), Some("[1, 2]"));
/// assert!(scanner.take(b'}'));
/// ```
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a str,
    pub(crate) cursor: Cursor<'a>,
    /// The closing brackets that are still expected, the next one last.
    open: Vec<u8>,
}

impl<'a> Scanner<'a> {
    /// Returns a scanner at the start of `text`.
    #[inline]
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, cursor: Cursor::new(text.as_bytes(), 0), open: Vec::new() }
    }

    /// Skips white space; returns the kind of the value that begins there, `None` if no value
    /// begins there.
    #[inline]
    pub fn kind(&mut self) -> Option<Kind> {
        self.cursor.skip_space();
        Kind::of(self.cursor.peek()?)
    }

    /// Skips white space, and then `byte` if it follows; returns true if it did.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        self.cursor.take(byte)
    }

    /// Skips white space, a key and the colon after it, and returns the key.
    #[inline]
    pub fn key(&mut self) -> Option<Key<'a>> {
        self.cursor.skip_space();
        self.next_key().ok()
    }

    /// Skips white space and a value, and returns the value; `None` if there is none, or if it is
    /// invalid.
    #[inline]
    pub fn value(&mut self) -> Option<&'a str> {
        self.cursor.skip_space();
        self.next_value().ok()
    }

    pub(crate) fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.cursor.at(), expected }
    }

    /// Skips an opening bracket; returns true if a first member or element follows.
    #[inline]
    pub(crate) fn open(&mut self, close: u8) -> bool {
        self.cursor.advance(1);
        !self.cursor.take(close)
    }

    /// Skips the comma or `close` after a value; returns true if it was a comma.
    #[inline]
    pub(crate) fn next(&mut self, close: u8, expected: &'static str) -> Result<bool, Fault> {
        self.cursor.skip_space();
        let more = match self.cursor.peek() {
            Some(b',') => true,
            Some(byte) if byte == close => false,
            _ => return Err(self.fault(expected)),
        };
        self.cursor.advance(1);
        if more {
            self.cursor.skip_space();
        }
        Ok(more)
    }

    /// Skips a key and the colon, up to the value, and returns the key.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Key<'a>, Fault> {
        if self.cursor.peek() != Some(b'"') {
            return Err(self.fault("a key in quotes"));
        }
        let start = self.cursor.at();
        let escaped = self.string()?;
        let literal = &self.text[start..self.cursor.at()];
        if !self.cursor.take(b':') {
            return Err(self.fault("`:`"));
        }
        self.cursor.skip_space();
        Ok(Key { literal, escaped })
    }

    /// Skips a key with the spelling `literal` and its colon; returns true if they are there.
    #[inline]
    pub(crate) fn key_again(&mut self, literal: &str) -> bool {
        let rest = self.cursor.rest().strip_prefix(literal.as_bytes());
        let found = rest.is_some_and(|rest| rest.first() == Some(&b':'));
        if found {
            self.cursor.advance(literal.len() + 1);
            self.cursor.skip_space();
        }
        found
    }

    #[inline]
    pub(crate) fn next_value(&mut self) -> Result<&'a str, Fault> {
        let start = self.cursor.at();
        self.skip()?;
        Ok(&self.text[start..self.cursor.at()])
    }

    /// Skips one value of any kind.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
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
                        self.next_key()?;
                    }
                    break;
                }
                self.open.pop();
            }
        }
    }

    /// Skips a scalar or an empty container and returns false; opens any other container and
    /// returns true: its first value comes next.
    fn begin(&mut self) -> Result<bool, Fault> {
        match self.cursor.peek() {
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
        if !self.open(close) {
            return Ok(false);
        }
        self.open.push(close);
        if close == b'}' {
            self.next_key()?;
        }
        Ok(true)
    }

    fn word(&mut self, word: &'static str) -> Result<bool, Fault> {
        if !self.cursor.rest().starts_with(word.as_bytes()) {
            return Err(self.fault(word));
        }
        self.cursor.advance(word.len());
        Ok(false)
    }

    fn number(&mut self) -> Result<(), Fault> {
        self.pass(b"-");
        if !self.pass(b"0") {
            self.digits()?;
        }
        if self.pass(b".") {
            self.digits()?;
        }
        if self.pass(b"eE") {
            self.pass(b"+-");
            self.digits()?;
        }
        Ok(())
    }

    /// Skips one of these bytes; returns true if it was there.
    #[inline]
    fn pass(&mut self, bytes: &[u8]) -> bool {
        let found = self.cursor.peek().is_some_and(|byte| bytes.contains(&byte));
        self.cursor.advance(usize::from(found));
        found
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let digits = self.cursor.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Err(self.fault("a digit"));
        }
        self.cursor.advance(digits);
        Ok(())
    }

    /// Skips a string; returns true if it contains escapes.
    fn string(&mut self) -> Result<bool, Fault> {
        let mut escaped = false;
        self.cursor.advance(1);
        loop {
            self.cursor.advance(find::plain(self.cursor.rest()));
            match self.cursor.peek() {
                Some(b'"') => {
                    self.cursor.advance(1);
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
        let length = match self.cursor.rest() {
            [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [_, b'u', hex @ ..]
                if hex.first_chunk::<4>().is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)) =>
            {
                6
            }
            _ => return Err(self.fault("an escape that JSON knows")),
        };
        self.cursor.advance(length);
        Ok(())
    }
}

#[cfg(test)]
#[path = "scanner_tests.rs"]
mod tests;
