//! A search pattern, compiled twice: for the search library's fast engine, which cannot be
//! interrupted, and as a lazy automaton for lines on which the fast engine might run too long
//! (`line_matcher`). Both use the same expression, line by line.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex_automata::{hybrid, nfa::thompson, util::syntax};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::query::{CaseMode, Limits, Query, Syntax};
use crate::reading::error::ReloadError;

/// Maximum nesting of groups: the default of the regex library, stated here so that every parser of
/// a pattern uses it.
const NESTING: u32 = 250;

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) fast: RegexMatcher,
    pub(crate) steps: hybrid::regex::Regex,
    /// The number of states of the automaton: the maximum cost of one byte of text.
    pub(crate) states: usize,
    pub(crate) line_end: LineEnd,
    /// True if the pattern asserts the start or the end of its line.
    pub(crate) is_anchored: bool,
    /// True if the pattern names the carriage return; only then it is part of the line.
    names_return: bool,
}

/// How a pattern treats the carriage return before a line feed, which is not part of the line that
/// a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// The pattern cannot match it.
    Ignored,
    /// A class such as `.`, `\s` or `[^a]` matches it.
    Matched,
    /// The pattern asserts an end (`$`, `\z`), which lies before it.
    Asserted,
}

impl Pattern {
    pub(crate) fn compile(query: &Query, limits: &Limits) -> Result<Self, ReloadError> {
        if query.pattern.is_empty() {
            return Err(ReloadError::EmptyPattern);
        }
        if query.pattern.len() > limits.pattern_bytes {
            return Err(ReloadError::PatternTooLong {
                found: query.pattern.len(),
                limit: limits.pattern_bytes,
            });
        }
        let expression = match query.syntax {
            Syntax::Regex => query.pattern.clone(),
            Syntax::Literal => regex_syntax::escape(&query.pattern),
        };
        let too_costly = || ReloadError::PatternTooCostly { limit: limits.compile_bytes };
        let hir = parse(query, &expression)?;
        // The search library puts brackets around the pattern. The line feed ends a comment that
        // would otherwise contain the closing bracket.
        let ended = format!("{expression}\n");
        let is_same = parse(query, &ended).is_ok_and(|parsed| parsed == hir);
        let fast = compile_fast(query, if is_same { &ended } else { &expression }, limits)?;
        let steps =
            compile_steps(query.case, &expression, limits).map_err(|_too_big| too_costly())?;
        let looks = hir.properties().look_set();
        let asserts = |asked: [Look; 3]| asked.into_iter().any(|look| looks.contains(look));
        let asserts_end = asserts([Look::EndLF, Look::EndCRLF, Look::End]);
        let line_end = if asserts_end {
            LineEnd::Asserted
        } else if matches_return(&hir) {
            LineEnd::Matched
        } else {
            LineEnd::Ignored
        };
        Ok(Self {
            fast,
            states: steps.forward().get_nfa().states().len(),
            steps,
            line_end,
            is_anchored: asserts_end || asserts([Look::StartLF, Look::StartCRLF, Look::Start]),
            names_return: ["\r", r"\r", r"\x0d", r"\x0D", r"\u000d", r"\u000D"]
                .iter()
                .any(|spelled| expression.contains(spelled)),
        })
    }

    /// Returns the forms of a line to search, without its line feed: the line as its reader sees
    /// it; if the pattern names the carriage return, first the line with it.
    pub(crate) fn forms<'l>(&self, line: &'l [u8]) -> [&'l [u8]; 2] {
        let seen = line.strip_suffix(b"\r").unwrap_or(line);
        if self.names_return { [line, seen] } else { [seen, seen] }
    }
}

/// Returns true if a class of the expression contains the carriage return. Recurses at most 250
/// levels.
fn matches_return(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&'\r'))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&b'\r'))
        }
        HirKind::Repetition(of) => matches_return(&of.sub),
        HirKind::Capture(of) => matches_return(&of.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(matches_return),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => false,
    }
}

/// Parses a pattern only to report the position of a mistake: the search library does not.
fn parse(query: &Query, expression: &str) -> Result<Hir, ReloadError> {
    let bad = |offset: usize, reason: String| ReloadError::BadPattern {
        pattern: query.pattern.clone(),
        position: Some(expression.char_indices().take_while(|(at, _)| *at < offset).count()),
        reason,
    };
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .nest_limit(NESTING)
        .case_insensitive(query.case == CaseMode::Ignore)
        .build()
        .parse(expression)
        .map_err(|error| match error {
            regex_syntax::Error::Parse(error) => {
                bad(error.span().start.offset, error.kind().to_string())
            }
            regex_syntax::Error::Translate(error) => {
                bad(error.span().start.offset, error.kind().to_string())
            }
            other => ReloadError::BadPattern {
                pattern: query.pattern.clone(),
                position: None,
                reason: other.to_string(),
            },
        })
}

fn compile_fast(
    query: &Query,
    expression: &str,
    limits: &Limits,
) -> Result<RegexMatcher, ReloadError> {
    RegexMatcherBuilder::new()
        .case_insensitive(query.case == CaseMode::Ignore)
        .multi_line(true)
        .nest_limit(NESTING)
        .line_terminator(Some(b'\n'))
        .size_limit(limits.compile_bytes)
        .dfa_size_limit(limits.compile_bytes)
        .build(expression)
        .map_err(|error| match error.kind() {
            ErrorKind::NotAllowed(_) => ReloadError::BadPattern {
                pattern: query.pattern.clone(),
                position: line_break(&query.pattern),
                reason: "it contains a line break, but each line is searched separately; \
                         send one pattern per line"
                    .to_owned(),
            },
            // The expression has been parsed before, so the only error left is its size.
            _ => ReloadError::PatternTooCostly { limit: limits.compile_bytes },
        })
}

fn compile_steps(
    case: CaseMode,
    expression: &str,
    limits: &Limits,
) -> Result<hybrid::regex::Regex, Box<hybrid::BuildError>> {
    hybrid::regex::Regex::builder()
        .syntax(
            syntax::Config::new()
                .utf8(false)
                .multi_line(true)
                .nest_limit(NESTING)
                .case_insensitive(case == CaseMode::Ignore),
        )
        .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(limits.compile_bytes)))
        .dfa(
            hybrid::dfa::Config::new()
                // The automaton does not decide word boundaries next to text beyond ASCII; it
                // reports them, and the simulation decides.
                .unicode_word_boundary(true)
                .cache_capacity(limits.compile_bytes)
                .skip_cache_capacity_check(true),
        )
        .build(expression)
        .map_err(Box::new)
}

/// Returns the position, in characters, of a line break in the pattern.
fn line_break(pattern: &str) -> Option<usize> {
    let offset = pattern.find('\n').or_else(|| pattern.find(r"\n"))?;
    Some(pattern[..offset].chars().count())
}
