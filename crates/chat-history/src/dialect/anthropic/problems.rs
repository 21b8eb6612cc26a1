//! The rules of the API for a whole history, and the units that follow from them.
//!
//! The API first merges neighbouring messages of one role into a turn. The results of a turn answer
//! the calls of the turn before it, and precede all other blocks of the turn. A system message ends
//! a turn: the API accepts one after the results, but not between call and result.
//!
//! The places of system messages are in the API's documentation
//! (`build-with-claude/mid-conversation-system-messages`, limitations) and in its errors, whose
//! words the rules repeat: after the user, or after results of the provider's own tools; before the
//! model, or at the end. Several in a row count as one: earlier releases accepted only one, since
//! August 2026 the API accepts a run.

use std::collections::{HashMap, HashSet};

use super::super::{Problem, Rule, merged_turn_starts};
use crate::message::{MessageView, Role, ServerTool, ToolResult};

pub(super) const CALL_WITHOUT_RESULT: Rule = Rule {
    name: "call_without_result",
    error: "`tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each \
           `tool_use` block must have a corresponding `tool_result` block in the next message.",
};
pub(super) const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block \
           must have a corresponding `tool_use` block in the previous message.",
};
/// To the API, a call whose result follows any other block has no result.
pub(super) const RESULTS_NOT_FIRST: Rule =
    Rule { name: "results_not_first", error: CALL_WITHOUT_RESULT.error };
pub(super) const DUPLICATE_CALL_ID: Rule =
    Rule { name: "duplicate_call_id", error: "`tool_use` ids must be unique" };
pub(super) const DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate_result",
    error: "each tool_use must have a single result. Found multiple `tool_result` blocks with id: \
           {id}",
};
pub(super) const MISSING_CALL_ID: Rule =
    Rule { name: "missing_call_id", error: "tool_use.id, tool_result.tool_use_id: Field required" };
pub(super) const ARGUMENTS_NOT_AN_OBJECT: Rule = Rule {
    name: "arguments_not_an_object",
    error: "tool_use.input: Input should be a valid dictionary",
};
pub(super) const EMPTY_TEXT: Rule =
    Rule { name: "empty_text", error: "messages: text content blocks must be non-empty" };
pub(super) const BLANK_TEXT: Rule = Rule {
    name: "blank_text",
    error: "messages: text content blocks must contain non-whitespace text",
};
pub(super) const EMPTY_ERROR_RESULT: Rule = Rule {
    name: "empty_error_result",
    error: "tool_result: content cannot be empty if `is_error` is true",
};
pub(super) const EMPTY_CONTENT: Rule = Rule {
    name: "empty_content",
    error: "all messages must have non-empty content except for the optional final assistant \
            message",
};
pub(super) const FIRST_MESSAGE_NOT_USER: Rule = Rule {
    name: "first_message_not_user",
    error: "messages: first message must use the \"user\" role",
};
pub(super) const SERVER_RESULT_WITHOUT_CALL: Rule = Rule {
    name: "server_result_without_call",
    error: "unexpected `tool_use_id` found in server tool result blocks: {id}. Each such block \
           must have a corresponding `server_tool_use` block before it.",
};

/// The API's own place for the prompt is next to the messages.
pub(super) const SYSTEM_FIRST: Rule = Rule {
    name: "system_first",
    error: "messages.0: use the top-level 'system' parameter for the initial system prompt",
};
pub(super) const SYSTEM_NOT_BEHIND_USER: Rule = Rule {
    name: "system_not_behind_user",
    error: "role 'system' must follow a 'user' message or an 'assistant' message ending in a \
           server tool result",
};
pub(super) const SYSTEM_NOT_BEFORE_MODEL: Rule = Rule {
    name: "system_not_before_model",
    error: "role 'system' must precede an 'assistant' message or end the array",
};
pub(super) const SYSTEM_WITHOUT_CONTENT: Rule =
    Rule { name: "empty_content", error: "system content must contain at least one block" };
pub(super) const SYSTEM_BLOCK_TYPE: Rule = Rule {
    name: "system_block_type",
    error: "role 'system' supports text, tool_addition, and tool_removal blocks only",
};

