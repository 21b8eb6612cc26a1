//! Spends the budget. First come the core items of all sections, the most valuable first. Then all
//! other items compete, by their worth and by the terms that the summary does not have yet, per
//! token. Items are taken whole or not at all.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::item::{Item, LEAST};
use super::terms::hashes;
use crate::snapshot::format::summary::{Section, Summary};

/// Tokens that each item costs in addition to its text: many small ones are harder to read.
const FRAME: u64 = 8;
/// Maximum number of items that do not fit before the summary counts as full.
const MISFITS: usize = 200;

/// A summary in progress.
struct Spending<'a> {
    items: Vec<(Section, Item)>,
    chosen: Vec<bool>,
    /// The chosen items, in the order of choosing.
    turns: Vec<usize>,
    named: HashSet<u64>,
    /// Sources whose heading is written.
    headed: HashSet<String>,
    left: u64,
    count: &'a dyn Fn(&str) -> u64,
}

/// Returns the summary of the items that fit. Terms in `said` count as present.
pub(super) fn spend(
    sections: [Vec<Item>; 6],
    said: &[String],
    budget: u64,
    count: &dyn Fn(&str) -> u64,
) -> Summary {
    let of =
        |(section, items): (Section, Vec<Item>)| items.into_iter().map(move |item| (section, item));
    let items: Vec<(Section, Item)> = Section::ALL.into_iter().zip(sections).flat_map(of).collect();
    let mut spending = Spending {
        chosen: vec![false; items.len()],
        items,
        turns: Vec::new(),
        named: said.iter().flat_map(|text| hashes(text)).collect(),
        headed: HashSet::new(),
        left: budget,
        count,
    };
    spending.take_core();
    spending.take_best();
    // The parts were counted separately, so verify the whole.
    loop {
        let summary = spending.summary();
        let total: u64 = Section::ALL.iter().map(|section| count(summary.get(*section))).sum();
        if total <= budget {
            return summary;
        }
        let Some(last) = spending.turns.pop() else { return Summary::default() };
        spending.chosen[last] = false;
    }
}

impl Spending<'_> {
    fn take_core(&mut self) {
        let core = (0..self.items.len()).filter(|at| self.items[*at].1.core);
        let mut core: Vec<usize> = core.collect();
        core.sort_by_key(|at| (Reverse(self.items[*at].1.base), *at));
        for at in core {
            self.take(at);
        }
    }

    fn take_best(&mut self) {
        let rest = (0..self.items.len()).filter(|at| !self.items[*at].1.core);
        let mut waiting: BinaryHeap<(u64, Reverse<usize>)> =
            rest.map(|at| (self.value(at), Reverse(at))).collect();
        let mut misfits = 0;
        while let Some((value, Reverse(at))) = waiting.pop() {
            if misfits > MISFITS || self.left <= FRAME {
                return;
            }
            // Other items may have added its terms since.
            let now = self.value(at);
            if now < value && waiting.peek().is_some_and(|(next, _)| *next > now) {
                waiting.push((now, Reverse(at)));
            } else if now > 0 && !self.take(at) {
                misfits += 1;
            }
        }
    }

    /// Returns the gain of an item per token; 0 if the gain is too small. The tokens are estimated
    /// from the bytes, because most items are never chosen.
    fn value(&self, at: usize) -> u64 {
        let item = &self.items[at].1;
        let fresh = item.terms.iter().filter(|(term, _)| !self.named.contains(term));
        let known = item.terms.iter().filter(|(term, _)| self.named.contains(term));
        let mut gain = item.base + fresh.map(|(_, worth)| worth).sum::<u32>();
        // An item that repeats others also loses a part of its own worth.
        gain += known.map(|(_, worth)| worth).sum::<u32>() / 3;
        let all = item.terms.len().max(1);
        let repeated = item.terms.iter().filter(|(term, _)| self.named.contains(term)).count();
        let gain = u64::from(gain) - u64::from(item.base / 2) * repeated as u64 / all as u64;
        if gain < u64::from(LEAST) {
            return 0;
        }
        let heading = if self.is_headed(item) { 0 } else { item.source.len() };
        gain * 1_024 / ((item.text.len() + heading) as u64 / 4 + FRAME)
    }

    fn is_headed(&self, item: &Item) -> bool {
        item.source.is_empty() || self.headed.contains(&item.source)
    }

    /// Takes an item if it fits.
    fn take(&mut self, at: usize) -> bool {
        let item = &self.items[at].1;
        // Tokens have a few bytes each, so most misfits need no count.
        if item.text.len() as u64 > self.left * 64 {
            return false;
        }
        let mut text = String::new();
        item.write(&mut text, self.headed.contains(&item.source), false);
        let price = (self.count)(&text);
        if price > self.left {
            return false;
        }
        self.left -= price;
        self.named.extend(item.terms.iter().map(|(term, _)| *term));
        if !item.source.is_empty() {
            self.headed.insert(item.source.clone());
        }
        self.chosen[at] = true;
        self.turns.push(at);
        true
    }

    /// Renders the chosen items in their order.
    fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for section in Section::ALL {
            let chosen = self.items.iter().zip(&self.chosen).filter(|(_, chosen)| **chosen);
            let mut items: Vec<&Item> =
                chosen.filter(|((of, _), _)| *of == section).map(|((_, item), _)| item).collect();
            items.sort_by_key(|item| item.order);
            let mut out = String::new();
            for group in items.chunk_by(|a, b| !a.source.is_empty() && a.source == b.source) {
                for (at, item) in group.iter().enumerate() {
                    item.write(&mut out, at > 0, group.len() == 1);
                }
            }
            out.truncate(out.trim_end().len());
            summary.set(section, out);
        }
        summary
    }
}
