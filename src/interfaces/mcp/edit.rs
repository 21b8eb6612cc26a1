//! Edits of one member of a raw JSON object. Every other byte stays unchanged: order, spelling,
//! duplicates, unknown members.

use raw_json::{self as raw, offset_in, quote};

/// Sets a member, or appends it if it is absent. Returns `None` unless `object` is a JSON object.
pub(crate) fn set_member(object: &str, name: &str, value: &str) -> Option<String> {
    let fields = raw::fields(object).ok()?;
    let object = object.trim_ascii();
    if let Some(old) = raw::field(&fields, name) {
        return Some(replace_slice(object, old, value));
    }
    let comma = if fields.is_empty() { "" } else { "," };
    let inside = object.strip_suffix('}')?;
    Some(format!("{inside}{comma}{}:{value}}}", quote(name)))
}

/// Replaces the member `name` by the result of `change`. Returns `None` if the member is absent or
/// `change` returns `None`.
pub(crate) fn map_member(
    object: &str,
    name: &str,
    change: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let old = raw::field(&raw::fields(object).ok()?, name)?;
    Some(replace_slice(object, old, &change(old)?))
}

/// Removes every occurrence of a member, with the comma before it, or, if it is the first member,
/// the comma after it. Returns `None` if there is none.
pub(crate) fn remove_member(object: &str, name: &str) -> Option<String> {
    let fields = raw::fields(object).ok()?;
    let mut out = object[..=object.find('{')?].to_owned();
    let open = out.len();
    let (mut at, mut first) = (open, true);
    for (key, value) in &fields {
        let end = offset_in(object, value) + value.len();
        if key != name {
            let member = &object[at..end];
            let start = if first && at > open { member.find(',')? + 1 } else { 0 };
            out.push_str(&member[start..]);
            first = false;
        }
        at = end;
    }
    out.push_str(&object[at..]);
    (out.len() < object.len()).then_some(out)
}

fn replace_slice(outer: &str, old: &str, new: &str) -> String {
    let at = offset_in(outer, old);
    let mut out = String::with_capacity(outer.len() + new.len() - old.len().min(new.len()));
    out.push_str(&outer[..at]);
    out.push_str(new);
    out.push_str(&outer[at + old.len()..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_replaced_or_appended() {
        assert_eq!(set_member("{}", "a", "1").unwrap(), r#"{"a":1}"#);
        assert_eq!(set_member(r#"{ "b" : 1.10 }"#, "a", "1").unwrap(), r#"{ "b" : 1.10 ,"a":1}"#);
        assert_eq!(set_member(r#"{"a" : [2], "b":1}"#, "a", "1").unwrap(), r#"{"a" : 1, "b":1}"#);
        assert_eq!(set_member("[1]", "a", "1"), None);
        assert_eq!(set_member("\u{c}{}", "a", "1"), None, "no white space of JSON");
    }

    #[test]
    fn a_member_is_taken_out_with_its_comma() {
        let cut = |object| remove_member(object, "x").unwrap();
        assert_eq!(cut(r#"{"x":1}"#), "{}");
        assert_eq!(cut(r#"{"x":{"y":[1,2]} , "b":1}"#), r#"{ "b":1}"#);
        assert_eq!(cut(r#"{"a":1,"x":2,"b":3}"#), r#"{"a":1,"b":3}"#);
        assert_eq!(cut(r#"{"a":1, "x":2}"#), r#"{"a":1}"#);
        assert_eq!(cut(r#"{"a":1,"x":2,"x":3,"b":4}"#), r#"{"a":1,"b":4}"#);
        assert_eq!(cut(r#"{"x":2,"x":3,"b":4}"#), r#"{"b":4}"#);
        assert_eq!(remove_member(r#"{"a":1}"#, "x"), None);
    }

    #[test]
    fn a_member_that_stands_there_very_often_is_taken_out() {
        let many = vec![r#""x":1"#; 50_000].join(",");
        assert_eq!(
            remove_member(&format!(r#"{{"a":1,{many},"b":2}}"#), "x").unwrap(),
            r#"{"a":1,"b":2}"#
        );
        assert_eq!(remove_member(&format!("{{{many}}}"), "x").unwrap(), "{}");
    }

    #[test]
    fn a_change_of_nothing_is_none() {
        assert_eq!(map_member(r#"{"a":1}"#, "a", |_| None), None);
        assert_eq!(
            map_member(r#"{"a":1}"#, "a", |a| Some(format!("[{a}]"))).unwrap(),
            r#"{"a":[1]}"#
        );
    }
}
