//! The rules of the providers behind pi. Pi itself adds a stub for a call without a result in a
//! turn that ended well. It sends results without a call unchanged, and every provider rejects
//! them. Calls and results pair as in chat completions: a result directly follows its call's
//! message or another result of that message.

use super::super::pending_calls::{CallState, PendingCalls};
use super::super::{Problem, Rule};
use crate::message::MessageView;

const CALL_WITHOUT_RESULT: Rule =
    Rule { name: "call_without_result", error: "No tool output found for function call {id}." };
const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "No tool call found for function call output with call_id {id}.",
};
const DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate_result",
    error: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: \
           {id}",
};
pub(super) const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", error: "Missing required parameter: 'tool_call_id'." };

/// Returns every rule that the history breaks, in order.
pub(super) fn find(views: &[&MessageView]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut pending = PendingCalls::default();
    for (index, view) in views.iter().enumerate() {
        problems.extend(view.faults.iter().map(|fault| Problem::from_fault(index, fault)));
        if view.results.is_empty() {
            pending.close(CALL_WITHOUT_RESULT, &mut problems);
            pending = PendingCalls::new(index, view);
        }
        for id in view.results.iter().map(|result| result.call_id.as_deref()) {
            let rule = match pending.answer(id) {
                CallState::Pending => continue,
                CallState::Answered => DUPLICATE_RESULT,
                CallState::Unknown => RESULT_WITHOUT_CALL,
            };
            problems.push(Problem::new(index, rule, id.map(str::to_owned)));
        }
    }
    pending.close(CALL_WITHOUT_RESULT, &mut problems);
    problems.sort_by_key(|problem| problem.index);
    problems
}
