//! Statements that are read in another way than they are meant, and those that are read as meant.

use crate::{ask_of, notes_of as notes};

#[test]
fn the_format_of_a_date_comes_first() {
    let error = ask_of(
        "SELECT strftime(t, '%Y-%m') m, count(*) FROM records GROUP BY strftime(t, '%Y-%m')",
        "{\"t\":1756692300}",
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "SQL: strftime takes the format first. Send instead: SELECT strftime('%Y-%m', t) m, count(*) \
         FROM records GROUP BY strftime('%Y-%m', t)"
    );
}

#[test]
fn seconds_that_are_divided_as_milliseconds_are_told() {
    let lines = "{\"t\":1756692300,\"spent\":4000}\n{\"t\":1763028060,\"spent\":90}\n";
    let divided = notes("SELECT strftime('%Y-%m', t / 1000, 'unixepoch') FROM records", lines);
    assert!(divided.contains("goes to 1763028, which strftime() reads as"), "{divided}");
    assert!(divided.contains("up to 1970-01-21"), "{divided}");
    for sql in [
        "SELECT time(spent, 'unixepoch') FROM records",
        "SELECT strftime('%H:%M', spent, 'unixepoch') FROM records",
    ] {
        assert_eq!(notes(sql, lines), "", "{sql}");
    }
}

#[test]
fn an_object_is_never_equal_to_a_text() {
    let lines = "{\"user\":{\"login\":\"ann\"},\"assignee\":{\"login\":\"ann\"}}\n\
                 {\"user\":{\"login\":\"ben\"},\"assignee\":null}\n";
    let found = notes("SELECT count(*) FROM records WHERE assignee <> user.login", lines);
    assert!(found.contains("assignee is an object as JSON text"), "{found}");
    let found = notes("SELECT count(*) FROM records WHERE assignee.login = user.login", lines);
    assert_eq!(found, "");
}

#[test]
fn a_year_without_quotes_is_no_column() {
    let lines = "{\"2024\":5,\"2025\":7}\n";
    let found = notes("SELECT sum(2025) FROM records", lines);
    assert_eq!(found, "2025 is a number here; the column is \"2025\"");
    for sql in ["SELECT sum(\"2025\") FROM records", "SELECT count(1) FROM records LIMIT 2025"] {
        assert_eq!(notes(sql, lines), "", "{sql}");
    }
}

#[test]
fn an_escaped_pattern_is_found() {
    let lines = "{\"x\":\"100% CPU\"}\n{\"x\":\"100 CPU\"}\n{\"x\":\"a_b\"}\n";
    for (pattern, count) in [("'100^% %' ESCAPE '^'", "[1]"), ("'%a!_b%' ESCAPE '!'", "[1]")] {
        let sql = format!("SELECT count(*) FROM records WHERE x LIKE {pattern}");
        let found = ask_of(&sql, lines).unwrap();
        assert_eq!((found.rows.join(""), found.notes), (count.to_owned(), Vec::new()), "{sql}");
    }
}

/// Another notation is told only where it finds other rows.
#[test]
fn times_that_compare_alike_have_no_note() {
    let lines =
        "{\"t\":\"2025-06-24T20:44:00.000+0000\"}\n{\"t\":\"2024-03-01T00:00:00.000+0000\"}\n";
    let sql = "SELECT count(*) FROM records WHERE t >= '2025-01-01T00:00:00Z'";
    assert_eq!(notes(sql, lines), "");
    let sql = "SELECT count(*) FROM records WHERE t >= '2024-03-01T00:00:00Z'";
    assert!(notes(sql, lines).contains("between the times in 2"), "{}", notes(sql, lines));
}

