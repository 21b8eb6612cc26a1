//! Functions and words of other dialects than SQLite's.

use crate::sql::statement::Statement;
use crate::sql::token::Kind;

/// Functions, words, and pairs of words, parted by commas, with what SQLite has in their place.
const ELSEWHERE: [(&str, &str); 58] = [
    ("& &", "AND"),
    ("date_trunc", "strftime('%Y-%m', x) for months, date(x) for days"),
    ("date_format, to_char, format_timestamp, format_date", "strftime('%Y-%m', x)"),
    ("extract, date_part", "CAST(strftime('%Y', x) AS INTEGER)"),
    ("year", "strftime('%Y', x)"),
    ("month", "strftime('%m', x)"),
    ("day", "strftime('%d', x)"),
    ("hour", "strftime('%H', x)"),
    ("datediff, date_diff", "julianday(a) - julianday(b)"),
    ("interval, date_sub", "date(x, '-7 days')"),
    ("now", "datetime('now')"),
    ("ilike", "LIKE, which ignores the case of ASCII letters"),
    ("similar, rlike, ~", "REGEXP"),
    ("regexp_like, regexp_matches, regexp_contains", "x REGEXP 'pattern'"),
    ("array_length, cardinality, json_length", "json_array_length(x)"),
    (
        "any, array_contains, list_contains, json_contains, array_position",
        "EXISTS (SELECT 1 FROM json_each(x) AS e WHERE e.value = …)",
    ),
    ("json_value, json_extract_path_text", "x ->> '$.key'"),
    ("split_part", "substr(x, 1, instr(x, '.') - 1)"),
    ("strpos, position", "instr(x, 'part')"),
    (
        "unnest, jsonb_array_elements, json_array_elements, lateral, explode, flatten",
        "FROM records, json_each(records.x) AS e, with e.value",
    ),
    ("top", "LIMIT at the end"),
    ("offset", "LIMIT -1 OFFSET n"),
    ("separator", "group_concat(x, ';')"),
    ("left", "substr(x, 1, n)"),
    (
        "quantile, approx_quantiles, approx_quantile, percentile_approx",
        "percentile(x, 95), with p from 0 to 100",
    ),
    ("std", "stddev(x)"),
    (
        "to_timestamp, from_unixtime, timestamp_seconds, timestamp_millis, epoch_ms",
        "datetime(x), which reads seconds and milliseconds since 1970",
    ),
    ("to_date, strptime", "date(x)"),
    ("quarter", "(strftime('%m', x) + 2) / 3"),
    ("week", "strftime('%W', x)"),
    ("dayofweek", "strftime('%w', x)"),
    ("minute", "strftime('%M', x)"),
    ("date_add", "date(x, '+7 days')"),
    ("timestampdiff", "unixepoch(a) - unixepoch(b), in seconds"),
    ("countif, count_if", "sum(x = 'a'), where a comparison is 1 or 0"),
    ("mode", "SELECT x, count(*) FROM records GROUP BY 1 ORDER BY 2 DESC LIMIT 1"),
    (
        "corr",
        "(avg(x * y) - avg(x) * avg(y)) / (stddev_pop(x) * stddev_pop(y)), of records with both",
    ),
    ("quantile_cont", "percentile_cont(x, 0.95)"),
    // SQLite's own takes the value below, the standard the one above.
    ("percentile_disc, quantile_disc", "percentile_cont(x, 0.95), which is between two values"),
    ("arg_max, max_by", "SELECT x, max(y): x is of the record with the greatest y"),
    ("arg_min, min_by", "SELECT x, min(y): x is of the record with the least y"),
    ("array_agg", "json_group_array(x)"),
    ("listagg", "group_concat(x, ', ')"),
    ("regexp_replace", "replace(x, 'part', ''), or the jq filter gsub"),
    ("regexp_extract, regexp_substr", "the jq filter capture"),
    (
        "qualify, distinct on",
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY x ORDER BY y DESC) AS r FROM records) WHERE r = 1",
    ),
    ("fetch", "LIMIT n at the end"),
    ("by all", "GROUP BY 1, 2, the numbers of the columns"),
    ("rollup, cube", "a SELECT for each level, joined by UNION ALL"),
    ("exclude", "the names of the columns"),
    ("width_bucket", "CAST(x / 10 AS INTEGER) * 10"),
    ("nvl", "ifnull(x, y)"),
    ("safe_cast, try_cast", "CAST(x AS REAL)"),
    ("len", "length(x)"),
    ("starts_with, startswith", "x LIKE 'start%'"),
    ("contains", "instr(x, 'part') > 0"),
    ("right", "substr(x, -n)"),
    ("::", "CAST(x AS INTEGER), CAST(x AS REAL) or CAST(x AS TEXT)"),
];

