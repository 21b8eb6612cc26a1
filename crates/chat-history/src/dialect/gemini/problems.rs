//! The rules of the Gemini API. It only counts: the content after a turn's calls must have as many
//! responses; ids and names are not compared. Several contents of one role may follow each other,
//! and consecutive contents of the model are one turn.

use std::collections::{HashMap, VecDeque};
use std::mem::take;

use crate::dialect::{Problem, Rule};
use crate::message::{Call, MessageView, Role, ToolResult};

const COUNT: &str = "Please ensure that the number of function response parts is equal to the \
                     number of function call parts of the function call turn.";

pub(super) const CALL_WITHOUT_RESULT: Rule = Rule { name: "call_without_result", error: COUNT };
pub(super) const RESULT_COUNT_DIFFERS: Rule = Rule { name: "result_count_differs", error: COUNT };
pub(super) const RESULT_WITHOUT_CALL: Rule = Rule {
    name: "result_without_call",
    error: "Please ensure that function response turn comes immediately after a function call \
            turn.",
};
pub(super) const CALL_AFTER_WRONG_TURN: Rule = Rule {
    name: "call_after_wrong_turn",
    error: "Please ensure that function call turn comes immediately after a user turn or after a \
           function response turn.",
};
pub(super) const FIRST_MESSAGE_NOT_USER: Rule = Rule {
    name: "first_message_not_user",
    error: "First content should be with role 'user', got model",
};
pub(super) const EMPTY_CONTENT: Rule = Rule {
    name: "empty_content",
    error: "Unable to submit request because it must include at least one parts field, which \
           describes the prompt input.",
};
pub(super) const EMPTY_TEXT: Rule = Rule {
    name: "empty_text",
    error: "Unable to submit request because it has an empty text parameter. Add a value to the \
           parameter and try again.",
};
pub(super) const ARGUMENTS_NOT_AN_OBJECT: Rule = Rule {
    name: "arguments_not_an_object",
    error: "Invalid JSON payload received. Invalid value at 'function_call.args' \
           (type.googleapis.com/google.protobuf.Struct)",
};
pub(super) const RESULT_NOT_AN_OBJECT: Rule = Rule {
    name: "result_not_an_object",
    error: "Invalid JSON payload received. Invalid value at 'function_response.response' \
           (type.googleapis.com/google.protobuf.Struct)",
};
/// A fault of every content with calls and no signature, but a problem only if the model signs:
/// models before Gemini 3 require no signatures, and Gemini 3 requires them only after the user's
/// last message.
pub(super) const MISSING_THOUGHT_SIGNATURE: Rule = Rule {
    name: "missing_thought_signature",
    error: "Function call is missing a thought_signature in functionCall parts. This is required \
           for tools to work correctly, and missing thought_signature may lead to degraded model \
           performance.",
};

/// Returns every rule that the history breaks.
pub(super) fn find(views: &[&MessageView]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut turn = Turn::default();
    let mut signatures = Signatures::new(views);
    for (index, view) in views.iter().enumerate() {
        let unsigned = signatures.missing(index, view);
        let counts = |rule: Rule| rule != MISSING_THOUGHT_SIGNATURE || unsigned;
        let faults = view.faults.iter().filter(|fault| counts(fault.rule));
        problems.extend(faults.map(|fault| Problem::from_fault(index, fault)));
        if index == 0 && view.role == Role::Assistant {
            problems.push(Problem::new(index, FIRST_MESSAGE_NOT_USER, None));
        }
        turn.add_message(index, view, &mut problems);
    }
    turn.close(&mut problems);
    problems
}

/// Determines which calls the model requires to be signed.
struct Signatures {
    /// The content after the user's last message.
    since: usize,
    /// True after a signed call since then.
    signs: bool,
}

impl Signatures {
    fn new(views: &[&MessageView]) -> Signatures {
        let words = |view: &&MessageView| !matches!(view.role, Role::Assistant | Role::Tool);
        Signatures { since: views.iter().rposition(words).map_or(0, |at| at + 1), signs: false }
    }

