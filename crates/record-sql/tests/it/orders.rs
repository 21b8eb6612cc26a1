//! Texts of numbers and dates: notes on their order, and texts that stay texts.

use record_sql::{Query, run};

use crate::{ask_of, limits, source};

/// The notes on a statement over records with a text `x` each.
fn notes(sql: &str, texts: &[&str]) -> String {
    let lines: String = texts.iter().map(|text| format!("{{\"x\":\"{text}\"}}\n")).collect();
    ask_of(sql, &lines).unwrap_or_else(|error| panic!("{sql}: {error}")).notes.join("\n")
}

#[test]
fn texts_are_read_in_spite_of_other_texts_among_them() {
    for (texts, kind) in [
        (&["9.50", "10", "100", "n/a"][..], "x is text of numbers,"),
        (&["9%", "100%", "-3%", "12%"], "numbers with other characters"),
        (&["1 GB", "2 MB", "9 KB", "3 KB"], "numbers with several units"),
        (&["Jan 2025", "Feb 2025", "Dec 2024"], "dates with names of months"),
        (&["Wed, 15 Jan 2025 10:00:00", "Fri, 07 Mar 2025 09:00:00"], "names of months"),
        (&["9 MB", "10 MB", "11 MB", "12 MB", "v2"], "numbers with other characters"),
        (&["$99.00", "$850.25", "$1,200.00"], "numbers with other characters"),
    ] {
        for sql in ["SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC"] {
            let notes = notes(sql, texts);
            assert!(notes.contains(kind), "{sql} of {texts:?}: {notes}");
        }
    }
    for texts in [
        &["red", "green", "4 blue"][..],
        &["1 MB", "2 MB", "3 MB"],
        &["a1", "b2"],
        &["decision 2025", "market 2024"],
    ] {
        let notes = notes("SELECT x FROM records ORDER BY x DESC", texts);
        assert!(!notes.contains("letter by letter"), "{texts:?}: {notes}");
    }
}

/// Numbers of any notation between other letters, in the order of numbers.
#[test]
fn texts_are_compared_in_their_natural_order() {
    for (texts, pair, way) in [
        (&["1,200円", "98円", "15,000円"][..], "'15,000円' < '98円'", "replace(x, ',', '')"),
        (&["PT9M", "PT12M", "PT1H5M"], "'PT12M' < 'PT1H5M'", "CAST(substr(x, 3) AS REAL)"),
        (&["PAY-9", "PAY-10", "PAY-100"], "'PAY-100' < 'PAY-9'", "CAST(substr(x, 5) AS REAL)"),
        (&["(1,200)", "98", "150"], "'(1,200)' < '150'", "by the numbers in them"),
        (&["1,00,000", "98,000", "5,000"], "'1,00,000' < '5,000'", "replace(x, ',', '')"),
        (&["5.15.0-9", "5.4.0-150", "6.2.1"], "'5.15.0-9' < '5.4.0-150'", ""),
        (&["web 9, east", "db 10", "db 9"], "'db 10' < 'db 9'", ""),
        (&["01/02/26", "12/31/25"], "'01/02/26' < '12/31/25'", "substr(x, 7, 4)"),
    ] {
        for sql in [
            "SELECT max(x) FROM records",
            "SELECT x FROM records ORDER BY x DESC LIMIT 1",
            "SELECT x FROM records ORDER BY trim(x) LIMIT 1",
        ] {
            let notes = notes(sql, texts);
            let (is_pair, is_way) = (notes.contains(pair), notes.contains(way));
            assert!(is_pair && (is_way || sql.contains("trim")), "{sql} of {texts:?}: {notes}");
        }
    }
    let more = notes("SELECT count(*) FROM records WHERE x > 'PAY-150'", &["PAY-9", "PAY-80"]);
    assert!(more.contains("'PAY-150' < 'PAY-80'"), "{more}");
    for texts in [
        // Codes of one length, decimals, and numbers of as many digits.
        &["a9f3", "a10b", "a1c2"][..],
        &["ca. 0.5", "ca. 0.25"],
        &["host-01", "host-02", "gateway-1"],
        &["9:30", "9:45"],
    ] {
        assert_eq!(notes("SELECT x FROM records ORDER BY x LIMIT 1", texts), "", "{texts:?}");
    }
    // All of them are shown.
    assert_eq!(notes("SELECT x FROM records ORDER BY x", &["PAY-9", "PAY-10"]), "");
}