/// Returns every rule that the history breaks, by message.
pub(super) fn find(views: &[&MessageView]) -> Vec<Problem> {
    let mut check = Check::default();
    for (index, view) in views.iter().enumerate() {
        check.problems.extend(view.faults.iter().map(|fault| Problem::from_fault(index, fault)));
        if index == 0 && view.role == Role::Assistant {
            check.note(index, FIRST_MESSAGE_NOT_USER, None);
        }
        let optional = index + 1 == views.len() && view.role == Role::Assistant;
        if !optional && is_empty(view) {
            let of_system = view.is_operators();
            check.note(index, if of_system { SYSTEM_WITHOUT_CONTENT } else { EMPTY_CONTENT }, None);
        }
        check.add_message(index, view);
    }
    // Ends the last turn, and the one that it may answer.
    check.end_turn(None);
    check.end_turn(None);
    check.problems.extend(misplaced(views));
    check.problems.sort_by_key(|problem| problem.index);
    check.problems
}

fn is_empty(view: &MessageView) -> bool {
    has_no_block(view) && view.opaque == 0
}

/// Returns system messages where the API accepts none: the first of a run after the model, the last
/// of a run before the user. A message that only sets the effort may be anywhere.
fn misplaced(views: &[&MessageView]) -> Vec<Problem> {
    let is_directive =
        |view: &MessageView| view.is_operators() && view.directive && has_no_block(view);
    let said: Vec<usize> = (0..views.len()).filter(|at| !is_directive(views[*at])).collect();
    let is_system = |at: &usize| views[*at].is_operators();
    let front = said.iter().take_while(|at| is_system(at)).count();
    let first = said.first().filter(|_| front > 0);
    let mut problems: Vec<Problem> =
        first.map(|at| Problem::new(*at, SYSTEM_FIRST, None)).into_iter().collect();
    // A prompt at the front is in the wrong place, whatever follows.
    for pair in said.windows(2).skip(front) {
        let [before, after] = [views[pair[0]], views[pair[1]]];
        let is_model = |view: &MessageView| view.role == Role::Assistant;
        match (before.is_operators(), after.is_operators()) {
            (false, true) if is_model(before) && !before.ends_with_server_result => {
                problems.push(Problem::new(pair[1], SYSTEM_NOT_BEHIND_USER, None));
            }
            (true, false) if !is_model(after) => {
                problems.push(Problem::new(pair[0], SYSTEM_NOT_BEFORE_MODEL, None));
            }
            _ => {}
        }
    }
    problems
}

/// Returns true for a message without blocks.
fn has_no_block(view: &MessageView) -> bool {
    let blocks = view.calls.len() + view.results.len() + view.server.len() + view.texts.len();
    blocks == 0 && view.media == 0
}

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Model,
    User,
    System,
}

/// The calls of one id in a turn, and the results for them. A repeated id is a problem of the
/// calls; each of them may still have a result.
#[derive(Default)]
struct Answers {
    calls: usize,
    results: usize,
}

