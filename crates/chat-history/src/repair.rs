//! Repair: turns a history that its provider would reject for its calls and results into one that
//! the provider accepts.
//!
//! A result that is not directly after its call moves there, and if the provider requires the
//! results of a turn in one message, they are put into one. A result without a call is dropped. A
//! call without a result gets a stub, and a stub is dropped if the result itself is in the history.
//! Nothing else changes.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use serde::Serialize;

use super::dialect::{Opening, Problem, Stubs};
use super::message::{Call, MessageView, Role};
use super::{History, HistoryError};
use crate::gather::{gather, scattered};
use crate::service_messages::STUB;
use crate::superseded::superseded;

/// Begins a history whose first message was a dropped result.
const DROPPED: &str = "(The results that stood here answer calls that this history does not have.)";

/// How a problem was repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// A result without a call was removed.
    Dropped,
    /// A result was moved to its call.
    Moved,
    /// A call without a result got a stub.
    Answered,
}

/// One repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// The message, counted from 0 in the given history.
    pub index: usize,
    /// The rule that was broken.
    pub rule: &'static str,
    /// The call concerned.
    pub tool_call_id: Option<String>,
    /// The repair.
    pub action: Remedy,
}

/// A history that was repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The messages, a JSON array; the given bytes if nothing was broken.
    pub array: String,
    /// The repairs, in order.
    pub repairs: Vec<Repair>,
}

/// A history under repair.
struct Repairer<'a> {
    history: &'a History<'a>,
    views: Vec<MessageView>,
    starts: Vec<bool>,
    /// The new text of each message; `None` if it was removed.
    messages: Vec<Option<String>>,
    /// Stubs to insert before a message.
    before: BTreeMap<usize, Vec<String>>,
    repairs: Vec<Repair>,
}

/// Repairs the problems that can be repaired.
///
/// ```
/// use chat_history::History;
/// use chat_history::repair::{Remedy, repair};
///
/// let posted = r#"[{"role":"tool","tool_call_id":"a","content":"x"},{"role":"user","content":"Hi"}]"#;
/// let repaired = repair(&History::parse(posted, "openai-chat")?)?;
/// assert_eq!(repaired.array, r#"[{"role":"user","content":"Hi"}]"#);
/// assert_eq!(repaired.repairs[0].action, Remedy::Dropped);
/// # Ok::<(), chat_history::HistoryError>(())
/// ```
///
/// # Errors
///
/// Fails if a message cannot be read.
pub fn repair(history: &History<'_>) -> Result<Repaired, HistoryError> {
    let views = history.views()?;
    let superseded = superseded(history, &views);
    if superseded.is_empty() {
        return repair_problems(history, views);
    }
    let (mut kept, mut left, mut repairs) = (Vec::new(), Vec::new(), Vec::new());
    for (index, raw) in history.messages().iter().enumerate() {
        let stubs = superseded.get(&index).map_or(&[][..], Vec::as_slice);
        let message = match stubs {
            [] => Some((*raw).to_owned()),
            stubs => history.dialect().without_results(raw, stubs),
        };
        kept.extend(message.is_some().then_some(index));
        left.extend(message);
        repairs.extend(stubs.iter().map(|place| Repair {
            index,
            rule: "duplicate_result",
            tool_call_id: views[index].results[*place].call_id.clone(),
            action: Remedy::Dropped,
        }));
    }
    let array = format!("[{}]", left.join(","));
    let without = history.reparse(&array)?;
    let repaired = repair_problems(&without, without.views()?)?;
    repairs.extend(
        repaired.repairs.into_iter().map(|repair| Repair { index: kept[repair.index], ..repair }),
    );
    repairs.sort_by_key(|repair| repair.index);
    Ok(Repaired { array: repaired.array, repairs })
}

/// Repairs a history without superseded stubs: pairs calls with results, then gathers the results
/// of each turn.
fn repair_problems(
    history: &History<'_>,
    views: Vec<MessageView>,
) -> Result<Repaired, HistoryError> {
    let all: Vec<&MessageView> = views.iter().collect();
    let problems = history.dialect().problems(&all);
    let scattered = scattered(&problems).map(|problem| Repair {
        index: problem.index,
        rule: problem.rule.name,
        tool_call_id: problem.id.clone(),
        action: Remedy::Moved,
    });
    let scattered: Vec<Repair> = scattered.collect();
    let Repaired { array, mut repairs } = pair(history, views);
    let paired = history.reparse(&array)?;
    let Some(messages) = gather(&paired, &paired.views()?) else {
        return Ok(Repaired { array, repairs });
    };
    repairs.extend(scattered);
    repairs.sort_by_key(|repair| repair.index);
    Ok(Repaired { array: format!("[{}]", messages.join(",")), repairs })
}

