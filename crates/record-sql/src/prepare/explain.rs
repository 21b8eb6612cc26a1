//! The message of a statement that cannot be prepared: SQLite's own, the place, the columns there
//! are, and what to send instead.

use rusqlite::Connection;

use crate::error::SqlError;
use crate::prepare::draft::Draft;
use crate::prepare::failed::Failed;
use crate::prepare::guard::{Denied, FUNCTIONS};
use crate::prepare::keywords;
use crate::sql::quoting::{self, spelled};
use crate::sql::statement::{Chain, Part, Statement, send_instead};
use crate::sql::token::{Kind, Token};
use crate::suggest::excerpt;
use crate::suggest::nearest::nearest;

/// The most characters of a list of columns.
const MAX_LIST: usize = 450;

/// The most suggestions.
const MAX_NEAREST: usize = 3;

/// Functions and words of other dialects, with what SQLite has in their place.
const ELSEWHERE: [(&str, &str); 34] = [
    ("date_trunc", "strftime('%Y-%m', x) for months, date(x) for days"),
    ("date_format", "strftime('%Y-%m', x)"),
    ("to_char", "strftime('%Y-%m', x)"),
    ("extract", "CAST(strftime('%Y', x) AS INTEGER)"),
    ("year", "strftime('%Y', x)"),
    ("month", "strftime('%m', x)"),
    ("day", "strftime('%d', x)"),
    ("hour", "strftime('%H', x)"),
    ("datediff", "julianday(a) - julianday(b)"),
    ("date_diff", "julianday(a) - julianday(b)"),
    ("interval", "date(x, '-7 days')"),
    ("now", "datetime('now')"),
    ("ilike", "LIKE, which ignores the case of ASCII letters"),
    ("similar", "REGEXP"),
    ("rlike", "REGEXP"),
    ("regexp_like", "x REGEXP 'pattern'"),
    ("regexp_matches", "x REGEXP 'pattern'"),
    ("array_length", "json_array_length(x)"),
    ("any", "EXISTS (SELECT 1 FROM json_each(x) AS e WHERE e.value = …)"),
    ("array_contains", "EXISTS (SELECT 1 FROM json_each(x) AS e WHERE e.value = …)"),
    ("cardinality", "json_array_length(x)"),
    ("json_length", "json_array_length(x)"),
    ("json_value", "x ->> '$.key'"),
    ("json_extract_path_text", "x ->> '$.key'"),
    ("split_part", "substr(x, 1, instr(x, '.') - 1)"),
    ("strpos", "instr(x, 'part')"),
    ("position", "instr(x, 'part')"),
    ("unnest", "FROM records, json_each(records.x) AS e, with e.value"),
    ("top", "LIMIT at the end"),
    ("offset", "LIMIT -1 OFFSET n"),
    ("separator", "group_concat(x, ';')"),
    ("left", "substr(x, 1, n)"),
    ("quantile", "percentile(x, 95), with p from 0 to 100"),
    ("std", "stddev(x)"),
];

/// Parts of messages on functions at a wrong place, with the place that is right. The first counts.
const MISUSES: [(&str, &str); 5] = [
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
];

/// Returns the error of a statement that no fix makes valid.
pub(crate) fn explain(draft: &Draft<'_, '_>, db: &Connection, failed: &Failed) -> SqlError {
    let mut lines = vec![headline(draft, failed)];
    let hint = match &failed.denied {
        Some(denied) => of_denied(draft, denied),
        None if failed.unknown_table().is_some() => of_table(draft, failed),
        None if failed.message.starts_with("no such column") => of_column(draft, failed),
        None => of_other(draft, db, failed),
    };
    lines.push(hint);
    lines.retain(|line| !line.is_empty());
    SqlError::statement(lines.join("\n"))
}

fn headline(draft: &Draft<'_, '_>, failed: &Failed) -> String {
    let message: String = failed.message.chars().take(200).collect();
    match failed.offset {
        Some(offset) => {
            let (position, near) = excerpt::at(&draft.statement.sql, offset);
            format!("SQL: {message} (character {position})\n{near}")
        }
        None => format!("SQL: {message}"),
    }
}

fn of_denied(draft: &Draft<'_, '_>, denied: &Denied) -> String {
    match denied {
        Denied::Function(name) => {
            format!("`{name}` is not available: a statement reads records and nothing else")
        }
        Denied::Table(_) => columns(draft),
        Denied::Other => {
            "Only SELECT is accepted: no PRAGMA, no ATTACH, and nothing that writes".to_owned()
        }
    }
}

