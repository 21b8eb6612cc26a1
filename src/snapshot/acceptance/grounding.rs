//! Verifies that the messages contain every identifier of a snapshot: each path, address,
//! id, long number and quote. Spelling may differ in trailing punctuation, thousands
//! separators, a leading `./` and a line number after a path, and in nothing else: a path
//! that is almost right sends an agent to the wrong file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::text::identifiers::{Identifier, IdentifierKind, canonical, identifiers};
use crate::snapshot::text::text_index::{Edge, Needle, TextIndex, fold};
use context_store::names_in;

/// The most names that are listed one by one.
const LISTED: usize = 20;

/// Numbers of so many digits are free: counts that a summariser derives.
const FREE_DIGITS: usize = 3;

/// Adds a text that was said, and, where it may be JSON in a string, what it
/// means without its escapes.
pub(super) fn add_said(index: &mut TextIndex, text: &str) {
    index.push(text);
    if text.contains('\\') {
        index.push(&without_escapes(text));
    }
}

/// Returns a rejection for each name in the texts that the index does not contain.
pub(super) fn ungrounded<'a>(
    texts: impl Iterator<Item = &'a str>,
    index: &TextIndex,
) -> Vec<Rejection> {
    let mut seen = HashSet::new();
    let mut named: Vec<Identifier<'_>> = Vec::new();
    let texts: Vec<&str> = texts.collect();
    for found in texts.iter().flat_map(|text| identifiers(text)) {
        let digits = found.text.bytes().filter(u8::is_ascii_digit).count();
        let free = matches!(found.kind, IdentifierKind::Number) && digits <= FREE_DIGITS;
        if !free && seen.insert(canonical(&found).into_owned()) {
            named.push(found);
        }
    }
    // Whatever stands around the path of a stored file, an agent would read that file.
    for path in texts.iter().flat_map(|text| names_in(text).map(|name| with_folders(text, name))) {
        if !named.iter().any(|found| found.text.ends_with(path)) {
            named.push(Identifier { kind: IdentifierKind::Path, text: path });
        }
    }
    let mut needles: Vec<Needle> = Vec::new();
    let mut alternatives = Vec::with_capacity(named.len());
    for found in &named {
        let parts: Vec<_> = parts(found)
            .map(|part| {
                let start = needles.len();
                spellings(found, part, &mut needles);
                start..needles.len()
            })
            .collect();
        alternatives.push(parts);
    }
    let held = index.holds(&needles);
    let missing = named.iter().zip(&alternatives).filter(|(_, parts)| {
        !parts.iter().all(|range| range.is_empty() || held[range.clone()].contains(&true))
    });
    let mut rejections: Vec<Rejection> = missing
        .map(|(found, _)| {
            let text = found.text.to_owned();
            Rejection::Ungrounded { kind: found.kind, text }
        })
        .collect();
    if rejections.len() > LISTED {
        let count = rejections.len() - LISTED;
        rejections.truncate(LISTED);
        rejections.push(Rejection::MoreUngrounded { count });
    }
    rejections
}

/// The name of a file with the folders before it. A number or a mark that stands before
/// a path is not one of them.
fn with_folders(text: &str, name: Range<usize>) -> &str {
    let before = &text[..name.start];
    if !before.ends_with('/') {
        return &text[name];
    }
    let folders = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let path = &text[before.trim_end_matches(folders).len()..name.end];
    let mark = |head: &str| !["", ".."].contains(&head) && !head.contains(char::is_alphabetic);
    match path.split_once('/') {
        Some((head, rest)) if mark(head) => rest,
        _ => path,
    }
}

/// A quote may leave something out by dots; each part of it must stand somewhere.
fn parts<'a>(found: &Identifier<'a>) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    match found.kind {
        IdentifierKind::Quoted => {
            Box::new(found.text.split('…').flat_map(|part| part.split("...")))
        }
        IdentifierKind::Path
        | IdentifierKind::Url
        | IdentifierKind::Id
        | IdentifierKind::Number => Box::new(std::iter::once(found.text)),
    }
}