/// `{}` of a constant is no part of the questions behind the notes.
#[test]
fn an_empty_object_as_a_constant_is_itself() {
    let texts = "{\"x\":\"{}\",\"n\":1}\n{\"x\":\"a{}\",\"n\":2}\n";
    for condition in ["x = '{}'", "x LIKE '%{}'", "x IN ('{}', 'a{}')", "x || '' = '{}'"] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        assert_eq!(notes(&sql, texts), "", "{sql}");
    }
    let told = notes("SELECT count(*) FROM records WHERE x IS NULL", texts);
    assert!(told.contains("x is never null, but '{}' in 1: x = '{}'"), "{told}");
}

#[test]
fn a_column_may_have_the_name_of_a_keyword() {
    let lines = "{\"by\":\"Ann\",\"offset\":5,\"desc\":\"x\"}\n\
                 {\"by\":\"ann\",\"offset\":null,\"desc\":\"y\"}\n";
    for (rest, told) in [
        ("WHERE by = 'ANN'", "no record has by = 'ANN'"),
        ("r WHERE r.by = 'ann'", "such as 'Ann', differ from 'ann'"),
        ("WHERE by REGEXP '^ann'", "(?i)^ann"),
        ("WHERE offset > 9", "no record has offset > 9"),
        ("WHERE offset <> 5 LIMIT 1 OFFSET 0", "in which \"offset\" is null are left out"),
        ("WHERE desc = 'X'", "no record has desc = 'X'"),
    ] {
        let sql = format!("SELECT count(*) FROM records {rest}");
        let found = notes(&sql, lines);
        assert!(found.contains(told), "{sql}: {found}");
    }
    for fine in ["GROUP BY by ORDER BY by DESC LIMIT 2 OFFSET 1", "WHERE by = 'Ann' OR by = 'ann'"]
    {
        let sql = format!("SELECT by, count(*) FROM records {fine}");
        let found = notes(&sql, lines);
        assert!(!found.contains("no record"), "{sql}: {found}");
    }
}

#[test]
fn notes_lead_to_what_is_meant() {
    for (values, rest, told) in [
        (&["\"US\"", "\"us\"", "\"UK\""][..], "WHERE x = 'US'", "such as 'us', differ from 'US'"),
        (
            &["\"open\"", "\"Open\"", "\"done\"", "\"Done\""],
            "WHERE x IN ('open', 'done')",
            "lower(trim(x)) IN ('open', 'done') holds for them, too",
        ),
        (&["\"open\"", "\"Open\""], "WHERE x REGEXP '^op'", "(?i)^op"),
        (&["\"9.5 MB\"", "\"10 MB\""], "WHERE x > 9.7", "CAST(x AS REAL) compares numbers"),
        (&["\"1.358.16 €\"", "\"1 €\""], "WHERE CAST(x AS REAL) > 0", "are not numbers"),
        (&["\"a_1\"", "\"ab1\""], "WHERE x LIKE 'a_1'", "1 of them with `_` itself"),
        (&["null", "\"a\""], "WHERE x = ''", "x IS NULL"),
    ] {
        let found = notes(&format!("SELECT count(*) FROM records {rest}"), &rows(values));
        assert!(found.contains(told), "{rest}: {found}");
    }
    for (values, rest) in [
        (&["\"1998\"", "\"2001\""][..], "WHERE x LIKE '199_'"),
        (&["null", "\"a\""], "WHERE x IS NULL OR x = ''"),
        (&["\"a\"", "\"b\""], "WHERE x = 'a' AND 'c' NOT IN (SELECT x FROM records WHERE x = 'b')"),
    ] {
        assert_eq!(
            notes(&format!("SELECT count(*) FROM records {rest}"), &rows(values)),
            "",
            "{rest}"
        );
    }
    let apart = "WHERE x = 'a' AND x NOT IN (SELECT x FROM records WHERE x <> 'b')";
    let found = notes(&format!("SELECT count(*) FROM records {apart}"), &rows(&["\"a\"", "\"b\""]));
    assert!(!found.contains("together"), "{found}");
}

fn rows(values: &[&str]) -> String {
    values.iter().map(|value| format!("{{\"x\":{value}}}\n")).collect()
}
