//! Which of the classes named in the split patterns a character belongs to.
//! The tables come from `regex-syntax`, the same source the regex engine of
//! tiktoken-rs uses, so that both follow one version of Unicode.

use std::{iter, sync::LazyLock};

use regex_syntax::hir::{Class, HirKind};

/// A set of classes: the bits a character has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharClass(u8);

impl CharClass {
    /// Begins a word: capitals, caseless letters and marks.
    pub(crate) const HEAD: CharClass = CharClass(1);
    /// Continues a word: small and caseless letters and marks.
    pub(crate) const TAIL: CharClass = CharClass(2);
    pub(crate) const LETTER: CharClass = CharClass(4);
    pub(crate) const NUMBER: CharClass = CharClass(8);
    pub(crate) const SPACE: CharClass = CharClass(16);
    pub(crate) const NEWLINE: CharClass = CharClass(32);

    pub(crate) const fn or(self, other: CharClass) -> CharClass {
        CharClass(self.0 | other.0)
    }

    /// True if the two sets share a class.
    #[inline(always)]
    pub(crate) const fn meets(self, other: CharClass) -> bool {
        self.0 & other.0 != 0
    }
}

const PATTERNS: [(&str, CharClass); 6] = [
    (r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", CharClass::HEAD),
    (r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]", CharClass::TAIL),
    (r"\p{L}", CharClass::LETTER),
    (r"\p{N}", CharClass::NUMBER),
    (r"\s", CharClass::SPACE),
    (r"[\r\n]", CharClass::NEWLINE),
];

const BLOCK: usize = 256;
const CODE_POINTS: usize = 0x11_0000;

/// The class of every code point, in two stages: code points share a block
/// when all 256 of a row agree, which leaves some 60 KB of the full megabyte.
pub(crate) struct CharClasses {
    ascii: [CharClass; 128],
    block_of_row: Vec<u16>,
    blocks: Vec<[CharClass; BLOCK]>,
}

impl CharClasses {
    pub(crate) fn get() -> &'static CharClasses {
        static TABLES: LazyLock<CharClasses> = LazyLock::new(CharClasses::build);
        &TABLES
    }

    fn build() -> CharClasses {
        let mut flat = vec![CharClass(0); CODE_POINTS];
        for (pattern, class) in PATTERNS {
            for (first, last) in ranges(pattern) {
                for slot in &mut flat[first..=last] {
                    *slot = slot.or(class);
                }
            }
        }
        let mut blocks: Vec<[CharClass; BLOCK]> = Vec::new();
        let (rows, _) = flat.as_chunks::<BLOCK>();
        let block_of_row = rows
            .iter()
            .map(|row| {
                let known = blocks.iter().position(|block| block == row);
                let block = known.unwrap_or(blocks.len());
                blocks.extend(iter::repeat_n(*row, usize::from(known.is_none())));
                u16::try_from(block).expect("there are fewer blocks than rows, 4352")
            })
            .collect();
        CharClasses { ascii: std::array::from_fn(|code| flat[code]), block_of_row, blocks }
    }

    /// The class and length of the character that starts at `at`, which must
    /// be a character boundary of valid UTF-8. Decoding by hand on the bytes is
    /// what keeps the scanner free of a boundary check for every character.
    #[inline(always)]
    pub(crate) fn at(&self, text: &[u8], at: usize) -> (CharClass, usize) {
        let first = text[at];
        let more = |k: usize| usize::from(text[at + k] & 0x3F);
        let lead = usize::from(first);
        match first {
            ..0x80 => (self.ascii[lead], 1),
            0x80..0xE0 => (self.of((lead & 0x1F) << 6 | more(1)), 2),
            0xE0..0xF0 => (self.of((lead & 0x0F) << 12 | more(1) << 6 | more(2)), 3),
            _ => {
                let code = (lead & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3);
                (self.of(code), 4)
            }
        }
    }

    #[inline(always)]
    fn of(&self, code: usize) -> CharClass {
        self.blocks[usize::from(self.block_of_row[code / BLOCK])][code % BLOCK]
    }
}

fn ranges(pattern: &str) -> Vec<(usize, usize)> {
    let class = regex_syntax::parse(pattern).expect("the six patterns above are valid");
    let HirKind::Class(Class::Unicode(class)) = class.kind() else {
        unreachable!("the six patterns above are Unicode classes");
    };
    class.iter().map(|range| (range.start() as usize, range.end() as usize)).collect()
}