fn of_table(draft: &Draft<'_, '_>, failed: &Failed) -> String {
    let statement = &draft.statement;
    let name = failed.unknown_table().unwrap_or_default();
    let known: Vec<String> = draft
        .sources
        .iter()
        .enumerate()
        .filter_map(|(at, source)| {
            let first = if at == 0 { "records" } else { source.names.first()? };
            Some(first.to_owned())
        })
        .collect();
    let places = statement.table_places();
    let at = places.iter().map(|at| &statement.tokens[*at]);
    let token = at.into_iter().find(|token| token.value(&statement.sql) == name);
    let instead = match token {
        // Another table than the ones that are known is another file.
        Some(token) if draft.sources.len() == 1 && places.len() == 1 => {
            send_instead(&statement.replaced(token.range.clone(), "records").sql)
        }
        _ => file_instead(draft, name),
    };
    format!(
        "The records are the table records; a further file is records('its path'). Tables here: \
         {}. {instead}",
        shortened(&known)
    )
}

/// Returns the advice for a name that may be that of another file.
fn file_instead(draft: &Draft<'_, '_>, name: &str) -> String {
    let statement = &draft.statement;
    let chain = statement.chains().into_iter().find(|chain| chain.path(0) == name);
    // `a.jsonl` without quotes is a table in a database.
    match chain.filter(|chain| chain.parts.len() == 2) {
        Some(chain) => {
            send_instead(&statement.replaced(chain.range(), &format!("records('{name}')")).sql)
        }
        None => {
            format!("If {name} is another file, name it with its path: records('{name}.jsonl')")
        }
    }
}

fn of_column(draft: &Draft<'_, '_>, failed: &Failed) -> String {
    let Some(chain) = failed.unknown_column(&draft.statement) else { return columns(draft) };
    let Some(last) = chain.parts.last() else { return columns(draft) };
    if let Some(hint) = in_array(draft, &chain).or_else(|| in_array(draft, &parted(&chain))) {
        return hint;
    }
    let place = draft.statement.tokens.iter().position(|t| t.range.start == chain.range().start);
    if place.is_some_and(|at| at > 0 && draft.statement.is_any(at - 1, &["->", "->>"])) {
        let key = quoting::text(&chain.path(0));
        let corrected = draft.statement.replaced(chain.range(), &key);
        return format!("A key goes in single quotes. {}", send_instead(&corrected.sql));
    }
    if is_column(draft, &last.name) {
        let of = chain.parts.first().filter(|_| chain.parts.len() > 1);
        let of = of.map_or_else(String::new, |first| format!(" `{}`", first.name));
        return format!(
            "{} is a column of records, but not of the table or alias{of} here: a subquery or \
             WITH must select it",
            last.name
        );
    }
    let names = names(draft);
    let near = nearest(&last.name, names.iter().map(String::as_str), MAX_NEAREST);
    let in_single = single_quotes(draft).sql;
    let is_another = in_single != draft.statement.sql;
    if last.quoted && chain.parts.len() == 1 && is_double_quoted(draft, &chain) && is_another {
        let text = "Text goes in single quotes, names of columns in double quotes.";
        return format!("{text} {}\n{}", send_instead(&in_single), columns(draft));
    }
    let instead = near.first().map_or_else(String::new, |best| {
        let best = spelled(best);
        send_instead(&draft.statement.replaced(chain.from(chain.parts.len() - 1), &best).sql)
    });
    let nearest = if near.is_empty() {
        String::new()
    } else {
        format!("Nearest: {}. {instead}\n", near.join(", "))
    };
    let here = elsewhere(&last.name).map(|here| format!("Instead of {}: {here}\n", last.name));
    format!("{nearest}{}{}", here.unwrap_or_default(), columns(draft))
}

fn is_double_quoted(draft: &Draft<'_, '_>, chain: &Chain) -> bool {
    draft.statement.sql[chain.range()].starts_with('"')
}

/// Returns a chain with each key of its last name as a part: `"a.b"` as `a.b`.
fn parted(chain: &Chain) -> Chain {
    let mut parts = chain.parts.clone();
    if let Some(last) = parts.pop() {
        let names: Vec<String> = last.name.split('.').map(str::to_owned).collect();
        parts.extend(names.into_iter().map(|name| Part { name, ..last.clone() }));
    }
    Chain { parts }
}

/// Returns the hint for a key of the objects in an array.
fn in_array(draft: &Draft<'_, '_>, chain: &Chain) -> Option<String> {
    let last = &chain.parts.last()?.name;
    let arrays = draft.sources.iter().flat_map(|source| &source.paths().in_arrays);
    let mut arrays = arrays.filter(|(_, inner)| inner.eq_ignore_ascii_case(last));
    let of = chain.parts.len().checked_sub(2).map(|at| chain.parts[at].name.as_str());
    let (array, inner) = match of {
        Some(of) => arrays.find(|(array, _)| {
            array.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case(of))
        })?,
        None if is_column(draft, last) => return None,
        None => arrays.next()?,
    };
    Some(format!(
        "{inner} is a key of the objects in the array {array}: join its elements, as in SELECT \
         e.value->>'{inner}', count(*) FROM records, json_each(records.{}) AS e GROUP BY 1",
        quoting::name(array)
    ))
}

