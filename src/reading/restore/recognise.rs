//! Recognizes read-backs: texts of the history that a tool read from a stored file. The
//! call's arguments name a path in the store, and that file contains the text. The tool's
//! name does not matter: agents have a `read_file` of their own.
//!
//! A text counts only if the file gives it back byte for byte, so that it can shrink to a
//! reference without a file of its own and still be rebuilt. A text that merely resembles
//! the file (numbered lines, a filter's output) is new content.

use memchr::memmem;
use serde_json::Value;

use super::proof::Prover;
use super::read_back::ReadBack;
use super::{grep_answer, records_again};
use crate::compaction::reference::ReferenceForm;
use context_store::{Location, Roots, is_reference_target};

/// Longest arguments that are searched for paths, in bytes.
const ARGUMENTS_BYTES: usize = 64 * 1024;
/// Most paths of one call that are looked at.
const PATHS: usize = 16;

/// The extensions of stored files.
const STORED: [&str; 3] = [".txt", ".json", ".jsonl"];

/// Finds the stored file that `text` was read from, if it was: one of those its
/// call named, or those that an answer of `grep` names itself.
pub(crate) fn recognise(
    named: &[Location],
    text: &str,
    prover: &Prover<'_>,
    folder: &Location,
) -> Option<ReadBack> {
    if let Some(found) = grep_answer::recognise(text, prover, folder) {
        return Some(found);
    }
    named.iter().find_map(|at| {
        let file = prover.reader.text(at).ok()?;
        let content = file.text.as_str();
        prover.reader.search(content.len()).ok()?;
        let records = || at.spelled().ends_with(".jsonl").then_some(content);
        let form = part_of(text, content).or_else(|| {
            records_again::recognise(text, records()?).map(ReferenceForm::RecordLines)
        })?;
        let (path, bytes) = (at.spelled().to_owned(), content.len() as u64);
        Some(ReadBack { path, bytes, content: file.hash, form })
    })
}

/// The stored files that a call's arguments name, alone or inside a command.
pub(crate) fn paths(arguments: &str, roots: &Roots, folder: &Location) -> Vec<Location> {
    let names = |text: &str| STORED.iter().any(|end| text.contains(end));
    if arguments.len() > ARGUMENTS_BYTES || !names(arguments) {
        return Vec::new();
    }
    let mut words = Vec::new();
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => leaves(&value, &mut words),
        Err(_) => words.push(arguments.to_owned()),
    }
    let mut found: Vec<Location> = Vec::new();
    let parts = words.iter().flat_map(|word| {
        let split = word.split(|c: char| c.is_whitespace() || "'\"`;|<>()=,".contains(c));
        std::iter::once(word.as_str()).chain(split)
    });
    for part in parts.filter(|part| STORED.iter().any(|end| part.ends_with(end))) {
        let Ok(at) = roots.locate(part) else { continue };
        let Some(name) = folder.name_of(&at) else { continue };
        if is_reference_target(&name) && !found.iter().any(|known| known.key() == at.key()) {
            found.push(folder.child(&name));
        }
        if found.len() == PATHS {
            break;
        }
    }
    found
}

fn leaves(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, words)),
        Value::Object(members) => members.values().for_each(|item| leaves(item, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Finds `text` in `content`, after its range header if it has one.
fn part_of(text: &str, content: &str) -> Option<ReferenceForm> {
    let (header, body) = match text.split_once("\n\n---\n\n") {
        Some((header, body)) if header.starts_with("Showing ") && !header.contains('"') => {
            (Some(header), body)
        }
        _ => (None, text),
    };
    if body.is_empty() {
        return None;
    }
    let start = memmem::find(content.as_bytes(), body.as_bytes())? as u64;
    let bytes = start..start + body.len() as u64;
    Some(ReferenceForm::ReadBack { bytes, header: header.map(str::to_owned) })
}
