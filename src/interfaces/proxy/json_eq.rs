//! Equality of raw JSON values: servers repeat structured content as text, with other white
//! space, escapes or member order.

use raw_json::{self as raw, Fields};

use crate::interfaces::mcp::message::is_json;

/// Returns true if the text repeats the structured content: as JSON, or as the only member of
/// an object that a library wrapped it in.
pub(super) fn repeats(structured: &str, text: &str) -> bool {
    let as_json = raw::kind(text) != "no JSON value";
    if as_json && json_eq(structured, text.trim_ascii()) {
        return true;
    }
    let Ok(fields) = raw::fields(structured) else { return false };
    let [(_, only)] = fields.as_slice() else { return false };
    (raw::is_string(only) && raw::unescape(only).text == text)
        || (as_json && json_eq(only, text.trim_ascii()))
}

/// Returns true if both are the same JSON value. Numbers are compared by spelling, so that no
/// digit is lost.
fn json_eq(one: &str, other: &str) -> bool {
    let kind = |value: &str| value.as_bytes().first().copied();
    if one == other {
        return is_json(one);
    }
    match (kind(one), kind(other)) {
        (Some(b'{'), Some(b'{')) => objects_eq(one, other),
        (Some(b'['), Some(b'[')) => match (raw::elements(one), raw::elements(other)) {
            (Ok(one), Ok(other)) => {
                one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| json_eq(a, b))
            }
            _ => false,
        },
        (Some(b'"'), Some(b'"')) => {
            let (one, other) = (raw::unescape(one), raw::unescape(other));
            one.exact && other.exact && one.text == other.text
        }
        _ => false,
    }
}

fn objects_eq(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (raw::fields(one), raw::fields(other)) else { return false };
    if one.len() != other.len() {
        return false;
    }
    // The order is usually the same; otherwise both are sorted by name.
    let in_order = one.iter().zip(&other).all(|((a, _), (b, _))| a == b);
    if in_order {
        return one.iter().zip(&other).all(|((_, a), (_, b))| json_eq(a, b));
    }
    let (one, other) = (sorted(one), sorted(other));
    one.iter().zip(&other).all(|((a, x), (b, y))| a == b && json_eq(x, y))
}

fn sorted(mut fields: Fields<'_>) -> Fields<'_> {
    fields.sort_by(|(a, _), (b, _)| a.cmp(b));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_in_another_spelling() {
        let structured = r#"{"a":[1.10,"é",{"x":null}],"b":true}"#;
        assert!(repeats(structured, structured));
        assert!(repeats(
            structured,
            "{\n \"b\": true,\n \"a\": [1.10, \"\\u00e9\", {\"x\": null}]\n}\n"
        ));
        assert!(repeats(r#"{"result":[1,2]}"#, "[1, 2]"));
        assert!(repeats(r#"{"result":"a\nb"}"#, "a\nb"));
    }

    #[test]
    fn another_value_is_another() {
        let structured = r#"{"a":[12345678901234567890123]}"#;
        assert!(!repeats(structured, r#"{"a":[12345678901234567890124]}"#));
        assert!(!repeats(structured, r#"{"a":[]}"#));
        assert!(!repeats(structured, "2 rows"));
        assert!(!repeats(r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#));
        assert!(!repeats(r#"{"result":"a"}"#, "b"));
    }
}
