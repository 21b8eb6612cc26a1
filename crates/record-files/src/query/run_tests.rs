//! The specification of queries, from the request to the outcome.

use raw_json as raw;

use super::{Outcome, Query, QueryError, run};

pub(in crate::query) const LINES: &str = concat!(
    r#"{"id":17,"name":"Ann","age":30,"tags":["a","b"],"at":{"city":"Wien"}}"#,
    "\n",
    r#"{"id":"18","name":"bob","age":4.0,"tags":[],"at":{"city":"Graz"}}"#,
    "\r\n\n",
    r#"{"id":19.0,"name":"Cleo","age":null,"tags":["b","b"],"legs":[{"to":"X"},{"to":"Y"}]}"#,
    "\n",
    r#"{"id":"20","name":"dora","age":1e2,"extra":1.10}"#,
);

pub(in crate::query) fn ask<'a>(request: &str, lines: &'a str) -> Result<Outcome<'a>, QueryError> {
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
    assert_eq!(names(r#"{"sort_by":"age ASC"}"#), ["Cleo", "bob", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"age desc"}"#), ["dora", "Ann", "bob", "Cleo"]);
    assert_eq!(names(r#"{"sort_by":"-extra"}"#), ["dora", "Ann", "bob", "Cleo"]);
    assert_eq!(names(r#"{"sort_by":["extra","-name"]}"#), ["bob", "Cleo", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"extra, -name"}"#), ["bob", "Cleo", "Ann", "dora"]);
    assert_eq!(names(r#"{"sort_by":"id"}"#), ["Ann", "bob", "Cleo", "dora"]);
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
    assert!(ask(r#"{"where":{"at":null}}"#, LINES).is_ok());
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
fn an_operand_of_another_type_is_read_as_the_type_of_the_field() {
    let outcome = ask(r#"{"where":{"age":"30"}}"#, LINES).unwrap();
    assert_eq!((outcome.matched, outcome.notes), (1, vec!["\"30\" read as a number".to_owned()]));
    let error = ask(r#"{"where":{"age":"old"}}"#, LINES).unwrap_err().to_string();
    assert_eq!(
        error,
        "where: age holds numbers such as 1e2, 30, 4.0; \"old\" is not one of these; send a value \
         such as {\"field\": \"age\", \"op\": \"=\", \"value\": 1e2}"
    );
    let error = ask(r#"{"where":{"age":{"contains":3}}}"#, LINES).unwrap_err().to_string();
    assert!(error.contains("4.0; `contains` finds nothing in these; send a value"), "{error}");
}

#[test]
fn an_operand_that_does_not_fit_has_one_that_does() {
    let lines = concat!(
        r#"{"kg":"9 kg","cost":"N/A","vip":true,"end":null,"order":"9 ms","n":1}"#,
        "\n",
        r#"{"kg":"50 kg","cost":"105","vip":false,"end":"2025-05-14","order":"7 ms","n":2}"#,
        "\n",
    );
    for (condition, advice) in [
        (r#"{"kg":{">":20}}"#, r"in SQL: kg > '20 kg'"),
        (r#"{"order":{"<=":8}}"#, r#"in SQL: "order" <= '8 ms'"#),
        (r#"{"cost":{">=":300}}"#, r"in SQL: cost >= 300"),
        (r#"{"vip":1}"#, r#"send {"field": "vip", "op": "=", "value": true}"#),
        (r#"{"vip":{"ne":"No"}}"#, r#"send {"field": "vip", "op": "!=", "value": false}"#),
        (r#"{"end":"null"}"#, r#"send {"field": "end", "op": "is_null"}"#),
        (r#"{"end":{"!=":"None"}}"#, r#"send {"field": "end", "op": "is_not_null"}"#),
    ] {
        let error = ask(&format!("{{\"where\":{condition}}}"), lines).unwrap_err().to_string();
        assert!(error.ends_with(&format!("; {advice}")), "{condition}: {error}");
    }
    let error = ask(r#"{"where":"n = 1 and kg > 20"}"#, lines).unwrap_err().to_string();
    assert!(error.starts_with("where (kg > 20): kg holds text"), "{error}");
}

/// The error suggests SQL only if all texts are numbers followed by the same words.
#[test]
fn texts_of_several_forms_have_no_comparison_in_sql() {
    for texts in [
        ["1,5 kg", "10,25 kg"],
        ["1 500 kg", "900 kg"],
        ["5 stars", "1 star"],
        ["about 5 kg", "30 kg"],
        ["500 MB", "2 GB"],
        ["1 h 5 min", "2 h"],
        ["item 3", "item 20"],
        ["#5", "none"],
        ["5 kg", "N/A"],
        ["-5 kg", "7 kg"],
    ] {
        let lines = texts.map(|text| format!("{{\"v\":\"{text}\"}}\n")).concat();
        let error = ask(r#"{"where":{"v":{">":3}}}"#, &lines).unwrap_err().to_string();
        assert!(error.contains("send a value such as"), "{texts:?}: {error}");
    }
    let lines = "{\"v\":\"N/A\"}\n{\"v\":\"105\"}\n";
    let error = ask(r#"{"where":{"v":{"<":300}}}"#, lines).unwrap_err().to_string();
    assert!(error.contains("send a value such as"), "{error}");
}

/// The first records may have other types than all records.
#[test]
fn the_type_of_a_field_is_that_of_all_records() {
    let long = |last: &str| {
        let many: String = (0..20_000).map(|n| format!("{{\"v\":\"{n}\"}}\n")).collect();
        format!("{many}{last}")
    };
    let count = |lines: &str, condition: &str| {
        let request = format!("{{\"where\":{condition},\"count\":true}}");
        ask(&request, lines).map(|outcome| (outcome.matched, outcome.notes))
    };
    let (numbers, versions, text) =
        (long("{\"v\":7}"), long("{\"v\":\"20000.0.1\"}"), long("{\"v\":\"n/a\"}"));
    let above = r#"{"field":"v","op":">=","value":"19999"}"#;
    assert_eq!(count(&numbers, above).unwrap(), (1, vec!["v compared as numbers".to_owned()]));
    let (matched, notes) = count(&versions, above).unwrap();
    assert_eq!((matched, notes[0].contains("as versions")), (2, true));
    let (matched, notes) = count(&text, above).unwrap();
    // The texts from "19999" in letter order, and "n/a"; "20000" is not in the file.
    let larger = (0..20_000).filter(|n| n.to_string().as_str() >= "19999").count() as u64 + 1;
    assert_eq!((matched, notes[0].as_str()), (larger, "v compared as text, letter by letter"));
    // Values that were not compared count for the type, too.
    let short = r#"{"all":[{"field":"v","op":"=","value":"7"},{"field":"v","op":"<","value":8}]}"#;
    assert!(count(&text, short).is_err());
    assert_eq!(count(&numbers, short).unwrap().0, 2);
}

#[test]
fn sorting_is_by_type_and_says_where_missing_values_are() {
    let lines = "{\"v\":\"10\"}\n{\"v\":\"9\"}\n{}\n{\"v\":null}\n";
    let outcome = ask(r#"{"sort_by":"-v","limit":2}"#, lines).unwrap();
    assert_eq!(outcome.records, [r#"{"v":"10"}"#, r#"{"v":"9"}"#]);
    assert_eq!(outcome.notes, ["v sorted as numbers", "2 records without v come last"]);
    assert!(ask(r#"{"sort_by":"name"}"#, LINES).unwrap().notes.is_empty());
}

/// A blank string among numbers or dates is sorted as missing, not as the largest value.
#[test]
fn blank_strings_among_typed_ones_are_sorted_as_missing() {
    let lines = "{\"v\":\"10\"}\n{\"v\":\"\"}\n{\"v\":\"9\"}\n{}\n{\"v\":\" \"}\n";
    let outcome = ask(r#"{"sort_by":"-v","limit":3}"#, lines).unwrap();
    assert_eq!(outcome.records, [r#"{"v":"10"}"#, r#"{"v":"9"}"#, r#"{"v":""}"#]);
    let last = "3 records without v or with a blank one come last";
    assert_eq!(outcome.notes, ["v sorted as numbers", last]);
    let dates = lines.replace("10", "2025-05-14").replace('9', "2025-05-15");
    let outcome = ask(r#"{"sort_by":"v","limit":1}"#, &dates).unwrap();
    assert_eq!(outcome.records, [r#"{"v":""}"#]);
    assert_eq!(outcome.notes, ["3 records without v or with a blank one come first"]);
    let words = lines.replace("10", "ten");
    let outcome = ask(r#"{"sort_by":"-v","limit":1}"#, &words).unwrap();
    assert_eq!(outcome.records, [r#"{"v":"ten"}"#]);
}

#[test]
fn conditions_that_different_elements_may_meet_are_named() {
    let lines = "{\"id\":1,\"tags\":[1,9]}";
    let request = r#"{"where":{"tags":{">":3,"<":5}},"count":true}"#;
    let outcome = ask(request, lines).unwrap();
    let sql = r#"{"sql": "SELECT count(*) FROM records, json_each(tags) AS e WHERE e.value > 3 AND e.value < 5"}"#;
    assert_eq!(outcome.matched, 1);
    assert!(outcome.notes[0].ends_with(sql), "{:?}", outcome.notes);
}

#[test]
fn ids_that_exist_and_do_not_meet_the_condition_are_told_apart() {
    let request = r#"{"where":{"name":"Ann"},"ids":["17","18","5"]}"#;
    let outcome = ask(request, LINES).unwrap();
    assert_eq!(outcome.present.unwrap(), ["\"17\""]);
    assert_eq!(outcome.excluded.unwrap(), ["\"18\""]);
    assert_eq!(outcome.absent.unwrap(), ["\"5\""]);
}

#[test]
fn the_field_of_ids_is_guessed_and_near_ids_are_named() {
    let lines =
        "{\"kind\":\"a\",\"key\":\"AB-1\",\"at\":1}\n{\"kind\":\"a\",\"key\":\"AB-22\",\"at\":2}";
    let outcome = ask(r#"{"ids":["AB-1","ab-22","zz"]}"#, lines).unwrap();
    assert_eq!(outcome.present.unwrap(), ["\"AB-1\""]);
    assert_eq!(
        outcome.notes,
        ["no record has id; the ids are values of key", "near \"ab-22\": \"AB-22\" (1)"]
    );
    assert!(ask(r#"{"ids":["AB-1"]}"#, "{\"kind\":1}\n{\"kind\":1}").is_err());
    assert!(ask(r#"{"ids":["AB-1"],"id_field":"id"}"#, lines).is_err());
}

#[test]
fn a_member_without_effect_is_refused() {
    for (request, member) in [
        (r#"{"count":true,"limit":3}"#, "limit"),
        (r#"{"count":true,"select":"id"}"#, "select"),
        (r#"{"group_by":"name","sort_by":"id"}"#, "sort_by"),
        (r#"{"ids":[17],"limit":3}"#, "limit"),
    ] {
        let error = ask(request, LINES).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{member} has no effect with")), "{error}");
    }
    for request in [r#"{"count":true,"limit":0,"offset":0}"#, r#"{"ids":[17],"count":true}"#] {
        assert!(ask(request, LINES).is_ok(), "{request}");
    }
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
        r#"{"limit":"many"}"#,
        r#"{"offset":1.5}"#,
        r#"{"count":1}"#,
        r#"{"select":{}}"#,
        r#"{"select":[1]}"#,
        r#"{"group_by":["a"]}"#,
        r#"{"sort_by":7}"#,
        r#"{"ids":"a"}"#,
        r#"{"where":["name"]}"#,
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
