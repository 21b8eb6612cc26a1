//! Writing: how a file comes to be seen.
//!
//! A file is published whole or not at all: a private file beside it is written,
//! synced, then renamed without replacing; the folder is synced once for all
//! files of a request, and only then is any of their names given out
//! (I2 in `docs/invariants.md`). Files of one request are written and synced in parallel,
//! which is what makes syncing affordable: the disk merges the flushes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::RenameFlags;
use rustix::io::Errno;

use super::claim::{Claim, Claims, Held, NO_OTHERS, Opened, Others};
use super::deletion_watch::DeletionWatch;
use super::index::Index;
use super::lease::date_by_this_clock;
use super::ledger::Ledger;
use super::reserve::Before;
use super::{FileName, Location, Origin, Stem, StoreError, writers};

/// How far a file must have come before its name is given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// File and folder are on the disk: survives a power cut.
    Sync,
    /// In the system's cache: survives a crash of this process only.
    Relaxed,
}

/// A file that is to be written.
#[derive(Debug, Clone)]
pub struct ClaimedFile {
    /// The source of its name.
    pub stem: Stem,
    /// The name and the content.
    pub claim: Claim,
    /// The call and chat that made it.
    pub origin: Origin,
}

/// A folder that files go to.
pub struct Store {
    folder: Location,
    pub(super) durability: Durability,
    pub(super) ledger: Arc<Ledger>,
}

impl Store {
    /// A store in `folder`, which is made when the first file is written.
    pub fn new(folder: Location, durability: Durability, ledger: Arc<Ledger>) -> Store {
        Store { folder, durability, ledger }
    }

    /// The folder.
    pub fn folder(&self) -> &Location {
        &self.folder
    }

    /// The path of a file as the caller spells it.
    pub fn spell(&self, name: &FileName) -> String {
        self.folder.child(name.as_str()).spelled().to_owned()
    }

