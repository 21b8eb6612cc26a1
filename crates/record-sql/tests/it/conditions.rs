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
