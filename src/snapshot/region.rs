//! The region: the messages that may be summarised, divided into units. It excludes system messages
//! and the newest messages. A unit is a run of messages that no cut divides, such as a turn with
//! all its results.

use std::collections::HashSet;
use std::ops::Range;

use chat_history::dialect::{Dialect, Opening};
use chat_history::message::{Call, MessageView, Role};

/// The messages that may be summarised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The units with their cost in tokens, oldest first, without gaps. A system message belongs to
    /// the unit before it and costs nothing, because it stays.
    pub units: Vec<(Range<usize>, u64)>,
}

impl Region {
    /// Returns the region before `recent_from` and after the last system message with calls.
    /// `tokens` is the cost of each message.
    pub(crate) fn of(
        dialect: &dyn Dialect,
        views: &[&MessageView],
        tokens: &[u64],
        recent_from: usize,
    ) -> Region {
        let starts = dialect.unit_starts(views);
        let system = |index: usize| views[index].role == Role::System;
        let mut units: Vec<(Range<usize>, u64)> = Vec::new();
        // If a message stays, the results of its calls must stay, too.
        let calls = |index: &usize| system(*index) && !views[*index].calls.is_empty();
        let from = (0..recent_from).rev().find(calls).map_or(0, |last| {
            (last + 1..recent_from).find(|index| starts[*index]).unwrap_or(recent_from)
        });
        for index in from..recent_from {
            match units.last_mut() {
                None if system(index) => {}
                Some((unit, _)) if system(index) => unit.end = index + 1,
                Some((unit, cost)) if !starts[index] => {
                    unit.end = index + 1;
                    *cost += tokens[index];
                }
                _ => units.push((index..index + 1, tokens[index])),
            }
        }
        // The next region begins at the end of this one, so it must begin at a message that can
        // leave.
        if let Some((unit, _)) = units.last_mut() {
            while unit.end < views.len() && system(unit.end) {
                unit.end += 1;
            }
        }
        Region { units }
    }

    /// Moves `recent_from`, the index of the first message that stays, for a service message that
    /// will precede it. Afterwards user and model still take turns. In an invalid history, the
    /// service's text must not precede results without a call, because providers accept results at
    /// the front of a turn only. Returns 0 if no message can leave.
    pub(crate) fn behind_own_message(
        dialect: &dyn Dialect,
        views: &[&MessageView],
        recent_from: usize,
    ) -> usize {
        let newest = views[recent_from..].iter().find(|view| view.role != Role::System);
        if dialect.opening() == Opening::Any || newest.is_none_or(|v| v.role == Role::Assistant) {
            return recent_from;
        }
        let starts = dialect.unit_starts(views);
        let last = |fits: &dyn Fn(&MessageView) -> bool| {
            (0..recent_from).rev().find(|index| starts[*index] && fits(views[*index]))
        };
        let of_model = last(&|view| view.role == Role::Assistant);
        let carries_results = newest.is_some_and(|view| !view.results.is_empty());
        of_model.unwrap_or_else(|| match carries_results {
            true => last(&|view| view.role == Role::User && view.results.is_empty()).unwrap_or(0),
            false => recent_from,
        })
    }

    /// Moves `recent_from`, the index of the first message that stays, to the calls at the end that
    /// still wait for their results. If such calls were summarised, their results would have no
    /// call.
    pub(crate) fn behind_waiting(
        dialect: &dyn Dialect,
        views: &[&MessageView],
        recent_from: usize,
    ) -> usize {
        let starts = dialect.unit_starts(views);
        let begins = |index: &usize| starts[*index] && views[*index].role != Role::System;
        let Some(last) = (0..views.len()).rev().find(begins) else { return recent_from };
        let calls: Vec<&Call> = views[last..].iter().flat_map(|view| &view.calls).collect();
        let results = || views[last..].iter().flat_map(|view| &view.results);
        let answered: HashSet<&str> = results().filter_map(|r| r.call_id.as_deref()).collect();
        // If some results have no id, compare their number with that of the calls.
        let by_id = results().all(|result| result.call_id.is_some());
        let open = |call: &&Call| call.id.as_deref().is_some_and(|id| !answered.contains(id));
        let waits = calls.len() > results().count() || (by_id && calls.iter().any(open));
        if waits { recent_from.min(last) } else { recent_from }
    }

    /// Moves `recent_from`, the index of the first message that stays, before a system message that
    /// does more than speak. Its settings must remain in force for all messages after it.
    pub(crate) fn before_directive(
        dialect: &dyn Dialect,
        views: &[&MessageView],
        recent_from: usize,
    ) -> usize {
        let holds = |view: &&&MessageView| view.role == Role::MidSystem && view.directive;
        let Some(at) = views.iter().position(|view| holds(&view)) else { return recent_from };
        let starts = dialect.unit_starts(views);
        let unit = (0..=at).rev().find(|index| starts[*index]).unwrap_or(0);
        recent_from.min(unit)
    }

    /// Returns the range of all its messages, including system messages between them.
    pub(crate) fn range(&self) -> Range<usize> {
        let start = self.units.first().map_or(0, |(unit, _)| unit.start);
        start..self.units.last().map_or(start, |(unit, _)| unit.end)
    }

    /// Returns the tokens of the region.
    pub(crate) fn tokens(&self) -> u64 {
        self.units.iter().map(|(_, tokens)| tokens).sum()
    }

    /// Returns the part from message `start` on. A unit must begin there.
    pub(crate) fn after(&self, start: usize) -> Region {
        let units = self.units.iter().filter(|(unit, _)| unit.start >= start).cloned();
        Region { units: units.collect() }
    }
}

#[cfg(test)]
mod tests {
    use chat_history::History;

    use super::*;

    const USER: &str = r#"{"role":"user","content":"go"}"#;

    fn with<T>(messages: &[&str], look: impl FnOnce(&dyn Dialect, &[&MessageView]) -> T) -> T {
        let array = format!("[{}]", messages.join(","));
        let history = History::parse(&array, "openai-chat").expect("a history");
        let views = history.views().expect("its views");
        look(history.dialect(), &views.iter().collect::<Vec<_>>())
    }

    /// There are as many results as calls, but one call has no result.
    #[test]
    fn a_call_waits_for_the_result_of_its_id() {
        let calls = concat!(
            r#"{"role":"assistant","content":null,"tool_calls":["#,
            r#"{"id":"a","function":{"name":"f","arguments":"{}"}},"#,
            r#"{"id":"b","function":{"name":"f","arguments":"{}"}}]}"#
        );
        let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
        for (last, expected) in [("b", 4), ("a", 1)] {
            let messages = [USER, calls, &result("a"), &result(last)];
            let from = with(&messages, |dialect, views| Region::behind_waiting(dialect, views, 4));
            assert_eq!(from, expected, "a and {last}");
        }
    }

    /// System messages after the summarised messages belong to the region, so that it ends at a
    /// message that can leave.
    #[test]
    fn a_region_ends_behind_its_system_messages() {
        let (said, system) =
            (r#"{"role":"assistant","content":"done"}"#, r#"{"role":"system","content":"a note"}"#);
        let messages = [USER, said, system, system, USER];
        let range =
            with(&messages, |dialect, views| Region::of(dialect, views, &[1; 5], 2).range());
        assert_eq!(range, 0..4);
    }
}
