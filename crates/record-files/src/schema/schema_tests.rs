//! The schema of records of every kind.

use super::*;

fn schema(records: &[&str]) -> Schema {
    infer(records.iter().copied())
}

fn told(records: &[&str]) -> Vec<(String, String, u64, u64)> {
    let told = |field: FieldSummary| (field.path, field.types, field.present, field.nulls);
    schema(records).paths().into_iter().map(told).collect()
}

#[test]
fn fields_are_listed_in_order_of_first_appearance() {
    let records =
        [r#"{"b":1,"a":{"x":"s"},"l":[{"o":true},{"o":null}]}"#, r#"{"a":{"y":1.5},"b":null}"#];
    let expected = [
        ("b", "integer|null", 2, 1),
        ("a.x", "string", 1, 0),
        ("a.y", "number", 1, 0),
        ("l", "object[]", 1, 0),
        ("l.o", "boolean|null", 1, 1),
    ]
    .map(|(path, types, present, nulls)| (path.to_owned(), types.to_owned(), present, nulls));
    assert_eq!(told(&records), expected);
}

#[test]
fn the_schema_says_what_holds_for_every_record() {
    let records =
        [r#"{"id":1,"s":"a","n":9007199254740993}"#, r#"{"id":2,"s":"a","n":1e400,"x":null}"#];
    assert_eq!(
        schema(&records).json_schema(10_000),
        concat!(
            r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","#,
            r#""properties":{"id":{"type":"integer","minimum":1,"maximum":2,"x-distinct":2},"#,
            r#""s":{"type":"string","enum":["a"]},"#,
            r#""n":{"type":"number","minimum":9007199254740993,"maximum":1e400,"x-distinct":2},"#,
            r#""x":{"type":"null","x-null-rate":1,"x-missing-rate":0.5}},"required":["id","s","n"]}"#
        )
    );
}

#[test]
fn records_of_several_types_have_all_types() {
    let text = schema(&["1", "\"a\"", "[1,\"b\",[2]]", r#"{"k":1}"#, "null", r#"{"k":[1]}"#])
        .json_schema(10_000);
    assert!(text.contains(r#""type":["string","integer","object","array","null"]"#), "{text}");
    assert!(text.contains(r#""k":{"type":["integer","array"]"#), "{text}");
    let paths = told(&["[[1,2]]"]);
    assert_eq!(paths, [(String::new(), "integer[][]".to_owned(), 1, 0)]);
}

#[test]
fn a_key_given_twice_counts_once() {
    let field = &schema(&[r#"{"a":1,"a":"x"}"#, "{}"]).paths()[0];
    assert_eq!((field.present, field.types.as_str()), (1, "string|integer"));
    assert!(!schema(&[r#"{"a":1,"a":2}"#, "{}"]).json_schema(999).contains("required"));
}

#[test]
fn thousands_of_keys_are_bounded_and_counted() {
    let many: Vec<String> = (0..5000).map(|n| format!(r#"{{"key{n}":{n}}}"#)).collect();
    let schema = infer(many.iter().map(String::as_str));
    assert_eq!(schema.len(), 256);
    assert_eq!(schema.omitted_fields(), 5000 - 255);
    for budget in [200, 1_000, 5_000] {
        let text = schema.json_schema(budget);
        assert!(text.len() <= budget, "{}", text.len());
        assert!(text.contains("x-omitted-fields"));
    }
}

#[test]
fn depth_and_broken_text_do_no_harm() {
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let objects = format!("{}1{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000));
    let schema = schema(&[&deep, &objects, "{\"a\":", "", "{\"a\" 1}", "\u{fffd}", r#""\ud800""#]);
    assert_eq!(schema.records(), 7);
    assert!(schema.len() < 20);
}

#[test]
fn the_sample_has_the_head_and_each_shape() {
    let mut records: Vec<String> = (0..300).map(|n| format!(r#"{{"a":{n}}}"#)).collect();
    records[250] = r#"{"a":"x"}"#.to_owned();
    records[280] = "7".to_owned();
    let sample = infer(records.iter().map(String::as_str)).sample();
    assert_eq!(sample.len(), 202);
    assert_eq!(sample[200..], [250, 280]);
}
