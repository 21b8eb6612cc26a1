//! Notes on rows that could mislead.

use crate::{ask, ask_of, assert_has, notes_of, notes_of_files, tickets};

fn notes(sql: &str) -> String {
    notes_of(sql, &tickets())
}

fn contains(sql: &str, part: &str) {
    assert_has(&notes(sql), part, sql);
}

/// Asserts that the count of the records that meet a condition has a note.
fn counted(condition: &str, part: &str) {
    contains(&format!("SELECT count(*) FROM records WHERE {condition}"), part);
}

#[test]
fn a_literal_that_no_record_has() {
    counted(
        "status = 'Active'",
        "no record has status = 'Active'; status has 'active' (67), 'inactive' (67), 'pending' (66)",
    );
    counted("status IN ('active', 'gone')", "status = 'gone'");
    counted("'gone' != status", "status = 'gone'");
    counted("id = 't-19'", "nearest in id: 'T-19' (1)");
    counted("priority = 7", "priority goes from 1 to 5");
    counted("priority > 7", "no record has priority > 7; priority goes from 1 to 5");
    counted("status LIKE 'x%'", "no record has status LIKE 'x%'");
    counted("source.by.name = 'nobody'", "no record has source.by.name = 'nobody'");
    contains(
        "SELECT id FROM records r WHERE r.priority = 5 AND r.id = 'T-1'",
        "r.priority = 5: 40, r.id = 'T-1': 1; no record meets them together",
    );
}

#[test]
fn types_that_do_not_meet() {
    counted("done = 'true'", "done is a boolean");
    counted(
        "priority IN (5, NULL)",
        "finds no null: (priority IN (5, NULL) OR priority IS NULL) does",
    );
    counted("release >= '1.9'", "release is in the order of versions");
    counted("mixed > 5", "letter by letter");
    counted("tags = 'a'", "EXISTS (SELECT 1 FROM json_each(tags) AS e WHERE e.value = 'a')");
    counted("source = 'x'", "source is an object");
    contains("SELECT status, count(*) FROM records", "GROUP BY status");
    contains("SELECT min(mixed) FROM records", "text sorts after every number");
    contains("SELECT sum(done) / count(*) FROM records", "drops the fraction");
    contains("SELECT sum(priority) / 7 share FROM records", "1.0 * sum(priority) / 7 keeps it");
    let of_nulls = notes_of("SELECT sum(a / 10) FROM records", "{\"a\":null}\n{\"a\":7}");
    assert_has(&of_nulls, "1.0 * a / 10 keeps it", "a null first");
    let cases = ask_of("SELECT a FROM records", "{\"a\":1,\"A\":2}").unwrap();
    assert!(cases.notes[0].contains("record->>'$.A'"), "{:?}", cases.notes);
    let large = ask_of("SELECT n FROM records", "{\"n\":12345678901234567890}").unwrap();
    assert!(large.notes[0].contains("beyond 64 bits"), "{:?}", large.notes);
}

#[test]
fn a_bare_date_is_midnight() {
    let count = "SELECT count(*) FROM records WHERE";
    counted("created <= '2025-05-14'", "date(created) <= '2025-05-14'");
    counted("created = '2025-05-14'", "date(created) = '2025-05-14'");
    counted("created BETWEEN '2025-05-01' AND '2025-05-14'", "date(created) BETWEEN");
    counted("created = 'May 2025'", "strftime('%Y-%m', created) = '2025-05'");
    for fine in
        ["created >= '2025-05-14'", "created < '2025-05-14'", "date(created) = '2025-05-14'"]
    {
        assert_eq!(notes(&format!("{count} {fine}")), "", "{fine}");
    }
}

#[test]
fn a_day_among_days_and_times_is_the_start_of_it() {
    let lines =
        "{\"d\":\"2025-03-30\"}\n{\"d\":\"2025-03-31T23:59:59Z\"}\n{\"d\":\"2025-04-02\"}\n";
    let of =
        |condition| notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), lines);
    for condition in
        ["d <= '2025-03-31'", "d > '2025-03-31'", "d BETWEEN '2025-03-01' AND '2025-03-31'"]
    {
        assert_has(&of(condition), "for the whole day: date(d)", condition);
    }
    for fine in ["d >= '2025-03-31'", "d < '2025-03-31'", "d <= '2025-03-30'", "d = '2025-04-02'"] {
        assert_eq!(of(fine), "", "{fine}");
    }
}

