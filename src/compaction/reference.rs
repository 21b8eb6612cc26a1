//! The reference: the line that replaces a moved result, and the note above it that says
//! how to rebuild the text.
//!
//! A replaced text is `{preview}` `{note}` `{reference}`, one after the other,
//! each on lines of its own:
//!
//! ```text
//! Compiling unburden v0.1.0
//! [… L2-L340 …]
//! L341: error[E0308]: mismatched types
//! [… L342-L512 …]
//! build failed with exit code 101
//! [513 lines, 8200 tokens, 31415 bytes; L2-L512 left out: read_file(absolute_path="./store/tool_call_7.txt", start_line=2, limit=511); ref 047115208364931]
//! (detailed result is stored in ./store/tool_call_7.txt)
//! ```
//!
//! `context-offload-guide` (§2, compaction) specifies the last line; agents and `grep` search for
//! it. The note ends in a code: fifteen digits that only the store's key can make ([`seal`]). It
//! covers the id of the call, the note, the reference and the content of the file. A text without a
//! valid code is not a reference.
//!
//! The form of the note determines how to rebuild the text:
//!
//! - `[JSON value, …]`: the file holds a JSON value, not the text of a string;
//! - `[JSONL records: …]`: the file holds the records of the text, one per line, and in its first
//!   line the text around them (`[JSONL records of a JSON value: …]` if the text was a JSON value);
//! - `[records again: {"lines":"3-9,12",…} …]`: the text was an answer of
//!   `lro_extract` that repeats those lines of the file;
//! - `[read back: bytes 1024-9000 of this file …]`: the text was that part of the file (with `after
//!   "Showing lines 3-9 of 40 total lines."`, after that header; with `within
//!   {"head":"…","tail":"…"}`, in that [`Wrapper`]);
//! - `[found again: a.txt 2,5-9; b.txt 1 …]`: the text was an answer of grep with those lines of
//!   those files; its first line is above the note (`7@1234`: the part of a long line around that
//!   byte; with `within {…}`, in that wrapper);
//! - any other note: the file holds the text.

use std::ops::Range;

use chat_history::message::SlotKind;
use serde::{Deserialize, Serialize};

use super::wrapper::Wrapper;
use context_store::{Code, Key};

const OPEN: &str = "(detailed result is stored in ";
const CLOSE: &str = ")";
/// Replaces a line that looks like a reference.
pub(super) const NOT_SHOWN: &str = "[a line that looks like a reference: not shown]";
const JSON: &str = "[JSON value, ";
const READ_BACK: &str = "[read back: bytes ";
const FOUND: &str = "[found again: ";
const RECORDS: &str = "[JSONL records: ";
const RECORDS_OF_VALUE: &str = "[JSONL records of a JSON value: ";
/// Separates a header of `read_file` from its page.
pub(crate) const PAGE_RULE: &str = "\n\n---\n\n";
/// The first word of that header.
pub(crate) const PAGE_HEADER: &str = "Showing ";
/// Precedes a wrapper in a note.
const WITHIN: &str = " within ";
const AGAIN: &str = "[records again: ";
/// Precedes the code, at the end of a note or alone.
const REF: &str = "ref ";
/// The purpose that codes of references are bound to.
const PURPOSE: &str = "reference";

/// How to rebuild the text of a reference from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReferenceForm {
    /// The file is the text.
    Text,
    /// The file is a JSON value, not the text of a string.
    Json,
    /// The text is a part of the file.
    ReadBack {
        /// The part, in bytes of the file.
        bytes: Range<u64>,
        /// The text around it.
        wrapper: Wrapper,
    },
    /// The file holds the records of the text and the text around them.
    Records {
        /// The kind of the text in its message.
        kind: SlotKind,
    },
    /// The text is an answer that repeats lines of a file of records.
    RecordLines(RecordLines),
    /// The text is an answer of grep.
    GrepAnswer {
        /// Its first line.
        head: String,
        /// Each file with its line numbers (from 1), as `a.txt 2,5-9; b.txt 1`.
        lines: String,
        /// The text around it.
        wrapper: Wrapper,
    },
}

/// The lines of a file of records that a text repeats, and the text around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordLines {
    /// Lines of the file, from 1, in the order of the text: `7,3-5`.
    pub lines: String,
    /// The lines above them, each with its line feed.
    pub head: String,
    /// The text below the last of them, its line feed included.
    pub tail: String,
}

/// A reference at the end of a text, without its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    /// The path, with the folder as the caller spelled it.
    pub path: &'a str,
    /// How to rebuild the text.
    pub form: ReferenceForm,
    /// The cost of the text in tokens, if the note states it.
    pub tokens: Option<u64>,
    /// The part of the text that the code covers.
    covered: &'a str,
}

