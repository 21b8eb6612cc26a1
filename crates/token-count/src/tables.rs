//! The tables that `build.rs` writes. They are embedded in the program and read in place: nothing
//! is loaded at start, and unused tables take no memory.

use super::trie::Trie;
use super::vocabulary::Vocabulary;

/// Aligns a table to a cache line of the processor.
#[repr(align(64))]
struct Aligned<T>(T);

/// A table of `OUT_DIR`, as an array of units whose size is inferred.
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

/// The classes of the code points, in blocks of 256. The first block is ASCII.
pub(crate) static CLASS_BLOCKS: &[[u8; 256]] = table!("classes.blocks");

/// For each row of 256 code points, the index of its block.
pub(crate) static CLASS_BLOCK_OF_ROW: &[[u8; 1]] = table!("classes.rows");
