//! The exact counter of one vocabulary. The scanner splits the text into pieces, and the thread's
//! cache knows most of them. Of the other pieces, a piece that is a token counts 1, short pieces
//! are merged, and longer ones are encoded from left to right.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::LocalKey;

use super::{
    long_run, merges,
    piece_cache::PieceCache,
    scanner::{Pattern, Scanner},
    shared_pieces::SharedPieces,
    tables,
    trie::NO_TOKEN,
    vocabulary::{LONGEST_TOKEN, Vocabulary},
};

/// A vocabulary with its split pattern.
pub(crate) struct Encoding {
    pattern: Pattern,
    vocabulary: Vocabulary<'static>,
    /// The thread's cache. Each encoding has its own, so that a thread that serves both never mixes
    /// their counts and never has to clear the cache.
    cache: &'static LocalCache,
    /// Pieces that any thread counted, searched if the thread's own cache misses.
    shared: &'static SharedPieces,
}

/// The cache of a thread, with the number of [`forget`] calls before it was created.
type ThreadCache = Option<(u64, PieceCache)>;
type LocalCache = LocalKey<RefCell<ThreadCache>>;

thread_local! {
    static O200K_CACHE: RefCell<ThreadCache> = const { RefCell::new(None) };
    static CL100K_CACHE: RefCell<ThreadCache> = const { RefCell::new(None) };
}

static O200K_SHARED: SharedPieces = SharedPieces::new();
static CL100K_SHARED: SharedPieces = SharedPieces::new();

static FORGET_COUNT: AtomicU64 = AtomicU64::new(0);

/// Clears the caches of pieces. A thread's own cache is cleared when it counts its next text.
pub(super) fn forget() {
    FORGET_COUNT.fetch_add(1, Ordering::Relaxed);
    O200K_SHARED.forget();
    CL100K_SHARED.forget();
}

impl Encoding {
    pub(crate) fn o200k_base() -> &'static Encoding {
        static ENCODING: Encoding = Encoding {
            pattern: Pattern::O200k,
            vocabulary: tables::O200K_BASE,
            cache: &O200K_CACHE,
            shared: &O200K_SHARED,
        };
        &ENCODING
    }

    pub(crate) fn cl100k_base() -> &'static Encoding {
        static ENCODING: Encoding = Encoding {
            pattern: Pattern::Cl100k,
            vocabulary: tables::CL100K_BASE,
            cache: &CL100K_CACHE,
            shared: &CL100K_SHARED,
        };
        &ENCODING
    }

    /// Returns the number of tokens in `text`, or `None` as soon as it is known to exceed `limit`.
    pub(crate) fn count_up_to(&self, text: &str, limit: u64) -> Option<u64> {
        // No token is longer than `LONGEST_TOKEN`, so a text far above the limit is rejected
        // unread, and the work for a single huge piece is bounded by the limit.
        if (text.len() / LONGEST_TOKEN) as u64 > limit {
            return None;
        }
        self.cache.with_borrow_mut(|cache| {
            let forgotten = FORGET_COUNT.load(Ordering::Relaxed);
            let cache = match cache {
                Some((begun, cache)) if *begun == forgotten => cache,
                none => &mut none.insert((forgotten, PieceCache::new())).1,
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

    /// Not inlined: misses are rare, and the loop above stays small.
    #[inline(never)]
    fn merge(&self, piece: &[u8]) -> u64 {
        if self.vocabulary.trie.token(piece) != NO_TOKEN {
            return 1;
        }
        if piece.len() <= merges::LONGEST {
            return self.shared.count(piece, |piece| merges::count(self.vocabulary, piece));
        }
        long_run::count(self.vocabulary, piece)
    }
}

#[cfg(test)]
mod tests {
    use bpe::byte_pair_encoding::BytePairEncoding;

    use super::super::backtrack::encode;
    use super::*;

    /// `bpe` identifies tokens by a 32-bit hash and rejects a vocabulary with a collision. With
    /// this factor, taken from GitHub's `bpe-openai`, neither vocabulary has one.
    const HASH_FACTOR: u64 = 17_846_336_922_010_275_747;

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

    /// Compares the counts of random pieces with those of another engine. The environment variable
    /// `PIECES` sets their number. Five million for each vocabulary were equal, which takes three
    /// minutes in release mode.
    #[test]
    fn pieces_are_counted_as_by_bpe() {
        let rounds = std::env::var("PIECES").map_or(20_000, |rounds| rounds.parse().unwrap());
        for (encoding, tokens) in [
            (Encoding::o200k_base(), tiktoken_rs::o200k_base()),
            (Encoding::cl100k_base(), tiktoken_rs::cl100k_base()),
        ] {
            let tokens = tokens.unwrap();
            let tokens: Vec<Vec<u8>> =
                (0..).map_while(|rank| tokens.decode_bytes(&[rank]).ok()).collect();
            let bpe = BytePairEncoding::from_dictionary(tokens.clone(), Some(HASH_FACTOR));
            let mut random = Random(7);
            for round in 0..rounds {
                let piece = piece(&mut random, &tokens, if round % 2 == 0 { 15 } else { 200 });
                let expected = bpe.encode_via_backtracking(&piece);
                assert_eq!(encode(encoding.vocabulary, &piece), expected, "{piece:?}");
                if piece.len() <= merges::LONGEST {
                    let merged = merges::count(encoding.vocabulary, &piece);
                    assert_eq!(merged, expected.len() as u64, "{piece:?}");
                }
                if let [token] = expected[..] {
                    assert_eq!(encoding.vocabulary.trie.token(&piece), token, "{piece:?}");
                }
            }
            assert_eq!(merges::count(encoding.vocabulary, b""), 0);
        }
    }

    /// Returns a random piece of at most `longest` bytes: bytes, ASCII, starts of tokens and runs.
    fn piece(random: &mut Random, tokens: &[Vec<u8>], longest: usize) -> Vec<u8> {
        let mut piece = Vec::new();
        let length = 1 + random.below(longest);
        while piece.len() < length {
            match random.below(8) {
                0 => piece.push(random.byte(0, 256)),
                1 | 2 => piece.push(random.byte(b' ', 95)),
                3 => {
                    let byte = random.byte(b' ', 95);
                    piece.extend(std::iter::repeat_n(byte, random.below(12)));
                }
                _ => {
                    let token = &tokens[random.below(tokens.len())];
                    piece.extend_from_slice(&token[..=random.below(token.len())]);
                }
            }
        }
        piece.truncate(length);
        piece
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % below
        }

        fn byte(&mut self, first: u8, of: usize) -> u8 {
            first.wrapping_add(self.below(of).to_le_bytes()[0])
        }
    }
}
