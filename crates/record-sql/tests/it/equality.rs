//! Equal texts: those of the same letters alone, and notes on other spellings.

use crate::ask_files;
use crate::orders::{answer, notes};

/// No other texts are equal than those of the same letters.
#[test]
fn equal_texts_have_the_same_letters() {
    let texts = ["1.10", "1.10.0", "1.9", "v1.9", "1.9"];
    for (sql, expected) in [
        ("SELECT count(DISTINCT x) FROM records", "[4]"),
        ("SELECT count(*) FROM (SELECT x FROM records GROUP BY x)", "[4]"),
        ("SELECT count(*) FROM records WHERE x = '1.9' AND x <= '1.10'", "[2]"),
        ("SELECT count(*) FROM records a JOIN records b ON a.x = b.x AND b.x > '0'", "[7]"),
        ("SELECT count(*) FROM (SELECT x FROM records UNION SELECT '1.9' ORDER BY 1)", "[4]"),
        ("SELECT x FROM records ORDER BY x LIMIT 2", "[\"1.9\"] [\"1.9\"]"),
    ] {
        assert_eq!(answer(sql, &texts).0, expected, "{sql}");
    }
    let (ours, other) = ("{\"k\":\"1.9\"}\n{\"k\":\"1.10\"}", "{\"k\":\"1.10\"}\n{\"k\":\"n\"}");
    for (sql, expected) in [
        ("SELECT records.k FROM records JOIN b ON b.k = records.k WHERE b.k > '0'", "[\"1.10\"]"),
        ("SELECT k FROM records EXCEPT SELECT k FROM b ORDER BY k", "[\"1.9\"]"),
        ("SELECT count(*) FROM records a JOIN b ON a.k = b.k AND b.k = a.k ORDER BY 1", "[1]"),
        ("SELECT a.k FROM records a JOIN records b ON a.k = b.k ORDER BY 1 LIMIT 1", "[\"1.9\"]"),
        ("SELECT * FROM records WHERE k = k ORDER BY 1 LIMIT 1", "[\"1.9\"]"),
        ("SELECT 1 = (a.k > '1.9'), 1 = a.k > '1.9' FROM records a WHERE a.k = '1.10'", "[1,1]"),
        ("SELECT max(k) FROM (SELECT k FROM records UNION ALL SELECT k FROM b)", "[\"1.10\"]"),
    ] {
        let found = ask_files(sql, &[("records", ours), ("b", other)]).unwrap();
        assert_eq!(found.rows, [expected], "{sql}");
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
