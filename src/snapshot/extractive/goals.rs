//! The user's goals and rules, in the user's own words only.

use std::borrow::Cow;
use std::collections::HashSet;

use raw_json::offset_in;

use super::follow_ups::FollowUps;
use super::input::Input;
use super::item::{Item, parse, points};
use super::labels::{LATEST, Labels};
use super::retractions::{lifts, retractions, takes_back};
use super::said::Said;
use super::terms::{Terms, each_term};
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_checkbox, is_list_entry, is_rule};
use crate::snapshot::text::quotation::{Quotations, headings};
use crate::snapshot::text::sentences::{ends, masked, opening, sentences, sentences_of_line};
use crate::snapshot::text::wrappers::Speaker;

/// Most tokens of a request, and the share of the budget, as one part in so many.
const REQUEST: u64 = 120;
const SHARE: u64 = 6;
/// Longest last line of a request that is shown, in bytes.
const LAST_BYTES: usize = 400;
/// Longest sentence that is taken for a rule, in bytes.
const RULE_BYTES: usize = 600;
/// A text of more bytes is hardly all rules.
const LONG_BYTES: usize = 3_000;
/// Longest answer that says nothing without its question, in bytes.
const ANSWER_BYTES: usize = 40;
/// Longest question that may stand before the task, in bytes.
const QUESTION_BYTES: usize = 120;
/// Content words of a question that can be understood by itself.
const TELLING_WORDS: usize = 3;
/// Longest answer to a statement, in bytes.
const BARE_BYTES: usize = 4;
/// Last sentences of a text in which questions are looked for.
const ASKED: usize = 6;
/// Most answers, newest first.
const ANSWERS: usize = 50;
/// Most sentences that took a goal back, the newest.
const RETRACTIONS: usize = 3;
/// Rules looked at, newest first.
const RULES: usize = 300;

/// The first request and the latest one that says something; the first of an earlier summary
/// stays.
pub(super) fn goals(
    input: &Input<'_>,
    earlier: Option<&Summary>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<Item> {
    let requests: Vec<&str> = input.of(Speaker::User).map(|(_, text)| text).collect();
    let mut old =
        earlier.map(|summary| parse(summary.get(Section::OverallGoal))).unwrap_or_default();
    let latest_of_old =
        old.iter().position(|item| LATEST.iter().any(|label| item.text.starts_with(label)));
    // The room without the marks around it.
    let room = (budget / SHARE).clamp(48.min(budget / 2), REQUEST).saturating_sub(12);
    let latest = requests.iter().rposition(|text| says_something(text));
    let replaced = latest_of_old.filter(|_| latest.is_some()).map(|at| old.remove(at).text);
    let mut items: Vec<Item> = old
        .into_iter()
        .take(2)
        .enumerate()
        .map(|(at, item)| Item {
            core: true,
            order: at,
            base: points(if at == 0 { 100 } else { 80 }),
            ..item
        })
        .collect();
    let telling = task(input).min(requests.len().saturating_sub(1));
    let first = requests.get(telling).filter(|_| items.is_empty());
    items.extend(first.map(|text| Item::core(request(text, room, count), points(100), 0)));
    let later = requests.get(first.map_or(0, |_| telling + 1)..latest.unwrap_or(0));
    if let (Some(goal), Some(later)) = (items.first_mut(), later) {
        let replaced = replaced.iter().map(|text| without_label(text));
        let later: Vec<&str> = replaced.chain(later.iter().copied()).collect();
        let later = retractions(&goal.text, &later);
        goal.text = with_later(&goal.text, &later, &input.labels);
    }
    // The first request is no news as the latest one.
    if let Some(at) = latest.filter(|at| first.is_none_or(|first| *first != requests[*at])) {
        let short = request(requests[at], room, count);
        let text = format!("{} {short}", input.labels.latest_request);
        items.push(Item::core(text, points(90), 1));
    }
    items.retain(|item| !item.text.is_empty());
    items
}

/// A latest request of an earlier summary without its label.
fn without_label(text: &str) -> &str {
    LATEST.iter().find_map(|label| text.strip_prefix(label)).unwrap_or(text).trim()
}

/// A text with the newest sentences that took something of it back, its own ones included.
fn with_later(text: &str, later: &[&str], labels: &Labels) -> String {
    let (old, words): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with(labels.later));
    let new = later.iter().map(|sentence| format!("{} {sentence}", labels.later));
    let new: Vec<String> = new.filter(|line| !old.contains(&line.as_str())).collect();
    let all: Vec<&str> = old.into_iter().chain(new.iter().map(String::as_str)).collect();
    [&words, &all[all.len().saturating_sub(RETRACTIONS)..]].concat().join("\n")
}

