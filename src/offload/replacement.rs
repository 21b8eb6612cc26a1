//! The replacement: what stays of a text in its message, made once for a text, its
//! place and the settings, so that a history that is posted again is not even unescaped.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::materials::Records;
use super::plan::Candidate;
use super::run::Job;
use crate::compaction::preview::{Budget, Moved, Spec, replacement};
use crate::compaction::reference::seal;
use crate::history::footprint::{ENTRY, block};
use crate::history::message::SlotKind;
use crate::history::splice::quote;
use crate::store::{Key, StoreError};
use crate::tokens::Tokenizer;

/// Replacements by content, path and settings.
pub type Replacements = Cache<blake3::Hash, Arc<Replacement>, Literals>;

/// The size of a replacement, for a bounded cache.
#[derive(Clone)]
pub struct Literals;

impl Weighter<blake3::Hash, Arc<Replacement>> for Literals {
    fn weight(&self, _: &blake3::Hash, replacement: &Arc<Replacement>) -> u64 {
        ENTRY + (size_of::<Replacement>() + block(replacement.literal.len())) as u64
    }
}

/// A cache of up to `bytes` of replacements.
pub fn replacements(bytes: u64) -> Replacements {
    let entries = usize::try_from(bytes / 512).unwrap_or(usize::MAX);
    Cache::with_weighter(entries, bytes, Literals)
}

/// A rendered replacement.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// The new text as a JSON string literal.
    pub(super) literal: Box<str>,
    /// What it costs.
    pub(super) tokens: u64,
}

impl Replacement {
    fn new(text: &str, tokenizer: Tokenizer) -> Replacement {
        Replacement { literal: quote(text).into(), tokens: tokenizer.count(text) }
    }
}

/// What replacements are made with, and what tells it from any other.
pub(super) struct Words {
    spec: Spec,
    key: Key,
    digest: blake3::Hash,
}

/// Where a text moves.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The file's path, as the caller spells it.
    pub(super) path: &'a str,
    /// The hash of what the file holds.
    pub(super) content: blake3::Hash,
}

impl Words {
    /// What a replacement depends on; None where that was not hashed.
    fn cache_key(
        &self,
        candidate: &Candidate,
        records: Option<&Records>,
        place: Place<'_>,
    ) -> Option<blake3::Hash> {
        let slot = &candidate.slot;
        let mut hasher = blake3::Hasher::new();
        hasher.update(slot.hash?.as_bytes()).update(self.digest.as_bytes());
        let kinds = [u8::from(slot.slot.kind == SlotKind::Json), u8::from(records.is_some())];
        hasher.update(&kinds).update(&slot.tokens.to_le_bytes()).update(place.content.as_bytes());
        let id = candidate.call_id.as_deref();
        let call = [u8::from(id.is_some())];
        let id = id.unwrap_or_default().as_bytes();
        hasher.update(&call).update(&(id.len() as u64).to_le_bytes()).update(id);
        hasher.update(place.path.as_bytes());
        Some(hasher.finalize())
    }
}

impl Job<'_> {
    /// What replacements are made with.
    ///
    /// # Errors
    ///
    /// The store's folder has no key to sign them with, and none can be made.
    pub(super) fn words(&self, budget: Budget) -> Result<Words, StoreError> {
        let key = self.key()?;
        let (tools, redact) = (self.settings.reload_tools.clone(), self.offloader.redact);
        let spec = Spec { budget, tokenizer: self.tokenizer, tools, redact };
        // By one of its codes: the key itself goes nowhere.
        let about = format!("{spec:?} {:?} {}", self.settings.descriptor, key.code("words", &[]));
        Ok(Words { spec, key, digest: blake3::hash(about.as_bytes()) })
    }

    /// The replacement of a text, where it was made before.
    pub(super) fn known(
        &self,
        candidate: &Candidate,
        records: Option<&Records>,
        place: Place<'_>,
        words: &Words,
    ) -> Option<Arc<Replacement>> {
        self.offloader.replacements.get(&words.cache_key(candidate, records, place)?)
    }

    /// The replacement of a text, made and remembered.
    pub(super) fn replacement(
        &self,
        candidate: &Candidate,
        records: Option<&Records>,
        place: Place<'_>,
        words: &Words,
    ) -> Arc<Replacement> {
        let path = place.path;
        let slot = &candidate.slot;
        let text = match records {
            Some(records) => {
                self.descriptor(candidate, records, path, words.spec.budget.whole() > 0)
            }
            None => {
                let (text, kind) = (self.text(candidate), slot.slot.kind);
                replacement(&Moved { text: &text, kind, tokens: slot.tokens, path }, &words.spec)
            }
        };
        let made = self.sealed(&text, candidate, &place.content, words);
        if let Some(key) = words.cache_key(candidate, records, place) {
            self.offloader.replacements.insert(key, Arc::clone(&made));
        }
        made
    }

    /// A text that ends in a reference, with its code.
    pub(super) fn sealed(
        &self,
        plain: &str,
        candidate: &Candidate,
        content: &blake3::Hash,
        words: &Words,
    ) -> Arc<Replacement> {
        let sealed = seal(plain, &words.key, candidate.call_id.as_deref(), content);
        Arc::new(Replacement::new(&sealed, self.tokenizer))
    }
}
