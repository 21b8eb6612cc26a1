//! One search: it takes files one after another, runs the searcher over them,
//! and keeps what it finds until there is enough, or no time is left.

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
use super::walk::{Step, Walk};
use crate::reading::limit::{CountTokens, TruncatedBy};
use crate::reading::watch::{Interruption, Watch, WatchedReader};

/// The most files that an answer names as not searched.
const NAMED_SKIPS: usize = 20;

/// One search on its way through the files.
pub(crate) struct Search<'a> {
    matcher: LineMatcher<'a>,
    searcher: Searcher,
    watch: &'a Watch,
    count: CountTokens<'a>,
    max_matches: u64,
    /// The limit to report if `max_matches` is reached.
    at_max: TruncatedBy,
    line_chars: usize,
    /// More than this cannot be in the answer, so it need not be found.
    room: Room,
    used_bytes: usize,
    used_tokens: u64,
    pub(crate) findings: Findings,
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
                // Positions are those of the stored bytes, so nothing is
                // decoded on the way.
                .bom_sniffing(false)
                .heap_limit(Some(limits.line_bytes))
                .before_context(context)
                .after_context(context)
                .build(),
            watch,
            count,
            max_matches,
            at_max,
            line_chars: limits.line_chars,
            room: Room {
                bytes: limits.answer_bytes,
                // The tokens of lines add up to somewhat more than those of
                // their text, so only a clear excess ends the search.
                tokens: query.max_tokens.map(|max| max.saturating_mul(2)),
            },
            used_bytes: 0,
            used_tokens: 0,
            findings: Findings::default(),
        }
    }

    pub(crate) fn walk(&mut self, walk: Walk<'_>, max_files: usize) {
        for step in walk {
            match step {
                Step::File { .. } if self.findings.files_searched == max_files as u64 => {
                    self.findings.cut = Some(TruncatedBy::Files);
                }
                Step::File { path, file } => self.file(path, file),
                Step::Unreadable { path } => self.skip(path, SkipReason::Unreadable),
                Step::TooDeep { path } => self.skip(path, SkipReason::TooDeep),
                Step::TooMany => self.findings.cut = Some(TruncatedBy::Files),
                Step::Late => self.late(),
            }
            if self.findings.cut.is_some() {
                return;
            }
        }
    }

    pub(crate) fn file(&mut self, path: String, file: WatchedReader<'_, impl Read>) {
        self.findings.files_searched += 1;
        self.findings.paths.push(path);
        let matcher = &self.matcher;
        let mut sink = Collector {
            matcher,
            count: self.count,
            max_matches: self.max_matches,
            at_max: self.at_max,
            line_chars: self.line_chars,
            room: &self.room,
            used_bytes: &mut self.used_bytes,
            used_tokens: &mut self.used_tokens,
            findings: &mut self.findings,
        };
        if self.searcher.search_reader(matcher, file, &mut sink).is_err() {
            match self.watch.take() {
                Interruption::Deadline => self.late(),
                Interruption::Unreadable => self.skip_last(SkipReason::Unreadable),
                Interruption::LongLine => self.skip_last(SkipReason::LongLine),
            }
        }
    }

    /// Past its last match a search only looks whether there is one more.
    fn late(&mut self) {
        let full = self.findings.matches == self.max_matches;
        self.findings.cut = Some(if full { self.at_max } else { TruncatedBy::Deadline });
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

/// Takes what the searcher finds in one file.
struct Collector<'a> {
    matcher: &'a LineMatcher<'a>,
    count: CountTokens<'a>,
    max_matches: u64,
    at_max: TruncatedBy,
    line_chars: usize,
    room: &'a Room,
    used_bytes: &'a mut usize,
    used_tokens: &'a mut u64,
    findings: &'a mut Findings,
}

impl Collector<'_> {
    /// Keeps one line, and says whether there may be room for another.
    fn keep(&mut self, entry: Entry) -> bool {
        *self.used_bytes += entry.shown.len();
        if self.room.tokens.is_some() {
            *self.used_tokens += (self.count)(&entry.shown);
        }
        self.findings.matches += u64::from(entry.hit.is_some());
        self.findings.entries.push(entry);
        if *self.used_bytes > self.room.bytes {
            self.findings.cut = Some(TruncatedBy::AnswerBytes);
        } else if self.room.tokens.is_some_and(|room| *self.used_tokens > room) {
            self.findings.cut = Some(TruncatedBy::MaxTokens);
        }
        self.findings.cut.is_none()
    }

    fn entry(&self, line: u64, shown: String, hit: Option<Match>) -> Entry {
        Entry { file: self.findings.paths.len() - 1, line, shown, hit }
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.findings.matches == self.max_matches {
            self.findings.cut = Some(self.at_max);
            return Ok(false);
        }
        let bytes = found.bytes();
        let first = self
            .matcher
            .first_in(bytes.strip_suffix(b"\n").unwrap_or(bytes))
            .map_err(|cause| io::Error::other(cause.to_string()))?;
        let start = first.map_or(0, |found| found.start());
        let excerpt = Excerpt::of(without_terminator(bytes), start, self.line_chars);
        let line = found.line_number().unwrap_or_default();
        let shown = excerpt.shown(found.absolute_byte_offset());
        let hit = Match {
            path: self.findings.paths.last().cloned().unwrap_or_default(),
            line,
            column: start as u64 + 1,
            text_truncated: excerpt.extent != Extent::Whole,
            text: excerpt.text,
        };
        Ok(self.keep(self.entry(line, shown, Some(hit))))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        // Context before a match that is one too many.
        let leads_up = *context.kind() == SinkContextKind::Before;
        if leads_up && self.findings.matches == self.max_matches {
            self.findings.cut = Some(self.at_max);
            return Ok(false);
        }
        let excerpt = Excerpt::of(without_terminator(context.bytes()), 0, self.line_chars);
        let line = context.line_number().unwrap_or_default();
        let shown = excerpt.shown(context.absolute_byte_offset());
        Ok(self.keep(self.entry(line, shown, None)))
    }
}

/// The line as its reader sees it.
fn without_terminator(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}
