//! The rules of the AI SDK and of the providers behind it. The SDK requires that each call is
//! answered before the next user or system message and at the end. It accepts a result without a
//! call, which every provider then rejects.

use std::collections::{HashMap, HashSet};

use crate::dialect::{Problem, Rule};
use crate::message::{MessageView, Role};

const CALL_WITHOUT_RESULT: Rule = Rule {
    name: "call_without_result",
    error: "AI_MissingToolResultsError: Tool result is missing for tool call {id}.",
};
const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "No tool call found for function call output with call_id {id}.",
};
const DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate_result",
    error: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: \
           {id}",
};

/// The calls since the last message of the user or the operator.
#[derive(Default)]
struct OpenCalls<'a> {
    order: Vec<Option<&'a str>>,
    calls: HashMap<Option<&'a str>, CallsOfId>,
    awaiting: HashSet<&'a str>,
}

/// The calls of one id.
#[derive(Default)]
struct CallsOfId {
    /// The message of the latest one, until a result comes.
    open: Option<usize>,
    /// The number of calls that have no result yet.
    unanswered: usize,
}

/// Returns every rule that the history breaks, in order.
pub(super) fn find(views: &[&MessageView]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut open_calls = OpenCalls::default();
    for (index, view) in views.iter().enumerate() {
        problems.extend(view.faults.iter().map(|fault| Problem::from_fault(index, fault)));
        open_calls.add_message(index, view, &mut problems);
    }
    // In the last turn, calls that wait for consent may still get it.
    let awaiting = std::mem::take(&mut open_calls.awaiting);
    open_calls.calls.retain(|id, _| id.is_none_or(|id| !awaiting.contains(id)));
    open_calls.close(&mut problems);
    problems.sort_by_key(|problem| problem.index);
    problems
}

/// Returns where units begin. Consecutive messages of the model, the answers to them, and
/// everything before the last answer are one unit. Each of several calls with one id needs a
/// result.
pub(super) fn unit_starts(views: &[&MessageView]) -> Vec<bool> {
    let mut before = None;
    let mut inside = false;
    let mut open: HashMap<Option<&str>, usize> = HashMap::new();
    let mut unanswered = 0_usize;
    let mut starts = Vec::with_capacity(views.len());
    for view in views {
        let goes_on = match view.role {
            Role::Assistant => before == Some(Role::Assistant) || unanswered > 0,
            Role::Tool => inside,
            Role::Other => unanswered > 0,
            Role::System | Role::MidSystem | Role::User => false,
        };
        inside = view.role == Role::Assistant || goes_on;
        if !inside {
            open.clear();
            unanswered = 0;
        }
        for call in &view.calls {
            *open.entry(call.id.as_deref()).or_default() += 1;
            unanswered += 1;
        }
        for result in &view.results {
            if let Some(calls) = open.get_mut(&result.call_id.as_deref()).filter(|n| **n > 0) {
                *calls -= 1;
                unanswered -= 1;
            }
        }
        before = Some(view.role);
        starts.push(!goes_on);
    }
    starts
}

impl<'a> OpenCalls<'a> {
    fn add_message(&mut self, index: usize, view: &'a MessageView, problems: &mut Vec<Problem>) {
        match view.role {
            Role::System | Role::MidSystem | Role::User => self.close(problems),
            Role::Assistant => {
                self.awaiting = view.awaiting.iter().map(String::as_str).collect();
            }
            Role::Tool | Role::Other => {}
        }
        for call in &view.calls {
            let id = call.id.as_deref();
            let calls = self.calls.entry(id).or_default();
            calls.open = Some(index);
            calls.unanswered += 1;
            self.order.push(id);
        }
        for result in &view.results {
            let id = result.call_id.as_deref();
            if let Some(rule) = self.answer(id) {
                problems.push(Problem::new(index, rule, id.map(str::to_owned)));
            }
        }
    }

    /// Records a result of that id. Returns the rule that it breaks, if any.
    fn answer(&mut self, id: Option<&'a str>) -> Option<Rule> {
        let Some(calls) = self.calls.get_mut(&id) else { return Some(RESULT_WITHOUT_CALL) };
        calls.open = None;
        match calls.unanswered.checked_sub(1) {
            Some(left) => calls.unanswered = left,
            None => return Some(DUPLICATE_RESULT),
        }
        None
    }

    fn close(&mut self, problems: &mut Vec<Problem>) {
        for id in self.order.drain(..) {
            let open = self.calls.get_mut(&id).and_then(|calls| calls.open.take());
            let new = |index| Problem::new(index, CALL_WITHOUT_RESULT, id.map(str::to_owned));
            problems.extend(open.map(new));
        }
        self.calls.clear();
        self.awaiting.clear();
    }
}
