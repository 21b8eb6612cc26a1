//! Directives: the words of the user, and those of the operator between the turns. They are copied
//! verbatim, so that no summary paraphrases them.

use std::collections::HashSet;
use std::ops::Range;

use raw_json::offset_in;

use super::follow_ups::FollowUps;
use super::retractions::takes_back;
use super::said::Said;
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_constraint, is_error, is_negated};
use crate::snapshot::text::quotation::{Quotations, headings};
use crate::snapshot::text::sentences::{ends, masked, sentences};
use crate::snapshot::text::wrappers::Speaker;

/// Maximum bytes of a short text, and of a sentence to take. Of a longer text, fewer sentences are
/// taken.
const LONG_BYTES: usize = 1_500;
/// Minimum room for a text, in tokens, whatever its share of the budget.
const SHORT: u64 = 120;
/// The share of the budget for one text before all others had a turn, as a divisor.
const SHARE: u64 = 4;
/// The share of the budget for a first or latest request while others wait, as a divisor.
const FRAME_SHARE: u64 = 3;
/// The share of a request's room for quotations in it, as a divisor, if the request does not fit
/// whole.
const QUOTED_SHARE: u64 = 8;
/// Maximum bytes of a text that follows up a rule.
const FOLLOW_UP_BYTES: usize = 200;
/// Maximum bytes of a reply to read.
const REPLY_BYTES: usize = 4_000;
/// Maximum bytes of a first or latest request to search for repeated texts.
const SEARCHED: usize = 64_000;
/// Tokens of the bullet before a directive and of the line end.
const FRAME: u64 = 3;

/// The priority of a text, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    /// The first and the latest request.
    Frame,
    /// One of the newest texts.
    Recent,
    /// A text that sets a rule.
    Rule,
    /// A long text with words that set rules, such as a paste.
    Long,
    /// A text that sets a rule and differs from a newer one in digits only.
    Refrain,
    /// Any other text.
    Word,
    /// A text that differs from a newer one in digits only.
    Echo,
}

/// A text, and the parts that are taken from it.
struct Candidate<'a> {
    text: &'a str,
    priority: Priority,
    price: u64,
    /// Everything that was said before the user or operator spoke again.
    reply: &'a [Said<'a>],
    /// The taken parts in order; `spent` is their cost.
    taken: Vec<Range<usize>>,
    spent: u64,
}

