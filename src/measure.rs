//! Measures the cost of each message. A re-posted history is counted from a cache keyed by a hash
//! of each message's raw bytes, so a turn costs only its new messages. The cache also holds the
//! view: a known message is not parsed again.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chat_history::footprint::{CACHE_ENTRY_BYTES, list_bytes};
use chat_history::message::{MessageView, Slot, SlotKind, assign_front_roles};
use chat_history::system_prompt::text_slots;
use chat_history::{History, HistoryError};
use fair_share::on;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use raw_json::{self as raw, Text};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use token_count::Tokenizer;

/// The count of an image, a file or a sound, in tokens: the price of a 1024 × 1024 image at high
/// detail in OpenAI's tables. Providers differ; the point is that base64 is never counted as text.
pub(crate) const MEDIA_TOKENS: u64 = 765;

/// Results smaller than this are not hashed at measuring time, in bytes: they
/// are seldom moved, and hashing them later is cheap.
const HASH_FROM_BYTES: usize = 1024;

/// Bytes of messages that a counting thread gets at a time; each message counts as `MESSAGE` bytes
/// more. So many short messages cause few hand-overs, and no thread works alone for long at the
/// end.
const RUN: usize = 16 * 1024;
const MESSAGE: usize = 256;

/// A text that may leave the history: one slot of a tool's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredSlot {
    /// Its position, relative to the message.
    pub slot: Slot,
    /// Its tokens.
    pub tokens: u64,
    /// Length of its text, in bytes of UTF-8.
    pub bytes: usize,
    /// False if the text has no exact UTF-8 form (a lone surrogate).
    pub exact: bool,
    /// Hash of the text, for texts of a kilobyte and more.
    pub hash: Option<blake3::Hash>,
}

/// A message's view and its cost.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    /// Its view.
    pub view: MessageView,
    /// The tokens of the whole message: text, reasoning, calls with their
    /// arguments, results, media. The few tokens of framing that a provider adds
    /// to each message are its own and not counted.
    pub tokens: u64,
    /// The slots of each result, in the view's order.
    pub results: Vec<Vec<MeasuredSlot>>,
    /// Its plain text slots, measured like results.
    pub texts: Vec<MeasuredSlot>,
}

/// The hash of a message's content, the tokenizer, and the dialect that parsed it.
type Key = (u128, Tokenizer, &'static str);

/// The size of a view, for a bounded cache.
#[derive(Clone)]
struct Views;

impl Weighter<Key, Arc<Measured>> for Views {
    fn weight(&self, _: &Key, measured: &Arc<Measured>) -> u64 {
        let results: usize = measured.results.iter().map(|slots| list_bytes(slots)).sum();
        let slots = list_bytes(&measured.results) + results + list_bytes(&measured.texts);
        CACHE_ENTRY_BYTES + (size_of::<Measured>() + slots + measured.view.heap_bytes()) as u64
    }
}

/// Counts histories, and caches the counts.
pub(crate) struct Measure {
    seen: Cache<Key, Arc<Measured>, Views>,
    values: Cache<(u128, Tokenizer), u64>,
    /// Random for each process, so that nobody outside can construct a hash collision.
    seed: u64,
    counted: AtomicU64,
}

impl Measure {
    /// Creates a measure that caches up to `cache_bytes` of views and counts.
    pub(crate) fn new(cache_bytes: u64) -> Measure {
        let seed = std::hash::RandomState::new().hash_one(0);
        let entries = usize::try_from(cache_bytes / 1024).unwrap_or(usize::MAX);
        Measure {
            seen: Cache::with_weighter(entries, cache_bytes, Views),
            values: Cache::new(10_000),
            seed,
            counted: AtomicU64::new(0),
        }
    }

    /// Parses and counts every message. Fails at the first invalid one.
    pub(crate) fn history(
        &self,
        history: &History<'_>,
        tokenizer: Tokenizer,
    ) -> Result<Vec<Arc<Measured>>, HistoryError> {
        let dialect = history.dialect();
        let one = |index: usize| {
            let raw = history.messages()[index];
            let key = (xxh3_128_with_seed(raw.as_bytes(), self.seed), tokenizer, dialect.name());
            if let Some(known) = self.seen.get(&key) {
                history.is_whole(index, &known.view)?;
                return Ok(known);
            }
            let mut view = history.view(index)?;
            view.shrink();
            let measured = Arc::new(measure(raw, view, tokenizer));
            self.seen.insert(key, Arc::clone(&measured));
            self.counted.fetch_add(raw.len() as u64, Ordering::Relaxed);
            Ok(measured)
        };
        let runs: Vec<Result<Vec<_>, _>> = on(|| {
            let runs = runs(history.messages()).into_par_iter().with_max_len(1);
            runs.map(|run| run.map(one).collect()).collect()
        });
        let mut all = Vec::with_capacity(history.messages().len());
        for run in runs {
            all.append(&mut run?);
        }
        assign_front_roles(
            &mut all,
            |measured| &measured.view,
            |measured, role| {
                Arc::make_mut(measured).view.role = role;
            },
        );
        history.return_front_to_user(
            &mut all,
            |measured| &measured.view,
            |measured, role| {
                Arc::make_mut(measured).view.role = role;
            },
        );
        Ok(all)
    }

    /// Returns the bytes of messages counted so far, without cached ones.
    pub(crate) fn counted_bytes(&self) -> u64 {
        self.counted.load(Ordering::Relaxed)
    }

    /// Counts a separate system prompt: its texts, or the whole value if it has none.
    pub(crate) fn prompt(&self, raw: &str, tokenizer: Tokenizer) -> u64 {
        let slots = text_slots(raw);
        if slots.is_empty() {
            return self.value(raw, tokenizer);
        }
        slots.iter().map(|slot| self.value(&raw[slot.span.clone()], tokenizer)).sum()
    }

    /// Counts a value next to the messages (`tools`): a string as its text, any other value as
    /// compact JSON.
    pub(crate) fn value(&self, raw: &str, tokenizer: Tokenizer) -> u64 {
        let key = (xxh3_128_with_seed(raw.as_bytes(), self.seed), tokenizer);
        if let Some(known) = self.values.get(&key) {
            return known;
        }
        let tokens = if raw::is_string(raw) {
            tokenizer.count(&raw::unescape(raw).text)
        } else {
            tokenizer.count(&raw::canonical(raw))
        };
        self.values.insert(key, tokens);
        tokens
    }
}

/// Divides messages into runs of neighbours that are counted together.
fn runs(messages: &[&str]) -> Vec<Range<usize>> {
    let (mut runs, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (index, message) in messages.iter().enumerate() {
        bytes += message.len() + MESSAGE;
        if bytes >= RUN || index + 1 == messages.len() {
            runs.push(start..index + 1);
            (start, bytes) = (index + 1, 0);
        }
    }
    runs
}

/// Returns the text of a slot, as a file would hold it.
pub(crate) fn text_of<'a>(message: &'a str, slot: &Slot) -> Text<'a> {
    let raw = &message[slot.span.clone()];
    match slot.kind {
        SlotKind::String => raw::unescape(raw),
        SlotKind::Json => Text { text: raw.into(), exact: true },
    }
}

