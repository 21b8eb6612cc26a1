//! Times in columns of several forms: the date functions read them all, and comparisons of their
//! spelling are told.

use std::fmt::Write;

use crate::{ask_of, assert_has, notes_of};

/// Returns the first value of the answer and the notes.
fn of(select: &str, values: &[&str]) -> (String, String) {
    let mut lines = String::new();
    for value in values {
        let literal =
            if value.parse::<f64>().is_ok() { (*value).to_owned() } else { raw_json::quote(value) };
        writeln!(
            lines,
            "{{\"t\":{literal},\"o\":{{\"t\":{literal}}},\"l\":[{{\"t\":{literal}}}]}}"
        )
        .unwrap();
    }
    let outcome = ask_of(select, &lines).unwrap_or_else(|error| panic!("{select}: {error}"));
    (outcome.rows.join("\n"), outcome.notes.join("\n"))
}

#[test]
fn a_date_function_reads_the_forms_of_conditions() {
    let forms: [&[&str]; 7] = [
        &["2026-03-30T23:30:00+0900", "2026-03-30T01:00:00Z", "2026-03-29T01:00:00Z"],
        &["2026-03-30 23:30:00+09", "2026-03-30 01:00:00+00", "2026-03-29 23:59:00+00"],
        &["2026-03-30 23:30:00 UTC", "2026-03-30 01:00:00 UTC", "2026-03-29 01:00:00 UTC"],
        &["2026-03-30 01:00:00,123", "2026-03-30 23:00:00,001", "2026-03-29 01:00:00,999"],
        &["2026-03-30 01:00 PM", "2026-03-30 11:00 AM", "2026-03-29 12:30 AM"],
        &["2026-03-30T01:00:00Z", "2026/03/30", "1774742400"],
        &["2026-03-30t01:00:00z", "Mon, 30 Mar 2026 10:00:00 GMT", "20260329T120000Z"],
    ];
    for values in forms {
        for argument in ["t", "o->>'t'", "json_extract(o, '$.t')"] {
            let sql = format!("SELECT count(*) FROM records WHERE date({argument}) = '2026-03-30'");
            let (rows, notes) = of(&sql, values);
            assert_eq!(rows, "[2]", "{sql} {values:?}");
            assert!(!notes.contains("are not dates"), "{sql} {values:?}: {notes}");
        }
    }
    let epochs = ["1774872000", "1774785600", "0"];
    let (rows, notes) = of("SELECT date(max(t)), date(t) FROM records", &epochs);
    assert_eq!(rows, "[\"2026-03-30\",\"2026-03-30\"]");
    assert!(
        notes.contains("1 of 3 values of t are numbers, which date() reads as Julian"),
        "{notes}"
    );
    let day = "SELECT count(*) FROM records WHERE date(t, 'unixepoch') = '2026-03-30'";
    assert_eq!(of(day, forms[0]).0, "[2]");
}

#[test]
fn what_a_date_function_does_not_read_is_told() {
    let (rows, notes) = of(
        "SELECT count(*) FROM records WHERE date(t) = '2026-03-30'",
        &["2026-03-30T01:00:00Z", "03/30/2026", "N/A", ""],
    );
    assert_eq!(rows, "[1]");
    assert!(notes.contains("3 of 4 values of t are not dates for date()"), "{notes}");
}

