//! The classes of all code points. They come from `regex-syntax`, which the regex engine of
//! tiktoken-rs also uses, so that both have the same Unicode version.

use regex_syntax::hir::{Class, HirKind};

use crate::char_class::CharClass;

const PATTERNS: [(&str, CharClass); 6] = [
    (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", CharClass::HEAD),
    (r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", CharClass::TAIL),
    (r"\p{L}", CharClass::LETTER),
    (r"\p{N}", CharClass::NUMBER),
    (r"\s", CharClass::SPACE),
    (r"[\r\n]", CharClass::NEWLINE),
];

/// Returns the block index of each row of 256 code points, and the blocks without duplicates.
pub(crate) fn rows_and_blocks() -> (Vec<u8>, Vec<[u8; 256]>) {
    let mut classes = vec![CharClass(0); char::MAX as usize + 1];
    for (pattern, class) in PATTERNS {
        for (first, last) in ranges(pattern) {
            for slot in &mut classes[first..=last] {
                *slot = slot.or(class);
            }
        }
    }
    let mut blocks: Vec<[u8; 256]> = Vec::new();
    let (rows, _) = classes.as_chunks();
    let block_of_row = rows.iter().map(|row: &[CharClass; 256]| {
        let row = row.map(|class| class.0);
        let known = blocks.iter().position(|block| *block == row);
        let block = known.unwrap_or_else(|| {
            blocks.push(row);
            blocks.len() - 1
        });
        u8::try_from(block).expect("fewer than 256 blocks differ")
    });
    (block_of_row.collect(), blocks)
}

fn ranges(pattern: &str) -> Vec<(usize, usize)> {
    let class = regex_syntax::parse(pattern).expect("the six patterns above are valid");
    let HirKind::Class(Class::Unicode(class)) = class.kind() else {
        unreachable!("the six patterns above are Unicode classes");
    };
    class.iter().map(|range| (range.start() as usize, range.end() as usize)).collect()
}
