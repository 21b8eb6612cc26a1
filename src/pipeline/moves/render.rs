//! Renders replacements: the text that stays in a message, cached by text, file and
//! settings.

use std::sync::Arc;

use chat_history::message::SlotKind;

use crate::compaction::preview::{MovedText, replacement};
use crate::compaction::preview_settings::{PreviewSettings, PreviewSize};
use crate::compaction::reference::seal;
use crate::pipeline::context::Context;
use crate::pipeline::moves::plan::Candidate;
use crate::pipeline::moves::records::{Records, descriptor_of};
use crate::pipeline::replacement::Replacement;
use context_store::{Key, StoreError};

/// The settings and the key of replacements, with a digest of both.
pub(crate) struct RenderSettings {
    spec: PreviewSettings,
    key: Key,
    digest: blake3::Hash,
}

/// The file that a text moves to.
#[derive(Clone, Copy)]
pub(crate) struct FileContent<'a> {
    /// The file's path, as the caller spells it.
    pub(crate) path: &'a str,
    /// The hash of the file's content.
    pub(crate) content: blake3::Hash,
}

impl RenderSettings {
    /// Returns the hash of everything that a replacement depends on; `None` if the text was not
    /// hashed.
    fn cache_key(
        &self,
        candidate: &Candidate,
        records: Option<&Records>,
        file: FileContent<'_>,
    ) -> Option<blake3::Hash> {
        let slot = &candidate.slot;
        let mut hasher = blake3::Hasher::new();
        hasher.update(slot.hash?.as_bytes()).update(self.digest.as_bytes());
        let kinds = [u8::from(slot.slot.kind == SlotKind::Json), u8::from(records.is_some())];
        hasher.update(&kinds).update(&slot.tokens.to_le_bytes()).update(file.content.as_bytes());
        let id = candidate.call_id.as_deref();
        let call = [u8::from(id.is_some())];
        let id = id.unwrap_or_default().as_bytes();
        hasher.update(&call).update(&(id.len() as u64).to_le_bytes()).update(id);
        hasher.update(file.path.as_bytes());
        Some(hasher.finalize())
    }
}

/// Returns the settings and the key of replacements.
///
/// # Errors
///
/// Fails if the store's folder has no key to sign them with, and none can be created.
pub(crate) fn render_settings(
    context: &Context<'_>,
    budget: PreviewSize,
) -> Result<RenderSettings, StoreError> {
    let key = context.key()?;
    let (tools, redact) = (context.settings.reload_tools.clone(), context.offloader.redact);
    let spec = PreviewSettings { budget, tokenizer: context.tokenizer, tools, redact };
    // Uses one of the key's codes, so that the key itself is not exposed.
    let about = format!("{spec:?} {:?} {}", context.settings.descriptor, key.code("words", &[]));
    Ok(RenderSettings { spec, key, digest: blake3::hash(about.as_bytes()) })
}

/// Returns the cached replacement of a text.
pub(crate) fn known_replacement(
    context: &Context<'_>,
    candidate: &Candidate,
    records: Option<&Records>,
    file: FileContent<'_>,
    words: &RenderSettings,
) -> Option<Arc<Replacement>> {
    context.offloader.replacements.get(&words.cache_key(candidate, records, file)?)
}

/// Makes the replacement of a text, and caches it.
pub(crate) fn replacement_of(
    context: &Context<'_>,
    candidate: &Candidate,
    records: Option<&Records>,
    file: FileContent<'_>,
    words: &RenderSettings,
) -> Arc<Replacement> {
    let path = file.path;
    let slot = &candidate.slot;
    let text = match records {
        Some(records) => {
            descriptor_of(context, candidate, records, path, words.spec.budget.whole() > 0)
        }
        None => {
            let (text, kind) = (candidate.text(context), slot.slot.kind);
            replacement(&MovedText { text: &text, kind, tokens: slot.tokens, path }, &words.spec)
        }
    };
    let made = sealed(context, &text, candidate, &file.content, words);
    if let Some(key) = words.cache_key(candidate, records, file) {
        context.offloader.replacements.insert(key, Arc::clone(&made));
    }
    made
}

/// Adds the code to a text that ends in a reference.
pub(crate) fn sealed(
    context: &Context<'_>,
    plain: &str,
    candidate: &Candidate,
    content: &blake3::Hash,
    words: &RenderSettings,
) -> Arc<Replacement> {
    let sealed = seal(plain, &words.key, candidate.call_id.as_deref(), content);
    Arc::new(Replacement::new(&sealed, context.tokenizer))
}
