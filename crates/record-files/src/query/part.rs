//! A part of a file: the lines that one thread goes through, and what it finds.

use chat_history::raw;

use super::{
    compare::Memory,
    error::QueryError,
    group::Groups,
    path::Hits,
    request::{Query, Shows},
    sort::{self, Entry},
    wanted::Record,
};

/// Bytes between two looks at the clock: a fraction of a millisecond of work.
const STOP_BYTES: usize = 64 * 1024;

/// What has been found in some lines.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// Blank ones included.
    pub(super) lines: u64,
    pub(super) records: u64,
    pub(super) matched: u64,
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) groups: Groups<'a>,
    /// The places of the ids that exist.
    pub(super) ids: Vec<usize>,
    /// For each path of the query whether some record holds it.
    pub(super) seen: Vec<bool>,
    /// For each comparison of the query what it has met.
    pub(super) memories: Vec<Memory>,
    pub(super) complete: bool,
    /// The line, counted in this part, and why it is no record.
    pub(super) fault: Option<QueryError>,
}

impl<'a> Part<'a> {
    pub(super) fn new(query: &Query) -> Self {
        Self {
            lines: 0,
            records: 0,
            matched: 0,
            entries: Vec::new(),
            groups: Groups::default(),
            ids: Vec::new(),
            seen: vec![false; query.wanted.paths().len()],
            memories: vec![Memory::default(); query.tests.len()],
            complete: true,
            fault: None,
        }
    }

    /// Goes through `lines`, a slice of `whole`, until they end or `stop` says
    /// so or a line is no JSON.
    pub(super) fn read(
        query: &Query,
        whole: &'a str,
        lines: &'a str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let mut part = Self::new(query);
        let mut record = Record::default();
        let mut hits = Hits::default();
        let mut since = 0;
        if stop() {
            part.complete = false;
            return part;
        }
        for line in lines.split_inclusive('\n') {
            if since > STOP_BYTES {
                since = 0;
                if stop() {
                    part.complete = false;
                    return part;
                }
            }
            since += line.len();
            part.lines += 1;
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            if let Err(fault) = query.wanted.read(line, &mut record) {
                part.fault = Some(QueryError::NotJson {
                    line: part.lines,
                    at: fault.at,
                    expected: fault.expected,
                });
                return part;
            }
            part.records += 1;
            part.take(query, &record, &mut hits, raw::offset_in(whole, line));
        }
        part
    }

    fn take(&mut self, query: &Query, record: &Record<'a>, hits: &mut Hits<'a>, place: usize) {
        for (path, seen) in self.seen.iter_mut().enumerate() {
            if !*seen {
                query.wanted.find(path, record, hits);
                *seen = !hits.values.is_empty();
            }
        }
        let memories = &mut self.memories;
        let holds = query.condition.as_ref().is_none_or(|condition| {
            condition.holds(&mut |index| {
                let test = &query.tests[index];
                query.wanted.find(test.path, record, hits);
                test.comparison.holds(&hits.values, &mut memories[index])
            })
        });
        if !holds {
            return;
        }
        if let Some(ids) = &query.ids {
            query.wanted.find(ids.path, record, hits);
            if !ids.find(&hits.values, &mut self.ids) {
                return;
            }
        }
        self.matched += 1;
        match (query.shows, query.group_by) {
            (Shows::Records, _) => self.keep(query, record, hits, place),
            (Shows::Groups, Some(path)) => {
                query.wanted.find(path, record, hits);
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
        let entry = Entry::new(&query.sort_by, &query.wanted, record, hits, place);
        sort::keep(&query.sort_by, &mut self.entries, entry, room);
    }

    /// Adds what was found in the lines that follow.
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
        for (memory, later) in self.memories.iter_mut().zip(later.memories) {
            memory.kinds |= later.kinds;
        }
        for entry in later.entries {
            sort::keep(&query.sort_by, &mut self.entries, entry, query.room());
        }
    }
}
