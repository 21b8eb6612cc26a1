//! Searches for the special bytes in a string, eight at a time.
//!
//! JSON in a string has a quote about every dozen bytes, and an escape before each: starting
//! `memchr` takes longer than finding them.

use memchr::memchr;

const ONES: u64 = u64::MAX / 0xFF;
const HIGHS: u64 = ONES << 7;

/// Number of eight-byte words that are examined here before `memchr` takes over.
const NEAR: usize = 4;

/// Sets the highest bit of each byte of `word` that is less than `limit` (at most 128). Only the
/// lowest mark is reliable: a borrow can mark later bytes by mistake.
#[inline(always)]
fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGHS
}

/// Marks the bytes of `word` that equal `byte`; as in [`below`], only the lowest mark is reliable.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * u64::from(byte)), 1)
}

/// Returns the index of the lowest marked byte; `None` if no byte is marked.
#[inline(always)]
fn first(marks: u64) -> Option<usize> {
    (marks != 0).then(|| marks.trailing_zeros() as usize / 8)
}

/// Returns the index of the first `BYTE`.
#[inline(always)]
pub(crate) fn byte<const BYTE: u8>(bytes: &[u8]) -> Option<usize> {
    let (chunks, _) = bytes.as_chunks::<8>();
    for (index, chunk) in chunks.iter().take(NEAR).enumerate() {
        if let Some(at) = first(equal(u64::from_le_bytes(*chunk), BYTE)) {
            return Some(index * 8 + at);
        }
    }
    let far = chunks.len().min(NEAR) * 8;
    memchr(BYTE, &bytes[far..]).map(|at| far + at)
}

/// Returns the number of bytes before the first quote, backslash or control character.
#[inline(always)]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some((word, _)) = bytes[at..].split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        if let Some(found) = first(equal(word, b'"') | equal(word, b'\\') | below(word, 0x20)) {
            return at + found;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The other bytes differ from the quote in one bit, or are adjacent to it: a borrow or a sign
    /// bit must not be mistaken for the quote.
    #[test]
    fn a_byte_is_found_where_it_is_first() {
        for other in [b'#', b'!', 0xA2, 0, b'\\'] {
            for length in 0..100 {
                for at in 0..=length {
                    let mut bytes = vec![other; length];
                    bytes[at..].iter_mut().step_by(3).for_each(|byte| *byte = b'"');
                    assert_eq!(byte::<b'"'>(&bytes), memchr(b'"', &bytes), "{bytes:?}");
                    assert_eq!(byte::<b'"'>(&bytes[..at]), None);
                }
            }
        }
    }

    #[test]
    fn plain_bytes_end_at_a_quote_a_backslash_or_a_control_character() {
        for other in [b'#', b'!', b' ', 0x7f, 0x80, 0x9f, 0xA2, 0xff, b'[', b']'] {
            for special in [b'"', b'\\', 0, b'\n', 0x1f] {
                for length in 0..40 {
                    for at in 0..=length {
                        let mut bytes = vec![other; length];
                        bytes[at..].iter_mut().step_by(3).for_each(|byte| *byte = special);
                        assert_eq!(plain(&bytes), at, "{bytes:?}");
                    }
                }
            }
        }
    }
}
