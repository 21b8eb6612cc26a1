//! Exchanges: short answers of the user with the question or proposal of the agent. The answer says
//! nothing without it, and a proposal must not be shown without the answer that rejected it.

use raw_json::offset_in;

use super::retractions::permits;
use super::said::Said;
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_list_entry, is_negated, is_rule};
use crate::snapshot::text::sentences::sentences;
use crate::snapshot::text::wrappers::Speaker;

/// Maximum characters of an answer.
const ANSWER: usize = 60;
/// Maximum bytes of a beginning of an answer that refuses or chooses.
const BEGINNING_BYTES: usize = 200;
/// Maximum characters of a single word that refuses.
const BARE: usize = 6;
/// Maximum bytes of a question.
const QUESTION_BYTES: usize = 600;
/// Minimum number of content words of a question that is clear by itself.
const TELLING_WORDS: usize = 3;
/// Number of last sentences of a text to search for questions.
const ASKED: usize = 12;

/// A question or a proposal of the agent, and the user's answer.
pub(super) struct Exchange {
    pub(super) asked: String,
    pub(super) answer: String,
    /// The message with the question, and the message with the answer.
    pub(super) asked_in: usize,
    pub(super) answered_in: usize,
    /// True for a question, false for a statement.
    pub(super) is_asked: bool,
    /// True if the answer remains valid. Any other answer concerned the next step only.
    pub(super) sets_rule: bool,
}

/// Returns the exchanges, oldest first.
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

/// Returns an answer that is not clear by itself: a short one, or the beginning of one that refuses
/// or chooses.
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

/// Returns true for an answer that begins with a refusal: up to the first punctuation mark, it has
/// a negation and hardly another word.
fn begins_with_no(answer: &str) -> bool {
    let first = answer.split([',', '.', ';', ':', '!', '?', '、', '。', '，', '！']).next();
    let says_no = |first: &str| {
        let words = content_words(first).len();
        is_negated(first) && (words == 0 || (words == 1 && first.chars().nth(BARE).is_none()))
    };
    first.is_some_and(says_no) && !is_question(answer)
}

/// Returns true for an answer that begins with the label of an option, such as `b.` or `(2)`.
fn is_choice(answer: &str) -> bool {
    answer.split_whitespace().next().is_some_and(is_mark)
}

/// Returns true for the label of an option.
fn is_mark(word: &str) -> bool {
    let mark = word.trim_matches(|c: char| c.is_ascii_punctuation());
    mark.len() == 1 && mark.len() < word.len() && mark.is_ascii()
}

fn is_question(sentence: &str) -> bool {
    sentence.ends_with(['?', '？'])
}

/// Returns the question at the end of an agent's text: the first question among the last sentences
/// from which the rest of the text fits into `QUESTION_BYTES`, with the options before it. For a
/// choice or a bare refusal, the last sentence may also be a statement.
fn asked_last(text: &str, answer: &str) -> Option<String> {
    let last = sentences(text);
    let last = &last[last.len().saturating_sub(ASKED)..];
    let is_bare = is_choice(answer) || begins_with_no(answer);
    let bare = || last.len().checked_sub(1).filter(|_| is_bare);
    let fits = |from: usize| last[from..].join(" ").len() <= QUESTION_BYTES;
    let asks = |from: &usize| is_question(last[*from]) && fits(*from);
    let mut from = (0..last.len()).find(asks).or_else(bare)?;
    // `Which do you prefer?` has no content of its own; the options are before it.
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
