//! Names of results that columns have, too.

use crate::{ask, assert_has};

#[test]
fn a_column_with_the_name_of_a_result_is_told() {
    for (rest, part) in [
        (
            "sum(score) AS score FROM records GROUP BY status HAVING score > 900",
            "score in HAVING is the column of the records, not the result sum(score): HAVING \
             sum(score) > 900",
        ),
        (
            "upper(status) AS status, count(*) FROM records GROUP BY status",
            "status in GROUP BY is the column of the records, not the result upper(status): GROUP \
             BY upper(status)",
        ),
        (
            "strftime('%m', created) created, count(*) FROM records GROUP BY 1 ORDER BY -created",
            "ORDER BY -strftime('%m', created)",
        ),
        (
            "CASE WHEN priority > 2 THEN 'high' ELSE 'low' END AS priority FROM records GROUP BY \
             priority",
            "GROUP BY (CASE WHEN priority > 2 THEN 'high' ELSE 'low' END)",
        ),
    ] {
        assert_has(&ask(&format!("SELECT {rest}")).unwrap().notes.join("\n"), part, rest);
    }
    for fine in [
        "SELECT status, sum(score) AS score FROM records GROUP BY status ORDER BY score DESC",
        "SELECT r.status AS status, count(*) AS n FROM records r GROUP BY status HAVING n > 2",
        "SELECT status FROM (SELECT upper(status) AS status FROM records) GROUP BY status",
        "SELECT upper(status) AS kind, count(*) FROM records GROUP BY kind",
        "SELECT sum(score) AS score FROM records r GROUP BY r.status HAVING sum(score) > 2",
        "SELECT sum(score) AS score FROM records GROUP BY status ORDER BY -sum(score)",
        "SELECT upper(status) AS status FROM records GROUP BY upper(status) ORDER BY status",
        "SELECT upper(status) AS status FROM records ORDER BY upper(status), 1",
    ] {
        let notes = ask(fine).unwrap().notes.join("\n");
        assert!(!notes.contains("is the column of the records"), "{fine}: {notes}");
    }
}
