//! Recognises read-backs: texts of the history that a tool read from a stored file. The
//! call's arguments name a path in the store, and that file contains the text. The tool's
//! name does not matter: agents have a `read_file` of their own.
//!
//! A text counts only if the file restores it byte for byte, so that a reference can replace it
//! without a file of its own. Its host may have put a short text around it, or numbers before its
//! lines. A text that merely resembles the file, such as a filter's output, is new content.

use memchr::memmem;
use serde_json::Value;

use super::part::part_of;
use super::proof::Prover;
use super::read_back::ReadBack;
use super::{grep_answer, records_again};
use crate::compaction::reference::ReferenceForm;
use context_store::{Location, Roots, is_reference_target};

/// Maximum length of arguments that are searched for paths, in bytes.
const ARGUMENTS_BYTES: usize = 64 * 1024;
/// Maximum number of paths of one call to examine.
const PATHS: usize = 16;

/// The extensions of stored files.
const STORED: [&str; 3] = [".txt", ".json", ".jsonl"];

/// Finds the stored file that `text` was read from: one that its call named, or one that an answer
/// of `grep` names.
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
        let search = || prover.reader.search(content.len()).is_ok();
        let records = || at.spelled().ends_with(".jsonl") && search();
        let form = part_of(text, content, &search).or_else(|| {
            let again = records().then(|| records_again::recognise(text, content)).flatten();
            again.map(ReferenceForm::RecordLines)
        })?;
        let (path, bytes) = (at.spelled().to_owned(), content.len() as u64);
        Some(ReadBack { path, bytes, content: file.hash(), form })
    })
}

/// Returns true if a text, as a JSON string, may be an answer of `grep`.
pub(crate) fn may_be_found(literal: &str) -> bool {
    // An escape takes at least two bytes.
    let head = &literal.as_bytes()[..literal.len().min(2 * grep_answer::AROUND)];
    memmem::find(head, grep_answer::BEGIN.as_bytes()).is_some()
}

/// Returns the stored files that a call's arguments name, alone or inside a command.
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
