//! Texts of numbers and dates: the order of their columns, notes on others, and texts that stay
//! texts.

use crate::{ask_files, ask_of, notes_of};

/// The rows and the notes of a statement over records with a text `x` each.
pub(crate) fn answer(sql: &str, texts: &[&str]) -> (String, String) {
    let line = |text: &&str| format!("{{\"x\":{}}}\n", raw_json::quote(text));
    let lines: String = texts.iter().map(line).collect();
    let outcome = ask_of(sql, &lines).unwrap_or_else(|error| panic!("{sql}: {error}"));
    (outcome.rows.join(" "), outcome.notes.join("\n"))
}

pub(crate) fn notes(sql: &str, texts: &[&str]) -> String {
    answer(sql, texts).1
}

/// The rows that have one text each.
pub(crate) fn rows(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("[{}]", raw_json::quote(text))).collect::<Vec<_>>().join(" ")
}

/// Each list is in the order of its kind.
const ORDERS: [(&str, &[&str]); 43] = [
    ("numbers", &["-3", "0.5", "9.50", "10", "100.0"]),
    ("numbers", &["n/a", "9.50", "10", "100"]),
    ("numbers with other characters", &["-3%", "9%", "12%", "100%"]),
    ("numbers with other characters", &["$45.00", "$993.32", "$1,100.10", "$1,893.20"]),
    ("numbers with other characters", &["953,05 €", "1.196,27 €", "2.000,00 €"]),
    ("numbers with other characters", &["98円", "1,200円", "15,000円"]),
    ("numbers with other characters", &["5,000", "98,000", "1,00,000"]),
    ("numbers with other characters", &["v2", "9 MB", "10 MB", "11 MB", "120 MB"]),
    ("numbers with other characters", &["5.4.0-150", "5.15.0-9", "6.2.1"]),
    ("numbers with other characters", &["9:30", "10:15", "22:05"]),
    ("numbers with other characters", &["2026年3月9日", "2026年12月5日"]),
    ("versions", &["1.1", "1.2", "1.9", "1.10"]),
    ("versions", &["1.2.3-rc1", "1.2.3", "v1.9.0", "1.10.0"]),
    ("versions", &["10.0.0.2", "10.0.0.10"]),
    ("dates whose year comes last", &["11/30/2023", "12/01/2024", "01/31/2025", "05/14/2025"]),
    ("dates whose year comes last", &["12/31/25 9:30 PM", "12/31/25 10:00 PM", "1/2/26 1:00 AM"]),
    ("dates whose year comes last", &["31.12.2024", "14.05.2025"]),
    ("dates whose year comes last", &["2026-03-29", "03/30/2026", "2026-03-31"]),
    (
        "times of several zones or forms",
        &["2025-05-15T03:00:00+02:00", "2025-05-14T23:30:00-05:00"],
    ),
    (
        "times of several zones or forms",
        &["2026/03/29 02:00", "2026-03-30", "2026-03-30T01:00:00.5Z", "Tue, 31 Mar 2026"],
    ),
    ("times of several zones or forms", &["Dec 2024", "Jan 2025", "Feb 2025"]),
    ("dates with names of months", &["28/Jan/2025:08:00:00 +0000", "12/Feb/2025:09:00:00 +0000"]),
    ("times of several zones or forms", &["Q4 2023", "Q1 2024", "Q2 2024", "Q1 2025"]),
    ("times of several zones or forms", &["12/2023", "05/2024", "01/2025"]),
    ("times of several zones or forms", &["12.2023", "05.2024", "01.2025"]),
    ("times of several zones or forms", &["Q4'23", "Q1'24", "Q2'24"]),
    ("dates with names of months", &["Dec-23", "Apr-24", "Jan-25"]),
    ("dates with names of months", &["31-Dec-24", "02-Jan-25", "15-Mar-25"]),
    ("sizes", &["Small", "Medium", "Large"]),
    ("months", &["Jan", "Feb", "April", "December"]),
    ("months", &["N/A", "MARCH", "August"]),
    ("degrees from low to high", &["unknown", "info", "low", "moderate", "critical"]),
    ("levels of a log", &["DEBUG", "WARNING", "ERROR", "CRITICAL"]),
    ("weekdays, Monday first", &["Monday", "Tuesday", "Wednesday", "Friday", "Sunday"]),
    ("sizes", &["XS", "S", "M", "L", "XL", "2XL"]),
    ("degrees from low to high", &["low", "medium", "high", "critical"]),
    ("levels of a log", &["-", "DEBUG", "INFO", "WARN", "ERROR"]),
    ("durations", &["45m", "2h 5m", "2h 10m", "12h 1m"]),
    ("durations", &["45 minutes", "12 hours", "3 days", "2 weeks"]),
    ("durations", &["PT9M", "PT12M", "PT1H5M"]),
    ("numbers with other characters", &["1:02:03", "9:10:00", "10:00:01"]),
    ("letters and numbers", &["CHF 95.00", "CHF 1'000.00", "CHF 10'000.00"]),
    ("letters and numbers", &["PAY-9", "PAY-10", "PAY-100", "REF-2"]),
];