/// Gives each call of a history one result, and each result a call.
fn pair(history: &History<'_>, views: Vec<MessageView>) -> Repaired {
    let all: Vec<&MessageView> = views.iter().collect();
    let problems = history.dialect().problems(&all);
    let starts = history.dialect().unit_starts(&all);
    let messages = history.messages().iter().map(|raw| Some((*raw).to_owned())).collect();
    let before = BTreeMap::new();
    let mut repairer = Repairer { history, views, starts, messages, before, repairs: Vec::new() };
    let orphans = by_message(&problems, &["result_without_call", "duplicate_result"]);
    let mut open = by_message(&problems, &["call_without_result"]);
    let answered = repairer.place_results(&orphans, &open);
    for problems in open.values_mut() {
        problems.retain(|problem| !answered.contains(&std::ptr::from_ref::<Problem>(problem)));
    }
    repairer.answer_calls(&open);
    repairer.speak_for_the_user();
    repairer.repairs.sort_by_key(|repair| repair.index);
    repairer.done()
}

/// Problems of one kind, by message.
type ProblemsByMessage<'p> = BTreeMap<usize, Vec<&'p Problem>>;

fn by_message<'p>(problems: &'p [Problem], rules: &[&str]) -> ProblemsByMessage<'p> {
    let mut found: ProblemsByMessage<'p> = BTreeMap::new();
    for problem in problems.iter().filter(|problem| rules.contains(&problem.rule.name)) {
        found.entry(problem.index).or_default().push(problem);
    }
    found
}

/// Pairs each problem with its place: the one that it names, otherwise the last of `ids` that
/// equals its id and that no other problem has. If an id repeats, its first occurrences are in
/// order.
fn placed<'p>(problems: &[&'p Problem], ids: &[Option<&str>]) -> Vec<(usize, &'p Problem)> {
    let mut free: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    for (at, id) in ids.iter().enumerate() {
        free.entry(*id).or_default().push(at);
    }
    let mut placed = Vec::with_capacity(problems.len());
    for problem in problems {
        let last = || free.get_mut(&problem.id.as_deref()).and_then(Vec::pop);
        placed.extend(problem.place.or_else(last).map(|place| (place, *problem)));
    }
    placed.sort_by_key(|(place, _)| *place);
    placed
}

