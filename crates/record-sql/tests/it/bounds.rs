//! Constants that a column of texts is compared with: the order of the column counts.

use crate::orders::{answer, notes, rows};

#[test]
fn a_bound_that_is_no_such_text_takes_no_other_with_it() {
    let count = |condition: &str, texts: &[&str]| {
        answer(&format!("SELECT count(*) FROM records WHERE {condition}"), texts)
    };
    let numbers = ["9", "10", "n/a", "-"];
    assert_eq!(count("x > ''", &numbers).0, "[4]");
    assert_eq!(count("x >= 'n/a'", &numbers).0, "[3]");
    let versions = ["1.9", "1.10", "1.10.0"];
    assert_eq!(count("x BETWEEN '1.10' AND '1.10'", &versions).0, "[1]");
    let times = ["2025-02-10T10:00:00Z", "2025-02-10T10:00:00.5Z"];
    assert_eq!(count("x BETWEEN '2025-02-01' AND '2025-02-31'", &times).0, "[2]");
    assert_eq!(count("x >= '2025' AND x < '2026'", &times).0, "[2]");
    let ids = ["1100000000000000001-9", "1100000000000000000-10"];
    assert_eq!(answer("SELECT max(x) FROM records", &ids).0, rows(&ids[..1]));
}

/// A literal is read as the texts of its column are.
#[test]
fn a_literal_has_the_order_of_its_column() {
    for (condition, texts, count) in [
        ("x > 'PAY-150'", &["PAY-9", "PAY-80", "PAY-200"][..], 1),
        ("x >= '2025-03-01'", &["02/28/2025", "03/01/2025", "12/31/2024"], 1),
        ("x >= 'v1.10'", &["1.9", "1.10", "1.10.0", "1.2"], 2),
        ("x > 'v1.10'", &["1.9", "1.10", "1.10.0", "1.2"], 0),
        ("x <= '1.10'", &["1.9", "1.10", "1.10.0", "1.11"], 3),
        ("x < '1.10.0'", &["1.9", "1.10", "1.10.0", "1.11"], 1),
        ("x BETWEEN '1.2.0' AND '1.10'", &["1.9", "1.2", "1.10.0", "1.11"], 3),
        ("x >= 1000", &["$1,000.00", "$993.32"], 1),
        ("x <= '10'", &["10.00", "9.50", "11"], 2),
        ("x > '5 MB'", &["10 MB", "2 MB"], 1),
        ("x > '1 hour'", &["50 min", "120 min", "9 min"], 1),
        ("x >= 'March'", &["Jan", "Mar", "Apr"], 2),
        ("x > 'J'", &["Jan", "Mar", "Apr"], 2),
        ("x > ''", &["high", "low", "medium"], 3),
        ("x > '1,000'", &["$1,893.20", "$993.32"], 1),
        ("x > 1000", &["$1,893.20", "$993.32"], 1),
        (
            "x <= datetime('2025-05-15 18:00:00')",
            &["2025-05-15T12:00:00Z", "2025-05-16T00:00:00Z"],
            1,
        ),
        ("x > '2025-05-15T00:00:00+02:00'", &["2025-05-14T22:30:00Z", "2025-05-14T21:30:00Z"], 1),
    ] {
        let (found, notes) =
            answer(&format!("SELECT count(*) FROM records WHERE {condition}"), texts);
        assert_eq!(found, format!("[{count}]"), "{condition} of {texts:?}: {notes}");
        assert!(!notes.contains("letter by letter"), "{condition}: {notes}");
    }
    let told = notes("SELECT count(*) FROM records WHERE x > 'beta'", &["1.9.0", "1.10.0"]);
    assert!(told.contains("x is in the order of versions; others, such as 'beta', come first"));
    let units = notes("SELECT count(*) FROM records WHERE x > '1 GB'", &["10 MB", "2 GB"]);
    assert!(units.contains("'10 MB' < '2 GB'"), "{units}");
}

#[test]
fn bounds_are_swapped_if_that_is_their_order() {
    let of =
        |bounds| notes(&format!("SELECT 1 FROM records WHERE x BETWEEN {bounds}"), &["a", "b"]);
    assert!(of("'c' AND 'b'").contains("the lower bound first: BETWEEN 'b' AND 'c'"));
    assert!(of("'2025-3' AND '2025-05'").contains("'2025-3' comes after '2025-05'"));
}
