//! The calls of one turn that wait for their results, in formats whose results are
//! messages that directly follow.

use std::collections::HashMap;

use super::{Problem, Rule};
use crate::message::MessageView;

/// How many calls of each id wait.
#[derive(Default)]
pub(super) struct Open<'v> {
    asked_at: usize,
    ids: Vec<Option<&'v str>>,
    waiting: HashMap<Option<&'v str>, usize>,
}

/// The call that a result finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finds {
    /// A call that waits.
    Call,
    /// A call that was answered.
    Answered,
    /// No call of its id.
    Nothing,
}

impl<'v> Open<'v> {
    /// The calls of message `asked_at`.
    pub(super) fn asked(asked_at: usize, view: &'v MessageView) -> Open<'v> {
        let ids: Vec<Option<&str>> = view.calls.iter().map(|call| call.id.as_deref()).collect();
        let mut waiting = HashMap::new();
        for id in &ids {
            *waiting.entry(*id).or_default() += 1;
        }
        Open { asked_at, ids, waiting }
    }

    /// Takes a result of that id.
    pub(super) fn answer(&mut self, id: Option<&'v str>) -> Finds {
        match self.waiting.get_mut(&id) {
            None => Finds::Nothing,
            Some(0) => Finds::Answered,
            Some(count) => {
                *count -= 1;
                Finds::Call
            }
        }
    }

    /// Ends the turn: each call that still waits breaks `rule`.
    pub(super) fn close(&mut self, rule: Rule, problems: &mut Vec<Problem>) {
        // A call without an id is a legacy function's or Ollama's: nothing names it.
        for id in self.ids.drain(..).filter(Option::is_some) {
            let Some(count) = self.waiting.get_mut(&id).filter(|count| **count > 0) else {
                continue;
            };
            *count -= 1;
            problems.push(Problem::new(self.asked_at, rule, id.map(str::to_owned)));
        }
    }
}