/// The state of the check after some messages.
#[derive(Default)]
struct Check<'v> {
    problems: Vec<Problem>,
    /// Every call so far.
    ids: HashSet<&'v str>,
    /// Every call of the provider's own tools so far.
    server: HashSet<&'v str>,
    side: Option<Side>,
    /// The calls of the previous turn: message and id.
    asked: Vec<(usize, Option<&'v str>)>,
    /// Their ids, each with how many calls have it and how many results were seen.
    answered: HashMap<Option<&'v str>, Answers>,
    /// The calls of this turn.
    asking: Vec<(usize, Option<&'v str>)>,
    /// True once this turn has a block other than a result.
    words: bool,
}

impl<'v> Check<'v> {
    fn note(&mut self, index: usize, rule: Rule, id: Option<&str>) {
        self.problems.push(Problem::new(index, rule, id.map(str::to_owned)));
    }

    fn add_message(&mut self, index: usize, view: &'v MessageView) {
        let side = match view.role {
            Role::Assistant => Side::Model,
            Role::System | Role::MidSystem => Side::System,
            Role::User | Role::Tool | Role::Other => Side::User,
        };
        if self.side != Some(side) {
            self.end_turn(Some(side));
        }
        if self.words && side == Side::User {
            self.check_late_results(index, view);
        }
        for result in &view.results {
            self.result(index, result);
        }
        self.words |= view.role != Role::Tool && !is_empty(view);
        for call in &view.calls {
            let id = call.id.as_deref();
            if id.is_some_and(|id| !self.ids.insert(id)) {
                self.note(index, DUPLICATE_CALL_ID, id);
            }
            self.asking.push((index, id));
        }
        self.check_server_tools(index, view);
    }

    /// Ends the turn: calls of the previous turn can get no more results.
    fn end_turn(&mut self, side: Option<Side>) {
        let asked = std::mem::replace(&mut self.asked, std::mem::take(&mut self.asking));
        for (index, id) in asked {
            if self.answered.get(&id).is_some_and(|answers| answers.results == 0) {
                self.note(index, CALL_WITHOUT_RESULT, id);
            }
        }
        self.answered = HashMap::new();
        for (_, id) in &self.asked {
            self.answered.entry(*id).or_default().calls += 1;
        }
        self.side = side;
        self.words = false;
    }

    /// Reports results that follow other blocks in an earlier message of the same turn. Results
    /// that follow other blocks of their own message are its faults.
    fn check_late_results(&mut self, index: usize, view: &MessageView) {
        if view.faults.iter().any(|fault| fault.rule == RESULTS_NOT_FIRST) {
            return;
        }
        for id in view.results.iter().map(|result| result.call_id.as_deref()) {
            if self.answered.contains_key(&id) {
                self.note(index, RESULTS_NOT_FIRST, id);
            }
        }
    }

    fn result(&mut self, index: usize, result: &'v ToolResult) {
        let id = result.call_id.as_deref();
        match self.answered.get_mut(&id) {
            None => self.note(index, RESULT_WITHOUT_CALL, id),
            Some(answers) if answers.results == answers.calls => {
                self.note(index, DUPLICATE_RESULT, id);
            }
            Some(answers) => answers.results += 1,
        }
    }

    /// A result of the provider's own tools may be in a later message than its call, because the
    /// provider waits for the caller's results first.
    fn check_server_tools(&mut self, index: usize, view: &'v MessageView) {
        for tool in &view.server {
            match tool {
                ServerTool::Call(id) => drop(self.server.insert(id)),
                ServerTool::Result(id) if self.server.contains(id.as_str()) => {}
                ServerTool::Result(id) => self.note(index, SERVER_RESULT_WITHOUT_CALL, Some(id)),
            }
        }
    }
}

/// Returns where units begin. A turn with its results is a unit, and so is everything from a call
/// of the provider's own tools to its result. System messages among the turns belong to the turn
/// before them.
pub(super) fn unit_starts(views: &[&MessageView]) -> Vec<bool> {
    let is_mid = |view: &MessageView| view.role == Role::MidSystem;
    let mut starts = merged_turn_starts(views, |view| view.role == Role::System || is_mid(view));
    for (start, view) in starts.iter_mut().zip(views).skip(1) {
        *start &= !is_mid(view);
    }
    let last_of = last_results(views);
    let mut last = 0;
    for (index, start) in starts.iter_mut().enumerate() {
        *start &= index == 0 || index > last;
        last = last.max(last_of[index]);
    }
    starts
}

/// Returns for each message the last message with a result of its calls of the provider's own
/// tools; 0 if there is none.
fn last_results(views: &[&MessageView]) -> Vec<usize> {
    let mut last_of = vec![0; views.len()];
    let mut calls = HashMap::new();
    for (index, view) in views.iter().enumerate() {
        for tool in &view.server {
            match tool {
                ServerTool::Call(id) => drop(calls.insert(id, index)),
                ServerTool::Result(id) => {
                    if let Some(call) = calls.get(id) {
                        last_of[*call] = index;
                    }
                }
            }
        }
    }
    last_of
}
