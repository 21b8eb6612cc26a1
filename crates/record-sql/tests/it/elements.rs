//! Fields that are a list in some records, and one element by itself in others.

use crate::{ask_of, assert_has, notes_of};

const LINES: &str = r#"{"id":1,"tags":["a","b"],"v":"4","items":[{"n":2}]}
{"id":2,"tags":"a","v":"n/a","items":{"n":3}}
{"id":3,"tags":null,"v":"6","items":[]}
{"id":4,"tags":["a","a"],"v":"5","items":[{"n":5},{"n":6}]}"#;

#[test]
fn one_object_next_to_arrays_is_told() {
    let array = "iif(json_valid(r.items), iif(json_type(r.items) = 'object', \
                 json_array(json(r.items)), r.items), json_array(r.items))";
    let sum =
        |column: &str| format!("SELECT sum(i.value->>'n') FROM records r, json_each({column}) i");
    let sql = sum("r.items");
    for part in ["r.items is an array in 3 records and one object in 1", array] {
        assert_has(&notes_of(&sql, LINES), part, &sql);
    }
    let better = ask_of(&sum(array), LINES).unwrap();
    assert_eq!((better.rows, better.notes), (vec!["[16]".to_owned()], Vec::new()));
    for (sql, part) in [
        ("SELECT sum(json_array_length(items)) FROM records", "whose keys are taken for elements"),
        ("SELECT items.n FROM records", "items.n is null where items is an array, in 3 records"),
    ] {
        assert_has(&notes_of(sql, LINES), part, sql);
    }
    let fine = ask_of("SELECT sum(json_array_length(tags)) FROM records WHERE id <> 2", LINES);
    assert_eq!(fine.unwrap().notes, [""; 0]);
}

#[test]
fn a_failure_over_a_value_has_a_statement_to_send_instead() {
    let sql = "SELECT count(*) FROM records, json_each(tags) t WHERE t.value = 'a'";
    let error = ask_of(sql, LINES).unwrap_err().to_string();
    let array = "iif(json_valid(tags), iif(json_type(tags) = 'object', json_array(json(tags)), \
                 tags), json_array(tags))";
    assert!(error.contains("tags is text in 1 records and an array in 2"), "{error}");
    assert!(error.contains(array), "{error}");
    let better = ask_of(&sql.replace("each(tags)", &format!("each({array})")), LINES).unwrap();
    assert_eq!(better.rows, ["[4]"]);
    for (sql, rows) in [
        ("SELECT median(v) FROM records", "[5.0]"),
        ("SELECT percentile(records.v, 50), count(*) FROM records", "[5.0,4]"),
        ("SELECT round(stddev(v), 1) FROM records", "[1.0]"),
    ] {
        let error = ask_of(sql, LINES).unwrap_err().to_string();
        let (_, instead) = error.split_once("Send instead: ").unwrap();
        assert_eq!(ask_of(instead, LINES).unwrap().rows, [rows], "{instead}");
    }
}

/// The statement to send instead reads numbers as the texts spell them.
#[test]
fn a_median_of_written_numbers_has_a_statement_to_send_instead() {
    let prices = "{\"p\":\"1,200.50\"}\n{\"p\":\"99.00\"}\n{\"p\":\"n/a\"}\n{\"p\":\"1,000.00\"}\n";
    let dollars = "{\"p\":\"$9\"}\n{\"p\":\"$10\"}\n{\"p\":\"$1,100\"}\n";
    for (lines, median) in [(prices, "[1000.0]"), (dollars, "[10.0]")] {
        let error = ask_of("SELECT median(p) FROM records", lines).unwrap_err().to_string();
        let (_, instead) = error.split_once("Send instead: ").unwrap();
        assert_eq!(ask_of(instead, lines).unwrap().rows, [median], "{instead}");
    }
}

#[test]
fn spellings_of_one_object_are_told() {
    let lines = r#"{"id":1,"m":{"a":1,"b":2},"t":["x","y"],"s":{"a":1}}
{"id":2,"m":{"b":2,"a":1},"t":["x", "y"],"s":{"a":1}}
{"id":3,"m":{"a":1.0,"b":2},"t":["y","x"],"s":{"a":2}}
{"id":4,"m":null,"t":[],"s":null}"#;
    let notes = |sql: &str| notes_of(sql, lines);
    let m =
        "m is compared as JSON text, and has 3 spellings of 1 values, such as {\"a\":1,\"b\":2}";
    for (sql, part) in [
        ("SELECT count(DISTINCT m) FROM records", m),
        ("SELECT r.m, count(*) FROM records r GROUP BY r.m", m),
        ("SELECT DISTINCT m FROM records", m),
        ("SELECT count(*) FROM records WHERE m = '{\"a\":1,\"b\":2}'", m),
        ("SELECT count(*) FROM records WHERE t = '[\"x\",\"y\"]'", "t is compared as JSON text"),
    ] {
        assert_has(&notes(sql), part, sql);
    }
    for fine in [
        "SELECT m, t FROM records",
        "SELECT count(m) FROM records",
        "SELECT count(DISTINCT s) FROM records",
        "SELECT s, count(*) FROM records GROUP BY s",
        "SELECT m.a, count(*) FROM records GROUP BY m.a",
        "SELECT id, m FROM records WHERE id = 1",
        "SELECT count(*) FROM records WHERE m IS NOT NULL",
        "SELECT count(DISTINCT json_array_length(t)) FROM records",
    ] {
        assert!(!notes(fine).contains("JSON text"), "{fine}: {}", notes(fine));
    }
}

#[test]
fn parts_of_elements_are_told() {
    let lines =
        "{\"id\":1,\"l\":[\"bug\"]}\n{\"id\":2,\"l\":[\"bug-report\"]}\n{\"id\":3,\"l\":[\"ui\"]}";
    let notes = |condition: &str| {
        notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), lines)
    };

    let told = notes("instr(l, 'bug') > 0");
    assert!(told.contains("instr finds parts, too: 2 records; 1 have the element 'bug'"), "{told}");
    for fine in ["instr(l, 'ui') > 0", "instr(l, 'bu') > 0", "instr(id, '1') > 0"] {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

#[test]
fn a_path_of_a_function_that_no_record_has_is_told() {
    let lines = "{\"n\":{\"items\":[1,2]}}\n{\"n\":{\"items\":[3]}}\n";
    for sql in [
        "SELECT count(*) FROM records, json_each(n, '$.itmes')",
        "SELECT count(*) FROM records r JOIN json_each(r.n, '$.itmes') e",
        "SELECT count(*) FROM records WHERE NOT EXISTS (SELECT 1 FROM json_each(n, '$.itmes'))",
        "SELECT sum(json_array_length(n, '$.itmes')) FROM records",
        "SELECT json_type(n, '$.itmes') FROM records",
    ] {
        let told = notes_of(sql, lines);
        assert_has(&told, "'$.itmes') is null in every record; there is n.items", sql);
        assert_eq!(notes_of(&sql.replace("itmes", "items"), lines), "", "{sql}");
    }
    let sql = "SELECT count(*) FROM records, json_each(record) e, json_each(e.value, '$.itmes')";
    assert_has(&notes_of(sql, lines), "json_extract(e.value, '$.itmes') is null in every", sql);
}
