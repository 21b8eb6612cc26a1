//! The manifest of earlier versions: one hidden file a folder, a line for each thing
//! that was known of a file. It is only read, and moved into the index ([`super::migrate`]).
//! One that is a link, has another name, is another user's, or writable by others is as
//! good as none.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::time::SystemTime;

use cap_std::fs::{Dir, File};
use rustix::fs::OFlags;
use rustix::io::Errno;
use serde::Deserialize;

use super::own_file;
use super::record::{End, Record};
use super::{Call, Chat, FileName, Origin, stamp};

/// The manifest's name in each folder.
pub(super) const MANIFEST: &str = ".unburden-files.jsonl";

/// Longest line that is read, in bytes; those of the service were shorter.
const LINE_BYTES: u64 = 64 * 1024;

/// The reason of a deletion before a file's time was over.
const WITH_CHAT: &str = "chat";

/// A line that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A file was made.
    Made(FileName, Box<Record>),
    /// A file came to an end at a moment.
    Ended(FileName, (SystemTime, End)),
    /// A chat mentions a file.
    Mentioned(FileName, Chat),
}

#[derive(Deserialize)]
struct Fields<'a> {
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

impl Line {
    /// Reads a line without its break; None where it is torn, foreign, or names
    /// what this store would not.
    pub(super) fn parse(line: &[u8]) -> Option<Line> {
        let read: Fields<'_> = serde_json::from_slice(line).ok()?;
        if let Some(name) = read.expired {
            let chat = read.with.is_some_and(|with| with == WITH_CHAT);
            let end = if chat { End::ChatDeleted } else { End::Expired };
            let at = stamp::moment(read.at_unix?)?;
            return Some(Line::Ended(FileName::of_minted(&name)?, (at, end)));
        }
        let chat = read.chat.and_then(|chat| Chat::parse(&chat));
        if let Some(name) = read.file {
            return Some(Line::Mentioned(FileName::of_minted(&name)?, chat?));
        }
        let call = Call { tool: read.tool, call_id: read.call_id, arguments: read.arguments };
        let record = Record {
            hash: Some(blake3::Hash::from_hex(read.blake3?.as_bytes()).ok()?),
            bytes: read.bytes?,
            created_at: stamp::moment(read.created_unix?)?,
            origin: Origin { call, chat, ttl_seconds: read.ttl_seconds },
            ended: None,
        };
        Some(Line::Made(FileName::of_minted(&read.name?)?, Box::new(record)))
    }
}

/// Opens the folder's manifest; None where there is none, or none to trust.
pub(super) fn open(folder: &Dir) -> io::Result<Option<File>> {
    match own_file::open(folder, MANIFEST, OFlags::RDONLY) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_none_to_trust(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// True where there is no manifest, or something that is no plain file of ours.
fn is_none_to_trust(error: &io::Error) -> bool {
    let kind = matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::PermissionDenied
    );
    // A link; a socket, or a pipe without a reader.
    let special = [Errno::LOOP, Errno::NXIO].map(Errno::raw_os_error);
    kind || error.raw_os_error().is_some_and(|code| special.contains(&code))
}

/// Calls `each` with every line that is not blank, without its break.
pub(super) fn scan(file: File, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut line = Vec::new();
    let mut whole = true;
    loop {
        line.clear();
        if (&mut reader).take(LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let ended = line.ends_with(b"\n");
        let text = line.trim_ascii();
        // A line of which only a part was read is given out in no part.
        if whole && (ended || (line.len() as u64) < LINE_BYTES) && !text.is_empty() {
            each(text)?;
        }
        whole = ended;
    }
}
