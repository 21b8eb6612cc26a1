//! Whether two raw JSON values are one value: servers give structured content and
//! repeat it as text, in another spelling of white space, escapes or order.

use chat_history::raw::{self, Fields};

/// True where the text says what the structured content says: as JSON, or as the
/// one member of an object that a library has put it into.
pub(super) fn repeats(structured: &str, text: &str) -> bool {
    let as_json = raw::kind(text) != "no JSON value";
    if as_json && same(structured, text.trim_ascii()) {
        return true;
    }
    let Ok(fields) = raw::fields(structured) else { return false };
    let [(_, only)] = fields.as_slice() else { return false };
    (raw::is_string(only) && raw::unescape(only).text == text)
        || (as_json && same(only, text.trim_ascii()))
}

/// True where both are JSON and the same value; numbers by their spelling, so that
/// no digit is lost.
fn same(one: &str, other: &str) -> bool {
    let kind = |value: &str| value.as_bytes().first().copied();
    if one == other {
        return is_value(one);
    }
    match (kind(one), kind(other)) {
        (Some(b'{'), Some(b'{')) => same_fields(one, other),
        (Some(b'['), Some(b'[')) => match (raw::elements(one), raw::elements(other)) {
            (Ok(one), Ok(other)) => {
                one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| same(a, b))
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

/// True for a whole JSON value.
pub(super) fn is_value(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn same_fields(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (raw::fields(one), raw::fields(other)) else { return false };
    if one.len() != other.len() {
        return false;
    }
    // Mostly the order is the same; else each is looked for by its name.
    let in_order = one.iter().zip(&other).all(|((a, _), (b, _))| a == b);
    if in_order {
        return one.iter().zip(&other).all(|((_, a), (_, b))| same(a, b));
    }
    let (one, other) = (sorted(one), sorted(other));
    one.iter().zip(&other).all(|((a, x), (b, y))| a == b && same(x, y))
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
