//! Items of a section's list. An item is written as `- text` with further lines indented by two
//! spaces. A quoted item names its source: `- [#4 read_file src/a.rs] text`.

use std::collections::{HashMap, HashSet};

use super::labels::LAST_SAID;
use super::terms::{Terms, Worth, each_term};
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::markers::is_finding;
use crate::snapshot::text::sentences::masked;

/// The first order number of new items; those of an earlier summary have lower ones.
const NEW: usize = 1 << 40;
/// Number of low bits of an order number for the sentence in a message.
const LINE_BITS: u32 = 16;
/// The beginning of a source that comes from an earlier summary.
const EARLIER: &str = "earlier";
/// The source of the agent's words, after the number of their message.
const AGENT: &str = "assistant";
/// Maximum number of items to take from a section of an earlier summary.
const FROM_EARLIER: usize = 400;
/// Points of an item of an earlier summary, because it was chosen once.
pub(super) const CHOSEN_ONCE: u32 = 8;

/// Additional points of the last item of an earlier summary, relative to its first.
const LATE: u32 = 5;
/// Additional points of a rule: it is valid until it is taken back, and precedes facts and the
/// trail.
const RULE: u32 = 30;
/// Additional points of a finding of the agent: it is based on lines that were left out.
const FOUND: u32 = 8;
/// Points of words that name nothing.
const EMPTY: u32 = 2;

/// Converts points to worth, which is measured in sixteenths of a point.
pub(super) const fn points(points: u32) -> u32 {
    points * 16
}

/// Minimum gain of an item; others are left out even if there is room.
pub(super) const LEAST: u32 = points(1);

/// One entry of a section.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The quoted source; empty for the service's own lists.
    pub(super) source: String,
    /// The text, one line or more.
    pub(super) text: String,
    /// The worth of the item regardless of its terms.
    pub(super) base: u32,
    /// The terms in the text, each of which counts once.
    pub(super) terms: Vec<Worth>,
    /// The position in the section.
    pub(super) order: usize,
    /// True for an item of the core, which is chosen before all other items.
    pub(super) core: bool,
}

impl Item {
    pub(super) fn new(text: String, base: u32, order: usize) -> Item {
        let (source, terms) = Default::default();
        Item { source, text, base, terms, order: NEW + order, core: false }
    }

    /// Creates an item for sentence `line` of a message.
    pub(super) fn of_message(text: String, base: u32, message: usize, line: usize) -> Item {
        Item::new(text, base, (message << LINE_BITS) + line)
    }

    /// Returns the message of an item from `of_message`. Returns `None` for an item of an earlier
    /// summary.
    pub(super) fn message(&self) -> Option<usize> {
        self.order.checked_sub(NEW).map(|order| order >> LINE_BITS)
    }

    /// Creates an item of the core.
    pub(super) fn core(text: String, base: u32, order: usize) -> Item {
        Item { core: true, ..Item::new(text, base, order) }
    }

    /// Returns the gain for a summary that has no terms yet.
    pub(super) fn gain_at_first(&self) -> u32 {
        self.base + self.terms.iter().map(|(_, worth)| worth).sum::<u32>()
    }

    /// Writes the item. `headed` is true if the previous item has the same source; `alone` is true
    /// if no other item has it.
    pub(super) fn write(&self, out: &mut String, headed: bool, alone: bool) {
        let mut lines = self.text.lines();
        if self.source.is_empty() {
            out.push_str("- ");
            out.push_str(lines.next().unwrap_or_default());
            out.push('\n');
        } else if !headed && alone && !self.text.contains('\n') {
            out.push_str(&format!("- [{}] {}\n", self.source, self.text));
            return;
        } else if !headed {
            out.push_str(&format!("- [{}]\n", self.source));
        }
        for line in lines {
            out.push_str("  ");
            out.push_str(line);
            out.push('\n');
        }
    }
}

