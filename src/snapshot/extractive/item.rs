//! Items of a section's list. An item is written as `- text`, with further lines indented
//! by two spaces; a quoted one names its source: `- [#4 read_file src/a.rs] text`.

use std::collections::HashSet;

use crate::snapshot::format::summary::Section;
use crate::snapshot::text::identifiers::identifiers;

/// The first order number of new items; those of an earlier summary are below.
pub(super) const NEW: usize = 1 << 40;
/// The beginning of a source that an earlier summary named: its number is no longer true.
const EARLIER: &str = "earlier";
/// Most items that an earlier summary's section gives.
const FROM_EARLIER: usize = 400;

/// One entry of a section.
#[derive(Debug, Clone)]
pub(super) struct Item {
    /// The quoted source; empty for the service's own lists.
    pub(super) source: String,
    /// Its text: one line or more.
    pub(super) text: String,
    /// Its worth; the larger stays.
    pub(super) worth: u32,
    /// Its order in the section.
    pub(super) order: usize,
}

impl Item {
    pub(super) fn new(text: String, worth: u32, order: usize) -> Item {
        Item { source: String::new(), text, worth, order: NEW + order }
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

/// Returns the worth of the identifiers of a text.
pub(super) fn specific(text: &str) -> u32 {
    let mut seen: Vec<&str> = Vec::new();
    for found in identifiers(text) {
        if !seen.contains(&found.text) && seen.len() < 4 {
            seen.push(found.text);
        }
    }
    u32::try_from(seen.len()).unwrap_or(4) * 5
}

/// Adds the items of an earlier summary's section, as older and worth a little
/// less than new ones of their kind. Exact repeats are left out.
pub(super) fn merge(items: &mut Vec<Item>, earlier: &str, section: Section) {
    // A plan replaces the one before it, and so do the words said last.
    if section == Section::TaskState && items.iter().any(|item| item.worth >= 80) {
        return;
    }
    let known: HashSet<String> = items.iter().map(|item| item.text.clone()).collect();
    let mut old = parse(earlier);
    let skip = old.len().saturating_sub(FROM_EARLIER);
    let base = match section {
        Section::ActiveConstraints => 40,
        Section::KeyKnowledge => 38,
        _ => 5,
    };
    for (at, mut item) in old.drain(..).enumerate().skip(skip) {
        if known.contains(&item.text) {
            continue;
        }
        item.order = at;
        let age = u32::try_from((at - skip).min(20)).unwrap_or(20);
        item.worth = base + age / 4;
        if section == Section::KeyKnowledge {
            item.worth += specific(&item.text);
        }
        items.push(item);
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
                items.push(Item {
                    source: source.clone(),
                    text: text.to_owned(),
                    worth: 0,
                    order: 0,
                });
            }
        } else {
            let text = line.strip_prefix("  ").unwrap_or(line);
            match items.last_mut() {
                Some(last) if source.is_empty() => {
                    last.text.push('\n');
                    last.text.push_str(text);
                }
                _ if text.trim().is_empty() => {}
                _ => items.push(Item {
                    source: source.clone(),
                    text: text.to_owned(),
                    worth: 0,
                    order: 0,
                }),
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
