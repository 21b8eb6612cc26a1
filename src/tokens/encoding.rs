//! The exact counter of one vocabulary: the scanner cuts the text into pieces,
//! the thread's cache knows most of them, and GitHub's `bpe` merges the rest.
//! The vocabularies are made by `build.rs` and embedded in the binary; loading
//! one takes tens of milliseconds, once.

use std::{cell::RefCell, sync::LazyLock, thread::LocalKey};

use bpe::byte_pair_encoding::BytePairEncoding;

use super::{
    long_run,
    piece_cache::PieceCache,
    scanner::{Pattern, Scanner},
    shared_counts::SharedCounts,
};

/// A loaded vocabulary with its split pattern.
pub(crate) struct Encoding {
    pattern: Pattern,
    bpe: BytePairEncoding,
    longest_token: u64,
    /// One cache per encoding, so that a thread that serves both never mixes
    /// their counts and never has to flush.
    cache: &'static LocalCache,
    /// What the cache of a new thread begins with.
    common: PieceCache,
    shared: SharedCounts,
}

type LocalCache = LocalKey<RefCell<Option<PieceCache>>>;

thread_local! {
    static O200K_CACHE: RefCell<Option<PieceCache>> = const { RefCell::new(None) };
    static CL100K_CACHE: RefCell<Option<PieceCache>> = const { RefCell::new(None) };
}

impl Encoding {
    pub(crate) fn o200k_base() -> &'static Encoding {
        static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
            let table = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.dict"));
            Encoding::load(Pattern::O200k, table, &O200K_CACHE)
        });
        &ENCODING
    }

    pub(crate) fn cl100k_base() -> &'static Encoding {
        static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
            let table = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.dict"));
            Encoding::load(Pattern::Cl100k, table, &CL100K_CACHE)
        });
        &ENCODING
    }

    fn load(pattern: Pattern, table: &[u8], cache: &'static LocalCache) -> Encoding {
        let bpe: BytePairEncoding =
            rmp_serde::from_slice(table).expect("build.rs wrote the table with the same crates");
        let tokens = u32::try_from(bpe.num_tokens()).expect("a token is a number of 32 bits");
        let lengths = (0..tokens).map(|token| bpe.token_len(token));
        let longest_token = lengths.max().expect("a vocabulary has tokens") as u64;
        // Merges are ranked by how often they were seen: the commonest come first.
        let common = (0..tokens).map(|token| bpe.token_bytes(token));
        let common = PieceCache::knowing(common);
        Encoding { pattern, bpe, longest_token, cache, common, shared: SharedCounts::new() }
    }

    /// The number of tokens in `text`, or `None` as soon as it is known to be
    /// above `limit`.
    pub(crate) fn count_up_to(&self, text: &str, limit: u64) -> Option<u64> {
        // No token is longer than the longest: a text far above the limit is
        // refused unread, and a single huge piece cannot outgrow the limit.
        if text.len() as u64 / self.longest_token > limit {
            return None;
        }
        self.cache.with_borrow_mut(|cache| {
            let cache = cache.get_or_insert_with(|| self.common.clone());
            let mut total = 0;
            for piece in Scanner::new(self.pattern, text) {
                total += cache.count(text.as_bytes(), piece, |piece| self.merge(piece));
                if total > limit {
                    return None;
                }
            }
            Some(total)
        })
    }

    /// Forgets what all threads have counted together.
    pub(crate) fn forget_shared(&self) {
        self.shared.clear();
    }

    /// Kept out of line: misses are rare, and the loop above stays small.
    #[inline(never)]
    fn merge(&self, piece: &[u8]) -> u64 {
        if piece.len() < 16 {
            return self.shared.count(piece, |piece| self.bpe.count(piece) as u64);
        }
        long_run::count(&self.bpe, piece)
    }
}
