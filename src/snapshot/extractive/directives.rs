//! Directives: the user's own words, and the operator's among the turns. They are copied
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

/// A text of more bytes has sentences that no directive is.
const LONG_BYTES: usize = 1_500;
/// A text of so many tokens is whole or left out.
const SHORT: u64 = 120;
/// The share of the budget that one text has as a whole before others have had their turn, as
/// one part in so many.
const SHARE: u64 = 4;
/// The share of the budget that a first or latest request has while others wait, in the same form.
const FRAME_SHARE: u64 = 3;
/// The share of a request's room that quotations in it have where not all of it fits, in the same
/// form.
const QUOTED_SHARE: u64 = 8;
/// Longest text that stays for what it says of a rule.
const FOLLOW_UP_BYTES: usize = 200;
/// Bytes of a reply that are read.
const REPLY_BYTES: usize = 4_000;
/// Bytes of a first or latest request in which repeats of it are looked for.
const SEARCHED: usize = 64_000;
/// Tokens of the mark before a directive and of the line's end.
const FRAME: u64 = 3;

/// The priority of a text; the first wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    /// The first request and the latest one.
    Frame,
    /// One of the newest.
    Recent,
    /// It sets a rule.
    Rule,
    /// A long text with words that set rules, such as a paste.
    Long,
    /// It sets a rule like a newer one, but for its digits.
    Refrain,
    /// Anything else that was said.
    Word,
    /// Like a newer one, but for its digits.
    Echo,
}

/// A text, and what is taken of it.
struct Candidate<'a> {
    text: &'a str,
    priority: Priority,
    price: u64,
    /// Everything said until the user spoke again.
    reply: &'a [Said<'a>],
    /// Parts of the text in order, and what they cost together.
    taken: Vec<Range<usize>>,
    spent: u64,
}

/// The user's directives within `budget` tokens, oldest first. Each is an exact part of a
/// message: the whole of it while there is room, else whole sentences – of a first or latest
/// request as many as fit, of another text those that set a rule, the first and the last.
/// Where not all fit, rules win over the rest, and newer words over older ones. `earlier` are
/// those of the snapshot that this one replaces, older than all.
///
/// Only a first or latest request of one sentence that negates nothing is cut inside, to a
/// beginning and an end with ` … ` between.
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
        // The frames come first: the next one stands right behind this.
        let other = order.get(turn + 1).filter(waits).map_or(0, |at| candidates[*at].price);
        // Two frames share what there is; the second gets what the first leaves.
        let room = match is_frame {
            true => (left - other.min(left / 2)).min((budget / FRAME_SHARE).max(SHORT)),
            false => left.min((budget / SHARE).max(SHORT)),
        };
        let candidate = &mut candidates[*at];
        let is_short = is_frame
            && candidate.price <= left - other.min(left / 2)
            && candidate.price <= budget / 2;
        if is_crowded && !is_frame && candidate.take_telling(room, count) {
            // The rest of it waits until every text has had its turn.
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
            // The others left room.
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

    /// Takes sentences anew where there are `left` more tokens, `most` of them for one text. Returns
    /// how many are left.
    fn retake(&mut self, left: u64, most: u64, count: &dyn Fn(&str) -> u64) -> u64 {
        let all = left + std::mem::take(&mut self.spent);
        self.taken.clear();
        self.take_sentences(all.min(most.max(all - left)), count);
        all - self.spent
    }

    /// Takes the sentences that set a rule, and those that the agent came back to. Returns false
    /// if it takes none.
    fn take_telling(&mut self, room: u64, count: &dyn Fn(&str) -> u64) -> bool {
        self.take_ranked(1, room, count);
        self.spent > 0
    }

    /// For each part of the text, whether the agent's reply is about the same.
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

    /// Takes whole sentences that cost at most `room`, those next to each other as one part.
    fn take_sentences(&mut self, room: u64, count: &dyn Fn(&str) -> u64) {
        let most = match self.priority {
            Priority::Frame => 4,
            _ => 2 + u8::from(self.text.len() <= LONG_BYTES),
        };
        self.take_ranked(most, room, count);
    }

    /// Takes sentences of a rank up to `most`, the first rank first.
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
            // A request may stand behind what it is about.
            (_, last) if is_frame && last == end => (0, at),
            (true, _) if !quoted(at) => (1, at),
            // The agent comes back to most of a task.
            (_, at) if answered[at] && !quoted(at) && !is_frame => (1, at),
            (_, 0) if !is_short => (1, at),
            (_, last) if last == end => (2, at),
            // Of a paste the errors say most.
            _ if quoted(at) && is_frame && is_error(parts[at]) => (2, at),
            _ if quoted(at) => (4, at),
            // A message begins with thanks as often as with what it is about.
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
            // An entry of a list says something else without what heads it.
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

/// Everything that may be kept without repeats, newest first. Of similar ones, older ones get
/// a lower priority.
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
        // A token has no more than a few bytes: most of what has no room needs no count.
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

/// Gives what was said about a rule later the priority of a rule.
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
    // A long text about a rule is about more.
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
