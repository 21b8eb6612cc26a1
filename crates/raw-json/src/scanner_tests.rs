//! Examples of the scanner: order, faults, nesting.

use super::{Scanner, each_element, each_member};
use crate::check_record;

fn valid(text: &str) -> bool {
    check_record(text, |_, _| {}).is_ok()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    each_member(text).map(|(key, value)| (key.text().into_owned(), value.to_owned())).collect()
}

#[test]
fn members_come_in_order_with_duplicates_and_unescaped_keys() {
    assert_eq!(
        pairs("{ \"a\" : 1 , \"\\u0062\":[ {\"x\":2} ],\"a\":\"]}\\\"\" }"),
        [("a", "1"), ("b", "[ {\"x\":2} ]"), ("a", "\"]}\\\"\"")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    assert!(pairs("[1]").is_empty());
}

#[test]
fn elements_come_in_order_and_end_where_the_text_is_broken() {
    let elements = |text| each_element(text).collect::<Vec<_>>();
    assert_eq!(elements("[1, [2,3], {\"a\":4}, 5]"), ["1", "[2,3]", "{\"a\":4}", "5"]);
    assert_eq!(elements("[1, 2 3]"), ["1", "2"]);
    assert_eq!(elements("[1, ]"), ["1"]);
    assert!(elements("{}").is_empty());
}

#[test]
fn a_fault_names_its_place_and_what_was_expected() {
    for (text, at, expected) in [
        ("{\"a\": tru}", 6, "true"),
        ("1 2", 2, "the end of the record"),
        ("", 0, "a JSON value"),
        ("{\"a\":1 \"b\":2}", 7, "`,` or `}`"),
        ("[1 2]", 3, "`,` or a closing bracket"),
        ("{1:2}", 1, "a key in quotes"),
        ("{\"a\" 1}", 5, "`:`"),
        ("[-]", 2, "a digit"),
        ("\"a", 2, "the end of a string"),
        ("\"a\n\"", 2, "an escape in place of a control character"),
        ("\"\\x\"", 1, "an escape that JSON knows"),
    ] {
        let fault = check_record(text, |_, _| {}).unwrap_err();
        assert_eq!((fault.at, fault.expected), (at, expected), "{text}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}1{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    assert!(valid(&deep));
    assert!(!valid(&deep[1..]));
}

#[test]
fn a_lone_surrogate_in_a_key_or_a_value_is_no_fault() {
    assert_eq!(
        pairs(r#"{"\ud800":"\udfff"}"#),
        [("\u{fffd}".to_owned(), r#""\udfff""#.to_owned())]
    );
}

#[test]
fn a_broken_value_has_no_slice() {
    for text in ["", "\"abc", "\"abc\\", "[1,", "{", "]", "é", "[é]"] {
        assert_eq!(Scanner::new(text).value(), None, "{text}");
    }
}