/// Notes on records with what tickets lack.
fn odd(sql: &str) -> String {
    let lines: String = (0..40)
        .map(|n| {
            let flag = if n % 4 == 0 { "yes" } else { "no" };
            let (day, score) =
                (1 + n % 28, if n % 3 == 0 { "\"n/a\"".into() } else { n.to_string() });
            let note = ["null", "\"\"", "\"x_1\"", "\"xy1\""][n % 4];
            format!(
                "{{\"id\":{n},\"flag\":\"{flag}\",\"day\":\"2025/03/{day:02}\",\
                 \"at\":{},\"score\":{score},\"note\":{note},\"price\":\"1,{n:03}\",\
                 \"unit price\":{n}.5,\"meta\":{{\"a.b\":true,\"c\":\"k{n}\"}},\
                 \"tags\":[\"t{}\",\"t{}-old\"]}}\n",
                1_740_787_200_000_u64 + n as u64 * 86_400_000,
                n % 2,
                n % 5,
            )
        })
        .collect();
    let outcome = ask_of(sql, &lines).unwrap_or_else(|error| panic!("{sql}: {error}"));
    format!("{}\n{}", outcome.rows.join("\n"), outcome.notes.join("\n"))
}

#[test]
fn dates_that_sqlite_does_not_read() {
    for (sql, part) in [
        ("SELECT count(*) FROM records WHERE date(day) = '2025-03-05'", "[2]\n"),
        ("SELECT min(date(at)) FROM records", "[\"2025-03-01\"]\nat holds milliseconds"),
        ("SELECT strftime('%Y-%m', at, 'unixepoch') FROM records LIMIT 1", "[\"2025-03\"]"),
        ("SELECT date(flag) FROM records LIMIT 1", "40 of 40 values of flag are not dates"),
        ("SELECT date(id) FROM records LIMIT 1", "Julian days"),
        (
            "SELECT count(*) FROM records WHERE at >= '2025-03-01'",
            "in 40: compare datetime(at) >= datetime('2025-03-01')",
        ),
        (
            "SELECT count(*) FROM records WHERE at >= unixepoch('2025-03-20')",
            "in 21: compare datetime(at) >= datetime(unixepoch('2025-03-20'))",
        ),
        ("SELECT count(*) FROM records WHERE day >= '2025-03-20'", "[9]\nday is in the order of"),
        ("SELECT count(*) FROM records WHERE date(day) <= '2025-03'", "before its own days"),
        ("SELECT count(*) FROM records WHERE strftime('%d', day) = 5", "nearest"),
        ("SELECT count(*) FROM records WHERE strftime('%d', day) > 5", "CAST(strftime"),
    ] {
        assert_has(&odd(sql), part, sql);
    }
}

#[test]
fn conditions_that_mean_something_else() {
    for (condition, part) in [
        ("flag = TRUE", "flag has 'no' (30), 'yes' (10)"),
        ("flag", "flag is text, which is not a condition"),
        ("score", "14 values of score are text, which is true only where it begins"),
        ("note = NULL", "note IS NULL"),
        ("note IS NULL", "'' in 10"),
        ("note != 'xy1'", "10 records in which note is null are left out"),
        ("note LIKE 'x_1'", "LIKE 'x\\_1' ESCAPE"),
        ("meta ->> '$.a.b' = 1", "the column is meta.a.b"),
        ("meta ->> 'C' = 'k1'", "meta ->> 'C' is null in every record: the column is meta.c"),
        ("meta ->> 'd' = 'k1'", "meta ->> 'd' is null in every record; there is meta.a.b, meta.c"),
        ("upper(meta ->> 'c') = 'k7'", "'K7' (1)"),
        ("tags LIKE '%t1%'", "20 have the element 't1'"),
        ("length(tags) > 2", "json_array_length(tags)"),
        ("id < 'x'", "every number is less than the text"),
        ("id > 0 GROUP BY flag HAVING max(id) > '5'", "max(id) is a number, and every number"),
        ("score > 5 AND typeof(score) = 'number'", "'integer'"),
        ("id NOT IN (SELECT note FROM records)", "contains null"),
    ] {
        let sql = format!("SELECT count(*) FROM records WHERE {condition}");
        assert_has(&odd(&sql), part, &sql);
    }
}