fn measure(message: &str, view: MessageView, tokenizer: Tokenizer) -> Measured {
    let slots = |slots: &[Slot]| -> Vec<MeasuredSlot> {
        slots.iter().map(|slot| measure_slot(message, slot, tokenizer)).collect()
    };
    let texts = slots(&view.texts);
    let results: Vec<Vec<MeasuredSlot>> = view.results.iter().map(|r| slots(&r.slots)).collect();
    let calls: u64 = view
        .calls
        .iter()
        .map(|call| {
            let name = call.name.as_deref().map_or(0, |name| tokenizer.count(name));
            name + call.arguments.as_ref().map_or(0, |slot| count_slot(message, slot, tokenizer))
        })
        .sum();
    let counted: u64 = texts.iter().chain(results.iter().flatten()).map(|slot| slot.tokens).sum();
    let unread = u64::from(view.media) * MEDIA_TOKENS + opaque_tokens(view.opaque);
    let tokens = counted + calls + unread;
    Measured { view, tokens, results, texts }
}

/// Estimates encrypted reasoning by the length of its base64, like OpenAI's Codex: the reasoning is
/// three quarters of it less 650 bytes, with four bytes per token.
fn opaque_tokens(base64: u64) -> u64 {
    (base64 / 4 * 3).saturating_sub(650) / 4
}

fn measure_slot(message: &str, slot: &Slot, tokenizer: Tokenizer) -> MeasuredSlot {
    let Text { text, exact } = text_of(message, slot);
    let tokens = match slot.kind {
        SlotKind::String => tokenizer.count(&text),
        SlotKind::Json => tokenizer.count(&raw::canonical(&text)),
    };
    let hash = (text.len() >= HASH_FROM_BYTES).then(|| blake3::hash(text.as_bytes()));
    MeasuredSlot { slot: slot.clone(), tokens, bytes: text.len(), exact, hash }
}

fn count_slot(message: &str, slot: &Slot, tokenizer: Tokenizer) -> u64 {
    let Range { start, end } = slot.span;
    let raw = &message[start..end];
    match slot.kind {
        SlotKind::String => tokenizer.count(&raw::unescape(raw).text),
        SlotKind::Json => tokenizer.count(&raw::canonical(raw)),
    }
}
