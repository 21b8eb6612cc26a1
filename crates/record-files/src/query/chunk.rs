//! A chunk: the lines of a file that one thread reads, and the matches in them.

use raw_json as raw;

use super::{
    condition::ComparisonState,
    error::QueryError,
    group::Groups,
    json::{path::Hits, path_set::Record},
    request::{Query, Shows},
    sort::{self, Entry},
};

/// The bytes between two calls of `stop`: a fraction of a millisecond of work.
const STOP_BYTES: usize = 64 * 1024;

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
    /// For each path of the query, whether a record has it.
    pub(super) seen: Vec<bool>,
    /// The state of each comparison of the query.
    pub(super) states: Vec<ComparisonState>,
    pub(super) complete: bool,
    /// The error of a line that is not a record; its line number counts in this chunk.
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
            seen: vec![false; query.paths.all().len()],
            states: vec![ComparisonState::default(); query.tests.len()],
            complete: true,
            fault: None,
        }
    }

    /// Reads `lines`, a slice of `whole`, until their end, or until `stop` returns true or a
    /// line is not JSON.
    pub(super) fn read(
        query: &Query,
        whole: &'a str,
        lines: &'a str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let mut chunk = Self::new(query);
        let mut record = Record::default();
        let mut hits = Hits::default();
        let mut since = 0;
        if stop() {
            chunk.complete = false;
            return chunk;
        }
        for line in lines.split_inclusive('\n') {
            if since > STOP_BYTES {
                since = 0;
                if stop() {
                    chunk.complete = false;
                    return chunk;
                }
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
                return chunk;
            }
            chunk.records += 1;
            chunk.take(query, &record, &mut hits, raw::offset_in(whole, line));
        }
        chunk
    }

    fn take(&mut self, query: &Query, record: &Record<'a>, hits: &mut Hits<'a>, place: usize) {
        for (path, seen) in self.seen.iter_mut().enumerate() {
            if !*seen {
                query.paths.find(path, record, hits);
                *seen = !hits.values.is_empty();
            }
        }
        let states = &mut self.states;
        let holds = query.condition.as_ref().is_none_or(|condition| {
            condition.holds(&mut |index| {
                let test = &query.tests[index];
                query.paths.find(test.path, record, hits);
                test.comparison.holds(&hits.values, &mut states[index])
            })
        });
        if !holds {
            return;
        }
        if let Some(ids) = &query.ids {
            query.paths.find(ids.path, record, hits);
            if !ids.find(&hits.values, &mut self.ids) {
                return;
            }
        }
        self.matched += 1;
        match (query.shows, query.group_by) {
            (Shows::Records, _) => self.keep(query, record, hits, place),
            (Shows::Groups, Some(path)) => {
                query.paths.find(path, record, hits);
                self.groups.add(hits);
            }
            _ => {}
        }
    }

    fn keep(&mut self, query: &Query, record: &Record<'a>, hits: &mut Hits<'a>, place: usize) {
        let room = query.room();
        if query.sort_by.is_empty() && self.entries.len() >= room {
            return;
        }
        let entry = Entry::new(&query.sort_by, &query.paths, record, hits, place);
        sort::keep(&query.sort_by, &mut self.entries, entry, room);
    }

    /// Adds the matches in the lines that follow.
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
        for (seen, later) in self.seen.iter_mut().zip(later.seen) {
            *seen |= later;
        }
        for (state, later) in self.states.iter_mut().zip(later.states) {
            state.kinds |= later.kinds;
        }
        for entry in later.entries {
            sort::keep(&query.sort_by, &mut self.entries, entry, query.room());
        }
    }
}