#[test]
fn numbers_that_are_none() {
    for (sql, part) in [
        (
            "SELECT avg(score) FROM records",
            "14 of 40 values of score are not numbers, such as 'n/a'",
        ),
        ("SELECT sum(price) FROM records", "CAST(replace(price, ',', '') AS REAL)"),
        ("SELECT sum(CAST(flag AS REAL)) FROM records", "40 of 40 values of flag"),
        ("SELECT day - 1 FROM records LIMIT 1", "not numbers"),
        ("SELECT sum(id) / count(*) FROM records WHERE score > 1.5", "1.0 * sum(id) / count(*)"),
        ("SELECT flag, id, count(*) FROM records GROUP BY flag", "id differs within a group"),
        ("SELECT flag, id, count(*) FROM records GROUP BY 1", "id differs within a group"),
        ("SELECT flag, count(*) n FROM records GROUP BY flag HAVING id > 5", "id differs within"),
        ("SELECT flag, count(*) n FROM records GROUP BY flag ORDER BY id", "id differs within"),
        ("SELECT sum(records.id) FROM records, json_each(tags) e", "80 rows of 40 records"),
        ("SELECT id FROM records ORDER BY note LIMIT 2", "10 records in which note is null come"),
        ("SELECT 1 FROM records a JOIN records b ON a.id = b.flag", "a.id = b.flag is never true"),
    ] {
        assert_has(&odd(sql), part, sql);
    }
}

#[test]
fn nothing_to_say() {
    for sql in [
        "SELECT count(*) FROM records WHERE status = 'active'",
        "SELECT * FROM records",
        "SELECT 1.0 * sum(done) / count(*) FROM records",
        "SELECT id FROM records WHERE priority IN (1, 2) AND version >= 9",
        "SELECT date(created), count(*) FROM records WHERE created >= '2025-05-03' GROUP BY 1",
        "SELECT sum(status = 'active'), avg(priority * score) FROM records WHERE NOT done",
        "SELECT status, max(score), id FROM records GROUP BY status ORDER BY status DESC LIMIT 9",
        "SELECT id FROM records WHERE status != 'active' AND id LIKE 'T-1%' ORDER BY id",
        "SELECT count(*) FROM records, json_each(tags) e WHERE e.value = 'a'",
        "SELECT \"order\" / 10 * 10 AS step, count(*) FROM records GROUP BY step",
    ] {
        assert_eq!(notes(sql), "", "{sql}");
    }
}

#[test]
fn texts_whose_letters_stand_in_another_order() {
    let of = |sql: &str, values: &[&str]| {
        let lines: Vec<String> =
            values.iter().map(|value| format!("{{\"x\":{}}}", raw_json::quote(value))).collect();
        notes_of(sql, &lines.join("\n"))
    };
    let (least, by_letters) =
        ("SELECT min(trim(x)) FROM records", "SELECT x FROM records ORDER BY x || ''");
    let (most, order) = ("SELECT max(x) FROM records", "SELECT x FROM records ORDER BY x DESC");
    let prices = ["10", "9.50", "0.99"];
    let us = ["05/14/2025", "12/01/2024", "01/31/2025", "11/30/2023"];
    let german = ["14.05.2025", "31.12.2024"];
    let versions = ["1.9.3", "1.10.0", "1.8.11"];
    let zones = ["2025-05-14T23:30:00-05:00", "2025-05-15T03:00:00+02:00"];
    for (sql, values, part) in [
        (least, &prices[..], "'10' < '9.50'"),
        (by_letters, &prices, "x || '' COLLATE numbers"),
        (least, &us, "dates whose year comes last"),
        ("SELECT count(*) FROM records WHERE trim(x) > '01/31/2025'", &us, "COLLATE month_first"),
        (least, &german, "trim(x) COLLATE day_first"),
        (by_letters, &versions, "x || '' COLLATE versions is in the order of versions"),
        ("SELECT count(*) FROM records WHERE trim(x) > '1.8.11'", &versions, "'1.10.0' < '1.8.11'"),
        (least, &zones, "trim(x) COLLATE times"),
        (most, &zones, "x is in the order of times"),
        ("SELECT count(*) FROM records WHERE x = 10", &["10", "10.0", "9"], "in several ways"),
        ("SELECT x, count(*) FROM records GROUP BY x", &["1.10", "1.20"], "without zeros"),
        ("SELECT count(*) FROM records WHERE x LIKE '%.10'", &["1.10"], "without zeros"),
    ] {
        assert_has(&of(sql, values), part, sql);
    }
    for (sql, values) in [
        (most, &["2025-05-14", "2025-05-15"][..]),
        (most, &["1.8.1", "1.9.3"]),
        (order, &["B-2", "B-1"]),
        ("SELECT sum(x) FROM records", &["1.10", "1.20"]),
    ] {
        assert_eq!(of(sql, values), "", "{sql}");
    }
}