#[test]
fn a_column_is_in_the_order_of_what_its_texts_name() {
    for (kind, texts) in ORDERS {
        let backwards: Vec<&str> = texts.iter().rev().copied().collect();
        let (all, last) = (rows(texts), texts[texts.len() - 1]);
        for (sql, expected) in [
            ("SELECT x FROM records ORDER BY x LIMIT 99", all.clone()),
            ("SELECT x FROM records ORDER BY x DESC LIMIT 99", rows(&backwards)),
            ("SELECT max(x) FROM records", rows(&[last])),
            ("SELECT min(x) FROM records", rows(&texts[..1])),
            ("WITH t AS (SELECT x FROM records) SELECT max(x) FROM t", rows(&[last])),
            ("SELECT x AS y FROM (SELECT * FROM records) ORDER BY y LIMIT 99", all.clone()),
            (
                "SELECT x FROM (SELECT x, row_number() OVER (ORDER BY x) AS n FROM records) \
                 ORDER BY n",
                all.clone(),
            ),
            ("SELECT DISTINCT max(x) OVER () FROM records", rows(&[last])),
            ("SELECT x FROM records GROUP BY x ORDER BY 1 LIMIT 99", all.clone()),
            (
                "SELECT count(*) FROM records a JOIN records b ON a.x < b.x",
                format!("[{}]", texts.len() * (texts.len() - 1) / 2),
            ),
        ] {
            let (found, notes) = answer(sql, &backwards);
            assert_eq!(found, expected, "{sql} of {texts:?}");
            let is_told = notes.contains(&format!("x is in the order of {kind}"));
            assert!(
                is_told || sql.contains("row_number") || sql.contains("JOIN"),
                "{sql} of {texts:?}: {notes}"
            );
            assert!(!notes.contains("letter by letter"), "{sql} of {texts:?}: {notes}");
        }
        for (at, text) in texts.iter().enumerate() {
            let [text, last] = [text, last].map(|text| text.replace('\'', "''"));
            for (condition, count) in [
                (format!("x < '{text}'"), at),
                (format!("x >= '{text}'"), texts.len() - at),
                (format!("x BETWEEN '{text}' AND '{last}'"), texts.len() - at),
                (format!("x = '{text}'"), 1),
                (format!("x IN ('{text}', '?')"), 1),
            ] {
                let (found, notes) =
                    answer(&format!("SELECT count(*) FROM records WHERE {condition}"), &backwards);
                assert_eq!(found, format!("[{count}]"), "{condition} of {texts:?}");
                assert!(!notes.contains("letter by letter"), "{condition}: {notes}");
            }
        }
    }
}

/// An expression does not have the order of its columns.
#[test]
fn the_order_of_an_expression_is_told() {
    for (kind, texts) in ORDERS {
        for expression in ["trim(x)", "x || ''", "record ->> 'x'", "coalesce(x, '')"] {
            let sql = format!("SELECT max({expression}) FROM records");
            let (found, told) = answer(&sql, texts);
            let is_right = found == rows(&texts[texts.len() - 1..]);
            let is_told = told.contains(&format!("text of {kind}, compared letter by letter"));
            assert!(is_right || is_told, "{sql} of {texts:?}: {found} {told}");
            // The note has the collation.
            let Some((_, way)) = told.split_once(" COLLATE ") else { continue };
            let collation = way.split_once(' ').unwrap_or_default().0;
            let sql = format!("SELECT max({expression} COLLATE {collation}) FROM records");
            assert_eq!(answer(&sql, texts).0, rows(&texts[texts.len() - 1..]), "{sql}");
        }
    }
    let inner = "SELECT max(x) FROM (SELECT trim(x) AS x FROM records)";
    let (found, told) = answer(inner, &["9%", "100%", "12%"]);
    assert!(told.contains("compared letter by letter ('100%' < '12%')"), "{found} {told}");
}

