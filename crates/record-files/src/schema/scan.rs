//! A cursor over one JSON value: it hands out scalars as they are spelled and
//! skips what nobody asks for, without a tree and without recursion. It is meant
//! for text that a JSON parser accepted; on other text it stops, and never
//! panics.

use memchr::memchr2;

/// Where a value begins, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Null,
    Boolean,
    Number,
    String,
    Object,
    Array,
}

/// A place in a JSON text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// What kind of value begins here.
    pub(super) fn start(&mut self) -> Option<Start> {
        self.blanks();
        Some(match self.byte()? {
            b'n' => Start::Null,
            b't' | b'f' => Start::Boolean,
            b'-' | b'0'..=b'9' => Start::Number,
            b'"' => Start::String,
            b'{' => Start::Object,
            b'[' => Start::Array,
            _ => return None,
        })
    }

    /// Steps over that byte if it is the next one.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        self.blanks();
        let found = self.byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The string literal that begins here, quotes included.
    pub(super) fn string(&mut self) -> Option<&'a str> {
        self.blanks();
        if self.byte() != Some(b'"') {
            return None;
        }
        let start = self.at;
        let mut at = start + 1;
        loop {
            at += memchr2(b'"', b'\\', self.text.as_bytes().get(at..)?)?;
            if self.text.as_bytes()[at] == b'"' {
                self.at = at + 1;
                return self.text.get(start..self.at);
            }
            at += 2;
        }
    }

    /// The number, boolean or null that begins here, as spelled.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let length = rest
            .bytes()
            .position(|byte| !matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z'))
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// Steps over the value that begins here, however deep it is.
    pub(super) fn skip(&mut self) -> Option<()> {
        let mut open = 0_usize;
        loop {
            match self.start() {
                Some(Start::String) => drop(self.string()?),
                Some(Start::Null | Start::Boolean | Start::Number) => drop(self.word()?),
                Some(Start::Object | Start::Array) => {
                    self.at += 1;
                    open += 1;
                    continue;
                }
                None => match self.byte()? {
                    b'}' | b']' => {
                        self.at += 1;
                        open = open.checked_sub(1)?;
                    }
                    b',' | b':' if open > 0 => {
                        self.at += 1;
                        continue;
                    }
                    _ => return None,
                },
            }
            if open == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skipped_value_ends_where_it_ends() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for value in
            ["1", "\"a]\\\"}\"", "{}", "[[],{\"a\":[1,{}]},\"}\"]", "null", "-1.5e+3", &deep]
        {
            let text = format!("{value},7");
            let mut cursor = Cursor::new(&text);
            assert_eq!(cursor.skip(), Some(()));
            assert!(cursor.eat(b','));
            assert_eq!(cursor.word(), Some("7"), "{value}");
        }
    }

    #[test]
    fn what_is_no_json_ends_the_scan() {
        for text in ["", "\"abc", "\"abc\\", "[1,", "{", "]", "é", "[é]"] {
            assert_eq!(Cursor::new(text).skip(), None, "{text}");
        }
    }
}
