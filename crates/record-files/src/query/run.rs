//! Runs a query over all records of a file, on all threads.

use std::borrow::Cow;

use fair_share::on;
use memchr::memchr;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    chunk::Chunk,
    error::QueryError,
    group::Group,
    json::{path::Hits, path_set::Record},
    nearest,
    request::{Query, Shows},
    sort,
};

/// The bytes of a chunk.
const CHUNK_BYTES: usize = 256 * 1024;

/// The outcome of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The number of records that were read.
    pub records_total: u64,
    /// The number of records that match; with `ids`, of those that also have one of the ids.
    pub matched: u64,
    /// The page of matching records: bytes of the file, or objects with the selected fields.
    pub records: Vec<Cow<'a, str>>,
    /// The page of groups, if the query has `group_by`.
    pub groups: Option<Vec<Group>>,
    /// The number of groups on all pages.
    pub groups_total: u64,
    /// The ids that exist, in the order of the request; None without `ids`.
    pub present: Option<Vec<String>>,
    /// The ids that do not exist.
    pub absent: Option<Vec<String>>,
    /// Possible reasons why nothing matched.
    pub warnings: Vec<String>,
    /// False if `stop` ended the run before the last record.
    pub complete: bool,
}

/// Runs `query` over `lines`, one JSON value each; skips blank lines. Every thread calls `stop`
/// repeatedly: when it returns true, the outcome has the matches so far.
///
/// # Errors
///
/// Fails if a line is not JSON. Fails if no record has a field of the query, unless there are
/// no records or the run was stopped.
pub fn run<'a>(
    query: &Query,
    lines: &'a str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome<'a>, QueryError> {
    let chunks: Vec<Chunk<'a>> = on(|| {
        split(lines).par_iter().map(|chunk| Chunk::read(query, lines, chunk, stop)).collect()
    });
    let mut found = Chunk::new(query);
    for chunk in chunks {
        found.merge(query, chunk);
    }
    if let Some(fault) = found.fault {
        return Err(fault);
    }
    if found.complete && found.records > 0 {
        check_fields(query, &found, lines, stop)?;
    }
    let warnings = if found.matched == 0 { misfits(query, &found) } else { Vec::new() };
    let (present, absent) = match &query.ids {
        Some(ids) => {
            let (present, absent) = ids.split(&found.ids);
            (Some(present), Some(absent))
        }
        None => (None, None),
    };
    sort::sort(&query.sort_by, &mut found.entries);
    let page = page(query, found.entries);
    let records = page.map(|entry| project(query, entry.text)).collect();
    let groups = found.groups.ranked();
    let groups_total = groups.len() as u64;
    Ok(Outcome {
        records_total: found.records,
        matched: found.matched,
        records,
        groups: (query.shows == Shows::Groups).then(|| self::page(query, groups).collect()),
        groups_total,
        present,
        absent,
        warnings,
        complete: found.complete,
    })
}

fn page<T>(query: &Query, all: Vec<T>) -> impl Iterator<Item = T> {
    all.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX))
}

/// Splits a text at line ends into chunks of about the same size.
fn split(lines: &str) -> Vec<&str> {
    let mut chunks = Vec::with_capacity(lines.len() / CHUNK_BYTES + 1);
    let mut rest = lines;
    while !rest.is_empty() {
        let after = rest.as_bytes().get(CHUNK_BYTES..).unwrap_or_default();
        let end = memchr(b'\n', after).map_or(rest.len(), |at| CHUNK_BYTES + at + 1);
        let (chunk, behind) = rest.split_at(end);
        chunks.push(chunk);
        rest = behind;
    }
    chunks
}

fn check_fields(
    query: &Query,
    found: &Chunk<'_>,
    lines: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), QueryError> {
    let mut paths = query.paths.all().iter().zip(&found.seen);
    let Some((path, _)) = paths.find(|(_, seen)| !**seen) else { return Ok(()) };
    Err(QueryError::UnknownField {
        found: path.name(),
        nearest: nearest::fields(&path.text, lines, stop),
    })
}

fn misfits(query: &Query, found: &Chunk<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (test, state) in query.tests.iter().zip(&found.states) {
        let field = query.paths.all()[test.path].name();
        if let Some(warning) = test.comparison.misfit(&field, state.kinds)
            && !warnings.contains(&warning)
        {
            warnings.push(warning);
        }
    }
    warnings
}

/// Returns an object with the selected fields in their order; the record itself if none are
/// selected. Missing fields are left out. A path through an array gives an array.
fn project<'a>(query: &Query, text: &'a str) -> Cow<'a, str> {
    let mut record = Record::default();
    if query.select.is_empty() || query.paths.read(text, &mut record).is_err() {
        return Cow::Borrowed(text);
    }
    let mut out = String::from("{");
    let mut hits = Hits::default();
    for selected in &query.select {
        query.paths.find(selected.path, &record, &mut hits);
        if hits.values.is_empty() {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&raw_json::quote(&selected.name));
        out.push(':');
        if hits.many {
            out.push('[');
            out.push_str(&hits.values.join(","));
            out.push(']');
        } else {
            out.push_str(hits.values[0]);
        }
    }
    out.push('}');
    Cow::Owned(out)
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
