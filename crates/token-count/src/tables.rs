//! The tables that `build.rs` writes. They are part of the program and read where they lie:
//! nothing is loaded at start, and what nobody reads takes no memory.

use super::trie::Trie;
use super::vocabulary::Vocabulary;

/// Begins where a line of the processor's cache does.
#[repr(align(64))]
struct Aligned<T>(T);

/// A table of `OUT_DIR` as units of as many bytes as the place wants.
macro_rules! table {
    ($name:literal) => {{
        const LENGTH: usize = include_bytes!(concat!(env!("OUT_DIR"), "/", $name)).len();
        static TABLE: Aligned<[u8; LENGTH]> =
            Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $name)));
        TABLE.0.as_chunks().0
    }};
}

pub(crate) const O200K_BASE: Vocabulary<'static> = Vocabulary {
    trie: Trie(table!("o200k_base.trie")),
    rows: table!("o200k_base.rows"),
    pairs: table!("o200k_base.pairs"),
};

pub(crate) const CL100K_BASE: Vocabulary<'static> = Vocabulary {
    trie: Trie(table!("cl100k_base.trie")),
    rows: table!("cl100k_base.rows"),
    pairs: table!("cl100k_base.pairs"),
};

/// The classes of the code points, in blocks of 256. The first block is that of ASCII.
pub(crate) static CLASS_BLOCKS: &[[u8; 256]] = table!("classes.blocks");

/// The block of each 256 code points.
pub(crate) static CLASS_BLOCK_OF_ROW: &[[u8; 1]] = table!("classes.rows");
