//! The calls of one turn that wait for their results, in formats whose results are messages
//! directly after the calls.

use std::collections::HashMap;

use super::{Problem, Rule};
use crate::message::MessageView;

/// The number of waiting calls of each id.
#[derive(Default)]
pub(super) struct PendingCalls<'v> {
    asked_at: usize,
    ids: Vec<Option<&'v str>>,
    waiting: HashMap<Option<&'v str>, usize>,
}

/// The state of the call that a result answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallState {
    /// It waits for its result.
    Pending,
    /// The call has its result already.
    Answered,
    /// There is no call with that id.
    Unknown,
}

impl<'v> PendingCalls<'v> {
    /// Returns the calls of message `asked_at`.
    pub(super) fn new(asked_at: usize, view: &'v MessageView) -> PendingCalls<'v> {
        let ids: Vec<Option<&str>> = view.calls.iter().map(|call| call.id.as_deref()).collect();
        let mut waiting = HashMap::new();
        for id in &ids {
            *waiting.entry(*id).or_default() += 1;
        }
        PendingCalls { asked_at, ids, waiting }
    }

    /// Records a result of that id; returns the previous state of its call.
    pub(super) fn answer(&mut self, id: Option<&'v str>) -> CallState {
        match self.waiting.get_mut(&id) {
            None => CallState::Unknown,
            Some(0) => CallState::Answered,
            Some(count) => {
                *count -= 1;
                CallState::Pending
            }
        }
    }

    /// Ends the turn: each call that still waits breaks `rule`.
    pub(super) fn close(&mut self, rule: Rule, problems: &mut Vec<Problem>) {
        // A call without an id is of a legacy function or of Ollama: no result can name it.
        for id in self.ids.drain(..).filter(Option::is_some) {
            let Some(count) = self.waiting.get_mut(&id).filter(|count| **count > 0) else {
                continue;
            };
            *count -= 1;
            problems.push(Problem::new(self.asked_at, rule, id.map(str::to_owned)));
        }
    }
}