impl Reference<'_> {
    /// Returns the code of this reference in a result of the call `id`. `content` is the hash of
    /// the file; for [`ReferenceForm::GrepAnswer`], the hash of the hashes of all its files in
    /// order.
    pub(crate) fn code(&self, key: &Key, id: Option<&str>, content: &blake3::Hash) -> Code {
        let call = id.map_or_else(Vec::new, |id| [b"id ", id.as_bytes()].concat());
        key.code(PURPOSE, &[&call, self.covered.as_bytes(), content.as_bytes()])
    }
}

/// Adds the code to the reference at the end of `plain`. Returns `plain` unchanged if it does not
/// end in a reference.
pub(crate) fn seal(plain: &str, key: &Key, id: Option<&str>, content: &blake3::Hash) -> String {
    let Some(reference) = parse(plain) else { return plain.to_owned() };
    let code = reference.code(key, id, content);
    let (above, last) = plain.rsplit_once('\n').unwrap_or(("", plain));
    match above.strip_suffix(']') {
        Some(note) => format!("{note}; {REF}{code}]\n{last}"),
        None => format!("[{REF}{code}]\n{last}"),
    }
}

/// Splits a text into the text without its code, and the code. Returns `None` if it has no code.
pub(crate) fn unseal(text: &str) -> Option<(String, Code)> {
    let (above, last) = text.rsplit_once('\n')?;
    is_reference(last).then_some(())?;
    let above = above.strip_suffix('\r').unwrap_or(above);
    let (note, code) = above.strip_suffix(']')?.rsplit_once(REF)?;
    let code = Code::parse(code)?;
    if note == "[" {
        return Some((last.to_owned(), code));
    }
    Some((format!("{}]\n{last}", note.strip_suffix("; ")?), code))
}

fn is_reference(line: &str) -> bool {
    line.starts_with(OPEN) && line.ends_with(CLOSE)
}

/// Returns the reference line for a path.
pub(crate) fn line(path: &str) -> String {
    format!("{OPEN}{path}{CLOSE}")
}

/// Returns true if a line could be read as a reference. Previews omit such lines of a tool's
/// output, so that this service shows only references that it made.
pub(crate) fn is_forgery(line: &str) -> bool {
    line.contains(OPEN.trim_end())
}

/// Parses the reference at the end of a text without a code. Returns `None` if the text ends in no
/// reference of this module's format. The format proves nothing: only the code does.
pub(crate) fn parse(plain: &str) -> Option<Reference<'_>> {
    let (above, last) = plain.rsplit_once('\n').unwrap_or(("", plain));
    let path = last.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    if path.is_empty() {
        return None;
    }
    let (head, note) = above.rsplit_once('\n').unwrap_or(("", above));
    let form = form(head, note)?;
    let covered = match form {
        ReferenceForm::GrepAnswer { .. } => plain,
        // Excludes the preview: rehydration does not need it, and a framework may change it.
        _ => &plain[plain.len() - last.len() - if note.is_empty() { 0 } else { note.len() + 1 }..],
    };
    let tokens = tokens(note, &form);
    Some(Reference { path, form, tokens, covered })
}

/// Returns the cost in tokens of the text of a reference, if its note states it. A note that
/// quotes a text states the cost after the quotation.
fn tokens(note: &str, form: &ReferenceForm) -> Option<u64> {
    let before = match form {
        ReferenceForm::Text | ReferenceForm::Json | ReferenceForm::Records { .. } => {
            note.split_once(" tokens")?.0
        }
        ReferenceForm::ReadBack { .. }
        | ReferenceForm::RecordLines(_)
        | ReferenceForm::GrepAnswer { .. } => note.rsplit_once(" tokens left out: ")?.0,
    };
    before.rsplit([' ', ',', '[']).next()?.parse().ok()
}

/// Returns the form that the first words of a note declare. Only these words decide, so lines above
/// a note cannot change its form. Returns `None` if the note is not in this module's format.
fn form(head: &str, note: &str) -> Option<ReferenceForm> {
    if note.starts_with(JSON) {
        return Some(ReferenceForm::Json);
    }
    for (prefix, kind) in [(RECORDS, SlotKind::String), (RECORDS_OF_VALUE, SlotKind::Json)] {
        if note.starts_with(prefix) {
            return Some(ReferenceForm::Records { kind });
        }
    }
    // The service writes nothing above the next two.
    if let Some(rest) = note.strip_prefix(AGAIN) {
        let again = first_value(rest)?;
        return head.is_empty().then_some(ReferenceForm::RecordLines(again));
    }
    if let Some(rest) = note.strip_prefix(READ_BACK) {
        return read_back_form(rest).filter(|_| head.is_empty());
    }
    if let Some(rest) = note.strip_prefix(FOUND) {
        return found_form(head, rest);
    }
    Some(ReferenceForm::Text)
}

