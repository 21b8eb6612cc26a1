//! The specification of conditions: the spellings, and the places that errors name.

use raw_json as raw;

use super::{Condition, QueryError, Reading};
use crate::query::{Query, run};

fn read(raw: &str) -> Result<(Condition, Reading), QueryError> {
    let mut reading = Reading::default();
    reading.condition(raw).map(|condition| (condition, reading))
}

fn error(raw: &str) -> String {
    read(raw).unwrap_err().to_string()
}

const LINES: &str = concat!(
    r#"{"n":1,"a":1,"b":2,"c":"x","e":[{"s":"d","p":"x","f":[{"k":1,"v":1}]},{"s":"o","p":"y","f":[{"k":1,"v":2},{"k":2,"v":1}]}]}"#,
    "\n",
    r#"{"n":2,"a":5,"b":9,"c":"y","e":[{"s":"d","p":"y","f":[]}]}"#,
    "\n",
    r#"{"n":3,"a":3,"b":3,"c":"xy","e":{"s":"d","p":"x","f":[[{"k":2,"v":1}]]}}"#,
    "\n",
    r#"{"n":4,"a":2,"c":null,"e":[]}"#,
);

/// Returns the numbers of the records that match.
fn numbers(condition: &str) -> Vec<u64> {
    numbers_of(LINES, condition)
}

