//! Notes on rows that could mislead.

use crate::{ask, ask_of};

fn notes(sql: &str) -> String {
    ask(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).notes.join("\n")
}

fn contains(sql: &str, part: &str) {
    let notes = notes(sql);
    assert!(notes.contains(part), "{sql}: {part:?} is not in\n{notes}");
}

#[test]
fn a_literal_that_no_record_has() {
    let count = "SELECT count(*) FROM records WHERE";
    contains(
        &format!("{count} status = 'Active'"),
        "no record has status = 'Active'; status has 'active' (67), 'inactive' (67), 'pending' (66)",
    );
    contains(&format!("{count} status IN ('active', 'gone')"), "status = 'gone'");
    contains(&format!("{count} 'gone' != status"), "status = 'gone'");
    contains(&format!("{count} id = 't-19'"), "nearest in id: 'T-19' (1)");
    contains(&format!("{count} priority = 7"), "priority goes from 1 to 5");
    contains(
        &format!("{count} priority > 7"),
        "no record has priority > 7; priority goes from 1 to 5",
    );
    contains(&format!("{count} status LIKE 'x%'"), "no record has status LIKE 'x%'");
    contains(
        &format!("{count} source.by.name = 'nobody'"),
        "no record has source.by.name = 'nobody'",
    );
    contains(
        "SELECT id FROM records r WHERE r.priority = 5 AND r.id = 'T-1'",
        "r.priority = 5: 40, r.id = 'T-1': 1; no record meets them together",
    );
}

#[test]
fn types_that_do_not_meet() {
    let count = "SELECT count(*) FROM records WHERE";
    contains(&format!("{count} done = 'true'"), "done is a boolean");
    contains(&format!("{count} release >= '1.9'"), "CAST(release AS REAL)");
    contains(&format!("{count} mixed > 5"), "letter by letter");
    contains(
        &format!("{count} tags = 'a'"),
        "EXISTS (SELECT 1 FROM json_each(tags) AS e WHERE e.value = 'a')",
    );
    contains(&format!("{count} source = 'x'"), "source is an object");
    contains("SELECT status, count(*) FROM records", "GROUP BY status");
    contains("SELECT min(mixed) FROM records", "text sorts after every number");
    contains("SELECT sum(done) / count(*) FROM records", "drops the fraction");
    let cases = ask_of("SELECT a FROM records", "{\"a\":1,\"A\":2}").unwrap();
    assert!(cases.notes[0].contains("record->>'$.A'"), "{:?}", cases.notes);
    let large = ask_of("SELECT n FROM records", "{\"n\":12345678901234567890}").unwrap();
    assert!(large.notes[0].contains("beyond 64 bits"), "{:?}", large.notes);
}

#[test]
fn a_bare_date_is_midnight() {
    let count = "SELECT count(*) FROM records WHERE";
    contains(&format!("{count} created <= '2025-05-14'"), "date(created) <= '2025-05-14'");
    contains(&format!("{count} created = '2025-05-14'"), "date(created) = '2025-05-14'");
    contains(
        &format!("{count} created BETWEEN '2025-05-01' AND '2025-05-14'"),
        "date(created) BETWEEN",
    );
    contains(&format!("{count} created = 'May 2025'"), "strftime('%Y-%m', created) = '2025-05'");
    for fine in
        ["created >= '2025-05-14'", "created < '2025-05-14'", "date(created) = '2025-05-14'"]
    {
        assert_eq!(notes(&format!("{count} {fine}")), "", "{fine}");
    }
}

#[test]
fn nothing_to_say() {
    for sql in [
        "SELECT count(*) FROM records WHERE status = 'active'",
        "SELECT * FROM records",
        "SELECT 1.0 * sum(done) / count(*) FROM records",
        "SELECT id FROM records WHERE priority IN (1, 2) AND version >= 9",
    ] {
        assert_eq!(notes(sql), "", "{sql}");
    }
}
