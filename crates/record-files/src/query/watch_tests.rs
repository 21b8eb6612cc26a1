//! Notes on the doubts about conditions.

use raw_json as raw;

use crate::query::{Query, run};

const LINES: &str = concat!(
    r#"{"id":"A-001","tags":["a","b"],"by":null,"kind":"Bug","text":"","code":"x1"}"#,
    "\n",
    r#"{"id":"A-002","tags":["b","a"],"by":"ann","kind":"Task","text":"Use After","code":"x2"}"#,
    "\n",
    r#"{"id":"A-003","tags":["a-old"],"by":null,"kind":"Bug","text":"none","code":"x3"}"#,
    "\n",
    r#"{"id":"A-004","tags":[],"kind":"Idea","text":"t","code":"x4"}"#,
);

fn notes(request: &str) -> (u64, String) {
    let query = Query::parse(&raw::fields(request).unwrap()).unwrap();
    let outcome = run(&query, LINES, &|| false).unwrap();
    (outcome.matched, outcome.notes.join("\n"))
}

fn of_condition(condition: &str) -> (u64, String) {
    notes(&format!(r#"{{"where":{condition},"count":true}}"#))
}

#[test]
fn a_doubt_is_named_with_the_condition_to_send() {
    for (condition, matched, part) in [
        (r#"{"field":"by","op":"exists"}"#, 3, "by exists as null in 2 records"),
        (
            r#"{"field":"text","op":"is_null"}"#,
            0,
            "not null but \"\" or \"none\" in 2 records: {\"field\"",
        ),
        (r#"{"field":"by","op":"!=","value":"bob"}"#, 4, "in 3 of these by is null or missing"),
        (r#"{"not":{"by":"bob"}}"#, 4, "in 3 of these by is null or missing"),
        (r#"{"field":"by","op":"=","value":""}"#, 0, "by is null or missing in 3 records"),
        (r#"{"field":"tags","op":"contains","value":"a"}"#, 3, "1 of these have no element \"a\""),
        (r#"{"field":"tags","op":"=","value":["a","b"]}"#, 1, "1 records are equal, 2 have all"),
        (r#"{"field":"tags","op":"contains","value":["a","b"]}"#, 0, "\"value\": \"b\"}]}"),
        (r#"{"field":"kind","op":"!=","value":"bug"}"#, 4, "no record meets kind = \"bug\""),
        (
            r#"{"field":"kind","op":"in","value":["Bug","task"]}"#,
            2,
            "no kind is task; nearest: \"Task\"",
        ),
        (
            r#"{"any":[{"kind":"Bug"},{"field":"kind","op":"=","value":"idea"}]}"#,
            2,
            "no record meets kind = \"idea\"",
        ),
        (r#"{"field":"text","op":"matches","value":"use after"}"#, 0, "match \"(?i)use after\""),
    ] {
        let (found, notes) = of_condition(condition);
        assert_eq!(found, matched, "{condition}: {notes}");
        assert!(notes.contains(part), "{condition}: {part:?} is not in\n{notes}");
    }
}

#[test]
fn a_text_that_others_spell_in_another_way_is_told() {
    let of = |condition: &str| {
        let lines = "{\"s\":\"open\",\"k\":\"ab\"}\n{\"s\":\"Open\",\"k\":\"AB\"}\n\
                     {\"s\":[\"open \",\"x\"]}\n{\"s\":[\"Open\",\"open\"]}\n{\"s\":\"done\"}\n";
        let request = format!("{{\"where\":{condition},\"count\":true}}");
        let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
        let outcome = run(&query, lines, &|| false).unwrap();
        (outcome.matched, outcome.notes.join("\n"))
    };
    let (matched, told) = of(r#"{"s":"open"}"#);
    assert_eq!(matched, 2);
    let part = r#"such as "Open", in 2 records"#;
    assert!(
        told.contains(part) && told.contains(r#""value": ["open", "Open", "open "]}"#),
        "{told}"
    );
    for (condition, part) in [
        (r#"{"s":{"in":["open","done"]}}"#, r#""in", "value": ["open", "done", "Open", "open "]"#),
        (r#"{"s":{"ne":"open"}}"#, r#""op": "not_in", "value": ["open", "Open", "open "]"#),
        (r#"{"s":{"nin":["open"]}}"#, r#""op": "not_in", "value": ["open", "Open", "open "]"#),
        (r#"{"not":{"s":"open"}}"#, r#""op": "in", "value": ["open", "Open", "open "]"#),
        (r#"{"k":"ab"}"#, r#""value": ["ab", "AB"]"#),
        (r#"{"s":{"starts_with":"op"}}"#, r#""op": "matches", "value": "(?i)^op""#),
        (r#"{"k":{"ends_with":"ab"}}"#, r#""op": "matches", "value": "(?i)ab$""#),
        (r#"{"s":{"matches":"^op"}}"#, r#""op": "matches", "value": "(?i)^op""#),
        (r#"{"s":{"not_matches":"^op"}}"#, r#""op": "not_matches", "value": "(?i)^op""#),
    ] {
        let told = of(condition).1;
        assert!(told.contains(part), "{condition}: {told}");
    }
    for condition in [
        r#"{"s":"done"}"#,
        r#"{"s":{"in":["open","Open","open "]}}"#,
        r#"{"any":[{"s":"open"},{"s":{"in":["Open","open "]}}]}"#,
        r#"{"s":{"matches":"(?i)^op"}}"#,
    ] {
        assert_eq!(of(condition).1, "", "{condition}");
    }
}

#[test]
fn numbers_that_an_operator_of_texts_leaves_out_are_told() {
    let lines = "{\"t\":\"Room 12\"}\n{\"t\":121}\n{\"t\":12}\n{\"t\":\"x\"}\n";
    let notes = |op: &str, value: &str| {
        let request = format!(r#"{{"where":{{"t":{{"{op}":"{value}"}}}},"count":true}}"#);
        let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
        run(&query, lines, &|| false).unwrap().notes.join("\n")
    };
    for op in ["contains", "not_contains", "starts_with", "ends_with", "matches"] {
        assert!(notes(op, "12").contains("t is a number such as 12"), "{op}: {}", notes(op, "12"));
    }
    for (op, value) in [("contains", "room"), ("ends_with", "9x"), ("matches", "^R")] {
        assert!(!notes(op, value).contains("is a number"), "{op}: {}", notes(op, value));
    }
}

#[test]
fn conditions_without_a_doubt_have_no_note() {
    for condition in [
        r#"{"field":"by","op":"is_null"}"#,
        r#"{"field":"by","op":"=","value":"ann"}"#,
        r#"{"field":"kind","op":"!=","value":"Bug"}"#,
        r#"{"field":"kind","op":"in","value":["Bug","Task"]}"#,
        r#"{"field":"tags","op":"contains","value":"OLD"}"#,
        r#"{"field":"tags","op":"contains","value":"ol"}"#,
        r#"{"all":[{"kind":"Bug"},{"field":"id","op":"in","value":["A-001","A-002"]}]}"#,
    ] {
        let (_, notes) = of_condition(condition);
        assert_eq!(notes, "", "{condition}");
    }
}

#[test]
fn two_values_that_a_field_must_not_have_are_one_condition() {
    let any = r#"{"any":[{"kind":{"ne":"Bug"}},{"kind":{"ne":"Idea"}}]}"#;
    let (matched, told) = of_condition(any);
    let part = r#"for every value: {"field": "kind", "op": "not_in", "value": ["Bug", "Idea"]}"#;
    assert!(matched == 4 && told.contains(part), "{told}");
    let nulls = r#"{"any":[{"by":{"ne":"x"}},{"by":{"ne":"y"}}]}"#;
    assert_eq!(of_condition(nulls).1.matches("is null or missing").count(), 1);
    let (_, asked) = of_condition(r#"{"any":[{"by":null},{"by":""}]}"#);
    assert_eq!(asked, "");
}

#[test]
fn an_object_is_compared_as_a_whole() {
    let lines = concat!(
        r#"{"id":1,"a":{"name":"Ann"},"ev":[{"s":"x"},{"s":"y","n":1}]}"#,
        "\n",
        r#"{"id":2,"a":{"name":"Ann","mail":"x"},"ev":[{"s":"x","n":2}]}"#,
        "\n",
        r#"{"id":3,"a":{"name":"Bob"},"ev":[]}"#,
    );
    let notes = |condition: &str| {
        let request = format!(r#"{{"where":{condition},"count":true}}"#);
        let query = Query::parse(&raw::fields(&request).unwrap()).unwrap();
        run(&query, lines, &|| false).unwrap().notes.join("\n")
    };
    let told = notes(r#"{"a":{"name":"Ann"}}"#);
    let send = r#"{"all": [{"field": "a.name", "op": "=", "value": "Ann"}]}"#;
    assert!(told.contains("1 records are equal, 2 have all its members"), "{told}");
    assert!(told.contains(send), "{told}");
    let told = notes(r#"{"ev":{"s":"x"}}"#);
    assert!(told.contains("1 records are equal, 2 have"), "{told}");
    for fine in [
        r#"{"a":{"name":"Bob"}}"#,
        r#"{"a":{"mail":"x","name":"Ann"}}"#,
        r#"{"ev":{"s":"y","n":1}}"#,
        r#"{"a.name":"Ann"}"#,
    ] {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

#[test]
fn ids_are_found_with_another_prefix_and_in_another_field() {
    let (_, near) = notes(r#"{"ids":["001","2","B-3"]}"#);
    assert!(
        near.contains("near \"001\": \"A-001\"") && near.contains("near \"2\": \"A-002\""),
        "{near}"
    );
    assert!(!near.contains("B-3"), "{near}");
    let (_, shared) = notes(r#"{"ids":["Bug","Task"]}"#);
    assert!(shared.contains("2 of the 2 ids are values of kind"), "{shared}");
    let (_, other) = notes(r#"{"ids":["x1","x2","x9"]}"#);
    assert!(
        other.contains("2 of the 3 ids are values of code: send \"id_field\": \"code\""),
        "{other}"
    );
}

#[test]
fn groups_of_lists_say_so() {
    let (_, lists) = notes(r#"{"group_by":"tags"}"#);
    assert!(lists.contains("counts once for each different value in tags"), "{lists}");
    assert_eq!(notes(r#"{"group_by":"kind"}"#).1, "");
}
