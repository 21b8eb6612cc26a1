//! The manifest: one hidden file a folder that says what made each stored file,
//! which chats mention it, and when it came to its end. Lines are only ever appended, by any number of
//! processes; what is torn or foreign is skipped. It is not synced: a lost line
//! costs a 410 its call, never data. A manifest that is a link, or another
//! user's, or writable by others, is as good as none.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::SystemTime;

use cap_std::fs::{Dir, File, FileExt, MetadataExt};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::chat::Chat;
use super::entry::{End, Entry, Line, name_of, push_expired};
use super::file::{is_own, lock_within, open_named};
use super::ledger::Recorded;
use super::mention::Generation;
use super::{FileName, Store};

/// The manifest's name in each folder.
pub(super) const MANIFEST: &str = ".unburden-files.jsonl";

/// Longest line that is read, in bytes; this service's are shorter.
const LINE_BYTES: u64 = 64 * 1024;

/// How often, a millisecond apart, an appender asks for its lock: only a
/// rewriting sweep is in its way.
const LOCK_TRIES: u32 = 2_000;

/// How often an appender follows a manifest that was replaced under it.
const REOPENS: usize = 64;

/// What a manifest says of one name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// What made the file; None where only its end is known, or that it is mentioned.
    pub(super) entry: Option<Entry>,
    /// When it came to its end and why, unless it was made again since.
    pub(super) ended: Option<(SystemTime, End)>,
    /// The chats that mention it, beside the one that it was made for.
    pub(super) mentions: BTreeSet<Chat>,
}

impl Listing {
    /// Takes the next line on this name.
    pub(super) fn take(&mut self, line: Line) {
        match line {
            Line::Ended(_, at, end) => self.ended = Some((at, end)),
            Line::Mentioned(_, chat) if self.maker() != Some(chat) => {
                self.mentions.insert(chat);
            }
            Line::Mentioned(..) => {}
            Line::Made(mut entry) => {
                let known = self.entry.take();
                // The chat that it was made for before may still refer to it.
                self.mentions.extend(known.as_ref().and_then(|known| known.chat));
                self.mentions.retain(|chat| entry.chat != Some(*chat));
                // Noted again by another process: the file is as old as it was.
                let same = known.filter(|known| known.hash == entry.hash && self.ended.is_none());
                if let Some(known) = same {
                    entry.created_at = entry.created_at.min(known.created_at);
                }
                self.entry = Some(entry);
                self.ended = None;
            }
        }
    }

    /// True where a line says what made the file, or that it came to its end: a
    /// name that is only mentioned may be anybody's.
    pub(super) fn is_told(&self) -> bool {
        self.entry.is_some() || self.ended.is_some()
    }

    /// The chat that the file was made for.
    pub(super) fn maker(&self) -> Option<Chat> {
        self.entry.as_ref().and_then(|entry| entry.chat)
    }

    /// True where the file was made for this chat, or the chat mentions it.
    pub(super) fn belongs_to(&self, chat: Chat) -> bool {
        self.maker() == Some(chat) || self.mentions.contains(&chat)
    }
}

/// A manifest that was read.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    /// By name.
    pub(super) files: BTreeMap<FileName, Listing>,
    /// Lines, understood or not.
    pub(super) lines: usize,
}

impl Manifest {
    /// Reads the folder's manifest; None where there is none of this user's.
    pub(super) fn read(folder: &Dir) -> io::Result<Option<Manifest>> {
        let Some(file) = open(folder, OFlags::RDONLY)? else { return Ok(None) };
        Manifest::of(file).map(Some)
    }

    /// Reads an open manifest from where it stands.
    pub(super) fn of(file: File) -> io::Result<Manifest> {
        let mut manifest = Manifest::default();
        scan(file, |line| {
            manifest.lines += 1;
            let Some(line) = Line::parse(line) else { return };
            let name = match &line {
                Line::Made(entry) => &entry.name,
                Line::Ended(name, ..) | Line::Mentioned(name, _) => name,
            };
            manifest.files.entry(name.clone()).or_default().take(line);
        })?;
        Ok(manifest)
    }
}

