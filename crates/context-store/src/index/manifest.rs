//! The manifest of earlier versions: one hidden file a folder, with a line for each fact
//! about a file. It is only read, and moved into the index. One that
//! is a link, has another name, is another user's, or writable by others is ignored.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::time::SystemTime;

use cap_std::fs::{Dir, File};
use rustix::fs::OFlags;
use rustix::io::Errno;
use serde::Deserialize;

use crate::folder::Version;
use crate::local::own_file;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::{Call, Origin};
use crate::records::record::{End, Record};
use crate::records::timestamp;

/// The manifest's name in each folder.
pub(crate) const MANIFEST: &str = ".unburden-files.jsonl";

/// Longest line that is read, in bytes; those of the service were shorter.
const LINE_BYTES: u64 = 64 * 1024;

/// The reason of a deletion before the lease of a file expired.
const WITH_CHAT: &str = "chat";

/// A fact of the manifest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A file was made.
    Made(FileName, Box<Record>),
    /// A file ended at a moment.
    Ended(FileName, (SystemTime, End)),
    /// A chat refers to a file.
    Referenced(FileName, Chat),
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
    /// Parses a line without its break; None if it is torn, foreign, or holds a name that
    /// no store gives.
    pub(crate) fn parse(line: &[u8]) -> Option<Line> {
        let read: Fields<'_> = serde_json::from_slice(line).ok()?;
        if let Some(name) = read.expired {
            let chat = read.with.is_some_and(|with| with == WITH_CHAT);
            let end = if chat { End::ChatDeleted } else { End::Expired };
            let at = timestamp::from_unix(read.at_unix?)?;
            return Some(Line::Ended(FileName::parse(&name)?, (at, end)));
        }
        let chat = read.chat.and_then(|chat| Chat::parse(&chat));
        if let Some(name) = read.file {
            return Some(Line::Referenced(FileName::parse(&name)?, chat?));
        }
        let call = Call { tool: read.tool, call_id: read.call_id, arguments: read.arguments };
        let record = Record {
            hash: Some(blake3::Hash::from_hex(read.blake3?.as_bytes()).ok()?),
            bytes: read.bytes?,
            created_at: timestamp::from_unix(read.created_unix?)?,
            origin: Origin { call, chat, ttl_seconds: read.ttl_seconds },
            ended: None,
            life: 0,
            day: None,
            version: Version::default(),
        };
        Some(Line::Made(FileName::parse(&read.name?)?, Box::new(record)))
    }
}

/// Opens the folder's manifest; None if there is none, or it cannot be trusted.
pub(crate) fn open(folder: &Dir) -> io::Result<Option<File>> {
    match own_file::open(folder, MANIFEST, OFlags::RDONLY) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_untrusted(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if there is no manifest, or something that is no plain file of this user.
fn is_untrusted(error: &io::Error) -> bool {
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
pub(crate) fn scan(file: File, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
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
        // A line that is too long is skipped as a whole.
        if whole && (ended || (line.len() as u64) < LINE_BYTES) && !text.is_empty() {
            each(text)?;
        }
        whole = ended;
    }
}
