//! Items of a section's list. An item is written as `- text`, with further lines indented
//! by two spaces; a quoted one names its source: `- [#4 read_file src/a.rs] text`.

use std::collections::HashSet;

use super::labels::LAST_SAID;
use super::terms::{Terms, Worth};
use crate::snapshot::format::summary::Section;
use crate::snapshot::text::sentences::masked;

/// The first order number of new items; those of an earlier summary are below.
const NEW: usize = 1 << 40;
/// Bits of an order number for the sentence of a message.
const LINE_BITS: u32 = 16;
/// The beginning of a source that an earlier summary named: its number is no longer true.
const EARLIER: &str = "earlier";
/// Most items that an earlier summary's section gives.
const FROM_EARLIER: usize = 400;
/// Points of an item of an earlier summary: it was chosen once.
const CHOSEN_ONCE: u32 = 8;

/// More points of a rule: it stands until it is taken back.
const RULE: u32 = 14;

/// Worth is counted in sixteenths of a point.
pub(super) const fn points(points: u32) -> u32 {
    points * 16
}

/// An item that gains less is left out even if there is room.
pub(super) const LEAST: u32 = points(1);

/// One entry of a section.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The quoted source; empty for the service's own lists.
    pub(super) source: String,
    /// Its text: one line or more.
    pub(super) text: String,
    /// What it is worth whatever it names.
    pub(super) base: u32,
    /// What it names, each worth something once.
    pub(super) terms: Vec<Worth>,
    /// Its order in the section.
    pub(super) order: usize,
    /// It is chosen before all that is not of the core.
    pub(super) core: bool,
}

impl Item {
    pub(super) fn new(text: String, base: u32, order: usize) -> Item {
        let (source, terms) = Default::default();
        Item { source, text, base, terms, order: NEW + order, core: false }
    }

    /// An item of a message's sentence `line`.
    pub(super) fn of_message(text: String, base: u32, message: usize, line: usize) -> Item {
        Item::new(text, base, (message << LINE_BITS) + line)
    }

    /// The message of an item that `of_message` made; None for one of an earlier summary.
    pub(super) fn message(&self) -> Option<usize> {
        self.order.checked_sub(NEW).map(|order| order >> LINE_BITS)
    }

    /// An item of the core.
    pub(super) fn core(text: String, base: u32, order: usize) -> Item {
        Item { core: true, ..Item::new(text, base, order) }
    }

    /// What it adds to a summary that names nothing yet.
    pub(super) fn gain_at_first(&self) -> u32 {
        self.base + self.terms.iter().map(|(_, worth)| worth).sum::<u32>()
    }

    /// Writes the item. `headed`: the one before has the same source; `alone`: no
    /// other has.
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

/// Adds the items of an earlier summary's section, as older. Exact repeats are left out.
pub(super) fn merge(items: &mut Vec<Item>, earlier: &str, section: Section, terms: &Terms) {
    // A plan replaces the one before it, and so do the words said last.
    if section == Section::TaskState && items.iter().any(|item| item.core) {
        return;
    }
    let known: HashSet<String> = items.iter().map(|item| item.text.clone()).collect();
    let mut old = parse(earlier);
    let skip = old.len().saturating_sub(FROM_EARLIER);
    // Of rules that differ in digits only, the newest stands for all.
    let mut likes = HashSet::new();
    let mut rules = vec![0; old.len()];
    for at in (skip..old.len()).rev().filter(|_| section == Section::ActiveConstraints) {
        rules[at] = if likes.insert(masked(&old[at].text)) { RULE } else { 0 };
    }
    for (at, mut item) in old.drain(..).enumerate().skip(skip) {
        if known.contains(&item.text) {
            continue;
        }
        let age = u32::try_from((at - skip).min(20)).unwrap_or(20) / 4;
        item.order = at;
        item.base = points(CHOSEN_ONCE + age + rules[at]);
        item.terms = terms.of_text(&item.text, 0);
        items.push(item);
    }
}

/// What was said last before is no longer the last word, but what it found is still known.
pub(super) fn merge_last_words(items: &mut Vec<Item>, earlier: &str, terms: &Terms) {
    for (at, item) in parse(earlier).into_iter().enumerate() {
        let said = LAST_SAID.iter().find_map(|label| item.text.strip_prefix(label));
        if let Some(text) = said.map(str::trim) {
            let base = points(CHOSEN_ONCE + 4);
            let named = terms.of_text(text, 0);
            let source = format!("{EARLIER} assistant");
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

/// The items of a section's text. Of a quoted group each line is one.
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

/// Source and text of an item; the source without its message number.
fn split_source(text: &str) -> (String, &str) {
    let quoted = text.strip_prefix("[#").or_else(|| text.strip_prefix("[earlier"));
    let Some((source, text)) = quoted.and_then(|rest| rest.split_once(']')) else {
        return (String::new(), text);
    };
    let name = source.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
    let source = if name.is_empty() { EARLIER.to_owned() } else { format!("{EARLIER} {name}") };
    (source, text.trim_start())
}