/// Parts of messages on functions at a wrong place, with the place that is right. The first counts.
pub(crate) const MISUSES: [(&str, &str); 6] = [
    (
        "window function ",
        "A window function comes after WHERE and HAVING: SELECT * FROM (SELECT *, row_number() OVER \
         (ORDER BY x) AS r FROM records) WHERE r = 1",
    ),
    (
        "misuse of aggregate",
        "An aggregate comes after WHERE: HAVING compares it. One of another is of a subquery: SELECT \
         max(n) FROM (SELECT count(*) AS n FROM records GROUP BY x)",
    ),
    ("misuse of aliased aggregate", "A result of an aggregate is compared in an outer SELECT"),
    ("HAVING clause on", "WHERE compares columns; HAVING is for aggregates, such as count(*) > 1"),
    (
        "to function count()",
        "count takes one column: SELECT count(*) FROM (SELECT DISTINCT a, b FROM records) counts \
         pairs",
    ),
    (
        "DISTINCT aggregates must have",
        "With DISTINCT a separator is a comma: group_concat(DISTINCT x). For another one: SELECT \
         group_concat(x, '; ') FROM (SELECT DISTINCT x FROM records)",
    ),
];

/// Returns what SQLite has in the place of a function or words.
pub(crate) fn elsewhere(words: &str) -> Option<&'static str> {
    let is_one = |known: &str| known.split(", ").any(|known| known.eq_ignore_ascii_case(words));
    ELSEWHERE.iter().find(|(known, _)| is_one(known)).map(|(_, here)| *here)
}

/// Returns the hint for a statement that is not SQL at the token `at`. SQLite reports the first token
/// that does not fit, which may follow the cause.
pub(crate) fn at(statement: &Statement, at: usize) -> Option<String> {
    let (sql, tokens) = (&statement.sql, &statement.tokens);
    let text = |at: usize| tokens[at].text(sql);
    if let Some(before) = at.checked_sub(1) {
        let (one, other) = (&tokens[before], &tokens[at]);
        let is_adjacent = one.range.end == other.range.start;
        if one.kind == Kind::Text && one.value(sql).ends_with('\\') && is_adjacent {
            return Some("A quote in a text is doubled: 'It''s'".to_owned());
        }
        if one.kind == Kind::Word && other.kind == Kind::Text && is_adjacent {
            return Some(format!("A text has no letter in front: {}", text(at)));
        }
        let pair = format!("{} {}", text(before), text(at));
        if let Some(here) = elsewhere(&pair) {
            return Some(format!("Instead of {}: {here}", pair.to_uppercase()));
        }
    }
    let is_word = |at: &usize| matches!(tokens[*at].kind, Kind::Word | Kind::Symbol);
    let names: Vec<&str> = ELSEWHERE.iter().flat_map(|(names, _)| names.split(", ")).collect();
    let near = (at.saturating_sub(1)..=at).rev().filter(is_word);
    near.chain(statement.calls_of(&names))
        .find_map(|at| Some(format!("Instead of {}: {}", text(at), elsewhere(text(at))?)))
}
