//! The tables of one vocabulary. `build.rs` generates them. They are read in place in the program,
//! so nothing is loaded, and an unused vocabulary takes no memory.

use super::trie::{NO_TOKEN, Trie};

/// Number of bits of a token.
const TOKEN_BITS: u32 = 18;
const TOKEN_MASK: u64 = (1 << TOKEN_BITS) - 1;
/// Mask of the two tokens that a token is merged from.
const PARENTS_MASK: u64 = (1 << (2 * TOKEN_BITS)) - 1;
/// In a row: no token is a prefix of this one.
const NO_PREFIX: u64 = TOKEN_MASK;

/// An empty slot in [`Vocabulary::pairs`].
pub(crate) const NO_PAIR: u32 = u32::MAX;
/// Number of bits of a pair's hash that are stored above its token.
const TAG_BITS: u32 = u32::BITS - TOKEN_BITS;

/// Maximum length of a token, in bytes.
pub(crate) const LONGEST_TOKEN: usize = 128;

/// The tables, in little-endian order.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'t> {
    /// The tokens by their bytes.
    pub(crate) trie: Trie<'t>,
    /// The row of each token, see [`Row`].
    pub(crate) rows: &'t [[u8; 8]],
    /// The tokens by the two tokens that they are merged from: a hash table whose size is a power
    /// of two. A slot contains the token in the lowest 18 bits, and 14 bits of the hash above it.
    pub(crate) pairs: &'t [[u8; 4]],
}

/// Facts about a token: the two tokens that it is merged from (itself twice for a single byte) and
/// the longest token that is a proper prefix of it, 18 bits each, and its length in bytes, 8 bits.
#[derive(Clone, Copy)]
pub(crate) struct Row(pub(crate) u64);

impl Row {
    /// Returns the row of a token of `length` bytes that is merged from two others.
    #[allow(dead_code, reason = "build.rs makes rows, and has this file as its own")]
    pub(crate) fn new((left, right): (u32, u32), prefix: u32, length: usize) -> Row {
        let prefix = if prefix == NO_TOKEN { NO_PREFIX } else { u64::from(prefix) };
        let parents = parents(left, right);
        assert!(length <= LONGEST_TOKEN && parents <= PARENTS_MASK && prefix <= TOKEN_MASK);
        Row(parents | prefix << (2 * TOKEN_BITS) | (length as u64) << (3 * TOKEN_BITS))
    }

    /// Returns the length of the token in bytes.
    #[inline(always)]
    pub(crate) fn length(self) -> usize {
        (self.0 >> (3 * TOKEN_BITS)) as usize
    }

    /// Returns the longest token that is a proper prefix of this one.
    #[inline(always)]
    pub(crate) fn prefix(self) -> Option<u32> {
        let prefix = self.0 >> (2 * TOKEN_BITS) & TOKEN_MASK;
        (prefix != NO_PREFIX).then_some(low(prefix))
    }

    #[inline(always)]
    fn left(self) -> u32 {
        low(self.0)
    }

    #[inline(always)]
    fn right(self) -> u32 {
        low(self.0 >> TOKEN_BITS)
    }
}

impl Vocabulary<'_> {
    #[inline(always)]
    pub(crate) fn row(self, token: u32) -> Row {
        Row(u64::from_le_bytes(self.rows[token as usize]))
    }

    /// Returns the token that two tokens merge into; [`NO_TOKEN`] if they do not merge.
    #[inline(always)]
    pub(crate) fn merged(self, left: u32, right: u32) -> u32 {
        let parents = parents(left, right);
        let (mut place, tag) = place_and_tag(parents, self.pairs.len());
        loop {
            let pair = u32::from_le_bytes(self.pairs[place]);
            if pair == NO_PAIR {
                return NO_TOKEN;
            }
            let token = low(u64::from(pair));
            if pair >> TOKEN_BITS == tag && self.row(token).0 & PARENTS_MASK == parents {
                return token;
            }
            place = (place + 1) & (self.pairs.len() - 1);
        }
    }

    /// Returns true if these two tokens can be neighbours in the encoding of a text: if no merge
    /// across their boundary comes before the merges that make them.
    pub(crate) fn may_meet(self, mut left: u32, mut right: u32) -> bool {
        // A merge of rank `limit` or later is too late: the merge that made the split token had
        // already consumed one of the two parts. Of merges with equal rank, the leftmost comes
        // first.
        let mut limit = NO_TOKEN;
        loop {
            if self.merged(left, right) < limit {
                return false;
            }
            // Split the token that was made last. A single byte cannot be split.
            let (from_left, from_right) = (self.row(left).right(), self.row(right).left());
            if left > right {
                limit = left;
                if from_left != left {
                    left = from_left;
                    continue;
                }
                limit = right + 1;
                if from_right == right {
                    return true;
                }
                right = from_right;
            } else {
                limit = right + 1;
                if from_right != right {
                    right = from_right;
                    continue;
                }
                limit = left;
                if from_left == left {
                    return true;
                }
                left = from_left;
            }
        }
    }
}

/// Adds a pair to a table that has free slots.
#[allow(dead_code, reason = "build.rs fills tables, and has this file as its own")]
pub(crate) fn add_pair(pairs: &mut [[u8; 4]], (left, right): (u32, u32), token: u32) {
    let (mut place, tag) = place_and_tag(parents(left, right), pairs.len());
    while pairs[place] != NO_PAIR.to_le_bytes() {
        place = (place + 1) & (pairs.len() - 1);
    }
    pairs[place] = (tag << TOKEN_BITS | token).to_le_bytes();
}

#[inline(always)]
fn parents(left: u32, right: u32) -> u64 {
    u64::from(left) | u64::from(right) << TOKEN_BITS
}

/// Returns the slot where the search for a pair begins, and the bits of its hash that the slot
/// stores.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the bits that are cut are not meant")]
fn place_and_tag(parents: u64, places: usize) -> (usize, u32) {
    let hash = parents.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let places_log2 = places.trailing_zeros();
    let tag = hash >> (u64::BITS - TAG_BITS - places_log2) & ((1 << TAG_BITS) - 1);
    ((hash >> (u64::BITS - places_log2)) as usize, tag as u32)
}

/// Returns the token in the lowest bits.
#[inline(always)]
fn low(bits: u64) -> u32 {
    (bits & TOKEN_MASK) as u32
}
