//! The exact counter of one vocabulary: the scanner cuts the text into pieces,
//! the thread's cache knows most of them, short ones are merged by their table of
//! merges, and GitHub's `bpe` counts the rest.
//! The vocabularies are made by `build.rs` and embedded in the binary; loading
//! one takes tens of milliseconds, once.

use std::cell::RefCell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::LocalKey;

use bpe::byte_pair_encoding::BytePairEncoding;

use super::{
    long_run,
    merges::{self, Merges},
    piece_cache::PieceCache,
    scanner::{Pattern, Scanner},
    shared_pieces::SharedPieces,
};

/// A loaded vocabulary with its split pattern.
pub(crate) struct Encoding {
    pattern: Pattern,
    bpe: BytePairEncoding,
    merges: Merges,
    longest_token: u64,
    /// One cache per encoding, so that a thread that serves both never mixes
    /// their counts and never has to flush.
    cache: &'static LocalCache,
    /// Pieces that other threads counted, asked if the thread's own cache misses.
    shared: &'static SharedPieces,
    /// The cache that a new thread begins with.
    common: PieceCache,
}

/// The cache of a thread, with the number of [`forget`]s before it was made.
type ThreadCache = Option<(u64, PieceCache)>;
type LocalCache = LocalKey<RefCell<ThreadCache>>;

thread_local! {
    static O200K_CACHE: RefCell<ThreadCache> = const { RefCell::new(None) };
    static CL100K_CACHE: RefCell<ThreadCache> = const { RefCell::new(None) };
}

static O200K_SHARED: SharedPieces = SharedPieces::new();
static CL100K_SHARED: SharedPieces = SharedPieces::new();

static FORGET_COUNT: AtomicU64 = AtomicU64::new(0);

/// Clears the caches of pieces; that of a thread when it counts its next text.
pub(super) fn forget() {
    FORGET_COUNT.fetch_add(1, Ordering::Relaxed);
    O200K_SHARED.forget();
    CL100K_SHARED.forget();
}

impl Encoding {
    pub(crate) fn o200k_base() -> &'static Encoding {
        static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
            let table = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.dict"));
            let merges = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.merges"));
            Encoding::load(Pattern::O200k, (table, merges), &O200K_CACHE, &O200K_SHARED)
        });
        &ENCODING
    }

    pub(crate) fn cl100k_base() -> &'static Encoding {
        static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
            let table = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.dict"));
            let merges = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.merges"));
            Encoding::load(Pattern::Cl100k, (table, merges), &CL100K_CACHE, &CL100K_SHARED)
        });
        &ENCODING
    }

    fn load(
        pattern: Pattern,
        (table, known_merges): (&[u8], &[u8]),
        cache: &'static LocalCache,
        shared: &'static SharedPieces,
    ) -> Encoding {
        let bpe: BytePairEncoding =
            rmp_serde::from_slice(table).expect("build.rs wrote the table with the same crates");
        let tokens = u32::try_from(bpe.num_tokens()).expect("a token is a number of 32 bits");
        let tokens = || (0..tokens).map(|token| bpe.token_bytes(token));
        let longest_token = tokens().map(<[u8]>::len).max();
        let longest_token = longest_token.expect("a vocabulary has tokens") as u64;
        let mut merges = Merges::empty(tokens());
        for merge in known_merges.as_chunks().0 {
            merges.add(u64::from_le_bytes(*merge));
        }
        // Merges are ranked by how often they were seen: the commonest come first.
        let common = PieceCache::with_tokens(tokens());
        Encoding { pattern, bpe, merges, longest_token, cache, shared, common }
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
            let forgotten = FORGET_COUNT.load(Ordering::Relaxed);
            let cache = match cache {
                Some((begun, cache)) if *begun == forgotten => cache,
                none => &mut none.insert((forgotten, self.common.clone())).1,
            };
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

    /// Kept out of line: misses are rare, and the loop above stays small.
    #[inline(never)]
    fn merge(&self, piece: &[u8]) -> u64 {
        if piece.len() <= merges::LONGEST {
            return self.shared.count(piece, |piece| self.merges.count(piece));
        }
        long_run::count(&self.bpe, piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_is_counted_again() {
        let encoding = Encoding::o200k_base();
        let text = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich";
        let count = || encoding.count_up_to(text, u64::MAX);
        let counted = count();
        let on_another = || std::thread::scope(|scope| scope.spawn(count).join().unwrap());
        assert_eq!(on_another(), counted);
        forget();
        assert_eq!([count(), on_another(), count()], [counted; 3]);
    }

    /// The same merges by another way: `bpe` goes through the piece from left to right.
    #[test]
    fn short_pieces_are_merged_as_by_the_engine() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for encoding in [Encoding::o200k_base(), Encoding::cl100k_base()] {
            let tokens = encoding.bpe.num_tokens();
            for _ in 0..200_000 {
                let mut piece = Vec::new();
                while piece.is_empty() || (piece.len() < merges::LONGEST && random(3) > 0) {
                    match random(4) {
                        0 => piece.push(random(256).to_le_bytes()[0]),
                        1 => piece.push(b' ' + random(95).to_le_bytes()[0]),
                        _ => {
                            let token = u32::try_from(random(tokens)).unwrap();
                            let token = encoding.bpe.token_bytes(token);
                            piece.extend_from_slice(&token[..=random(token.len())]);
                        }
                    }
                }
                piece.truncate(merges::LONGEST);
                let expected = encoding.bpe.count(&piece) as u64;
                assert_eq!(encoding.merges.count(&piece), expected, "{piece:?}");
            }
            assert_eq!(encoding.merges.count(b""), 0);
        }
    }
}
