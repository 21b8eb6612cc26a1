//! What the providers behind pi reject. pi itself puts a stub where a call of a turn
//! that ended well has no result; it sends results without a call as they are, which
//! every provider refuses. Calls and results pair as in chat completions: a result
//! directly follows its call's message or another result of it.

use std::collections::HashMap;

use super::super::{Problem, Rule};
use crate::history::message::MessageView;

const CALL_WITHOUT_RESULT: Rule =
    Rule { name: "call_without_result", says: "No tool output found for function call {id}." };
const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    says: "No tool call found for function call output with call_id {id}.",
};
const DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate_result",
    says: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: \
           {id}",
};
pub(super) const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", says: "Missing required parameter: 'tool_call_id'." };

/// Every rule that the history breaks, in order.
pub(super) fn of(views: &[&MessageView]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut open = Open::default();
    for (index, view) in views.iter().enumerate() {
        problems.extend(view.faults.iter().map(|fault| Problem::of(index, fault)));
        if view.results.is_empty() {
            open.close(&mut problems);
            open = Open::asked(index, view);
        }
        for id in view.results.iter().map(|result| result.call_id.as_deref()) {
            if let Some(rule) = open.answer(id) {
                problems.push(Problem { index, rule, id: id.map(str::to_owned) });
            }
        }
    }
    open.close(&mut problems);
    problems.sort_by_key(|problem| problem.index);
    problems
}

/// The calls of one message, and how many of each id wait for a result.
#[derive(Default)]
struct Open<'v> {
    asked_at: usize,
    ids: Vec<Option<&'v str>>,
    waiting: HashMap<Option<&'v str>, usize>,
}

impl<'v> Open<'v> {
    fn asked(asked_at: usize, view: &'v MessageView) -> Open<'v> {
        let ids: Vec<Option<&str>> = view.calls.iter().map(|call| call.id.as_deref()).collect();
        let mut waiting = HashMap::new();
        for id in &ids {
            *waiting.entry(*id).or_default() += 1;
        }
        Open { asked_at, ids, waiting }
    }

    /// The rule that a result of that id breaks.
    fn answer(&mut self, id: Option<&'v str>) -> Option<Rule> {
        match self.waiting.get_mut(&id) {
            None => Some(RESULT_WITHOUT_CALL),
            Some(0) => Some(DUPLICATE_RESULT),
            Some(count) => {
                *count -= 1;
                None
            }
        }
    }

    fn close(&mut self, problems: &mut Vec<Problem>) {
        for id in self.ids.drain(..) {
            let Some(count) = self.waiting.get_mut(&id).filter(|count| **count > 0) else {
                continue;
            };
            *count -= 1;
            let (index, id) = (self.asked_at, id.map(str::to_owned));
            problems.push(Problem { index, rule: CALL_WITHOUT_RESULT, id });
        }
    }
}