#[test]
fn times_that_are_compared_as_they_are_spelled() {
    let later = "t >= '2026-03-30'";
    for (condition, values, parts) in [
        (
            later,
            &["2026-03-30T01:00:00Z", "N/A", ""][..],
            &[
                "in 2 of 3 rows, and between the times in 1",
                "2 values of t are not dates, such as 'N/A'",
            ][..],
        ),
        (
            later,
            &["2026-03-30T01:00:00Z", "1774828800", "2026/03/31", "2026-03-29"],
            &[
                "in 2 of 4 rows, and between the times in 3: compare datetime(t) >= datetime('2026-03-30')",
            ],
        ),
        (
            "t < '2026-04-10'",
            &["2026-04-28T01:00:00Z", "", "", "2026-04-01"],
            &[
                "in 3 of 4 rows, and between the times in 1",
                "2 values of t are not dates, such as ''",
            ],
        ),
        (
            "trim(t) >= '2026-03-30'",
            &["2026-03-30 23:30:00 +0900", "2026-03-29 22:00:00 -0500"],
            &["in 1 of 2 rows, and between the times in 2"],
        ),
        (
            "trim(t) >= '2026-03-30'",
            &["2026-03-30T01:00:00Z", "03/30/2026", "2026-03-29"],
            &["1 values of trim(t) are not dates, such as '03/30/2026', and are compared as text"],
        ),
        (
            "t < date('2026-03-30')",
            &["1774742400", "1774872000"],
            &["in 2 of 2 rows, and between the times in 1: compare datetime(t) < datetime(date("],
        ),
        (
            "t > unixepoch('2026-03-30 12:00:00')",
            &["2026-03-30T15:12:00Z", "2026-03-29T11:43:00Z"],
            &["in 2 of 2 rows, and between the times in 1"],
        ),
        (
            "t > strftime('%s', '2026-03-30 12:00:00')",
            &["2026-03-30T15:12:00Z", "2026-03-29T11:43:00Z"],
            &["in 2 of 2 rows, and between the times in 1"],
        ),
        (
            "t > 1774872000",
            &["1775071860000", "1774863300000"],
            &["in 2 of 2 rows, and between the times in 1"],
        ),
        (
            "o->>'t' >= '2026-03-30'",
            &["2026-03-29T23:00:00-05:00", "2026-03-30T01:00:00Z"],
            &["in 1 of 2 rows, and between the times in 2: compare datetime(o->>'t') >="],
        ),
        (
            "o->>'t' BETWEEN '2026-03-30' AND '2026-03-31'",
            &["2026-03-30T15:12:00Z", "2026/03/30 10:00"],
            &["in 1 of 2 rows, and between the times in 2: compare datetime(o->>'t') BETWEEN"],
        ),
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        let notes = of(&sql, values).1;
        for part in parts {
            assert_has(&notes, part, &format!("{sql} {values:?}"));
        }
        assert!(!notes.contains("has another form"), "{sql}: {notes}");
    }
    for (condition, values) in [
        (later, &["2026-03-30T01:00:00Z", "2026-03-29T01:00:00Z"][..]),
        ("t < date('2026-03-30')", &["2026-03-30T01:00:00Z", "2026-03-29T01:00:00Z"]),
        (later, &["2026-03-29 01:00 PM", "2026-03-30 02:00 AM", "2026-03-30 03:00 AM"]),
        ("t > 5000000000", &["10", "20000000000", "700"]),
        ("t > 'm'", &["apple", "zebra", "kiwi", "plum", "fig", "pear", "nut"]),
        ("datetime(t) < datetime('2026-03-30')", &["2026-03-29 22:00:00 -0500", "2026-03-28"]),
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        assert_eq!(of(&sql, values).1, "", "{sql} {values:?}");
    }
    let years_last = &["03/31/2026 08:07", "03/28/2026 09:48"];
    let notes = of("SELECT count(*) FROM records WHERE trim(t) < date('2026-03-30')", years_last).1;
    assert!(notes.contains("date('2026-03-30') has another form"), "{notes}");
    // A column is in the order of its times.
    for (condition, values, count) in [
        (later, &["2026-03-30 23:30:00 +0900", "2026-03-29 22:00:00 -0500"][..], 2),
        (later, &["2026-03-30T01:00:00Z", "03/30/2026", "2026-03-29"], 2),
        (later, &["2026-03-30T01:00:00Z", "2026/03/31", "2026-03-29"], 2),
        (
            "t BETWEEN '2026-03-30' AND '2026-03-31'",
            &["2026-03-30T15:12:00Z", "2026/03/30 10:00"],
            2,
        ),
        ("t < date('2026-03-30')", years_last, 1),
        ("o.t >= '2026-03-30'", &["2026-03-29T23:00:00-05:00", "2026-03-30T01:00:00Z"], 2),
    ] {
        let (rows, notes) = of(&format!("SELECT count(*) FROM records WHERE {condition}"), values);
        assert_eq!(rows, format!("[{count}]"), "{condition} of {values:?}");
        assert!(
            !notes.contains("spelled") && !notes.contains("another form"),
            "{condition}: {notes}"
        );
    }
    let columns = "SELECT count(*) FROM records a JOIN records b WHERE a.t < b.t";
    let notes = of(columns, &["2026-03-30T01:00:00Z", ""]).1;
    assert!(notes.contains("compare datetime(a.t) < datetime(b.t)"), "{notes}");
}

