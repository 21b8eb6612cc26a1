//! Spellings of other dialects, and those to send instead.

use crate::ask_of;

/// Records with nested fields, an array of objects, and names that need quotes.
const LINES: &str = concat!(
    r#"{"Unit-Nr":"01","src":{"@timestamp":"2025-05-14T10:00:00Z","service":{"name":"cart"}},"#,
    r#""status":{"list":[{"n":3,"state":{"end":{"why":"OOM"}}}]},"spans":[{"ms":5,"name":"db"}],"#,
    r#""votes":{"+1":2},"tags":["a"],"live":true,"x":1}"#,
    "\n",
);

fn error(sql: &str) -> String {
    match ask_of(sql, LINES) {
        Ok(found) => panic!("{sql}: {:?}", found.rows),
        Err(error) => error.to_string(),
    }
}

/// The statement to send instead has an answer, whose first row this is.
#[test]
fn a_corrected_statement_finds_what_is_meant() {
    for (sql, row) in [
        ("SELECT service.name, count(*) FROM records GROUP BY 1", r#"["cart",1]"#),
        ("SELECT date(\"@timestamp\") FROM records", r#"["2025-05-14"]"#),
        ("SELECT date(src.@timestamp) FROM records", r#"["2025-05-14"]"#),
        ("SELECT Unit-Nr FROM records WHERE Unit-Nr = '01'", r#"["01"]"#),
        ("SELECT votes.+1 FROM records", "[2]"),
        ("SELECT s.ms, s.name FROM records, json_each(spans) s", r#"[5,"db"]"#),
        ("SELECT spans.0.name, tags.0 FROM records", r#"["db","a"]"#),
        ("SELECT src.service.nam FROM records", r#"["cart"]"#),
    ] {
        let error = error(sql);
        let (_, instead) = error.split_once("Send instead: ").unwrap_or_else(|| panic!("{error}"));
        let instead = instead.lines().next().unwrap_or_default();
        let found = ask_of(instead, LINES).unwrap_or_else(|error| panic!("{instead}: {error}"));
        assert_eq!(found.rows, [row], "{sql} became {instead}");
    }
}

#[test]
fn a_key_behind_an_array_is_told_at_any_depth() {
    let error = error("SELECT x FROM records WHERE status.list.state.end.why = 'OOM'");
    let expected =
        "e.value->>'$.state.end.why', count(*) FROM records, json_each(records.\"status.list\")";
    assert!(error.contains(expected), "{error}");
    // A column is nearer than a key of an array.
    let name = self::error("SELECT name FROM records");
    assert!(name.contains("Nearest: src.service.name"), "{name}");
    let unknown = self::error("SELECT src.service.title.text FROM records");
    assert!(unknown.contains("no such column") && unknown.contains("Columns: "), "{unknown}");
}

#[test]
fn words_and_functions_of_other_dialects_have_a_hint() {
    const ROWS: &str = "row_number() OVER (PARTITION BY x ORDER BY y DESC)";
    for (sql, hint) in [
        (
            "SELECT to_char(to_timestamp(x), 'YYYY') FROM records",
            "datetime(x), which reads seconds",
        ),
        ("SELECT countif(live) FROM records", "sum(x = 'a')"),
        ("SELECT array_agg(x) FROM records", "json_group_array(x)"),
        ("SELECT mode(x) FROM records", "ORDER BY 2 DESC LIMIT 1"),
        ("SELECT x FROM records WHERE \"Unit-Nr\" ~ '^0'", "REGEXP"),
        ("SELECT x FROM records WHERE regexp_contains(\"Unit-Nr\", r'^0')", "no letter in front"),
        ("SELECT x, count(*) FROM records GROUP BY ALL", "GROUP BY 1, 2"),
        ("SELECT x, row_number() OVER () r FROM records QUALIFY r = 1", ROWS),
        ("SELECT DISTINCT ON (x) x, live FROM records", ROWS),
        ("SELECT x FROM records ORDER BY x FETCH FIRST 5 ROWS ONLY", "LIMIT n"),
        ("SELECT group_concat(DISTINCT x, '; ') FROM records", "SELECT DISTINCT x FROM records"),
        ("SELECT u FROM records, UNNEST(spans) AS u", "json_each(records.x)"),
        ("SELECT u FROM records CROSS JOIN LATERAL flatten(spans) u", "json_each(records.x)"),
        ("SELECT x FROM records WHERE 'a' IN tags", "EXISTS (SELECT 1 FROM json_each(x)"),
        ("SELECT x FROM records WHERE 'a' IN status.list", "EXISTS (SELECT 1 FROM json_each(x)"),
        ("SELECT column_name FROM information_schema.columns", "Columns: \"Unit-Nr\""),
        ("SELECT x FROM records WHERE \"Unit-Nr\" = 'It\\'s'", "'It''s'"),
        ("SELECT json_extract(spans, '$[*].ms') FROM records", "json_each(records.x) AS e"),
    ] {
        let error = error(sql);
        assert!(error.contains(hint) && !error.contains("Nearest: "), "{sql}: {error}");
        assert!(!error.contains("Send instead: "), "{sql}: {error}");
    }
}

/// SQLite's function takes the value below the fraction, other databases the one above it.
#[test]
fn percentile_disc_is_refused() {
    let error = error("SELECT percentile_disc(x, 0.95) FROM records");
    assert!(error.contains("Instead of percentile_disc: percentile_cont(x, 0.95)"), "{error}");
}
