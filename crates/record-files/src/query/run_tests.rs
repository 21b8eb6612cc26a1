//! Queries as a specification, from the request to the outcome.

use raw_json as raw;

use super::{Outcome, Query, QueryError, run};

const LINES: &str = concat!(
    r#"{"id":17,"name":"Ann","age":30,"tags":["a","b"],"at":{"city":"Wien"}}"#,
    "\n",
    r#"{"id":"18","name":"bob","age":4.0,"tags":[],"at":{"city":"Graz"}}"#,
    "\r\n\n",
    r#"{"id":19.0,"name":"Cleo","age":null,"tags":["b","b"],"legs":[{"to":"X"},{"to":"Y"}]}"#,
    "\n",
    r#"{"id":"20","name":"dora","age":1e2,"extra":1.10}"#,
);

fn ask<'a>(request: &str, lines: &'a str) -> Result<Outcome<'a>, QueryError> {
    run(&Query::parse(&raw::fields(request).unwrap())?, lines, &|| false)
}

fn names(request: &str) -> Vec<String> {
    let request = format!("{{\"select\":[\"name\"],{}", &request[1..]);
    let outcome = ask(&request, LINES).unwrap();
    outcome
        .records
        .iter()
        .map(|r| r.trim_start_matches("{\"name\":\"").trim_end_matches("\"}").to_owned())
        .collect()
}

