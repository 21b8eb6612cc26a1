//! The reference: the line that a moved result leaves behind, and the note above
//! it that says how the text comes back.
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
//! [513 lines, 8200 tokens, 31415 bytes; L2-L512 left out: read_file(absolute_path="./store/tool_call_7.txt", offset=1, limit=511)]
//! (detailed result is stored in ./store/tool_call_7.txt)
//! ```
//!
//! The last line is the seed's (`context-offload-guide`, §2, compaction) and is
//! what agents, `grep` and `/rehydrate` look for. The note is optional, and these
//! forms of it carry meaning for `/rehydrate`:
//!
//! - `[JSON value, …]`: the file holds a JSON value, not the text of a string;
//! - `[JSONL records: …]`: the file holds the records of the text, one a line, and
//!   in its first line what stood around them (`[JSONL records of a JSON value: …]`
//!   where the text was a JSON value);
//! - `[records again: {"lines":"3-9,12",…} …]`: the text was an answer of
//!   `lro_extract` that repeats those lines of the file;
//! - `[read back: bytes 1024-9000 of this file …]`: the text was that part of the
//!   file (with `after "Showing lines 3-9 of 40 total lines."`, behind that header);
//! - `[found again: a.txt 2,5-9; b.txt 1 …]`: the text was grep's answer, whose
//!   first line stands above the note, with those lines of those files.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::history::message::SlotKind;

const OPEN: &str = "(detailed result is stored in ";
const CLOSE: &str = ")";
/// What stands in the place of a line that poses as a reference.
pub(super) const NOT_SHOWN: &str = "[a line that looks like a reference: not shown]";
const JSON: &str = "[JSON value, ";
const READ_BACK: &str = "[read back: bytes ";
const FOUND: &str = "[found again: ";
const RECORDS: &str = "[JSONL records: ";
const RECORDS_OF_VALUE: &str = "[JSONL records of a JSON value: ";
const AGAIN: &str = "[records again: ";

/// How the text behind a reference is rebuilt from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// The file is the text, of that many bytes where a note says so.
    Text {
        /// The file's length.
        bytes: Option<u64>,
    },
    /// The file is a JSON value that stood in place of a text.
    Json {
        /// The file's length.
        bytes: Option<u64>,
    },
    /// The text is a part of the file, behind a header line where there is one.
    ReadBack {
        /// The part, in bytes of the file.
        bytes: Range<u64>,
        /// The header that stood before it.
        header: Option<String>,
    },
    /// The file holds the records of the text, and what stood around them.
    Records {
        /// The file's length.
        bytes: Option<u64>,
        /// How the text stood in its message.
        kind: SlotKind,
    },
    /// The text is an answer that repeats lines of a file of records.
    Again(Again),
    /// The text is an answer of grep.
    Found {
        /// Its first line.
        head: String,
        /// Each file with its line numbers (from 1), as `a.txt 2,5-9; b.txt 1`.
        lines: String,
    },
}

impl Form {
    /// The length of the file, where the form states it.
    fn bytes(&self) -> Option<u64> {
        match self {
            Form::Text { bytes } | Form::Json { bytes } | Form::Records { bytes, .. } => *bytes,
            Form::ReadBack { .. } | Form::Again(_) | Form::Found { .. } => None,
        }
    }

    /// True where a file of that length can be the one that is meant.
    pub fn allows(&self, length: u64) -> bool {
        match self {
            Form::Text { bytes } | Form::Json { bytes } | Form::Records { bytes, .. } => {
                bytes.is_none_or(|b| b == length)
            }
            Form::ReadBack { bytes, .. } => bytes.end <= length,
            Form::Again(_) | Form::Found { .. } => true,
        }
    }
}

/// Which lines of a file of records a text repeats, and what stands around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// Lines of the file, from 1, in the order of the text: `7,3-5`.
    pub lines: String,
    /// The lines above them, each with its line feed.
    pub head: String,
    /// What stands below the last of them, its line feed included.
    pub tail: String,
}

/// A reference at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The path, as the caller spelled its folder.
    pub path: &'a str,
    /// How the text comes back.
    pub form: Form,
}

/// The reference line for a path.
pub fn line(path: &str) -> String {
    format!("{OPEN}{path}{CLOSE}")
}

/// True where a line would be read as a reference. Such lines of a tool's output
/// are kept out of previews: a reference that this service shows is one that it
/// minted.
pub fn is_forgery(line: &str) -> bool {
    line.contains(OPEN.trim_end())
}

/// The reference a text ends in, where it ends in one as this module writes it:
/// alone, or under a note. A line that merely looks like one is none.
pub fn parse(text: &str) -> Option<Reference<'_>> {
    let (above, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let path = last.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
    if path.is_empty() {
        return None;
    }
    let form = if above.is_empty() && !text.starts_with('\n') {
        Form::Text { bytes: None }
    } else {
        let (head, note) = above.rsplit_once('\n').unwrap_or(("", above));
        form(head, note)?
    };
    // A reference is smaller than what it stands for, if not always in bytes.
    let most = form.bytes().map_or(u64::MAX, |bytes| bytes.saturating_mul(4).max(4_096));
    (text.len() as u64 <= most).then_some(Reference { path, form })
}

