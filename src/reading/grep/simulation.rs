//! A plain simulation of a pattern's automaton, one byte after another. It is the slowest way to
//! search a line, and the only one that decides everything (also word boundaries beyond ASCII) and
//! can stop at any byte. Like the regex crates, it finds the leftmost match, and among those that
//! begin there the one that the pattern prefers.

use grep_matcher::Match;
use regex_automata::{
    nfa::thompson::{NFA, State},
    util::primitives::StateID,
};

use crate::reading::watch::{Interruption, Watch};

/// Bytes between two checks of the deadline.
const STEPS: usize = 64;

/// The active states of the automaton, the preferred ones first.
#[derive(Debug)]
struct Threads {
    /// States that wait for a byte or have matched, each with the position where its match began.
    waiting: Vec<(StateID, usize)>,
    /// For every state, the position at which it was last entered, plus one.
    entered: Vec<usize>,
}

/// The automaton and the line that it reads.
struct Reading<'a> {
    nfa: &'a NFA,
    line: &'a [u8],
}

/// Returns the first match at or after `at`.
pub(crate) fn first_match(
    nfa: &NFA,
    line: &[u8],
    at: usize,
    watch: &Watch,
) -> Result<Option<Match>, Interruption> {
    let reading = Reading { nfa, line };
    let threads = || Threads { waiting: Vec::new(), entered: vec![0; nfa.states().len()] };
    let (mut now, mut next) = (threads(), threads());
    let mut to_enter = Vec::new();
    let mut found = None;
    for position in at..=line.len() {
        if position % STEPS == 0 {
            watch.check()?;
        }
        if found.is_none() {
            // A match that begins later has the lowest preference.
            to_enter.push(nfa.start_anchored());
            now.enter(&reading, position, position, &mut to_enter);
        } else if now.waiting.is_empty() {
            break;
        }
        for (state, start) in now.waiting.drain(..) {
            let following = match (nfa.state(state), line.get(position)) {
                (State::Match { .. }, _) => {
                    found = Some(Match::new(start, position));
                    // The remaining states have a lower preference.
                    break;
                }
                (_, None) => None,
                (State::ByteRange { trans }, Some(&byte)) => {
                    trans.matches_byte(byte).then_some(trans.next)
                }
                (State::Sparse(sparse), Some(&byte)) => sparse.matches_byte(byte),
                (State::Dense(dense), Some(&byte)) => dense.matches_byte(byte),
                _ => None,
            };
            if let Some(following) = following {
                to_enter.push(following);
                next.enter(&reading, position + 1, start, &mut to_enter);
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
    Ok(found)
}

impl Threads {
    /// Enters the states on the stack, and all states that are reachable from them without reading
    /// a byte.
    fn enter(
        &mut self,
        &Reading { nfa, line }: &Reading<'_>,
        position: usize,
        start: usize,
        to_enter: &mut Vec<StateID>,
    ) {
        while let Some(id) = to_enter.pop() {
            if std::mem::replace(&mut self.entered[id], position + 1) == position + 1 {
                continue;
            }
            match nfa.state(id) {
                State::Look { look, next } => {
                    if nfa.look_matcher().matches(*look, line, position) {
                        to_enter.push(*next);
                    }
                }
                State::Union { alternates } => to_enter.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => to_enter.extend([*alt2, *alt1]),
                State::Capture { next, .. } => to_enter.push(*next),
                State::Fail => {}
                State::ByteRange { .. }
                | State::Sparse(_)
                | State::Dense(_)
                | State::Match { .. } => self.waiting.push((id, start)),
            }
        }
    }
}
