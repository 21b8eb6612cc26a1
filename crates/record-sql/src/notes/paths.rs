//! Paths into JSON that lead nowhere.

use std::ops::Range;

use raw_json::nearest;

use crate::notes::facts::Facts;
use crate::notes::values::Subject;
use crate::sql::quoting::spelled;
use crate::sql::statement::Statement;
use crate::sql::token::Kind;

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
    let behind_alias = whole.split_once('.').map(|(_, rest)| rest).filter(|_| column.contains('.'));
    let ends: Vec<&str> = std::iter::once(whole.as_str()).chain(behind_alias).collect();
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
        let first = |name: &str| name.split('.').next().map(str::to_owned);
        let is_near =
            |name: &&String| name.contains('.') && ends.iter().any(|end| first(end) == first(name));
        names.extend(paths.plain.names().iter().filter(is_near));
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

/// The functions of a column and a path in it.
const FUNCTIONS: [&str; 5] =
    ["json_extract", "json_each", "json_tree", "json_type", "json_array_length"];

fn paths<'s>(facts: &Facts<'s>) -> Vec<JsonPath<'s>> {
    let statement = facts.statement();
    let operators = statement.places_of(&["->", "->>"]).filter_map(|at| {
        let mut chains = statement.chains().into_iter();
        let before = statement.tokens[at.checked_sub(1)?].range.end;
        let column = chains.find(|chain| chain.range().end == before)?.range();
        let all = column.start..statement.tokens.get(at + 1)?.range.end;
        let from = facts.from(at)?;
        let of = |bytes: Range<usize>| {
            Subject::over(facts, statement.sql[bytes].to_owned(), from.clone())
        };
        Some(JsonPath { value: of(all), of: of(column), keys: keys(statement, at + 1)? })
    });
    let calls = statement.calls_of(&FUNCTIONS).filter_map(|at| of_call(facts, at));
    operators.chain(calls).collect()
}

/// Returns the path of a function, in the rows of its column.
fn of_call<'s>(facts: &Facts<'s>, at: usize) -> Option<JsonPath<'s>> {
    let statement = facts.statement();
    let [column, path] = statement.arguments(at + 1).try_into().ok()?;
    let keys = keys(statement, path.start)?;
    let name = statement.text(column.clone()).to_owned();
    let chain = facts.chain(&statement.bytes(column))?;
    let of = match facts.column(&chain) {
        Some(read) => Subject { name, ..Subject::of(read) },
        None => Subject::over(facts, name, statement.tables_before(at)?.to_owned()),
    };
    let path = statement.text(path);
    let value = Subject {
        sql: format!("json_extract({}, {path})", of.sql),
        name: format!("json_extract({}, {path})", of.name),
        ..of.clone()
    };
    Some(JsonPath { value, of, keys })
}

/// Returns the keys of the path at a place, joined by dots.
fn keys(statement: &Statement, at: usize) -> Option<String> {
    statement.tokens.get(at).filter(|token| token.kind == Kind::Text)?;
    let value = statement.value(at);
    Some(value.strip_prefix("$.").unwrap_or(&value).replace('"', ""))
}
