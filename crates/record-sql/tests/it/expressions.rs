//! Notes on values of an expression, an element or a subquery: the same as on columns.

use crate::{ask_of, assert_has, notes_of};

fn notes(sql: &str) -> String {
    let lines = (8..14).map(|n| {
        let element = format!("{{\"q\":\"{n}\",\"u\":\"{n}ms\",\"n\":{},\"d\":\"0{}/14/20{n:02}\"}}", if n == 9 { "null".to_owned() } else { n.to_string() }, 15 - n);
        format!(
            "{{\"id\":{n},\"pct\":\"{n}%\",\"o\":{{\"p\":\"${n},000\",\"s\":\"{n} MB\",\"v\":\"1.{n}.0\"}},\"it\":[{element}]}}\n"
        )
    });
    let lines: String = lines.collect();
    notes_of(sql, &lines)
}

#[test]
fn values_behind_expressions_are_told_as_columns_are() {
    for (sql, part) in [
        (
            "SELECT sum(o->>'p') FROM records",
            "6 of 6 values of o->>'p' are not numbers, such as '$8,000'",
        ),
        ("SELECT sum(p) FROM (SELECT o.p AS p FROM records)", "6 of 6 values of p are not numbers"),
        (
            "WITH t AS (SELECT o.p AS p FROM records) SELECT sum(p) FROM t",
            "6 of 6 values of p are not numbers",
        ),
        ("SELECT max(o->>'v') FROM records", "o->>'v' is text of versions"),
        ("SELECT id FROM records ORDER BY o->>'v' DESC LIMIT 1", "o->>'v' is text of versions"),
        (
            "SELECT max(e.value->>'q') FROM records, json_each(it) e",
            "e.value->>'q' is text of numbers",
        ),
        ("SELECT max(e.value->>'d') FROM records, json_each(it) e", "dates whose year comes last"),
        (
            "SELECT max(replace(pct, '%', '')) FROM records",
            "replace(pct, '%', '') is text of numbers",
        ),
        ("SELECT pct FROM records ORDER BY replace(pct, '%', '') DESC", "is text of numbers"),
        ("SELECT count(*) FROM records WHERE replace(pct, '%', '') > '9'", "is text of numbers"),
        (
            "SELECT count(*) FROM records, json_each(it) e WHERE e.value->>'n' != 8",
            "1 rows in which e.value->>'n' is null are left out",
        ),
    ] {
        assert_has(&notes(sql), part, sql);
    }
    for fine in [
        "SELECT sum(id), max(id) FROM records ORDER BY max(id)",
        "SELECT max(date(id * 200000000, 'unixepoch')) FROM records",
        "SELECT sum(e.value->>'n') FROM records, json_each(it) e",
        "SELECT sum(CAST(replace(pct, '%', '') AS REAL)) FROM records",
        "SELECT max(CAST(e.value->>'q' AS INTEGER)) FROM records, json_each(it) e",
        "SELECT id FROM records ORDER BY rtrim(pct, '%') + 0",
        "SELECT upper(o->>'s') FROM records ORDER BY id",
        // SQLite takes the number before the unit.
        "SELECT avg(json_extract(o, '$.s')) FROM records",
        "SELECT sum(e.value->>'u') FROM records, json_each(it) e",
        "SELECT sum(CASE WHEN id > 0 THEN pct END) FROM records",
    ] {
        assert_eq!(notes(fine), "", "{fine}");
    }
}

/// `->>` has no type of its own: the text '5' is not the number 5.
#[test]
fn values_of_another_type_that_spell_the_same_are_told() {
    let lines = r#"{"id":1,"m":{"o":"5"}}
{"id":2,"m":{"o":5}}
{"id":3,"m":{"o":"7"}}
{"id":4,"m":{"o":5}}
{"id":5,"m":{"o":6}}
{"id":6,"m":{"o":"x"}}"#;
    for (condition, part, rest) in [
        ("m->>'o' = '5'", "in 2 rows m->>'o' is a number that spells the same, such as 5", "1"),
        ("m->>'o' = 5", "in 1 rows m->>'o' is a text that spells the same, such as '5'", "2"),
        ("m->>'o' = '6'", "CAST(m->>'o' AS TEXT) IN ('6')", "0"),
        ("m->>'o' != '5'", "CAST(m->>'o' AS TEXT) NOT IN ('5')", "5"),
        ("json_extract(m, '$.o') IN ('5', '7')", "such as 5", "2"),
    ] {
        let outcome = ask_of(&format!("SELECT count(*) FROM records WHERE {condition}"), lines);
        let outcome = outcome.unwrap();
        let notes = outcome.notes.join("\n");
        assert!(notes.contains(part) && !notes.contains("Unicode"), "{condition}: {notes}");
        assert_eq!(outcome.rows, [format!("[{rest}]")], "{condition}");
    }
    for fine in [
        "m->>'o' = '7'",
        "m->>'o' = 'x'",
        "m.o = 5",
        "m.o = '5'",
        "id = 5",
        "id = '5'",
        "CAST(m->>'o' AS TEXT) IN ('5')",
        "id + 0 = 3",
        "m->>'o' IN ('7', 6)",
        "abs(id) != 2",
        "lower(m->>'o') = '5'",
        "m->>'o' > 5 AND id = 5",
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {fine}");
        let notes = notes_of(&sql, lines);
        assert!(!notes.contains("spells the same"), "{fine}: {notes}");
    }
}
