//! A chunk: the lines of a file that one thread reads, and the matches in them.

use raw_json as raw;

use super::{
    condition::Evaluator,
    error::QueryError,
    group::Groups,
    json::path_set::Record,
    plan::Plan,
    request::{Query, Shows},
    sort::{self, Entry},
    typed::Facts,
    watch::Watch,
};

/// Number of bytes between two calls of `stop`: a fraction of a millisecond of work.
const STOP_BYTES: usize = 64 * 1024;

/// Size of a chunk, in bytes.
pub(super) const CHUNK_BYTES: usize = 256 * 1024;

/// The matches in some lines.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    /// The number of lines, blank ones included.
    pub(super) lines: u64,
    pub(super) records: u64,
    pub(super) matched: u64,
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) groups: Groups<'a>,
    /// The positions of the ids that exist.
    pub(super) ids: Vec<usize>,
    /// The positions of the ids whose records meet the condition.
    pub(super) ids_met: Vec<usize>,
    /// For each path of the query, whether a record has it.
    pub(super) seen: Vec<bool>,
    /// For each path of the query, the facts about the values that were compared.
    pub(super) facts: Vec<Facts>,
    /// For each comparison, whether it held for a record, ignoring its negation.
    pub(super) held: Vec<bool>,
    pub(super) watch: Watch,
    /// For each shared array, whether an element was selected.
    pub(super) chosen: Vec<bool>,
    /// For each sort key, the number of matching records without a value.
    pub(super) missing: Vec<u64>,
    pub(super) complete: bool,
    /// The error of a line that is not a record; its line number is relative to this chunk.
    pub(super) fault: Option<QueryError>,
}

impl<'a> Chunk<'a> {
    pub(super) fn new(query: &Query) -> Self {
        Self {
            lines: 0,
            records: 0,
            matched: 0,
            entries: Vec::new(),
            groups: Groups::default(),
            ids: Vec::new(),
            ids_met: Vec::new(),
            seen: vec![false; query.paths.all().len()],
            facts: vec![Facts::default(); query.paths.all().len()],
            held: vec![false; query.tests.len()],
            watch: Watch::new(&query.tests),
            chosen: vec![false; query.shared.len()],
            missing: vec![0; query.sort_by.len()],
            complete: true,
            fault: None,
        }
    }

    /// Reads `lines`, a slice of `whole`, to the end, or until `stop` returns true or a line is not
    /// JSON.
    pub(super) fn read(
        plan: &Plan<'_>,
        whole: &'a str,
        lines: &'a str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let query = plan.query;
        let mut chunk = Self::new(query);
        let mut evaluator =
            Evaluator::new(&query.paths, &query.tests, &plan.typed, &query.shared, stop);
        let mut record = Record::default();
        let mut since = STOP_BYTES;
        for line in raw::lines(lines) {
            if since >= STOP_BYTES {
                since = 0;
                chunk.complete = !stop();
            }
            chunk.complete &= !evaluator.is_stopped;
            if !chunk.complete {
                break;
            }
            since += line.len();
            chunk.lines += 1;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if let Err(fault) = query.paths.read(line, &mut record) {
                chunk.fault = Some(QueryError::NotJson {
                    line: chunk.lines,
                    at: fault.at,
                    expected: fault.expected,
                });
                break;
            }
            chunk.records += 1;
            chunk.take(plan, &record, &mut evaluator, raw::offset_in(whole, line));
        }
        chunk.complete &= !evaluator.is_stopped;
        chunk.facts = evaluator.facts;
        chunk.held = evaluator.held;
        chunk.chosen = evaluator.chosen;
        chunk
    }

    fn take(
        &mut self,
        plan: &Plan<'_>,
        record: &Record<'a>,
        evaluator: &mut Evaluator<'_, 'a>,
        place: usize,
    ) {
        let query = plan.query;
        let mut hits = std::mem::take(&mut evaluator.hits);
        for (path, seen) in self.seen.iter_mut().enumerate() {
            if !*seen {
                query.paths.find(path, record, &mut hits);
                *seen = !hits.values.is_empty();
            }
        }
        for path in &plan.checked {
            query.paths.find(*path, record, &mut hits);
            let facts = &mut evaluator.facts[*path];
            hits.values.iter().for_each(|value| facts.add_with_elements(value));
        }
        self.watch.any(plan, record, &mut hits);
        let before = self.ids.len();
        let has_id = query.ids.as_ref().is_none_or(|ids| {
            query.paths.find(ids.path, record, &mut hits);
            ids.find(&hits.values, &mut self.ids)
        });
        evaluator.hits = hits;
        let condition = query.condition.as_ref();
        if !has_id || !condition.is_none_or(|condition| evaluator.holds(condition, record)) {
            return;
        }
        self.ids_met.extend_from_slice(&self.ids[before..]);
        self.matched += 1;
        self.watch.matched(plan, record, &mut evaluator.hits);
        match (query.shows, query.group_by) {
            (Shows::Records, _) => self.keep(plan, record, evaluator, place),
            (Shows::Groups, Some(path)) => {
                query.paths.find(path, record, &mut evaluator.hits);
                self.groups.add(&evaluator.hits);
            }
            _ => {}
        }
    }

    fn keep(
        &mut self,
        plan: &Plan<'_>,
        record: &Record<'a>,
        evaluator: &mut Evaluator<'_, 'a>,
        place: usize,
    ) {
        let Evaluator { hits, facts, .. } = evaluator;
        let query = plan.query;
        let room = query.room();
        if query.sort_by.is_empty() && self.entries.len() >= room {
            return;
        }
        for key in &query.sort_by {
            if !plan.checked.contains(&key.path) {
                query.paths.find(key.path, record, hits);
                hits.values.iter().for_each(|value| facts[key.path].add_with_elements(value));
            }
        }
        let entry = Entry::new(plan, record, hits, place);
        for (key, missing) in self.missing.iter_mut().enumerate() {
            *missing += u64::from(entry.lacks(key));
        }
        sort::keep(&query.sort_by, &mut self.entries, entry, room);
    }

    /// Adds the matches of the lines after these.
    pub(super) fn merge(&mut self, query: &Query, mut later: Self) {
        if self.fault.is_some() {
            return;
        }
        if let Some(QueryError::NotJson { line, .. }) = &mut later.fault {
            *line += self.lines;
        }
        self.fault = later.fault;
        self.lines += later.lines;
        self.records += later.records;
        self.matched += later.matched;
        self.complete &= later.complete;
        self.groups.merge(later.groups);
        self.ids.append(&mut later.ids);
        self.ids_met.append(&mut later.ids_met);
        self.seen.iter_mut().zip(later.seen).for_each(|(seen, later)| *seen |= later);
        self.facts.iter_mut().zip(later.facts).for_each(|(facts, later)| facts.merge(later));
        self.held.iter_mut().zip(later.held).for_each(|(one, later)| *one |= later);
        self.watch.merge(later.watch);
        self.chosen.iter_mut().zip(later.chosen).for_each(|(one, later)| *one |= later);
        self.missing.iter_mut().zip(later.missing).for_each(|(count, later)| *count += later);
        for entry in later.entries {
            sort::keep(&query.sort_by, &mut self.entries, entry, query.room());
        }
    }
}
