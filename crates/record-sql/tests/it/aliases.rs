//! Names of results that columns have, too.

use crate::{ask, assert_has, notes_of};

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

/// An order by the name of a result is that of its expression.
#[test]
fn the_order_of_a_result_is_told_as_that_of_its_expression() {
    let lines = "{\"i\":1,\"x\":\"9\",\"n\":null,\"m\":5}\n\
                 {\"i\":2,\"x\":\"10\",\"n\":4,\"m\":\"a\"}\n\
                 {\"i\":3,\"x\":\"8\",\"n\":3,\"m\":7}\n";
    let nulls = "1 records in which n * 2 is null come first";
    for (sql, told) in [
        ("SELECT i, trim(x) AS t FROM records ORDER BY t LIMIT 1", "trim(x) is text of numbers"),
        ("SELECT i, trim(x) t FROM records ORDER BY t LIMIT 1", "trim(x) is text of numbers"),
        ("SELECT i, trim(x) t FROM records ORDER BY t || '' LIMIT 1", "t || '' is text of numbers"),
        ("SELECT trim(x) t FROM records UNION SELECT 'a' ORDER BY t LIMIT 1", "text of numbers"),
        ("SELECT i, n * 2 AS d FROM records ORDER BY d LIMIT 1", nulls),
        ("SELECT i, n * 2 d FROM records ORDER BY 2 ASC LIMIT 1", nulls),
        ("SELECT i FROM records ORDER BY n * 2 LIMIT 1", nulls),
        ("SELECT i, coalesce(m, 0) AS v FROM records ORDER BY v DESC", "has numbers (2) and text"),
        (
            "SELECT i FROM (SELECT i, row_number() OVER (ORDER BY n * 2) AS k FROM records) \
             WHERE k = 1",
            nulls,
        ),
        ("SELECT i FROM records WHERE i = (SELECT i FROM records ORDER BY n * 2 LIMIT 1)", nulls),
    ] {
        assert_has(&notes_of(sql, lines), told, sql);
    }
    for fine in [
        "SELECT i, n * 2 AS d FROM records ORDER BY d DESC LIMIT 1",
        "SELECT i, n * 2 AS d FROM records ORDER BY d NULLS LAST LIMIT 1",
        "SELECT i, n * 2 AS d FROM records WHERE n IS NOT NULL ORDER BY d LIMIT 1",
        "SELECT i, n * 2 AS d FROM records ORDER BY n IS NULL, d LIMIT 1",
        "SELECT i, n * 2 AS d FROM records ORDER BY d",
        "SELECT i, sum(n) OVER (ORDER BY n) FROM records",
        "SELECT i, coalesce(n, 0) AS d FROM records ORDER BY d LIMIT 1",
    ] {
        assert_eq!(notes_of(fine, lines), "", "{fine}");
    }
}
