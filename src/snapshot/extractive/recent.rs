//! The calls as lines of the section `recent_actions`.

use std::collections::HashMap;

use super::input::Input;
use super::item::{Item, points};
use super::outcome::outcome;
use super::terms::Terms;

/// Maximum characters of shown arguments.
const ARGUMENTS: usize = 80;
/// Number of newest calls to list; no budget reaches older ones.
const CALLS: usize = 2_000;

/// Returns the calls as items; newer ones are worth more. Equal calls with equal outcomes become
/// one item, at the position of the last.
pub(super) fn recent(input: &Input<'_>, terms: &Terms) -> Vec<Item> {
    let mut folded: Vec<(String, usize, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let skip = input.calls.len().saturating_sub(CALLS);
    for (at, call) in input.calls.iter().enumerate().skip(skip).rev() {
        let about = call.about(ARGUMENTS);
        let gap = if about.is_empty() { "" } else { " " };
        let line = format!("{}{gap}{about} -> {}", call.tool, outcome(call, &input.labels));
        match places.get(&line) {
            Some(place) => folded[*place].2 += 1,
            None => {
                places.insert(line.clone(), folded.len());
                folded.push((line, at, 1));
            }
        }
    }
    let item = |(back, (line, at, times)): (usize, (String, usize, usize))| {
        let call = &input.calls[at];
        let line = if times > 1 { format!("{line} ×{times}") } else { line };
        // Reading is worth little once something else was done.
        let worth = match (call.failed, call.reads()) {
            (true, _) => 10,
            (false, true) => 2,
            (false, false) => 8,
        };
        let newest = 10_u32.saturating_sub(u32::try_from(back).unwrap_or(u32::MAX));
        let found = terms.of_text(&line, call.index);
        Item { terms: found, ..Item::new(line, points(worth + newest), at) }
    };
    folded.into_iter().enumerate().map(item).collect()
}
