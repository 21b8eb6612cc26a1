//! The goals and rules of the user, in the user's own words.

use std::borrow::Cow;
use std::collections::HashSet;

use raw_json::offset_in;

use super::exchanges::Exchange;
use super::follow_ups::{FollowUp, FollowUps};
use super::input::Input;
use super::item::{Item, parse, points};
use super::labels::{LANGUAGES, LATEST, Labels};
use super::retractions::{lifts, permits, retractions, takes_back};
use super::said::Said;
use super::terms::{Terms, each_term};
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_checkbox, is_list_entry, is_rule};
use crate::snapshot::text::quotation::{Quotations, headings};
use crate::snapshot::text::sentences::{ends, masked, opening, sentences, sentences_of_line};
use crate::snapshot::text::wrappers::Speaker;

/// Maximum tokens of a request, and the divisor for its share of the budget.
const REQUEST: u64 = 120;
const SHARE: u64 = 6;
/// Maximum bytes of the last line of a request to show.
const LAST_BYTES: usize = 400;
/// Maximum bytes of a rule.
const RULE_BYTES: usize = 600;
/// Maximum bytes of a text whose rules belong to the core; a longer one may be a paste.
const LONG_BYTES: usize = 3_000;
/// Maximum bytes of a question before the task.
const QUESTION_BYTES: usize = 120;
/// Maximum number of words of a command that is no request.
const COMMAND_WORDS: usize = 4;
/// Maximum number of answers that set no rule, newest first.
const ANSWERS: usize = 50;
/// Maximum number of sentences that take a goal or a rule back, newest first.
const RETRACTIONS: usize = 3;
/// Worth of a sentence that takes something back: it is chosen before what it takes back.
const TAKEN_BACK: u32 = points(101);
/// Worth of the agent's last words with the user's answer.
const LAST_WORDS: u32 = points(62);
/// Maximum number of content words of a permission without a subject.
const PERMISSION: usize = 2;
/// Maximum number of rules, newest first.
const RULES: usize = 300;

/// Returns the first request, sentences that took it back, and the latest meaningful request, in
/// the order in which the user wrote them. Keeps the first request of an earlier summary.
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
    // Reserve tokens for the marks around it.
    let room = (budget / SHARE).clamp(48.min(budget / 2), REQUEST).saturating_sub(12);
    let latest = requests.iter().rposition(|text| says_something(text));
    let replaced = latest_of_old.filter(|_| latest.is_some()).map(|at| old.remove(at).text);
    let (mut retracting, old): (Vec<Item>, Vec<Item>) =
        old.into_iter().partition(|item| LANGUAGES.iter().any(|l| item.text.starts_with(l.later)));
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
    if let (Some(goal), Some(later)) = (items.first(), later) {
        let replaced = replaced.iter().map(|text| without_label(text));
        let later: Vec<&str> = replaced.chain(later.iter().copied()).collect();
        for sentence in retractions(&goal.text, &later) {
            let text = format!("{} {sentence}", input.labels.later);
            if retracting.iter().all(|item| item.text != text) {
                retracting.push(Item::core(text, 0, 0));
            }
        }
        let oldest = retracting.len().saturating_sub(RETRACTIONS);
        let newest = retracting.drain(oldest..).enumerate();
        items.extend(newest.map(|(at, item)| Item::core(item.text, TAKEN_BACK, at + 1)));
    }
    // If the latest request is also the first one, it is not repeated.
    if let Some(at) = latest.filter(|at| first.is_none_or(|first| *first != requests[*at])) {
        let short = request(requests[at], room, count);
        let text = format!("{} {short}", input.labels.latest_request);
        items.push(Item::core(text, points(90), RETRACTIONS + 1));
    }
    items.retain(|item| !item.text.is_empty());
    items
}

/// Returns the latest request of an earlier summary without its label.
fn without_label(text: &str) -> &str {
    LATEST.iter().find_map(|label| text.strip_prefix(label)).unwrap_or(text).trim()
}

/// Returns the beginning of a request within `room`, and its last line, because a request may
/// follow the text that it refers to. For one long line, adds its end, which may restrict the
/// beginning.
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

/// Returns the first sentences of a text within `room`. Returns the first sentence whole if it
/// takes at most twice the room.
fn beginning<'a>(text: &'a str, room: u64, count: &dyn Fn(&str) -> u64) -> &'a str {
    let head = opening(text, room, count);
    let first = text.lines().flat_map(sentences_of_line).next().unwrap_or_default();
    let fits = || first.len() as u64 <= room * 40 && count(first) <= room * 2;
    if head.len() < first.len() && fits() { first } else { head }
}

/// Returns the index of the first request among the user's texts. Skips greetings, and questions
/// before it that led to no call.
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
            // Without any call, the conversation is talk only.
            return if input.calls.is_empty() { said.unwrap_or(at) } else { at };
        }
    }
    said.unwrap_or(0)
}

/// Returns false for a single word such as `ok`, and for a command of the user's program such as
/// `/add src/main.rs`.
fn says_something(text: &str) -> bool {
    let is_command = text.strip_prefix('/').is_some_and(|command| {
        let name = command.split_whitespace().next().unwrap_or_default();
        let is_name =
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        is_name && !text.contains('\n') && command.split_whitespace().count() <= COMMAND_WORDS
    });
    if is_command {
        return false;
    }
    let mut names = !text.is_ascii();
    each_term(text, |_| names = true);
    names || text.split_whitespace().count() > 1
}