/// Adds the spellings of a name, any of which will do.
fn spellings(found: &Identifier<'_>, text: &str, needles: &mut Vec<Needle>) {
    let edge = match found.kind {
        IdentifierKind::Path | IdentifierKind::Url | IdentifierKind::Id => Edge::Name,
        IdentifierKind::Quoted => Edge::Word,
        IdentifierKind::Number => Edge::Digits,
    };
    let mut add = |text: &str| {
        let text = fold(text);
        let needle = Needle { text, edge };
        if !needle.text.is_empty() {
            needles.push(needle);
        }
    };
    add(text);
    let bare = text.trim_end_matches(|c: char| ".,;:!?)]}'\"/、。，；：！？".contains(c));
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    add(bare);
    match found.kind {
        IdentifierKind::Number => {
            let plain = canonical(found);
            add(&plain);
            for separator in [",", ".", " ", "_", "'", "\u{a0}", "\u{202f}"] {
                grouped(&plain, separator).iter().for_each(|text| add(text));
            }
        }
        IdentifierKind::Path | IdentifierKind::Url | IdentifierKind::Id => {
            add(&canonical(found));
            add(without_line(bare));
        }
        IdentifierKind::Quoted => {
            add(without_line(bare));
            add(bare.trim_end_matches("()"));
            add(bare.trim_matches(|c| c == '\'' || c == '"'));
        }
    }
    if bare.contains('&') {
        let plain = bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        add(&plain.replace("&amp;", "&"));
    }
}

/// `12345.6` with a separator between thousands.
fn grouped(number: &str, separator: &str) -> Option<String> {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let digits = whole.trim_start_matches(['-', '+']);
    if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push_str(separator);
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push(if separator == "." { ',' } else { '.' });
        text.push_str(fraction);
    }
    Some(text)
}

/// A path without the line that follows it: `a.rs:12`, `a.rs:12:5`, `a.rs:12-40`,
/// `a.rs#L12`.
fn without_line(path: &str) -> &str {
    let number = |c: char| c.is_ascii_digit() || c == '-' || c == 'L';
    let mut rest = path;
    for _ in 0..2 {
        let cut = rest.trim_end_matches(number);
        match cut.strip_suffix([':', '#']) {
            Some(shorter) if cut.len() < rest.len() => rest = shorter,
            _ => break,
        }
    }
    rest
}

/// The text with the escapes of a JSON string resolved, whether it is JSON or not.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        plain.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let (meaning, length) = match escaped.bytes().next() {
            Some(b'n' | b't' | b'r') => (' ', 1),
            Some(b @ (b'"' | b'\\' | b'/')) => (char::from(b), 1),
            Some(b'u') => unicode(&escaped[1..]).map_or(('\\', 0), |(c, used)| (c, used + 1)),
            _ => ('\\', 0),
        };
        plain.push(meaning);
        rest = &escaped[length..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character of `4e2d` or of `d83d\ude00`, and how many bytes spell it.
fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| u32::from_str_radix(text.get(..4)?, 16).ok();
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 4));
    }
    let second = unit(text.get(4..)?.strip_prefix("\\u")?)?;
    let pair = first.checked_sub(0xd800)?.checked_mul(0x400)? + second.checked_sub(0xdc00)?;
    Some((char::from_u32(pair.checked_add(0x1_0000)?)?, 10))
}

#[cfg(test)]
mod tests {
    use super::{grouped, without_escapes, without_line};

    #[test]
    fn spellings_are_forgiven() {
        assert_eq!(grouped("1234567.5", ",").as_deref(), Some("1,234,567.5"));
        assert_eq!(grouped("123", ","), None);
        assert_eq!(without_line("src/a.rs:12:5"), "src/a.rs");
        assert_eq!(without_line("src/a.rs:12-40"), "src/a.rs");
        assert_eq!(without_line("src/a.rs#L12"), "src/a.rs");
        assert_eq!(without_line("src/a-12"), "src/a-12");
    }

    #[test]
    fn escapes_are_resolved() {
        let text = r#"{\"a\": \"C:\\b\nc \u4e2d \ud83d\ude00 \q \ud800\" \u12"#;
        assert_eq!(without_escapes(text), r#"{"a": "C:\b c 中 😀 \q \ud800" \u12"#);
        assert_eq!(without_escapes("\\"), "\\");
    }
}
