//! The actions as lines of the section `recent_actions`.

use std::collections::HashMap;

use super::input::Input;
use super::item::Item;

/// Longest shown arguments, in characters.
const ARGUMENTS: usize = 80;

/// Lists the calls, the newest worth most; what was done the same way with the same
/// outcome stands once, where it was done last.
pub(super) fn recent(input: &Input<'_>) -> Vec<Item> {
    let mut folded: Vec<(String, usize, usize)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // Older ones than these no budget reaches.
    let skip = input.calls.len().saturating_sub(2_000);
    for (at, call) in input.calls.iter().enumerate().skip(skip).rev() {
        let about = call.about(ARGUMENTS);
        let gap = if about.is_empty() { "" } else { " " };
        let line = format!("{}{gap}{about} -> {}", call.tool, call.outcome(&input.labels));
        match places.get(&line) {
            Some(place) => folded[*place].2 += 1,
            None => {
                places.insert(line.clone(), folded.len());
                folded.push((line, at, 1));
            }
        }
    }
    let newest = folded.len();
    let item = |(back, (line, at, times)): (usize, (String, usize, usize))| {
        let line = if times > 1 { format!("{line} ×{times}") } else { line };
        Item::new(line, u32::try_from(newest - back + 10).unwrap_or(u32::MAX), at)
    };
    folded.into_iter().enumerate().map(item).collect()
}
