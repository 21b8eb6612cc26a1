//! The operators as a specification, on what one field holds.

use super::{Comparison, ComparisonState, Operation, QueryError};

fn holds(op: &str, operand: &str, values: &[&str]) -> bool {
    let operation = Operation::parse(op, "where").unwrap();
    let comparison = Comparison::read(operation, Some(operand), "where").unwrap();
    comparison.holds(values, &mut ComparisonState::default())
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
    no("<", "null", "null");
    no(">", "false", "true");
    no("<", "[2]", "[1]");
    yes(">", "3", "[1,4]");
    assert!(!holds("<", "3", &[]));
}

#[test]
fn contains_ignores_case_in_strings() {
    yes("contains", "\"ACME\"", "\"the acme corp\"");
    yes("contains", "\"straße\"", "\"STRAßE\"");
    yes("contains", "\"σ\"", "\"ΤΕΛΟΣ\"");
    // The sigma at the end of a word is a sigma.
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
    let comparison = Comparison::read(Operation::Exists, None, "where").unwrap();
    assert!(comparison.holds(&["0"], &mut ComparisonState::default()));
}

#[test]
fn an_operand_of_the_wrong_shape_is_an_error_that_names_the_right_one() {
    let error = |op: &str, operand: Option<&str>| {
        let operation = Operation::parse(op, "where").unwrap();
        Comparison::read(operation, operand, "where").unwrap_err()
    };
    assert_eq!(
        error("in", Some("1")).to_string(),
        "where.value is a number; accepted is a list of values"
    );
    assert_eq!(error("=", None).to_string(), "where.value is absent; accepted is any JSON value");
    for (op, operand) in [("starts_with", "1"), ("matches", "{}"), ("exists", "\"yes\"")] {
        assert!(matches!(error(op, Some(operand)), QueryError::BadMember { .. }));
    }
    let long = format!("[{}1]", "1,".repeat(1_000_000));
    assert!(matches!(error("in", Some(&long)), QueryError::TooMany { found: 1_000_001, .. }));
}

#[test]
fn a_type_that_the_field_never_holds_is_named() {
    let misfit = |op: &str, operand: &str, values: &[&str]| {
        let operation = Operation::parse(op, "where").unwrap();
        let comparison = Comparison::read(operation, Some(operand), "where").unwrap();
        let mut state = ComparisonState::default();
        comparison.holds(values, &mut state);
        comparison.misfit("priority", state.kinds)
    };
    let text = "priority holds numbers, the value is a string";
    assert_eq!(misfit("=", "\"3\"", &["3"]).as_deref(), Some(text));
    assert_eq!(misfit(">", "\"3\"", &["[3,4]"]).as_deref(), Some(text));
    assert!(misfit("contains", "\"3\"", &["3"]).is_some());
    assert_eq!(misfit("=", "4", &["3"]), None);
    assert_eq!(misfit("=", "\"3\"", &["null"]), None);
    assert_eq!(misfit("=", "null", &["3"]), None);
    assert_eq!(misfit("!=", "\"3\"", &["3"]), None);
}
