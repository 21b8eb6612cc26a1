//! Rehydrate: puts the original messages back in place of snapshots, and the original text
//! back in place of references. The result equals the original messages, value for value
//! and in their order.

use std::collections::HashSet;

use chat_history::message::{MessageView, Role, Slot, SlotKind};
use chat_history::splice::splice;
use chat_history::{History, HistoryError};
use raw_json::quote;
use serde_json::value::RawValue;

use super::proof::{Proven, Prover, Unproven};
use super::read_back::slice;
use super::regroup::{Regrouped, regroup};
use super::unresolved::{TOO_LARGE, Unresolved};
use super::{grep_answer, records_again};
use crate::compaction::reference::ReferenceForm;
use crate::compaction::wrapper::Wrapper;
use crate::measure::text_of;
use context_store::Ahead;
use record_files::file;

/// A history with its original texts and messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rehydrated {
    /// The messages, a JSON array.
    pub messages: String,
    /// The separate system prompt, if one was given.
    pub system: Option<String>,
    /// The number of restored references.
    pub restored: usize,
    /// The number of messages restored in place of snapshots.
    pub messages_restored: usize,
    /// References that could not be restored: the message, the path, and why.
    pub unresolved: Vec<Unresolved>,
}

/// Maximum number of messages with snapshots to search for.
const HOLDERS: usize = 16;

/// Restores everything that provably is this service's. References may restore `room` bytes in
/// total. `hold` reserves memory for the bytes of each text; if it returns false, the result is
/// `None`.
pub(crate) fn rehydrate(
    history: &History<'_>,
    system: Option<&str>,
    prover: &Prover<'_>,
    room: u64,
    hold: &dyn Fn(u64) -> bool,
) -> Result<Option<Rehydrated>, HistoryError> {
    let mut unresolved = Vec::new();
    let mut messages_restored = 0;
    let mut whole: Option<String> = None;
    let mut seen = HashSet::new();
    let mut prompt = system.map(str::to_owned);
    // One message holds all snapshots, unless somebody wrote a second one.
    for _ in 0..HOLDERS {
        let array = whole.as_deref().unwrap_or(history.array());
        let now = history.reparse(array)?;
        prover.judge_front(&now);
        unresolved.clear();
        let found = regroup(&now, prompt.as_deref(), prover, &mut seen, &mut unresolved)?;
        let Some(Regrouped { array, system, messages }) = found else { break };
        if !hold(array.len() as u64) {
            return Ok(None);
        }
        messages_restored += messages;
        (whole, prompt) = (Some(array), system);
    }
    let array = whole.as_deref().unwrap_or(history.array());
    let history = history.reparse(array)?;
    let rehydrated = references(&history, prover, room, unresolved, hold)?;
    Ok(rehydrated.map(|back| Rehydrated { messages_restored, system: prompt, ..back }))
}

