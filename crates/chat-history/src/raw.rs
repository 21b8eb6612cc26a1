//! JSON as slices: the few questions the product asks of raw text without ever
//! building a tree of it. `serde_json` checks the grammar (iteratively, so depth
//! costs no stack) and hands out borrowed [`RawValue`]s; this module names their
//! parts. A tree would change numbers, drop duplicate keys and take many times
//! the memory of the text.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The members of a JSON object in their order, duplicates included.
pub type Fields<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Splits a JSON object into its members.
pub fn fields(object: &str) -> Result<Fields<'_>, serde_json::Error> {
    serde_json::from_str::<Members<'_>>(object).map(|members| members.0)
}

/// A text that is one JSON value, without the white space around it; None for any other.
pub fn value(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// Splits a JSON array into its elements.
pub fn elements(array: &str) -> Result<Vec<&str>, serde_json::Error> {
    serde_json::from_str::<Elements<'_>>(array).map(|elements| elements.0)
}

/// A request's members, and the elements of its `messages` from the same pass:
/// they are nearly all of its bytes, and scanning them twice would double the
/// cost of a turn. None where `messages` is absent, empty or no array.
pub fn request(object: &str) -> Result<(Fields<'_>, Option<Vec<&str>>), serde_json::Error> {
    if let Ok(Request { mut fields, messages: Some(messages) }) = serde_json::from_str(object)
        && let Some(array) = array_of(object, &messages)
    {
        fields.push((Cow::Borrowed("messages"), array));
        return Ok((fields, Some(messages)));
    }
    // Whatever else it is, the plain way says it in its own words.
    fields(object).map(|fields| (fields, None))
}

/// The array that has these elements, brackets included; None for an empty one.
fn array_of<'a>(text: &'a str, elements: &[&'a str]) -> Option<&'a str> {
    let (first, last) = (elements.first()?, elements.last()?);
    let start = text[..offset_in(text, first)].trim_ascii_end().len().checked_sub(1)?;
    let after = offset_in(text, last) + last.len();
    let gap = text[after..].len() - text[after..].trim_ascii_start().len();
    text.get(start..after + gap + 1).filter(|array| array.starts_with('[') && array.ends_with(']'))
}

/// The last member of that name: what JSON parsers keep of duplicates.
pub fn field<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a str> {
    fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
}

/// Where `inner` begins inside `outer`, in bytes.
///
/// `inner` must be a slice of `outer`; both come from one borrowed parse.
pub fn offset_in(outer: &str, inner: &str) -> usize {
    let offset = (inner.as_ptr() as usize).wrapping_sub(outer.as_ptr() as usize);
    debug_assert!(offset <= outer.len(), "inner is no slice of outer");
    offset
}

/// Names the kind of value of a raw JSON text for an error message.
pub fn kind(raw: &str) -> &'static str {
    match raw.trim_ascii_start().as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => "no JSON value",
    }
}

/// True for a raw JSON string literal.
pub fn is_string(raw: &str) -> bool {
    raw.as_bytes().first() == Some(&b'"')
}

/// The text of a JSON string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    /// The unescaped text; a lone surrogate reads as U+FFFD.
    pub text: Cow<'a, str>,
    /// False where the literal holds a lone surrogate: such a text has no UTF-8
    /// form, so it can be counted but not be moved to a file and back.
    pub exact: bool,
}

/// Unescapes a JSON string literal (quotes included) that the parser accepted.
///
/// `serde_json` refuses lone surrogates, which real histories hold; this reads
/// them as U+FFFD and says so.
pub fn unescape(literal: &str) -> Text<'_> {
    let inner = literal.strip_prefix('"').and_then(|s| s.strip_suffix('"')).unwrap_or(literal);
    let Some(first) = find::<b'\\'>(inner.as_bytes()) else {
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
        next = find::<b'\\'>(rest.as_bytes());
    }
    out.push_str(rest);
    Text { text: Cow::Owned(out), exact }
}

/// One escape sequence at the start of `text`: its character (None for a lone
/// surrogate) and its length in bytes.
fn escape(text: &str) -> (Option<char>, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unicode_escape(text),
        Some(&other) => char::from(other),
        None => char::REPLACEMENT_CHARACTER,
    };
    (Some(simple), 2.min(text.len()))
}

