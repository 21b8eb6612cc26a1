//! Read back: a text of the history that is a part of a stored file, because a
//! tool of the agent's read it there. It is recognised by what was read – a path
//! in the store among the call's arguments, and the text itself standing in that
//! file – never by the tool's name: agents have a `read_file` of their own.
//!
//! Recognition is proof: a text counts only if the file gives it back byte for
//! byte, so that it can shrink to a reference without a file of its own and still
//! be rebuilt. What merely resembles the file (numbered lines, a filter's output)
//! says something new, and is content.

use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::proof::Prover;
use super::{grep_answer, records_again};
use crate::compaction::call::{Part, ReloadTools, call};
use crate::compaction::reference::{self, Form};
use context_store::{Location, Roots, Stem};

/// Longest arguments that are searched for paths, in bytes.
const ARGUMENTS_BYTES: usize = 64 * 1024;
/// Most paths of one call that are looked at.
const PATHS: usize = 16;

/// How names of stored files end.
const STORED: [&str; 3] = [".txt", ".json", ".jsonl"];

/// A text that a stored file gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadBack {
    /// The file, spelled under the store as the caller spells it.
    pub path: String,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The hash of what the reference to it stands for ([`reference::Reference::code`]).
    pub content: blake3::Hash,
    /// How the text stands in it.
    form: Form,
}

/// Finds the stored file that `text` was read from, if it was: one of those its
/// call named, or those that an answer of `grep` names itself.
pub fn recognise(
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
        let form = part_of(text, content)
            .or_else(|| records_again::recognise(text, records()?).map(Form::Again))?;
        let (path, bytes) = (at.spelled().to_owned(), content.len() as u64);
        Some(ReadBack { path, bytes, content: file.hash, form })
    })
}

/// The stored files that a call's arguments name, alone or inside a command.
pub fn paths(arguments: &str, roots: &Roots, folder: &Location) -> Vec<Location> {
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
        if Stem::minted_for_any(&name) && !found.iter().any(|known| known.key() == at.key()) {
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

/// Where `text` stands in `content`, behind a range header where it has one.
fn part_of(text: &str, content: &str) -> Option<Form> {
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
    Some(Form::ReadBack { bytes, header: header.map(str::to_owned) })
}

impl ReadBack {
    /// An answer of grep, by its first file and the hash of the hashes of all of them.
    pub(super) fn found(path: String, bytes: u64, content: blake3::Hash, form: Form) -> ReadBack {
        ReadBack { path, bytes, content, form }
    }

    /// True where the text is all that the file holds.
    pub fn is_whole(&self) -> bool {
        matches!(&self.form, Form::ReadBack { bytes, header: None } if *bytes == (0..self.bytes))
    }

    /// What stands in the history in place of the text.
    pub fn replacement(&self, tokens: u64, tools: &ReloadTools) -> String {
        let again =
            |part: &Part| call(tools, &self.path, part).unwrap_or_else(|| "the file below".into());
        match &self.form {
            Form::ReadBack { bytes, header } => {
                let part = Part::Bytes(bytes.clone());
                reference::read_back(&self.path, bytes, header.as_deref(), tokens, &again(&part))
            }
            Form::Found { head, lines } => {
                reference::found(&self.path, head, lines, tokens, "grep again")
            }
            Form::Again(again) => reference::again(&self.path, again, tokens, "lro_extract again"),
            Form::Text | Form::Json | Form::Records { .. } => reference::line(&self.path),
        }
    }
}

/// A part of a file's text, by bytes.
pub(super) fn slice<'a>(content: &'a str, bytes: &Range<u64>) -> Option<&'a str> {
    let start = usize::try_from(bytes.start).ok()?;
    let end = usize::try_from(bytes.end).ok()?;
    content.get(start..end)
}
