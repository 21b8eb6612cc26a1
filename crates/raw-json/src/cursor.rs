//! A cursor that follows strings and brackets to find where values end. It does not check the rest
//! of the grammar: for a text that is not JSON it returns arbitrary parts or none, but never
//! panics.

use std::ops::Range;

use crate::find;

/// Returns true for the four white space characters of JSON.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns the length of the string literal at the start of `bytes`, including its quotes; `None`
/// if the literal does not end. Treats the first byte as the opening quote.
#[inline]
pub fn string_end(bytes: &[u8]) -> Option<usize> {
    // Most escapes are line ends, so it is faster to search for quotes and then check the
    // backslashes before each than to stop at every escape.
    let mut from = 1;
    loop {
        let quote = from + find::byte::<b'"'>(bytes.get(from..)?)?;
        let mut begin = quote;
        while begin > 1 && bytes[begin - 1] == b'\\' {
            begin -= 1;
        }
        if (quote - begin) % 2 == 0 {
            return Some(quote + 1);
        }
        from = quote + 1;
    }
}

/// A position in the bytes of a JSON text, which need not be UTF-8.
///
/// ```
/// let body = br#"{"a": [1, "]"], "b": 2}"#;
/// let mut cursor = raw_json::Cursor::new(body, 0);
/// assert!(cursor.take(b'{'));
/// assert_eq!(cursor.value(), Some(1..4));
/// assert!(cursor.take(b':'));
/// assert_eq!(cursor.value().map(|place| &body[place]), Some(&br#"[1, "]"]"#[..]));
/// ```
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor at byte `at`.
    #[inline]
    pub fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    /// Returns the position, in bytes from the start.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the byte at the cursor; `None` at the end.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves the cursor forward by `bytes` bytes.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Returns the bytes from the cursor to the end.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Skips white space.
    #[inline]
    pub fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Skips white space, and then `byte` if it follows; returns true if it did.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips white space and a value; returns the range of the value. Returns `None` if no value
    /// begins there, or if it does not end.
    pub fn value(&mut self) -> Option<Range<usize>> {
        self.skip_space();
        let start = self.at;
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.at += string_end(self.rest())?,
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                _ if open > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    self.at += scalar_end(self.rest());
                    return (self.at > start).then_some(start..self.at);
                }
            }
            if open == 0 {
                return Some(start..self.at);
            }
        }
    }
}

/// Returns the length of the number or word at the start of `bytes`.
#[inline]
fn scalar_end(bytes: &[u8]) -> usize {
    let ends = |byte: &u8| matches!(byte, b'[' | b'{' | b']' | b'}' | b',' | b':' | b'"');
    bytes.iter().position(|byte| is_space(*byte) || ends(byte)).unwrap_or(bytes.len())
}

/// The tokens of a text: its smallest parts, each with the white space before it. Even for a text
/// that is not JSON, the tokens concatenate to the text, except for white space at its end.
///
/// ```
/// let tokens: Vec<_> = raw_json::Tokens::new("[1, \"a b\"]").collect();
/// assert_eq!(tokens, [("", "["), ("", "1"), ("", ","), (" ", "\"a b\""), ("", "]")]);
/// ```
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Returns an iterator over the tokens of `text`.
    pub fn new(text: &'a str) -> Tokens<'a> {
        Tokens { text, at: 0 }
    }
}

impl<'a> Iterator for Tokens<'a> {
    /// The white space before a token, and the token.
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let mut cursor = Cursor::new(self.text.as_bytes(), self.at);
        cursor.skip_space();
        let (before, start) = (self.at, cursor.at);
        let rest = cursor.rest();
        self.at += start - before;
        self.at += match rest.first()? {
            b'"' => string_end(rest).unwrap_or(rest.len()),
            b'[' | b'{' | b']' | b'}' | b',' | b':' => 1,
            _ => scalar_end(rest),
        };
        Some((&self.text[before..start], &self.text[start..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(&str, &str)> {
        Tokens::new(text).collect()
    }

    #[test]
    fn a_token_comes_with_the_white_space_before_it() {
        assert_eq!(
            tokens("{ \"a\" :\r\n[1.10,true , {}]}"),
            [
                ("", "{"),
                (" ", "\"a\""),
                (" ", ":"),
                ("\r\n", "["),
                ("", "1.10"),
                ("", ","),
                ("", "true"),
                (" ", ","),
                (" ", "{"),
                ("", "}"),
                ("", "]"),
                ("", "}")
            ]
        );
    }

    #[test]
    fn a_string_is_one_token_whatever_it_holds() {
        let literal = r#""a \" [1, 2] \\""#;
        assert_eq!(tokens(literal), [("", literal)]);
    }

    #[test]
    fn a_text_that_is_no_json_is_cut_without_a_panic() {
        for text in ["\"open", "\"open\\", "\u{e9}\u{e9} \u{4e2d},", "\\\"", "\"\\\u{4e2d}"] {
            let whole: String =
                tokens(text).iter().flat_map(|(gap, token)| [*gap, *token]).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn a_value_ends_where_it_ends() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for value in
            ["1", "\"a]\\\"}\"", "{}", "[[],{\"a\":[1,{}]},\"}\"]", "null", "-1.5e+3", &deep]
        {
            let text = format!(" {value},7");
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            assert_eq!(cursor.value(), Some(1..1 + value.len()));
            assert!(cursor.take(b','));
            assert_eq!(cursor.value(), Some(text.len() - 1..text.len()), "{value}");
        }
    }

    #[test]
    fn a_value_that_does_not_end_has_no_place() {
        for text in ["", "\"abc", "\"abc\\", "[1,", "{", "]", ",", ":"] {
            assert_eq!(Cursor::new(text.as_bytes(), 0).value(), None, "{text}");
        }
    }
}
