//! Counts short pieces by byte pair encoding as it is defined: begins with single bytes, and
//! repeatedly joins the two neighbours whose merge comes first in the vocabulary, until no merge is
//! left. For pieces of up to fifteen bytes this allocates no memory and needs few table lookups,
//! while a general engine needs more time for its setup than for the count.

use super::trie::NO_TOKEN;
use super::vocabulary::Vocabulary;

/// Maximum length of a piece that is merged here, in bytes.
pub(crate) const LONGEST: usize = 15;

/// Number of places in a piece; below, the bits of a place.
const LANES: usize = LONGEST + 1;
const PLACE_BITS: u32 = 4;
/// Means no merge; greater than every merge.
const NO_MERGE: i32 = i32::MAX;

/// A piece during merging. Tokens are not moved: a token that was joined to the one before it loses
/// its bit in `alive`.
struct Parts {
    tokens: [u32; LANES],
    /// For each token, the token that it and the next one merge into, with its place in the lowest
    /// bits: the minimum is the merge that comes first in the vocabulary, and the leftmost of equal
    /// ones. Signed, because processors have SIMD comparisons for signed numbers.
    made: [i32; LANES],
    alive: u32,
}

/// Returns the number of tokens of a piece of up to [`LONGEST`] bytes.
pub(crate) fn count(vocabulary: Vocabulary<'_>, piece: &[u8]) -> u64 {
    let count = piece.len().min(LONGEST);
    let mut parts = Parts { tokens: [0; LANES], made: [NO_MERGE; LANES], alive: (1 << count) - 1 };
    let trie = vocabulary.trie;
    let mut before = None;
    for (at, &byte) in piece.iter().take(LONGEST).enumerate() {
        if let Some(unit) = before {
            parts.made[at - 1] = ranked(trie.token_with(unit, byte), at - 1);
        }
        let unit = trie.byte(byte);
        parts.tokens[at] = trie.token_of(unit);
        before = Some(unit);
    }
    while let Some((at, token)) = parts.first_merge() {
        let joined = parts.after(at);
        parts.tokens[at] = token;
        parts.alive &= !(1 << joined);
        parts.made[joined] = NO_MERGE;
        let next = parts.after(at);
        parts.made[at] = if next < LANES { parts.merge_at(vocabulary, at, next) } else { NO_MERGE };
        if let Some(before) = parts.before(at) {
            parts.made[before] = parts.merge_at(vocabulary, before, at);
        }
    }
    u64::from(parts.alive.count_ones())
}

impl Parts {
    /// Returns the entry of [`Parts::made`] for the tokens at two places.
    #[inline(always)]
    fn merge_at(&self, vocabulary: Vocabulary<'_>, left: usize, right: usize) -> i32 {
        ranked(vocabulary.merged(self.tokens[left], self.tokens[right]), left)
    }

    /// Returns the place and the token of the merge that comes first in the vocabulary.
    #[inline(always)]
    fn first_merge(&self) -> Option<(usize, u32)> {
        let first = self.made.iter().copied().min().filter(|made| *made != NO_MERGE)?;
        let first = first.cast_unsigned();
        Some(((first & ((1 << PLACE_BITS) - 1)) as usize, first >> PLACE_BITS))
    }

    /// Returns the place of the token after the one at `at`; a value beyond all places if it is the
    /// last.
    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        let later = self.alive & (u32::MAX << (at + 1));
        later.trailing_zeros() as usize
    }

    #[inline(always)]
    fn before(&self, at: usize) -> Option<usize> {
        let earlier = self.alive & ((1 << at) - 1);
        earlier.checked_ilog2().map(|place| place as usize)
    }
}

/// Returns the entry of [`Parts::made`] for a token that a merge makes at a place.
#[inline(always)]
#[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation)]
fn ranked(token: u32, place: usize) -> i32 {
    match token {
        NO_TOKEN => NO_MERGE,
        token => (token << PLACE_BITS | place as u32) as i32,
    }
}
