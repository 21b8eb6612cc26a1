//! The matcher that the searcher calls. If the worst case of the fast engine (states × bytes) is
//! small, it decides alone. Otherwise each line goes through a lazy automaton that checks the
//! deadline between steps, or, if the automaton cannot decide, through a plain simulation that does
//! the same. So neither a costly pattern nor a line of many megabytes exceeds the deadline. A line
//! of JSON also matches by the texts of its strings (`json_texts`).

use std::cell::RefCell;

use grep_matcher::{LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use regex_automata::{Anchored, Input, hybrid::dfa};

use super::json_texts::{as_json, is_json, next_json_line, texts};
use super::pattern::{LineEnd, Pattern};
use super::simulation;
use crate::reading::watch::{Interruption, Watch};

/// Maximum states × bytes for one call of the fast engine: about 50 ms with its slowest strategy.
const UNWATCHED_COST: usize = 10_000_000;

/// The number of bytes that the searcher passes at once if lines are short.
const BUFFER_BYTES: usize = 64 * 1024;

/// Steps between two checks of the deadline.
const STEPS: usize = 256;

#[derive(Debug)]
pub(crate) struct LineMatcher<'a> {
    pattern: &'a Pattern,
    watch: &'a Watch,
    forward: RefCell<dfa::Cache>,
    reverse: RefCell<dfa::Cache>,
}

/// The end of a match to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// The first position that proves a match.
    Earliest,
    /// The end of the leftmost match.
    Leftmost,
}

/// The result of stepping through a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steps {
    NoMatch,
    MatchUpTo(usize),
    /// The automaton met a byte that it cannot handle.
    Undecided,
}

impl<'a> LineMatcher<'a> {
    pub(crate) fn new(pattern: &'a Pattern, watch: &'a Watch) -> Self {
        Self {
            forward: RefCell::new(pattern.steps.forward().create_cache()),
            reverse: RefCell::new(pattern.steps.reverse().create_cache()),
            pattern,
            watch,
        }
    }

    /// Returns the first match in a line without its line feed.
    pub(crate) fn first_in(&self, line: &[u8]) -> Result<Option<Match>, Interruption> {
        match self.first_as_spelled(line)? {
            None => Ok(self.first_in_texts(line)?.map(Match::zero)),
            found => Ok(found),
        }
    }

    fn first_as_spelled(&self, line: &[u8]) -> Result<Option<Match>, Interruption> {
        let [first, second] = self.pattern.forms(line);
        match self.find_at(first, 0)? {
            None if second.len() < first.len() => self.find_at(second, 0),
            found => Ok(found),
        }
    }

    /// Returns the offset in a line of the first match in the text of one of its strings. Skips a
    /// line if its texts cannot match unless it matches as spelled.
    fn first_in_texts(&self, line: &[u8]) -> Result<Option<usize>, Interruption> {
        let may_match = self.pattern.is_anchored || memchr::memchr(b'\\', line).is_some();
        let Some(line) = as_json(line).filter(|_| may_match) else { return Ok(None) };
        for text in texts(line) {
            self.watch.check()?;
            if !text.is_escaped() && !self.pattern.is_anchored {
                continue;
            }
            for (at, part) in text.lines() {
                if let Some(found) = self.first_as_spelled(part.as_bytes())? {
                    // Checks the grammar last, because it costs more than most searches.
                    return Ok(is_json(line).then(|| text.place(at + found.start())));
                }
            }
        }
        Ok(None)
    }

    fn costs_at_most(&self, limit: usize, bytes: usize) -> bool {
        self.pattern.states.saturating_mul(bytes) <= limit
    }

    /// Finds the first line of a buffer that may match. Also searches the texts in the lines before
    /// the one that the fast engine finds.
    fn find_in_buffer(&self, buffer: &[u8]) -> Result<Option<LineMatchKind>, Interruption> {
        let found = self.pattern.fast.find_candidate_line(buffer).ok().flatten();
        let found = found.map(|kind| match kind {
            LineMatchKind::Confirmed(at) if self.pattern.line_end == LineEnd::Matched => {
                LineMatchKind::Candidate(at)
            }
            kind => kind,
        });
        let until = match found {
            Some(LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) => at,
            None => buffer.len(),
        };
        let mut start = 0;
        while let Some(line) = next_json_line(&buffer[..until], start, self.pattern.is_anchored) {
            // The line that the fast engine found is truncated here.
            if line.end == until && found.is_some() {
                break;
            }
            if self.first_in_texts(&buffer[line.clone()])?.is_some() {
                return Ok(Some(LineMatchKind::Confirmed(line.end)));
            }
            start = line.end + 1;
        }
        Ok(found)
    }

    /// Returns true if the fast engine may search whole buffers. Otherwise the searcher passes line
    /// by line.
    fn takes_buffers(&self) -> bool {
        self.pattern.line_end != LineEnd::Asserted
            && self.costs_at_most(UNWATCHED_COST, BUFFER_BYTES)
    }

