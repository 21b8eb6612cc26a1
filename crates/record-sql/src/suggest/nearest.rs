//! Suggestions for an unknown name.

/// Returns at most `max` names of `known` that are similar to `name`, the best first. Names that
/// differ in more than half of the letters are not similar.
pub fn nearest<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    max: usize,
) -> Vec<&'k str> {
    let letters: Vec<char> = name.chars().take(64).flat_map(char::to_lowercase).collect();
    let accepted = (letters.len() / 2).clamp(1, 3);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|known| known.len() <= 256)
        .map(|known| (distance(&letters, known), known))
        .filter(|(distance, known)| {
            *distance <= accepted || (letters.len() > 3 && known.contains(name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(max).map(|(_, known)| known).collect()
}

/// Returns the edit distance: letters to insert, remove, replace or swap with their neighbour.
fn distance(from: &[char], to: &str) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=from.len()).collect();
    let mut last = None;
    for (line, letter) in to.chars().flat_map(char::to_lowercase).enumerate() {
        let mut next = vec![line + 1];
        for (column, mine) in from.iter().enumerate() {
            let replaced = row[column] + usize::from(*mine != letter);
            let mut best = replaced.min(row[column + 1] + 1).min(next[column] + 1);
            if column > 0 && last == Some(*mine) && from[column - 1] == letter {
                best = best.min(before[column - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row[from.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        let known = ["startswith", "endswith", "namespace", "id", "select", "to_entries"];
        assert_eq!(nearest("startwith", known, 3), ["startswith"]);
        assert_eq!(nearest("nmaespace", known, 3), ["namespace"]);
        assert_eq!(nearest("slect", known, 3), ["select"]);
        assert_eq!(nearest("entries", known, 3), ["to_entries"]);
        assert!(nearest("xyzzy", known, 3).is_empty());
    }
}
