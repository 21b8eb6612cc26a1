//! Other spellings of a value: without white space, and in the form that a model would see.

use memchr::memchr;

use crate::{Tokens, is_space, string_end, unescape};

/// Appends `json` to `out` without the white space outside its strings.
///
/// ```
/// let mut out = String::new();
/// raw_json::minify("{\"a b\": [1, 2.0] }", &mut out);
/// assert_eq!(out, "{\"a b\":[1,2.0]}");
/// ```
pub fn minify(json: &str, out: &mut String) {
    Tokens::new(json).for_each(|(_, token)| out.push_str(token));
}

/// Returns true if `json` has no white space outside its strings.
///
/// ```
/// assert!(raw_json::is_minified(r#"{"a b":[1,2.0]}"#));
/// assert!(!raw_json::is_minified(r#"{"a b": [1,2.0]}"#));
/// ```
pub fn is_minified(json: &str) -> bool {
    let mut rest = json.as_bytes();
    loop {
        let quote = rest.iter().position(|byte| *byte == b'"' || is_space(*byte));
        let Some(quote) = quote else { return true };
        if is_space(rest[quote]) {
            return false;
        }
        rest = &rest[quote..];
        rest = &rest[string_end(rest).unwrap_or(rest.len())..];
    }
}

/// Returns a JSON value as a model would see it, whatever its spelling: without white space
/// between tokens, and with `\u` escapes of printable characters decoded. For counting only,
/// so that `"é"` and `"\u00e9"` cost the same.
///
/// ```
/// assert_eq!(raw_json::canonical(r#"{"a": "\u00e9\n"}"#), r#"{"a":"é\n"}"#);
/// ```
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

fn canonical_string(literal: &str, out: &mut String) {
    if memchr(b'\\', literal.as_bytes()).is_none() {
        out.push_str(literal);
        return;
    }
    out.push('"');
    for symbol in unescape(literal).text.chars() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_outside_strings_counts() {
        assert!(is_minified(r#"{"a b":"c \" d","e":[1,2]}"#));
        for spaced in [r#"{"a":1, "b":2}"#, "[1\n]", " 1", "\"a\" "] {
            assert!(!is_minified(spaced), "{spaced}");
        }
    }
}
