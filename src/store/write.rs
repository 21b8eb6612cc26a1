//! Writing: how a content gets its name and how a file comes to be seen.
//!
//! A file is published whole or not at all: a private file beside it is written,
//! synced, then renamed without replacing; the folder is synced once for all
//! files of a request, and only then is any of their names given out
//! (promises.md §3). Files of one request are written and synced in parallel,
//! which is what makes syncing affordable: the disk merges the flushes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::RenameFlags;
use rustix::io::Errno;

use super::file::open_regular;
use super::ledger::{Ledger, Print};
use super::{FileName, Location, Stem, StoreError, manifest, writers};

/// How far a file must have come before its name is given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// File and folder are on the disk: survives a power cut.
    Sync,
    /// In the system's cache: survives a crash of this process only.
    Relaxed,
}

/// A content and the name that it has, or will have once written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name.
    pub name: FileName,
    /// The content's hash.
    pub hash: blake3::Hash,
    /// True where a file of that name already holds this content.
    pub stored: bool,
}

/// A folder that files go to.
pub struct Store {
    folder: Location,
    durability: Durability,
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

    /// Finds a name for each content, in order: the stem's own, unless it holds
    /// other content or was claimed for other content before. `claims` are those
    /// of the whole request: two lists must not take one name for two contents.
    pub fn claim(
        &self,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        self.claim_beside(&NO_OTHERS, claims, wanted)
    }

    /// The same, and none of the `others`, whatever they hold: where equal contents
    /// are told apart by their names.
    pub fn claim_beside(
        &self,
        others: Others<'_>,
        claims: &mut Claims,
        wanted: &[(Stem, blake3::Hash)],
    ) -> Result<Vec<Claim>, StoreError> {
        let folder = match self.folder.dir().open_dir(self.folder.relative()) {
            Ok(folder) => Some(folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(self.failed("opening", None, source)),
        };
        let mut granted = Vec::with_capacity(wanted.len());
        for (stem, hash) in wanted {
            let claim = self.free_name(folder.as_ref(), stem, *hash, (claims, others))?;
            claims.0.insert(claim.name.clone(), claim.clone());
            granted.push(claim);
        }
        Ok(granted)
    }

    /// True where every claimed file is there and holds the claimed content.
    pub fn holds<'a>(&self, claims: impl Iterator<Item = &'a Claim>) -> bool {
        let Ok(folder) = self.folder.dir().open_dir(self.folder.relative()) else { return false };
        let holds = |claim: &Claim| {
            let held = self.content(&folder, &claim.name);
            matches!(held, Ok(Held::Content(hash)) if hash == claim.hash)
        };
        claims.into_iter().all(holds)
    }

