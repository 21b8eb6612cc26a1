//! A cache of the token counts of pieces. Text is repetitive: a few thousand pieces make up most of
//! a history, and a lookup is about twenty times cheaper than merging. Entries contain the whole
//! piece, not a hash of it, so a hit is always right and a collision only causes a miss. Sizes are
//! fixed: 1 MB for short pieces and half of that for longer ones, which the operating system
//! allocates page by page as they are used.

use std::ops::Range;

/// log2 of the number of sets of two entries for pieces of up to 15 bytes.
const SHORT_SETS_LOG2: u32 = 15;
/// log2 of the number of single entries for longer pieces.
const LONG_SLOTS_LOG2: u32 = 12;
/// Size of an entry for a longer piece: its length (0 if the entry is empty), its count and its
/// bytes.
const LONG_ENTRY: usize = 128;
const LONGEST: usize = LONG_ENTRY - 2;

/// The counts of one encoding on one thread.
pub(crate) struct PieceCache {
    short: Box<[[u128; 2]]>,
    long: Box<[[u8; LONG_ENTRY]]>,
}

/// Bits 0–119 are the bytes of the piece, padded with zeros; bits 120–123 its length; bits 124–127
/// its count. Zero means empty, because no piece is empty.
#[derive(Clone, Copy, Default)]
pub(super) struct ShortEntry(u128);

const COUNT_SHIFT: u32 = 124;
const LENGTH_SHIFT: u32 = 120;
const COUNT_MASK: u128 = 0xF << COUNT_SHIFT;

impl PieceCache {
    /// Returns an empty cache.
    pub(crate) fn new() -> PieceCache {
        // Memory that the system provides zeroed is not written again, but only for plain numbers.
        PieceCache {
            short: vec![[0; 2]; 1 << SHORT_SETS_LOG2].into(),
            long: vec![[0; LONG_ENTRY]; 1 << LONG_SLOTS_LOG2].into(),
        }
    }

    /// Returns the count of the piece at `range` in `text`; calls `count` if it is not cached.
    /// Takes the whole text because reading sixteen bytes at once is faster than reading the exact
    /// length.
    #[inline(always)]
    pub(crate) fn count(
        &mut self,
        text: &[u8],
        range: Range<usize>,
        count: impl FnOnce(&[u8]) -> u64,
    ) -> u64 {
        match range.len() {
            ..16 => self.count_short(text, range, count),
            16..=LONGEST => self.count_long(&text[range], count),
            _ => count(&text[range]),
        }
    }

    #[inline(always)]
    fn count_short(
        &mut self,
        text: &[u8],
        range: Range<usize>,
        count: impl FnOnce(&[u8]) -> u64,
    ) -> u64 {
        let key = short_key(text, &range);
        let hash = hash(key) >> (64 - SHORT_SETS_LOG2);
        let set = &mut self.short[hash as usize];
        if let Some(known) = ShortEntry(set[0]).count_of(key) {
            return known;
        }
        if let Some(known) = ShortEntry(set[1]).count_of(key) {
            set.swap(0, 1);
            return known;
        }
        let counted = count(&text[range]);
        *set = [ShortEntry::new(key, counted).0, set[0]];
        counted
    }

    fn count_long(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> u64) -> u64 {
        let ends = [piece.first_chunk::<16>(), piece.last_chunk::<16>()];
        let [head, tail] =
            ends.map(|end| u128::from_le_bytes(*end.expect("long pieces have 16 bytes or more")));
        let hash = hash(head ^ tail.rotate_left(64)).wrapping_add(piece.len() as u64);
        let slot = &mut self.long[(hash & ((1 << LONG_SLOTS_LOG2) - 1)) as usize];
        let [length, known, bytes @ ..] = slot;
        if bytes[..usize::from(*length)] == *piece {
            return u64::from(*known);
        }
        let counted = count(piece);
        *length = u8::try_from(piece.len()).expect("no piece here is above LONGEST");
        *known = u8::try_from(counted).expect("a piece has no more tokens than bytes");
        bytes[..piece.len()].copy_from_slice(piece);
        counted
    }
}

impl ShortEntry {
    /// A piece of 15 bytes has at most 15 tokens, which fit in four bits.
    pub(super) fn new(key: u128, count: u64) -> ShortEntry {
        ShortEntry(key | u128::from(count) << COUNT_SHIFT)
    }

    #[inline(always)]
    pub(super) fn count_of(self, key: u128) -> Option<u64> {
        let ShortEntry(bits) = self;
        (bits & !COUNT_MASK == key).then_some((bits >> COUNT_SHIFT) as u64)
    }
}

#[inline(always)]
pub(super) fn short_key(text: &[u8], range: &Range<usize>) -> u128 {
    let length = range.len();
    let bytes = match text[range.start..].first_chunk::<16>() {
        Some(bytes) => u128::from_le_bytes(*bytes) & ((1 << (8 * length)) - 1),
        None => {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[range.clone()]);
            u128::from_le_bytes(bytes)
        }
    };
    bytes | (length as u128) << LENGTH_SHIFT
}

/// Two multiplications spread the bytes over the high bits. The hash need not resist attacks:
/// forced misses only reduce the speed to that of counting without a cache.
#[inline(always)]
pub(super) fn hash(key: u128) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "the low half is what is meant")]
    let (low, high) = (key as u64, (key >> 64) as u64);
    low.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ high.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
}