/// Returns the user's directives within `budget` tokens, oldest first. Each is an exact part of a
/// message: the whole message if there is room, otherwise whole sentences. From a first or latest
/// request it takes as many as fit; from another text those that set a rule, the first and the
/// last. If not all fit, rules precede other texts, and newer words precede older ones. `earlier`
/// are the directives of the snapshot that this one replaces; they are the oldest.
///
/// A sentence is cut only if it is all of a first or latest request and contains no negation. The
/// result is its beginning and its end with ` … ` between them.
pub(crate) fn directives(
    said: &[Said<'_>],
    earlier: &[String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<String> {
    let mut candidates = candidates(said, earlier, budget, count);
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|at| (candidates[*at].priority, *at));
    let is_crowded =
        candidates.iter().fold(0, |sum: u64, next| sum.saturating_add(next.price)) > budget;
    let mut left = budget;
    let mut cut = Vec::new();
    for (turn, at) in order.iter().enumerate() {
        let is_frame = candidates[*at].priority == Priority::Frame;
        let waits = |next: &&usize| candidates[**next].priority == Priority::Frame;
        // The frames come first, so the other frame follows directly.
        let other = order.get(turn + 1).filter(waits).map_or(0, |at| candidates[*at].price);
        // Two frames share the room; the second gets what the first leaves.
        let room = match is_frame {
            true => (left - other.min(left / 2)).min((budget / FRAME_SHARE).max(SHORT)),
            false => left.min((budget / SHARE).max(SHORT)),
        };
        let candidate = &mut candidates[*at];
        let is_short = is_frame
            && candidate.price <= left - other.min(left / 2)
            && candidate.price <= budget / 2;
        if is_crowded && !is_frame && candidate.take_telling(room, count) {
            // The rest waits until every text had its turn.
        } else if candidate.price <= room || is_short {
            candidate.take_whole();
        } else if room > FRAME {
            candidate.take_sentences(room, count);
            if is_frame && candidate.taken.is_empty() && !is_negated(candidate.text) {
                let short = ends(candidate.text, room.saturating_sub(FRAME), count);
                left = left.saturating_sub(count(&short) + FRAME);
                cut.push((*at, short));
            }
        }
        left = left.saturating_sub(candidates[*at].spent);
    }
    for at in order {
        let candidate = &mut candidates[at];
        let is_frame = candidate.priority == Priority::Frame;
        let more = candidate.price.saturating_sub(candidate.spent);
        if candidate.spent > 0 && more > 0 && more <= left {
            left -= more;
            candidate.take_whole();
        } else if is_frame && more > 0 && left > SHORT {
            // The other texts left room.
            if let Some((_, short)) = cut.iter_mut().find(|(of, _)| *of == at) {
                let room = left + count(short);
                *short = ends(candidate.text, room, count);
                left = room.saturating_sub(count(short));
                continue;
            }
            left = candidate.retake(left, u64::MAX, count);
        } else if is_crowded && !is_frame && candidate.spent > 0 && more > 0 {
            left = candidate.retake(left, (budget / SHARE).max(SHORT), count);
        }
    }
    let mut directives = Vec::new();
    for (at, candidate) in candidates.iter().enumerate().rev() {
        let short = cut.iter().filter(|(of, short)| *of == at && !short.is_empty());
        directives.extend(short.map(|(_, short)| short.clone()));
        directives
            .extend(candidate.taken.iter().map(|part| candidate.text[part.clone()].to_owned()));
    }
    directives
}

impl Candidate<'_> {
    fn take_whole(&mut self) {
        self.taken = std::iter::once(0..self.text.len()).collect();
        self.spent = self.price;
    }

    /// Takes the sentences again with `left` more tokens, up to `most` for the text. Returns the
    /// remaining tokens.
    fn retake(&mut self, left: u64, most: u64, count: &dyn Fn(&str) -> u64) -> u64 {
        let all = left + std::mem::take(&mut self.spent);
        self.taken.clear();
        self.take_sentences(all.min(most.max(all - left)), count);
        all - self.spent
    }

    /// Takes sentences that set a rule, and sentences that the agent's reply refers to. Returns
    /// false if there are none.
    fn take_telling(&mut self, room: u64, count: &dyn Fn(&str) -> u64) -> bool {
        self.take_ranked(1, room, count);
        self.spent > 0
    }

    /// Returns for each part of the text whether the agent's reply has the same subject.
    fn answered(&self, parts: &[&str]) -> Vec<bool> {
        let mut words = HashSet::new();
        let mut left = REPLY_BYTES;
        for said in self.reply.iter().filter(|said| said.speaker == Speaker::Agent) {
            let text = &said.text[..said.text.floor_char_boundary(left)];
            left -= text.len();
            words.extend(content_words(text));
        }
        let is_answered = |part: &&str| {
            let own = content_words(part);
            let shared = own.intersection(&words).count();
            shared > 1 || (shared > 0 && shared * 2 >= own.len())
        };
        parts.iter().map(is_answered).collect()
    }

    /// Takes whole sentences that cost at most `room`. Adjacent ones form one part.
    fn take_sentences(&mut self, room: u64, count: &dyn Fn(&str) -> u64) {
        let most = match self.priority {
            Priority::Frame => 4,
            _ => 2 + u8::from(self.text.len() <= LONG_BYTES),
        };
        self.take_ranked(most, room, count);
    }

    /// Takes sentences of ranks up to `most`, the lowest rank first.
    fn take_ranked(&mut self, most: u8, room: u64, count: &dyn Fn(&str) -> u64) {
        let parts = sentences(self.text);
        let end = parts.len().saturating_sub(1);
        let quotations = Quotations::of(self.text);
        let quoted = |at: usize| quotations.has(offset_in(self.text, parts[at]));
        let headings = headings(self.text, &parts);
        let is_frame = self.priority == Priority::Frame;
        let is_short = !is_frame && self.text.len() <= LONG_BYTES;
        let answered = self.answered(&parts);
        let rank = |at: usize| match (is_constraint(parts[at]), at) {
            // A request may follow the text that it refers to.
            (_, last) if is_frame && last == end => (0, at),
            (true, _) if !quoted(at) => (1, at),
            // The agent refers to most parts of a task.
            (_, at) if answered[at] && !quoted(at) && !is_frame => (1, at),
            (_, 0) if !is_short => (1, at),
            (_, last) if last == end => (2, at),
            // Errors are the most informative lines of a paste.
            _ if quoted(at) && is_frame && is_error(parts[at]) => (2, at),
            _ if quoted(at) => (4, at),
            // A message often begins with thanks, not with its subject.
            _ if is_short => (3, parts.len() - at),
            _ => (3, at),
        };
        let mut order: Vec<((u8, usize), usize)> = (0..parts.len())
            .map(|at| (rank(at), at))
            .filter(|((rank, _), _)| *rank <= most)
            .collect();
        order.sort_unstable();
        let mut chosen = vec![false; parts.len()];
        let mut left_quoted = room / QUOTED_SHARE;
        for (_, at) in order {
            if self.spent + FRAME >= room {
                break;
            }
            // An entry of a list may change its meaning without its heading.
            let all: Vec<usize> = headings[at].into_iter().chain([at]).collect();
            let price = |at: &usize| match parts[*at].len() {
                _ if chosen[*at] => 0,
                bytes if bytes > LONG_BYTES => u64::MAX / 4,
                _ => count(parts[*at]) + FRAME,
            };
            let price = all.iter().map(price).sum::<u64>();
            let is_quoted = is_frame && at != end && quoted(at);
            if self.spent.saturating_add(price) <= room && !(is_quoted && price > left_quoted) {
                self.spent += price;
                left_quoted -= if is_quoted { price } else { 0 };
                all.into_iter().for_each(|at| chosen[at] = true);
            }
        }
        let start = |at: usize| offset_in(self.text, parts[at]);
        for run in (0..parts.len()).collect::<Vec<_>>().chunk_by(|a, b| chosen[*a] == chosen[*b]) {
            let last = run[run.len() - 1];
            if chosen[last] {
                self.taken.push(start(run[0])..start(last) + parts[last].len());
            }
        }
    }
}

/// Returns all texts that may be kept, newest first, without repetitions. Of similar texts, the
/// older ones get a lower priority.
fn candidates<'a>(
    said: &'a [Said<'_>],
    earlier: &'a [String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<Candidate<'a>> {
    let heard: Vec<usize> =
        (0..said.len()).filter(|at| said[*at].speaker <= Speaker::Operator).collect();
    let is_user = |at: &&usize| said[**at].speaker == Speaker::User;
    let first = heard.iter().find(is_user).filter(|_| earlier.is_empty());
    let frames = [first, heard.iter().rfind(is_user)];
    let before = earlier.iter().enumerate();
    let mut texts: Vec<(&str, bool, &[Said<'_>])> =
        before.map(|(at, text)| (text.as_str(), at == 0, &said[..0])).collect();
    texts.extend(heard.iter().enumerate().map(|(turn, at)| {
        let end = heard.get(turn + 1).copied().unwrap_or(said.len());
        (said[*at].text.trim(), frames.contains(&Some(at)), &said[at + 1..end])
    }));
    let framed: Vec<&str> =
        texts.iter().filter(|(_, frame, _)| *frame).map(|(text, ..)| *text).collect();
    let (mut seen, mut likes) = (HashSet::new(), HashSet::new());
    let mut newest = budget / SHARE;
    let mut candidates = Vec::new();
    for (text, frame, reply) in texts.into_iter().rev() {
        let repeats = |frame: &&str| frame.len() <= SEARCHED && frame.contains(text);
        if !frame && (!seen.insert(text) || framed.iter().any(repeats)) {
            continue;
        }
        let priority = match (frame, is_constraint(text), likes.insert(masked(text))) {
            (true, _, _) => Priority::Frame,
            (_, true, true) => Priority::Rule,
            (_, true, false) => Priority::Refrain,
            (_, false, true) => Priority::Word,
            (_, false, false) => Priority::Echo,
        };
        // Tokens have a few bytes each, so most texts without room need no count.
        let misfits = text.len() as u64 / 64 > budget;
        let price = if misfits { u64::MAX / 2 } else { count(text) + FRAME };
        let is_long = priority == Priority::Rule && price > (budget / SHARE).max(SHORT);
        let priority = if is_long { Priority::Long } else { priority };
        newest = newest.saturating_sub(if frame { 0 } else { price });
        let priority = if newest > 0 { priority.min(Priority::Recent) } else { priority };
        let taken = Vec::new();
        candidates.push(Candidate { text, priority, price, reply, taken, spent: 0 });
    }
    raise_follow_ups(&mut candidates);
    candidates
}

/// Gives short texts that follow up a rule the priority of a rule.
fn raise_follow_ups(newest_first: &mut [Candidate<'_>]) {
    let last = newest_first.len();
    let texts = newest_first.iter().enumerate().map(|(at, candidate)| (last - at, candidate.text));
    let later = FollowUps::of(texts);
    let is_rule = |text: &str| text.len() <= LONG_BYTES && is_constraint(text);
    let mut raised = HashSet::new();
    for (at, candidate) in newest_first.iter().enumerate().filter(|(_, rule)| is_rule(rule.text)) {
        raised.extend(
            later
                .about(candidate.text, Some(last - at), takes_back)
                .iter()
                .map(|up| last - up.place),
        );
    }
    // A long text about a rule has other subjects, too.
    for at in raised {
        let candidate = &mut newest_first[at];
        if candidate.priority == Priority::Word && candidate.text.len() <= FOLLOW_UP_BYTES {
            candidate.priority = Priority::Rule;
        }
    }
}

#[cfg(test)]
#[path = "directives_tests.rs"]
mod tests;
