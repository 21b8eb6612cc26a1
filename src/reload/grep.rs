//! `grep`: the lines of stored files that match a pattern. It finds what
//! ripgrep finds in the same bytes, binary or not; only an end that a pattern
//! asserts (`foo$`) also matches before the carriage return of a CRLF line.
//! Hits come in the string order of their paths, then by line; whatever cuts
//! an answer leaves the first of them, and is named in it. How the answer
//! reads is `grep_text`'s subject.

use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

use cap_std::fs::File;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkMatch,
};
use serde::Serialize;

use super::{
    CountTokens, ReloadError, Target, Why, check_max_tokens,
    excerpt::{Excerpt, Extent},
    grep_text::{self, Entry, Findings},
    line_matcher::LineMatcher,
    pattern::Pattern,
    regular_file::{self, Opened},
    walk::{self, Step, Walk},
    watch::{Interruption, Watch, WatchedReader},
};

/// The most files that an answer names as not searched.
const NAMED_SKIPS: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseMode {
    Ignore,
    Sensitive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Regex,
    Literal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub pattern: String,
    /// As ripgrep's `-g`; none or empty selects every file.
    pub glob: Option<String>,
    /// The most matching lines; none or 0 leaves it to the ceiling.
    pub limit: Option<u64>,
    /// Lines shown before and after each match.
    pub context: u64,
    pub case: CaseMode,
    pub syntax: Syntax,
    pub max_tokens: Option<u64>,
}

/// The ceilings on one search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub pattern_bytes: usize,
    /// Of the compiled pattern, and of the caches it works with.
    pub compile_bytes: usize,
    pub deadline: Duration,
    pub max_matches: u64,
    pub answer_bytes: usize,
    /// Characters shown of a longer line.
    pub line_chars: usize,
    /// Files visited, and entries listed in one folder.
    pub files: usize,
    pub context_lines: u64,
    /// The longest line that is held in memory, with the context before it. A
    /// file with a longer one is searched up to it and then named as skipped.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pattern_bytes: 1024,
            compile_bytes: 1024 * 1024,
            deadline: Duration::from_secs(3),
            max_matches: 10_000,
            answer_bytes: 1024 * 1024,
            line_chars: 500,
            files: 100_000,
            context_lines: 50,
            line_bytes: 64 * 1024 * 1024,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Match {
    /// Relative to the searched folder; the file name where a file is searched.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// Of the first match in the line: from 1, in bytes as stored.
    pub column: u64,
    /// The line without its terminator, or a window on it.
    pub text: String,
    pub text_truncated: bool,
}

