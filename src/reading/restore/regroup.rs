//! Regroup: puts the original messages back in place of snapshots.

use std::collections::HashSet;
use std::sync::Arc;

use chat_history::message::{MessageView, Role};
use chat_history::service_messages::{HASH_BYTES, HOLDER_PLACEHOLDER};
use chat_history::{History, HistoryError};
use raw_json::elements;

use super::proof::Prover;
use super::unresolved::Unresolved;
use crate::snapshot::format::block::{HASHED, digits};
use crate::snapshot::format::bridge::{bridge, standing};
use crate::snapshot::format::place::Place;
use context_store::{StoredText, group_of};

/// A history without snapshots.
pub(crate) struct Regrouped {
    /// The messages, a JSON array.
    pub(crate) array: String,
    /// The separate system prompt, if there is one.
    pub(crate) system: Option<String>,
    /// The number of restored messages.
    pub(crate) messages: usize,
}

/// Puts the messages back. Returns `None` if there is no snapshot. If one of their files cannot be
/// read, the snapshots stay: nobody would notice a gap in the middle.
pub(crate) fn regroup(
    history: &History<'_>,
    system: Option<&str>,
    prover: &Prover<'_>,
    seen: &mut HashSet<String>,
    unresolved: &mut Vec<Unresolved>,
) -> Result<Option<Regrouped>, HistoryError> {
    let views = history.views()?;
    let views: Vec<&MessageView> = views.iter().collect();
    let place = Place::find(history, &views, system, &|block, text| prover.block(block, text));
    // Snapshots in the system prompt are reported at the first message.
    let holder = place.index().unwrap_or(0);
    if place.unproven {
        let why = "a text here looks like a snapshot, but no code in it proves that this store \
                   wrote it"
            .to_owned();
        unresolved.push(Unresolved { index: holder, path: String::new(), why });
    }
    if place.blocks.is_empty() {
        if let Some(index) = bridge(history, &views) {
            let why = "the system prompt that came with it holds a snapshot".to_owned();
            unresolved.push(Unresolved { index, path: String::new(), why });
        }
        return Ok(None);
    }
    let mut files = Vec::new();
    for originals in place.blocks.iter().flat_map(|block| &block.originals) {
        let mut found = 0;
        for path in originals.paths() {
            match group(history, &path, hash_of(&place, &path), prover) {
                Ok((file, said)) => {
                    found += said;
                    // A copied snapshot restores its messages only once.
                    if seen.insert(path) {
                        files.push(file);
                    }
                }
                Err(why) => {
                    unresolved.push(Unresolved { index: holder, path, why });
                    return Ok(None);
                }
            }
        }
        if found as u64 != originals.messages {
            let why = format!("{found} messages are there, not {}", originals.messages);
            let path = originals.paths().next().unwrap_or_default();
            unresolved.push(Unresolved { index: holder, path, why });
            return Ok(None);
        }
    }
    let groups: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
    Ok(Some(woven(history, &views, system, &place, &groups)))
}

/// Returns the text of a group's file, and the number of messages that it restores. A file outside
/// of the roots gets the same error as a missing one.
fn group(
    history: &History<'_>,
    path: &str,
    hash: Option<&str>,
    prover: &Prover<'_>,
) -> Result<(Arc<StoredText>, usize), String> {
    let missing = || "no such file".to_owned();
    let at = prover.roots.locate(path).map_err(|_| missing())?;
    let name = at.relative().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if group_of(name).is_none() {
        return Err(missing());
    }
    let file = prover.reader.text(&at).map_err(|error| error.to_string())?;
    let holds = match hash {
        Some(hash) => digits(&file.hash()) == hash,
        // A power cut may have lost the record, but never the messages.
        None => prover.reader.recorded_hash(&at).is_none_or(|recorded| recorded == file.hash()),
    };
    if !holds {
        return Err("the file does not hold the same messages as before".to_owned());
    }
    prover.reader.search(file.text.len()).map_err(|error| error.to_string())?;
    match said(history, &file.text) {
        Ok(said) => Ok((file, said)),
        Err(_) => Err("the file holds no array of messages".to_owned()),
    }
}

/// Returns the hash that the snapshot states for a file. A merged snapshot states none for its
/// older files: their hash is in the index.
fn hash_of<'p>(place: &'p Place, path: &str) -> Option<&'p str> {
    let files = place.blocks.iter().flat_map(|block| &block.files);
    let own =
        files.filter(|file| file.path == path).find_map(|file| file.about.rsplit_once(HASHED));
    own.map(|(_, hash)| hash).filter(|hash| hash.len() == HASH_BYTES)
}

