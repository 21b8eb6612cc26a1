//! Records to lines and back, in the styles of real writers.

use super::*;

fn lines_of(shape: Shape, region: &str) -> (String, bool) {
    let fields;
    let records: Vec<&str> = match shape {
        Shape::Array => raw::elements(region).unwrap(),
        Shape::Entries => {
            fields = raw::fields(region).unwrap();
            members(region, &fields)
        }
        Shape::Lines | Shape::Rows | Shape::Text => {
            region.split_terminator(['\r', '\n']).filter(|line| !line.is_empty()).collect()
        }
    };
    let count = records.len();
    let (body, spacing) = flatten(&Region { shape, text: region, records, columns: Vec::new() });
    assert_eq!(body.lines().count(), count);
    let text = unflatten(shape, spacing.as_ref(), body.lines(), region.len() as u64);
    (body, text.as_deref() == Ok(region))
}

#[test]
fn every_style_is_rebuilt() {
    let compact = "{\"a\":1,\"b\":[1,{},[]]}\n{\"a\":{\"c\":\"x y\"}}\n";
    for text in [
        "[{\"a\":1,\"b\":[1,{},[]]},{\"a\":{\"c\":\"x y\"}}]",
        "[{\"a\": 1, \"b\": [1, {}, []]}, {\"a\": {\"c\": \"x y\"}}]",
        "[\n{\"a\":1,\"b\":[1,{},[]]},\n{\"a\":{\"c\":\"x y\"}}\n]",
        "[ { \"a\": 1, \"b\": [ 1, {}, [] ] }, { \"a\": { \"c\": \"x y\" } } ]",
        "[\n  {\n    \"a\" : 1,\n    \"b\" : [\n      1,\n      {},\n      []\n    ]\n  },\n  {\n    \
         \"a\" : {\n      \"c\" : \"x y\"\n    }\n  }\n]",
        "[{\r\n\t\t\"a\": 1,\r\n\t\t\"b\": [\r\n\t\t\t1,\r\n\t\t\t{},\r\n\t\t\t[]\r\n\t\t]\r\n\t}, {\r\n\t\t\
         \"a\": {\r\n\t\t\t\"c\": \"x y\"\r\n\t\t}\r\n\t}]",
    ] {
        assert_eq!(lines_of(Shape::Array, text), (compact.to_owned(), true), "{text}");
    }
}

#[test]
fn a_text_of_two_styles_is_not_rebuilt() {
    for text in ["[{\"a\":1},{\"a\": 2}]", "[1,2, 3]", "[{\"a\":[ ]},{\"a\":[]}]"] {
        assert!(!lines_of(Shape::Array, text).1, "{text}");
    }
}

#[test]
fn elements_of_any_kind_are_records() {
    let (lines, same) = lines_of(Shape::Array, "[[[], 1], \"a b\", {}, 1.10]");
    assert_eq!((lines.as_str(), same), ("[[],1]\n\"a b\"\n{}\n1.10\n", true));
    assert_eq!(lines_of(Shape::Array, "[ ]"), (String::new(), true));
    assert_eq!(lines_of(Shape::Array, "[]"), (String::new(), true));
}

#[test]
fn entries_keep_their_keys_as_spelled() {
    let region = "{\"a\\u0062\": {\"x\": 1}, \"c\\\":\": {}, \"d\": {\"y\": {\"z\": []}}}";
    let (lines, same) = lines_of(Shape::Entries, region);
    assert_eq!(lines.lines().next(), Some("{\"key\":\"a\\u0062\",\"value\":{\"x\":1}}"));
    assert!(same && lines.lines().count() == 3);
    let pretty = "{\n \"a\": {\n  \"x\": 1\n },\n \"b\": {\n  \"x\": []\n }\n}";
    assert!(lines_of(Shape::Entries, pretty).1);
}

#[test]
fn lines_are_rebuilt_with_their_line_ends() {
    for region in ["{\"a\":1}\n{\"a\":2}\n{\"a\":3}", "{\"a\": 1}\r\n{\"a\": 2}\r\n{}"] {
        assert!(lines_of(Shape::Lines, region).1);
    }
    assert!(!lines_of(Shape::Lines, "{\"a\":1}\n{\"a\":2}\r\n{\"a\":3}").1);
}

#[test]
fn a_line_that_is_not_an_entry_is_an_error() {
    let outcome = unflatten(Shape::Entries, None, ["{\"a\":1}"].into_iter(), 99);
    assert_eq!(outcome, Err(RebuildError::Record(1)));
}

#[test]
fn forged_indentation_ends_at_the_limit() {
    let text = "[[\n 1\n]]";
    let records = raw::elements(text).unwrap();
    let (_, spacing) = flatten(&Region { shape: Shape::Array, text, records, columns: Vec::new() });
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let outcome = unflatten(Shape::Array, spacing.as_ref(), [deep.as_str()].into_iter(), 1 << 20);
    assert_eq!(outcome, Err(RebuildError::Length));
}

#[test]
fn a_string_is_split_from_what_follows() {
    assert_eq!(split_string(r#""a\"b":1"#), Some((r#""a\"b""#, ":1")));
    assert_eq!(split_string("\"open"), None);
    assert_eq!(split_string("\""), None);
    assert_eq!(split_string("1"), None);
}
