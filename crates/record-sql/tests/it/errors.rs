//! Errors say where, which columns there are, and what to send instead.

use crate::{assert_has, error};

fn contains(sql: &str, parts: &[&str]) {
    let error = error(sql);
    parts.iter().for_each(|part| assert_has(&error, part, sql));
}

#[test]
fn text_in_double_quotes_is_corrected() {
    contains(
        "SELECT count(*) FROM records WHERE status = \"active\" AND id IN (\"T-1\", \"T-2\")",
        &[
            "single quotes",
            "Send instead: SELECT count(*) FROM records WHERE status = 'active' AND id IN ('T-1', 'T-2')",
        ],
    );
}

#[test]
fn unknown_columns_have_neighbours() {
    contains(
        "SELECT staus FROM records",
        &[
            "no such column: staus (character 7)",
            "Nearest: status",
            "Send instead: SELECT status FROM records",
            "Columns: id, status",
            "source.confidence",
        ],
    );
    contains("SELECT r.confidense FROM records r", &["source.confidence"]);
    contains(
        "SELECT events.status FROM records",
        &["json_each(records.\"events\")", "e.value->>'status'"],
    );
    contains("SELECT x.status FROM (SELECT id FROM records) x", &["status is a column of records"]);
    contains("SELECT place FROM records", &["key of the objects in the array events"]);
}

#[test]
fn unknown_tables_are_corrected() {
    contains(
        "SELECT id FROM data d",
        &["no such table: data", "Send instead: SELECT id FROM records d"],
    );
    for other in [
        "SELECT count(*) FROM records r JOIN cust c ON r.id = c.id",
        "SELECT count(*) FROM records WHERE id NOT IN (SELECT id FROM cust)",
    ] {
        contains(other, &["If cust is another file", "records('cust.jsonl')"]);
        assert!(!error(other).contains("Send instead"), "{other}");
    }
    contains(
        "SELECT count(*) FROM records r JOIN cust.jsonl c ON r.id = c.id",
        &["Send instead: SELECT count(*) FROM records r JOIN records('cust.jsonl') c ON"],
    );
    contains("SELECT * FROM sqlite_master", &["Columns: id"]);
    contains("SELECT * FROM pragma_table_info('records')", &["Columns: id"]);
}

#[test]
fn other_dialects_are_translated() {
    contains("SELECT date_trunc('month', created) FROM records", &["strftime('%Y-%m', x)"]);
    contains(
        "SELECT 1 FROM records WHERE priority = 1 && instr(title, 'a')",
        &["Instead of & &: AND"],
    );
    contains("SELECT id FROM records WHERE status ILIKE 'a%'", &["LIKE"]);
    contains("SELECT priority::int FROM records", &["CAST(x AS INTEGER)"]);
    contains("SELECT tags[0] FROM records", &["Send instead: SELECT tags->>'$[0]' FROM records"]);
    contains(
        "SELECT source['by'][\"name\"], events FROM records",
        &["Send instead: SELECT source->>'$.by'->>'$.name', events FROM records"],
    );
    contains(
        "SELECT source->>confidence FROM records",
        &["Send instead: SELECT source->>'confidence' FROM records"],
    );
    contains(
        "SELECT confidence, count(*) FROM records GROUP BY confidence",
        &["Send instead: SELECT source.confidence, count(*) FROM records GROUP BY source.confid"],
    );
    for (sql, hint) in [
        ("SELECT status FROM records WHERE count(*) > 2", "HAVING compares it"),
        ("SELECT status, count(*) n FROM records WHERE n > 2 GROUP BY 1", "HAVING compares it"),
        ("SELECT max(count(*)) FROM records GROUP BY status", "SELECT max(n) FROM (SELECT"),
        ("SELECT count(*) c FROM records GROUP BY status HAVING c = max(c)", "outer SELECT"),
        ("SELECT rank() OVER (ORDER BY id) r FROM records WHERE r < 3", "comes after WHERE"),
        ("SELECT id FROM records HAVING id = 'T-1'", "WHERE compares columns"),
    ] {
        contains(sql, &[hint]);
    }
    contains("SELECT count(DISTINCT status, id) FROM records", &["SELECT DISTINCT a, b"]);
    contains("SELECT date(created) - INTERVAL '7 days' FROM records", &["'-7 days'"]);
    contains("SELECT group_concat(id SEPARATOR ';') FROM records", &["group_concat(x, ';')"]);
    contains("SELECT id FROM records OFFSET 5", &["LIMIT -1 OFFSET n"]);
    contains(
        "SELECT r.events[0].status, events[1] FROM records r",
        &["Send instead: SELECT r.events->>'$[0].status', events->>'$[1]' FROM records r"],
    );
    for (sql, instead) in [
        ("SELECT order FROM records", "SELECT \"order\" FROM records"),
        (
            "SELECT order, count(*) FROM records GROUP BY order",
            "SELECT \"order\", count(*) FROM records GROUP BY \"order\"",
        ),
        ("SELECT case FROM records", "SELECT \"case\" FROM records"),
        ("SELECT max(to.from) FROM records", "SELECT max(\"to.from\") FROM records"),
    ] {
        let lines = "{\"order\":1,\"case\":2,\"from\":3,\"to\":{\"from\":4}}\n";
        let error = crate::ask_of(sql, lines).unwrap_err().to_string();
        assert!(error.ends_with(&format!("Send instead: {instead}")), "{sql}: {error}");
        assert!(crate::ask_of(instead, lines).is_ok(), "{instead}");
    }
    contains("SELECT medien(score) FROM records", &["Nearest: median"]);
    contains("SELECT percentile(score, 0.5) FROM records", &["percentile(score, 50)"]);
    contains(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY score) FROM records",
        &["WITHIN GROUP"],
    );
    contains("SELECT id FROM records WHERE id = ?", &["no parameters"]);
    contains("SELECT 1; SELECT 2", &["one statement"]);
}

