//! Finds the meaning of a name that SQLite does not know: a table of a file, a nested path, or
//! the whole record.

use crate::prepare::draft::{Draft, Extra, Fix};
use crate::prepare::failed::Failed;
use crate::records::fields::Fields;

/// The name of the column with the whole record.
const RECORD: &str = "record";

/// Returns the change for a failed statement; None if there is none.
pub(crate) fn resolve(draft: &Draft<'_, '_>, failed: &Failed) -> Option<Fix> {
    if failed.denied.is_some() {
        return None;
    }
    if let Some(name) = failed.unknown_table() {
        let source = draft.sources.iter().position(|source| source.is_named(name))?;
        return Some(Fix::Table { name: name.to_owned(), source });
    }
    let chain = failed.unknown_column(&draft.statement)?;
    let last = chain.parts.last()?;
    for from in 0..chain.parts.len().min(2) {
        let path = chain.path(from);
        let known = draft.sources.iter().find_map(|source| {
            let of = |fields: &Fields| Some(fields.names()[fields.find(&path)?].clone());
            // A top-level key may have dots, too.
            of(&source.paths().plain).or_else(|| of(&source.shape.fields))
        });
        if let Some(known) = known {
            if chain.parts.len() - from > 1 {
                return Some(Fix::Path { chain, from, path: known });
            }
            // A top-level field is a column already, and not of the table that is asked.
            return Some(Fix::Column(Extra { name: last.name.clone(), path: Some(known) }));
        }
    }
    if last.name.eq_ignore_ascii_case(RECORD) {
        return Some(Fix::Column(Extra { name: RECORD.to_owned(), path: None }));
    }
    let path = underscored(draft, &last.name)?;
    Some(Fix::Column(Extra { name: last.name.clone(), path: Some(path) }))
}

/// Returns the only path whose dots are underscores in `name`.
fn underscored(draft: &Draft<'_, '_>, name: &str) -> Option<String> {
    let mut paths: Vec<&String> = draft
        .sources
        .iter()
        .flat_map(|source| source.paths().plain.names())
        .filter(|path| {
            path.len() == name.len() && path.replace('.', "_").eq_ignore_ascii_case(name)
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    match paths.as_slice() {
        [path] => Some((*path).clone()),
        _ => None,
    }
}
