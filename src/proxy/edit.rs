//! Changes of a member of a raw object. Every other byte of it stays: order,
//! spelling, duplicates, what nobody knows.

use chat_history::raw::{self, offset_in};
use chat_history::splice::quote;

/// The object with `value` for the member; appended where there was none. None
/// where it is no object.
pub fn with(object: &str, name: &str, value: &str) -> Option<String> {
    let fields = raw::fields(object).ok()?;
    let object = object.trim_ascii();
    if let Some(old) = raw::field(&fields, name) {
        return Some(replaced(object, old, value));
    }
    let comma = if fields.is_empty() { "" } else { "," };
    let inside = object.strip_suffix('}')?;
    Some(format!("{inside}{comma}{}:{value}}}", quote(name)))
}

/// The object whose member `name` became what `change` makes of it; None where it
/// is absent, or nothing is made of it.
pub fn changed(
    object: &str,
    name: &str,
    change: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let old = raw::field(&raw::fields(object).ok()?, name)?;
    Some(replaced(object, old, &change(old)?))
}

/// The object without the member, each time it stands there; None where it has none of
/// that name. A member goes with the comma before it, or, as the first of all, with the
/// one behind it.
pub fn without(object: &str, name: &str) -> Option<String> {
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

fn replaced(outer: &str, old: &str, new: &str) -> String {
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
        assert_eq!(with("{}", "a", "1").unwrap(), r#"{"a":1}"#);
        assert_eq!(with(r#"{ "b" : 1.10 }"#, "a", "1").unwrap(), r#"{ "b" : 1.10 ,"a":1}"#);
        assert_eq!(with(r#"{"a" : [2], "b":1}"#, "a", "1").unwrap(), r#"{"a" : 1, "b":1}"#);
        assert_eq!(with("[1]", "a", "1"), None);
        assert_eq!(with("\u{c}{}", "a", "1"), None, "no white space of JSON");
    }

    #[test]
    fn a_member_is_taken_out_with_its_comma() {
        let cut = |object| without(object, "x").unwrap();
        assert_eq!(cut(r#"{"x":1}"#), "{}");
        assert_eq!(cut(r#"{"x":{"y":[1,2]} , "b":1}"#), r#"{ "b":1}"#);
        assert_eq!(cut(r#"{"a":1,"x":2,"b":3}"#), r#"{"a":1,"b":3}"#);
        assert_eq!(cut(r#"{"a":1, "x":2}"#), r#"{"a":1}"#);
        assert_eq!(cut(r#"{"a":1,"x":2,"x":3,"b":4}"#), r#"{"a":1,"b":4}"#);
        assert_eq!(cut(r#"{"x":2,"x":3,"b":4}"#), r#"{"b":4}"#);
        assert_eq!(without(r#"{"a":1}"#, "x"), None);
    }

    #[test]
    fn a_member_that_stands_there_very_often_is_taken_out() {
        let many = vec![r#""x":1"#; 50_000].join(",");
        assert_eq!(
            without(&format!(r#"{{"a":1,{many},"b":2}}"#), "x").unwrap(),
            r#"{"a":1,"b":2}"#
        );
        assert_eq!(without(&format!("{{{many}}}"), "x").unwrap(), "{}");
    }

    #[test]
    fn a_change_of_nothing_is_none() {
        assert_eq!(changed(r#"{"a":1}"#, "a", |_| None), None);
        assert_eq!(changed(r#"{"a":1}"#, "a", |a| Some(format!("[{a}]"))).unwrap(), r#"{"a":[1]}"#);
    }
}
