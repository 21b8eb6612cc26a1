//! A line of the manifest: what made a file, when it was deleted and why, or which
//! chat mentions it.

use std::borrow::Cow;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::{Chat, FileName, stamp};

/// Most of a call's text that a line keeps, in bytes each part.
const CALL_BYTES: usize = 1024;

/// How every line of an entry begins, and every line of an expiry.
const ENTRY: &[u8] = b"{\"name\":\"";
const EXPIRED: &[u8] = b"{\"expired\":\"";

/// What a file was deleted with whose time was not over.
const WITH_CHAT: &str = "chat";

/// The call that made a file, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The tool's name.
    pub tool: Option<String>,
    /// The call's id.
    pub call_id: Option<String>,
    /// The call's arguments as text; cut to 1 KiB where they are recorded.
    pub arguments: Option<String>,
}

/// What the manifest says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The file's name in its folder.
    pub name: FileName,
    /// The hash of the file's bytes.
    pub hash: blake3::Hash,
    /// The file's length, in bytes.
    pub bytes: u64,
    /// When the file was made; whole seconds are kept.
    pub created_at: SystemTime,
    /// The file's own lifetime; None where it has the folder's.
    pub ttl_seconds: Option<u64>,
    /// What made it.
    pub call: Call,
    /// The chat that it was made for; None where no line says so: a file that was
    /// given out by itself, or made before chats were noted. Such a file is never
    /// deleted with a chat.
    pub chat: Option<Chat>,
}

/// Why a file is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Its time was over.
    Expired,
    /// Its chat was deleted.
    ChatDeleted,
}

/// A line that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A file was made.
    Made(Entry),
    /// A file came to an end at a moment.
    Ended(FileName, SystemTime, End),
    /// A chat mentions a file.
    Mentioned(FileName, Chat),
}

#[derive(Serialize)]
struct Made<'a> {
    name: &'a str,
    blake3: &'a str,
    bytes: u64,
    created_at: String,
    created_unix: u64,
    ttl_seconds: Option<u64>,
    tool: Option<&'a str>,
    call_id: Option<&'a str>,
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat: Option<String>,
}

#[derive(Serialize)]
struct Tombstone<'a> {
    expired: &'a str,
    at: String,
    at_unix: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    with: Option<&'static str>,
}

#[derive(Serialize)]
struct Mention<'a> {
    chat: String,
    file: &'a str,
}

#[derive(Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    expired: Option<Cow<'a, str>>,
    #[serde(borrow)]
    with: Option<Cow<'a, str>>,
    #[serde(borrow)]
    chat: Option<Cow<'a, str>>,
    #[serde(borrow)]
    file: Option<Cow<'a, str>>,
    #[serde(borrow)]
    blake3: Option<Cow<'a, str>>,
    bytes: Option<u64>,
    created_unix: Option<u64>,
    at_unix: Option<u64>,
    ttl_seconds: Option<u64>,
    tool: Option<String>,
    call_id: Option<String>,
    arguments: Option<String>,
}

impl Entry {
    /// Appends the entry's line, with its line break.
    pub(super) fn push_line(&self, out: &mut Vec<u8>) {
        let seconds = stamp::unix(self.created_at);
        let hash = self.hash.to_hex();
        let call = &self.call;
        push(
            out,
            &Made {
                name: self.name.as_str(),
                blake3: &hash,
                bytes: self.bytes,
                created_at: stamp::rfc3339_of(seconds),
                created_unix: seconds,
                ttl_seconds: self.ttl_seconds,
                tool: call.tool.as_deref().map(cut),
                call_id: call.call_id.as_deref().map(cut),
                arguments: call.arguments.as_deref().map(cut),
                chat: self.chat.map(|chat| chat.to_string()),
            },
        );
    }
}

/// Appends the line that `name` expired `at` a moment, with its line break.
pub(super) fn push_expired(out: &mut Vec<u8>, name: &FileName, at: SystemTime) {
    push_end(out, name, at, End::Expired);
}

/// Appends the line that `name` came to its end `at` a moment, with its line break.
pub(super) fn push_end(out: &mut Vec<u8>, name: &FileName, at: SystemTime, end: End) {
    let seconds = stamp::unix(at);
    let at = stamp::rfc3339_of(seconds);
    let with = (end == End::ChatDeleted).then_some(WITH_CHAT);
    push(out, &Tombstone { expired: name.as_str(), at, at_unix: seconds, with });
}

/// Appends the line that a chat mentions `name`, with its line break.
pub(super) fn push_mention(out: &mut Vec<u8>, name: &FileName, chat: Chat) {
    push(out, &Mention { chat: chat.to_string(), file: name.as_str() });
}

