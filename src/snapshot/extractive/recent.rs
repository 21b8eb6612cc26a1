//! The actions as lines of the section `recent_actions`.

use std::collections::HashMap;

use super::input::Input;
use super::item::{Item, points};
use super::outcome::outcome;
use super::terms::Terms;

/// Longest shown arguments, in characters.
const ARGUMENTS: usize = 80;
/// Older calls than these no budget reaches.
const CALLS: usize = 2_000;

/// Lists the calls, the newest worth most; what was done the same way with the same
/// outcome stands once, where it was done last.
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
        // What only looked is worth little once something else was done.
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