/// Returns the user's and operator's sentences that set rules; newer ones are worth more.
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
            // An answer is shown with its question.
            let is_answer = input.answer_in(*index).contains(part);
            // A ticked checkbox of a form is not a rule.
            if heads || is_answer || is_checkbox(part) || quotations.has(offset_in(text, part)) {
                continue;
            }
            // An entry of a list may change its meaning without its heading.
            let mark = |entry: &'_ str| entry.find(|c| !"-*•".contains(c)).unwrap_or(0);
            let bare =
                Cow::Borrowed(if is_list_entry(part) { part[mark(part)..].trim() } else { part });
            let rule =
                headings[line].map_or(bare, |heading| format!("{} {part}", parts[heading]).into());
            // A tag or a heading of one word is not a rule.
            let spoken = rule.contains(' ') || !rule.is_ascii();
            // `Go ahead.` concerned the next step only.
            let spoken = spoken && !(permits(&rule) && content_words(&rule).len() <= PERMISSION);
            if rule.len() > RULE_BYTES || !spoken || !is_rule(&rule) || !seen.insert(rule.clone()) {
                continue;
            }
            let like = likes.insert(masked(&rule));
            let age = u32::try_from((requests.len() - 1 - at).min(6)).unwrap_or(6);
            // A rule that is among the directives need not be repeated.
            let is_said = directives.iter().any(|said| said.contains(part));
            let worth = match (like, is_said) {
                // A paste contains words of rules, too.
                (true, false) if text.len() > LONG_BYTES => 8,
                (true, false) => 40 - age,
                (true, true) => 10 - age,
                (false, _) => 4,
            };
            let found = terms.of_text(&rule, *index);
            // Keep a rule together with a next sentence that corrects it.
            let next = parts.get(line + 1).filter(|next| lifts(next, &rule));
            let next = next.filter(|next| rule.len() + next.len() <= RULE_BYTES);
            let rule = next.map_or(rule.to_string(), |next| format!("{rule} {next}"));
            let item = Item::of_message(rule, points(worth), *index, line);
            // A rule that is nowhere else precedes facts and the trail.
            let core = like && !is_said && text.len() <= LONG_BYTES;
            items.push(Item { terms: found, core, ..item });
            if items.len() >= RULES {
                return items;
            }
        }
    }
    items
}

/// Adds the later sentences with which the user took rules back, at their places, so that no rule
/// is shown without them.
pub(super) fn add_retractions(rules: &mut Vec<Item>, input: &Input<'_>) {
    let later = follow_ups(input.said);
    let places = rules.iter().map(|rule| (rule.text.clone(), rule.message()));
    for (rule, place) in places.collect::<Vec<_>>() {
        for up in lifting(&rule, place, &later) {
            match rules.iter_mut().find(|rule| rule.text.contains(up.sentence)) {
                Some(said) => (said.base, said.core) = (said.base.max(TAKEN_BACK), true),
                None => {
                    let item = Item::of_message(up.sentence.to_owned(), TAKEN_BACK, up.place, 0);
                    rules.push(Item { core: true, ..item });
                }
            }
        }
    }
}

/// Returns the rules of a model's summary, followed by later sentences of the user that take rules
/// back.
pub(super) fn amended(rules: &str, said: &[Said<'_>]) -> String {
    let later = follow_ups(said);
    let mut amended = rules.to_owned();
    for line in rules.lines() {
        let place = later.source(line, |sentence| !lifts(sentence, line));
        for up in lifting(line, place, &later) {
            if !amended.contains(up.sentence) {
                amended.push_str(&format!("\n- {}", up.sentence));
            }
        }
    }
    amended
}

/// Collects the user's sentences that may follow up a rule.
fn follow_ups<'a>(said: &'a [Said<'_>]) -> FollowUps<'a> {
    let by_user = said.iter().rev().filter(|said| said.speaker == Speaker::User);
    FollowUps::of(by_user.map(|said| (said.index, said.text.trim())))
}

/// Returns the newest sentences after `place` that take a rule back.
fn lifting<'a>(rule: &str, place: Option<usize>, later: &FollowUps<'a>) -> Vec<FollowUp<'a>> {
    let mut lifting = later.about(rule, place, takes_back);
    lifting.retain(|up| lifts(up.sentence, rule));
    lifting.split_off(lifting.len().saturating_sub(RETRACTIONS))
}

/// Returns the user's short answers with the questions: those that set a rule, and the others.
/// Newer ones are worth more.
pub(super) fn answers(input: &Input<'_>, terms: &Terms) -> (Vec<Item>, Vec<Item>) {
    let Labels { asked, stated, answered, .. } = input.labels;
    let last = input.last_said().map(|said| said.index);
    let item = |exchange: &Exchange| {
        let Exchange { asked: question, answer, answered_in: at, sets_rule, .. } = exchange;
        let label = if exchange.is_asked { asked } else { stated };
        let text = format!("{label} {question}\n{answered} {answer}");
        let worth = 8 + input.lateness(*at, 12);
        let item = match sets_rule {
            true => Item::of_message(text, points(20 + worth), *at, 0),
            false => Item::new(text, points(worth), *at),
        };
        // The agent's last words are chosen first.
        let is_last = last == Some(exchange.asked_in);
        let base = if is_last { LAST_WORDS } else { item.base };
        Item { terms: terms.of_text(question, *at), core: *sets_rule || is_last, base, ..item }
    };
    let newest = || input.exchanges.iter().rev();
    let rules = newest().filter(|exchange| exchange.sets_rule).take(RULES);
    let others = newest().filter(|exchange| !exchange.sets_rule).take(ANSWERS);
    (rules.map(item).collect(), others.map(item).collect())
}
