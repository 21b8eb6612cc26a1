//! One search: runs the searcher over files one after another, and keeps its findings until there
//! are enough or the time is over.

use std::io;

use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use std::io::Read;

use super::answer::{Match, SkipReason, Skipped};
use super::excerpt::{Excerpt, Extent};
use super::line_matcher::LineMatcher;
use super::pattern::Pattern;
use super::query::{Limits, Query};
use super::text::{Entry, Findings, Room};
use super::walk::Step;
use crate::reading::limit::{CountTokens, TruncatedBy};
use crate::reading::watch::{Interruption, Watch, WatchedReader};
use record_files::file::header::TYPE;

/// Maximum number of files that an answer names as not searched.
const NAMED_SKIPS: usize = 20;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The state of a search.
pub(crate) struct Search<'a> {
    matcher: LineMatcher<'a>,
    searcher: Searcher,
    watch: &'a Watch,
    count: CountTokens<'a>,
    bounds: Bounds,
    used_bytes: usize,
    used_tokens: u64,
    pub(crate) findings: Findings,
}

/// Limits on the matches that are kept; further matches are only counted.
struct Bounds {
    /// The number of matches to skip.
    offset: u64,
    /// Maximum number of matches to keep.
    max_matches: u64,
    /// The limit to report if `max_matches` is reached.
    at_max: TruncatedBy,
    /// Maximum number of matches to count.
    counted_matches: u64,
    line_chars: usize,
    /// The size of the answer; more than this need not be kept.
    room: Room,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        query: &Query,
        limits: &Limits,
        count: CountTokens<'a>,
        pattern: &'a Pattern,
        watch: &'a Watch,
    ) -> Self {
        let context = usize::try_from(query.context).unwrap_or(usize::MAX);
        let (max_matches, at_max) = match query.limit {
            Some(limit @ 1..) if limit <= limits.max_matches => (limit, TruncatedBy::Limit),
            _ => (limits.max_matches, TruncatedBy::MaxMatches),
        };
        Self {
            matcher: LineMatcher::new(pattern, watch),
            searcher: SearcherBuilder::new()
                .line_number(true)
                .binary_detection(BinaryDetection::none())
                // Positions are those of the stored bytes, so nothing is decoded.
                .bom_sniffing(false)
                .heap_limit(Some(limits.line_bytes))
                .before_context(context)
                .after_context(context)
                .build(),
            watch,
            count,
            bounds: Bounds {
                offset: query.offset,
                max_matches,
                at_max,
                counted_matches: limits.counted_matches,
                line_chars: limits.line_chars,
                room: Room {
                    bytes: limits.answer_bytes,
                    // The tokens of lines add up to somewhat more than those of
                    // their text, so only a clear excess ends the page.
                    tokens: query.max_tokens.map(|max| max.saturating_mul(2)),
                },
            },
            used_bytes: 0,
            used_tokens: 0,
            findings: Findings::default(),
        }
    }

    pub(crate) fn walk<'w>(&mut self, walk: impl Iterator<Item = Step<'w>>, max_files: usize) {
        for step in walk {
            match step {
                Step::File { .. } if self.findings.files_searched == max_files as u64 => {
                    self.findings.ended = Some(TruncatedBy::Files);
                }
                Step::File { path, file } => self.file(path, file),
                Step::Unreadable { path } => self.skip(path, SkipReason::Unreadable),
                Step::TooDeep { path } => self.skip(path, SkipReason::TooDeep),
                Step::TooMany => self.findings.ended = Some(TruncatedBy::Files),
                Step::Late => self.findings.ended = Some(TruncatedBy::Deadline),
            }
            if self.findings.ended.is_some() {
                return;
            }
        }
    }

    pub(crate) fn file(&mut self, path: String, file: WatchedReader<'_, impl Read>) {
        self.file_from(path, file, 0);
    }

    /// Searches a file from its byte `start`, the first of the reader. A byte order mark at the
    /// start is not part of the first line.
    pub(crate) fn file_from(
        &mut self,
        path: String,
        mut file: WatchedReader<'_, impl Read>,
        start: u64,
    ) {
        self.findings.files_searched += 1;
        self.findings.paths.push(path);
        let mut head = Vec::new();
        let read = (&mut file).take(MARK.len() as u64).read_to_end(&mut head);
        if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
            return self.skip_last(SkipReason::Utf16);
        }
        let rest = head.strip_prefix(MARK).unwrap_or(&head);
        let start = start + (head.len() - rest.len()) as u64;
        let matcher = &self.matcher;
        let mut sink = Collector {
            matcher,
            count: self.count,
            bounds: &self.bounds,
            start,
            used_bytes: &mut self.used_bytes,
            used_tokens: &mut self.used_tokens,
            findings: &mut self.findings,
        };
        let read =
            read.and_then(|_| self.searcher.search_reader(matcher, rest.chain(file), &mut sink));
        if read.is_err() {
            match self.watch.take() {
                Interruption::Deadline => self.findings.ended = Some(TruncatedBy::Deadline),
                Interruption::Unreadable => self.skip_last(SkipReason::Unreadable),
                Interruption::LongLine => self.skip_last(SkipReason::LongLine),
            }
        }
    }

    fn skip_last(&mut self, why: SkipReason) {
        let path = self.findings.paths.last().cloned().unwrap_or_default();
        self.skip(path, why);
    }

    fn skip(&mut self, path: String, why: SkipReason) {
        self.findings.files_skipped += 1;
        if self.findings.skipped.len() < NAMED_SKIPS {
            self.findings.skipped.push(Skipped { path, why });
        }
    }
}

