//! Pairs of members that hold a name and its value: `{"name": "DB_PASSWORD", "value": "x"}`, `-
//! name: DB_PASSWORD` followed by `value: x`, `<add key="ApiKey" value="x"/>`, and a Terraform
//! variable with its default.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::assignment::{bare_end, quoted_end};
use super::name::{NameKind, NameMatch, identifier_start, kind_of};
use super::value::{ValueContext, is_secret};

/// Maximum distance of a value from its name, in bytes.
const NEAR: usize = 240;

/// Maximum length of the end of a name after its last word, in bytes.
const SUFFIX: usize = 16;
/// Endings of members that hold a name.
const MEMBERS: &[&str] =
    &["name", "key", "variable", "env", "setting", "param", "parameter", "id", "k"];

/// Matches a member that holds a value, or another name, or the end of the pair.
static VALUE: LazyLock<Regex> = LazyLock::new(|| {
    let is = r#"(?:\\*["'])?[ \t]{0,4}[:=][ \t]{0,4}"#;
    let value = r#"(?i-u:\b(?:value|val|v|default|default_?value|content|text))"#;
    let other = r#"(?i-u:\b(?:name|key)(?:\\*["'])?[ \t]{0,4}[:=])|[}>]"#;
    let pattern = format!(r#"(?<value>{value}{is}(?<quote>\\*["'`])?)|{other}"#);
    Regex::new(&pattern).expect("the pattern is fixed and tested")
});

/// Returns the values that are secrets, in order.
pub(super) fn find(text: &str, names: &[NameMatch]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for name in names {
        let next = text.as_bytes().get(name.end).copied().unwrap_or(b'\n');
        if !(next.is_ascii_digit() || b"\"'\\\r\n,_-".contains(&next)) {
            continue;
        }
        let start = identifier_start(text, name.start);
        let Some(member) = member_start(text, start) else { continue };
        let rest = &text.as_bytes()[name.end..];
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let end = name.end + rest.iter().take(SUFFIX).take_while(part).count();
        let Some(kind) = kind_of(&text[start..end]) else { continue };
        let value = behind_name(text, end, kind).or_else(|| before_name(text, member, kind));
        found.extend(value.filter(|value| found.last() != Some(value)));
    }
    found
}

/// Returns the start of the member whose value is the name at `at`.
fn member_start(text: &str, at: usize) -> Option<usize> {
    let quotes = ['"', '\'', '\\'];
    let before = text[..at].trim_end_matches(quotes).trim_end_matches([' ', '\t']);
    if before.len() < at && before.ends_with("variable") {
        return Some(before.len());
    }
    let before = before.strip_suffix([':', '='])?.trim_end_matches([' ', '\t']);
    let before = before.trim_end_matches(quotes);
    let start = identifier_start(before, before.len());
    let member = before[start..].rsplit(['.', '-']).next()?.to_ascii_lowercase();
    MEMBERS.iter().any(|name| member.ends_with(name)).then_some(start)
}

/// Returns the value of the first member after a name, if it is a secret.
fn behind_name(text: &str, from: usize, kind: NameKind) -> Option<Range<usize>> {
    let from = from + text[from..].find(|c: char| !"\\\"' \t".contains(c)).unwrap_or(0);
    let near = &text[from..ceiling(text, from + NEAR)];
    // The brace that opens a variable block does not end the pair.
    let skipped = usize::from(near.starts_with('{'));
    let found = VALUE.captures(&near[skipped..])?;
    value(text, from + skipped, &found, kind)
}

/// Returns the value of a member before a name, in the same object, if it is a secret.
fn before_name(text: &str, end: usize, kind: NameKind) -> Option<Range<usize>> {
    let near = &text[ceiling(text, end.saturating_sub(NEAR))..end];
    let from = end - near.len() + near.rfind('{')? + 1;
    let found = VALUE.captures(&text[from..end])?;
    value(text, from, &found, kind).filter(|value| value.end <= end)
}

fn value(text: &str, base: usize, found: &Captures<'_>, kind: NameKind) -> Option<Range<usize>> {
    let from = base + found.name("value")?.end();
    let (end, context) = match found.name("quote") {
        Some(quote) => (quoted_end(text, from, quote.as_str()), ValueContext::Quoted),
        None => (bare_end(text, from), ValueContext::Assigned),
    };
    is_secret(&text[from..end], kind, context).then_some(from..end)
}

/// Returns the first character boundary at or after `at`.
fn ceiling(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
