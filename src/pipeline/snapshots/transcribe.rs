//! Makes the transcript of a part of a history, without the secrets that the operator wants
//! redacted. Moved results have either a preview, as after compaction, or their original text.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use chat_history::History;
use chat_history::dialect::CallIndex;
use chat_history::message::{Call, MessageView, Role, Slot, SlotKind, ToolResult as ResultView};
use chat_history::system_prompt::text_slots;
use raw_json as raw;
use regex::Regex;

use crate::measure::text_of;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::snapshots::whole_history::WholeHistory;
use crate::reading::restore::rehydrate::original;
use crate::snapshot::format::bridge::standing as standing_bridge;
use crate::snapshot::transcript::{ToolCall, ToolResult, TranscriptMessage};

/// The position of a text: the index of its message, and its first byte in the message.
type At = (usize, usize);

/// Maximum bytes of results of earlier calls that a transcript reads back. Further results have the
/// preview.
const READ_BACK: u64 = 64 << 20;

/// Maximum number of messages that snapshots in a history can have replaced.
const MAX_REPLACED: u64 = 1_000_000_000;

#[derive(Clone)]
pub(crate) struct Transcriber<'a> {
    context: &'a Context<'a>,
    history: &'a History<'a>,
    views: Vec<&'a MessageView>,
    moved: HashMap<At, &'a Move>,
    /// The number of messages that the existing snapshots replaced, minus the number of messages
    /// that hold them. Added to an index, it gives the number of a message in the whole history.
    replaced: usize,
    /// The bytes of results that may still be read back; `None` to keep previews.
    read_back: Option<Cell<u64>>,
}

/// A text that was moved.
struct Stored<'a> {
    path: Cow<'a, str>,
    /// The original text, if it was read back.
    original: Option<String>,
}

impl<'a> Transcriber<'a> {
    pub(crate) fn new(context: &'a Context<'a>, moves: &'a [Move]) -> Transcriber<'a> {
        let moved = moves.iter().map(|m| (m.candidate.at(), m)).collect();
        let place = context.place();
        let originals = place.blocks.iter().flat_map(|block| &block.originals);
        let gone: u64 = originals.map(|originals| originals.messages).fold(0, u64::saturating_add);
        let bridge = standing_bridge(context.history(), &context.views(), &place);
        let added = usize::from(place.is_own_message()) + usize::from(bridge.is_some());
        // A forged count must not overflow.
        let gone = usize::try_from(gone.min(MAX_REPLACED)).unwrap_or(0);
        let replaced = gone.saturating_sub(added);
        let (history, views) = (context.history(), context.views());
        Transcriber { context, history, views, moved, replaced, read_back: None }
    }

    /// Creates a transcriber for the whole history of one with snapshots.
    pub(crate) fn of_whole(context: &'a Context<'a>, whole: &'a WholeHistory<'a>) -> Self {
        let (history, views) = (&whole.history, whole.views.iter().collect());
        let moved = HashMap::new();
        Transcriber { context, history, views, moved, replaced: 0, read_back: None }
    }

    /// Returns the number of message `index` in the whole history.
    pub(crate) fn number(&self, index: usize) -> usize {
        self.replaced + index
    }

    /// Returns the messages of the range with all texts that this or an earlier call moved.
    pub(crate) fn originals(&self, range: Range<usize>) -> Vec<TranscriptMessage<'a>> {
        let whole = Transcriber { read_back: Some(Cell::new(READ_BACK)), ..self.clone() };
        whole.transcript(range)
    }

