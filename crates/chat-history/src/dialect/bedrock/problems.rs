//! The rules of the API for a whole history.
//!
//! The results of a turn answer the calls of the turn before it. They must be in one message, the
//! next one: the API does not find those in a later one, although it accepts neighbouring messages
//! of one role.

use std::collections::HashMap;

use super::super::{Problem, Rule, merged_turn_starts};
use crate::message::{MessageView, Role, ToolResult};

pub(super) const CALL_WITHOUT_RESULT: Rule = Rule {
    name: "call_without_result",
    error: "Expected toolResult blocks at messages.N.content for the following Ids: {id}",
};
/// The API finds a result only in the message directly after its call.
pub(super) const RESULTS_APART: Rule =
    Rule { name: "results_apart", error: CALL_WITHOUT_RESULT.error };
pub(super) const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "The number of toolResult blocks at messages.N.content exceeds the number of toolUse \
           blocks of previous turn. (toolUseId: {id})",
};
pub(super) const DUPLICATE_RESULT: Rule = Rule {
    name: "duplicate_result",
    error: "The toolResult blocks at messages.N.content contain duplicate Ids: {id}",
};
pub(super) const DUPLICATE_CALL_ID: Rule = Rule {
    name: "duplicate_call_id",
    error: "The toolUse blocks at messages.N.content contain duplicate Ids: {id}",
};
pub(super) const MISSING_CALL_ID: Rule = Rule {
    name: "missing_call_id",
    error: "Parameter validation failed: Missing required parameter: \"toolUseId\"",
};
pub(super) const INVALID_CALL_ID: Rule = Rule {
    name: "invalid_call_id",
    error: "Value '{id}' at 'toolUseId' failed to satisfy constraint: Member must have length less \
           than or equal to 64; Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
};
pub(super) const ARGUMENTS_NOT_AN_OBJECT: Rule = Rule {
    name: "arguments_not_an_object",
    error: "The format of the value at messages.N.content.N.toolUse.input is invalid. Provide a \
           json object for the field and try again.",
};
pub(super) const RESULT_NOT_AN_OBJECT: Rule = Rule {
    name: "result_not_an_object",
    error: "The format of the value at messages.N.content.N.toolResult.content.N.json is invalid. \
           Provide a json object for the field and try again.",
};
pub(super) const EMPTY_ERROR_RESULT: Rule = Rule {
    name: "empty_error_result",
    error: "The content field at messages.N.content.N.toolResult cannot be empty when status value \
           is error.",
};
pub(super) const EMPTY_TEXT: Rule = Rule {
    name: "empty_text",
    error: "The text field in the ContentBlock object at messages.N.content.N is blank. Add text \
           to the text field, and try again.",
};
/// To the API the same as an empty text; other formats distinguish them.
pub(super) const BLANK_TEXT: Rule = Rule { name: "blank_text", error: EMPTY_TEXT.error };
pub(super) const EMPTY_CONTENT: Rule = Rule {
    name: "empty_content",
    error: "The content field in the Message object at messages.N is empty. Add a ContentBlock \
           object to the content field and try again.",
};
pub(super) const FIRST_MESSAGE_NOT_USER: Rule = Rule {
    name: "first_message_not_user",
    error: "A conversation must start with a user message. Try again with a conversation that \
           starts with a user message.",
};

/// Returns every rule that the history breaks, by message.
pub(super) fn find(views: &[&MessageView]) -> Vec<Problem> {
    let mut check = Check::default();
    for (index, view) in views.iter().enumerate() {
        check.problems.extend(view.faults.iter().map(|fault| Problem::from_fault(index, fault)));
        if index == 0 && view.role == Role::Assistant {
            check.note(index, FIRST_MESSAGE_NOT_USER, None);
        }
        check.add_message(index, view);
    }
    // Ends the last turn, and the one that it may answer.
    check.end_turn();
    check.end_turn();
    check.problems.sort_by_key(|problem| problem.index);
    check.problems
}

/// Returns where units begin. System messages, which the API does not have, separate no turns.
pub(super) fn unit_starts(views: &[&MessageView]) -> Vec<bool> {
    merged_turn_starts(views, |_| false)
}

/// The state of the check after some messages.
#[derive(Default)]
struct Check<'v> {
    problems: Vec<Problem>,
    /// True for a turn of the model; `None` before the first turn.
    of_model: Option<bool>,
    /// The first message of this turn.
    first: usize,
    /// The calls of the previous turn: message and id.
    asked: Vec<(usize, Option<&'v str>)>,
    /// Their ids, and whether a result was found.
    answered: HashMap<Option<&'v str>, bool>,
    /// The calls of this turn.
    asking: Vec<(usize, Option<&'v str>)>,
}

impl<'v> Check<'v> {
    fn note(&mut self, index: usize, rule: Rule, id: Option<&str>) {
        self.problems.push(Problem::new(index, rule, id.map(str::to_owned)));
    }

    fn add_message(&mut self, index: usize, view: &'v MessageView) {
        let of_model = view.role == Role::Assistant;
        if self.of_model != Some(of_model) {
            self.end_turn();
            (self.of_model, self.first) = (Some(of_model), index);
        }
        for result in &view.results {
            self.result(index, result);
        }
        self.asking.extend(view.calls.iter().map(|call| (index, call.id.as_deref())));
    }

    /// Ends the turn: calls of the previous turn can get no more results. Several calls with one id
    /// are reported once, because the API requires one result for that id.
    fn end_turn(&mut self) {
        let asked = std::mem::replace(&mut self.asked, std::mem::take(&mut self.asking));
        for (index, id) in asked {
            if self.answered.insert(id, true) == Some(false) {
                self.note(index, CALL_WITHOUT_RESULT, id);
            }
        }
        self.answered = self.asked.iter().map(|(_, id)| (*id, false)).collect();
    }

    fn result(&mut self, index: usize, result: &'v ToolResult) {
        let id = result.call_id.as_deref();
        match self.answered.get_mut(&id) {
            None => self.note(index, RESULT_WITHOUT_CALL, id),
            Some(true) => self.note(index, DUPLICATE_RESULT, id),
            Some(answered) => {
                *answered = true;
                if index != self.first {
                    self.note(index, RESULTS_APART, id);
                }
            }
        }
    }
}
