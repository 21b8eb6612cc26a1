//! What all threads have counted: the second place to look for a short piece,
//! between a thread's own cache and merging it anew. A thread that starts, or
//! that gets the other half of a history, finds there what others worked out.
//!
//! Nobody waits for it: where another thread holds a shard, the piece is merged.

use std::sync::Mutex;

use super::piece_cache::{ShortEntry, hash, short_key};

/// Shards, each under a lock of its own.
const SHARDS_LOG2: u32 = 6;
/// Sets of four entries in a shard; all of them together hold 4 MB.
const SETS_LOG2: u32 = 10;

/// Counts of short pieces in one encoding.
pub(crate) struct SharedCounts {
    shards: Box<[Mutex<Shard>]>,
}

type Shard = Box<[[ShortEntry; 4]]>;

impl SharedCounts {
    pub(crate) fn new() -> SharedCounts {
        let shard = || Mutex::new(vec![[ShortEntry::default(); 4]; 1 << SETS_LOG2].into());
        SharedCounts { shards: (0..1 << SHARDS_LOG2).map(|_| shard()).collect() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for shard in &self.shards {
            if let Ok(mut sets) = shard.lock() {
                sets.fill([ShortEntry::default(); 4]);
            }
        }
    }

    /// The count of a piece of 1 to 15 bytes, from `count` if nobody knows it.
    pub(crate) fn count(&self, piece: &[u8], count: impl FnOnce(&[u8]) -> u64) -> u64 {
        let key = short_key(piece, &(0..piece.len()));
        let place = (hash(key) >> (64 - SHARDS_LOG2 - SETS_LOG2)) as usize;
        let (shard, set) = (&self.shards[place >> SETS_LOG2], place & ((1 << SETS_LOG2) - 1));
        if let Ok(sets) = shard.try_lock()
            && let Some(known) = sets[set].iter().find_map(|entry| entry.count_of(key))
        {
            return known;
        }
        let counted = count(piece);
        if let Ok(mut sets) = shard.try_lock() {
            let [first, second, third, _] = sets[set];
            sets[set] = [ShortEntry::new(key, counted), first, second, third];
        }
        counted
    }
}
