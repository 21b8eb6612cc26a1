//! Texts that are kept as numbers: a note tells where their letters count.

use crate::notes_of;

const PRICES: &str =
    "{\"p\":\"10.50\",\"n\":1}\n{\"p\":\"9.50\",\"n\":2}\n{\"p\":\"100.50\",\"n\":3}\n";

fn notes(sql: &str) -> String {
    notes_of(sql, PRICES)
}

#[test]
fn letters_of_a_number_are_told() {
    for expression in [
        "p",
        "*",
        "p AS price",
        "r.p",
        "sum(replace(p, '.', ''))",
        "p || ' EUR' AS t",
        "'EUR ' || r.p",
        "group_concat(length(p))",
        "DISTINCT substr(p, instr(p, '.') + 1)",
        "max(CAST(p AS TEXT))",
        "replace(coalesce(p, ''), '.', ',')",
        "length(CASE WHEN n > 1 THEN p ELSE '' END)",
        "count(*) FILTER (WHERE p LIKE '%.50')",
        "count(*) FILTER (WHERE NOT (p NOT LIKE '%.50'))",
        "printf('%s EUR', p)",
        "json_group_array(p)",
        "c FROM (SELECT p AS c FROM records)",
        "c || ' EUR' FROM (SELECT p c FROM records)",
        "* FROM (SELECT p c FROM records)",
    ] {
        let sql = format!("SELECT {expression} FROM records r");
        let sql = if expression.contains("FROM (") { format!("SELECT {expression}") } else { sql };
        let told = notes(&sql);
        assert!(told.contains("record->>'$.p' is the text"), "{sql}: {told}");
    }
}

#[test]
fn numbers_have_no_note() {
    for statement in [
        "SELECT sum(p), avg(p), max(p), count(DISTINCT p) FROM records",
        "SELECT n FROM records WHERE p > 10 AND p IN (10.5, 100.5) ORDER BY p DESC, n",
        "SELECT n, round(p, 1), p * 2, -p + 1 FROM records",
        "SELECT n FROM records WHERE p BETWEEN 1 AND 200 AND (p) = '10.50' OR p IS NULL",
        "SELECT sum(CASE WHEN n > 1 THEN p ELSE 0 END), sum(iif(n > 1, p, 0)) FROM records",
        "SELECT count(*) FROM records WHERE length(record->>'p') = 5",
        "SELECT max(coalesce(p, 0)), sum(CAST(p AS REAL)), printf('%.2f', sum(p)) FROM records",
        "SELECT printf('%.2f', p) AS t FROM records",
        "WITH t AS (SELECT p AS c, n FROM records) SELECT count(*) FROM t WHERE c > 2",
        "SELECT count(*) FROM records WHERE (SELECT p) > 2 AND p IN (SELECT p FROM records)",
        "SELECT n, rank() OVER (PARTITION BY n ORDER BY p) AS place FROM records",
        "SELECT count(*) FROM records GROUP BY p HAVING max(p) > 1",
    ] {
        assert_eq!(notes(statement), "", "{statement}");
    }
}
