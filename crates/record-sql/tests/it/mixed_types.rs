//! Notes on texts next to numbers, whichever expressions give them.

use crate::notes_of as notes;

/// Records with a text `x` each.
fn texts(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("{{\"x\":\"{text}\"}}\n")).collect()
}

#[test]
fn texts_that_are_no_numbers_are_told_whatever_they_begin_with() {
    for (values, condition) in [
        (&["00:09:05", "12:30:00", "01:02:03"][..], "x > 3600"),
        (&["3 days", "12 hours", "45 minutes", "2 weeks"], "x > 1"),
        (&["0x10", "0x9", "0xff"], "x > 15"),
        (&["5.15.0-9", "5.4.0-150", "6.2.1"], "x >= '5.15'"),
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        let told = notes(&sql, &texts(values));
        assert!(told.contains("compared letter by letter"), "{condition}: {told}");
    }
    for condition in ["x <= 0.5", "x > '0.5'"] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        let told = notes(&sql, &texts(&["0.1", "0.5", "1", "+Inf", "10"]));
        assert_eq!(told, "x is in the order of numbers", "{condition}");
    }
    for (values, condition) in
        [(&["02814", "21181"][..], "x < 10000"), (&["2024-05-01", "2025-01-31"], "x >= 2024")]
    {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        assert_eq!(notes(&sql, &texts(values)), "", "{condition}");
    }
}

#[test]
fn texts_next_to_any_number_are_told() {
    let lines: String = [8, 9, 10, 20, 30]
        .iter()
        .map(|q| {
            format!(
                "{{\"q\":\"{q}\",\"n\":{q},\"w\":\"{q}{}\"}}\n",
                if *q < 10 { " kg" } else { "" }
            )
        })
        .collect();
    for (sql, text) in [
        ("SELECT 1 FROM records WHERE record->>'q' > (SELECT avg(n) FROM records)", "record->>'q'"),
        ("SELECT 1 FROM records WHERE record->>'q' > n - n + 9", "in 2 rows record->>'q' is text"),
        ("SELECT 1 FROM records WHERE n - n + 9 < record->>'q'", "such as '8'"),
        ("SELECT 1 FROM records WHERE trim(q) = n - 0", "in 5 rows trim(q)"),
        ("SELECT sum(iif(w > n, 1, 0)) FROM records", "in 2 rows w is text, such as '8 kg'"),
        ("SELECT n FROM records GROUP BY n HAVING max(trim(q)) > avg(n) + 1", "max(trim(q)) is"),
        ("SELECT max(n, w) FROM records", "in 5 rows w is text"),
    ] {
        let told = notes(sql, &lines);
        assert!(told.contains(text) && told.contains("not compared as a number"), "{sql}: {told}");
    }
    for fine in [
        "SELECT n FROM records WHERE q > (SELECT avg(n) FROM records)",
        "SELECT n FROM records WHERE record->>'q' > n - 1 AND n > 0",
        "SELECT n FROM records WHERE CAST(record->>'q' AS REAL) > n - n + 9",
        "SELECT n FROM records GROUP BY n HAVING max(q) > avg(n) - 1",
        "SELECT max(n, q), min(coalesce(q, 0), n) FROM records",
        "SELECT a.n FROM records a JOIN records b ON a.q = b.n AND a.n <> b.n + 1",
        "SELECT n FROM records WHERE w <> n",
    ] {
        assert_eq!(notes(fine, &lines), "", "{fine}");
    }
}
