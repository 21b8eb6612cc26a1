//! The notes on an answer: how values were read, and why nothing matched.

use std::sync::atomic::{AtomicUsize, Ordering};

use raw_json as raw;

use crate::query::run::tests::{LINES, ask};
use crate::query::{Query, run};

#[test]
fn no_match_is_explained_by_each_condition() {
    let notes = |request: &str| ask(request, LINES).unwrap().notes;
    assert_eq!(
        notes(r#"{"where":{"name":"ann"}}"#),
        [
            "no record meets name = \"ann\"; name holds text: \"Ann\" (1), \"Cleo\" (1), \"bob\" (1), \"dora\" (1)"
        ]
    );
    assert_eq!(
        notes(r#"{"where":{"age":{">":500}}}"#),
        ["no record meets age > 500; age holds numbers from 4.0 to 1e2"]
    );
    assert_eq!(
        notes(r#"{"where":{"name":"Ann","age":4}}"#),
        ["alone, name = \"Ann\" is met by 1, age = 4 by 1"]
    );
}

#[test]
fn notes_that_had_no_time_are_told() {
    let lines = "{\"code\":\"Us\"}\n{\"code\":\"De\"}\n";
    let query = Query::parse(&raw::fields(r#"{"where":{"code":"US"}}"#).unwrap()).unwrap();
    let whole = run(&query, lines, &|| false).unwrap();
    assert!(!whole.notes.is_empty());
    let mut told = 0;
    for most in 0..50 {
        let calls = AtomicUsize::new(0);
        let stop = || calls.fetch_add(1, Ordering::Relaxed) >= most;
        let found = run(&query, lines, &stop).unwrap();
        let is_told = found.notes.iter().any(|note| note.starts_with("the time for one query"));
        told += usize::from(is_told);
        assert!(!found.complete || is_told || found.notes == whole.notes, "{most}: {found:?}");
    }
    assert!(told > 0);
}

#[test]
fn an_order_of_letters_or_lists_is_told() {
    let money = "{\"p\":\"$99.00\"}\n{\"p\":\"$850.25\"}\n{\"p\":\"$1,200.00\"}\n";
    let notes = ask(r#"{"sort_by":"-p"}"#, money).unwrap().notes;
    assert_eq!(notes, ["p sorted as the numbers it spells"]);
    let durations = "{\"p\":\"9 min\"}\n{\"p\":\"1 h 5 min\"}\n";
    let notes = ask(r#"{"sort_by":"-p"}"#, durations).unwrap().notes;
    assert_eq!(notes, ["p sorted as text, letter by letter"]);
    let lists = "{\"c\":[{\"n\":0},{\"n\":9}]}\n{\"c\":[{\"n\":6}]}\n";
    let notes = ask(r#"{"sort_by":"-c.n","limit":1}"#, lists).unwrap().notes;
    assert_eq!(notes, ["c.n is a list: sorted by its first element, then the next"]);
}

/// Notes name the types of values that were not compared.
#[test]
fn values_that_were_not_compared_are_noted() {
    for (values, operand, expected) in [
        (&[r#""2026-01-02""#, r#""2026-02-03""#, "20260301"][..], r#""2026-02-01""#, "numbers"),
        (&[r#""2026-01-02""#, "true", "20260301"], r#""2026-02-01""#, "booleans and numbers"),
        (&[r#""12""#, "13", "false"], "12", "booleans"),
        (&[r#""1.2""#, r#""1.10.3""#, "2", "true"], r#""1.9""#, "booleans"),
        (&[r#""2026-01-02""#, r#""2026-02-03""#], r#""2026-02-01""#, ""),
        (&[r#""12""#, "13"], "12", ""),
    ] {
        let lines: String = values.iter().map(|value| format!("{{\"f\":{value}}}\n")).collect();
        let request = format!(r#"{{"where":{{"f":{{"gte":{operand}}}}},"count":true}}"#);
        let notes = ask(&request, &lines).unwrap().notes;
        let note = notes.iter().find(|note| note.contains("too: only"));
        let found = note.and_then(|note| note.strip_prefix("f holds ")?.split_once(", too"));
        assert_eq!(found.map_or("", |(found, _)| found), expected, "{values:?}: {notes:?}");
    }
}

/// Numbers as people write them, such as `$1,200.00`, compare as numbers.
#[test]
fn written_numbers_are_compared_and_sorted() {
    let money = "{\"p\":\"$99.00\"}\n{\"p\":\"$850.25\"}\n{\"p\":\"$1,200.00\"}\n";
    for operand in ["800", "\"$800.00\"", "\"800\""] {
        let found = ask(&format!(r#"{{"where":{{"p":{{">":{operand}}}}},"count":true}}"#), money);
        assert_eq!(found.as_ref().unwrap().matched, 2, "{operand}");
        assert_eq!(found.unwrap().notes, ["p compared as the numbers it spells"]);
    }
    let first = ask(r#"{"sort_by":"-p","limit":1}"#, money).unwrap().records;
    assert_eq!(first, [r#"{"p":"$1,200.00"}"#]);
    // A note reports a separator that may group thousands or begin a fraction.
    let euros = "{\"p\":\"1.200 €\"}\n{\"p\":\"98 €\"}\n{\"p\":\"15.000 €\"}\n";
    let doubt = "numbers it spells: `.` begins the fraction here; if it parts thousands, use the \
                 SQL CAST(replace(replace(p, '€', ''), '.', '') AS REAL)";
    for request in [r#"{"where":{"p":{">":1000}},"count":true}"#, r#"{"sort_by":"-p"}"#] {
        let notes = ask(request, euros).unwrap().notes;
        assert!(notes.iter().any(|note| note.ends_with(doubt)), "{request}: {notes:?}");
    }
    let counts = "{\"p\":\"1.469\"}\n{\"p\":\"995\"}\n{\"p\":\"15.000\"}\n";
    let doubt = "as numbers: `.` begins the fraction here; if it parts thousands, use the \
                 SQL CAST(replace(p, '.', '') AS REAL)";
    for request in [r#"{"where":{"p":{">":1000}},"count":true}"#, r#"{"sort_by":"-p"}"#] {
        let notes = ask(request, counts).unwrap().notes;
        assert!(notes.iter().any(|note| note.ends_with(doubt)), "{request}: {notes:?}");
    }
    let rates = "{\"r\":\"19 %\"}\n{\"r\":\"5,5 %\"}\n";
    assert_eq!(ask(r#"{"where":{"r":19},"count":true}"#, rates).unwrap().matched, 1);
    assert_eq!(ask(r#"{"where":{"r":{"<":"5.6"}},"count":true}"#, rates).unwrap().matched, 1);
}

/// A note always shows the same spelling of the smallest value.
#[test]
fn the_ends_of_an_order_do_not_depend_on_how_records_are_read() {
    let spelled = ["1.0", "1", "1.00", "7", "7.0"];
    let lines = |turn: usize| -> String {
        let mut spelled = spelled.to_vec();
        spelled.rotate_left(turn);
        spelled.iter().map(|value| format!("{{\"p\":\"{value}\"}}\n")).collect()
    };
    let notes = |turn| ask(r#"{"where":{"p":{">":9}}}"#, &lines(turn)).unwrap().notes;
    for turn in 1..spelled.len() {
        assert_eq!(notes(turn), notes(0));
    }
}

#[test]
fn notes_on_elements_say_what_is_there() {
    let lines = "{\"l\":[{\"n\":\"a\"},{\"n\":\"b\"}]}\n{\"l\":[]}\n";
    let notes = ask(r#"{"group_by":"l.n"}"#, lines).unwrap().notes;
    assert_eq!(notes, ["a record counts once for each different value in l.n"]);
    let both = r#"{"where":{"all":[{"field":"l.n","op":"=","value":"a"},{"field":"l.n","op":"=","value":"b"}]}}"#;
    let found = ask(both, lines).unwrap();
    let offer = r#"{"not": {"field": "l.n", "op": "!=", "value": "b"}}"#;
    assert!(found.matched == 0 && found.notes[0].contains(offer), "{:?}", found.notes);
    let sent = both.replace(r#"{"field":"l.n","op":"=","value":"b"}"#, offer);
    assert_eq!(ask(&sent, lines).unwrap().matched, 1);
}

#[test]
fn words_and_times_next_to_numbers_are_told_where_they_are_sorted() {
    for (lines, request, part) in [
        (
            "{\"s\":\"low\"}\n{\"s\":\"critical\"}\n{\"s\":\"high\"}\n",
            r#"{"sort_by":"-s","limit":1}"#,
            r#"degrees from low to high: {"sql": "SELECT * FROM records ORDER BY s DESC"}"#,
        ),
        ("{\"s\":\"Fri\"}\n{\"s\":\"Mon\"}\n", r#"{"sort_by":"s"}"#, "in the order of weekdays"),
        (
            "{\"t\":1743123619}\n{\"t\":\"2025-03-28T00:00:00Z\"}\n",
            r#"{"sort_by":"t"}"#,
            "t holds several types: first numbers, then dates",
        ),
    ] {
        let notes = ask(request, lines).unwrap().notes.join("\n");
        assert!(notes.contains(part), "{request}: {notes}");
    }
    for lines in ["{\"s\":\"low\"}\n{\"s\":\"dim\"}\n", "{\"s\":\"info\"}\n{\"s\":\"low\"}\n"] {
        assert_eq!(ask(r#"{"sort_by":"s"}"#, lines).unwrap().notes, [""; 0], "{lines}");
    }
}
