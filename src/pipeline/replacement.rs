//! The replacement: the text that stays in a message, cached by text, file and settings, so that a
//! re-posted history is not even unescaped.

use std::sync::Arc;

use chat_history::footprint::{CACHE_ENTRY_BYTES, block_bytes};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use raw_json::quote;

use token_count::Tokenizer;

/// Replacements by content, path and settings.
pub(crate) type Replacements = Cache<blake3::Hash, Arc<Replacement>, Literals>;

/// The size of a replacement, for a bounded cache.
#[derive(Clone)]
pub(crate) struct Literals;

impl Weighter<blake3::Hash, Arc<Replacement>> for Literals {
    fn weight(&self, _: &blake3::Hash, replacement: &Arc<Replacement>) -> u64 {
        CACHE_ENTRY_BYTES
            + (size_of::<Replacement>() + block_bytes(replacement.literal.len())) as u64
    }
}

/// Returns a cache of up to `bytes` of replacements.
pub(crate) fn replacements(bytes: u64) -> Replacements {
    let entries = usize::try_from(bytes / 512).unwrap_or(usize::MAX);
    Cache::with_weighter(entries, bytes, Literals)
}

/// A rendered replacement.
#[derive(Debug, Clone)]
pub(crate) struct Replacement {
    /// The new text as a JSON string literal.
    pub(crate) literal: Box<str>,
    /// Its number of tokens.
    pub(crate) tokens: u64,
}

impl Replacement {
    pub(crate) fn new(text: &str, tokenizer: Tokenizer) -> Replacement {
        Replacement { literal: quote(text).into(), tokens: tokenizer.count(text) }
    }
}