fn read_back_form(rest: &str) -> Option<ReferenceForm> {
    let (range, rest) = rest.split_once(" of this file")?;
    let (start, end) = range.split_once('-')?;
    let bytes = start.parse().ok()?..end.parse().ok()?;
    let header = rest.strip_prefix(" after \"").and_then(|rest| Some(rest.split_once("\";")?.0));
    let wrapper = match (header, rest.strip_prefix(WITHIN)) {
        (Some(header), _) => Wrapper { head: format!("{header}{PAGE_RULE}"), ..Wrapper::default() },
        (None, Some(json)) => first_value(json)?,
        (None, None) => Wrapper::default(),
    };
    Some(ReferenceForm::ReadBack { bytes, wrapper })
}

fn found_form(head: &str, rest: &str) -> Option<ReferenceForm> {
    // The names of stored files have no space.
    let (lines, wrapper) = match rest.split_once(" | ") {
        Some((lines, _)) if !lines.contains(WITHIN) => (lines, Wrapper::default()),
        _ => {
            let (lines, json) = rest.split_once(WITHIN)?;
            (lines, first_value(json)?)
        }
    };
    Some(ReferenceForm::GrepAnswer { head: head.to_owned(), lines: lines.to_owned(), wrapper })
}

/// Parses the JSON value at the beginning of a text.
fn first_value<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    serde_json::Deserializer::from_str(json).into_iter().next()?.ok()
}

/// Returns the part of a note that describes the text around a part of a file.
fn around(wrapper: &Wrapper) -> String {
    if *wrapper == Wrapper::default() {
        return String::new();
    }
    let plain = wrapper.tail.is_empty() && wrapper.numbers.is_none();
    let header = wrapper.head.strip_suffix(PAGE_RULE).filter(|_| plain);
    let header = header.filter(|header| header.starts_with(PAGE_HEADER));
    match header.filter(|header| !header.contains(['"', '\n'])) {
        Some(header) => format!(" after \"{header}\""),
        // A struct of strings and numbers always serialises.
        None => format!("{WITHIN}{}", serde_json::to_string(wrapper).unwrap_or_default()),
    }
}

/// Returns the note of a JSON value's reference; `facts` describes the value further.
pub(crate) fn json_note(facts: &str) -> String {
    format!("{JSON}{facts}]")
}

/// Returns the note of records that moved. `facts` begins with their number, their tokens and the
/// bytes of their file.
pub(crate) fn records_note(facts: &str, kind: SlotKind) -> String {
    let open = match kind {
        SlotKind::String => RECORDS,
        SlotKind::Json => RECORDS_OF_VALUE,
    };
    format!("{open}{facts}]")
}

/// Converts the note of records in the last line of `text` to the note for a text of `kind`.
pub(crate) fn of_kind(text: &str, kind: SlotKind) -> String {
    let (above, note) = text.rsplit_once('\n').map_or(("", text), |(above, note)| (above, note));
    match (kind, note.strip_prefix(RECORDS)) {
        (SlotKind::Json, Some(facts)) => {
            let above = if above.is_empty() { String::new() } else { format!("{above}\n") };
            format!("{above}{RECORDS_OF_VALUE}{facts}")
        }
        _ => text.to_owned(),
    }
}

/// Returns the note and reference that replace lines read back from a file of records.
pub(crate) fn again(path: &str, again: &RecordLines, tokens: u64, call: &str) -> String {
    // A struct of strings always serialises.
    let lines = serde_json::to_string(again).unwrap_or_default();
    format!("{AGAIN}{lines} | {tokens} tokens left out: {call}]\n{}", line(path))
}

/// Returns the note and reference that replace a part read back from a file.
pub(crate) fn read_back(
    path: &str,
    bytes: &Range<u64>,
    wrapper: &Wrapper,
    tokens: u64,
    call: &str,
) -> String {
    let (start, end, around) = (bytes.start, bytes.end, around(wrapper));
    format!(
        "{READ_BACK}{start}-{end} of this file{around}; {tokens} tokens left out: {call}]\n{}",
        line(path)
    )
}

/// Returns the note and reference that replace an answer of grep that was read back.
pub(crate) fn found(
    path: &str,
    head: &str,
    (lines, wrapper): (&str, &Wrapper),
    tokens: u64,
    call: &str,
) -> String {
    let around = around(wrapper);
    format!("{head}\n{FOUND}{lines}{around} | {tokens} tokens left out: {call}]\n{}", line(path))
}
