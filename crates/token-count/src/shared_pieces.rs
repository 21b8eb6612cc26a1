//! A cache of counted pieces that all threads share, so that each piece is merged only once. It is
//! used if a thread's own cache misses. A thread that finds a stripe locked merges the piece itself
//! instead of waiting.

use std::sync::{Mutex, PoisonError};

use super::piece_cache::{ShortEntry, hash, short_key};

/// log2 of the number of stripes. A stripe has 1024 entries and is allocated on first use; all
/// stripes take a megabyte.
const STRIPES_LOG2: u32 = 6;
const STRIPE_LOG2: u32 = 10;

/// The counts of one encoding.
pub(crate) struct SharedPieces([Mutex<Vec<ShortEntry>>; 1 << STRIPES_LOG2]);

impl SharedPieces {
    /// Returns an empty cache.
    pub(crate) const fn new() -> SharedPieces {
        SharedPieces([const { Mutex::new(Vec::new()) }; 1 << STRIPES_LOG2])
    }

    /// Returns the count of a piece of up to 15 bytes; calls `count` if it is not cached.
    pub(crate) fn count(&self, piece: &[u8], count: impl FnOnce(&[u8]) -> u64) -> u64 {
        let key = short_key(piece, &(0..piece.len()));
        let place = (hash(key) >> (64 - STRIPES_LOG2 - STRIPE_LOG2)) as usize;
        let (stripe, place) = (&self.0[place >> STRIPE_LOG2], place & ((1 << STRIPE_LOG2) - 1));
        let Ok(mut stripe) = stripe.try_lock() else { return count(piece) };
        if stripe.is_empty() {
            stripe.resize(1 << STRIPE_LOG2, ShortEntry::default());
        }
        let entry = &mut stripe[place];
        if let Some(known) = entry.count_of(key) {
            return known;
        }
        let counted = count(piece);
        *entry = ShortEntry::new(key, counted);
        counted
    }

    /// Clears the cache.
    pub(crate) fn forget(&self) {
        for stripe in &self.0 {
            // A panic during an update leaves complete entries, because they are plain values.
            let mut stripe = stripe.lock().unwrap_or_else(PoisonError::into_inner);
            stripe.fill(ShortEntry::default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_counted_once_until_it_is_forgotten() {
        let pieces = SharedPieces::new();
        let mut asked = 0;
        let mut count = |piece: &[u8]| {
            pieces.count(piece, |piece| {
                asked += 1;
                piece.len() as u64
            })
        };
        assert_eq!([count(b"abc"), count(b"abc"), count(b"abcd"), count(b"abc")], [3, 3, 4, 3]);
        let longest = [b'x'; 15];
        assert_eq!([count(&longest), count(&longest)], [15, 15]);
        assert_eq!(asked, 3);
        pieces.forget();
        let again = pieces.count(b"abc", |_| 7);
        assert_eq!(again, 7);
    }

    #[test]
    fn a_taken_stripe_is_not_waited_for() {
        let pieces = SharedPieces::new();
        let taken: Vec<_> = pieces.0.iter().map(|stripe| stripe.lock().unwrap()).collect();
        assert_eq!(pieces.count(b"abc", |_| 2), 2);
        drop(taken);
        assert_eq!(pieces.count(b"abc", |_| 3), 3);
    }
}
