//! A run: a query asked of all records of a file, on all threads at once.

use std::borrow::Cow;

use chat_history::splice;
use fair_share::on;
use memchr::memchr;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    error::QueryError,
    group::Group,
    nearest,
    part::Part,
    path::Hits,
    request::{Query, Shows},
    sort,
    wanted::Record,
};

/// The bytes that one thread takes at a time.
const PART_BYTES: usize = 256 * 1024;

/// What a query found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The records that were looked at.
    pub records_total: u64,
    /// Those that match; with `ids`, those that match and have one of them.
    pub matched: u64,
    /// The page of matching records: the bytes of the file, or the objects that
    /// `select` makes of them.
    pub records: Vec<Cow<'a, str>>,
    /// The page of groups, where `group_by` was asked.
    pub groups: Option<Vec<Group>>,
    /// How many groups there are on all pages.
    pub groups_total: u64,
    /// The ids that exist, as asked and in that order; none without `ids`.
    pub present: Option<Vec<String>>,
    /// The ids that do not.
    pub absent: Option<Vec<String>>,
    /// Why nothing may have matched, in words.
    pub warnings: Vec<String>,
    /// False where `stop` ended the run before the last record.
    pub complete: bool,
}

/// Asks `query` of `lines`, one JSON value a line; blank lines count for
/// nothing. `stop` is asked now and then from every thread: once it says true
/// the outcome is what has been found, and says so.
///
/// An error is a line that is no JSON, and a field that no record holds (unless
/// there is no record at all, or the run was stopped).
pub fn run<'a>(
    query: &Query,
    lines: &'a str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome<'a>, QueryError> {
    let parts: Vec<Part<'a>> =
        on(|| split(lines).par_iter().map(|part| Part::read(query, lines, part, stop)).collect());
    let mut found = Part::new(query);
    for part in parts {
        found.merge(query, part);
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

/// Cuts a text behind line ends into parts of about the same size.
fn split(lines: &str) -> Vec<&str> {
    let mut parts = Vec::with_capacity(lines.len() / PART_BYTES + 1);
    let mut rest = lines;
    while !rest.is_empty() {
        let after = rest.as_bytes().get(PART_BYTES..).unwrap_or_default();
        let end = memchr(b'\n', after).map_or(rest.len(), |at| PART_BYTES + at + 1);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts
}

fn check_fields(
    query: &Query,
    found: &Part<'_>,
    lines: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), QueryError> {
    let mut paths = query.wanted.paths().iter().zip(&found.seen);
    let Some((path, _)) = paths.find(|(_, seen)| !**seen) else { return Ok(()) };
    Err(QueryError::UnknownField {
        found: path.name(),
        nearest: nearest::fields(&path.text, lines, stop),
    })
}

fn misfits(query: &Query, found: &Part<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (test, memory) in query.tests.iter().zip(&found.memories) {
        let field = query.wanted.paths()[test.path].name();
        if let Some(warning) = test.comparison.misfit(&field, memory.kinds)
            && !warnings.contains(&warning)
        {
            warnings.push(warning);
        }
    }
    warnings
}

/// The object of the selected fields in the order asked; the record itself
/// where none are selected. A missing field is left out, a path through an
/// array gives an array.
fn project<'a>(query: &Query, text: &'a str) -> Cow<'a, str> {
    let mut record = Record::default();
    if query.select.is_empty() || query.wanted.read(text, &mut record).is_err() {
        return Cow::Borrowed(text);
    }
    let mut out = String::from("{");
    let mut hits = Hits::default();
    for selected in &query.select {
        query.wanted.find(selected.path, &record, &mut hits);
        if hits.values.is_empty() {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&splice::quote(&selected.name));
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