fn of_other(draft: &Draft<'_, '_>, db: &Connection, failed: &Failed) -> String {
    if let Some(name) = failed.message.strip_prefix("no such function: ") {
        return of_function(name);
    }
    if let Some(name) = failed.message.strip_prefix("ambiguous column name: ") {
        return format!(
            "`{name}` is a column of several tables here: name one, as in records.{name}"
        );
    }
    if let Some((_, here)) = MISUSES.iter().find(|(part, _)| failed.message.contains(part)) {
        return (*here).to_owned();
    }
    let at = failed.offset.and_then(|offset| {
        draft.statement.tokens.iter().position(|token| token.range.contains(&offset))
    });
    let Some(at) = at else { return String::new() };
    let hint = (!keywords::is_sql(&failed.message)).then(|| keywords::hint(draft, db, at));
    if let Some(hint) = hint.flatten() {
        return hint;
    }
    let names: Vec<&str> = ELSEWHERE.iter().map(|(name, _)| *name).collect();
    let call = draft.statement.calls_of(&names).next();
    let (sql, tokens) = (&draft.statement.sql, &draft.statement.tokens);
    // SQLite reports the first token that does not fit, which may follow the cause.
    for token in tokens[at.saturating_sub(1)..=at].iter().rev() {
        if let Some(hint) = of_token(token, sql) {
            return hint;
        }
    }
    let call = call.map(|at| tokens[at].text(sql));
    call.and_then(|name| Some(format!("Instead of {name}: {}", elsewhere(name)?)))
        .unwrap_or_default()
}

fn of_token(token: &Token, sql: &str) -> Option<String> {
    let text = token.text(sql);
    if text == "::" {
        return Some("A cast is CAST(x AS INTEGER), CAST(x AS REAL) or CAST(x AS TEXT)".to_owned());
    }
    if token.kind != Kind::Word {
        return None;
    }
    elsewhere(text).map(|here| format!("Instead of {text}: {here}"))
}

fn of_function(name: &str) -> String {
    if let Some(here) = elsewhere(name) {
        return format!("Instead of {name}: {here}");
    }
    let near = nearest(name, FUNCTIONS.split_ascii_whitespace(), MAX_NEAREST);
    match near.as_slice() {
        [] => "The functions are those of SQLite, with median, percentile(x, p), stddev, variance \
               and REGEXP"
            .to_owned(),
        near => format!("Nearest: {}", near.join(", ")),
    }
}

fn elsewhere(word: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, here)| *here)
}

/// Returns the statement with each double-quoted text that is no column in single quotes.
fn single_quotes(draft: &Draft<'_, '_>) -> Statement {
    const BEFORE: [&str; 17] = [
        "=", "==", "!=", "<>", "<", ">", "<=", ">=", "like", "glob", "regexp", "between", "and",
        "(", ",", "||", "in",
    ];
    let mut statement = draft.statement.clone();
    let places = statement.table_places();
    for at in (1..statement.tokens.len()).rev() {
        let token = statement.tokens[at].clone();
        let double = token.kind == Kind::Quoted && token.text(&statement.sql).starts_with('"');
        let value = token.value(&statement.sql);
        let behind = BEFORE.iter().any(|word| statement.is(at - 1, word));
        if double && behind && !places.contains(&at) && !is_column(draft, &value) {
            let text = format!("'{}'", value.replace('\'', "''"));
            statement = statement.replaced(token.range, &text);
        }
    }
    statement
}

pub(crate) fn is_column(draft: &Draft<'_, '_>, name: &str) -> bool {
    names(draft).iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the names of all fields and paths, without duplicates.
fn names(draft: &Draft<'_, '_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for source in draft.sources {
        for name in source.shape.fields.names().iter().chain(source.paths().plain.names()) {
            if !names.contains(name) && names.len() < 3_000 {
                names.push(name.clone());
            }
        }
    }
    names
}

/// Returns the columns of the records as a sentence.
fn columns(draft: &Draft<'_, '_>) -> String {
    let mut columns: Vec<String> = Vec::new();
    for source in draft.sources {
        let (fields, paths) = (&source.shape.fields, &source.paths().plain);
        let leaves = paths.names().iter().enumerate().filter(|(place, _)| {
            let profile = paths.profile(*place);
            profile.containers == profile.arrays
        });
        for name in fields.names().iter().chain(leaves.map(|(_, name)| name)) {
            let name = spelled(name);
            if columns.len() < 300 && !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    format!("Columns: {}, record (the whole record as JSON)", shortened(&columns))
}

fn shortened(names: &[String]) -> String {
    let mut list = String::new();
    for (at, name) in names.iter().enumerate() {
        if list.chars().count() + name.chars().count() > MAX_LIST {
            return format!("{list} and {} more", names.len() - at);
        }
        if at > 0 {
            list.push_str(", ");
        }
        list.push_str(name);
    }
    list
}
