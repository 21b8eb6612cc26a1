//! The text of a result: as a person reads it, its ends, and whether it says that the call failed.

use std::borrow::Cow;

use raw_json::{fields, is_string, unescape};

use crate::snapshot::text::markers::is_error;

/// Bytes of a result, at each end, in which its outcome is looked for.
const WINDOW: usize = 4_000;

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