/// Collects the matches of one file.
struct Collector<'a> {
    matcher: &'a LineMatcher<'a>,
    count: CountTokens<'a>,
    bounds: &'a Bounds,
    /// The offset in the file of the reader's first byte.
    start: u64,
    used_bytes: &'a mut usize,
    used_tokens: &'a mut u64,
    findings: &'a mut Findings,
}

impl Collector<'_> {
    /// Keeps one line.
    fn keep(&mut self, entry: Entry) {
        *self.used_bytes += entry.shown.len();
        if self.bounds.room.tokens.is_some() {
            *self.used_tokens += (self.count)(&entry.shown);
        }
        self.findings.kept += u64::from(entry.hit.is_some());
        self.findings.entries.push(entry);
        if *self.used_bytes > self.bounds.room.bytes {
            self.findings.full = Some(TruncatedBy::AnswerBytes);
        } else if self.bounds.room.tokens.is_some_and(|room| *self.used_tokens > room) {
            self.findings.full = Some(TruncatedBy::MaxTokens);
        }
    }

    /// Returns true if the match with this number, from 1, belongs to the page.
    fn shows(&self, number: u64) -> bool {
        self.findings.full.is_none() && number > self.bounds.offset
    }

    fn entry(&self, line: u64, shown: String, hit: Option<Match>) -> Entry {
        Entry { file: self.findings.paths.len() - 1, line, shown, hit }
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.findings.matches += 1;
        let is_header = found.line_number() == Some(1) && is_header(found.bytes());
        self.findings.headers += u64::from(is_header);
        if self.findings.kept == self.bounds.max_matches {
            self.findings.full.get_or_insert(self.bounds.at_max);
        }
        if self.findings.matches > self.bounds.counted_matches && self.findings.full.is_some() {
            self.findings.matches -= 1;
            self.findings.ended = Some(TruncatedBy::MaxMatches);
            return Ok(false);
        }
        if !self.shows(self.findings.matches) {
            return Ok(true);
        }
        let bytes = found.bytes();
        let first = self
            .matcher
            .first_in(bytes.strip_suffix(b"\n").unwrap_or(bytes))
            .map_err(|cause| io::Error::other(cause.to_string()))?;
        let start = first.map_or(0, |found| found.start());
        let excerpt = Excerpt::of(without_terminator(bytes), start, self.bounds.line_chars);
        let line = found.line_number().unwrap_or_default();
        let shown = excerpt.shown(self.start + found.absolute_byte_offset());
        let hit = Match {
            path: self.findings.paths.last().cloned().unwrap_or_default(),
            line,
            column: start as u64 + 1,
            text_truncated: excerpt.extent != Extent::Whole,
            text: excerpt.text,
        };
        self.keep(self.entry(line, shown, Some(hit)));
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let leads_up = *context.kind() == SinkContextKind::Before;
        let one_too_many = leads_up && self.findings.kept == self.bounds.max_matches;
        if one_too_many || !self.shows(self.findings.matches + u64::from(leads_up)) {
            return Ok(true);
        }
        let excerpt = Excerpt::of(without_terminator(context.bytes()), 0, self.bounds.line_chars);
        let line = context.line_number().unwrap_or_default();
        let shown = excerpt.shown(self.start + context.absolute_byte_offset());
        self.keep(self.entry(line, shown, None));
        Ok(true)
    }
}

/// Returns true if the service wrote the line as the header of a file of records.
fn is_header(line: &[u8]) -> bool {
    let start = format!("{{\"type\":\"{TYPE}\"");
    line.starts_with(start.as_bytes())
}

/// Returns the line as its reader sees it.
fn without_terminator(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}
