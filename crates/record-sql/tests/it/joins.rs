//! Joins that give more rows, or fewer, than they look.

use crate::{assert_has, notes_of_files};

const ORDERS: &str = r#"{"oid":1,"cid":0,"amt":10,"at":"2026-03-01"}
{"oid":2,"cid":0,"amt":20,"at":"2026-03-02"}
{"oid":3,"cid":1,"amt":5,"at":"2026-03-03"}
{"oid":4,"cid":9,"amt":7,"at":null}
"#;

const CUSTOMERS: &str = r#"{"cid":0,"name":"C0","tier":"gold"}
{"cid":1,"name":"C1","tier":"silver"}
{"cid":2,"name":"C2","tier":null}
"#;

const ITEMS: &str = r#"{"oid":1,"sku":"A","q":1}
{"oid":1,"sku":"B","q":2}
{"oid":2,"sku":"A","q":3}
{"oid":5,"sku":"Z","q":9}
"#;

fn notes(sql: &str) -> String {
    notes_of_files(sql, &[("records", ORDERS), ("c", CUSTOMERS), ("i", ITEMS)])
}

fn contain(all: &[(&str, &str)]) {
    all.iter().for_each(|(sql, part)| assert_has(&notes(sql), part, sql));
}

#[test]
fn tables_that_nothing_joins_are_told() {
    contain(&[
        ("SELECT count(*) FROM records o JOIN c", "no condition joins o and c, so each row of o"),
        ("SELECT count(*) FROM records o JOIN c ON o.cid = o.cid", "no condition joins o and c"),
        ("SELECT count(*) FROM records o JOIN c ON o.cid", "no condition joins o and c"),
        ("SELECT count(*) FROM records o, c, i WHERE o.cid = c.cid", "no condition joins o and i"),
        (
            "SELECT count(*) FROM records o, c WHERE o.cid = c.cid AND tier = 'gold' OR \
             tier = 'silver'",
            "a part of the OR joins o and c by nothing",
        ),
        (
            "SELECT count(*) FROM c WHERE EXISTS (SELECT 1 FROM records, i WHERE sku = 'A')",
            "no condition joins records and i",
        ),
    ]);
    for fine in [
        "SELECT count(*) FROM records o JOIN c ON o.cid = c.cid",
        "SELECT count(*) FROM records o, c WHERE o.cid = c.cid AND (tier = 'gold' OR \
         tier = 'silver')",
        "SELECT count(*) FROM records o JOIN c USING (cid)",
        "SELECT count(*) FROM records o NATURAL JOIN c",
        "SELECT count(*) FROM records o CROSS JOIN c",
        "SELECT count(*) FROM records o, (SELECT max(q) AS most FROM i) m WHERE amt > 5",
        "WITH m AS (SELECT avg(q) a FROM i) SELECT count(*) FROM records, m WHERE amt > m.a",
        "SELECT count(*) FROM records a JOIN records b ON a.oid < b.oid",
        "SELECT count(*) FROM records o LEFT JOIN c ON o.cid = c.cid OR c.cid IS NULL",
        "SELECT count(*) FROM records o, json_each('[1,2]') e WHERE e.value = o.oid",
        "SELECT count(*) FROM records o, json_each(json_array(o.oid, 2)) e WHERE e.value > 1",
        "SELECT count(*) FROM records o JOIN c ON o.cid = c.cid JOIN i ON i.oid = o.oid WHERE \
         tier = 'gold' OR sku = 'A'",
        "SELECT count(*) FROM c WHERE EXISTS (SELECT 1 FROM records o, i WHERE o.cid = c.cid AND \
         i.oid = o.oid)",
        "SELECT count(*) FROM records o JOIN c ON o.cid BETWEEN c.cid AND c.cid",
    ] {
        assert!(!notes(fine).contains("joins"), "{fine}: {}", notes(fine));
    }
}

#[test]
fn a_column_that_is_compared_with_itself_is_told() {
    contain(&[
        (
            "SELECT count(*) FROM records r WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.cid = cid)",
            "c.cid = cid compares a column with itself; cid is that of c",
        ),
        (
            "SELECT oid, (SELECT count(*) FROM i WHERE oid = i.oid) n FROM records",
            "oid = i.oid compares a column with itself; oid is that of i",
        ),
    ]);
    for fine in [
        "SELECT count(*) FROM records r WHERE NOT EXISTS (SELECT 1 FROM c WHERE c.cid = r.cid)",
        "SELECT count(*) FROM records r WHERE EXISTS (SELECT 1 FROM c WHERE r.cid = cid)",
        "SELECT count(*) FROM records a JOIN records b ON a.cid = b.cid",
        "SELECT count(*) FROM records o JOIN i ON i.oid = o.oid",
    ] {
        assert!(!notes(fine).contains("itself"), "{fine}: {}", notes(fine));
    }
}