    /// Returns the messages of the range without system messages.
    pub(crate) fn transcript(&self, range: Range<usize>) -> Vec<TranscriptMessage<'a>> {
        let mut callers = CallIndex::default();
        let mut said = Vec::with_capacity(range.len());
        for index in range {
            let view = self.views[index];
            callers.add_calls(index, view);
            if view.role == Role::System {
                continue;
            }
            let call = |call: &'a Call| ToolCall {
                id: self.named(call.id.as_deref()),
                name: self.named(call.name.as_deref()),
                arguments: call
                    .arguments
                    .as_ref()
                    .map_or("".into(), |slot| self.shown(index, slot)),
            };
            said.push(TranscriptMessage {
                index: self.number(index),
                role: view.role,
                texts: self.texts(index),
                calls: view.calls.iter().map(call).collect(),
                results: view.results.iter().map(|r| self.result(index, r, &mut callers)).collect(),
            });
        }
        said
    }

    /// Returns the messages around a group: the system and user messages of the whole history, and
    /// all messages from `kept` on.
    pub(crate) fn around(&self, kept: usize) -> Vec<TranscriptMessage<'a>> {
        let newer = self.transcript(kept..self.views.len());
        let heard = |(index, view): (usize, &&'a MessageView)| {
            matches!(view.role, Role::System | Role::MidSystem | Role::User).then(|| {
                TranscriptMessage {
                    index: self.number(index),
                    role: view.role,
                    texts: self.texts(index),
                    calls: Vec::new(),
                    results: Vec::new(),
                }
            })
        };
        let said = self.views.iter().enumerate();
        let said = said.filter(|(index, view)| *index < kept || view.role == Role::System);
        self.beside().into_iter().chain(said.filter_map(heard)).chain(newer).collect()
    }

    /// Returns the separate system prompt.
    fn beside(&self) -> Option<TranscriptMessage<'a>> {
        let system = self.context.request.system?;
        let redact = self.context.offloader.redact;
        let text = |slot: &Slot| redact.text(text_of(system, slot).text);
        let texts = text_slots(system).iter().map(text).collect();
        let (calls, results) = (Vec::new(), Vec::new());
        Some(TranscriptMessage { index: 0, role: Role::System, texts, calls, results })
    }

    fn result(
        &self,
        index: usize,
        result: &'a ResultView,
        callers: &mut CallIndex<'a>,
    ) -> ToolResult<'a> {
        let caller = callers.call_of(result).map(|(_, call)| call);
        let call_id = result.call_id.as_deref();
        let mut moved_to = None;
        let mut texts = Vec::with_capacity(result.slots.len());
        for slot in &result.slots {
            let text = self.text(index, slot);
            let (text, path) = match self.stored_at(index, slot, &text, call_id) {
                Some(Stored { path, original }) => (original.map_or(text, Cow::Owned), Some(path)),
                None => (text, None),
            };
            texts.push(text);
            moved_to = moved_to.or(path);
        }
        let text = if texts.len() == 1 { texts.remove(0) } else { texts.join("\n").into() };
        ToolResult {
            call_id: self.named(call_id),
            tool: self.named(result.name.as_deref().or_else(|| caller?.name.as_deref())),
            text: self.context.offloader.redact.text(text),
            failed: reports_error(part_of(self.history.messages()[index], result)),
            moved_to,
        }
    }

    /// Returns the file that a text was moved to, by this call or an earlier one.
    fn stored_at(
        &self,
        index: usize,
        slot: &Slot,
        text: &str,
        call_id: Option<&str>,
    ) -> Option<Stored<'a>> {
        if let Some(moved) = self.moved.get(&(index, slot.span.start)) {
            return Some(Stored { path: Cow::Borrowed(moved.path.as_str()), original: None });
        }
        if slot.kind != SlotKind::String {
            return None;
        }
        let prover = self.context.prover();
        let found = prover.proven(text, call_id)?;
        let original = self.read_back.as_ref().and_then(|room| {
            let original = original(&found, &prover, room.get())?;
            room.set(room.get().saturating_sub(original.len() as u64));
            Some(original)
        });
        Some(Stored { path: found.path.into(), original })
    }

    /// Returns the speaker's words, without names and without a model's reasoning.
    fn texts(&self, index: usize) -> Vec<Cow<'a, str>> {
        let (history, view) = (self.history, self.views[index]);
        // A `MidSystem` message has no content slots, because these are where snapshots look for
        // room.
        let slots = match view.role {
            Role::MidSystem => view.texts.clone(),
            _ => history.dialect().content_slots(history.messages()[index]),
        };
        slots.iter().map(|slot| self.shown(index, slot)).collect()
    }

    /// Returns a name for a summary, or `None` if it contains a secret.
    fn named(&self, word: Option<&'a str>) -> Option<&'a str> {
        word.filter(|word| self.context.offloader.redact.secrets(word).is_empty())
    }

    /// Returns a text for a summary. It is redacted as a whole, before it is truncated.
    fn shown(&self, index: usize, slot: &Slot) -> Cow<'a, str> {
        self.context.offloader.redact.text(self.text(index, slot))
    }

    fn text(&self, index: usize, slot: &Slot) -> Cow<'a, str> {
        match self.moved.get(&(index, slot.span.start)).filter(|_| self.read_back.is_none()) {
            Some(moved) => raw::unescape(&moved.replacement.literal).text,
            None => text_of(self.history.messages()[index], slot).text,
        }
    }
}

/// Returns the part of a message with a result: a message may contain several results.
fn part_of<'m>(message: &'m str, result: &ResultView) -> &'m str {
    let Some(slot) = result.slots.first() else { return message };
    let holds = |part: &&str| {
        let start = raw::offset_in(message, part);
        (start..start + part.len()).contains(&slot.span.start)
    };
    let lists = raw::fields(message).unwrap_or_default().into_iter().map(|(_, value)| value);
    let list = lists.filter(|value| value.starts_with('[')).find(holds);
    let parts = list.and_then(|list| raw::elements(list).ok()).unwrap_or_default();
    parts.into_iter().find(holds).unwrap_or(message)
}

/// Returns true if a part of a message marks its result as an error, in any format.
fn reports_error(message: &str) -> bool {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        // In a text, the quotes would be escaped.
        let mark = r#"[{,]\s*(?:"is_?[eE]rror"\s*:\s*true|"status"\s*:\s*"error"|"type"\s*:\s*"error-(?:text|json)")"#;
        Regex::new(mark).expect("the pattern is fixed and tested")
    });
    MARK.is_match(message)
}

#[cfg(test)]
mod tests {
    use chat_history::dialect::{Anthropic, Dialect};

    use super::{part_of, reports_error};

    #[test]
    fn an_error_is_that_of_its_own_result() {
        let message = r#"{"role":"user","content":[
            {"type":"tool_result","tool_use_id":"a","content":"one"},
            {"type":"tool_result","tool_use_id":"b","content":"two","is_error":true}]}"#;
        let results = Anthropic.view(message).unwrap().results;
        let failed: Vec<bool> =
            results.iter().map(|result| reports_error(part_of(message, result))).collect();
        assert_eq!(failed, [false, true]);
    }

    #[test]
    fn errors_are_told_in_the_words_of_each_format() {
        for error in [
            r#"{"type":"tool_result","is_error":true,"content":"x"}"#,
            r#"{"toolResult":{"toolUseId":"a", "status" : "error","content":[]}}"#,
            r#"{"role":"toolResult","isError": true}"#,
            r#"{"output":{"type":"error-text","value":"x"}}"#,
        ] {
            assert!(reports_error(error), "{error}");
        }
        for fine in [
            r#"{"is_error":false,"content":"{\"is_error\":true}"}"#,
            r#"{"status":"success","content":"\"status\": \"error\""}"#,
        ] {
            assert!(!reports_error(fine), "{fine}");
        }
    }
}
