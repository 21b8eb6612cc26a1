//! Paths into JSON that lead nowhere.

use crate::notes::facts::Facts;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;
use crate::suggest::nearest::nearest;

/// A path into the JSON of a column.
struct JsonPath<'s> {
    /// The place of its first token.
    place: usize,
    /// The expression.
    sql: &'s str,
    /// The column.
    of: &'s str,
    /// The keys, joined by dots.
    keys: String,
}

/// Notes on paths that are null in every record.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let paths = paths(facts).into_iter();
    paths.filter_map(|path| of_large(facts, &path).or_else(|| of_path(facts, &path))).collect()
}

/// A path to whole numbers beyond 64 bits, of which SQLite makes floats.
fn of_large(facts: &Facts<'_>, path: &JsonPath<'_>) -> Option<String> {
    let (with, from, sql) = (facts.statement().with(), facts.from(path.place)?, path.sql);
    let large = format!("typeof({sql}) = 'real' AND abs({sql}) >= 9223372036854775807");
    let [found] = facts.counts(&format!("{with}SELECT count(*) {from} WHERE {large}"))?;
    (found > 0).then(|| {
        format!(
            "{found} values of {sql} are numbers beyond 64 bits, which are rounded here: a column \
             of this name has them as text, with all digits"
        )
    })
}

fn of_path(facts: &Facts<'_>, path: &JsonPath<'_>) -> Option<String> {
    let statement = facts.statement();
    let (with, from, sql) = (statement.with(), facts.from(path.place)?, path.sql);
    let found = format!("{with}SELECT 1 {from} WHERE {sql} IS NOT NULL LIMIT 1");
    let any = format!("{with}SELECT 1 {from} WHERE {} IS NOT NULL LIMIT 1", path.of);
    if !facts.is_empty(&found)? || facts.is_empty(&any)? {
        return None;
    }
    let array = format!("{with}SELECT 1 {from} WHERE {} GLOB '[[]*' LIMIT 1", path.of);
    if facts.is_empty(&array) == Some(false) && !path.keys.starts_with(['$', '[']) {
        return Some(format!(
            "{sql} is null in every record, for {} is an array: FROM records, json_each({}) AS e \
             has its elements, with e.value ->> '{}'",
            path.of, path.of, path.keys
        ));
    }
    let column = path.of.replace('"', "");
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
        Some(JsonPath { place: at, sql: &statement.sql[all], of: &statement.sql[column], keys })
    });
    places.collect()
}