fn unicode_escape(text: &str) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return (None, text.len().min(6)) };
    if let Some(symbol) = char::from_u32(first) {
        return (Some(symbol), 6);
    }
    match unit(6) {
        Some(second) if first < 0xDC00 && (0xDC00..0xE000).contains(&second) => {
            let point = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            (char::from_u32(point), 12)
        }
        _ => (None, 6),
    }
}

/// A JSON value as a model would see it, whatever its spelling: white space
/// between tokens dropped, `\u` escapes of printable characters decoded. Used
/// for counting only, so that `"é"` and `"\u00e9"` cost the same.
pub fn canonical(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(quote) = memchr(b'"', rest.as_bytes()) {
        rest[..quote].split_ascii_whitespace().for_each(|part| out.push_str(part));
        let end = string_end(&rest.as_bytes()[quote..]).map_or(rest.len(), |length| quote + length);
        canonical_string(&rest[quote..end], &mut out);
        rest = &rest[end..];
    }
    rest.split_ascii_whitespace().for_each(|part| out.push_str(part));
    out
}

/// The length of the string literal that `bytes` begin with, quotes included; None where
/// it does not end. Nearly all escapes are of line ends: to look for quotes and then for
/// what stands before one is faster than to stop at every escape.
pub fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 1;
    loop {
        let quote = from + find::<b'"'>(bytes.get(from..)?)?;
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

/// Where a byte is first. JSON in a string has a quote every dozen bytes, and an escape
/// before each: those are found eight bytes at a time, since `memchr` takes longer to
/// begin than to find them.
#[inline(always)]
fn find<const BYTE: u8>(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    let (chunks, _) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().take(NEAR).enumerate() {
        // The byte that was looked for is zero now. The least bit that is left is that of the first
        // zero: what the subtraction borrows reaches only what follows it.
        let other = u64::from_le_bytes(*chunk) ^ (ONES * u64::from(BYTE));
        let zeros = other.wrapping_sub(ONES) & !other & (ONES << 7);
        if zeros != 0 {
            return Some(index * 8 + zeros.trailing_zeros() as usize / 8);
        }
    }
    let far = chunks.len().min(NEAR) * 8;
    memchr(BYTE, &bytes[far..]).map(|at| far + at)
}

/// As many times eight bytes are looked at one after the other.
const NEAR: usize = 4;

fn canonical_string(literal: &str, out: &mut String) {
    if memchr(b'\\', literal.as_bytes()).is_none() {
        out.push_str(literal);
        return;
    }
    let text = unescape(literal).text;
    out.push('"');
    for symbol in text.chars() {
        match symbol {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Request<'a> {
    fields: Fields<'a>,
    messages: Option<Vec<&'a str>>,
}

impl<'de> Deserialize<'de> for Request<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Request<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut request = Request { fields: Vec::new(), messages: None };
                while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
                    if key != "messages" {
                        request.fields.push((key, map.next_value::<&'de RawValue>()?.get()));
                        continue;
                    }
                    // Only the elements are handed over; the member is filled in
                    // by whoever knows the text they are slices of.
                    request.messages = Some(map.next_value::<Elements<'de>>()?.0);
                }
                Ok(request)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

struct Members<'a>(Fields<'a>);
struct Elements<'a>(Vec<&'a str>);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    members.push((key.0, value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Array;
        impl<'de> Visitor<'de> for Array {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(value) = seq.next_element::<&'de RawValue>()? {
                    elements.push(value.get());
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(Array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Among bytes that differ from it in one bit, or follow it: a borrow or a sign must
    /// not pass for the byte.
    #[test]
    fn a_byte_is_found_where_it_is_first() {
        for other in [b'#', b'!', 0xA2, 0, b'\\'] {
            for length in 0..100 {
                for at in 0..=length {
                    let mut bytes = vec![other; length];
                    bytes[at..].iter_mut().step_by(3).for_each(|byte| *byte = b'"');
                    assert_eq!(find::<b'"'>(&bytes), memchr(b'"', &bytes), "{bytes:?}");
                    assert_eq!(find::<b'"'>(&bytes[..at]), None);
                }
            }
        }
    }
}
