//! Directives: the user's own words, and the operator's among the turns. They are copied
//! verbatim, so that no summary paraphrases them.

use std::collections::{HashMap, HashSet};

use chat_history::message::Role;

use crate::snapshot::text::markers::{is_constraint, is_output};
use crate::snapshot::text::sentences::{masked, opening, sentences, suffix};
use crate::snapshot::transcript::TranscriptMessage;

/// A message of at most so many tokens is kept whole.
const SHORT: u64 = 120;
/// A text of more bytes is long without counting.
const LONG_BYTES: usize = 1_500;
/// Sentences taken of one long message.
const SENTENCES: usize = 40;
/// First lines that so many messages share are a framework's.
const FRAMEWORK: usize = 3;
/// Tokens of the mark before a directive and of the line's end.
const FRAME: u64 = 3;

/// The priority of a directive; the first wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    /// The first request and the latest one.
    Frame,
    /// It sets a rule.
    Rule,
    /// It sets a rule like a newer one, but for its digits.
    Refrain,
    /// Anything else that was said.
    Word,
    /// Like a newer one, but for its digits.
    Echo,
}

struct Directive<'a> {
    text: &'a str,
    priority: Priority,
}

/// The user's directives within `budget` tokens, oldest first. Each is an exact
/// part of a message: a short one whole, of a long one its first and last
/// sentence and those that set a rule. Where not all fit, rules win over the
/// rest, and newer words over older ones. `earlier` are those of the snapshot
/// that this one replaces, older than all.
///
/// The first request and the latest one are always there; only if the two alone
/// exceed the budget they are cut to a beginning and an end, with ` … ` between.
pub(crate) fn directives(
    messages: &[TranscriptMessage<'_>],
    earlier: &[String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<String> {
    let candidates = ranked(candidates(messages, earlier, count));
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|at| (candidates[*at].priority, *at));
    let mut left = budget;
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut frames = candidates.iter().filter(|c| c.priority == Priority::Frame).count() as u64;
    for at in order {
        let candidate = &candidates[at];
        if left <= FRAME {
            break;
        }
        let is_frame = candidate.priority == Priority::Frame;
        let price = match candidate.text.len() as u64 / 64 > left {
            true => u64::MAX,
            false => count(candidate.text) + FRAME,
        };
        // Both frames share what there is; the second gets what the first leaves.
        let room = if is_frame && frames > 1 && price > left / frames {
            let other = frame_price(&candidates, at, count);
            left.saturating_sub(other).max(left / frames)
        } else {
            left
        };
        frames = frames.saturating_sub(u64::from(is_frame));
        if price <= room {
            left -= price;
            chosen.push((at, candidate.text.to_owned()));
        } else if is_frame {
            let short = ends(candidate.text, room.saturating_sub(FRAME), count);
            left = left.saturating_sub(count(&short) + FRAME);
            if !short.is_empty() {
                chosen.push((at, short));
            }
        }
    }
    chosen.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    chosen.into_iter().map(|(_, text)| text).collect()
}

/// The candidates without repeats, newest first. Of similar ones, older ones get a lower
/// priority.
fn ranked(mut candidates: Vec<Directive<'_>>) -> Vec<Directive<'_>> {
    let mut seen = HashSet::new();
    let mut likes = HashSet::new();
    // Newest first: of equal ones the newest stays, of similar ones it leads.
    candidates.reverse();
    candidates
        .retain(|candidate| candidate.priority == Priority::Frame || seen.insert(candidate.text));
    let framed: HashSet<&str> =
        candidates.iter().filter(|c| c.priority == Priority::Frame).map(|c| c.text).collect();
    candidates
        .retain(|c| c.priority == Priority::Frame || !framed.iter().any(|f| f.contains(c.text)));
    for candidate in &mut candidates {
        if !likes.insert(masked(candidate.text)) {
            candidate.priority = match candidate.priority {
                Priority::Frame => Priority::Frame,
                Priority::Rule | Priority::Refrain => Priority::Refrain,
                Priority::Word | Priority::Echo => Priority::Echo,
            };
        }
    }
    candidates
}

/// Returns the tokens of the other frame.
fn frame_price(candidates: &[Directive<'_>], at: usize, count: &dyn Fn(&str) -> u64) -> u64 {
    let others = candidates.iter().enumerate().filter(|(other, _)| *other != at);
    others
        .filter(|(_, candidate)| candidate.priority == Priority::Frame)
        .map(|(_, candidate)| count(candidate.text) + FRAME)
        .sum()
}

/// Everything that may be kept, oldest first.
fn candidates<'a>(
    messages: &'a [TranscriptMessage<'_>],
    earlier: &'a [String],
    count: &dyn Fn(&str) -> u64,
) -> Vec<Directive<'a>> {
    let rule = |text| if is_constraint(text) { Priority::Rule } else { Priority::Word };
    let mut found: Vec<Directive<'_>> =
        earlier.iter().map(|text| Directive { text, priority: rule(text) }).collect();
    let users = spoken(messages).count();
    let first = if earlier.is_empty() { 1 } else { usize::MAX };
    let mut heard = 0;
    for (role, text) in said(messages) {
        heard += usize::from(role == Role::User);
        if role == Role::User && (heard == first || heard == users) {
            found.push(Directive { text, priority: Priority::Frame });
            continue;
        }
        if text.len() <= LONG_BYTES && count(text) <= SHORT {
            found.push(Directive { text, priority: rule(text) });
            continue;
        }
        let parts = sentences(text);
        let end = parts.len().saturating_sub(1);
        let kept = parts.iter().enumerate().filter(|(at, part)| {
            *at == 0 || *at == end || (part.len() <= LONG_BYTES && is_constraint(part))
        });
        let kept = kept.filter(|(_, part)| part.len() <= LONG_BYTES).take(SENTENCES);
        found.extend(kept.map(|(_, text)| Directive { text, priority: rule(text) }));
    }
    if let Some(first) = found.first_mut().filter(|_| !earlier.is_empty()) {
        first.priority = Priority::Frame;
    }
    found
}

/// Returns the texts of users, oldest first. Outputs that were sent as their words are left
/// out: by how they look, and by a first line that a framework puts above each.
pub(super) fn spoken<'a>(messages: &'a [TranscriptMessage<'_>]) -> impl Iterator<Item = &'a str> {
    said(messages).filter(|(role, _)| *role == Role::User).map(|(_, text)| text)
}

/// The texts of users and, among their turns, of the operator.
fn said<'a>(messages: &'a [TranscriptMessage<'_>]) -> impl Iterator<Item = (Role, &'a str)> {
    let texts = || {
        let speaks = |message: &&TranscriptMessage<'_>| {
            [Role::User, Role::MidSystem].contains(&message.role)
        };
        let texts = messages
            .iter()
            .filter(speaks)
            .flat_map(|message| message.texts.iter().map(|text| (message.role, text.trim())));
        texts.filter(|(_, text)| !text.is_empty())
    };
    let mut heads: HashMap<u64, usize> = HashMap::new();
    for head in texts().filter_map(|(_, text)| head(text)) {
        *heads.entry(head).or_default() += 1;
    }
    let framed = move |text: &str| head(text).is_some_and(|head| heads[&head] >= FRAMEWORK);
    texts().filter(move |(_, text)| !is_output(text) && !framed(text))
}

/// The first line of a text that has more, but for its digits.
fn head(text: &str) -> Option<u64> {
    let (line, _) = text.split_once('\n')?;
    let line = line.trim();
    (line.len() <= 120).then(|| masked(line))
}

/// Beginning and end of a text, within `tokens`.
fn ends(text: &str, tokens: u64, count: &dyn Fn(&str) -> u64) -> String {
    let text = text.trim();
    let head = opening(text, tokens * 2 / 3, count);
    let left = tokens.saturating_sub(count(head) + 2);
    let rest = text[head.len()..].trim();
    let mut limit = usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(4).min(rest.len());
    loop {
        let tail = suffix(rest, limit);
        if tail.is_empty() || limit == 0 {
            return head.to_owned();
        }
        let whole = format!("{head} … {tail}").trim_start().to_owned();
        if count(&whole) <= tokens {
            return whole;
        }
        limit = limit * 3 / 4;
    }
}

#[cfg(test)]
#[path = "directives_tests.rs"]
mod tests;
