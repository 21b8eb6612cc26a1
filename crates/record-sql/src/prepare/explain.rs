//! The message of a statement that cannot be prepared: SQLite's own, the place, the columns there
//! are, and what to send instead.

use raw_json::nearest;
use rusqlite::Connection;

use crate::error::SqlError;
use crate::excerpt;
use crate::prepare::dialects;
use crate::prepare::draft::Draft;
use crate::prepare::elements;
use crate::prepare::failed::Failed;
use crate::prepare::guard::{Denied, FUNCTIONS};
use crate::prepare::keywords;
use crate::sql::quoting::{self, spelled};
use crate::sql::statement::{Chain, Part, Statement, send_instead};
use crate::sql::token::Kind;

/// The most characters of a list of columns.
const MAX_LIST: usize = 450;

/// The most suggestions.
const MAX_NEAREST: usize = 3;

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
        Denied::Function(name) => match dialects::elsewhere(name) {
            Some(here) => format!("Instead of {name}: {here}"),
            None => {
                format!("`{name}` is not available: a statement reads records and nothing else")
            }
        },
        Denied::Table(_) => columns(draft),
        Denied::Other => {
            "Only SELECT is accepted: no PRAGMA, no ATTACH, and nothing that writes".to_owned()
        }
    }
}

fn of_table(draft: &Draft<'_, '_>, failed: &Failed) -> String {
    let statement = &draft.statement;
    let name = failed.unknown_table().unwrap_or_default();
    if let Some(here) = dialects::elsewhere(name) {
        return format!("Instead of {name}: {here}");
    }
    if name.starts_with("information_schema.") {
        return columns(draft);
    }
    if is_column(draft, name) {
        let any = dialects::elsewhere("any").unwrap_or_default();
        return format!("{name} is a column. For the elements of an array: {any}");
    }
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
    let is_file = |chain: &Chain| {
        let end = chain.parts.last().map_or("", |part| part.name.as_str());
        chain.parts.len() == 2 && ["jsonl", "ndjson", "json", "txt"].contains(&end)
    };
    match chain.filter(is_file) {
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
    if let Some(hint) = elements::of_json_each(draft, &chain) {
        return hint;
    }
    let place = draft.statement.tokens.iter().position(|t| t.range.start == chain.range().start);
    let before = place.and_then(|at| at.checked_sub(1));
    let is_behind = |words: &[&str]| before.is_some_and(|at| draft.statement.is_any(at, words));
    if is_behind(&["->", "->>"]) {
        let key = quoting::text(&chain.path(0));
        let corrected = draft.statement.replaced(chain.range(), &key);
        return format!("A key goes in single quotes. {}", send_instead(&corrected.sql));
    }
    if let Some(hint) = place.and_then(|at| bare(draft, at)) {
        return format!("{hint}\n{}", columns(draft));
    }
    let is_value = last.quoted && is_behind(&["=", "==", "!=", "<>", "like", "in", "(", ","]);
    let ends = endings(draft, &chain.path(0));
    if let [end] = ends.as_slice()
        && (!is_value || spelled(end) != *end)
    {
        let corrected = draft.statement.renamed(&chain, 0, &spelled(end));
        return format!("Nearest: {end}. {}\n{}", send_instead(&corrected.sql), columns(draft));
    }
    if let Some(hint) =
        elements::in_array(draft, &chain).or_else(|| elements::in_array(draft, &parted(&chain)))
    {
        return hint;
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
    let in_single = single_quotes(draft).sql;
    let is_another = in_single != draft.statement.sql;
    if last.quoted && chain.parts.len() == 1 && is_double_quoted(draft, &chain) && is_another {
        let text = "Text goes in single quotes, names of columns in double quotes.";
        return format!("{text} {}\n{}", send_instead(&in_single), columns(draft));
    }
    let here = dialects::elsewhere(&last.name);
    let here = here.map(|here| format!("Instead of {}: {here}\n", last.name));
    let nearest = nearest_to(draft, &chain, &ends);
    format!("{nearest}{}{}", here.unwrap_or_default(), columns(draft))
}

/// Returns a line with the names nearest to a chain, or with those of `ends`, which end in its
/// keys; an empty text if there are none.
fn nearest_to(draft: &Draft<'_, '_>, chain: &Chain, ends: &[String]) -> String {
    if !ends.is_empty() {
        return format!("Nearest: {}\n", ends[..ends.len().min(MAX_NEAREST)].join(", "));
    }
    let names = names(draft);
    // The first part may be an alias.
    let of_path = |from| nearest(&chain.path(from), names.iter().map(String::as_str), MAX_NEAREST);
    let from = usize::from(chain.parts.len() > 1 && of_path(0).is_empty());
    let near = of_path(from);
    let Some(best) = near.first() else { return String::new() };
    let corrected = draft.statement.renamed(chain, from, &spelled(best));
    format!("Nearest: {}. {}\n", near.join(", "), send_instead(&corrected.sql))
}

/// Returns the hint for a column whose name begins at a token and is no name without quotes, such
/// as `Unit-Nr`.
fn bare(draft: &Draft<'_, '_>, at: usize) -> Option<String> {
    let statement = &draft.statement;
    let is_here = |name: &str, at: usize| {
        let rest = &statement.sql[statement.tokens[at].range.start..];
        let found = rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        found && !rest[name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let needs_quotes = |name: &String| spelled(name) != *name && is_here(name, at);
    let name = names(draft).into_iter().filter(needs_quotes).max_by_key(String::len)?;
    let mut corrected = statement.clone();
    for at in (0..statement.tokens.len()).rev() {
        let token = &statement.tokens[at];
        if token.kind == Kind::Word && is_here(&name, at) {
            let end = token.range.start + name.len();
            corrected = corrected.replaced(token.range.start..end, &quoting::name(&name));
        }
    }
    (corrected.sql != statement.sql)
        .then(|| format!("{name} goes in double quotes. {}", send_instead(&corrected.sql)))
}

/// Returns the paths that end in the keys of another path.
fn endings(draft: &Draft<'_, '_>, path: &str) -> Vec<String> {
    let path = format!(".{path}").to_lowercase();
    names(draft).into_iter().filter(|name| name.to_lowercase().ends_with(&path)).collect()
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

fn of_other(draft: &Draft<'_, '_>, db: &Connection, failed: &Failed) -> String {
    if let Some(name) = failed.message.strip_prefix("no such function: ") {
        return of_function(name);
    }
    if let Some(name) = failed.message.strip_prefix("ambiguous column name: ") {
        return format!(
            "`{name}` is a column of several tables here: name one, as in records.{name}"
        );
    }
    if let Some((_, here)) =
        dialects::MISUSES.iter().find(|(part, _)| failed.message.contains(part))
    {
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
    if let Some(hint) = (at.saturating_sub(2)..=at).find_map(|at| bare(draft, at)) {
        return hint;
    }
    dialects::at(&draft.statement, at).unwrap_or_default()
}

fn of_function(name: &str) -> String {
    if let Some(here) = dialects::elsewhere(name) {
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
