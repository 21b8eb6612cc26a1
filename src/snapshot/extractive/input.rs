//! The input that every section of a summary is made from.

use std::collections::HashSet;

use super::call_record::{CallRecord, call_records};
use super::exchanges::{Exchange, exchanges};
use super::labels::Labels;
use super::said::{Said, telling};
use crate::snapshot::text::wrappers::Speaker;
use crate::snapshot::transcript::TranscriptMessage;

/// Characters of a call's words by which it is told from others.
const KEY: usize = 200;
/// Calls behind one that failed which may have mended it.
const LATER: usize = 40;

/// The messages, and what is read from them once for all sections.
pub(super) struct Input<'a> {
    pub(super) messages: &'a [TranscriptMessage<'a>],
    pub(super) said: &'a [Said<'a>],
    pub(super) calls: Vec<CallRecord<'a>>,
    /// For each call, whether a later one of the same words succeeded, or one of the same tool that
    /// has all its words: a call that was mended has more.
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

    /// The texts of a speaker, with their messages.
    pub(super) fn of(&self, speaker: Speaker) -> impl DoubleEndedIterator<Item = (usize, &'a str)> {
        let said: &'a [Said<'a>] = self.said;
        let by = said.iter().filter(move |said| said.speaker == speaker);
        by.map(|said| (said.index, said.text.trim()))
    }

    /// Returns the agent's last text that has words. It is none if the user answered, and the agent
    /// worked on without a word.
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

    /// How late a message is, from 0 to `most`.
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

/// True for a call for which a later one that succeeded has all its words; of a command, all but
/// the files that it was about: a run of all tests has those of one file. The same script that runs,
/// however it is called, and the same change of the same file mend one that failed, too.
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