#[test]
fn keys_of_another_form_are_told_where_rows_are_found() {
    contain(&[
        (
            "SELECT count(*) FROM records r LEFT JOIN c ON r.cid = c.name WHERE c.name IS NULL",
            "r.cid = c.name is never true: r.cid such as 0, c.name such as 'C0'",
        ),
        (
            "SELECT count(*) FROM records WHERE cid NOT IN (SELECT name FROM c)",
            "no cid is in the list",
        ),
    ]);
    for fine in [
        "SELECT count(*) FROM records r LEFT JOIN c ON r.cid = c.cid WHERE c.cid IS NULL",
        "SELECT count(*) FROM records r LEFT JOIN c ON r.amt = c.cid WHERE c.cid IS NULL",
        "SELECT count(*) FROM c WHERE name NOT IN (SELECT sku FROM i)",
        "SELECT count(*) FROM records WHERE cid NOT IN (SELECT cid FROM c)",
    ] {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

#[test]
fn rows_without_a_partner_are_told() {
    contain(&[
        (
            "SELECT c.name, count(*) n FROM c LEFT JOIN records o ON o.cid = c.cid GROUP BY 1",
            "count(*) is 1 for a row of c without a row of o, in 1 rows: count(o.cid) is 0 there",
        ),
        (
            "SELECT count(*) FROM records r LEFT JOIN c ON r.cid = c.cid WHERE c.tier != 'gold'",
            "1 rows in which c.tier is null are left out",
        ),
    ]);
    for fine in [
        "SELECT c.name, count(o.oid) n FROM c LEFT JOIN records o ON o.cid = c.cid GROUP BY 1",
        "SELECT o.at, count(*) n FROM records o LEFT JOIN c ON o.cid = c.cid GROUP BY 1",
        "SELECT c.name, count(*) n FROM c JOIN records o ON o.cid = c.cid GROUP BY 1",
        "SELECT count(*) FROM c LEFT JOIN records o ON o.cid = c.cid WHERE o.oid IS NULL",
    ] {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

#[test]
fn a_subquery_of_several_values_is_told() {
    contain(&[
        (
            "SELECT (SELECT sku FROM i WHERE i.oid = o.oid) s, oid FROM records o",
            "(SELECT sku FROM i WHERE i.oid = o.oid) has several values and gives the first one: \
             group_concat(sku)",
        ),
        (
            "SELECT count(*) FROM records WHERE oid = (SELECT oid FROM i WHERE q > 1)",
            "IN (SELECT …) compares with all",
        ),
    ]);
    for fine in [
        "SELECT (SELECT name FROM c WHERE c.cid = o.cid) s, oid FROM records o",
        "SELECT (SELECT sku FROM i WHERE i.oid = o.oid ORDER BY q LIMIT 1) s FROM records o",
        "SELECT (SELECT max(sku) FROM i WHERE i.oid = o.oid) s, oid FROM records o",
        "SELECT (SELECT sku FROM i WHERE i.oid = o.oid AND q < 2) s, oid FROM records o",
        "SELECT count(*) FROM records WHERE oid IN (SELECT oid FROM i WHERE q > 1)",
        "SELECT count(*) FROM records o, (SELECT oid FROM i) x WHERE x.oid = o.oid",
        "WITH w AS (SELECT oid FROM i) SELECT count(*) FROM w WHERE oid = (SELECT max(oid) FROM i)",
        "SELECT count(*) FROM records WHERE amt > (SELECT avg(amt) FROM records)",
    ] {
        assert!(!notes(fine).contains("several values"), "{fine}: {}", notes(fine));
    }
}

#[test]
fn rows_that_repeat_records_are_told_where_they_are_counted() {
    let rows = "{\"id\":1,\"tags\":[\"a\",\"b\"]}\n{\"id\":2,\"tags\":[\"a\"]}\n";
    let more = "{\"id\":1,\"n\":1}\n{\"id\":1,\"n\":2}\n";
    let of = |sql: &str| notes_of_files(sql, &[("records", rows), ("m", more), ("k", more)]);
    let each = "SELECT count(*) FROM records, json_each(tags) t";
    for (sql, counts) in [
        (format!("{each} WHERE t.value IN ('a', 'b')"), "3 rows of 2 records, so count(*) takes"),
        ("SELECT count(*) FROM m JOIN k ON m.id = k.id".to_owned(), "4 rows of 2 records"),
    ] {
        assert_has(&of(&sql), counts, &sql);
    }
    for fine in [
        each.to_owned(),
        format!("{each} WHERE t.value = 'a'"),
        "SELECT t.value, count(*) FROM records, json_each(tags) t WHERE t.value > '' GROUP BY 1"
            .to_owned(),
        "SELECT count(*) FROM records r JOIN m ON m.id = r.id".to_owned(),
        "SELECT count(*) FROM m a JOIN m b ON a.id = b.id".to_owned(),
    ] {
        assert_eq!(of(&fine), "", "{fine}");
    }
}

#[test]
fn a_list_with_other_spellings_is_told_like_a_join() {
    let (rows, others) = ("{\"e\":\"Ann\"}\n{\"e\":\"cy\"}\n", "{\"e\":\"ann\"}\n{\"e\":\"cy\"}\n");
    let sql = "SELECT count(*) FROM records WHERE e IN (SELECT e FROM o)";
    let told = notes_of_files(sql, &[("records", rows), ("o", others)]);
    assert_has(&told, "1 of the values of e have another spelling in e, such as 'Ann'", sql);
    assert_has(&told, "lower(e) IN (SELECT lower(e) …) finds them", sql);
}