#[test]
fn nothing_but_reading() {
    for sql in [
        "DELETE FROM records",
        "WITH x AS (SELECT 1) DELETE FROM records",
        "WITH x AS (SELECT 1) INSERT INTO records(id) SELECT 1",
        "ATTACH '/etc/passwd' AS p",
        "PRAGMA table_info(records)",
        "EXPLAIN SELECT 1",
        "CREATE TABLE x(a)",
        "VACUUM INTO '/tmp/x'",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT zeroblob(10)",
        "SELECT randomblob(10)",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM dbstat",
        "SELECT sqlite_version()",
        "SELECT sqlite_compileoption_get(1)",
        "SELECT * FROM bytecode('SELECT 1')",
        "SELECT * FROM generate_series(1, 2)",
        "BEGIN",
        "REPLACE INTO records(id) VALUES(1)",
        "SELECT * FROM fts5vocab",
    ] {
        error(sql);
    }
}

#[test]
fn errors_never_quote_records() {
    let secret = format!("{{\"id\":\"{}\",\"n\":{{\"k\":1}}}}", "s3cret".repeat(1_000));
    for sql in [
        "SELECT json_extract(id, '$.x') FROM records",
        "SELECT median(id) FROM records",
        "SELECT abs(n.k.z) FROM records",
    ] {
        if let Err(error) = crate::ask_of(sql, &secret) {
            assert!(!error.to_string().contains("s3cret"), "{sql}: {error}");
        }
    }
}

#[test]
fn what_means_something_else_is_refused() {
    for (sql, instead) in [
        ("SELECT avg('priority') FROM records", "SELECT avg(\"priority\") FROM records"),
        ("SELECT 1 FROM records WHERE 'score' >= 4", "WHERE \"score\" >= 4"),
        ("SELECT count(*) FROM records GROUP BY 'status'", "GROUP BY \"status\""),
        ("SELECT 'id', score FROM records", "SELECT \"id\", score FROM records"),
        (
            "SELECT 1 FROM records WHERE status = 'active' OR 'pending'",
            "status IN ('active', 'pending')",
        ),
        ("SELECT 1 FROM records WHERE created > 2025-05-01", "WHERE created > '2025-05-01'"),
        ("SELECT 1 FROM records WHERE 1 < priority <= 3", "1 < priority AND priority <= 3"),
        ("SELECT 1 FROM records WHERE priority > 1 && title = 'a'", "> 1 AND title = 'a'"),
        ("SELECT 1 FROM records WHERE priority = 1 || title = 'a'", "= 1 OR title = 'a'"),
    ] {
        let error = error(sql);
        assert!(error.contains(instead), "{sql}: {error}");
    }
    for fine in [
        "SELECT 'status' AS label, count(*) FROM records",
        "SELECT count(*) FROM records WHERE status = 'status' OR id IN ('id', 'status')",
        "SELECT 'done', count(*) FROM records UNION ALL SELECT 'order', 1",
        "SELECT[id]AS[the id], r.[status] FROM[records]r",
    ] {
        assert!(crate::ask(fine).is_ok(), "{fine}");
    }
}

/// The statement to send instead is another one, and valid.
#[test]
fn what_is_sent_instead_is_valid() {
    let ambiguous = error("SELECT id, count(*) FROM records, json_each(tags) GROUP BY id");
    assert!(ambiguous.contains("name one, as in records.id"), "{ambiguous}");
    let lone = error("SELECT count(*) FROM records WHERE status='active' OR 'pending'");
    assert!(lone.contains("WHERE status IN ('active', 'pending')"), "{lone}");
    let unknown = error("SELECT \"state\" FROM records");
    assert!(!unknown.contains("Send instead: SELECT \"state\""), "{unknown}");
    let alias = error("SELECT status, count(*) AS c FROM records GROUP BY 1 ORDER BY 'c' DESC");
    assert!(alias.contains("ORDER BY c DESC") || alias.contains("ORDER BY \"c\" DESC"), "{alias}");
}