fn numbers_of(lines: &str, condition: &str) -> Vec<u64> {
    let request = format!(r#"{{"where":{condition},"select":["n"]}}"#);
    let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
    let records = run(&query, lines, &|| false).unwrap().records;
    let number = |record: &std::borrow::Cow<'_, str>| record[5..record.len() - 1].parse().unwrap();
    records.iter().map(number).collect()
}

#[test]
fn a_condition_without_effect_is_an_error() {
    assert!(error(r#"{"any":[]}"#).starts_with("where.any is empty, and so never holds"));
    let request = r#"{"where":{"c":"x"},"where":{"c":"y"},"count":true}"#;
    let twice = Query::parse(&raw::fields(request).unwrap()).unwrap_err().to_string();
    assert!(twice.starts_with("where is given twice; accepted is one value"), "{twice}");
}

#[test]
fn a_condition_has_at_most_so_many_parts_and_levels() {
    let parts = |number: usize| {
        let part = r#"{"field":"a","op":"=","value":1}"#;
        read(&format!(r#"{{"all":[{}]}}"#, vec![part; number].join(",")))
    };
    assert!(parts(199).is_ok());
    assert!(matches!(parts(200), Err(QueryError::TooMany { found: 201, limit: 200, .. })));
    let levels = |number: usize| {
        read(&format!(r#"{}{{"a":1}}{}"#, r#"{"not":"#.repeat(number - 1), "}".repeat(number - 1)))
    };
    assert!(levels(32).is_ok());
    assert!(matches!(levels(33), Err(QueryError::TooMany { found: 33, limit: 32, .. })));
}

#[test]
fn every_spelling_gives_the_same_condition() {
    for condition in [
        r#"{"all":[{"field":"a","op":">=","value":2},{"field":"a","op":"<","value":5}]}"#,
        r#"{"and":[{"field":"a","op":"gte","value":2},{"field":"a","op":"lt","value":"5"}]}"#,
        r#"{"a":{"$gte":2,"$lt":5}}"#,
        r#"{"a":{"gte":"2","<":5}}"#,
        r#"{"$and":[{"a":{"op":">=","value":2}},{"a":{"$lt":5}}]}"#,
        r#"{"AND":[{"a":{">=":2}}],"a":{"<":5}}"#,
        r#""{\"a\":{\"$gte\":2,\"$lt\":5}}""#,
        r#"{"all":["{\"a\":{\"$gte\":2}}",{"path":"a","operator":"lt","value":5}]}"#,
        r#"{"field":"a","op":"=","value":{"$gte":2,"$lt":5}}"#,
        r#"{"a":{"in":[2,3]}}"#,
        r#"{"a":{"between":[2,4]}}"#,
        r#"{"field":"a","op":"BETWEEN","value":[2,"3"]}"#,
        r#"{"all":["a between 2 and 4"]}"#,
        r#"{"a":{"$nin":[1,5]}}"#,
        r#"{"not":{"or":[{"a":1},{"a":{"is":5}}]}}"#,
    ] {
        assert_eq!(numbers(condition), [3, 4], "{condition}");
    }
    assert_eq!(numbers(r#"{"c":{"regex":"^x"}}"#), [1, 3]);
    assert_eq!(numbers(r#"{"c":{"not_contains":"x"}}"#), [2, 4]);
    assert_eq!(numbers(r#"{"c":{"$regex":"^X","$options":"i"}}"#), [1, 3]);
    assert_eq!(numbers(r#"{"c":{"options":"i","regex":"^X"}}"#), [1, 3]);
    assert_eq!(numbers(r#"{"field":"b","op":"exists","value":false}"#), [4]);
    assert_eq!(numbers(r#"{"field":"c","op":"is_null"}"#), [4]);
    assert_eq!(numbers(r#"{"any":["a=1","c == 'y'","b >= 3.0"]}"#), [1, 2, 3]);
    assert_eq!(numbers(r#""c contains x""#), [1, 3]);
    assert_eq!(numbers(r#"{"all":["c starts_with 'x'","a gt 2"]}"#), [3]);
    assert_eq!(numbers("{}"), [1, 2, 3, 4]);
}

#[test]
fn words_are_joined_outside_of_quotes() {
    for (condition, expected) in [
        ("a > 1 and b < 9", vec![3]),
        ("a >= 2 AND a < 5 && c = xy", vec![3]),
        ("a = 1 or c == 'y' || n is 3", vec![1, 2, 3]),
        ("c = 'x and y' or a = 5", vec![2]),
        ("b missing", vec![4]),
        ("c is missing", vec![]),
        ("c is null", vec![4]),
        ("c is not null and a exists", vec![1, 2, 3]),
        ("a in 1..3", vec![1, 3, 4]),
        ("a between 2..5", vec![2, 3, 4]),
        ("a since 3 and a until 4", vec![3]),
        ("a on 5", vec![2]),
    ] {
        assert_eq!(numbers(&raw::quote(condition)), expected, "{condition}");
    }
    for unclear in [
        "a = 1 or a = 2 and b = 1",
        "a = 1 or 2",
        "c = x y",
        "c = 'x and a = 1",
        "a and",
        "a between 1",
    ] {
        let text = error(&raw::quote(unclear));
        assert!(text.contains("or as SQL, with texts in single quotes"), "{unclear}: {text}");
        let is_own = text.contains(&format!("WHERE {unclear}\""));
        assert_eq!(is_own, unclear.ends_with("b = 1"), "{unclear}: {text}");
    }
    for condition in [
        "(a = 1 or b = 2) and c = 'x'",
        "a between 1 and 2 or not c like 'x%'",
        "a in (1, 2) and b is null or c>=5",
    ] {
        assert!(super::is_sql(condition), "{condition}");
    }
    for words in [
        "d during 2025-04",
        "1..2",
        "c = x",
        "a = 1 or 2",
        "a between 1",
        "c like x%",
        "a b > 1",
        "a in (x, y)",
    ] {
        assert!(!super::is_sql(words), "{words}");
    }
    let lines = "{\"n\":1,\"state\":\"OR\",\"or\":2}\n{\"n\":2,\"state\":\"missing\"}";
    assert_eq!(numbers_of(lines, r#""state = OR""#), [1]);
    assert_eq!(numbers_of(lines, r#""or > 1""#), [1]);
    assert_eq!(numbers_of(lines, r#""state is missing""#), [2]);
}

#[test]
fn parts_of_a_conjunction_are_met_by_one_element() {
    for (condition, expected) in [
        (r#"{"e.s":"d","e.p":"y"}"#, vec![2]),
        (r#"{"all":[{"e.s":"d"},{"all":[{"e.p":"y"}]}]}"#, vec![2]),
        (r#"{"all":[{"e.s":"d"},{"any":[{"e.p":"y"},{"a":3}]}]}"#, vec![2, 3]),
        (r#"{"any":[{"e.s":"d"},{"e.p":"y"}]}"#, vec![1, 2, 3]),
        // Alone, each condition applies to all elements.
        (r#"{"all":[{"e.s":"d"},{"not":{"e.p":"y"}}]}"#, vec![3]),
        (r#"{"e.s":{"!=":"d"}}"#, vec![4]),
        // Combined with another condition, both apply to the same element.
        (r#"{"e.s":{"!=":"d"},"e.p":"y"}"#, vec![1]),
        (r#"{"e.0.s":"d","e.p":"y"}"#, vec![1, 2]),
        // Nested arrays, also directly in one another.
        (r#"{"e.f.k":2,"e.f.v":1}"#, vec![1, 3]),
        (r#"{"e.s":"d","e.f.k":1,"e.f.v":2}"#, vec![]),
        (r#"{"e.s":"o","e.f.k":2,"e.f.v":1}"#, vec![1]),
    ] {
        assert_eq!(numbers(condition), expected, "{condition}");
    }
}

/// An array without elements is treated as if it were missing.
#[test]
fn empty_arrays_have_no_element_to_choose() {
    let lines = concat!(
        r#"{"n":1,"a":1,"b":1,"e":[]}"#,
        "\n",
        r#"{"n":2,"a":1,"b":1}"#,
        "\n",
        r#"{"n":3,"a":1,"b":1,"e":[{"s":"o","f":[]}]}"#,
        "\n",
        r#"{"n":4,"a":2,"b":2,"e":[{"s":"d","p":"x","f":[{"k":1,"v":2}]},{"s":"o"}]}"#,
        "\n",
        r#"{"n":5,"a":1,"b":2,"e":[[],[]]}"#,
        "\n",
        r#"{"n":6,"a":1,"b":1,"e":[{"s":"d","p":"x"}]}"#,
    );
    for (condition, expected) in [
        (
            r#"{"all":[{"any":[{"a":1},{"e.s":"d"}]},{"any":[{"b":1},{"e.p":"x"}]}]}"#,
            &[1, 2, 3, 4, 6][..],
        ),
        (
            r#"{"all":[{"any":[{"a":1},{"e.f.k":1}]},{"any":[{"b":1},{"e.f.v":2}]}]}"#,
            &[1, 2, 3, 4, 6],
        ),
        (r#"{"e.s":{"!=":"d"},"e.p":{"!=":"x"}}"#, &[1, 2, 3, 4, 5]),
        (r#"{"e.s":{"not_exists":true},"e.p":{"not_exists":true}}"#, &[1, 2, 5]),
        (r#"{"e.s":"o","e.p":{"is_null":true}}"#, &[3, 4]),
    ] {
        assert_eq!(numbers_of(lines, condition), expected, "{condition}");
    }
}

#[test]
fn an_error_names_its_place() {
    assert!(error("[1]").starts_with("where is an array; accepted is an object with"));
    assert!(error(r#"{"all":1}"#).starts_with("where.all is a number; accepted is a list"));
    assert!(error(r#"{"all":[{"not":7}]}"#).starts_with("where.all[0].not is a number"));
    assert!(error(r#"{"field":"a","value":1}"#).starts_with("where.op is absent"));
    assert!(error(r#"{"op":"=","value":1}"#).starts_with("where.field is absent"));
    assert!(error(r#"{"field":"a","op":"=","value":1,"x":2}"#).contains("also holds `x`"));
    assert!(error(r#"{"field":"a","op":"=="}"#).starts_with("where.value is absent"));
    assert!(error(r#"{"a":{"between":[1]}}"#).starts_with("where.value is an array; accepted is"));
    let text = error(r#""a > 3 AND NOT b""#);
    assert!(text.ends_with(r#"quotes: {"sql": "SELECT * FROM records WHERE a > 3 AND NOT b"}"#));
    assert!(error(r#"{"field":"","op":"=","value":1}"#).contains("an empty path"));
}

#[test]
fn depth_and_number_are_bounded() {
    let deep =
        |levels: usize| format!("{}{{\"a\":1}}{}", "{\"not\":".repeat(levels), "}".repeat(levels));
    assert!(read(&deep(31)).is_ok());
    assert!(error(&deep(32)).contains("levels"));
    assert!(error(&deep(10_000)).contains("levels"));
    let many = format!("{{\"any\":[{}{{}}]}}", "{},".repeat(1000));
    assert!(error(&many).contains("conditions; accepted is at most 200"));
}

/// A key with dots can be next to the array that its first part names.
#[test]
fn keys_with_dots_are_no_elements() {
    let lines = concat!(
        r#"{"n":1,"t":["x"],"t.c":1,"o":{"t":[{"k":1}],"t.c":3},"t.c.w":7}"#,
        "\n",
        r#"{"n":2,"t":[],"t.c":0,"o":{"t":[{"c":1},{"c":4}]},"t.c.w":8}"#,
        "\n",
        r#"{"n":3,"t":[{"v":1},{"v":2}],"t.c":2,"o":{"t.c":[4]},"t.c.w":9}"#,
    );
    for (condition, expected) in [
        (r#"{"t.c":{"gte":1,"lte":2}}"#, &[1, 3][..]),
        (r#"{"t.c.w":{"gt":7,"lt":9}}"#, &[2]),
        (r#"{"t.c":{"gte":2},"t.v":2}"#, &[3]),
        (r#"{"t.c":2,"t.v":1,"t.c.w":9}"#, &[3]),
        (r#"{"o.t.c":{"gte":2,"lte":3}}"#, &[1]),
        (r#"{"o.t.c":{"gt":3,"lt":5}}"#, &[2, 3]),
        (r#"{"all":[{"t.c":{"gte":1}},{"not":{"all":[{"t.c":2},{"t.v":1}]}}]}"#, &[1]),
    ] {
        assert_eq!(numbers_of(lines, condition), expected, "{condition}");
    }
}