/// A file or folder that was not searched, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    pub path: String,
    pub why: WhySkipped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WhySkipped {
    Unreadable,
    LongLine,
    TooDeep,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GrepAnswer {
    pub answer: String,
    pub matches: Vec<Match>,
    /// What cut the answer; none where it holds every match.
    pub truncated: Option<Why>,
    pub files_searched: u64,
    /// How many files and folders were left out; `skipped` names the first.
    pub files_skipped: u64,
    pub skipped: Vec<Skipped>,
}

pub fn grep(
    target: &Target<'_>,
    query: &Query,
    limits: &Limits,
    count: CountTokens<'_>,
) -> Result<GrepAnswer, ReloadError> {
    let watch = Watch::new(Instant::now() + limits.deadline);
    check_max_tokens(query.max_tokens)?;
    if query.context > limits.context_lines {
        return Err(ReloadError::InvalidRange {
            field: "context",
            found: query.context,
            accepted: format!("0 to {}", limits.context_lines),
        });
    }
    let pattern = Pattern::compile(query, limits)?;
    let glob = query.glob.as_deref().filter(|glob| !glob.is_empty());
    let files = walk::compile_glob(glob, limits.pattern_bytes)?;
    let mut search = Search::new(query, limits, count, &pattern, &watch);
    match regular_file::open_target(target)? {
        Some(Opened::File(file)) => {
            let name = file_name(target);
            if walk::selects_file(&files, &name) {
                search.file(name, file);
            }
        }
        Some(Opened::Folder(dir)) => {
            search.walk(Walk::new(dir, &files, &watch, limits.files), limits.files);
        }
        None => {
            return Err(ReloadError::NotAFile { path: target.spelled.to_owned() });
        }
    }
    let heading = grep_text::Heading { pattern: &query.pattern, path: target.spelled, glob };
    Ok(grep_text::answer(
        &heading,
        search.findings,
        grep_text::Room { bytes: limits.answer_bytes, tokens: query.max_tokens },
        count,
    ))
}

fn file_name(target: &Target<'_>) -> String {
    let name = target.path.file_name();
    name.or_else(|| Path::new(target.spelled).file_name())
        .map_or_else(|| target.spelled.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// One search on its way through the files.
struct Search<'a> {
    matcher: LineMatcher<'a>,
    searcher: Searcher,
    watch: &'a Watch,
    count: CountTokens<'a>,
    max_matches: u64,
    /// What it means that `max_matches` is reached.
    at_max: Why,
    line_chars: usize,
    /// More than this cannot be in the answer, so it need not be found.
    room: grep_text::Room,
    used_bytes: usize,
    used_tokens: u64,
    findings: Findings,
}

impl<'a> Search<'a> {
    fn new(
        query: &Query,
        limits: &Limits,
        count: CountTokens<'a>,
        pattern: &'a Pattern,
        watch: &'a Watch,
    ) -> Self {
        let context = usize::try_from(query.context).unwrap_or(usize::MAX);
        let (max_matches, at_max) = match query.limit {
            Some(limit @ 1..) if limit <= limits.max_matches => (limit, Why::Limit),
            _ => (limits.max_matches, Why::MaxMatches),
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
            room: grep_text::Room {
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

    fn walk(&mut self, walk: Walk<'_>, max_files: usize) {
        for step in walk {
            match step {
                Step::File { .. } if self.findings.files_searched == max_files as u64 => {
                    self.findings.cut = Some(Why::Files);
                }
                Step::File { path, file } => self.file(path, file),
                Step::Unreadable { path } => self.skip(path, WhySkipped::Unreadable),
                Step::TooDeep { path } => self.skip(path, WhySkipped::TooDeep),
                Step::TooMany => self.findings.cut = Some(Why::Files),
                Step::Late => self.late(),
            }
            if self.findings.cut.is_some() {
                return;
            }
        }
    }

    fn file(&mut self, path: String, file: File) {
        self.findings.files_searched += 1;
        self.findings.paths.push(path);
        let matcher = &self.matcher;
        let reader = WatchedReader { inner: file, watch: self.watch };
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
        if self.searcher.search_reader(matcher, reader, &mut sink).is_err() {
            match self.watch.take() {
                Interruption::Deadline => self.late(),
                Interruption::Unreadable => self.skip_last(WhySkipped::Unreadable),
                Interruption::LongLine => self.skip_last(WhySkipped::LongLine),
            }
        }
    }

    /// Past its last match a search only looks whether there is one more.
    fn late(&mut self) {
        let full = self.findings.matches == self.max_matches;
        self.findings.cut = Some(if full { self.at_max } else { Why::Deadline });
    }

    fn skip_last(&mut self, why: WhySkipped) {
        let path = self.findings.paths.last().cloned().unwrap_or_default();
        self.skip(path, why);
    }

    fn skip(&mut self, path: String, why: WhySkipped) {
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
    at_max: Why,
    line_chars: usize,
    room: &'a grep_text::Room,
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
            self.findings.cut = Some(Why::AnswerBytes);
        } else if self.room.tokens.is_some_and(|room| *self.used_tokens > room) {
            self.findings.cut = Some(Why::MaxTokens);
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
        // What leads up to a match that is one too many.
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
