//! Exchanges: short answers of the user, with what the agent asked or proposed. Without this they
//! say nothing, and a proposal must not stand without the answer that rejected it.

use raw_json::offset_in;

use super::retractions::permits;
use super::said::Said;
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_list_entry, is_negated, is_rule};
use crate::snapshot::text::sentences::sentences;
use crate::snapshot::text::wrappers::Speaker;

/// Longest answer, in characters.
const ANSWER: usize = 60;
/// Longest beginning of an answer that says no or chooses, in bytes.
const BEGINNING_BYTES: usize = 200;
/// Longest word that says no, in characters.
const BARE: usize = 6;
/// Longest question, in bytes.
const QUESTION_BYTES: usize = 600;
/// Content words of a question that can be understood by itself.
const TELLING_WORDS: usize = 3;
/// Last sentences of a text in which questions are looked for.
const ASKED: usize = 12;

/// A question or a proposal of the agent, and what the user answered.
pub(super) struct Exchange {
    pub(super) asked: String,
    pub(super) answer: String,
    /// The message of the question, and that of the answer.
    pub(super) asked_in: usize,
    pub(super) answered_in: usize,
    /// It was a question, not a statement.
    pub(super) is_asked: bool,
    /// The answer says what holds from now on. Any other was used up by what came next.
    pub(super) sets_rule: bool,
}

/// The exchanges, oldest first.
pub(super) fn exchanges(said: &[Said<'_>]) -> Vec<Exchange> {
    said.windows(2).filter_map(|pair| exchange(&pair[0], &pair[1])).collect()
}

fn exchange(asked: &Said<'_>, answer: &Said<'_>) -> Option<Exchange> {
    if (asked.speaker, answer.speaker) != (Speaker::Agent, Speaker::User) {
        return None;
    }
    let text = short(answer.text.trim())?;
    let question = asked_last(&asked.text, text)?;
    let is_asked = question.contains(['?', '？']);
    Some(Exchange {
        is_asked,
        sets_rule: (is_asked && begins_with_no(text)) || (is_rule(text) && !permits(text)),
        asked: question,
        answer: text.to_owned(),
        asked_in: asked.index,
        answered_in: answer.index,
    })
}

/// An answer that says nothing by itself: a short one, or the beginning of one that says no or
/// chooses.
fn short(answer: &str) -> Option<&str> {
    if answer.chars().nth(ANSWER).is_none() {
        return (!is_question(answer) && !answer.contains('\n')).then_some(answer);
    }
    let parts = sentences(answer);
    let end = |part: &&str| offset_in(answer, part) + part.len();
    let ends = parts.iter().map(end).take_while(|end| *end <= BEGINNING_BYTES);
    let beginning = ends.take(2).last().map(|end| &answer[..end]);
    beginning.filter(|text| is_choice(text) || begins_with_no(text))
}

/// True for an answer that begins with little but no, up to the first mark.
fn begins_with_no(answer: &str) -> bool {
    let first = answer.split([',', '.', ';', ':', '!', '?', '、', '。', '，', '！']).next();
    let says_no = |first: &str| {
        let words = content_words(first).len();
        is_negated(first) && (words == 0 || (words == 1 && first.chars().nth(BARE).is_none()))
    };
    first.is_some_and(says_no) && !is_question(answer)
}

/// True for an answer that begins with the mark of an entry, such as `b.` or `(2)`.
fn is_choice(answer: &str) -> bool {
    answer.split_whitespace().next().is_some_and(is_mark)
}

/// True for the mark of an entry.
fn is_mark(word: &str) -> bool {
    let mark = word.trim_matches(|c: char| c.is_ascii_punctuation());
    mark.len() == 1 && mark.len() < word.len() && mark.is_ascii()
}

fn is_question(sentence: &str) -> bool {
    sentence.ends_with(['?', '？'])
}

/// Returns the question at the end of an agent's text: the first question among its last sentences
/// with which all behind it fits, the options before it, and that. A choice or a bare `no` may
/// answer a statement.
fn asked_last(text: &str, answer: &str) -> Option<String> {
    let last = sentences(text);
    let last = &last[last.len().saturating_sub(ASKED)..];
    let is_bare = is_choice(answer) || begins_with_no(answer);
    let bare = || last.len().checked_sub(1).filter(|_| is_bare);
    let fits = |from: usize| last[from..].join(" ").len() <= QUESTION_BYTES;
    let asks = |from: &usize| is_question(last[*from]) && fits(*from);
    let mut from = (0..last.len()).find(asks).or_else(bare)?;
    // `Which do you prefer?` names nothing: the choice stands before it.
    while from > 0 && content_words(&last[from..].join(" ")).len() < TELLING_WORDS {
        from -= 1;
    }
    let is_option = |part: &str| is_list_entry(part) || is_choice(part);
    while from > 0 && is_option(last[from - 1]) {
        from -= 1;
    }
    let asked = last[from..].join(" ");
    (asked.len() <= QUESTION_BYTES).then_some(asked)
}

#[cfg(test)]
#[path = "exchanges_tests.rs"]
mod tests;