/// Restores every reference.
fn references(
    history: &History<'_>,
    prover: &Prover<'_>,
    mut room: u64,
    mut unresolved: Vec<Unresolved>,
    hold: &dyn Fn(u64) -> bool,
) -> Result<Option<Rehydrated>, HistoryError> {
    if prover.roots.objects().is_some() {
        let views = (0..history.messages().len()).map(|index| history.view(index));
        let views: Vec<MessageView> = views.collect::<Result<_, _>>()?;
        prover.look_ahead(history.messages().iter().copied().zip(&views), Ahead::Contents);
    }
    let mut edits = Vec::new();
    let mut restored = 0;
    for (index, raw) in history.messages().iter().enumerate() {
        let view = history.view(index)?;
        let start = history.start_of(index);
        for (id, slot) in slots(&view) {
            let text = text_of(raw, slot).text;
            let found = match prover.reference(&text, id) {
                None => continue,
                Some(Ok(found)) => found,
                Some(Err(Unproven { path, why, .. })) => {
                    unresolved.push(Unresolved { index, path, why });
                    continue;
                }
            };
            let why = match restore(&found, prover, room) {
                Ok(text) if slot.accepts(&text.literal, text.kind) => {
                    if !hold(text.literal.len() as u64) {
                        return Ok(None);
                    }
                    room = room.saturating_sub(text.literal.len() as u64);
                    edits.extend(slot.replaced(start, &text.literal, text.kind));
                    restored += 1;
                    continue;
                }
                Ok(_) => "the file holds no object, and the format accepts only an object here"
                    .to_owned(),
                Err(why) => why,
            };
            unresolved.push(Unresolved { index, path: found.path, why });
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    let messages = splice(history.array(), &edits);
    Ok(Some(Rehydrated { messages, system: None, restored, messages_restored: 0, unresolved }))
}

/// Returns the slots that may hold a reference: results, and the user's text.
fn slots(view: &MessageView) -> impl Iterator<Item = (Option<&str>, &Slot)> {
    let results = view
        .results
        .iter()
        .flat_map(|result| result.slots.iter().map(|slot| (result.call_id.as_deref(), slot)));
    let user = (view.role == Role::User).then_some(&view.texts);
    let texts = user.into_iter().flatten().map(|slot| (None, slot));
    results.chain(texts).filter(|(_, slot)| slot.kind == SlotKind::String)
}

/// The value of a reference.
struct Restored {
    /// The JSON value.
    literal: String,
    /// Its kind.
    kind: SlotKind,
}

impl Restored {
    fn text(text: &str) -> Restored {
        Restored { literal: quote(text), kind: SlotKind::String }
    }
}

/// Returns the text of a reference. Returns `None` if it cannot be read or exceeds `room`
/// bytes.
pub(crate) fn original(found: &Proven, prover: &Prover<'_>, room: u64) -> Option<String> {
    let restored = restore(found, prover, room).ok()?;
    Some(match restored.kind {
        SlotKind::String => raw_json::unescape(&restored.literal).text.into_owned(),
        SlotKind::Json => restored.literal,
    })
}

/// Returns the JSON value of a reference. Fails if it cannot be read or exceeds `room` bytes.
fn restore(found: &Proven, prover: &Prover<'_>, room: u64) -> Result<Restored, String> {
    if let ReferenceForm::GrepAnswer { head, lines, wrapper } = &found.form {
        let answer = grep_answer::rebuild(head, lines, prover, room)?;
        return wrapped(wrapper, &answer, room);
    }
    let file = prover.reader.text(&found.at).map_err(|error| error.to_string())?;
    let content = file.text.as_str();
    prover.reader.search(content.len()).map_err(|error| error.to_string())?;
    match &found.form {
        ReferenceForm::Text | ReferenceForm::Json if content.len() as u64 > room => {
            Err(TOO_LARGE.to_owned())
        }
        ReferenceForm::Text => Ok(Restored::text(content)),
        // This service wrote JSON, but the file may have changed, and it is spliced in unparsed.
        ReferenceForm::Json => match serde_json::from_str::<&RawValue>(content) {
            Ok(_) => Ok(Restored { literal: content.to_owned(), kind: SlotKind::Json }),
            Err(_) => Err("the file holds no JSON value".to_owned()),
        },
        ReferenceForm::ReadBack { bytes, wrapper } => {
            let body = slice(content, bytes);
            wrapped(wrapper, body.ok_or("the file does not hold those bytes")?, room)
        }
        ReferenceForm::Records { kind } => {
            let stored = file::parse(content).map_err(|error| error.to_string())?;
            if stored.header.text_bytes().is_some_and(|bytes| bytes > room) {
                return Err(TOO_LARGE.to_owned());
            }
            let text = stored.rebuild().map_err(|error| error.to_string())?;
            Ok(match kind {
                SlotKind::String => Restored::text(&text),
                SlotKind::Json => Restored { literal: text, kind: SlotKind::Json },
            })
        }
        ReferenceForm::RecordLines(again) => {
            records_again::rebuild(again, content, room).map(|text| Restored::text(&text))
        }
        ReferenceForm::GrepAnswer { .. } => Err("its note cannot be read".to_owned()),
    }
}

/// Returns a part of a file as its host showed it.
fn wrapped(wrapper: &Wrapper, part: &str, room: u64) -> Result<Restored, String> {
    let text = wrapper.around(part, room).ok_or(TOO_LARGE)?;
    Ok(Restored::text(&text))
}
