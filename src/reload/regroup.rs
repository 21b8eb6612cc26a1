//! Regroup: the messages of a compressed history back in place of its snapshots.

use std::collections::HashSet;
use std::sync::Arc;

use chat_history::message::{MessageView, Role};
use chat_history::own::{HASH_BYTES, HOLDER_STUB};
use chat_history::raw::elements;
use chat_history::{History, HistoryError};

use super::proof::Prover;
use super::rehydrate::Unresolved;
use crate::compression::block::{HASHED, digits};
use crate::compression::bridge::{bridge, standing};
use crate::compression::place::Place;
use context_store::{Stem, StoredText};

/// A history without snapshots.
pub(super) struct Regrouped {
    /// The messages, a JSON array.
    pub(super) array: String,
    /// The system prompt beside them, where there is one.
    pub(super) system: Option<String>,
    /// How many messages came back.
    pub(super) messages: usize,
}

/// Puts the messages back; None where there is no snapshot. If one file of them
/// cannot be had, the snapshots stay: a gap in the middle would not be seen.
pub(super) fn regroup(
    history: &History<'_>,
    system: Option<&str>,
    prover: &Prover<'_>,
    seen: &mut HashSet<String>,
    unresolved: &mut Vec<Unresolved>,
) -> Result<Option<Regrouped>, HistoryError> {
    let views = history.views()?;
    let views: Vec<&MessageView> = views.iter().collect();
    let place = Place::find(history, &views, system, &|block, text| prover.block(block, text));
    // Of snapshots beside the messages it is said that the first one holds them.
    let holder = place.index().unwrap_or(0);
    if place.unproven {
        let why = "a text stands there that looks like a snapshot, and no code in it proves that \
                   this store wrote it"
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
                    // A snapshot that was copied brings its messages back once.
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

/// The text of a group's file, and how many messages it brings back. The words for a
/// file outside and for one that is not there are the same.
fn group(
    history: &History<'_>,
    path: &str,
    hash: Option<&str>,
    prover: &Prover<'_>,
) -> Result<(Arc<StoredText>, usize), String> {
    let missing = || "no such file".to_owned();
    let at = prover.roots.locate(path).map_err(|_| missing())?;
    let name = at.relative().file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if Stem::chat_of_group(name).is_none() {
        return Err(missing());
    }
    let file = prover.reader.text(&at).map_err(|error| error.to_string())?;
    let holds = match hash {
        Some(hash) => digits(&file.hash) == hash,
        // A power cut may have taken the record, but never the messages.
        None => prover.reader.recorded(&at).is_none_or(|recorded| recorded == file.hash),
    };
    if !holds {
        return Err("the file holds other messages than it did".to_owned());
    }
    prover.reader.search(file.text.len()).map_err(|error| error.to_string())?;
    match said(history, &file.text) {
        Ok(said) => Ok((file, said)),
        Err(_) => Err("the file holds no array of messages".to_owned()),
    }
}

/// The hash that the snapshot states for a file. A merged one states none for its older
/// files: the index is asked.
fn hash_of<'p>(place: &'p Place, path: &str) -> Option<&'p str> {
    let files = place.blocks.iter().flat_map(|block| &block.files);
    let own = files.filter(|file| file.path == path).find_map(|file| file.about.split_once(HASHED));
    own.map(|(_, hash)| hash).filter(|hash| hash.len() == HASH_BYTES)
}

/// How many messages of a group were compressed: all but system messages.
fn said(history: &History<'_>, text: &str) -> Result<usize, HistoryError> {
    let group = history.alike(text)?;
    let mut count = 0;
    // One by one: what stands first in a file did not stand first in its history.
    for index in 0..group.messages().len() {
        count += usize::from(group.view(index)?.role != Role::System);
    }
    Ok(count)
}

/// The groups' messages and the history's own, in the order that came.
///
/// System messages never left the history, and stand at its front. The copies in a
/// group's file say how many of them stood before and between its messages; the
/// one that holds the snapshots stood before all groups where none has its stub.
fn woven(
    history: &History<'_>,
    views: &[&MessageView],
    system: Option<&str>,
    place: &Place,
    groups: &[&str],
) -> Regrouped {
    let is_system =
        |raw: &str| history.dialect().view(raw).is_ok_and(|view| view.role == Role::System);
    let groups: Vec<Vec<&str>> =
        groups.iter().map(|group| elements(group.trim_ascii()).unwrap_or_default()).collect();
    let first = views.iter().position(|view| view.role != Role::System).unwrap_or(views.len());
    let own = place.is_own_message();
    let standing = standing(history, views, place);
    let bridge = |index: usize| standing == Some(index);
    let emptied = place.emptied(history, system);
    let (emptied, system) =
        if place.is_beside() { (None, emptied) } else { (emptied, system.map(str::to_owned)) };
    // As it was written, and not as an operator may have.
    let is_holder = |raw: &str| raw == history.dialect().own_message(HOLDER_STUB, Some(raw));
    let inside = groups.iter().flatten().any(|raw| is_holder(raw));
    let mut out: Vec<&str> = Vec::new();
    let mut others = Vec::new();
    for index in 0..first {
        if bridge(index) {
            continue;
        } else if place.index() != Some(index) {
            others.push(history.messages()[index]);
        } else if own {
            // Words that a client joined to the snapshots came behind their messages.
        } else if !inside {
            // What stands before it stood there.
            out.append(&mut others.clone());
            out.extend(emptied.as_deref());
        }
    }
    let mut placed = out.len().saturating_sub(usize::from(emptied.is_some() && !inside));
    let mut messages = 0;
    let mut holder_due = inside;
    for group in groups {
        let (mut stood, mut begun) = (0, false);
        for raw in group {
            if !is_system(raw) {
                begun = true;
                messages += 1;
                out.push(raw);
            } else if begun && holder_due && is_holder(raw) {
                holder_due = false;
                out.extend(emptied.as_deref());
            } else {
                stood += 1;
                if begun || stood > placed {
                    out.extend(others.get(placed));
                    placed += 1;
                }
            }
        }
    }
    out.extend(others.iter().skip(placed));
    out.extend(emptied.as_deref().filter(|_| own));
    for index in first..views.len() {
        match place.index() == Some(index) {
            true if inside || holder_due || own => {}
            true => out.extend(emptied.as_deref()),
            false if bridge(index) => {}
            false => out.push(history.messages()[index]),
        }
    }
    Regrouped { array: format!("[{}]", out.join(",")), system, messages }
}
