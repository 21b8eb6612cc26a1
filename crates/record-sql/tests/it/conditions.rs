//! Notes on conditions that always or never hold.

use crate::ask_of;

fn notes(sql: &str, lines: &str) -> String {
    ask_of(sql, lines).unwrap_or_else(|error| panic!("{sql}: {error}")).notes.join("\n")
}

#[test]
fn a_text_is_no_condition() {
    let texts = "{\"ok\":\"true\",\"n\":1}\n{\"ok\":\"false\",\"n\":0}\n{\"ok\":\"true\",\"n\":1}";
    let objects = "{\"ok\":{\"BOOL\":true}}\n{\"ok\":{\"BOOL\":false}}";
    for lines in [texts, objects] {
        for sql in [
            "SELECT sum(iif(ok, 0, 1)) FROM records",
            "SELECT sum(CASE WHEN ok THEN 1 ELSE 0 END) FROM records",
            "SELECT count(*) FROM records WHERE NOT ok",
            "SELECT count(*) FROM records WHERE record->>'ok'",
        ] {
            let told = notes(sql, lines);
            assert!(told.contains("is text, which is no condition"), "{sql}: {told}");
        }
    }
    for fine in [
        "SELECT sum(iif(n, 0, 1)) FROM records WHERE n AND ok = 'true'",
        "SELECT sum(CASE WHEN n THEN 1 ELSE 0 END) FROM records WHERE instr(ok, 'e')",
        "SELECT sum(CASE ok WHEN ok THEN 1 ELSE 0 END) FROM records",
        "SELECT count(*) FROM records WHERE EXISTS (SELECT 1) AND NOT (ok = 'false')",
    ] {
        assert_eq!(notes(fine, texts), "", "{fine}");
    }
}

#[test]
fn two_exclusions_of_one_value_are_no_alternatives() {
    let lines = "{\"t\":\"A\",\"u\":\"A\"}\n{\"t\":\"B\",\"u\":\"B\"}\n{\"t\":\"C\",\"u\":\"C\"}";
    let of = |condition| notes(&format!("SELECT count(*) FROM records WHERE {condition}"), lines);
    for condition in ["t != 'A' OR t != 'B'", "u = 'A' AND (t <> 'A' or t <> 'B')"] {
        let told = of(condition);
        assert!(told.contains("holds for every value: t NOT IN ('A', 'B')"), "{told}");
    }
    for fine in ["t != 'A' AND t != 'B'", "t != 'A' OR u != 'B'", "t = 'A' OR t = 'B'"] {
        assert_eq!(of(fine), "", "{fine}");
    }
}
