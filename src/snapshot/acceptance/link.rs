//! Links: words between two things that tell which of them comes first.

/// Link words between two events.
const TIMES: [&str; 2] = ["before", "after"];
/// Maximum number of words that name an event.
const EVENT: usize = 4;

/// A link word between two things.
pub(super) struct Link {
    /// The words of the thing before the link.
    words: Vec<u64>,
    /// True if that thing comes later.
    backward: bool,
    /// The number of words on each side that name a thing.
    reach: usize,
    /// The number of words after the link that are still expected.
    wanted: usize,
}

impl Link {
    /// Returns the link `word` after the words of a thing. Returns `None` if there are no words
    /// before it.
    pub(super) fn of(before: &[u64], backward: bool, word: &str) -> Option<Link> {
        let reach = if TIMES.contains(&word) { EVENT } else { 1 };
        let words: Vec<u64> = before.iter().rev().take(reach).copied().collect();
        (!words.is_empty()).then_some(Link { words, backward, reach, wanted: reach })
    }

    /// Pairs each word before the link with the next word after it. The first word of each pair
    /// comes earlier.
    pub(super) fn orders(&mut self, next: u64) -> impl Iterator<Item = (u64, u64)> {
        self.wanted = self.wanted.saturating_sub(1);
        let backward = self.backward;
        self.words.iter().map(move |word| if backward { (next, *word) } else { (*word, next) })
    }

    /// Returns true before the first word after the link.
    pub(super) fn is_unused(&self) -> bool {
        self.wanted == self.reach
    }

    /// Returns true if more words after the link are expected.
    pub(super) fn is_open(&self) -> bool {
        self.wanted > 0
    }
}
