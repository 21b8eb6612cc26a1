//! The input from which all sections of a summary are made.

use std::collections::HashSet;

use super::call_record::{CallRecord, call_records};
use super::exchanges::{Exchange, exchanges};
use super::labels::Labels;
use super::said::{Said, telling};
use crate::snapshot::text::wrappers::Speaker;
use crate::snapshot::transcript::TranscriptMessage;

/// Number of characters of a call's description by which calls are compared.
const KEY: usize = 200;
/// Number of calls after a failed one to search for a repair.
const LATER: usize = 40;

/// The messages, and data that is derived from them once for all sections.
pub(super) struct Input<'a> {
    pub(super) messages: &'a [TranscriptMessage<'a>],
    pub(super) said: &'a [Said<'a>],
    pub(super) calls: Vec<CallRecord<'a>>,
    /// For each call, whether a later one with the same words succeeded, or, if it failed, whether
    /// a later call of the tool repaired it.
    pub(super) resolved: Vec<bool>,
    /// In the order of the messages.
    pub(super) exchanges: Vec<Exchange>,
    pub(super) labels: Labels,
}

impl<'a> Input<'a> {
    pub(super) fn read(
        messages: &'a [TranscriptMessage<'a>],
        said: &'a [Said<'a>],
        labels: Labels,
    ) -> Input<'a> {
        let calls = call_records(messages);
        let resolved = resolved(&calls);
        Input { messages, said, calls, resolved, exchanges: exchanges(said), labels }
    }

    /// Returns the texts of a speaker with the indexes of their messages.
    pub(super) fn of(&self, speaker: Speaker) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
        let said: &'a [Said<'a>] = self.said;
        let by = said.iter().filter(move |said| said.speaker == speaker);
        by.map(|said| (said.index, said.text.trim()))
    }

    /// Returns the agent's last text that has words. Returns `None` if the user answered it and the
    /// agent then made calls without a word.
    pub(super) fn last_said(&self) -> Option<&'a Said<'a>> {
        let said: &'a [Said<'a>] = self.said;
        let mut by_agent = said.iter().rev().filter(|said| said.speaker == Speaker::Agent);
        let last = by_agent.find(|said| !telling(&said.text).is_empty())?;
        let answer = self.of(Speaker::User).find(|(index, _)| *index > last.index);
        let works = |(answer, _)| self.calls.iter().any(|call| call.index > answer);
        (!answer.is_some_and(works)).then_some(last)
    }

    /// Returns the part of an agent's message that the user answered, or an empty text.
    pub(super) fn asked_in(&self, message: usize) -> &str {
        let found = self.exchanges.binary_search_by_key(&message, |exchange| exchange.asked_in);
        found.map_or("", |at| &self.exchanges[at].asked)
    }

    /// Returns the answer in a message of the user, or an empty text.
    pub(super) fn answer_in(&self, message: usize) -> &str {
        let found = self.exchanges.binary_search_by_key(&message, |exchange| exchange.answered_in);
        found.map_or("", |at| &self.exchanges[at].answer)
    }

    /// Returns the position of a message from 0 for the first to `most` for the last.
    pub(super) fn lateness(&self, index: usize, most: u32) -> u32 {
        let first = self.messages.first().map_or(0, |message| message.index);
        let last = self.messages.last().map_or(0, |message| message.index);
        let (at, all) = (index.saturating_sub(first), (last - first).max(1));
        u32::try_from(at * most as usize / all).unwrap_or(most).min(most)
    }
}

fn resolved(calls: &[CallRecord<'_>]) -> Vec<bool> {
    let mut succeeded = HashSet::new();
    let mut resolved = vec![false; calls.len()];
    for (at, call) in calls.iter().enumerate().rev() {
        let key = (call.tool, call.about(KEY));
        let failed = call.failed;
        resolved[at] = succeeded.contains(&key) || (failed && is_mended(calls, at));
        if call.result.is_some() && !failed {
            succeeded.insert(key);
        }
    }
    resolved
}

/// Returns true if a later call of the same tool succeeded that does the same. It must satisfy one
/// of: it has all words of the failed call; it is a command with the same words except names of
/// files, as a run of all tests repeats those of one file; it runs the same scripts; or it changes
/// the same file in the same way.
fn is_mended(calls: &[CallRecord<'_>], at: usize) -> bool {
    let of = &calls[at];
    let words = of.words();
    let later = calls[at + 1..].iter().take(LATER);
    let mut same = later.filter(|call| call.tool == of.tool && call.result.is_some());
    let is_broader = |later: &HashSet<&str>| {
        let mut left = words.difference(later);
        of.command().is_some()
            && !later.is_empty()
            && later.is_subset(&words)
            && left.all(|word| word.contains(['/', '.']) || word.contains("::"))
    };
    let scripts = of.scripts();
    let mends = |call: &CallRecord<'_>| {
        let later = call.words();
        words.is_subset(&later)
            || is_broader(&later)
            || (!scripts.is_empty() && scripts == call.scripts())
            || (of.changes_file() && of.verb() == call.verb() && of.path() == call.path())
    };
    !words.is_empty() && same.any(|call| !call.failed && mends(call))
}