/// Merges items of an earlier summary's section as older ones. Omits exact repetitions. A result of
/// a call is worth less if a later result of the same call is present.
pub(super) fn merge(items: &mut Vec<Item>, earlier: &str, section: Section, terms: &Terms) {
    // A new plan replaces the old one, and so do new last words.
    if section == Section::TaskState && items.iter().any(|item| item.core) {
        return;
    }
    let known: HashSet<String> = items.iter().map(|item| item.text.clone()).collect();
    let mut old = parse(earlier);
    let skip = old.len().saturating_sub(FROM_EARLIER);
    // Of rules that differ in digits only, the newest one counts.
    let mut likes = HashSet::new();
    let mut rules = vec![0; old.len()];
    for at in (skip..old.len()).rev().filter(|_| section == Section::ActiveConstraints) {
        rules[at] = if likes.insert(masked(&old[at].text)) { RULE } else { 0 };
    }
    let mut latest: HashMap<String, String> = HashMap::new();
    for item in old.iter().chain(items.iter()) {
        latest.insert(call_of(&item.source).to_owned(), item.source.clone());
    }
    let count = (old.len() - skip).max(1);
    for (at, mut item) in old.drain(..).enumerate().skip(skip) {
        if known.contains(&item.text) {
            continue;
        }
        let late = u32::try_from((at - skip) * LATE as usize / count).unwrap_or(LATE);
        let is_stale = latest.get(call_of(&item.source)).is_some_and(|last| *last != item.source);
        item.order = at;
        item.base = match call_of(&item.source) {
            AGENT => found_points(&item.text, late),
            _ => points(CHOSEN_ONCE + late + rules[at]) / (1 + u32::from(is_stale)),
        };
        item.terms = terms.of_text(&item.text, 0);
        item.core = rules[at] > 0;
        items.push(item);
    }
}

/// Returns the worth of an earlier statement of the agent.
fn found_points(text: &str, late: u32) -> u32 {
    let mut names = false;
    each_term(text, |_| names = true);
    match (is_finding(text), names) {
        (true, true) => points(CHOSEN_ONCE + late + FOUND),
        (true, false) | (false, true) => points(CHOSEN_ONCE + late),
        (false, false) => points(EMPTY),
    }
}

/// Returns a source without the number of its message.
fn call_of(source: &str) -> &str {
    let name = source.strip_prefix(EARLIER).unwrap_or(source).trim_start();
    match name.strip_prefix('#') {
        Some(name) => name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        None => name,
    }
}

/// Keeps the last statement of an earlier summary as knowledge, because it is not the last one any
/// more.
pub(super) fn merge_last_words(items: &mut Vec<Item>, earlier: &str, terms: &Terms) {
    for (at, item) in parse(earlier).into_iter().enumerate() {
        let said = LAST_SAID.iter().find_map(|label| item.text.strip_prefix(label));
        if let Some(text) = said.map(str::trim) {
            let base = found_points(text, LATE + 1);
            let named = terms.of_text(text, 0);
            let source = format!("{EARLIER} {AGENT}");
            let text = text.to_owned();
            items.push(Item {
                source,
                text,
                base,
                terms: named,
                order: FROM_EARLIER + at,
                core: false,
            });
        }
    }
}

/// Parses the items of a section. In a group with a quoted source, each line is an item.
pub(super) fn parse(section: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut source = String::new();
    for line in section.lines() {
        if let Some(text) = line.strip_prefix("- ") {
            let (named, text) = split_source(text);
            source = named;
            if !text.is_empty() {
                items.push(Item { source: source.clone(), ..Item::new(text.to_owned(), 0, 0) });
            }
        } else {
            let text = line.strip_prefix("  ").unwrap_or(line);
            match items.last_mut() {
                Some(last) if source.is_empty() => {
                    last.text.push('\n');
                    last.text.push_str(text);
                }
                _ if text.trim().is_empty() => {}
                _ => {
                    items.push(Item { source: source.clone(), ..Item::new(text.to_owned(), 0, 0) });
                }
            }
        }
    }
    items
}

/// Splits an item into source and text. The source of a result keeps the number of its message,
/// which distinguishes two results of the same call.
fn split_source(text: &str) -> (String, &str) {
    let is_source = |rest: &&str| rest.starts_with('#') || rest.starts_with(EARLIER);
    let quoted = text.strip_prefix('[').filter(is_source);
    let Some((source, text)) = quoted.and_then(|rest| rest.split_once(']')) else {
        return (String::new(), text);
    };
    let named = source.strip_prefix(EARLIER).unwrap_or(source).trim_start();
    let name = if call_of(named) == AGENT { AGENT } else { named };
    (format!("{EARLIER} {name}").trim_end().to_owned(), text.trim_start())
}