#[test]
fn times_that_sqlite_does_not_compare() {
    let lines = "{\"c\":\"2025-05-11T10:00:00Z\"}\n{\"c\":\"2025-05-13T10:00:00Z\"}";
    let of = |sql: &str| notes_of(sql, lines);
    let count = "SELECT count(*) FROM records WHERE";
    let shape = of(&format!("{count} datetime(c) > '2025-05-11T00:00:00Z'"));
    assert!(shape.contains("how times are spelled"), "{shape}");
    assert_eq!(of(&format!("{count} c >= '2025-05-12T12:00:00+05:00'")), "");
    let days = of("SELECT max(c) - min(c) FROM records");
    assert!(days.contains("julianday(c)"), "{days}");
}

#[test]
fn the_number_of_a_row_is_no_field() {
    let error = ask("SELECT count(*) FROM records WHERE oid > 10").unwrap_err().to_string();
    assert!(error.contains("no such column: oid"), "{error}");
    contains("SELECT max(rowid) FROM records", "rowid is not a field");
}

/// `count` counts false, too.
#[test]
fn a_count_of_a_condition() {
    for (counted, all, met) in [
        ("status = 'active'", 200, 67),
        ("priority > 4", 200, 40),
        ("done", 200, 100),
        ("CASE WHEN priority > 4 THEN 1 ELSE 0 END", 200, 40),
    ] {
        contains(
            &format!("SELECT count({counted}) FROM records"),
            &format!(
                "count({counted}) is {all}, of the rows in which it is not null: sum({counted}) is {met}"
            ),
        );
    }
    for fine in ["priority", "DISTINCT status", "*", "CASE WHEN priority > 4 THEN 1 END"] {
        let notes = notes(&format!("SELECT count({fine}) FROM records"));
        assert!(!notes.contains("in which it is true"), "{fine}: {notes}");
    }
}

#[test]
fn texts_of_numbers_with_other_characters() {
    let of = |sql: &str, values: &[&str]| {
        let lines: String = values.iter().map(|value| format!("{{\"x\":\"{value}\"}}\n")).collect();
        notes_of(sql, &lines)
    };
    let (most, least) = ("SELECT max(x) FROM records", "SELECT min(trim(x)) FROM records");
    let sum = "SELECT sum(x) FROM records";
    let cast = "SELECT sum(CAST(replace(x, '$', '') AS REAL)) FROM records";
    for (sql, values, part) in [
        (least, &["9%", "10%", "100%"][..], "'100%' < '9%'"),
        (least, &["9 MB", "120 MB"], "trim(x) COLLATE leading_numbers"),
        (least, &["9", "10", "1,000", "2", "3"], "'1,000' < '10'"),
        (least, &["1", "2", "9", "10", "11", "-"], "'11' < '2'"),
        (least, &["1.9.0", "1.10.0", "1.2.3-rc1"], "'1.10.0' < '1.2.3-rc1'"),
        ("SELECT count(*) FROM records WHERE x > '1 GB'", &["10 MB", "2 GB"], "'10 MB' < '2 GB'"),
        (sum, &["10 MB", "2 GB", "n/a"], "count as the number at their start, or 0"),
        ("SELECT avg(x) FROM records", &["1", "2", "10", ""], "1 of 4 values of x are not numbers"),
        (sum, &["1,5", "2,5", "10,25"], "CAST(replace(x, ',', '.') AS REAL) is one"),
        (
            sum,
            &["1.234,50", "10,25"],
            "CAST(replace(replace(x, '.', ''), ',', '.') AS REAL) is one",
        ),
        (sum, &["1,234", "10"], "CAST(replace(x, ',', '') AS REAL) is one"),
        (sum, &["$1,234.50", "$10"], "CAST(replace(replace(x, '$', ''), ',', '') AS REAL) is one"),
        (cast, &["$1,234.56", "$10"], "1 of 2 values of replace(x, '$', '') are not numbers"),
    ] {
        assert_has(&of(sql, values), part, sql);
    }
    let blank = of("SELECT avg(x) FROM records", &["1", "2", "10", ""]);
    assert!(!blank.contains("julianday"), "{blank}");
    let ids = ["12345678901234567890123", "12345678901234567890124"];
    let same = of("SELECT count(*) FROM records WHERE x = '12345678901234567890123'", &ids);
    assert!(!same.contains("in several ways"), "{same}");
    for fine in [&["2025-05-14T10:00:00Z", "2025-05-15T10:00:00Z"][..], &["9:30", "9:45"]] {
        assert_eq!(of(most, fine), "", "{fine:?}");
    }
}