    /// Steps to the end of a match that begins at or after `at`.
    fn step_forward(&self, line: &[u8], at: usize, wanted: Wanted) -> Result<Steps, Interruption> {
        let automaton = self.pattern.steps.forward();
        let cache = &mut *self.forward.borrow_mut();
        let input = Input::new(line).range(at..);
        let Ok(mut state) = automaton.start_state_forward(cache, &input) else {
            return Ok(Steps::Undecided);
        };
        let mut found = Steps::NoMatch;
        for (position, byte) in line.iter().enumerate().skip(at) {
            if position % STEPS == 0 {
                self.watch.check()?;
            }
            state = match automaton.next_state(cache, state, *byte) {
                Ok(state) => state,
                Err(_full) => return Ok(Steps::Undecided),
            };
            if !state.is_tagged() {
                continue;
            }
            if state.is_match() {
                // The automaton reports a match one byte late.
                found = Steps::MatchUpTo(position);
                if wanted == Wanted::Earliest {
                    return Ok(found);
                }
            } else if state.is_dead() {
                return Ok(found);
            } else if state.is_quit() {
                return Ok(Steps::Undecided);
            }
        }
        let Ok(state) = automaton.next_eoi_state(cache, state) else {
            return Ok(Steps::Undecided);
        };
        if state.is_match() {
            found = Steps::MatchUpTo(line.len());
        }
        Ok(found)
    }

    /// Steps back from the end of a match to its start. Returns `None` if the automaton cannot
    /// decide.
    fn step_back(&self, line: &[u8], at: usize, end: usize) -> Result<Option<usize>, Interruption> {
        let automaton = self.pattern.steps.reverse();
        let cache = &mut *self.reverse.borrow_mut();
        let input = Input::new(line).range(at..end).anchored(Anchored::Yes);
        let Ok(mut state) = automaton.start_state_reverse(cache, &input) else {
            return Ok(None);
        };
        let mut start = None;
        for position in (at..end).rev() {
            if position % STEPS == 0 {
                self.watch.check()?;
            }
            state = match automaton.next_state(cache, state, line[position]) {
                Ok(state) => state,
                Err(_full) => return Ok(None),
            };
            if state.is_match() {
                start = Some(position + 1);
            } else if state.is_dead() {
                return Ok(start);
            } else if state.is_quit() {
                return Ok(None);
            }
        }
        let last = match at.checked_sub(1) {
            Some(before) => automaton.next_state(cache, state, line[before]),
            None => automaton.next_eoi_state(cache, state),
        };
        Ok(match last {
            Ok(state) if state.is_match() => Some(at),
            Ok(state) if state.is_quit() => None,
            Ok(_) => start,
            Err(_full) => None,
        })
    }

    fn shortest(&self, line: &[u8], at: usize) -> Result<Option<usize>, Interruption> {
        self.watch.check()?;
        if self.costs_at_most(UNWATCHED_COST, line.len() - at) {
            return Ok(self.pattern.fast.shortest_match_at(line, at).ok().flatten());
        }
        match self.step_forward(line, at, Wanted::Earliest)? {
            Steps::NoMatch => Ok(None),
            Steps::MatchUpTo(end) => Ok(Some(end)),
            Steps::Undecided => Ok(self.simulate(line, at)?.map(|found| found.end())),
        }
    }

    /// Decides a line that the lazy automaton left undecided.
    fn simulate(&self, line: &[u8], at: usize) -> Result<Option<Match>, Interruption> {
        simulation::first_match(self.pattern.steps.forward().get_nfa(), line, at, self.watch)
    }
}

impl Matcher for LineMatcher<'_> {
    type Captures = NoCaptures;
    type Error = Interruption;

    fn find_at(&self, line: &[u8], at: usize) -> Result<Option<Match>, Interruption> {
        self.watch.check()?;
        if self.costs_at_most(UNWATCHED_COST, line.len() - at) {
            return Ok(self.pattern.fast.find_at(line, at).ok().flatten());
        }
        match self.step_forward(line, at, Wanted::Leftmost)? {
            Steps::NoMatch => Ok(None),
            Steps::MatchUpTo(end) => match self.step_back(line, at, end)? {
                Some(start) => Ok(Some(Match::new(start, end))),
                None => self.simulate(line, at),
            },
            Steps::Undecided => self.simulate(line, at),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, Interruption> {
        Ok(NoCaptures::new())
    }

    /// The searcher calls this with single lines only, without their line feed.
    fn shortest_match_at(&self, line: &[u8], at: usize) -> Result<Option<usize>, Interruption> {
        let [first, second] = self.pattern.forms(&line[at..]).map(|form| at + form.len());
        let found = match self.shortest(&line[..first], at)? {
            None if second < first => self.shortest(&line[..second], at)?,
            found => found,
        };
        match found {
            None => Ok(self.first_in_texts(&line[at..])?.map(|_| line.len())),
            found => Ok(found),
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.takes_buffers().then(|| self.pattern.fast.line_terminator()).flatten()
    }

    fn find_candidate_line(&self, buffer: &[u8]) -> Result<Option<LineMatchKind>, Interruption> {
        self.watch.check()?;
        if self.costs_at_most(UNWATCHED_COST, buffer.len()) {
            return self.find_in_buffer(buffer);
        }
        let mut start = 0;
        while start < buffer.len() {
            let rest = &buffer[start..];
            let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
            if let Some(end) = self.shortest_match_at(line, 0)? {
                return Ok(Some(LineMatchKind::Confirmed(start + end)));
            }
            start += line.len() + 1;
        }
        Ok(None)
    }
}