impl Repairer<'_> {
    /// Moves results to their calls, and drops those without a call. Returns the calls that now
    /// have a result.
    fn place_results(
        &mut self,
        orphans: &ProblemsByMessage<'_>,
        open: &ProblemsByMessage<'_>,
    ) -> HashSet<*const Problem> {
        let mut calls: HashMap<&str, VecDeque<&Problem>> = HashMap::new();
        for problem in open.values().flatten() {
            if let Some(id) = &problem.id {
                calls.entry(id).or_default().push_back(problem);
            }
        }
        let mut answered = HashSet::new();
        for (index, problems) in orphans {
            // The results to move, by the message of their call.
            let mut moving = ProblemsByMessage::new();
            let mut dropped = Vec::new();
            for problem in problems {
                let waiting = problem.id.as_deref().and_then(|id| calls.get_mut(id));
                let call =
                    waiting.and_then(|waiting| waiting.pop_front_if(|call| call.index < *index));
                match call {
                    Some(call) => {
                        answered.insert(std::ptr::from_ref(call));
                        moving.entry(call.index).or_default().push(problem);
                    }
                    None => dropped.push(*problem),
                }
            }
            self.take_out(*index, problems, &moving);
            self.note(*index, &dropped, Remedy::Dropped);
        }
        answered
    }

    /// Removes the results of these problems from a message; those that move are inserted after the
    /// turn of their call.
    fn take_out(&mut self, index: usize, problems: &[&Problem], moving: &ProblemsByMessage<'_>) {
        let raw = self.history.messages()[index];
        let dialect = self.history.dialect();
        let results = &self.views[index].results;
        let ids: Vec<Option<&str>> = results.iter().map(|r| r.call_id.as_deref()).collect();
        let all = placed(problems, &ids);
        let places: HashMap<*const Problem, usize> =
            all.iter().map(|(place, problem)| (std::ptr::from_ref(*problem), *place)).collect();
        for (call, group) in moving {
            let place = |problem: &&Problem| places.get(&std::ptr::from_ref(*problem)).copied();
            let mut group_places: Vec<usize> = group.iter().filter_map(place).collect();
            group_places.sort_unstable();
            let at = self.answers_at(*call);
            self.before.entry(at).or_default().extend(dialect.only_results(raw, &group_places));
            self.note(index, group, Remedy::Moved);
        }
        let gone: Vec<usize> = all.into_iter().map(|(place, _)| place).collect();
        self.messages[index] = dialect.without_results(raw, &gone);
    }

    fn answer_calls(&mut self, problems: &ProblemsByMessage<'_>) {
        for (index, problems) in problems {
            let calls = &self.views[*index].calls;
            let ids: Vec<Option<&str>> = calls.iter().map(|call| call.id.as_deref()).collect();
            let open: Vec<&Call> =
                placed(problems, &ids).into_iter().map(|(at, _)| &calls[at]).collect();
            if open.is_empty() {
                continue;
            }
            let at = self.answers_at(*index);
            let of = self.history.messages()[*index];
            let dialect = self.history.dialect();
            // All results of a turn in several messages may have to be in one.
            let before = self.before.entry(at).or_default();
            let next = before
                .last()
                .map(String::as_str)
                .or(self.messages.get(at).and_then(Option::as_deref));
            match (dialect.stub_results(of, &open, STUB, next), before.last_mut()) {
                (Stubs::Messages(stubs), _) => before.extend(stubs),
                (Stubs::Within(with), Some(last)) => *last = with,
                (Stubs::Within(with), None) => self.messages[at] = Some(with),
            }
            self.note(*index, problems, Remedy::Answered);
        }
    }

    /// Inserts a service's message where the user must speak (at the front, or between the model
    /// and a system message) and only dropped results were.
    fn speak_for_the_user(&mut self) {
        if self.history.dialect().opening() == Opening::Any {
            return;
        }
        let mut before = None;
        for at in 0..self.views.len() {
            if self.before.contains_key(&at) {
                before = Some(Role::User);
            }
            let view = &self.views[at];
            if self.messages[at].is_some() {
                before = if view.role == Role::System { before } else { Some(view.role) };
                continue;
            }
            let needed = match self.kept_from(at + 1) {
                Some(Role::Assistant) => before.is_none(),
                Some(Role::MidSystem) => matches!(before, None | Some(Role::Assistant)),
                _ => false,
            };
            if needed {
                let like = Some(self.history.messages()[at]);
                self.messages[at] = Some(self.history.dialect().service_message(DROPPED, like));
                before = Some(Role::User);
            }
        }
    }

    /// Returns the speaker of the first message from `at` on that is not a prompt.
    fn kept_from(&self, at: usize) -> Option<Role> {
        (at..self.views.len()).find_map(|at| match &self.messages[at] {
            _ if self.before.contains_key(&at) => Some(Role::User),
            Some(_) => Some(self.views[at].role).filter(|role| *role != Role::System),
            None => None,
        })
    }

    /// Returns where to insert the results of a message's calls: after the turn's last message of
    /// the model.
    fn answers_at(&self, index: usize) -> usize {
        let of_turn = |at: &usize| {
            let view = &self.views[*at];
            !self.starts[*at] && view.results.is_empty() && view.role != Role::MidSystem
        };
        (index + 1..self.views.len()).find(|at| !of_turn(at)).unwrap_or(self.views.len())
    }

    fn note(&mut self, index: usize, problems: &[&Problem], action: Remedy) {
        self.repairs.extend(problems.iter().map(|problem| Repair {
            index,
            rule: problem.rule.name,
            tool_call_id: problem.id.clone(),
            action,
        }));
    }

    fn done(mut self) -> Repaired {
        if self.repairs.is_empty() {
            return Repaired { array: self.history.array().to_owned(), repairs: Vec::new() };
        }
        let mut out = Vec::with_capacity(self.messages.len() + self.before.len());
        for index in 0..=self.messages.len() {
            out.extend(self.before.remove(&index).into_iter().flatten());
            out.extend(self.messages.get_mut(index).and_then(Option::take));
        }
        Repaired { array: format!("[{}]", out.join(",")), repairs: self.repairs }
    }
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