#[test]
fn times_next_to_a_date_function() {
    let lines = "{\"c\":\"2025-05-15T12:00:00Z\"}\n{\"c\":\"2025-05-13T10:00:00Z\"}";
    let of = |condition: &str| {
        notes_of(&format!("SELECT count(*) FROM records WHERE {condition}"), lines)
    };
    for (condition, part) in [
        ("c = datetime('2025-05-15 18:00:00')", "compare datetime(c)"),
        ("c BETWEEN date('2025-05-12') AND date('2025-05-15')", "compare date(c)"),
        ("datetime(c) <= '2025-05-15'", "'2025-05-15' is the start of its day"),
    ] {
        assert_has(&of(condition), part, condition);
    }
    for fine in [
        "c >= date('2025-05-12')",
        "c <= datetime('2025-05-15 18:00:00')",
        "datetime(c) <= datetime('2025-05-15 18:00:00')",
    ] {
        assert_eq!(of(fine), "", "{fine}");
    }
}

/// A sum over joined rows counts a record as often as it is joined, grouped or not.
#[test]
fn sums_over_joins_with_repeated_keys() {
    let (left, right) =
        ("{\"k\":1,\"amt\":5}\n{\"k\":2,\"amt\":7}", "{\"u\":1}\n{\"u\":1}\n{\"u\":2}");
    for sql in [
        "SELECT sum(amt) FROM records JOIN other ON k = u",
        "SELECT r.k, sum(r.amt) FROM records r JOIN other o ON r.k = o.u GROUP BY 1",
    ] {
        let notes = notes_of_files(sql, &[("records", left), ("other", right)]);
        assert_has(&notes, "the join gives 3 rows of 2 records", sql);
    }
    let sql = "SELECT u, sum(amt) FROM (SELECT DISTINCT u FROM other) o LEFT JOIN records ON k = u \
               GROUP BY 1";
    let files = [("records", "{\"k\":1,\"amt\":5}"), ("other", right)];
    assert_eq!(notes_of_files(sql, &files), "");
}

/// Keys that differ in their spelling alone are told, also where other keys meet.
#[test]
fn keys_in_another_spelling() {
    let of = |sql: &str, ours: &[&str], others: &[&str]| {
        let lines = |key: &str, values: &[&str]| -> String {
            values.iter().map(|value| format!("{{\"{key}\":\"{value}\"}}\n")).collect()
        };
        let (ours, others) = (lines("k", ours), lines("k", others));
        notes_of_files(sql, &[("records", &ours), ("other", &others)])
    };
    let join = "SELECT count(*) FROM records r JOIN other AS o ON r.k = o.k";
    let list = "SELECT count(*) FROM records WHERE records.k NOT IN (SELECT other.k FROM other)";
    let (composed, apart) = ("Zo\u{eb}", "Zoe\u{308}");
    for (sql, ours, others, part) in [
        (join, ["a", "Bo"], ["a", "bo"], "1 of the values of r.k have another spelling in o.k"),
        (join, ["a", "Bo"], ["a", "bo"], "'Bo' and 'bo': lower(r.k) = lower(o.k) finds them"),
        (join, ["a", "\u{c9}a"], ["a", "\u{e9}a"], "lower(r.k) = lower(o.k)"),
        (join, ["a", "b "], ["a", "b"], "trim(r.k) = trim(o.k)"),
        (join, ["a", composed], ["a", apart], "nfc(r.k) = nfc(o.k)"),
        (join, ["A ", composed], ["a", apart], "lower(trim(nfc(r.k)))"),
        (list, ["a", "Bo"], ["a", "bo"], "lower(records.k) IN (SELECT lower(other.k)"),
    ] {
        assert_has(&of(sql, &ours, &others), part, &format!("{sql} {ours:?} {others:?}"));
    }
    for (ours, others) in [(["a", "b"], ["a", "c"]), (["a", "B"], ["B", "b"])] {
        assert_eq!(of(join, &ours, &others), "", "{ours:?} {others:?}");
    }
    let lines = format!("{{\"k\":\"{apart}\"}}\n{{\"k\":\"b\"}}");
    let sql = format!("SELECT count(*) FROM records WHERE k = '{composed}'");
    assert_has(&notes_of(&sql, &lines), "normal form of Unicode: nfc(k) = nfc(", &sql);
}