/// Opens the folder's manifest; None where there is none, or none to trust.
pub(super) fn open(folder: &Dir, flags: OFlags) -> io::Result<Option<File>> {
    match open_named(folder, MANIFEST, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => {
            let metadata = file.metadata()?;
            let trusted = is_own(&metadata) && metadata.mode() & 0o022 == 0;
            Ok(trusted.then_some(file))
        }
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
pub(super) fn scan(file: File, mut each: impl FnMut(&[u8])) -> io::Result<()> {
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
            each(text);
        }
        whole = ended;
    }
}

/// Calls `each` with every name that the folder's manifest has a line on.
pub(super) fn names(folder: &Dir, mut each: impl FnMut(&str)) -> io::Result<()> {
    let Some(file) = open(folder, OFlags::RDONLY)? else { return Ok(()) };
    scan(file, |line| {
        if let Some(name) = name_of(line) {
            each(name);
        }
    })
}

/// Appends whole lines in one write; says which manifest they went to. One that is
/// not there is made.
pub(super) fn append(folder: &Dir, lines: &[u8]) -> io::Result<Generation> {
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
    for _ in 0..REOPENS {
        let Some(file) = open(folder, flags)? else {
            let text = "the manifest is not this user's own regular file";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        };
        // Shared: appending writes do not tear each other, but must not go to a
        // file that a sweep is about to replace. Without locks on the file
        // system nothing is ever replaced (tidy.rs).
        if let Ok(false) = lock_within(&file, FlockOperation::NonBlockingLockShared, LOCK_TRIES) {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "the manifest stays locked"));
        }
        if is_named(folder, &file)? {
            append_to(&file, lines)?;
            return Ok(Generation::of(&file.metadata()?));
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "the manifest is replaced without end"))
}

/// True where the open file is still the folder's manifest.
pub(super) fn is_named(folder: &Dir, file: &File) -> io::Result<bool> {
    let open = file.metadata()?;
    match folder.symlink_metadata(MANIFEST) {
        Ok(named) => Ok(named.ino() == open.ino() && named.dev() == open.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Appends whole lines to a manifest that is open and locked.
pub(super) fn append_to(mut file: &File, lines: &[u8]) -> io::Result<()> {
    let mut last = [b'\n'];
    if let Some(at) = file.metadata()?.len().checked_sub(1) {
        // What another process could not finish must not swallow a line.
        file.read_exact_at(&mut last, at)?;
    }
    if last == [b'\n'] {
        return file.write_all(lines);
    }
    file.write_all(&[b"\n", lines].concat())
}

impl Store {
    /// Records what made each file, after its write has succeeded. What this
    /// process already recorded of the same content is not recorded again.
    ///
    /// A manifest that cannot be written is logged and is no error of the write:
    /// its files are adopted by their names.
    pub fn record(&self, entries: &[Entry]) {
        let mut lines = Vec::new();
        let mut fresh = Vec::new();
        let mut names = HashSet::new();
        for entry in entries {
            let key = self.key(&entry.name);
            let known = self.ledger.recorded(&key).and_then(|known| known.hash);
            if known != Some(entry.hash) && names.insert(&entry.name) {
                entry.push_line(&mut lines);
                let ttl_seconds = entry.ttl_seconds;
                fresh.push((entry, key, Recorded { hash: Some(entry.hash), ttl_seconds }));
            }
        }
        if fresh.is_empty() {
            return;
        }
        let folder = self.folder().dir().open_dir(self.folder().relative());
        match folder.and_then(|folder| append(&folder, &lines)) {
            Ok(generation) => {
                for (entry, key, recorded) in fresh {
                    if let Some(chat) = entry.chat {
                        self.note_mentioned(Some(generation), chat, &entry.name);
                    }
                    self.ledger.note_recorded(key, recorded);
                }
            }
            Err(error) => {
                tracing::warn!(%error, files = fresh.len(), "the manifest could not be written");
            }
        }
    }
}

/// Appends the expiry of files, all at one moment.
pub(super) fn append_expired(folder: &Dir, names: &[FileName], at: SystemTime) -> io::Result<()> {
    let mut lines = Vec::new();
    for name in names {
        push_expired(&mut lines, name, at);
    }
    append(folder, &lines).map(drop)
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