    /// Writes files under claimed names, in parallel; returns each claim as it
    /// came out. Where another request took a name in between, the content gets
    /// the next one. `content` is asked for a file's text only when its turn
    /// comes: all of them at once would double the memory of a request.
    pub fn write<'a>(
        &self,
        files: &[(Stem, Claim)],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        self.write_beside(&NO_OTHERS, files, content)
    }

    /// The same, and no next name is one of the `others`.
    pub fn write_beside<'a>(
        &self,
        others: Others<'_>,
        files: &[(Stem, Claim)],
        content: impl Fn(usize) -> Cow<'a, str> + Sync,
    ) -> Result<Vec<Claim>, StoreError> {
        let folder = self.make_folder()?;
        let written = writers::each(self.durability, files.len(), |index| {
            let (stem, claim) = &files[index];
            self.write_one(&folder, (stem, claim), &content(index), others)
        })?;
        if self.durability == Durability::Sync {
            sync_folder(&folder).map_err(|source| self.failed("syncing", None, source))?;
        }
        metrics::counter!("unburden_files_written_total").increment(written.len() as u64);
        let note = |Written { claim, metadata }: Written| {
            // Only now: what the ledger knows, others give out without a sync.
            if let Some(metadata) = metadata {
                self.ledger.forget_recorded(&self.key(&claim.name));
                self.ledger.note(self.key(&claim.name), &metadata, claim.hash);
            }
            claim
        };
        Ok(written.into_iter().map(note).collect())
    }

    fn write_one(
        &self,
        folder: &Dir,
        (stem, claim): (&Stem, &Claim),
        content: &str,
        others: Others<'_>,
    ) -> Result<Written, StoreError> {
        let mut claim = claim.clone();
        while !claim.stored {
            match self.publish(folder, &claim.name, content) {
                Ok(metadata) => return Ok(Written { claim, metadata: Some(metadata) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // Who came first may have written the same: the name stays.
                    let held = self.content(folder, &claim.name);
                    if matches!(held, Ok(Held::Content(hash)) if hash == claim.hash) {
                        claim.stored = true;
                    } else {
                        let names = (&Claims::default(), others);
                        claim = self.free_name(Some(folder), stem, claim.hash, names)?;
                    }
                }
                Err(source) => return Err(self.failed("writing", Some(&claim.name), source)),
            }
        }
        Ok(Written { claim, metadata: None })
    }

    fn free_name(
        &self,
        folder: Option<&Dir>,
        stem: &Stem,
        hash: blake3::Hash,
        (claims, others): (&Claims, Others<'_>),
    ) -> Result<Claim, StoreError> {
        let least = match folder {
            Some(folder) => self.least_number(folder, stem)?,
            None => stem.least(),
        };
        for name in stem.names(&hash) {
            let taken_before =
                least.is_some_and(|least| stem.number_of(name.as_str()) < Some(least));
            if let Some(other) = claims.0.get(&name) {
                if other.hash == hash && !others(&name) {
                    return Ok(other.clone());
                }
                continue;
            }
            let held = match folder {
                Some(folder) => self
                    .content(folder, &name)
                    .map_err(|source| self.failed("reading", Some(&name), source))?,
                None => Held::Nothing,
            };
            match held {
                Held::Content(held) if held == hash && !others(&name) => {
                    return Ok(Claim { name, hash, stored: true });
                }
                Held::Content(_) | Held::NoFile => {}
                // A hole was a file once, and histories may still name it.
                Held::Nothing if taken_before || others(&name) => {}
                Held::Nothing => return Ok(Claim { name, hash, stored: false }),
            }
        }
        let path = stem.names(&hash).next().map_or_else(String::new, |name| self.spell(&name));
        Err(StoreError::NoName { path })
    }

    /// The least number that a new file may have: beyond all that are there, and
    /// all that the manifest says were.
    fn least_number(&self, folder: &Dir, stem: &Stem) -> Result<Option<u64>, StoreError> {
        let Some(mut least) = stem.least() else { return Ok(None) };
        let failed = |source| self.failed("listing", None, source);
        for entry in folder.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| stem.number_of(name));
            least = least.max(number.map_or(0, |number| number.saturating_add(1)));
        }
        manifest::names(folder, |name| {
            let number = stem.number_of(name).map_or(0, |number| number.saturating_add(1));
            least = least.max(number);
        })
        .map_err(failed)?;
        Ok(Some(least))
    }

    /// The hash of the file at `at`, from the ledger where it is known.
    pub fn hash_of(&self, at: &Location) -> io::Result<blake3::Hash> {
        let metadata = at.dir().symlink_metadata(at.relative())?;
        if let Some(hash) = self.ledger.content(&at.key(), Print::of(&metadata)) {
            return Ok(hash);
        }
        let mut file = open_regular(at.dir(), at.relative())?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        Ok(hasher.finalize())
    }

    fn content(&self, folder: &Dir, name: &FileName) -> io::Result<Held> {
        let metadata = match folder.symlink_metadata(name.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Held::Nothing),
            Err(error) => return Err(error),
        };
        if !metadata.is_file() {
            return Ok(Held::NoFile);
        }
        if let Some(hash) = self.ledger.content(&self.key(name), Print::of(&metadata)) {
            return Ok(Held::Content(hash));
        }
        let mut file = open_regular(folder, Path::new(name.as_str()))?;
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        let hash = hasher.finalize();
        // A file this process did not write may still wait for its sync, left
        // by one that died in between; it is not vouched for before that.
        if self.durability == Durability::Sync {
            file.sync_all()?;
            sync_folder(folder)?;
            self.sync_way()?;
        }
        self.ledger.note(self.key(name), &file.metadata(), hash);
        Ok(Held::Content(hash))
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
    fn make_folder(&self) -> Result<Dir, StoreError> {
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
    fn sync_way(&self) -> io::Result<()> {
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

    fn failed(&self, step: &'static str, name: Option<&FileName>, source: io::Error) -> StoreError {
        let path = name.map_or_else(|| self.folder.spelled().to_owned(), |name| self.spell(name));
        StoreError::Io { step, path, source }
    }
}

/// A claim as it came out, and what tells its file again if this call wrote it.
struct Written {
    claim: Claim,
    metadata: Option<io::Result<Metadata>>,
}

/// What a name holds.
enum Held {
    Nothing,
    Content(blake3::Hash),
    /// A folder, a link or a device: as good as taken by other content.
    NoFile,
}

/// True for a name that is another's, whatever it holds.
pub type Others<'a> = &'a (dyn Fn(&FileName) -> bool + Sync);
const NO_OTHERS: fn(&FileName) -> bool = |_| false;

/// The names given out in one request.
#[derive(Debug, Default)]
pub struct Claims(HashMap<FileName, Claim>);

/// Publishes without replacing. Where the file system knows no such rename, a
/// hard link has the same meaning.
fn rename_new(folder: &Dir, from: &str, to: &str) -> io::Result<()> {
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