#[test]
fn an_order_of_times_has_other_values_in_it() {
    for sql in
        ["SELECT min(t), max(t) FROM records", "SELECT t FROM records ORDER BY t DESC LIMIT 1"]
    {
        let notes = of(sql, &["2026-03-30T01:00:00Z", "N/A", ""]).1;
        assert!(
            notes.contains("2 of 3 values of t are not dates, such as 'N/A'"),
            "{sql}: {notes}"
        );
        let zones = of(sql, &["2026-03-30 01:00:00+00", "2026-03-30 01:00:00.5+02"]).1;
        assert_eq!(zones, "t is in the order of times of several zones or forms", "{sql}");
    }
}

#[test]
fn formats_and_modifiers_that_are_unknown_are_told() {
    let lines = "{\"t\":\"2025-05-14T10:00:00Z\",\"e\":1747216800}\n{\"t\":null,\"e\":1747216900}";
    let notes = |select: &str| {
        let sql = format!("SELECT {select}, count(*) FROM records GROUP BY 1");
        notes_of(&sql, lines)
    };
    for (select, part) in [
        ("strftime('%b', t)", "is null for every date, because there is no %b"),
        ("strftime('%Y %A', t)", "there is no %A"),
        ("date(t, 'month')", "date(t, 'month') is null for every date: there are modifiers"),
        ("datetime(t, 'America/New_York')", "times are in UTC"),
        ("strftime('YYYY-MM', t)", "a code begins with %, such as '%Y-%m-%d'"),
    ] {
        assert_has(&notes(select), part, select);
    }
    for fine in [
        "strftime('%Y-%m', t)",
        "date(t, 'start of month')",
        "date(t, '-7 days', 'weekday 0')",
        "datetime(e, 'unixepoch')",
        "date(e, 'auto')",
        "strftime('%H:%M', t)",
        "time(t)",
        "strftime('%j%%', t)",
        "julianday(t)",
        "date('now', '-1 day') > t",
        "unixepoch(t)",
        "strftime('%s', t)",
        "datetime(t, 'localtime')",
    ] {
        let notes = notes(fine);
        assert!(!notes.contains("null for every") && !notes.contains("code"), "{fine}: {notes}");
    }
}

#[test]
fn days_that_are_in_no_calendar() {
    let lines = "{\"d\":\"2025-02-28\"}\n{\"d\":\"2025-02-30\"}\n{\"d\":\"2025-03-02\"}\n";
    for (sql, rows, note) in [
        (
            "SELECT strftime('%m', d) AS m, count(*) FROM records WHERE m = '03' GROUP BY 1",
            "[\"03\",1]",
            "1 of 3 values of d are not dates for strftime(), such as '2025-02-30'",
        ),
        (
            "SELECT count(*) FROM records WHERE d < date('2025-02-30')",
            "[0]",
            "never true: date('2025-02-30') is null",
        ),
    ] {
        let outcome = ask_of(sql, lines).unwrap();
        assert_eq!(outcome.rows, [rows], "{sql}");
        assert!(outcome.notes.join("\n").contains(note), "{sql}: {:?}", outcome.notes);
    }
}

#[test]
fn a_column_named_like_a_keyword_has_its_order_and_notes_without_quotes() {
    for name in ["end", "left", "like", "cross", "over", "window", "offset", "desc", "by"] {
        let rows = format!(
            "{{\"{name}\":\"2025-02-27T12:30:00+01:00\"}}\n{{\"{name}\":\"2025-03-02T00:00:00Z\"}}\n"
        );
        let bare = format!("SELECT CASE WHEN 1 THEN {name} END FROM records WHERE {name} < ");
        let bare = bare + "'2025-02-27T12:00:00Z' ORDER BY " + name;
        assert_eq!(crate::rows_of(&bare, &rows), ["\"2025-02-27T12:30:00+01:00\""], "{bare}");
        let sql = format!("SELECT count(*) FROM records WHERE {name} = 'never'");
        assert_has(&notes_of(&sql, &rows), "has times such as", &sql);
    }
}
