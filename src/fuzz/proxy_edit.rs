//! A member of any object is set, changed or removed: every other member keeps its bytes and its
//! place.

use std::borrow::Cow;

use raw_json::fields;

use crate::interfaces::mcp::edit::{map_member, remove_member, set_member};

/// Sets the member `name` of any text to `value`, and removes it.
pub(super) fn run(object: &str, name: &str, value: &str) {
    sets(object, name, value);
    takes_out(object, name);
}

fn members(object: &str) -> Vec<(String, &str)> {
    let members = fields(object).expect("an object stays one");
    members.into_iter().map(|(name, raw)| (Cow::into_owned(name), raw)).collect()
}

fn sets(object: &str, name: &str, value: &str) {
    let Some(new) = set_member(object, name, value) else {
        assert!(fields(object).is_err(), "an object has its members set");
        return;
    };
    let mut expected = members(object);
    match expected.iter().rposition(|(known, _)| known == name) {
        Some(at) => {
            let old = std::mem::replace(&mut expected[at].1, value);
            let length = object.trim_ascii().len() - old.len() + value.len();
            assert_eq!(new.len(), length, "more than the member changed: {new}");
            assert_eq!(
                map_member(object.trim_ascii(), name, |_| Some(value.to_owned())),
                Some(new.clone())
            );
        }
        None => expected.push((name.to_owned(), value)),
    }
    assert_eq!(members(&new), expected);
    assert_eq!(map_member(object, name, |_| None), None);
}

fn takes_out(object: &str, name: &str) {
    if fields(object).is_err() {
        return;
    }
    let kept: Vec<_> = members(object).into_iter().filter(|(known, _)| known != name).collect();
    match remove_member(object, name) {
        Some(new) => assert_eq!(members(&new), kept),
        None => assert_eq!(members(object), kept, "there is such a member"),
    }
}
