//! The scanner against the grammar, and against what `serde_json` accepts.

use serde::de::IgnoredAny;

use super::{elements, members, record};

fn valid(text: &str) -> bool {
    record(text, |_, _| {}).is_ok()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    members(text, |key, value| pairs.push((key.text().into_owned(), value.to_owned())));
    pairs
}

#[test]
fn accepts_and_refuses_what_serde_json_does() {
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "\\u00e9", "\\ud800", "a", "é", "\u{1}",
        "0", "-", "1", ".", "e", "+", "true", "null", "false", " ", "\"a\":", "\"k\"", "1.5e3",
    ];
    let mut state = 7_u64;
    for _ in 0..200_000 {
        let mut text = String::new();
        for _ in 0..=(state >> 40) % 9 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            text.push_str(pieces[usize::try_from((state >> 33) % 27).unwrap()]);
        }
        let known = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        assert_eq!(valid(&text), known, "{text:?}");
    }
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
fn elements_come_until_told_to_end() {
    let mut seen = Vec::new();
    elements("[1, [2,3], {\"a\":4}, 5]", |element| {
        seen.push(element);
        seen.len() < 3
    });
    assert_eq!(seen, ["1", "[2,3]", "{\"a\":4}"]);
}

#[test]
fn a_fault_names_its_place_and_what_was_expected() {
    let fault = record("{\"a\": tru}", |_, _| {}).unwrap_err();
    assert_eq!((fault.at, fault.expected), (6, "true"));
    let fault = record("1 2", |_, _| {}).unwrap_err();
    assert_eq!((fault.at, fault.expected), (2, "the end of the record"));
    assert!(!valid(""));
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
fn every_length_of_a_string_ends_where_it_ends() {
    for length in 0..40 {
        for symbol in ["a", "é", "\u{7f}", "!", "#"] {
            let text = format!("\"{}\"", symbol.repeat(length));
            assert_eq!(record(&text, |_, _| {}), Ok(text.as_str()));
            let broken = format!("\"{}\u{1f}\"", symbol.repeat(length));
            assert!(!valid(&broken));
        }
    }
}
