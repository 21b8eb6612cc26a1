//! Columns, types, functions, files and pages.

use record_sql::{Limits, Query, run};

use crate::{ask, ask_of, limits, rows, rows_of, source, tickets};

#[test]
fn groups_and_aggregates() {
    let sql = "SELECT status, count(*), avg(score), median(priority), percentile(score, 95) \
               FROM records GROUP BY status ORDER BY 1";
    assert_eq!(
        rows(sql),
        [
            r#""active",67,99.5,3.0,188.6"#,
            r#""inactive",67,100.5,3.0,189.6"#,
            r#""pending",66,100.0,3.0,187.75"#
        ]
    );
    assert_eq!(
        rows(
            "SELECT count(DISTINCT strftime('%Y-%m', created)), max(length(id)), sqrt(16) FROM records"
        ),
        ["1,5,4.0"]
    );
    let lines =
        "{\"x\":2}\n{\"x\":4}\n{\"x\":4}\n{\"x\":4}\n{\"x\":5}\n{\"x\":5}\n{\"x\":7}\n{\"x\":9}\n";
    assert_eq!(
        rows_of("SELECT stddev_pop(x), round(stddev(x), 4), var_pop(x) FROM records", lines),
        ["2.0,2.1381,4.0"]
    );
    assert_eq!(rows_of("SELECT stddev(x) FROM records WHERE x > 100", lines), ["null"]);
}

#[test]
fn nested_paths_are_columns_by_name() {
    for column in [
        "source.confidence",
        "\"source.confidence\"",
        "source_confidence",
        "r.source.confidence",
        "SOURCE.Confidence",
        "r.source_confidence",
    ] {
        let sql = format!("SELECT count(*) FROM records r WHERE {column} >= 0.19");
        assert_eq!(rows(&sql), ["10"], "{column}");
    }
    assert_eq!(rows("SELECT source.by.name FROM records LIMIT 1"), ["\"N0\""]);
    assert_eq!(rows("SELECT r.source.by.name FROM records r LIMIT 1"), ["\"N0\""]);
    let deep = "{\"a\":{\"b\":{\"c\":{\"d\":5}}}}";
    assert_eq!(rows_of("SELECT a.b.c.d, records.a.b.c.d FROM records", deep), ["5,5"]);
    assert_eq!(rows_of("SELECT \"a.b\" FROM records", "{\"a.b\":1}"), ["1"]);
    assert_eq!(rows_of("SELECT a.b FROM records", "{\"a.b\":1}"), ["1"]);
}

