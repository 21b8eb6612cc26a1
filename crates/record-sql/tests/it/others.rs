//! Texts among numbers, versions and dates that name none.

use crate::assert_has;
use crate::orders::answer;

/// Texts that name nothing come before those that do, whatever their letters.
#[test]
fn others_count_where_the_rest_is_in_the_order_of_letters() {
    for (texts, most) in [
        (&["3", "9", "7", "N/A"][..], "9"),
        (&["2025-01-02", "2025-03-04", "unknown"], "2025-03-04"),
        (&["1.2.0", "1.3.1", "latest"], "1.3.1"),
        (&["$10", "$25", "none"], "$25"),
        (&["Feb", "Jan", "unknown", "Mar"], "Mar"),
    ] {
        for sql in ["SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC LIMIT 1"] {
            let (found, told) = answer(sql, texts);
            assert_eq!(found, format!("[\"{most}\"]"), "{sql} {texts:?}");
            assert_has(&told, "come first", sql);
        }
        let count = format!("SELECT count(*) FROM records WHERE x > '{}'", texts[0]);
        assert_has(&answer(&count, texts).1, "come first", &count);
    }
    let told = answer("SELECT max(trim(x)) FROM records", &["3", "9", "N/A"]).1;
    assert_has(&told, "('9' < 'N/A'): trim(x) COLLATE numbers", "trim");
    // Those that are letters before digits change nothing.
    let texts = &["3", "9", "7", "", "-"];
    assert_eq!(answer("SELECT x FROM records ORDER BY x DESC LIMIT 1", texts).1, "");
}
