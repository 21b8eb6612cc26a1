//! Links: words between two things that say which of them comes first.

/// Words between two events.
const TIMES: [&str; 2] = ["before", "after"];
/// Words that name an event.
const EVENT: usize = 4;

/// A word between two things.
pub(super) struct Link {
    /// Words of the thing before it.
    words: Vec<u64>,
    /// That thing comes later.
    backward: bool,
    /// The words on each side that name a thing.
    reach: usize,
    /// The words behind it that are still wanted.
    wanted: usize,
}

impl Link {
    /// Returns the link `word` behind the words of a thing; None behind no words.
    pub(super) fn of(before: &[u64], backward: bool, word: &str) -> Option<Link> {
        let reach = if TIMES.contains(&word) { EVENT } else { 1 };
        let words: Vec<u64> = before.iter().rev().take(reach).copied().collect();
        (!words.is_empty()).then_some(Link { words, backward, reach, wanted: reach })
    }

    /// Returns the orders of its words and the next one, the first of each pair before the second.
    pub(super) fn orders(&mut self, next: u64) -> impl Iterator<Item = (u64, u64)> {
        self.wanted = self.wanted.saturating_sub(1);
        let backward = self.backward;
        self.words.iter().map(move |word| if backward { (next, *word) } else { (*word, next) })
    }

    /// True before the first word behind it.
    pub(super) fn is_unused(&self) -> bool {
        self.wanted == self.reach
    }

    /// True as long as a word behind it is wanted.
    pub(super) fn is_open(&self) -> bool {
        self.wanted > 0
    }
}