#[test]
fn a_star_has_the_top_level_fields() {
    let outcome = ask("SELECT * FROM records LIMIT 1").unwrap();
    assert_eq!(outcome.columns.len(), 13);
    assert_eq!(outcome.columns[..2], ["id", "status"]);
    assert_eq!(rows_of("SELECT * FROM records", "{\"a\":1}\n{\"b\":2}"), ["1,null", "null,2"]);
    let records = rows_of("SELECT record, record->>'$.b.c' FROM records", "{\"b\":{\"c\":7}}");
    assert_eq!(records, [r#""{\"b\":{\"c\":7}}",7"#]);
    assert_eq!(rows_of("SELECT record FROM records", "{\"record\":3}"), ["3"]);
    assert_eq!(rows_of("SELECT sum(record) FROM records", "1\n2\n"), ["3"]);
}

#[test]
fn types_are_those_of_the_whole_column() {
    assert_eq!(rows("SELECT count(*) FROM records WHERE version >= '13'"), ["100"]);
    assert_eq!(rows("SELECT count(*) FROM records WHERE priority >= '4'"), ["80"]);
    assert_eq!(rows("SELECT count(*) FROM records WHERE done AND done = true"), ["100"]);
    let lines = "{\"n\":12345678901234567890,\"p\":\"12.50\",\"z\":\"007\",\"m\":1}\n\
                 {\"n\":1,\"p\":\"3.00\",\"z\":\"8\",\"m\":2.5}";
    let types = "SELECT typeof(n), typeof(p), typeof(z), typeof(m) FROM records";
    assert_eq!(rows_of(types, lines)[0], r#""text","real","text","real""#);
    assert_eq!(rows_of("SELECT max(p), n FROM records", lines), [r#"12.5,"12345678901234567890""#]);
    let odd = "{\"a\":\"\\u00e9\\n\\ud800\",\"a\":\"\\u00e9\",\"b\":1e400,\"c\":-0.0}";
    assert_eq!(rows_of("SELECT a, b, c FROM records", odd), [r#""é","1e400",0.0"#]);
}

#[test]
fn of_a_key_twice_the_last_counts() {
    let lines = "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4,\"a\":5}\n{\"b\":6,\"a\":7}\n";
    assert_eq!(rows_of("SELECT a FROM records", lines), ["1", "5", "7"]);
    assert_eq!(rows_of("SELECT b, a FROM records", lines), ["2,1", "4,5", "6,7"]);
}

#[test]
fn arrays_are_json() {
    assert_eq!(
        rows("SELECT t.value, count(*) FROM records, json_each(records.tags) t GROUP BY 1"),
        ["\"a\",200", "\"b\",200"]
    );
    assert_eq!(
        rows("SELECT events->>'$[0].place', tags->>0 FROM records LIMIT 1"),
        ["\"X\",\"a\""]
    );
    assert_eq!(rows("SELECT sum(json_array_length(tags)) FROM records"), ["400"]);
}

#[test]
fn expressions_are_linear() {
    assert_eq!(rows("SELECT count(*) FROM records WHERE id REGEXP '^T-1?9$'"), ["2"]);
    assert_eq!(rows("SELECT count(*) FROM records WHERE \"order\" REGEXP '^19'"), ["11"]);
}

#[test]
fn further_files_join() {
    let (tickets, owners) = (tickets(), "{\"ticket\":\"T-1\",\"owner\":{\"name\":\"ann\"}}\n");
    let mut further = source("owners.jsonl", owners);
    further.names.push("owners".into());
    for table in ["records('owners.jsonl')", "owners", "\"owners.jsonl\""] {
        let sql = format!(
            "SELECT r.id, o.owner.name FROM records r JOIN {table} AS o ON o.ticket = r.id"
        );
        let sources = vec![source("records", &tickets), further.clone()];
        let outcome = run(&Query::new(&sql, sources), &limits()).unwrap();
        assert_eq!(outcome.rows, [r#"["T-1","ann"]"#], "{table}");
    }
}

/// SQLite does not say that it reads the columns of joins by name.
#[test]
fn tables_join_by_name() {
    let (ours, others) = (r#"{"id":1,"n":5}"#, "{\"id\":\"1\",\"by\":\"ann\"}\n");
    for join in ["JOIN b USING (id)", "NATURAL JOIN b", "JOIN b USING (\"ID\")"] {
        let sql = format!("SELECT by, n FROM records {join}");
        let sources = vec![source("records", ours), source("b", others)];
        assert_eq!(
            run(&Query::new(&sql, sources), &limits()).unwrap().rows,
            ["[\"ann\",5]"],
            "{join}"
        );
    }
    let counted = "SELECT count(*) FROM records a JOIN records b USING (id)";
    assert_eq!(rows(counted), ["200"]);
}

#[test]
fn pages_have_the_true_total() {
    let tickets = tickets();
    let query = Query {
        offset: 190,
        limit: Some(3),
        ..Query::new("SELECT \"order\" FROM records", vec![source("records", &tickets)])
    };
    let outcome = run(&query, &limits()).unwrap();
    assert_eq!(outcome.rows, ["[190]", "[191]", "[192]"]);
    assert_eq!((outcome.total, outcome.complete, outcome.own_limit), (200, true, None));
    assert_eq!(ask("SELECT id FROM records LIMIT 7").unwrap().own_limit, Some(7));
    assert_eq!(ask("SELECT id FROM records LIMIT 700").unwrap().own_limit, None);
}

#[test]
fn empty_files_have_no_rows() {
    let outcome = ask_of("SELECT count(*) FROM records", "\n").unwrap();
    assert_eq!(
        (outcome.rows, outcome.notes),
        (vec!["[0]".to_owned()], vec!["the file has no records".to_owned()])
    );
}

#[test]
fn a_long_file_gives_the_same_by_name_and_by_a_star() {
    // Two threads scan it; for the star, whose columns the statement does not name, in parts.
    let line = |n: u32| match n % 3 {
        0 => format!("{{\"n\":{n},\"a\":{{\"b\":\"{}\"}},\"pad\":\"{:60}\"}}\n", n % 7, ""),
        1 => format!("{{\"late\":\"x{n}\",\"n\":{n}}}\n"),
        _ => format!("{{\"a\":{{\"b\":null}},\"n\":{n},\"pad\":\"{:60}\"}}\n\n", ""),
    };
    let lines: String = (0..60_000).map(line).collect();
    let sums = "count(*), sum(n), count(late), max(late), count(pad)";
    let by_name = rows_of(&format!("SELECT {sums} FROM records"), &lines);
    assert_eq!(by_name, ["60000,1799970000,20000,\"x59998\",40000"]);
    assert_eq!(rows_of(&format!("SELECT {sums} FROM (SELECT * FROM records)"), &lines), by_name);
    let paths = rows_of("SELECT count(a.b), sum(a.b), count(record) FROM records", &lines);
    assert_eq!(paths, ["20000,59997,60000"]);
}

#[test]
fn variance_is_that_of_large_numbers_too() {
    let lines: Vec<String> =
        (0..20_i64).map(|n| format!("{{\"x\":{}}}", 9_007_199_254_740_992 + 3 * n)).collect();
    assert_eq!(rows_of("SELECT variance(x) FROM records", &lines.join("\n")), ["315.0"]);
}

/// `lower`, `upper`, `LIKE` and `NOCASE` know every letter, and `LIKE` is that of SQLite.
#[test]
fn letters_of_every_alphabet() {
    let lines = "{\"x\":\"Ärzte\"}\n{\"x\":\"ΑΘΉΝΑ\"}\n{\"x\":\"50% a_b\\nc\"}\n{\"x\":null}";
    let count = |condition: &str| {
        rows_of(&format!("SELECT count(*) FROM records WHERE {condition}"), lines).join("")
    };
    for (condition, found) in [
        ("x LIKE 'ärzte'", "1"),
        ("x LIKE '%RZTE'", "1"),
        ("x LIKE 'rzte'", "0"),
        ("x LIKE '_rzt_'", "1"),
        ("x LIKE 'αθήνα'", "1"),
        ("lower(x) = 'ärzte'", "1"),
        ("upper(x) = 'ÄRZTE'", "1"),
        ("x = 'äRZTE' COLLATE NOCASE", "1"),
        ("x LIKE '50!% a!_b%' ESCAPE '!'", "1"),
        ("x LIKE '50!%%' ESCAPE '!'", "1"),
        ("x LIKE '%!' ESCAPE '!'", "0"),
        ("x LIKE '%b%c'", "1"),
        ("x LIKE '%'", "3"),
        ("x LIKE ''", "0"),
        ("x LIKE '.*'", "0"),
        ("x NOT LIKE '%a%'", "2"),
        ("x LIKE NULL", "0"),
        ("12.0 LIKE '12.0'", "4"),
    ] {
        assert_eq!(count(condition), found, "{condition}");
    }
    let error = ask_of("SELECT 1 FROM records WHERE x LIKE 'a' ESCAPE 'ab'", lines).unwrap_err();
    assert!(error.to_string().contains("ESCAPE takes a text of one character"), "{error}");
}

#[test]
fn names_and_what_parts_rows_count_as_output() {
    let (tickets, limits) = (tickets(), Limits { output_bytes: 40, ..limits() });
    for (name, rows) in [("n", 7), ("a_name_of_20_letters", 3)] {
        let sql = format!("SELECT \"order\" AS {name} FROM records");
        let query = Query::new(&sql, vec![source("records", &tickets)]);
        let outcome = run(&query, &limits).unwrap();
        assert_eq!((outcome.rows.len(), outcome.total), (rows, 200), "{name}");
    }
}

#[test]
fn no_column_of_a_derived_table_need_be_read() {
    let with = "WITH t AS (SELECT status FROM records GROUP BY status), \
                \"U 1\"(x, y) AS MATERIALIZED (SELECT 1, 2)";
    for (select, row) in [
        ("SELECT count(*) FROM T", "3"),
        ("SELECT sum(1) FROM t JOIN \"U 1\"", "3"),
        ("SELECT exists(SELECT 1 FROM \"u 1\")", "1"),
    ] {
        assert_eq!(rows(&format!("{with} {select}")), [row], "{select}");
    }
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5)";
    assert_eq!(rows(&format!("{numbers} SELECT count(*) FROM n")), ["5"]);
    for table in ["sqlite_schema", "pragma_table_list"] {
        assert!(ask(&format!("SELECT count(*) FROM {table}")).is_err(), "{table}");
        assert!(ask(&format!("{with} SELECT count(*) FROM {table}")).is_err(), "{table}");
    }
}
