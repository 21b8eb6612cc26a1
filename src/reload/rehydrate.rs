//! Rehydrate: the messages behind a snapshot back in its place, and every
//! reference back to the text it stands for. The result equals the original
//! messages, value for value and in their order.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::compaction::reference::{self, Form};
use crate::history::message::{MessageView, Role, Slot, SlotKind};
use crate::history::splice::{quote, splice};
use crate::history::{History, HistoryError};
use crate::lro::file;
use crate::reload::regroup::{Regrouped, regroup};
use crate::reload::{grep_answer, read_back, records_again};
use crate::store::{Roots, Stem, read_regular, regular_len};
use crate::tokens::measure::text_of;

/// A history with its texts back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehydrated {
    /// The messages, a JSON array.
    pub messages: String,
    /// The system prompt beside them, where one was given.
    pub system: Option<String>,
    /// How many references came back.
    pub restored: usize,
    /// How many messages came back in place of snapshots.
    pub messages_restored: usize,
    /// References that could not: the message, the path, and why.
    pub unresolved: Vec<Unresolved>,
}

/// A reference that could not be followed; its message is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unresolved {
    /// The message, counted from 0.
    pub index: usize,
    /// The path in the reference.
    pub path: String,
    /// Why it could not be read.
    pub why: String,
}

/// Most messages with snapshots that are looked for.
const HOLDERS: usize = 16;

/// What is said of a reference that there is no room for.
pub(super) const TOO_LARGE: &str = "it would make the answer too large";