/// SQLite gives the collation of a column to its bare name alone.
#[test]
fn the_order_of_a_result_is_told() {
    let texts = ["1.9.0", "1.10.0", "1.2.0"];
    for (sql, found) in [
        ("SELECT x FROM records GROUP BY x HAVING max(x) > '1.2.5'", r#"["1.9.0"]"#),
        (
            "SELECT x FROM records GROUP BY x HAVING max(x) COLLATE versions > '1.2.5' ORDER BY x",
            r#"["1.9.0"] ["1.10.0"]"#,
        ),
    ] {
        let (rows, notes) = answer(sql, &texts);
        assert_eq!(rows, found, "{sql}");
        let told = "a result such as max(x) is ordered and compared by its letters: add COLLATE \
                    versions";
        assert!(notes.contains(told), "{sql}: {notes}");
    }
    let (rows, notes) = answer("SELECT max(x) FROM records", &texts);
    assert_eq!(rows, r#"["1.10.0"]"#);
    assert!(!notes.contains("a result"), "{notes}");
}

#[test]
fn a_clock_in_any_letters_is_read() {
    let texts = ["5/14/2025 Tour: über", "14.05.2025 Anruf: Übergabe", "14/May/2025:10:0é"];
    for text in texts {
        assert_eq!(answer("SELECT max(x) FROM records", &[text, "-"]).0, rows(&[text]));
    }
}

/// Texts whose order would be a guess stay in that of their letters.
#[test]
fn texts_that_are_not_comparable_have_a_note() {
    for (texts, pair) in [
        (&["1 GB", "2 MB", "3 KB", "9 KB"][..], "'1 GB' < '2 MB'"),
        (&["3 days", "12 months", "2 weeks"], "'12 months' < '2 weeks'"),
        (&["1D", "1M", "3M"], "'1D' < '1M'"),
        (&["P9M", "P12M", "P1Y"], "'P12M' < 'P1Y'"),
        (&["9", "10 KB", "8 KB"], "'10 KB' < '8 KB'"),
        (&["9:30", "1:02:03", "12:10"], "'12:10' < '1:02:03'"),
        (&["$5", "€10", "$20"], "'$20' < '$5'"),
        (&["9:30 AM", "12:15 AM"], "'12:15 AM' < '9:30 AM'"),
        (&["03/14/2025", "25/12/2024", "1/1/2025"], "numbers with several units or forms"),
        (&["6.2", "6.10.0-9", "6.9.0-1"], "'6.2' < '6.9.0-1'"),
    ] {
        for sql in ["SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC"] {
            let (found, notes) = answer(sql, texts);
            let is_told = notes.contains("letter by letter") && notes.contains(pair);
            assert!(is_told && notes.contains("bring them to one first"), "{sql}: {found} {notes}");
        }
    }
    for texts in [
        &["red", "green", "4 blue"][..],
        // Words of two kinds, and too few of one.
        &["low", "high", "late"],
        &["May", "April", "Rose"],
        &["S", "M"],
        &["M", "L", "XL", "32", "34"],
        &["01/1200", "02/1100"],
        &["1/2000", "10/3"],
        &["1 MB", "2 MB", "3 MB"],
        &["a1", "b2"],
        &["decision 2025", "market 2024"],
        // Codes of one length, decimals, and numbers of as many digits.
        &["a9f3", "a10b", "a1c2"],
        &["ca. 0.5", "ca. 0.25"],
        &["host-01", "host-02", "gateway-1"],
        &["9:30", "9:45"],
    ] {
        let letters = answer("SELECT x FROM records ORDER BY x COLLATE BINARY LIMIT 1", texts).0;
        let found = answer("SELECT x FROM records ORDER BY x LIMIT 1", texts);
        assert_eq!(found, (letters, String::new()), "{texts:?}");
    }
    // All of them are shown.
    assert_eq!(notes("SELECT x FROM records ORDER BY x", &["PAY-9", "PAY-10"]), "");
    // Day and month are not to be told apart.
    let either = &["03/04/2025", "12/02/2024"];
    let told = notes("SELECT max(x) FROM records", either);
    assert!(told.contains("the month first; if the day is: x COLLATE day_first"), "{told}");
}

/// A number comes before every text, whichever expression gives both.
#[test]
fn numbers_and_texts_in_one_order_are_told() {
    let lines =
        "{\"q\":\"8\",\"f\":\"Y\"}\n{\"q\":\"9\",\"f\":\"N\"}\n{\"q\":\"10\",\"f\":\"Y\"}\n";
    for most in ["max(iif(f = 'Y', q, '0'))", "max(CASE WHEN f = 'Y' THEN q ELSE '' END)"] {
        let told = notes_of(&format!("SELECT {most} FROM records"), lines);
        assert!(told.contains("has numbers (2) and text such as"), "{most}: {told}");
    }
    for fine in ["max(iif(f = 'Y', q, 0))", "max(coalesce(q, 0))", "max(nullif(q, 8))"] {
        assert_eq!(notes_of(&format!("SELECT {fine} FROM records"), lines), "", "{fine}");
    }
    for text in ["max(trim(q))", "max(lower(q))", "min(record->>'q')"] {
        let told = notes_of(&format!("SELECT {text} FROM records"), lines);
        assert!(told.contains("'10' < '8'"), "{text}: {told}");
    }
    let objects = "{\"s\":\"9\"}\n{\"s\":\"98\"}\n{\"s\":\"119\"}\n{\"s\":{\"nil\":true}}";
    let kept = "SELECT max(s) FROM records WHERE json_type(record, '$.s') = 'text'";
    for sql in ["SELECT max(s) FROM records", kept] {
        assert!(notes_of(sql, objects).contains("'119' < '9'"), "{sql}");
    }
}

#[test]
fn an_order_is_found_by_every_name_of_its_column() {
    for sql in [
        "SELECT x AS share FROM records ORDER BY share DESC LIMIT 1",
        "SELECT x, count(*) FROM records GROUP BY 1 ORDER BY 1 DESC",
        "SELECT count(*) AS n, x FROM records GROUP BY x ORDER BY 2",
        "SELECT x FROM records ORDER BY trim(x) DESC",
        "SELECT x FROM records ORDER BY length(x), x",
    ] {
        let notes = notes(sql, &["9%", "100%", "12%"]);
        let order = match sql.contains("trim") {
            true => "trim(x) is text of numbers with other characters, compared letter by letter",
            false => "x is in the order of numbers with other characters",
        };
        assert!(notes.contains(order), "{sql}: {notes}");
    }
}

/// An account "0100" is not the account "100".
#[test]
fn texts_of_one_field_are_alike_in_all_files() {
    let records = "{\"acct\":\"9\"}\n{\"acct\":\"10\"}\n{\"acct\":\"100\"}\n{\"acct\":\"7\"}\n";
    let other = "{\"acct\":\"0100\"}\n{\"acct\":\"010\"}\n{\"acct\":\"7\"}\n{\"acct\":\"1e2\"}\n";
    for (sql, rows) in [
        ("SELECT r.acct FROM records r JOIN b ON b.acct = r.acct", "[\"7\"]"),
        ("SELECT count(*) FROM records WHERE acct NOT IN (SELECT acct FROM b)", "[3]"),
        ("SELECT acct FROM records INTERSECT SELECT acct FROM b", "[\"7\"]"),
    ] {
        let found = ask_files(sql, &[("records", records), ("b", other)]).unwrap();

        assert_eq!(found.rows, [rows], "{sql}");
    }
    let found = ask_of("SELECT count(*) FROM records WHERE acct = '0100'", records).unwrap();
    assert!(found.notes[0].contains("record->>'$.acct' is the text"), "{:?}", found.notes);
}

#[test]
fn versions_of_two_parts_are_no_numbers() {
    let versions = ["1.1", "1.10", "1.2", "1.9"];
    for sql in ["SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC LIMIT 1"] {
        let (found, notes) = answer(sql, &versions);
        assert_eq!(
            (found, notes),
            (
                rows(&["1.10"]),
                "x is in the order of versions; if they are decimals: CAST(x AS REAL)".to_owned()
            )
        );
    }
    assert_eq!(notes("SELECT count(*) FROM records WHERE x = '1.1'", &versions), "");
    for numbers in [&["1.5", "1.25", "10", "9"][..], &["1.50", "1.10", "1.20"], &["-1.50", "1.5"]] {
        let notes = notes("SELECT max(x) FROM records", numbers);
        assert!(!notes.contains("versions"), "{numbers:?}: {notes}");
    }
}

#[test]
fn decimals_with_a_zero_in_front_are_no_versions() {
    let texts = ["0.05", "0.5", "0.50", "10.0", "9"];
    let (most, told) = answer("SELECT max(x) FROM records", &texts);
    assert_eq!((most, told), (rows(&["10.0"]), "x is in the order of numbers".to_owned()));
    let same = "SELECT 1 FROM records WHERE x = 0.5";
    assert!(notes(same, &texts).contains("in several ways"));
}

/// The expression that a note offers gives the numbers.
#[test]
fn written_numbers_have_one_expression_in_all_notes() {
    let dollars = &["$1,893.20", "$993.32", "$45.00", "$1,100.10"][..];
    let number = "CAST(replace(replace(x, '$', ''), ',', '') AS REAL)";
    let euros = &["1.196,27 €", "953,05 €", "2.000,00 €", "n/a"][..];
    let euro = "CASE WHEN x GLOB '*[0-9]*' THEN CAST(replace(replace(replace(x, '€', ''), '.', \
                ''), ',', '.') AS REAL) END";
    for (texts, number) in [(dollars, number), (euros, euro)] {
        let told = notes("SELECT sum(x) FROM records", texts);
        assert!(told.contains(number), "{texts:?}: {told}");
        // The column is in the order of these numbers.
        for (sql, expected) in [
            ("SELECT count(*) FROM records WHERE x > 1000", "[2]".to_owned()),
            (
                "SELECT max(x) FROM records",
                answer(&format!("SELECT x FROM records ORDER BY {number} DESC LIMIT 1"), texts).0,
            ),
        ] {
            assert_eq!(answer(sql, texts).0, expected, "{sql} of {texts:?}");
        }
    }
    // Three digits after the only separator are thousands or a fraction.
    let either = &["1.200 €", "98 €", "15.000 €"][..];
    let thousands = "`.` begins the fraction here; if it parts thousands, use the SQL \
                     CAST(replace(replace(x, '€', ''), '.', '') AS REAL)";
    for sql in [
        "SELECT max(x) FROM records",
        "SELECT count(*) FROM records WHERE x > 1000",
        "SELECT sum(x) FROM records",
    ] {
        let notes = notes(sql, either);
        assert!(notes.contains(thousands), "{sql}: {notes}");
    }
    // Zip codes of five digits compare like numbers, and so do prices of one length.
    for texts in [&["21181", "02814", "90210"][..], &["$10", "$25", "$99"]] {
        assert_eq!(notes("SELECT count(*) FROM records WHERE x < 10000", texts), "", "{texts:?}");
    }
    let nested = "{\"a\":{\"zip\":\"21181\"}}\n{\"a\":{\"zip\":\"02814\"}}\n";
    let found = ask_of("SELECT count(*) FROM records WHERE a.zip < 10000", nested).unwrap();
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

/// A condition may leave out the texts that are no numbers or dates.
#[test]
fn notes_are_of_the_rows_that_where_keeps() {
    let numbers = &["1.5", "20.5", "n/a", "-"][..];
    let dates = &["2025-05-14", "2025-06-01", "soon", "n/a"][..];
    let kept = "WHERE x NOT IN ('n/a', '-', 'soon')";
    for (texts, sql) in [
        (numbers, "SELECT avg(x) FROM records"),
        (numbers, "SELECT r.x, avg(CAST(trim(r.x) AS REAL)) FROM records r"),
        (dates, "SELECT strftime('%Y', x), count(*) FROM records"),
    ] {
        let all = notes(sql, texts);
        assert!(all.contains("2 of 4 values"), "{sql}: {all}");
        let kept = notes(&format!("{sql} {kept}"), texts);
        assert!(!kept.contains("values of"), "{sql}: {kept}");
    }
    let sql = "SELECT r.x FROM records r WHERE r.x LIKE '%.%' ORDER BY r.x LIMIT 1";
    let found = answer(sql, &["9.5", "10.5", "n/a", "-"]);
    assert_eq!(found, (rows(&["9.5"]), "x is in the order of numbers".to_owned()));
}