/// Counts the messages of a group, except system messages.
fn said(history: &History<'_>, text: &str) -> Result<usize, HistoryError> {
    let group = history.reparse(text)?;
    let mut count = 0;
    // Parses each message alone: the first message of a file was not the first of its history.
    for index in 0..group.messages().len() {
        count += usize::from(group.view(index)?.role != Role::System);
    }
    Ok(count)
}

/// Returns the groups' messages and the history's own, in their original order.
///
/// System messages never left the history, and are at its front. The copies in a group's file tell
/// how many of them were before and between its messages. If no group has the stub of the message
/// that holds the snapshots, that message was before all groups.
fn woven(
    history: &History<'_>,
    views: &[&MessageView],
    system: Option<&str>,
    place: &Place,
    groups: &[&str],
) -> Regrouped {
    let groups: Vec<Vec<&str>> =
        groups.iter().map(|group| elements(group.trim_ascii()).unwrap_or_default()).collect();
    let first = views.iter().position(|view| view.role != Role::System).unwrap_or(views.len());
    let own = place.is_own_message();
    let emptied = place.emptied(history, system);
    let (emptied, system) =
        if place.is_beside() { (None, emptied) } else { (emptied, system.map(str::to_owned)) };
    let stub_in_groups = groups.iter().flatten().any(|raw| is_holder(history, raw));
    let mut weave = Weave {
        history,
        emptied: emptied.as_deref(),
        out: Vec::new(),
        front: Vec::new(),
        placed: 0,
        messages: 0,
        holder_due: stub_in_groups,
    };
    let bridge = standing(history, views, place);
    let holder = place.index();
    for index in (0..first).filter(|index| bridge != Some(*index)) {
        if holder != Some(index) {
            weave.front.push(history.messages()[index]);
        } else if !own && !stub_in_groups {
            // System messages before the holder keep their position.
            weave.placed = weave.front.len();
            weave.out.extend(&weave.front);
            weave.out.extend(weave.emptied);
        }
        // Text that a client joined to one of the service's messages came after the groups.
    }
    groups.iter().for_each(|group| weave.group(group));
    weave.out.extend(weave.front.iter().skip(weave.placed));
    weave.out.extend(weave.emptied.filter(|_| own));
    for index in (first..views.len()).filter(|index| bridge != Some(*index)) {
        match holder == Some(index) {
            true if stub_in_groups || own => {}
            true => weave.out.extend(weave.emptied),
            false => weave.out.push(history.messages()[index]),
        }
    }
    Regrouped { array: format!("[{}]", weave.out.join(",")), system, messages: weave.messages }
}

/// A history whose messages are being put in order.
struct Weave<'a> {
    history: &'a History<'a>,
    /// The message that holds the snapshots, with the snapshots removed.
    emptied: Option<&'a str>,
    out: Vec<&'a str>,
    /// The system messages at the front of the history, except the holder.
    front: Vec<&'a str>,
    /// The number of these that are in `out`.
    placed: usize,
    /// The number of restored messages.
    messages: usize,
    /// True until a stub has marked the position of the holder.
    holder_due: bool,
}

impl<'a> Weave<'a> {
    /// Adds the messages of one group, with the system messages that were between them.
    fn group(&mut self, group: &[&'a str]) {
        let (mut stood, mut begun) = (0, false);
        for raw in group {
            if !self.is_system(raw) {
                begun = true;
                self.messages += 1;
                self.out.push(raw);
            } else if begun && self.holder_due && is_holder(self.history, raw) {
                self.holder_due = false;
                self.out.extend(self.emptied);
            } else {
                stood += 1;
                if begun || stood > self.placed {
                    self.out.extend(self.front.get(self.placed));
                    self.placed += 1;
                }
            }
        }
    }

    fn is_system(&self, raw: &str) -> bool {
        self.history.dialect().view(raw).is_ok_and(|view| view.role == Role::System)
    }
}

/// Returns true if a message is exactly the stub that this service writes for the holder.
fn is_holder(history: &History<'_>, raw: &str) -> bool {
    raw == history.dialect().service_message(HOLDER_PLACEHOLDER, Some(raw))
}