    /// Writes files under claimed names, in parallel; returns each claim as it
    /// came out. Where another request took a name in between, the content gets
    /// the next one. `content` is asked for a file's text only when its turn
    /// comes: all of them at once would double the memory of a request.
    ///
    /// The origin of each file is recorded before the file is visible: a deletion of the
    /// chat finds whatever a crash leaves.
    pub fn write<'a>(
        &self,
        files: &[ClaimedFile],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        self.write_beside(&NO_OTHERS, files, content)
    }

    /// The same, and no next name is one of the `others`.
    pub fn write_beside<'a>(
        &self,
        others: Others<'_>,
        files: &[ClaimedFile],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        let folder = self.make_folder()?;
        let index = Index::make(&folder)
            .map_err(|source| self.failed("making the index of", None, source))?;
        self.observe_clock(&folder, &index.private);
        let mut opened = Opened { folder, index: Some(index), markers: None };
        let watch = DeletionWatch::begin(&mut opened, files)
            .map_err(|source| self.failed("making the index of", None, source))?;
        let written = writers::each(self.durability, files.len(), |index| {
            self.write_one(&opened, &files[index], &content(index), others)
        })?;
        let reserved = written.iter().zip(files).filter_map(|(written, file)| {
            Some((&written.claim.name, &file.origin, written.before?))
        });
        watch.end(&opened, reserved).map_err(|source| self.failed("recording", None, source))?;
        if self.durability == Durability::Sync {
            sync_folder(&opened.folder).map_err(|source| self.failed("syncing", None, source))?;
        }
        metrics::counter!("unburden_files_written_total").increment(written.len() as u64);
        let note = |Written { claim, metadata, .. }: Written| {
            // Only now: what the ledger knows, others give out without a sync.
            if let Some(metadata) = metadata {
                self.ledger.note(self.key(&claim.name), &metadata, claim.hash);
            }
            claim
        };
        Ok(written.into_iter().map(note).collect())
    }

    fn write_one(
        &self,
        opened: &Opened,
        ClaimedFile { stem, claim, origin }: &ClaimedFile,
        content: &str,
        others: Others<'_>,
    ) -> Result<Written, StoreError> {
        let (mut claim, mut before) = (claim.clone(), None);
        while !claim.stored {
            let failed = |step, source| self.failed(step, Some(&claim.name), source);
            let reserved = self
                .reserve(opened, &claim, content.len() as u64, origin)
                .map_err(|source| failed("recording", source))?;
            let published = match reserved {
                Some(_) => self.publish(&opened.folder, &claim.name, content),
                None => Err(io::ErrorKind::AlreadyExists.into()),
            };
            match published {
                Ok(metadata) => {
                    return Ok(Written { claim, before: reserved, metadata: Some(metadata) });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // Who came first may have written the same: the name stays.
                    let held = self.content(opened, &claim.name);
                    if reserved.is_some()
                        && matches!(held, Ok(Held::Content(hash)) if hash == claim.hash)
                    {
                        self.touch(&opened.folder, &claim.name);
                        claim.stored = true;
                        before = reserved;
                    } else {
                        let names = (&Claims::default(), others);
                        let seen = &mut HashMap::new();
                        claim = self.free_name(Some(opened), stem, claim.hash, names, seen)?;
                    }
                }
                Err(source) => return Err(failed("writing", source)),
            }
        }
        Ok(Written { claim, before, metadata: None })
    }

    /// Writes a private file and renames it to its name.
    ///
    /// Every path here is one name inside `folder`: the rename goes to the
    /// kernel without cap-std, so it must not hold a component to follow.
    fn publish(
        &self,
        folder: &Dir,
        name: &FileName,
        content: &str,
    ) -> io::Result<io::Result<Metadata>> {
        let private = format!(".unburden-{}.tmp", ulid::Ulid::generate());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let mut file = folder.open_with(&private, &options)?;
        let written = (|| {
            file.write_all(content.as_bytes())?;
            date_by_this_clock(&file)?;
            if self.durability == Durability::Sync {
                file.sync_all()?;
            }
            rename_new(folder, &private, name.as_str())
        })();
        if written.is_err() {
            // Whatever the reason, the private file must not stay; that it may
            // be gone already, or stuck on a dead disk, changes nothing.
            let _ = folder.remove_file(&private);
        }
        written.map(|()| file.metadata())
    }

    /// Opens the folder; makes it and its missing parents, private to this user.
    pub(super) fn make_folder(&self) -> Result<Dir, StoreError> {
        let dir = self.folder.dir();
        let relative = self.folder.relative();
        let mut missing: Vec<&Path> = Vec::new();
        for at in relative.ancestors().filter(|at| !at.as_os_str().is_empty()) {
            match dir.symlink_metadata(at) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(at),
                Err(source) => return Err(self.failed("making", None, source)),
            }
        }
        if !missing.is_empty() {
            // Before it is made: whoever finds it then syncs the way to it, too.
            self.ledger.forget_way(&self.folder.key());
        }
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        for folder in missing.into_iter().rev() {
            match dir.create_dir_with(folder, &builder) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(self.failed("making", None, source)),
            }
        }
        if self.durability == Durability::Sync {
            self.sync_way().map_err(|source| self.failed("syncing", None, source))?;
        }
        dir.open_dir(relative).map_err(|source| self.failed("opening", None, source))
    }

    /// Syncs every folder between the root and this one, once. A folder that was found
    /// may have been made by a process that died before it could, or by another thread
    /// that has not yet: its name would not outlive a power cut.
    pub(super) fn sync_way(&self) -> io::Result<()> {
        if self.ledger.knows_way(&self.folder.key()) {
            return Ok(());
        }
        let (dir, relative) = (self.folder.dir(), self.folder.relative());
        for at in relative.ancestors().skip(1) {
            let at = if at.as_os_str().is_empty() { Path::new(".") } else { at };
            match dir.open_dir(at).and_then(|folder| sync_folder(&folder)) {
                // Whom a folder lets through but not look made nothing in it.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
                synced => synced?,
            }
        }
        self.ledger.note_way(self.folder.key());
        Ok(())
    }

    pub(super) fn key(&self, name: &FileName) -> PathBuf {
        self.folder.child(name.as_str()).key()
    }

    pub(super) fn failed(
        &self,
        step: &'static str,
        name: Option<&FileName>,
        source: io::Error,
    ) -> StoreError {
        let path = name.map_or_else(|| self.folder.spelled().to_owned(), |name| self.spell(name));
        StoreError::Io { step, path, source }
    }
}

/// A claim as it came out, the state of its name before if this call reserved it, and
/// what tells its file again if this call wrote it.
struct Written {
    claim: Claim,
    before: Option<Before>,
    metadata: Option<io::Result<Metadata>>,
}

/// Publishes without replacing. Where the file system knows no such rename, a
/// hard link has the same meaning.
pub(super) fn rename_new(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            folder.hard_link(from, folder, to)?;
            folder.remove_file(from)
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) fn sync_folder(folder: &Dir) -> io::Result<()> {
    folder.open(".")?.sync_all()
}
