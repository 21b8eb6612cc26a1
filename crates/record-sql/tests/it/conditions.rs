//! Notes on conditions that always or never hold.

use crate::{ask_of, notes_of as notes};

#[test]
fn a_text_is_no_condition() {
    let texts = "{\"ok\":\"true\",\"n\":1}\n{\"ok\":\"false\",\"n\":0}\n{\"ok\":\"true\",\"n\":1}";
    let objects = "{\"ok\":{\"BOOL\":true}}\n{\"ok\":{\"BOOL\":false}}";
    for lines in [texts, objects] {
        for sql in [
            "SELECT sum(iif(ok, 0, 1)) FROM records",
            "SELECT sum(CASE WHEN ok THEN 1 ELSE 0 END) FROM records",
            "SELECT count(*) FROM records WHERE NOT ok",
            "SELECT count(*) FROM records WHERE record->>'ok'",
        ] {
            let told = notes(sql, lines);
            assert!(told.contains("is text, which is not a condition"), "{sql}: {told}");
        }
    }
    for fine in [
        "SELECT sum(iif(n, 0, 1)) FROM records WHERE n AND ok = 'true'",
        "SELECT sum(CASE WHEN n THEN 1 ELSE 0 END) FROM records WHERE instr(ok, 'e')",
        "SELECT sum(CASE ok WHEN ok THEN 1 ELSE 0 END) FROM records",
        "SELECT count(*) FROM records WHERE EXISTS (SELECT 1) AND NOT (ok = 'false')",
    ] {
        assert_eq!(notes(fine, texts), "", "{fine}");
    }
}

#[test]
fn two_exclusions_of_one_value_are_no_alternatives() {
    let lines = "{\"t\":\"A\",\"u\":\"A\"}\n{\"t\":\"B\",\"u\":\"B\"}\n{\"t\":\"C\",\"u\":\"C\"}";
    let of = |condition| notes(&format!("SELECT count(*) FROM records WHERE {condition}"), lines);
    for condition in ["t != 'A' OR t != 'B'", "u = 'A' AND (t <> 'A' or t <> 'B')"] {
        let told = of(condition);
        assert!(told.contains("holds for every value: t NOT IN ('A', 'B')"), "{told}");
    }
    for fine in ["t != 'A' AND t != 'B'", "t != 'A' OR u != 'B'", "t = 'A' OR t = 'B'"] {
        assert_eq!(of(fine), "", "{fine}");
    }
}

/// LIMIT keeps rows of the result, and an aggregate has one.
#[test]
fn a_limit_of_one_row_is_told() {
    let lines: String = (0..20).map(|x| format!("{{\"x\":{x},\"g\":{}}}\n", x % 3)).collect();
    for (sql, instead, value) in [
        (
            "SELECT avg(x) FROM records LIMIT 10",
            "SELECT avg(x) FROM (SELECT * FROM records LIMIT 10)",
            "[4.5]",
        ),
        (
            "SELECT sum(x) FROM records WHERE x > 1 ORDER BY x DESC LIMIT 5",
            "SELECT sum(x) FROM (SELECT * FROM records WHERE x > 1 ORDER BY x DESC LIMIT 5)",
            "[85]",
        ),
    ] {
        let told = notes(sql, &lines);
        assert!(told.contains(instead), "{sql}: {told}");
        assert_eq!(ask_of(instead, &lines).unwrap().rows, [value]);
    }
    for fine in [
        "SELECT count(*) FROM records LIMIT 10",
        "SELECT sum(x) FROM records LIMIT 100",
        "SELECT sum(x) FROM records LIMIT 1",
        "SELECT g, sum(x) FROM records GROUP BY g LIMIT 2",
        "SELECT sum(x) FROM (SELECT x FROM records ORDER BY x LIMIT 3)",
        "SELECT x, sum(x) OVER (ORDER BY x) AS s FROM records LIMIT 3",
        "SELECT x, (SELECT max(x) FROM records) AS m FROM records LIMIT 3",
    ] {
        assert_eq!(notes(fine, &lines), "", "{fine}");
    }
}

#[test]
fn numbers_beyond_64_bits_are_told_wherever_they_are_rounded() {
    let lines: String = (0..4)
        .map(|n| {
            format!("{{\"i\":1844674407370955100{n},\"s\":\"1234567890123456789{n}\",\"n\":{n}}}\n")
        })
        .collect();
    for value in [
        "count(DISTINCT json_extract(record, '$.i'))",
        "count(DISTINCT record->>'i')",
        "max(CAST(s AS INTEGER))",
        "count(DISTINCT s + 0)",
        "count(DISTINCT i)",
    ] {
        let told = notes(&format!("SELECT {value} FROM records"), &lines);
        assert!(told.contains("numbers beyond 64 bits"), "{value}: {told}");
    }
    let fine =
        "SELECT count(DISTINCT s), max(CAST(n AS INTEGER)), count(record->>'n') FROM records";
    assert_eq!(notes(fine, &lines), "");
}

#[test]
fn a_mean_of_a_condition_over_nulls_is_told() {
    let lines = "{\"r\":\"a\",\"b\":true}\n{\"r\":\"b\",\"b\":false}\n{\"r\":null,\"b\":null}";
    for condition in ["r = 'a'", "CASE r WHEN 'a' THEN 1 WHEN 'b' THEN 0 END"] {
        let told = notes(&format!("SELECT avg({condition}) FROM records"), lines);
        let all = format!("avg(coalesce({condition}, 0)) is of all");
        assert!(told.contains("leaves out 1 of 3 rows") && told.contains(&all), "{told}");
    }
    for fine in [
        "SELECT avg(b), avg(b IS TRUE), avg(coalesce(r = 'a', 0)) FROM records",
        "SELECT avg(r = 'a') FROM records WHERE r IS NOT NULL",
        "SELECT avg(b * 2) FROM records",
    ] {
        assert_eq!(notes(fine, lines), "", "{fine}");
    }
}

#[test]
fn elements_are_no_whole_values() {
    let some = "{\"g\":\"F\"}\n{\"g\":[\"F\",\"H\"]}\n{\"g\":\"H\"}\n{\"g\":[\"X\"]}";
    for condition in ["g = 'F'", "g IN ('F')"] {
        let told = notes(&format!("SELECT count(*) FROM records WHERE {condition}"), some);
        assert!(told.contains("1 records are met as a whole, 2 with elements: EXISTS"), "{told}");
        let exists = &told[told.find("EXISTS").unwrap()..];
        let sql = format!("SELECT count(*) FROM records WHERE {exists}");
        assert_eq!(ask_of(&sql, some).unwrap().rows, ["[2]"]);
    }
    let lists = "{\"g\":[\"a\"]}\n{\"g\":[\"b\"]}\n{\"g\":[\"a\",\"b\"]}\n{\"g\":[]}";
    let told = notes("SELECT count(*) FROM records WHERE g != 'a'", lists);
    assert!(told.contains("g is an array as JSON text"), "{told}");
    for fine in ["g != '[]'", "g = '[\"a\"]'"] {
        assert_eq!(
            notes(&format!("SELECT count(*) FROM records WHERE {fine}"), lists),
            "",
            "{fine}"
        );
    }
}