#[test]
fn records_are_counted_and_given_as_stored() {
    let outcome = ask(r#"{"where":{"field":"age","op":">","value":20}}"#, LINES).unwrap();
    assert_eq!((outcome.records_total, outcome.matched), (4, 2));
    assert!(outcome.complete);
    assert_eq!(outcome.records[1], r#"{"id":"20","name":"dora","age":1e2,"extra":1.10}"#);
}

#[test]
fn select_gives_fields_as_asked_and_spelled() {
    let outcome = ask(r#"{"select":["extra",".at.city","legs[].to","id"]}"#, LINES).unwrap();
    assert_eq!(
        outcome.records,
        [
            r#"{"at.city":"Wien","id":17}"#,
            r#"{"at.city":"Graz","id":"18"}"#,
            r#"{"legs.to":["X","Y"],"id":19.0}"#,
            r#"{"extra":1.10,"id":"20"}"#,
        ]
    );
    assert_eq!(
        ask(r#"{"select":"id, name"}"#, LINES).unwrap().records[0],
        r#"{"id":17,"name":"Ann"}"#
    );
}

#[test]
fn count_gives_no_records() {
    let outcome = ask(r#"{"count":true}"#, LINES).unwrap();
    assert_eq!((outcome.matched, outcome.records.len()), (4, 0));
}

#[test]
fn groups_come_by_frequency_then_value() {
    let groups = |request: &str| -> Vec<(String, u64)> {
        let outcome = ask(request, LINES).unwrap();
        outcome.groups.unwrap().into_iter().map(|group| (group.value, group.count)).collect()
    };
    let expected = |pairs: &[(&str, u64)]| -> Vec<(String, u64)> {
        pairs.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect()
    };
    assert_eq!(
        groups(r#"{"group_by":"tags"}"#),
        expected(&[("\"b\"", 2), ("null", 1), ("\"a\"", 1), ("[]", 1)])
    );
    assert_eq!(
        groups(r#"{"group_by":"at.city","count":true}"#),
        expected(&[("null", 2), ("\"Graz\"", 1), ("\"Wien\"", 1)])
    );
    assert_eq!(groups(r#"{"group_by":"tags","offset":1,"limit":1}"#), expected(&[("null", 1)]));
}

#[test]
fn sorting_is_total_and_stable() {
    assert_eq!(names(r#"{"sort_by":"age"}"#), ["Cleo", "bob", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"-age"}"#), ["dora", "Ann", "bob", "Cleo"]);
    assert_eq!(names(r#"{"sort_by":"-extra"}"#), ["dora", "Ann", "bob", "Cleo"]);
    assert_eq!(names(r#"{"sort_by":["extra","-name"]}"#), ["bob", "Cleo", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"extra, -name"}"#), ["bob", "Cleo", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"id"}"#), ["Ann", "Cleo", "bob", "dora"]);
}

#[test]
fn a_page_is_cut_after_sorting() {
    assert_eq!(names(r#"{"sort_by":"age","limit":2,"offset":1}"#), ["bob", "Ann"]);
    assert_eq!(names(r#"{"limit":2}"#), ["Ann", "bob"]);
    assert_eq!(names(r#"{"offset":3,"limit":0}"#), ["dora"]);
    assert!(names(r#"{"offset":9}"#).is_empty());
    assert_eq!(ask(r#"{"limit":1}"#, LINES).unwrap().matched, 4);
}

#[test]
fn ids_are_found_whatever_their_quotes() {
    let outcome = ask(r#"{"ids":["17",18,"19",99,"99","x"]}"#, LINES).unwrap();
    assert_eq!(outcome.present.unwrap(), ["\"17\"", "18", "\"19\""]);
    assert_eq!(outcome.absent.unwrap(), ["99", "\"x\""]);
    assert_eq!((outcome.matched, outcome.records.len()), (3, 0));
    let outcome = ask(r#"{"ids":["dora"],"id_field":"name","select":["id"]}"#, LINES).unwrap();
    assert_eq!(outcome.records, [r#"{"id":"20"}"#]);
    assert!(ask(r#"{"ids":[null]}"#, LINES).is_err());
    let many = format!("{{\"ids\":[{}0]}}", "0,".repeat(10_000));
    assert!(matches!(ask(&many, LINES), Err(QueryError::TooMany { limit: 10_000, .. })));
}

#[test]
fn an_unknown_field_is_an_error_that_names_the_nearest() {
    for request in [
        r#"{"where":{"nmae":1}}"#,
        r#"{"select":["nmae"]}"#,
        r#"{"group_by":"nmae"}"#,
        r#"{"sort_by":"-nmae"}"#,
        r#"{"where":{"all":[{"name":"nobody"},{"nmae":1}]}}"#,
    ] {
        let error = ask(request, LINES).unwrap_err();
        let QueryError::UnknownField { found, nearest } = error else { panic!("{request}") };
        assert_eq!((found.as_str(), nearest[0].as_str()), ("nmae", "name"));
    }
    assert!(ask(r#"{"where":{"at":1}}"#, LINES).is_ok());
    assert_eq!(ask(r#"{"where":{"nmae":1}}"#, "").unwrap().records_total, 0);
}

#[test]
fn invalid_json_is_an_error_with_its_line_number() {
    let error = ask("{}", "{}\n\n{\"a\":}\n{}").unwrap_err();
    assert!(matches!(error, QueryError::NotJson { line: 3, at: 5, .. }), "{error}");
    let lines = format!("{}nope\n", "{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\n".repeat(50_000));
    let error = ask("{}", &lines).unwrap_err();
    assert!(matches!(error, QueryError::NotJson { line: 50_001, .. }), "{error}");
}

#[test]
fn another_type_than_the_field_holds_is_a_warning_where_nothing_matches() {
    let outcome = ask(r#"{"where":{"age":"30"}}"#, LINES).unwrap();
    assert_eq!(outcome.warnings, ["age holds numbers, the value is a string"]);
    let outcome = ask(r#"{"where":{"any":[{"age":"30"},{"name":"bob"}]}}"#, LINES).unwrap();
    assert!(outcome.warnings.is_empty());
}

#[test]
fn a_stopped_run_gives_what_it_has() {
    let query = Query::parse(&raw::fields(r#"{"where":{"nothing":1}}"#).unwrap()).unwrap();
    let outcome = run(&query, LINES, &|| true).unwrap();
    assert_eq!((outcome.complete, outcome.records_total), (false, 0));
}

#[test]
fn records_of_any_type_are_looked_at() {
    let lines = "1\n\"a\"\n[{\"x\":1}]\nnull\n{\"x\":1}";
    assert_eq!(ask(r#"{"where":{"x":1}}"#, lines).unwrap().matched, 2);
    let outcome = ask(r#"{"where":{"field":".","op":">","value":0}}"#, lines).unwrap();
    assert_eq!(outcome.records, ["1"]);
}

#[test]
fn members_of_the_wrong_shape_are_errors() {
    for request in [
        r#"{"limit":-1}"#,
        r#"{"limit":"5"}"#,
        r#"{"offset":1.5}"#,
        r#"{"count":1}"#,
        r#"{"select":{}}"#,
        r#"{"select":[1]}"#,
        r#"{"group_by":["a"]}"#,
        r#"{"sort_by":7}"#,
        r#"{"ids":"a"}"#,
        r#"{"where":"name"}"#,
    ] {
        let error = ask(request, LINES).unwrap_err();
        assert!(matches!(error, QueryError::BadMember { .. }), "{request}: {error}");
    }
    assert!(ask(r#"{"where":null,"ids":null,"limit":null}"#, LINES).is_ok());
}

#[test]
fn many_parts_keep_the_order_of_the_file() {
    let lines: String = (0..40_000).map(|n| format!("{{\"n\":{n},\"m\":{}}}\n", n % 7)).collect();
    let outcome = ask(r#"{"where":{"m":3},"limit":3,"offset":5000}"#, &lines).unwrap();
    assert_eq!(outcome.records[0], r#"{"n":35003,"m":3}"#);
    let outcome = ask(r#"{"sort_by":"-m","limit":2,"offset":1}"#, &lines).unwrap();
    assert_eq!(outcome.records, [r#"{"n":13,"m":6}"#, r#"{"n":20,"m":6}"#]);
}
