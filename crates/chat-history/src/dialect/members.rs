//! Members of messages and of their parts, read leniently: a member of another type counts
//! as absent.

use raw_json::{self as raw, Fields};

use super::BadMessage;

/// Returns the members of a message; `accepted` describes the messages that the format accepts.
pub(super) fn fields_of<'a>(
    message: &'a str,
    accepted: &'static str,
) -> Result<Fields<'a>, BadMessage> {
    raw::fields(message).map_err(|error| {
        let found = match raw::kind(message) {
            "an object" => format!("cannot be read: {error}"),
            other => format!("is {other}"),
        };
        BadMessage { found, accepted }
    })
}

/// Returns the members of a value, or `None` if it is not an object.
pub(super) fn members(value: &str) -> Option<Fields<'_>> {
    value.starts_with('{').then(|| raw::fields(value).ok()).flatten()
}

/// Returns the text of a member that is a string.
pub(super) fn string(fields: &Fields<'_>, name: &str) -> Option<String> {
    let value = raw::field(fields, name).filter(|value| raw::is_string(value))?;
    Some(raw::unescape(value).text.into_owned())
}

/// Returns the text of a member that is a non-empty string: an empty id identifies nothing.
pub(super) fn filled(fields: &Fields<'_>, name: &str) -> Option<String> {
    string(fields, name).filter(|text| !text.is_empty())
}

/// Returns the literal of the text of a part whose type is `text`.
pub(super) fn text_of(part: &str) -> Option<&str> {
    let fields = members(part)?;
    let text = raw::field(&fields, "text").filter(|text| raw::is_string(text));
    text.filter(|_| string(&fields, "type").as_deref() == Some("text"))
}

/// Returns true for a string literal of only white space.
pub(super) fn is_blank(literal: &str) -> bool {
    let start = literal.trim_start_matches('"').trim_start().chars().next();
    // An escape may stand for white space; the closing quote ends a text of only white space.
    matches!(start, None | Some('"' | '\\')) && raw::unescape(literal).text.trim().is_empty()
}

/// Returns the members of a member that is an object.
pub(super) fn object<'a>(fields: &Fields<'a>, name: &str) -> Option<Fields<'a>> {
    let value = raw::field(fields, name).filter(|value| value.starts_with('{'))?;
    raw::fields(value).ok()
}

/// Returns the elements of a member that is an array; empty for any other.
pub(super) fn array<'a>(fields: &Fields<'a>, name: &str) -> Vec<&'a str> {
    let value = raw::field(fields, name).filter(|value| value.starts_with('['));
    value.and_then(|value| raw::elements(value).ok()).unwrap_or_default()
}