/// What the text behind a reference costs, as the note of a whole replaced text
/// states it; None where no note stands there.
pub fn tokens(replaced: &str) -> Option<u64> {
    let note = replaced.rsplit('\n').nth(1)?.strip_prefix('[')?;
    note.split_once(" tokens")?.0.rsplit([' ', ',']).next()?.parse().ok()
}

fn form(head: &str, note: &str) -> Option<Form> {
    if let Some(facts) = note.strip_prefix(JSON) {
        return Some(Form::Json { bytes: length(facts) });
    }
    for (prefix, kind) in [(RECORDS, SlotKind::String), (RECORDS_OF_VALUE, SlotKind::Json)] {
        if let Some(facts) = note.strip_prefix(prefix) {
            return Some(Form::Records { bytes: Some(length(facts)?), kind });
        }
    }
    // Nothing stands above these two where this service writes them.
    if let Some(rest) = note.strip_prefix(AGAIN).filter(|_| head.is_empty()) {
        let again = serde_json::Deserializer::from_str(rest).into_iter().next()?;
        return again.ok().map(Form::Again);
    }
    if let Some(rest) = note.strip_prefix(READ_BACK).filter(|_| head.is_empty())
        && let Some(form) = read_back_form(rest)
    {
        return Some(form);
    }
    if let Some(rest) = note.strip_prefix(FOUND)
        && let Some((lines, _)) = rest.split_once(" |")
    {
        return Some(Form::Found { head: head.to_owned(), lines: lines.to_owned() });
    }
    Some(Form::Text { bytes: Some(length(note.strip_prefix('[')?)?) })
}

/// The length of the file, as a note's facts state it.
fn length(facts: &str) -> Option<u64> {
    facts.split_once(" bytes; ")?.0.rsplit(' ').next()?.parse().ok()
}

fn read_back_form(rest: &str) -> Option<Form> {
    let (range, rest) = rest.split_once(" of this file")?;
    let (start, end) = range.split_once('-')?;
    let bytes = start.parse().ok()?..end.parse().ok()?;
    let header = rest.strip_prefix(" after \"").and_then(|rest| Some(rest.split_once("\";")?.0));
    Some(Form::ReadBack { bytes, header: header.map(str::to_owned) })
}

/// The note of a JSON value's reference; `facts` says what else is known of it.
pub fn json_note(facts: &str) -> String {
    format!("{JSON}{facts}]")
}

/// The note of records that moved; `facts` says what else is known of them and
/// begins with their number, tokens and the bytes of their file.
pub fn records_note(facts: &str, kind: SlotKind) -> String {
    let open = match kind {
        SlotKind::String => RECORDS,
        SlotKind::Json => RECORDS_OF_VALUE,
    };
    format!("{open}{facts}]")
}

/// A note of records for a text that stood so in its message; the note is the last
/// line of `text`.
pub fn of_kind(text: &str, kind: SlotKind) -> String {
    let (above, note) = text.rsplit_once('\n').map_or(("", text), |(above, note)| (above, note));
    match (kind, note.strip_prefix(RECORDS)) {
        (SlotKind::Json, Some(facts)) => {
            let above = if above.is_empty() { String::new() } else { format!("{above}\n") };
            format!("{above}{RECORDS_OF_VALUE}{facts}")
        }
        _ => text.to_owned(),
    }
}

/// The note and reference that stand for lines of a file of records that were read
/// back.
pub fn again(path: &str, again: &Again, tokens: u64, call: &str) -> String {
    // A struct of strings: nothing in it can fail to serialise.
    let lines = serde_json::to_string(again).unwrap_or_default();
    format!("{AGAIN}{lines} | {tokens} tokens left out: {call}]\n{}", line(path))
}

/// The note and reference that stand for a part of a file that was read back.
pub fn read_back(
    path: &str,
    bytes: &Range<u64>,
    header: Option<&str>,
    tokens: u64,
    call: &str,
) -> String {
    let after = header.map_or_else(String::new, |header| format!(" after \"{header}\""));
    let (start, end) = (bytes.start, bytes.end);
    format!(
        "{READ_BACK}{start}-{end} of this file{after}; {tokens} tokens left out: {call}]\n{}",
        line(path)
    )
}

/// The note and reference that stand for an answer of grep that was read back.
pub fn found(path: &str, head: &str, lines: &str, tokens: u64, call: &str) -> String {
    format!("{head}\n{FOUND}{lines} | {tokens} tokens left out: {call}]\n{}", line(path))
}
