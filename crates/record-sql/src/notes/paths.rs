//! Paths into JSON that lead nowhere.

use std::ops::Range;

use crate::notes::facts::Facts;
use crate::notes::values::Subject;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;
use crate::suggest::nearest::nearest;

/// A path into the JSON of a column.
struct JsonPath<'s> {
    /// The value at the path.
    value: Subject<'s>,
    /// The column.
    of: Subject<'s>,
    /// The keys, joined by dots.
    keys: String,
}

/// Notes on paths that are null in every record.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let paths = paths(facts).into_iter();
    paths.filter_map(|path| of_large(&path.value).or_else(|| of_path(facts, &path))).collect()
}

/// A path to whole numbers beyond 64 bits, of which SQLite makes floats.
fn of_large(value: &Subject<'_>) -> Option<String> {
    let [found] = value.counts("sum(typeof(it) = 'real' AND abs(it) >= 9223372036854775807)")?;
    (found > 0).then(|| {
        format!(
            "{found} values of {} are numbers beyond 64 bits, which are rounded here: a column \
             of this name has them as text, with all digits",
            value.name
        )
    })
}

fn of_path(facts: &Facts<'_>, path: &JsonPath<'_>) -> Option<String> {
    let (sql, of) = (&path.value.name, &path.of.name);
    if path.value.has("it IS NOT NULL")? || !path.of.has("it IS NOT NULL")? {
        return None;
    }
    if path.of.has("it GLOB '[[]*'") == Some(true) && !path.keys.starts_with(['$', '[']) {
        return Some(format!(
            "{sql} is null in every record, for {of} is an array: FROM records, json_each({of}) AS \
             e has its elements, with e.value ->> '{}'",
            path.keys
        ));
    }
    let column = of.replace('"', "");
    let whole = format!("{column}.{}", path.keys);
    // `r.meta` has the alias of its table in front.
    let ends: Vec<&str> = std::iter::once(whole.as_str())
        .chain(whole.split_once('.').map(|(_, rest)| rest))
        .collect();
    let mut known = facts.sources.iter().map(|source| &source.paths().plain);
    let column = known.find_map(|fields| {
        ends.iter().find_map(|path| fields.find(path).map(|at| fields.names()[at].clone()))
    });
    if let Some(column) = column {
        return Some(format!("{sql} is null in every record: the column is {}", spelled(&column)));
    }
    let sources = facts.sources.iter().map(crate::records::source::Scanned::paths);
    let (mut names, mut inner) = (Vec::new(), Vec::new());
    for paths in sources {
        let prefix = format!("{}.", ends[0].split('.').next().unwrap_or_default());
        names.extend(paths.plain.names().iter().filter(|name| name.starts_with(&prefix)));
        inner.extend(paths.in_arrays.iter().map(|(_, key)| key));
    }
    let last = path.keys.rsplit('.').next().unwrap_or_default();
    let all = names.iter().copied().chain(inner).map(String::as_str);
    let near: Vec<String> = nearest(last, all.clone(), 3).into_iter().map(spelled).collect();
    let near = if near.is_empty() { all.take(6).map(spelled).collect() } else { near };
    let list =
        if near.is_empty() { String::new() } else { format!("; there is {}", near.join(", ")) };
    Some(format!("{sql} is null in every record{list}"))
}

fn paths<'s>(facts: &Facts<'s>) -> Vec<JsonPath<'s>> {
    let statement = facts.statement();
    let places = (1..statement.tokens.len()).filter_map(|at| {
        let (column, path, all) = if statement.is_any(at, &["->", "->>"]) {
            let column = statement
                .chains()
                .into_iter()
                .find(|chain| chain.range().end == statement.tokens[at - 1].range.end)?;
            let (range, end) = (column.range(), statement.tokens.get(at + 1)?.range.end);
            (range.clone(), at + 1, range.start..end)
        } else if statement.is(at, "json_extract") && statement.is(at + 1, "(") {
            let [column, path] = statement.arguments(at + 1).try_into().ok()?;
            let column = statement.bytes(column);
            facts.chain(&column)?;
            (column, path.start, statement.bytes(at..statement.closing(at + 1) + 1))
        } else {
            return None;
        };
        statement.tokens.get(path).filter(|token| token.kind == Kind::Text)?;
        let value = statement.value(path);

        let keys = value.strip_prefix("$.").unwrap_or(&value).replace('"', "");
        let subject = |bytes: Range<usize>| {
            let name = statement.sql[bytes].to_owned();
            Some(Subject::over(facts, name, facts.from(at)?.to_owned()))
        };
        Some(JsonPath { value: subject(all)?, of: subject(column)?, keys })
    });
    places.collect()
}