/// The beginning of a request within `room`, and its last line, as a request may stand behind
/// what it is about. Of one long line the end stands too: it may restrict the beginning.
fn request(text: &str, room: u64, count: &dyn Fn(&str) -> u64) -> String {
    let head = beginning(text, room, count);
    let rest = &text[offset_in(text, head) + head.len()..];
    let last = rest.trim_end().lines().last().unwrap_or_default().trim();
    let price = if last.len() > LAST_BYTES { u64::MAX } else { count(last) + 2 };
    if last.is_empty() || rest.len() == text.len() {
        return head.to_owned();
    }
    if price > room / 2 {
        return if text.contains('\n') { head.to_owned() } else { ends(text, room, count) };
    }
    let head = beginning(text, room - price, count);
    format!("{head} … {last}")
}

/// The first sentences of a text within `room`; a first one of up to twice the room is whole.
fn beginning<'a>(text: &'a str, room: u64, count: &dyn Fn(&str) -> u64) -> &'a str {
    let head = opening(text, room, count);
    let first = text.lines().flat_map(sentences_of_line).next().unwrap_or_default();
    let fits = || first.len() as u64 <= room * 40 && count(first) <= room * 2;
    if head.len() < first.len() && fits() { first } else { head }
}

/// Returns which of the user's texts is the first request: not a greeting, and not a question
/// before it that took no work.
fn task(input: &Input<'_>) -> usize {
    let mut texts = input.of(Speaker::User).enumerate().peekable();
    let mut said = None;
    while let Some((at, (index, text))) = texts.next() {
        let next = texts.peek().map(|(_, (next, _))| *next);
        let is_question = || text.len() <= QUESTION_BYTES && text.ends_with(['?', '？']);
        let calls =
            |next: usize| input.calls.iter().any(|call| (index..next).contains(&call.index));
        if !says_something(text) {
            continue;
        }
        said = said.or(Some(at));
        if !next.is_some_and(|next| is_question() && !calls(next)) {
            // Without any call it is all talk.
            return if input.calls.is_empty() { said.unwrap_or(at) } else { at };
        }
    }
    said.unwrap_or(0)
}

/// False for one word such as `ok`.
fn says_something(text: &str) -> bool {
    let mut names = !text.is_ascii();
    each_term(text, |_| names = true);
    names || text.split_whitespace().count() > 1
}

/// Sentences of the user that set rules, the newest worth most.
pub(super) fn constraints(input: &Input<'_>, directives: &[String], terms: &Terms) -> Vec<Item> {
    let mut seen = HashSet::new();
    let mut likes = HashSet::new();
    let mut items = Vec::new();
    let mut requests: Vec<(usize, &str)> = input.of(Speaker::User).collect();
    requests.extend(input.of(Speaker::Operator));
    requests.sort_by_key(|(index, _)| *index);
    for (at, (index, text)) in requests.iter().enumerate().rev() {
        let (parts, quotations) = (sentences(text), Quotations::of(text));
        let headings = headings(text, &parts);
        for (line, part) in parts.iter().copied().enumerate() {
            let heads = headings.get(line + 1).is_some_and(|next| *next == Some(line));
            // A box of a form that was filled in is no rule.
            if heads || is_checkbox(part) || quotations.has(offset_in(text, part)) {
                continue;
            }
            // An entry of a list says something else without what heads it.
            let mark = |entry: &'_ str| entry.find(|c| !"-*•".contains(c)).unwrap_or(0);
            let bare =
                Cow::Borrowed(if is_list_entry(part) { part[mark(part)..].trim() } else { part });
            let rule =
                headings[line].map_or(bare, |heading| format!("{} {part}", parts[heading]).into());
            // A tag or a heading of one word sets no rule.
            let spoken = rule.contains(' ') || !rule.is_ascii();
            if rule.len() > RULE_BYTES || !spoken || !is_rule(&rule) || !seen.insert(rule.clone()) {
                continue;
            }
            let like = likes.insert(masked(&rule));
            let age = u32::try_from((requests.len() - 1 - at).min(6)).unwrap_or(6);
            // What stands among the directives is said once.
            let is_said = directives.iter().any(|said| said.contains(part));
            let worth = match (like, is_said) {
                // A paste has words of rules, too.
                (true, false) if text.len() > LONG_BYTES => 8,
                (true, false) => 40 - age,
                (true, true) => 10 - age,
                (false, _) => 4,
            };
            let found = terms.of_text(&rule, *index);
            // One that was corrected in the same breath does not stand alone.
            let next = parts.get(line + 1).filter(|next| takes_back(next));
            let next = next.filter(|next| rule.len() + next.len() <= RULE_BYTES);
            let rule = next.map_or(rule.to_string(), |next| format!("{rule} {next}"));
            let item = Item::of_message(rule, points(worth), *index, line);
            // Facts and the trail give way to a rule that stands nowhere else.
            let core = like && !is_said && text.len() <= LONG_BYTES;
            items.push(Item { terms: found, core, ..item });
            if items.len() >= RULES {
                return items;
            }
        }
    }
    items
}

