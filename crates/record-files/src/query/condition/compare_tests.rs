//! The specification of the operators, for the values of one field.

use super::{Comparison, Facts, Operation, QueryError};

/// Applies the operator to `values`, of a field that also has the values `others`.
fn bound(op: &str, operand: &str, values: &[&str], others: &[&str]) -> Result<bool, String> {
    let named = Operation::parse(op, "where").unwrap();
    let comparison = Comparison::read(named, Some(operand), "where").unwrap();
    let mut facts = Facts::default();
    values.iter().chain(others).for_each(|value| facts.add_with_elements(value));
    let typed = comparison.bind(facts).map_err(str::to_owned)?;
    Ok(comparison.holds(&typed, values, &mut facts, &mut String::new()))
}

/// Applies the operator to a field that also has values of every type.
fn holds(op: &str, operand: &str, values: &[&str]) -> bool {
    bound(op, operand, values, &["1", "\"x\"", "true", "[]", "{}"]).unwrap()
}

fn yes(op: &str, operand: &str, value: &str) {
    assert!(holds(op, operand, &[value]), "{value} {op} {operand}");
}

fn no(op: &str, operand: &str, value: &str) {
    assert!(!holds(op, operand, &[value]), "{value} {op} {operand}");
}

#[test]
fn equality_is_exact_by_value() {
    yes("=", "1", "1.0");
    yes("=", "1e2", "100");
    no("=", "9007199254740993", "9007199254740992");
    yes("=", "\"é\"", r#""\u00e9""#);
    yes("=", "\"e\u{301}\"", r#""\u00e9""#);
    yes("contains", "\"\u{c9}\"", "\"ce\u{301}d\"");
    yes("starts_with", "\"\u{e9}\"", "\"e\u{301}d\"");
    no("=", "\"1\"", "1");
    no("=", "\"A\"", "\"a\"");
    yes("=", r#"{"a":1,"b":2}"#, r#"{"b":2.0,"a":1}"#);
    yes("=", "true", "true");
}

#[test]
fn null_equals_null_and_missing() {
    yes("=", "null", "null");
    assert!(holds("=", "null", &[]));
    assert!(!holds("=", "0", &[]));
    assert!(!holds("!=", "null", &[]));
    no("=", "null", "false");
}

#[test]
fn not_equal_is_exactly_not_equal() {
    for value in ["1", "\"a\"", "null", "[1,2]", "{}", "true"] {
        for operand in ["1", "\"a\"", "null", "2", "[1,2]"] {
            assert_ne!(holds("=", operand, &[value]), holds("!=", operand, &[value]));
        }
    }
    assert!(holds("!=", "1", &[]));
}

#[test]
fn an_array_equals_what_an_element_equals() {
    yes("=", "\"a\"", r#"["b","a"]"#);
    no("=", "\"c\"", r#"["b","a"]"#);
    yes("=", r#"["b","a"]"#, r#"[ "b", "a" ]"#);
    no("!=", "\"a\"", r#"["b","a"]"#);
    assert!(holds("=", "2", &["1", "2"]));
}

#[test]
fn order_is_of_numbers_with_numbers_and_strings_with_strings() {
    yes(">", "3", "3.5");
    no(">", "3", "3");
    yes(">=", "3", "3.0");
    yes("<", "9007199254740993", "9007199254740992");
    yes("<=", "1e400", "1e399");
    yes(">", "\"2024-05-01\"", "\"2024-10-01T00:00:00Z\"");
    yes("<", "\"a\"", "\"Z\"");
    no(">", "\"3\"", "4");
    yes(">", "3", "[1,4]");
    assert!(!holds("<", "3", &[]));
}

#[test]
fn contains_ignores_case_in_strings() {
    yes("contains", "\"ACME\"", "\"the acme corp\"");
    yes("contains", "\"straße\"", "\"STRAßE\"");
    yes("contains", "\"σ\"", "\"ΤΕΛΟΣ\"");
    // The final form of sigma equals the usual one.
    yes("contains", "\"ΛΟΣ\"", "\"τελος\"");
    yes("contains", "\"ς\"", "\"ΣΑΣ\"");
    yes("contains", "\"É\"", r#""caf\u00e9""#);
    yes("contains", "\"\"", "\"\"");
    no("contains", "\"1\"", "12");
    no("contains", "1", "\"12\"");
}

#[test]
fn contains_of_an_array_is_an_equal_element_or_a_string_that_contains() {
    yes("contains", "2", "[1,2.0]");
    no("contains", "3", "[1,2]");
    yes("contains", "\"SEC\"", r#"["cost","security"]"#);
    yes("contains", "null", "[null]");
    no("contains", "null", "null");
}

#[test]
fn affixes_keep_to_the_case() {
    yes("starts_with", "\"_sem\"", "\"_semantic/x\"");
    no("starts_with", "\"_SEM\"", "\"_semantic/x\"");
    yes("ends_with", "\"/x\"", "\"_semantic/x\"");
    yes("ends_with", "\"x\"", r#"["y","ax"]"#);
    no("ends_with", "\"1\"", "1");
}

#[test]
fn matches_is_a_regular_expression() {
    yes("matches", r#""^_sem.*/x$""#, "\"_semantic/x\"");
    yes("matches", r#""(?i)ACME""#, "\"the acme\"");
    no("matches", "\"^a$\"", "\"ab\"");
    no("matches", "\"1\"", "1");
}

#[test]
fn in_is_equality_with_one_of_a_list() {
    yes("in", "[1,\"a\",null]", "1.0");
    yes("in", "[1,\"a\",null]", "\"a\"");
    yes("in", "[\"b\"]", r#"["a","b"]"#);
    no("in", "[]", "1");
    assert!(holds("in", "[1,null]", &[]));
    assert!(!holds("in", "[1]", &[]));
}

#[test]
fn exists_counts_null_as_present() {
    yes("exists", "true", "null");
    no("exists", "false", "null");
    assert!(!holds("exists", "true", &[]));
    assert!(holds("exists", "false", &[]));
    yes("is_null", "true", "null");
    no("is_null", "true", "0");
    no("is_not_null", "true", "null");
    assert!(holds("is_null", "true", &[]));
    assert!(!holds("is_null", "false", &[]));
    assert!(!holds("is_null", "true", &["null", "1"]));
}

#[test]
fn an_operand_of_the_wrong_shape_is_an_error_that_names_the_right_one() {
    let error = |op: &str, operand: Option<&str>| {
        let named = Operation::parse(op, "where").unwrap();
        Comparison::read(named, operand, "where").unwrap_err()
    };
    assert_eq!(
        error("in", Some("1")).to_string(),
        "where.value is a number; accepted is a list of values"
    );
    assert_eq!(error("=", None).to_string(), "where.value is absent; accepted is any JSON value");
    for (op, operand) in [
        ("starts_with", "1"),
        ("matches", "{}"),
        ("exists", "\"yes\""),
        (">", "null"),
        ("<", "[2]"),
        (">=", "true"),
    ] {
        assert!(matches!(error(op, Some(operand)), QueryError::BadMember { .. }));
    }
    let long = format!("[{}1]", "1,".repeat(1_000_000));
    assert!(matches!(error("in", Some(&long)), QueryError::TooMany { found: 1_000_001, .. }));
}

#[test]
fn an_operand_is_read_as_the_type_of_the_field() {
    for (op, operand, value, others, expected) in [
        // Numbers in strings, if all strings are numbers.
        (">=", "13", r#""9""#, vec![], false),
        (">=", r#""13""#, r#""9""#, vec![], false),
        (">=", r#""13""#, r#""100""#, vec!["7"], true),
        ("=", "100", r#""1e2""#, vec![], true),
        (">", r#""13""#, r#""9""#, vec![r#""x""#], true),
        ("=", r#""""#, r#""""#, vec![r#""5""#], true),
        // Texts and numbers.
        (">=", r#""4""#, "5", vec![], true),
        ("=", "\"true\"", "true", vec![], true),
        ("=", "3", r#""3""#, vec![r#""x""#], true),
        ("=", "3", r#""3""#, vec![r#""x""#, "4"], false),
        ("=", r#""3""#, "3", vec![r#""x""#], false),
        // Versions.
        (">=", r#""13""#, r#""9.3.5""#, vec![], false),
        ("<", "13", r#""9.3.5""#, vec!["14"], true),
        ("=", "13", r#""13.0.0""#, vec![], true),
        // Dates.
        ("=", r#""2025-05-14""#, r#""2025-05-14T23:59:59.9Z""#, vec![], true),
        ("<=", r#""2025-05-14""#, r#""2025-05-14T23:59:59.9Z""#, vec![], true),
        (">", r#""2025-05-14""#, r#""2025-05-14T23:59:59.9Z""#, vec![], false),
        ("!=", r#""2025-05-14""#, r#""2025-05-14T23:59:59.9Z""#, vec![], false),
        ("<", r#""2025-05-14""#, r#""2025-05-14""#, vec![], false),
        ("=", r#""May 2025""#, r#""2025-05-31T10:00:00Z""#, vec![], true),
        (">", r#""2025-05""#, r#""2025-05-31T10:00:00Z""#, vec![], false),
        ("=", "2025", r#""2025-12-31""#, vec![], true),
        ("in", r#"["2024-01-01","2025-05"]"#, r#""2025-05-31""#, vec![], true),
        ("=", r#""2025-05-14T10:00:00Z""#, r#""2025-05-14T12:00:00+02:00""#, vec![], true),
        ("starts_with", r#""2025-05""#, r#""2025-05-14""#, vec![], true),
    ] {
        let found = bound(op, operand, &[value], &others);
        assert_eq!(found, Ok(expected), "{value} {op} {operand} among {others:?}");
    }
}

#[test]
fn an_operand_that_is_no_value_of_the_field_is_refused() {
    for (op, operand, values) in [
        ("=", r#""high""#, vec!["3"]),
        ("!=", r#""high""#, vec!["3"]),
        (">", r#""yesterday""#, vec![r#""2025-05-14""#]),
        ("=", r#""x""#, vec![r#""13""#]),
        ("=", "[1]", vec!["1"]),
        ("=", "1", vec!["true"]),
        ("<", "3", vec![r#""x""#]),
        ("in", r#"[3,"high"]"#, vec!["3"]),
        ("contains", r#""3""#, vec!["3"]),
        ("contains", "3", vec!["3"]),
        ("starts_with", r#""3""#, vec!["3", "null"]),
        ("=", r#""x""#, vec![r#"{"a":1}"#]),
    ] {
        let found = bound(op, operand, &values, &[]);
        assert!(found.is_err(), "{op} {operand} in {values:?}: {found:?}");
    }
    for (op, operand, values) in [
        ("=", "null", vec!["3"]),
        ("contains", r#""x""#, vec!["null", "[]"]),
        ("=", r#""3""#, vec!["null"]),
        ("=", "[1]", vec!["[1]"]),
        ("in", "[3,null]", vec!["3"]),
    ] {
        assert!(bound(op, operand, &values, &[]).is_ok(), "{op} {operand} in {values:?}");
    }
}