    fn missing(&mut self, index: usize, view: &MessageView) -> bool {
        if index < self.since || view.calls.is_empty() {
            return false;
        }
        let signed = !view.faults.iter().any(|fault| fault.rule == MISSING_THOUGHT_SIGNATURE);
        self.signs |= signed;
        self.signs && !signed
    }
}

/// A content, and a place among its calls or results.
type At = (usize, usize);

/// The calls of one turn of the model, and the results directly after it, each with its content.
#[derive(Default)]
struct Turn<'v> {
    calls: Vec<(At, &'v Call)>,
    results: Vec<(At, &'v ToolResult)>,
    /// True if this is the first turn.
    opens: bool,
}

impl<'v> Turn<'v> {
    fn add_message(&mut self, index: usize, view: &'v MessageView, problems: &mut Vec<Problem>) {
        let results = view.results.iter().enumerate();
        self.results.extend(results.map(|(place, result)| ((index, place), result)));
        // The model continues until results come, and results until there are none.
        let ends = match view.results.is_empty() {
            true => view.role != Role::Assistant || !self.results.is_empty(),
            false => !view.calls.is_empty(),
        };
        if ends {
            self.close(problems);
        }
        self.opens = view.role == Role::Assistant && (self.opens || index == 0);
        if self.opens && self.calls.is_empty() && !view.calls.is_empty() {
            problems.push(Problem::new(index, CALL_AFTER_WRONG_TURN, None));
        }
        let calls = view.calls.iter().enumerate();
        self.calls.extend(calls.map(|(place, call)| ((index, place), call)));
    }

    /// Ends the turn: reports if its results are in several contents, too many or too few.
    fn close(&mut self, problems: &mut Vec<Problem>) {
        let mut pairs = Pairs::new(take(&mut self.calls), take(&mut self.results));
        pairs.pair(|call| call.id.as_deref(), |result| result.call_id.as_deref());
        pairs.pair(|call| call.name.as_deref(), |result| result.name.as_deref());
        // The API only counts, so any result answers any call.
        pairs.pair(|_| Some(""), |_| Some(""));
        if let (Some(first), Some(last)) = (pairs.answers.iter().min(), pairs.answers.iter().max())
            && first.0 != last.0
        {
            problems.push(Problem::new(first.0, RESULT_COUNT_DIFFERS, None));
        }
        let orphan = |((index, place), result): (At, &ToolResult)| Problem {
            place: Some(place),
            ..Problem::new(index, RESULT_WITHOUT_CALL, result.call_id.clone())
        };
        let open = |((index, place), call): (At, &Call)| Problem {
            place: Some(place),
            ..Problem::new(index, CALL_WITHOUT_RESULT, call.id.clone())
        };
        problems.extend(pairs.results.into_iter().map(orphan));
        problems.extend(pairs.calls.into_iter().map(open));
    }
}

/// Calls and results that are not paired yet.
struct Pairs<'v> {
    calls: Vec<(At, &'v Call)>,
    results: Vec<(At, &'v ToolResult)>,
    /// The places of the results that have a call.
    answers: Vec<At>,
}

impl<'v> Pairs<'v> {
    fn new(calls: Vec<(At, &'v Call)>, results: Vec<(At, &'v ToolResult)>) -> Pairs<'v> {
        Pairs { calls, results, answers: Vec::new() }
    }

    /// Pairs calls and results with the same key, in order.
    fn pair<'k>(
        &mut self,
        key_of_call: impl Fn(&'v Call) -> Option<&'k str>,
        key_of_result: impl Fn(&'v ToolResult) -> Option<&'k str>,
    ) {
        let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (at, (_, call)) in self.calls.iter().enumerate() {
            if let Some(key) = key_of_call(call) {
                waiting.entry(key).or_default().push_back(at);
            }
        }
        let mut gone = vec![false; self.calls.len()];
        let answers = &mut self.answers;
        self.results.retain(|(at_result, result)| {
            let queue = key_of_result(result).and_then(|key| waiting.get_mut(key));
            let Some(at) = queue.and_then(VecDeque::pop_front) else { return true };
            gone[at] = true;
            answers.push(*at_result);
            false
        });
        let mut gone = gone.into_iter();
        self.calls.retain(|_| gone.next() != Some(true));
    }
}
