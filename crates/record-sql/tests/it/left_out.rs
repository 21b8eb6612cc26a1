//! Rows that a condition leaves out because a value is null.

use crate::{assert_has, notes_of};

const ROWS: &str = "{\"i\":1,\"a\":\"x\",\"b\":\"y\",\"s\":\"open\",\"ok\":true}\n\
                    {\"i\":2,\"a\":null,\"b\":\"y\",\"s\":\"open\",\"ok\":null}\n\
                    {\"i\":3,\"a\":\"x\",\"b\":\"x\",\"s\":\"done\",\"ok\":false}\n\
                    {\"i\":4,\"a\":null,\"b\":null,\"s\":null,\"ok\":true}\n";

fn counted(condition: &str) -> String {
    notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), ROWS)
}

#[test]
fn nulls_that_a_negation_leaves_out_are_told() {
    for (condition, told) in [
        ("a <> b", "1 records in which a or b is null are left out: a IS NOT b takes them"),
        ("NOT (a = b)", "2 records in which a or b is null are left out"),
        ("a <> 'x'", "2 records in which a is null are left out: (a <> 'x' OR a IS NULL) in place"),
        ("s <> 'gone'", "1 records in which s is null are left out"),
        ("NOT (s = 'open' AND i > 0)", "(s = 'open' AND s IS NOT NULL) in place of s = 'open'"),
        ("s NOT IN ('open')", "1 records in which s is null are left out"),
        ("NOT s LIKE 'o%'", "1 records in which s is null are left out"),
        ("NOT ok", "1 records in which ok is null are left out"),
        ("a <> 'x' AND i = 2", "1 records in which a is null are left out"),
    ] {
        assert_has(&counted(condition), told, condition);
    }
    // Both are told: no record has it, and null is none of the others.
    assert_has(&counted("s <> 'Open'"), "no record has s = 'Open'", "s <> 'Open'");
    assert_has(&counted("s <> 'Open'"), "1 records in which s is null", "s <> 'Open'");
    for list in
        ["count(*) FILTER (WHERE a <> b)", "sum(CASE WHEN a <> b THEN 1 ELSE 0 END)", "sum(a <> b)"]
    {
        let told = notes_of(&format!("SELECT {list} FROM records"), ROWS);
        assert_has(&told, "1 records in which a or b is null are left out: a IS NOT b", list);
    }
}

#[test]
fn nulls_that_are_not_left_out_have_no_note() {
    for condition in [
        "a = b",
        "NOT (s <> 'open')",
        "s <> 'open' OR s IS NULL",
        "s <> 'open' AND s IS NOT NULL",
        "coalesce(s, '') <> 'open'",
        "a IS NOT b",
        "s <> 'open' AND i < 4",
        "ok",
        "i > 1",
        "s <> ''",
        "i <> 2",
    ] {
        let told = counted(condition);
        assert!(!told.contains("left out"), "{condition}: {told}");
    }
    for (list, name) in [("sum(NOT a = 'x')", "a"), ("sum(NOT s LIKE 'o%')", "s")] {
        let told = notes_of(&format!("SELECT {list} FROM records"), ROWS);
        assert_has(&told, &format!("in which {name} is null are left out"), list);
    }
    for list in ["a <> b", "sum(NOT a <> 'x')", "sum(a = b)", "sum(coalesce(a, '') <> 'x')"] {
        let told = notes_of(&format!("SELECT {list} FROM records"), ROWS);
        assert!(!told.contains("left out"), "{list}: {told}");
    }
}

#[test]
fn nulls_in_a_sum_and_under_else_are_told() {
    let rows = "{\"a\":10,\"b\":1}\n{\"a\":20,\"b\":null}\n{\"a\":null,\"b\":null}\n";
    let sum =
        "a + b is null in 1 rows in which a or b alone is null: coalesce(b, 0) takes null for 0";
    for sql in [
        "SELECT sum(a + b) FROM records",
        "SELECT a + b AS t FROM records ORDER BY t DESC LIMIT 1",
        "SELECT count(*) FROM records WHERE a + b > 5",
    ] {
        assert_has(&notes_of(sql, rows), sum, sql);
    }
    let of_case = |of: &str| {
        notes_of(&format!("SELECT CASE WHEN a < 15 THEN 'low' ELSE {of} END, 1 FROM records"), rows)
    };
    assert_has(&of_case("'high'"), "1 rows in which a is null come under ELSE 'high'", "'high'");
    for fine in ["SELECT a + b FROM records", "SELECT sum(coalesce(a, 0) + b) FROM records"] {
        assert_eq!(notes_of(fine, rows), "", "{fine}");
    }
    assert_eq!(of_case("0"), "");
}