/// Puts everything back; the references may bring back `room` bytes together. `hold`
/// is told of the bytes of each; None where it said that there is no memory for them.
pub fn rehydrate(
    history: &History<'_>,
    system: Option<&str>,
    roots: &Roots,
    room: u64,
    hold: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Rehydrated>, HistoryError> {
    let mut unresolved = Vec::new();
    let mut messages_restored = 0;
    let mut whole: Option<String> = None;
    let mut seen = HashSet::new();
    let mut prompt = system.map(str::to_owned);
    // One message holds all snapshots, unless somebody wrote a second one.
    for _ in 0..HOLDERS {
        let array = whole.as_deref().unwrap_or(history.array());
        let now = history.alike(array)?;
        unresolved.clear();
        let found = regroup(&now, prompt.as_deref(), roots, &mut seen, &mut unresolved)?;
        let Some(Regrouped { array, system, messages }) = found else { break };
        if !hold(array.len() as u64) {
            return Ok(None);
        }
        messages_restored += messages;
        (whole, prompt) = (Some(array), system);
    }
    let array = whole.as_deref().unwrap_or(history.array());
    let history = history.alike(array)?;
    let rehydrated = references(&history, roots, room, unresolved, hold)?;
    Ok(rehydrated.map(|back| Rehydrated { messages_restored, system: prompt, ..back }))
}

/// Puts every reference back.
fn references(
    history: &History<'_>,
    roots: &Roots,
    mut room: u64,
    mut unresolved: Vec<Unresolved>,
    hold: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Rehydrated>, HistoryError> {
    let mut edits = Vec::new();
    let mut restored = 0;
    for (index, raw) in history.messages().iter().enumerate() {
        let view = history.view(index)?;
        let start = history.start_of(index);
        for (id, slot) in slots(&view) {
            let text = text_of(raw, slot).text;
            let Some(found) = reference::parse(&text) else { continue };
            match restore(&found.form, found.path, id, roots, room) {
                Ok(Some(text)) if slot.takes(&text.literal, text.kind) => {
                    if !hold(text.literal.len() as u64) {
                        return Ok(None);
                    }
                    room = room.saturating_sub(text.literal.len() as u64);
                    edits.extend(slot.replaced(start, &text.literal, text.kind));
                    restored += 1;
                }
                Ok(Some(_)) => {
                    let why = "the file holds no object, and only one may stand there".to_owned();
                    unresolved.push(Unresolved { index, path: found.path.to_owned(), why });
                }
                Ok(None) => {}
                Err(why) => {
                    unresolved.push(Unresolved { index, path: found.path.to_owned(), why });
                }
            }
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    let messages = splice(history.array(), &edits);
    Ok(Some(Rehydrated { messages, system: None, restored, messages_restored: 0, unresolved }))
}

/// The places where a reference may stand: results, and the user's text.
fn slots(view: &MessageView) -> impl Iterator<Item = (Option<&str>, &Slot)> {
    let results = view
        .results
        .iter()
        .flat_map(|result| result.slots.iter().map(|slot| (result.call_id.as_deref(), slot)));
    let user = (view.role == Role::User).then_some(&view.texts);
    let texts = user.into_iter().flatten().map(|slot| (None, slot));
    results.chain(texts).filter(|(_, slot)| slot.kind == SlotKind::String)
}

/// What stands for a reference.
struct Restored {
    /// The JSON value.
    literal: String,
    /// What it is.
    kind: SlotKind,
}

impl Restored {
    fn text(text: &str) -> Restored {
        Restored { literal: quote(text), kind: SlotKind::String }
    }
}

/// The JSON value behind a reference; None where the line is no reference that
/// this service could have minted for that call.
fn restore(
    form: &Form,
    path: &str,
    id: Option<&str>,
    roots: &Roots,
    room: u64,
) -> Result<Option<Restored>, String> {
    // The same words for a file outside the roots and one that is not there:
    // the answer must not tell the two apart.
    let missing = || "no such file".to_owned();
    let at = roots.locate(path).map_err(|_| missing())?;
    let name = at.relative().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let minted = match form {
        Form::Text { .. } | Form::Json { .. } => Stem::minted(id, name),
        Form::Records { .. } | Form::Again(_) => Stem::of_records(name),
        Form::ReadBack { .. } | Form::Found { .. } => Stem::minted_for_any(name),
    };
    if !minted {
        return Ok(None);
    }
    if let Form::Found { head, lines } = form {
        return grep_answer::rebuild(head, lines, roots, room)
            .map(|text| Some(Restored::text(&text)));
    }
    if regular_len(&at).is_ok_and(|length| length > room) {
        return Err(TOO_LARGE.to_owned());
    }
    let content = read_regular(&at).map_err(|_| missing())?;
    if !form.allows(content.len() as u64) {
        return Err(format!("the file has {} bytes, not those of the reference", content.len()));
    }
    match form {
        Form::Text { .. } => Ok(Some(Restored::text(&content))),
        // Written by this service it is JSON; spliced in unread it must be.
        Form::Json { .. } => match serde_json::from_str::<&RawValue>(&content) {
            Ok(_) => Ok(Some(Restored { literal: content, kind: SlotKind::Json })),
            Err(_) => Err("the file holds no JSON value".to_owned()),
        },
        Form::ReadBack { bytes, header } => {
            let body = read_back::slice(&content, bytes)
                .ok_or_else(|| "the file does not hold those bytes".to_owned())?;
            let text = match header {
                Some(header) => format!("{header}\n\n---\n\n{body}"),
                None => body.to_owned(),
            };
            Ok(Some(Restored::text(&text)))
        }
        Form::Records { kind, .. } => {
            let stored = file::parse(&content).map_err(|error| error.to_string())?;
            if stored.header.source.as_ref().is_some_and(|source| source.bytes > room) {
                return Err(TOO_LARGE.to_owned());
            }
            let text = stored.rebuild().map_err(|error| error.to_string())?;
            Ok(Some(match kind {
                SlotKind::String => Restored::text(&text),
                SlotKind::Json => Restored { literal: text, kind: SlotKind::Json },
            }))
        }
        Form::Again(again) => {
            records_again::rebuild(again, &content, room).map(|text| Some(Restored::text(&text)))
        }
        Form::Found { .. } => Ok(None),
    }
}
