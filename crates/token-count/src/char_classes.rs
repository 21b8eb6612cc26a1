//! The classes of the characters of a text, in a two-stage table: rows of 256 code points share a
//! block if all their classes are equal, which reduces a megabyte to about 60 KB.

use super::char_class::CharClass;
use super::tables::{CLASS_BLOCK_OF_ROW, CLASS_BLOCKS};

/// Returns the class and the length in bytes of the character that starts at `at`, which must be a
/// character boundary of valid UTF-8. Decoding by hand avoids a boundary check for every character.
#[inline(always)]
pub(crate) fn class_at(text: &[u8], at: usize) -> (CharClass, usize) {
    let first = text[at];
    let more = |k: usize| usize::from(text[at + k] & 0x3F);
    let lead = usize::from(first);
    match first {
        ..0x80 => (CharClass(CLASS_BLOCKS[0][lead]), 1),
        0x80..0xE0 => (class_of((lead & 0x1F) << 6 | more(1)), 2),
        0xE0..0xF0 => (class_of((lead & 0x0F) << 12 | more(1) << 6 | more(2)), 3),
        _ => {
            let code = (lead & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3);
            (class_of(code), 4)
        }
    }
}

#[inline(always)]
fn class_of(code: usize) -> CharClass {
    let [block] = CLASS_BLOCK_OF_ROW[code / 256];
    CharClass(CLASS_BLOCKS[usize::from(block)][code % 256])
}
