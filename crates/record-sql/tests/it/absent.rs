//! Constants that no record has, outside of comparisons: in CASE, `instr` and NOT EXISTS.

use crate::{assert_has, notes_of, notes_of_files};

const ROWS: &str = "{\"i\":1,\"s\":\"open\",\"t\":\"An Error\",\"k\":\"A-1\",\"d\":true}\n\
                    {\"i\":2,\"s\":\"done\",\"t\":\"fine\",\"k\":\"A-2\",\"d\":null}\n\
                    {\"i\":3,\"s\":\"open\",\"t\":\"an error\",\"k\":\"A-3\",\"d\":false}\n";

fn notes(sql: &str) -> String {
    notes_of(sql, ROWS)
}

#[test]
fn a_constant_of_a_case_that_no_record_has_is_told() {
    for (case, told) in [
        ("sum(CASE s WHEN 'Open' THEN 1 ELSE 0 END)", "no record has s = 'Open'; s has 'open' (2)"),
        ("count(CASE s WHEN 'gone' THEN 1 END)", "no record has s = 'gone'"),
        ("max(CASE lower(s) WHEN 'Open' THEN i END)", "no record has lower(s) = 'Open'"),
        ("count(CASE d WHEN NULL THEN 1 END)", "d WHEN NULL is never true: CASE WHEN d IS NULL"),
    ] {
        assert_has(&notes(&format!("SELECT {case} FROM records")), told, case);
    }
    // Every value has its own.
    for fine in [
        "CASE s WHEN 'open' THEN 1 WHEN 'done' THEN 2 WHEN 'gone' THEN 3 END",
        "CASE s WHEN 'open' THEN 'o' ELSE 'other' END",
        "CASE WHEN s = 'open' THEN 1 END",
    ] {
        assert_eq!(notes(&format!("SELECT {fine} FROM records")), "", "{fine}");
    }
}

#[test]
fn a_part_that_no_text_has_is_told() {
    for (condition, told) in [
        ("instr(t, 'ERROR') > 0", "2 values of t, such as 'An Error', differ from 'ERROR'"),
        ("instr(t, 'ERROR') = 0", "instr(lower(t), 'error')"),
        ("NOT instr(t, 'FINE')", "instr(lower(t), 'fine') > 0 holds for them, too"),
        ("instr(t, 'absent')", "no t has 'absent'"),
    ] {
        assert_has(
            &notes(&format!("SELECT count(*) FROM records WHERE {condition}")),
            told,
            condition,
        );
    }
    for fine in ["instr(t, 'fine')", "instr(t, 'absent') = 0", "instr(t, 'e') > 0"] {
        assert_eq!(notes(&format!("SELECT count(*) FROM records WHERE {fine}")), "", "{fine}");
    }
}

#[test]
fn keys_of_not_exists_that_never_meet_are_told() {
    let missing = |other: &str| {
        let sql = "SELECT count(*) FROM records r WHERE NOT EXISTS \
                   (SELECT 1 FROM b WHERE b.k = r.k AND b.s = 'open')";
        notes_of_files(sql, &[("records", ROWS), ("b", other)])
    };
    let told = missing("{\"k\":\"1\",\"s\":\"open\"}\n{\"k\":\"2\",\"s\":\"done\"}\n");
    assert_has(&told, "b.k = r.k is never true", "other keys");
    assert_has(&missing("{\"k\":\"A-1\",\"s\":\"Open\"}\n"), "no record has s = 'open'", "case");
    assert_eq!(missing("{\"k\":\"A-1\",\"s\":\"open\"}\n"), "");
    let lists = "{\"t\":[\"a\",\"b\"]}\n{\"t\":[\"b\"]}\n";
    for exists in ["EXISTS", "NOT EXISTS"] {
        let sql = |value| {
            format!(
                "SELECT count(*) FROM records r WHERE {exists} (SELECT 1 FROM json_each(r.t) \
                 WHERE value = '{value}')"
            )
        };
        assert_has(&notes_of(&sql("A"), lists), "no record has value = 'A'", exists);
        assert_eq!(notes_of(&sql("a"), lists), "");
    }
    // There is none, in the form of the others.
    assert_eq!(missing("{\"k\":\"A-9\",\"s\":\"open\"}\n"), "");
}

#[test]
fn a_mean_of_a_case_without_else_is_told() {
    for case in [
        "CASE WHEN s = 'open' THEN 1.0 END",
        "CASE s WHEN 'open' THEN 100 END",
        "iif(s = 'open', 1.0, NULL)",
    ] {
        let told = notes(&format!("SELECT avg({case}) FROM records"));
        assert_has(&told, "leaves out 1 of 3 rows, in which it is null", case);
    }
    for fine in ["CASE WHEN s = 'open' THEN i END", "CASE WHEN s = 'open' THEN 1.0 ELSE 0 END"] {
        assert_eq!(notes(&format!("SELECT avg({fine}) FROM records")), "", "{fine}");
    }
}

#[test]
fn texts_that_differ_in_case_alone_are_told() {
    let lines = format!("{ROWS}{{\"i\":4,\"s\":\"Open\",\"t\":\"\",\"k\":\"B-1\"}}\n");
    for condition in ["s = 'open'", "s IN ('open', 'done')", "s <> 'open'", "trim(s) = 'open'"] {
        let told = notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), &lines);
        assert_has(&told, "such as 'Open', differ from 'open'", condition);
    }
    for (condition, told) in [
        ("instr(t, 'error')", "1 values of t, such as 'An Error', differ from 'error'"),
        ("t GLOB '*error*'", "lower(t) GLOB '*error*' holds for them, too"),
        ("t REGEXP 'err'", "t REGEXP '(?i)err' holds for them, too"),
    ] {
        let told_of = notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), &lines);
        assert_has(&told_of, told, condition);
    }
    for fine in [
        "s IN ('open', 'Open')",
        "lower(s) = 'open'",
        "s = 'done'",
        "t REGEXP '^[A-Z]n'",
        "s LIKE 'open'",
    ] {
        let told = notes_of(&format!("SELECT count(*) FROM records WHERE {fine}"), &lines);
        assert_eq!(told, "", "{fine}");
    }
}
