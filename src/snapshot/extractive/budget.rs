//! Allocates the budget. Each section has a share; the unused rest goes to the facts, then
//! to the recent actions, then to the other sections. Items are dropped whole, the least
//! valuable first.

use super::item::Item;
use crate::snapshot::format::summary::{Section, Summary};

/// Shares in percent, by section.
const SHARES: [u64; 6] = [18, 16, 28, 8, 16, 14];
/// The sections that get the unused budget, in turn.
const LEFT_OVER: [Section; 6] = [
    Section::KeyKnowledge,
    Section::RecentActions,
    Section::TaskState,
    Section::ActiveConstraints,
    Section::ArtifactTrail,
    Section::OverallGoal,
];
/// Items in a row that may not fit before a section is full.
const MISFITS: usize = 24;

/// The most tokens of the goal: enough for a sentence, however small the budget.
pub(super) fn goal_room(budget: u64) -> u64 {
    (budget * SHARES[0] / 100).max(48).min(budget / 2)
}

/// A section being filled.
struct Filling {
    /// By worth, the most first.
    items: Vec<Item>,
    chosen: Vec<bool>,
}

/// The summary of the items that fit.
pub(super) fn spend(sections: [Vec<Item>; 6], budget: u64, count: &dyn Fn(&str) -> u64) -> Summary {
    let mut left = budget;
    let mut fillings = sections.map(|mut items| {
        // Newer ones first among equals.
        items.sort_by_key(|item| (std::cmp::Reverse(item.worth), std::cmp::Reverse(item.order)));
        let chosen = vec![false; items.len()];
        Filling { items, chosen }
    });
    let shares = SHARES.map(|share| budget * share / 100);
    for (filling, room) in fillings.iter_mut().zip([&[goal_room(budget)], &shares[1..]].concat()) {
        left -= filling.fill(room.min(left), count);
    }
    for section in LEFT_OVER {
        left -= fillings[section as usize].fill(left, count);
    }
    // The parts were counted one by one; the whole has the last word.
    loop {
        let mut summary = Summary::default();
        for section in Section::ALL {
            summary.set(section, fillings[section as usize].text());
        }
        let total: u64 = Section::ALL.iter().map(|section| count(summary.get(*section))).sum();
        if total <= budget || !drop_least(&mut fillings) {
            return summary;
        }
    }
}

/// Takes out what is worth least, of the section that can spare it first.
fn drop_least(fillings: &mut [Filling; 6]) -> bool {
    for section in LEFT_OVER {
        let filling = &mut fillings[section as usize];
        if let Some(last) = filling.chosen.iter().rposition(|chosen| *chosen) {
            filling.chosen[last] = false;
            return true;
        }
    }
    false
}

impl Filling {
    /// Chooses items for at most `room` tokens; what they cost is returned.
    fn fill(&mut self, room: u64, count: &dyn Fn(&str) -> u64) -> u64 {
        let mut spent = 0;
        let mut misfits = 0;
        for at in 0..self.items.len() {
            if self.chosen[at] {
                continue;
            }
            if misfits > MISFITS || spent + 2 > room {
                break;
            }
            let item = &self.items[at];
            // A token has no more than a few bytes: most misfits need no count.
            let price = if item.text.len() as u64 > room * 64 {
                u64::MAX
            } else {
                let mut text = String::new();
                item.write(&mut text, self.is_headed(at), false);
                count(&text)
            };
            if price <= room - spent {
                spent += price;
                self.chosen[at] = true;
            } else {
                misfits += 1;
            }
        }
        spent
    }

    /// True where an item of the same source is chosen already: it has the heading.
    fn is_headed(&self, at: usize) -> bool {
        let source = &self.items[at].source;
        !source.is_empty()
            && self
                .items
                .iter()
                .zip(&self.chosen)
                .any(|(item, chosen)| *chosen && item.source == *source)
    }

    /// The chosen items in their order.
    fn text(&self) -> String {
        let mut items: Vec<&Item> = self
            .items
            .iter()
            .zip(&self.chosen)
            .filter(|(_, chosen)| **chosen)
            .map(|(i, _)| i)
            .collect();
        items.sort_by_key(|item| item.order);
        let mut out = String::new();
        for group in items.chunk_by(|a, b| !a.source.is_empty() && a.source == b.source) {
            for (at, item) in group.iter().enumerate() {
                item.write(&mut out, at > 0, group.len() == 1);
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}
