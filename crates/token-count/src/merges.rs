//! Merges short pieces: byte pair encoding as it is defined. Beginning with
//! single bytes, the two neighbours whose merge comes first in the vocabulary are
//! joined, until no two can be. For pieces of up to fifteen bytes that takes no
//! memory and a few looks into one table, where a general engine takes longer to
//! get ready than to count.
//!
//! The table says which two tokens make a third. `build.rs` learns it from the tokens
//! themselves, in the order of their ranks: the merges before a token leave two parts
//! of it, and these two make it.

/// The longest piece that is merged here, in bytes.
pub(crate) const LONGEST: usize = 15;

/// Slots of the table: more than twice the merges of the larger vocabulary, so that a failed
/// lookup ends soon.
const SLOTS_LOG2: u32 = 19;
/// Bits of a token's number.
const TOKEN_BITS: u32 = 18;
/// Places in a piece, and the bits of one.
const LANES: usize = LONGEST + 1;
const PLACE_BITS: u32 = 4;
/// No merge; greater than every merge.
const NO_MERGE: i32 = i32::MAX;
const EMPTY: u64 = u64::MAX;
/// No token.
const NO_TOKEN: u32 = u32::MAX;

/// Which two tokens make a third.
pub(crate) struct Merges {
    /// The left token, the right one and what they make, 18 bits each.
    slots: Box<[u64]>,
    /// The token of each byte.
    bytes: [u32; 256],
    /// The largest of those.
    largest: u32,
    /// The token of each pair of bytes, [`NO_TOKEN`] for a pair without one. Every piece begins
    /// with these, and the pairs that text has stay in the processor's cache.
    pairs: Box<[u32]>,
}

/// A piece while it is merged. Nothing moves: a token that was joined to the one before it
/// loses its bit in `alive`.
struct Parts {
    tokens: [u32; LANES],
    /// The token that each token and the next one merge into, with its place in the lowest
    /// bits: the least of all is the merge that comes first, and the leftmost of equals.
    /// Signed, since processors compare signed numbers many at a time.
    made: [i32; LANES],
    alive: u32,
}

impl Merges {
    /// Returns a table without merges. Takes the bytes of the vocabulary's tokens in order;
    /// every byte must be a token.
    pub(crate) fn empty<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Merges {
        let mut bytes = [0; 256];
        for (rank, token) in (0..).zip(tokens) {
            if let [byte] = token {
                bytes[usize::from(*byte)] = rank;
            }
        }
        let largest = bytes.iter().copied().fold(0, u32::max);
        let (slots, pairs) = (vec![EMPTY; 1 << SLOTS_LOG2], vec![NO_TOKEN; 1 << 16]);
        Merges { slots: slots.into(), bytes, largest, pairs: pairs.into() }
    }

    /// Adds a merge that [`Merges::merge_of`] returned.
    pub(crate) fn add(&mut self, merge: u64) {
        let mut slot = place(merge >> TOKEN_BITS);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = merge;
        let part = |shift: u32| low(merge >> (shift * TOKEN_BITS));
        if let (Some(left), Some(right)) = (self.byte(part(2)), self.byte(part(1))) {
            self.pairs[pair(left, right)] = part(0);
        }
    }

    /// The byte that a token is.
    fn byte(&self, token: u32) -> Option<u8> {
        let place = || self.bytes.iter().position(|byte| *byte == token);
        (token <= self.largest).then(place).flatten().and_then(|byte| u8::try_from(byte).ok())
    }

    /// Returns the merge that makes `token`, which has these bytes; None for a single byte and
    /// for more than [`LONGEST`]. All merges before it must have been added.
    #[allow(dead_code, reason = "build.rs learns by it, which has this file as its own")]
    pub(crate) fn merge_of(&self, token: u32, bytes: &[u8]) -> Option<u64> {
        if !(2..=LONGEST).contains(&bytes.len()) {
            return None;
        }
        let parts = self.merged(bytes);
        let (left, right) = (parts.tokens[0], parts.tokens[parts.after(0)]);
        assert!(parts.alive.count_ones() == 2 && token >> TOKEN_BITS == 0, "two make {bytes:?}");
        Some(key(left, right) << TOKEN_BITS | u64::from(token))
    }

    /// The number of tokens of a piece of up to [`LONGEST`] bytes.
    pub(crate) fn count(&self, piece: &[u8]) -> u64 {
        u64::from(self.merged(piece).alive.count_ones())
    }

    fn merged(&self, piece: &[u8]) -> Parts {
        let count = piece.len().min(LONGEST);
        let mut parts =
            Parts { tokens: [0; LANES], made: [NO_MERGE; LANES], alive: (1 << count) - 1 };
        for (token, byte) in parts.tokens.iter_mut().zip(piece) {
            *token = self.bytes[usize::from(*byte)];
        }
        for (at, two) in piece[..count].windows(2).enumerate() {
            parts.made[at] = ranked(self.pairs[pair(two[0], two[1])], at);
        }
        while let Some((at, token)) = parts.first_merge() {
            let joined = parts.after(at);
            parts.tokens[at] = token;
            parts.alive &= !(1 << joined);
            parts.made[joined] = NO_MERGE;
            let next = parts.after(at);
            parts.made[at] = if next < LANES { self.made(&parts, at, next) } else { NO_MERGE };
            if let Some(before) = parts.before(at) {
                parts.made[before] = self.made(&parts, before, at);
            }
        }
        parts
    }

    /// Returns the entry of [`Parts::made`] for the tokens at two places.
    #[inline(always)]
    fn made(&self, parts: &Parts, left: usize, right: usize) -> i32 {
        ranked(self.find(parts.tokens[left], parts.tokens[right]), left)
    }

    /// Returns the token that two tokens merge into; [`NO_TOKEN`] if they do not merge.
    #[inline(always)]
    fn find(&self, left: u32, right: u32) -> u32 {
        let key = key(left, right);
        let mut slot = place(key);
        loop {
            let entry = self.slots[slot];
            if entry >> TOKEN_BITS == key {
                return low(entry);
            }
            if entry == EMPTY {
                return NO_TOKEN;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }
}

impl Parts {
    /// The merge that comes first in the vocabulary, and where.
    #[inline(always)]
    fn first_merge(&self) -> Option<(usize, u32)> {
        let first = self.made.iter().copied().min().filter(|made| *made != NO_MERGE)?;
        let first = first.cast_unsigned();
        Some(((first & ((1 << PLACE_BITS) - 1)) as usize, first >> PLACE_BITS))
    }

    /// The place of the token after the one at `at`; beyond all where it is the last.
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

/// The token in the lowest bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "18 bits are what is meant")]
fn low(entry: u64) -> u32 {
    entry as u32 & ((1 << TOKEN_BITS) - 1)
}

/// Returns the entry of [`Parts::made`] for a token that is made at a place.
#[inline(always)]
#[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation)]
fn ranked(token: u32, place: usize) -> i32 {
    match token {
        NO_TOKEN => NO_MERGE,
        token => (token << PLACE_BITS | place as u32) as i32,
    }
}

#[inline(always)]
fn pair(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}

#[inline(always)]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << TOKEN_BITS | u64::from(right)
}

#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS_LOG2)) as usize
}
