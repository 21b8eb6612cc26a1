//! The manifest: one hidden file a folder that says what made each stored file
//! and when it expired. Lines are only ever appended, by any number of
//! processes; what is torn or foreign is skipped. It is not synced: a lost line
//! costs a 410 its call, never data. A manifest that is a link, or another
//! user's, or writable by others, is as good as none.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::SystemTime;

use cap_std::fs::{Dir, File, FileExt, MetadataExt};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::entry::{Entry, Line, name_of, push_expired};
use super::file::{is_own, lock_within, open_named};
use super::ledger::Recorded;
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
    /// What made the file; None where only its expiry is known.
    pub(super) entry: Option<Entry>,
    /// When it expired, unless it was made again since.
    pub(super) expired_at: Option<SystemTime>,
}

impl Listing {
    /// Takes the next line on this name.
    pub(super) fn take(&mut self, line: Line) {
        match line {
            Line::Expired(_, at) => self.expired_at = Some(at),
            Line::Made(mut entry) => {
                // Noted again by another process: the file is as old as it was.
                let known = self.entry.take().filter(|known| known.hash == entry.hash);
                if let Some(known) = known.filter(|_| self.expired_at.is_none()) {
                    entry.created_at = entry.created_at.min(known.created_at);
                }
                *self = Listing { entry: Some(entry), expired_at: None };
            }
        }
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
                Line::Expired(name, _) => name,
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

/// Appends whole lines in one write.
pub(super) fn append(folder: &Dir, lines: &[u8]) -> io::Result<()> {
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
            return append_to(file, lines);
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

fn append_to(mut file: File, lines: &[u8]) -> io::Result<()> {
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
                fresh.push((key, Recorded { hash: Some(entry.hash), ttl_seconds }));
            }
        }
        if fresh.is_empty() {
            return;
        }
        let folder = self.folder().dir().open_dir(self.folder().relative());
        match folder.and_then(|folder| append(&folder, &lines)) {
            Ok(()) => {
                for (key, recorded) in fresh {
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
    append(folder, &lines)
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
