//! Converts a string literal to its text, and a text to its literal.

use std::borrow::Cow;

use crate::find;

/// The text of a JSON string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The unescaped text, with a lone surrogate replaced by U+FFFD.
    pub text: Cow<'a, str>,
    /// False if the literal contains a lone surrogate. Such a text has no UTF-8 form: it can be
    /// counted, but not stored in a file and restored.
    pub exact: bool,
}

/// Unescapes a JSON string literal, including its quotes, that a parser has accepted.
///
/// `serde_json` rejects lone surrogates, which occur in real histories; this function replaces them
/// by U+FFFD.
///
/// ```
/// let read = raw_json::unescape(r#""a\n\ud83d\ude00 \ud83d""#);
/// assert_eq!(read.text, "a\n😀 \u{fffd}");
/// assert!(!read.exact);
/// ```
pub fn unescape(literal: &str) -> Text<'_> {
    let inner = literal.strip_prefix('"').and_then(|s| s.strip_suffix('"')).unwrap_or(literal);
    let Some(first) = find::byte::<b'\\'>(inner.as_bytes()) else {
        return Text { text: Cow::Borrowed(inner), exact: true };
    };
    let mut out = String::with_capacity(inner.len());
    let mut exact = true;
    let mut rest = inner;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        let (symbol, used) = escape(&rest[at..]);
        exact &= symbol.is_some();
        out.push(symbol.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = &rest[at + used..];
        next = find::byte::<b'\\'>(rest.as_bytes());
    }
    out.push_str(rest);
    Text { text: Cow::Owned(out), exact }
}

/// Returns the position in a JSON string literal, in bytes, of byte `at` of its text.
///
/// ```
/// let literal = r#""a\nb\u00e9c""#;
/// assert_eq!(raw_json::unescape(literal).text.find('c'), Some(5));
/// assert_eq!(raw_json::place_in_literal(literal, 5), literal.find('c').unwrap_or_default());
/// ```
pub fn place_in_literal(literal: &str, at: usize) -> usize {
    let start = usize::from(literal.starts_with('"'));
    let (mut place, mut read) = (start, 0);
    while let Some(escaped) = find::byte::<b'\\'>(&literal.as_bytes()[place..]) {
        if at <= read + escaped {
            break;
        }
        let (symbol, used) = escape(&literal[place + escaped..]);
        read += escaped + symbol.unwrap_or(char::REPLACEMENT_CHARACTER).len_utf8();
        place += escaped + used;
        if at < read {
            return place - used;
        }
    }
    (place + (at - read)).min(literal.len())
}

/// Returns the character of the escape sequence at the start of `text` (`None` for a lone
/// surrogate), and the length of the sequence in bytes.
fn escape(text: &str) -> (Option<char>, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(text),
        Some(&other) if other.is_ascii() => char::from(other),
        // This is not valid JSON; skip only the backslash.
        _ => return (Some(char::REPLACEMENT_CHARACTER), 1),
    };
    (Some(simple), 2)
}

fn unicode_escape(text: &str) -> (Option<char>, usize) {
    let unit = |at: usize| code_unit(text.as_bytes().get(at..)?);
    let Some(first) = unit(0) else { return (None, 2) };
    if let Some(symbol) = char::from_u32(first.into()) {
        return (Some(symbol), 6);
    }
    match unit(6).map(|second| char::decode_utf16([first, second]).next()) {
        Some(Some(Ok(symbol))) => (Some(symbol), 12),
        _ => (None, 6),
    }
}

/// Returns the UTF-16 code unit of the escape `\uXXXX` at the start of `bytes`; `None` if `bytes`
/// do not begin with such an escape.
///
/// ```
/// assert_eq!(raw_json::code_unit(br"\ud83d\ude00"), Some(0xD83D));
/// assert_eq!(raw_json::code_unit(br"\n"), None);
/// ```
#[inline]
pub fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.first_chunk::<4>()?;
    digits.iter().try_fold(0_u16, |unit, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

/// Returns the JSON string literal of `text`, including its quotes.
pub fn quote(text: &str) -> String {
    // Serialising a &str cannot fail: it has no writer and no map keys.
    serde_json::to_string(text).unwrap_or_default()
}
