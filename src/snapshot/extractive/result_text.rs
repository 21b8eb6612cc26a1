//! The text of a result: as a person reads it, its ends, and whether it says that the call failed.

use std::borrow::Cow;

use raw_json::{fields, is_string, unescape};

use crate::snapshot::text::markers::is_error;

/// Bytes of a result, at each end, in which its outcome is looked for.
const WINDOW: usize = 4_000;

/// Longest line that only heads others, in bytes.
const HEADING: usize = 60;
/// Lines under a heading in which the one that says something is looked for.
const TRACE: usize = 200;

/// Returns whether a JSON object says that something failed; None for any other text.
pub(super) fn says_failure(text: &str) -> Option<bool> {
    let members = text.starts_with('{').then(|| fields(text).ok()).flatten()?;
    let says = |(name, value): &(Cow<'_, str>, &str)| match name.as_ref() {
        "error" | "errors" => !["null", "false", "\"\"", "0", "[]", "{}"].contains(value),
        "success" | "ok" => *value == "false",
        "is_error" | "isError" => *value == "true",
        "status" | "state" | "result" => {
            is_string(value) && (*value == "\"error\"" || is_error(&unescape(value).text))
        }
        _ => false,
    };
    Some(members.iter().any(says))
}

/// The two ends of a text.
pub(super) fn windows(text: &str) -> (&str, &str) {
    let head = text.floor_char_boundary(WINDOW.min(text.len()));
    let tail = text.ceil_char_boundary(text.len().saturating_sub(WINDOW));
    (&text[..head], &text[tail..])
}

/// Returns line `at` of an output with what it heads: `ERROR:` says nothing without the next line,
/// and a traceback without the exception under its indented lines.
pub(super) fn with_what_it_heads<'t>(lines: &[&'t str], at: usize) -> Cow<'t, str> {
    let line = lines[at].trim();
    if !line.ends_with([':', '：']) || line.len() > HEADING {
        return Cow::Borrowed(line);
    }
    let under = lines[at + 1..].iter().take(TRACE).filter(|line| !line.trim().is_empty());
    let is_trace = line.starts_with("Traceback");
    let mut under = under.skip_while(|line| is_trace && line.starts_with([' ', '\t']));
    match under.next() {
        Some(next) => Cow::Owned(format!("{line} {}", next.trim())),
        None => Cow::Borrowed(line),
    }
}

/// A result as a person reads it: of a JSON object whose strings hold lines or
/// escapes, its members with the strings unescaped.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let Some(members) = text.starts_with('{').then(|| fields(text).ok()).flatten() else {
        return Cow::Borrowed(text);
    };
    if let [(_, only)] = members[..]
        && is_string(only)
    {
        return Cow::Owned(unescape(only).text.trim().to_owned());
    }
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (name, value) in members {
        let value = if is_string(value) { unescape(value).text } else { Cow::Borrowed(value) };
        let gap = if value.trim().contains('\n') { "\n" } else { " " };
        out.push_str(&format!("{name}:{gap}{}\n", value.trim()));
    }
    Cow::Owned(out)
}
