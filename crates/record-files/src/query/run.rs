//! Runs a query over all records of a file, in parallel.

use std::borrow::Cow;

use fair_share::on;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{
    chunk::{CHUNK_BYTES, Chunk},
    error::QueryError,
    explain,
    group::Group,
    ids,
    json::{path::Hits, path_set::Record},
    misfit::misfit_error,
    near_ids, nearest,
    plan::{Plan, infer},
    request::{Query, Shows},
    sort,
};

/// Number of bytes at the start from which the types of the fields are first inferred.
const SAMPLE_BYTES: usize = 64 * 1024;
/// The note if the time is over before all notes are written.
const LATE: &str = "the time for one query was over before all notes on this answer were made";

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
    /// The ids that exist and meet the condition, in the order of the request; `None` without
    /// `ids`.
    pub present: Option<Vec<String>>,
    /// The ids that do not exist.
    pub absent: Option<Vec<String>>,
    /// The ids that exist but do not meet the condition; `None` without ids or without a condition.
    pub excluded: Option<Vec<String>>,
    /// How values were read, and possible reasons why nothing matched.
    pub notes: Vec<String>,
    /// False if `stop` ended the run before the last record.
    pub complete: bool,
}

/// Runs `query` over `lines`, one JSON value each; skips blank lines. Every thread calls `stop`
/// repeatedly; when it returns true, the outcome contains the matches so far.
///
/// # Errors
///
/// Fails if a line is not JSON. Fails if no record has a field of the query, or if an operand
/// cannot be a value of its field, unless there are no records or the run was stopped.
pub fn run<'a>(
    query: &Query,
    lines: &'a str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome<'a>, QueryError> {
    let (plan, found) = read(query, lines, stop)?;
    let is_whole = found.complete && found.records > 0;
    if let Some(ids) = query.ids.as_ref().filter(|ids| is_whole && !found.seen[ids.path])
        && ids.is_default
        && let Some((field, _)) = ids.guess_field(lines, stop)
    {
        let mut outcome = run(&query.with_id_field(&field)?, lines, stop)?;
        outcome.notes.insert(0, format!("no record has id; the ids are values of {field}"));
        return Ok(outcome);
    }
    if is_whole {
        check_fields(query, &found, lines, stop)?;
    }
    let mut notes = explain::readings(&plan, &found);
    if found.matched == 0 && is_whole && query.ids.is_none() {
        notes.extend(explain::no_matches(&plan, lines, stop));
    }
    if is_whole {
        notes.extend(explain::never_held(&plan, &found, lines, stop));
        notes.extend(found.watch.notes(&plan, found.matched));
        if let Some(path) = query.group_by.filter(|_| found.groups.has_lists) {
            let field = query.paths.all()[path].name();
            let empty = if found.groups.has_empty() { "; [] is an empty list" } else { "" };
            notes.push(format!("a record counts once for each different value in {field}{empty}"));
        }
        if stop() {
            notes.push(LATE.to_owned());
        }
    }
    let parted = query.ids.as_ref().map(|ids| ids.split(&found.ids, &found.ids_met));
    if let (Some(ids), Some(parted)) = (&query.ids, &parted) {
        notes.extend(near_ids::near_misses(query, ids, &parted.absent, lines, stop));
        if parted.present.is_empty() && parted.excluded.is_empty() && is_whole {
            notes.extend(near_ids::other_field(query, ids, lines, stop));
        }
    }
    Ok(outcome(query, found, parted, notes))
}

fn outcome<'a>(
    query: &Query,
    mut found: Chunk<'a>,
    parted: Option<ids::Split>,
    notes: Vec<String>,
) -> Outcome<'a> {
    sort::sort(&query.sort_by, &mut found.entries);
    let page = page(query, found.entries);
    let records = page.map(|entry| project(query, entry.text)).collect();
    let groups = found.groups.ranked();
    let groups_total = groups.len() as u64;
    let ids::Split { present, absent, excluded } = parted.unwrap_or_default();
    let has_ids = query.ids.is_some();
    Outcome {
        records_total: found.records,
        matched: found.matched,
        records,
        groups: (query.shows == Shows::Groups).then(|| self::page(query, groups).collect()),
        groups_total,
        present: has_ids.then_some(present),
        absent: has_ids.then_some(absent),
        excluded: (has_ids && query.condition.is_some()).then_some(excluded),
        notes,
        complete: found.complete,
    }
}

/// Reads all records with the types of the first ones, and again if all records give other types.
fn read<'q, 'a>(
    query: &'q Query,
    lines: &'a str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Plan<'q>, Chunk<'a>), QueryError> {
    let sample = infer(query, &lines[..raw_json::line_end(lines, SAMPLE_BYTES)], stop);
    if let Ok(plan) = Plan::new(query, &sample) {
        let mut found = chunks(&plan, lines, stop)?;
        found.facts.iter_mut().zip(&sample).for_each(|(facts, sample)| facts.merge(*sample));
        if !found.complete || plan.agrees(&found.facts) {
            return Ok((plan, found));
        }
    }
    let facts = infer(query, lines, stop);
    let plan =
        Plan::new(query, &facts).map_err(|misfit| misfit_error(query, &misfit, lines, &facts))?;
    let found = chunks(&plan, lines, stop)?;
    Ok((plan, found))
}

fn chunks<'a>(
    plan: &Plan<'_>,
    lines: &'a str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Chunk<'a>, QueryError> {
    let parts: Vec<&str> = raw_json::parts(lines, CHUNK_BYTES).collect();
    let chunks: Vec<Chunk<'a>> =
        on(|| parts.par_iter().map(|part| Chunk::read(plan, lines, part, stop)).collect());
    let mut found = Chunk::new(plan.query);
    for chunk in chunks {
        found.merge(plan.query, chunk);
    }
    match found.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(found),
    }
}

fn page<T>(query: &Query, all: Vec<T>) -> impl Iterator<Item = T> {
    all.into_iter().skip(query.offset).take(query.limit.unwrap_or(usize::MAX))
}

fn check_fields(
    query: &Query,
    found: &Chunk<'_>,
    lines: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), QueryError> {
    let is_named = |index: usize| query.shared.iter().all(|shared| shared.path != index);
    let mut paths = query.paths.all().iter().zip(&found.seen).enumerate();
    let unknown = paths.find(|(index, (_, seen))| !**seen && is_named(*index));
    let Some((_, (path, _))) = unknown else { return Ok(()) };
    Err(QueryError::UnknownField {
        found: path.name(),
        nearest: nearest::fields(&path.text, lines, stop),
    })
}

/// Returns an object with the selected fields in their order; the record itself if none are
/// selected. Omits missing fields. A path through an array gives an array.
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
pub(super) mod tests;