/// A number comes before every text, whichever expression gives both.
#[test]
fn numbers_and_texts_in_one_order_are_told() {
    let of = |sql: &str, lines: &str| ask_of(sql, lines).unwrap().notes.join("\n");
    let lines =
        "{\"q\":\"8\",\"f\":\"Y\"}\n{\"q\":\"9\",\"f\":\"N\"}\n{\"q\":\"10\",\"f\":\"Y\"}\n";
    for most in ["max(iif(f = 'Y', q, '0'))", "max(CASE WHEN f = 'Y' THEN q ELSE '' END)"] {
        let told = of(&format!("SELECT {most} FROM records"), lines);
        assert!(told.contains("has numbers (2) and text such as"), "{most}: {told}");
    }
    for fine in ["max(iif(f = 'Y', q, 0))", "max(coalesce(q, 0))", "max(nullif(q, 8))"] {
        assert_eq!(of(&format!("SELECT {fine} FROM records"), lines), "", "{fine}");
    }
    for text in ["max(trim(q))", "max(lower(q))", "min(record->>'q')"] {
        let told = of(&format!("SELECT {text} FROM records"), lines);
        assert!(told.contains("'10' < '8'"), "{text}: {told}");
    }
    let objects = "{\"s\":\"9\"}\n{\"s\":\"98\"}\n{\"s\":\"119\"}\n{\"s\":{\"nil\":true}}";
    let kept = "SELECT max(s) FROM records WHERE json_type(record, '$.s') = 'text'";
    for sql in ["SELECT max(s) FROM records", kept] {
        assert!(of(sql, objects).contains("'119' < '9'"), "{sql}");
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
        assert!(notes.contains("letter by letter"), "{sql}: {notes}");
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
        let sources = vec![source("records", records), source("b", other)];
        let found = run(&Query::new(sql, sources), &limits()).unwrap();
        assert_eq!(found.rows, [rows], "{sql}");
    }
    let found = ask_of("SELECT count(*) FROM records WHERE acct = '0100'", records).unwrap();
    assert!(found.notes[0].contains("record->>'$.acct' is the text"), "{:?}", found.notes);
}

#[test]
fn versions_of_two_parts_are_no_numbers() {
    let versions = ["1.1", "1.10", "1.2", "1.9"];
    for sql in ["SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC LIMIT 1"] {
        let notes = notes(sql, &versions);
        assert!(notes.contains("text of versions") && notes.contains("'1.10' < '1.2'"), "{notes}");
    }
    assert_eq!(notes("SELECT count(*) FROM records WHERE x = '1.1'", &versions), "");
    for numbers in [&["1.5", "1.25", "10", "9"][..], &["1.50", "1.10", "1.20"], &["-1.50", "1.5"]] {
        let notes = notes("SELECT max(x) FROM records", numbers);
        assert!(!notes.contains("versions"), "{numbers:?}: {notes}");
    }
}

#[test]
fn a_number_with_blanks_is_another_spelling() {
    let scores = ["10", "9", "100", " 9", "", "9 "];
    let told = notes("SELECT count(*) FROM records WHERE x = 9", &scores);
    assert!(told.contains("CAST(x AS NUMERIC) = 9 finds 3 records"), "{told}");
    for (sql, texts) in [
        ("SELECT count(*) FROM records WHERE x = 10", &scores[..]),
        ("SELECT count(*) FROM records WHERE x = '0'", &["0", "", " ", "n/a"]),
        ("SELECT count(*) FROM records WHERE x = '9'", &["9", "09", "9a"]),
    ] {
        assert_eq!(notes(sql, texts), "", "{sql}");
    }
}

#[test]
fn a_text_in_two_normal_forms_is_told() {
    let forms = ["Jos\u{e9}", "Jose\u{301}", "Ann"];
    for sql in ["SELECT x, count(*) FROM records GROUP BY 1", "SELECT DISTINCT x FROM records"] {
        assert!(notes(sql, &forms).contains("nfc(x) is the same for both"), "{sql}");
        assert_eq!(notes(sql, &forms[1..]), "");
        assert_eq!(notes(&sql.replace('x', "nfc(x)"), &forms), "");
    }
}

#[test]
fn decimals_with_a_zero_in_front_are_no_versions() {
    let texts = ["0.05", "0.5", "0.50", "10.0", "9"];
    assert!(notes("SELECT max(x) FROM records", &texts).contains("text of numbers"));
    let same = "SELECT 1 FROM records WHERE x = 0.5";
    assert!(notes(same, &texts).contains("in several ways"));
}

#[test]
fn bounds_are_swapped_if_that_is_their_order() {
    let of =
        |bounds| notes(&format!("SELECT 1 FROM records WHERE x BETWEEN {bounds}"), &["a", "b"]);
    assert!(of("'c' AND 'b'").contains("the lower bound first: BETWEEN 'b' AND 'c'"));
    assert!(of("'2025-3' AND '2025-05'").contains("'2025-3' is behind '2025-05'"));
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
        for sql in [
            "SELECT max(x) FROM records",
            "SELECT x FROM records ORDER BY x DESC",
            "SELECT count(*) FROM records WHERE x > 1000",
            "SELECT sum(x) FROM records",
        ] {
            let notes = notes(sql, texts);
            assert!(notes.contains(number), "{sql} of {texts:?}: {notes}");
        }
    }
    // Three digits behind the only separator are thousands or a fraction.
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
    assert!(notes(sql, &["9.5", "10.5", "n/a", "-"]).contains("'10.5' < '9.5'"));
}
