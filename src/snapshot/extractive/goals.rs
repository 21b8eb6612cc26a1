//! The user's goals and rules, in the user's own words only.

use std::collections::HashSet;

use super::budget::goal_room;
use super::input::Input;
use super::item::{Item, NEW, parse};
use super::labels::LATEST;
use crate::snapshot::extractive::directives::spoken;
use crate::snapshot::format::summary::{Section, Summary};
use crate::snapshot::text::markers::is_rule;
use crate::snapshot::text::sentences::{masked, opening, sentences};

/// Most tokens of a request.
const REQUEST: u64 = 120;
/// Longest sentence that is taken for a rule, in bytes.
const RULE_BYTES: usize = 600;
/// Rules looked at, newest first.
const RULES: usize = 300;

/// The first request and the latest one; the first of an earlier summary stays.
pub(super) fn goals(
    input: &Input<'_>,
    earlier: Option<&Summary>,
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<Item> {
    let requests: Vec<&str> = spoken(input.messages).collect();
    let mut old =
        earlier.map(|summary| parse(summary.get(Section::OverallGoal))).unwrap_or_default();
    let latest_of_old =
        old.iter().position(|item| LATEST.iter().any(|label| item.text.starts_with(label)));
    // The room of the section without the marks around it.
    let room = goal_room(budget).saturating_sub(12).min(REQUEST);
    let mut items = Vec::new();
    let mut first = requests.first().copied();
    if let Some(at) = latest_of_old
        && !requests.is_empty()
    {
        old.remove(at);
    }
    if !old.is_empty() {
        first = None;
        for (at, mut item) in old.into_iter().enumerate().take(2) {
            (item.worth, item.order) = (if at == 0 { 100 } else { 80 }, at);
            items.push(item);
        }
    }
    if let Some(first) = first {
        items.push(Item::new(opening(first, room, count).to_owned(), 100, 0));
    }
    if let Some(latest) =
        requests.last().filter(|latest| first.is_none_or(|first| first != **latest))
    {
        let short = opening(latest, room, count);
        items.push(Item::new(format!("{} {short}", input.labels.latest_request), 90, 1));
    }
    items.retain(|item| !item.text.is_empty());
    items
}

/// Sentences of the user that set rules, the newest worth most.
pub(super) fn constraints(input: &Input<'_>) -> Vec<Item> {
    let mut seen = HashSet::new();
    let mut likes = HashSet::new();
    let mut items = Vec::new();
    let requests: Vec<&str> = spoken(input.messages).collect();
    for (at, text) in requests.iter().enumerate().rev() {
        for (line, rule) in sentences(text).into_iter().enumerate() {
            // A tag or a heading of one word sets no rule.
            let spoken = rule.contains(' ') || !rule.is_ascii();
            if rule.len() > RULE_BYTES || !spoken || !is_rule(rule) || !seen.insert(rule) {
                continue;
            }
            let like = likes.insert(masked(rule));
            let age = u32::try_from((requests.len() - 1 - at).min(10)).unwrap_or(10);
            let worth = if like { 60 - age } else { 20 };
            let mut item = Item::new(rule.to_owned(), worth, 0);
            item.order = NEW + (at << 16) + line;
            items.push(item);
            if items.len() >= RULES {
                return items;
            }
        }
    }
    items
}