/// Adds to each rule what the user said later to take it back: one does not stand without the
/// other.
pub(super) fn amend(rules: &mut [Item], input: &Input<'_>) {
    let later = follow_ups(input.said);
    for rule in rules {
        let place = rule.message();
        rule.text = with_lifted(&rule.text, place, &later, &input.labels);
    }
}

/// Returns the rules of a model's summary, each line with what the user said to take it back
/// behind the sentence that set it.
pub(super) fn amended(rules: &str, said: &[Said<'_>], labels: &Labels) -> String {
    let later = follow_ups(said);
    let amended = |line: &str| {
        // It belongs to the rule above.
        if line.trim_start().starts_with(labels.later) {
            return line.to_owned();
        }
        let place = later.source(line, |sentence| !lifts(sentence, line));
        with_lifted(line, place, &later, labels).replace('\n', "\n  ")
    };
    rules.lines().map(amended).collect::<Vec<_>>().join("\n")
}

/// The user's sentences as those that may follow up a rule.
fn follow_ups<'a>(said: &'a [Said<'_>]) -> FollowUps<'a> {
    let by_user = said.iter().rev().filter(|said| said.speaker == Speaker::User);
    FollowUps::of(by_user.map(|said| (said.index, said.text.trim())))
}

/// A rule with the newest sentences behind its place that take it back.
fn with_lifted(rule: &str, place: Option<usize>, later: &FollowUps<'_>, labels: &Labels) -> String {
    let about = later.about(rule, place, takes_back).into_iter().map(|up| up.sentence);
    let lifting: Vec<&str> = about.filter(|sentence| lifts(sentence, rule)).collect();
    if lifting.is_empty() { rule.to_owned() } else { with_later(rule, &lifting, labels) }
}

/// Short answers of the user, with the questions that they answer: without these they say nothing.
/// The newest are worth most.
pub(super) fn answers(input: &Input<'_>, terms: &Terms) -> Vec<Item> {
    let pair = |pair: &[Said<'_>]| {
        let [asked, said] = pair else { return None };
        let answer = said.text.trim();
        let is_answer = (asked.speaker, said.speaker) == (Speaker::Agent, Speaker::User)
            && answer.len() <= ANSWER_BYTES
            && !answer.ends_with(['?', '？'])
            && !answer.contains('\n');
        let question = asked_last(&asked.text, answer).filter(|_| is_answer)?;
        let Labels { asked, answered, .. } = input.labels;
        let text = format!("{asked} {question}\n{answered} {answer}");
        let worth = points(8 + input.lateness(said.index, 12));
        let found = terms.of_text(&question, said.index);
        Some(Item { terms: found, ..Item::of_message(text, worth, said.index, 0) })
    };
    let newest = input.said.windows(2).rev().filter_map(pair);
    newest.take(ANSWERS).collect()
}

/// Returns the question at the end of an agent's text: the first question among its last sentences,
/// and all behind it. A bare `no` or `2` may answer a statement.
fn asked_last(text: &str, answer: &str) -> Option<String> {
    let last = sentences(text);
    let last = &last[last.len().saturating_sub(ASKED)..];
    let is_question = |sentence: &&str| sentence.ends_with(['?', '？']);
    let bare = || last.len().checked_sub(1).filter(|_| answer.len() <= BARE_BYTES);
    let mut from = last.iter().position(is_question).or_else(bare)?;
    // `Which do you prefer?` names nothing: the choice stands before it.
    while from > 0 && content_words(&last[from..].join(" ")).len() < TELLING_WORDS {
        from -= 1;
    }
    while from > 0 && is_list_entry(last[from]) && is_list_entry(last[from - 1]) {
        from -= 1;
    }
    let asked = last[from..].join(" ");
    (asked.len() <= RULE_BYTES).then_some(asked)
}
