//! Repair: a history that its provider would reject for its calls and results
//! becomes one that it takes. An orphan result is dropped, a call without a result
//! is answered by a stub that says so; nothing else is touched.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::dialect::{Answered, Problem};
use super::message::{Call, MessageView};
use super::{History, HistoryError};

/// What stands for a result that is not there.
pub const STUB: &str = "(no result: the history that was sent has none for this call)";

/// What was done to a broken place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// A result without a call was taken out.
    Dropped,
    /// A call without a result got a stub.
    Answered,
}

/// One mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mend {
    /// The message, counted from 0 in the history that came.
    pub index: usize,
    /// The rule that was broken.
    pub rule: &'static str,
    /// The call concerned.
    pub tool_call_id: Option<String>,
    /// What was done.
    pub action: Remedy,
}

/// A history that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The messages, a JSON array: byte for byte what came where nothing was broken.
    pub array: String,
    /// What was done, in order.
    pub mends: Vec<Mend>,
}

/// The messages of one history on their way.
struct Mending<'a> {
    history: &'a History<'a>,
    views: Vec<MessageView>,
    starts: Vec<bool>,
    /// What each message became; None where it is gone.
    messages: Vec<Option<String>>,
    /// Stubs that go before a message.
    before: BTreeMap<usize, Vec<String>>,
    mends: Vec<Mend>,
}

/// Mends what can be mended.
pub fn repair(history: &History<'_>) -> Result<Mended, HistoryError> {
    let views: Vec<MessageView> =
        (0..history.messages().len()).map(|index| history.view(index)).collect::<Result<_, _>>()?;
    let all: Vec<&MessageView> = views.iter().collect();
    let problems = history.dialect().problems(&all);
    let starts = history.dialect().unit_starts(&all);
    let messages = history.messages().iter().map(|raw| Some((*raw).to_owned())).collect();
    let before = BTreeMap::new();
    let mut mending = Mending { history, views, starts, messages, before, mends: Vec::new() };
    mending.drop_results(&by_message(&problems, &["result_without_call", "duplicate_result"]));
    mending.answer_calls(&by_message(&problems, &["call_without_result"]));
    mending.mends.sort_by_key(|mend| mend.index);
    Ok(mending.done())
}

/// The problems of these rules, by message.
fn by_message<'p>(problems: &'p [Problem], rules: &[&str]) -> BTreeMap<usize, Vec<&'p Problem>> {
    let mut found: BTreeMap<usize, Vec<&Problem>> = BTreeMap::new();
    for problem in problems.iter().filter(|problem| rules.contains(&problem.rule.name)) {
        found.entry(problem.index).or_default().push(problem);
    }
    found
}

/// Of `ids`, for each problem the last place with its id that no problem has yet:
/// where an id repeats, the first ones are in order.
fn places(problems: &[&Problem], ids: &[Option<&str>]) -> Vec<usize> {
    let mut free: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (at, id) in ids.iter().enumerate() {
        free.entry(*id).or_default().push(at);
    }
    let mut places = Vec::with_capacity(problems.len());
    for problem in problems {
        places.extend(free.get_mut(&problem.id.as_deref()).and_then(Vec::pop));
    }
    places.sort_unstable();
    places
}

impl Mending<'_> {
    fn drop_results(&mut self, problems: &BTreeMap<usize, Vec<&Problem>>) {
        for (index, problems) in problems {
            let results = &self.views[*index].results;
            let ids: Vec<Option<&str>> = results.iter().map(|r| r.call_id.as_deref()).collect();
            let gone = places(problems, &ids);
            if gone.is_empty() {
                continue;
            }
            let raw = self.history.messages()[*index];
            self.messages[*index] = self.history.dialect().without_results(raw, &gone);
            self.note(*index, problems, Remedy::Dropped);
        }
    }

    fn answer_calls(&mut self, problems: &BTreeMap<usize, Vec<&Problem>>) {
        for (index, problems) in problems {
            let calls = &self.views[*index].calls;
            let ids: Vec<Option<&str>> = calls.iter().map(|call| call.id.as_deref()).collect();
            let open: Vec<&Call> =
                places(problems, &ids).into_iter().map(|at| &calls[at]).collect();
            if open.is_empty() {
                continue;
            }
            let at = self.answers_at(*index);
            let next = self.messages.get(at).and_then(Option::as_deref);
            let of = self.history.messages()[*index];
            match self.history.dialect().answered(of, &open, STUB, next) {
                Answered::Messages(stubs) => self.before.entry(at).or_default().extend(stubs),
                Answered::Within(next) => self.messages[at] = Some(next),
            }
            self.note(*index, problems, Remedy::Answered);
        }
    }

    /// Where the answers to the calls of a message stand: behind the turn's last
    /// message of the model.
    fn answers_at(&self, index: usize) -> usize {
        let of_turn = |at: &usize| !self.starts[*at] && self.views[*at].results.is_empty();
        (index + 1..self.views.len()).find(|at| !of_turn(at)).unwrap_or(self.views.len())
    }

    fn note(&mut self, index: usize, problems: &[&Problem], action: Remedy) {
        self.mends.extend(problems.iter().map(|problem| Mend {
            index,
            rule: problem.rule.name,
            tool_call_id: problem.id.clone(),
            action,
        }));
    }

    fn done(mut self) -> Mended {
        if self.mends.is_empty() {
            return Mended { array: self.history.array().to_owned(), mends: Vec::new() };
        }
        let mut out = Vec::with_capacity(self.messages.len() + self.before.len());
        for index in 0..=self.messages.len() {
            out.extend(self.before.remove(&index).into_iter().flatten());
            out.extend(self.messages.get_mut(index).and_then(Option::take));
        }
        Mended { array: format!("[{}]", out.join(",")), mends: self.mends }
    }
}