impl Line {
    /// Reads a line without its break; None where it is torn, foreign, or names
    /// what this store would not.
    pub(super) fn parse(line: &[u8]) -> Option<Line> {
        let read: Read<'_> = serde_json::from_slice(line).ok()?;
        if let Some(name) = read.expired {
            let chat = read.with.is_some_and(|with| with == WITH_CHAT);
            let end = if chat { End::ChatDeleted } else { End::Expired };
            let at = stamp::moment(read.at_unix?)?;
            return Some(Line::Ended(FileName::of_minted(&name)?, at, end));
        }
        let chat = read.chat.and_then(|chat| Chat::parse(&chat));
        if let Some(name) = read.file {
            return Some(Line::Mentioned(FileName::of_minted(&name)?, chat?));
        }
        let call = Call { tool: read.tool, call_id: read.call_id, arguments: read.arguments };
        Some(Line::Made(Entry {
            name: FileName::of_minted(&read.name?)?,
            hash: blake3::Hash::from_hex(read.blake3?.as_bytes()).ok()?,
            bytes: read.bytes?,
            created_at: stamp::moment(read.created_unix?)?,
            ttl_seconds: read.ttl_seconds,
            call,
            chat,
        }))
    }
}

/// The name whose file a line tells of, without reading the rest of it: a minted name
/// holds nothing that JSON escapes.
pub(super) fn name_of(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(ENTRY).or_else(|| line.strip_prefix(EXPIRED))?;
    let end = memchr::memchr(b'"', rest)?;
    std::str::from_utf8(rest.get(..end)?).ok()
}

fn push(out: &mut Vec<u8>, line: &impl Serialize) {
    serde_json::to_writer(&mut *out, line).expect("strings and numbers always serialize");
    out.push(b'\n');
}

/// The beginning of a text, cut at a character's border.
fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(CALL_BYTES)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn entry(arguments: &str) -> Entry {
        Entry {
            name: FileName::of_minted("tool_call_1.txt").unwrap(),
            hash: blake3::hash(b"x"),
            bytes: 1,
            created_at: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            ttl_seconds: Some(5),
            call: Call {
                tool: Some("a\n\"tool\"".to_owned()),
                call_id: None,
                arguments: Some(arguments.to_owned()),
            },
            chat: Some(Chat::of("a chat")),
        }
    }

    #[test]
    fn a_line_reads_back() {
        let entry = entry("{\"q\":1}");
        let mut line = Vec::new();
        entry.push_line(&mut line);
        push_expired(&mut line, &entry.name, entry.created_at);
        push_end(&mut line, &entry.name, entry.created_at, End::ChatDeleted);
        push_mention(&mut line, &entry.name, Chat::of("b"));
        let lines: Vec<&[u8]> = line.split(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), 5, "one break a line");
        assert_eq!(name_of(lines[0]), Some("tool_call_1.txt"));
        assert_eq!(name_of(lines[1]), Some("tool_call_1.txt"));
        let at = entry.created_at;
        let ended = |end| Some(Line::Ended(entry.name.clone(), at, end));
        assert_eq!(Line::parse(lines[1]), ended(End::Expired));
        assert_eq!(Line::parse(lines[2]), ended(End::ChatDeleted));
        let mentioned = Line::Mentioned(entry.name.clone(), Chat::of("b"));
        assert_eq!(Line::parse(lines[3]), Some(mentioned));
        assert_eq!(name_of(lines[3]), None, "it tells of no file that is or was there");
        assert_eq!(Line::parse(lines[0]), Some(Line::Made(entry)));
    }

    #[test]
    fn long_arguments_are_cut_between_characters() {
        let mut line = Vec::new();
        entry(&("a".to_owned() + &"é".repeat(5_000))).push_line(&mut line);
        let Some(Line::Made(read)) = Line::parse(line.trim_ascii_end()) else { panic!("unread") };
        let kept = read.call.arguments.unwrap();
        assert_eq!(kept.len(), 1023);
        assert!(kept.ends_with('é'));
    }

    #[test]
    fn torn_and_foreign_lines_are_none() {
        let mut line = Vec::new();
        entry("{}").push_line(&mut line);
        for end in 0..line.len() - 1 {
            assert_eq!(Line::parse(&line[..end]), None);
        }
        let foreign = String::from_utf8(line).unwrap();
        for name in ["../etc/passwd", "notes.txt", "tool_call_/x.txt", ".unburden-files.jsonl"] {
            let line = foreign.replace("tool_call_1.txt", name);
            assert_eq!(Line::parse(line.trim_end().as_bytes()), None, "{name}");
        }
    }
}
