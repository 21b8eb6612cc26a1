//! Deleting a chat: the files that were made for it, but for those that another
//! chat mentions too, and every word of it in the manifests.
//!
//! All of a folder is done under its manifest's exclusive lock, which every writer
//! and every mention waits for: ends are noted and synced, files deleted, then the
//! manifest is written anew without what the chat left in it. Whatever happens in
//! between leaves the chat's name beside what is still there, so that the same call
//! again finishes; and a file that is gone is a 410 from the first moment.

use std::collections::HashSet;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File};
use rustix::fs::{FlockOperation, OFlags};

use super::entry::{End, push_end};
use super::file::{is_own, lock_within};
use super::manifest::{self, Listing, Manifest};
use super::walk::walk;
use super::write::sync_folder;
use super::{Call, Chat, FileName, Location, Roots, Run, Trouble, stamp, tidy};

/// How often, a millisecond apart, the manifest's lock is asked for.
const LOCK_TRIES: u32 = 5_000;

/// How often a manifest is followed that was replaced before it was locked.
const REOPENS: usize = 64;

/// A file that was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// The file's length.
    pub bytes: u64,
}

/// Why a file of a chat stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Another chat mentions it too.
    Shared,
    /// No line says which chat it was made for.
    UnknownMaker,
    /// It is no regular file of this user.
    Foreign,
}

/// A file that the chat mentioned and that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// The path, spelled as its folder was.
    pub path: String,
    /// Why.
    pub why: Keeping,
}

/// What deleting a chat came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deletion {
    /// Folders looked into.
    pub folders: usize,
    /// Files deleted; in a dry run, that would be.
    pub deleted: Vec<DeletedFile>,
    /// Files that stay.
    pub kept: Vec<KeptFile>,
    /// Bytes freed.
    pub bytes: u64,
    /// What could not be done: the same call again tries once more.
    pub errors: Vec<Trouble>,
    /// False where the roots held too many entries to look at all of them.
    pub complete: bool,
}

/// Deletes a chat from `folders`, or from every store under the roots.
///
/// A chat that no manifest knows is no error: nothing is left of it. Files without
/// a line that says which chat they were made for are never touched.
pub fn delete_chat(
    roots: &Roots,
    folders: Option<Vec<Location>>,
    chat: Chat,
    now: SystemTime,
    run: Run,
) -> Deletion {
    let (folders, complete) = match folders {
        Some(folders) => (folders, true),
        None => {
            let found = walk(roots);
            (found.folders, found.complete)
        }
    };
    let mut deletion = Deletion { complete, ..Deletion::default() };
    let mut seen = HashSet::new();
    for at in folders.iter().filter(|at| seen.insert(at.key())) {
        let mut deleter = Deleter { at, chat, now, run, deletion: &mut deletion };
        if let Err(error) = deleter.folder() {
            deleter.failed(at.spelled(), &error);
        }
    }
    deletion
}

/// A deletion in one folder.
struct Deleter<'a> {
    at: &'a Location,
    chat: Chat,
    now: SystemTime,
    run: Run,
    deletion: &'a mut Deletion,
}

/// What is to become of a file of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is deleted, so many bytes.
    Goes(u64),
    /// It is gone already; only lines are left of it.
    Gone,
    Stays(Keeping),
    /// It could not be deleted.
    Failed,
}

impl Deleter<'_> {
    fn folder(&mut self) -> io::Result<()> {
        let dir = match self.at.dir().open_dir(self.at.relative()) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        self.deletion.folders += 1;
        // Most stores know nothing of a chat: those are not locked.
        let manifest = Manifest::read(&dir)?.unwrap_or_default();
        if !manifest.files.values().any(|listing| listing.belongs_to(self.chat)) {
            return Ok(());
        }
        if self.run == Run::Dry {
            let fates = self.fates(&dir, &manifest);
            self.tell(&fates);
            return Ok(());
        }
        match lock(&dir)? {
            Some(locked) => self.delete(&dir, &locked),
            None => Ok(()),
        }
    }

    /// Deletes what may go, under the manifest's lock.
    fn delete(&mut self, dir: &Dir, locked: &File) -> io::Result<()> {
        let mut manifest = Manifest::of(locked.try_clone()?)?;
        let mut fates = self.fates(dir, &manifest);
        self.note_ends(locked, &manifest, &fates);
        for (name, fate) in &mut fates {
            if !matches!(fate, Fate::Goes(_)) {
                continue;
            }
            match dir.remove_file(name.as_str()) {
                Ok(()) => {}
                // A sweep was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => *fate = Fate::Gone,
                Err(error) => {
                    *fate = Fate::Failed;
                    self.failed(self.at.child(name.as_str()).spelled(), &error);
                }
            }
        }
        self.tell(&fates);
        for (name, fate) in &fates {
            if let Some(listing) = manifest.files.get_mut(name) {
                self.forget(listing, *fate);
            }
        }
        // What is deleted must not come back with a power cut that follows.
        sync_folder(dir)?;
        tidy::replace(dir, &tidy::lines(dir, &manifest, self.now))?;
        sync_folder(dir)
    }

    /// Every file of the chat, with what is to become of it.
    fn fates(&mut self, dir: &Dir, manifest: &Manifest) -> Vec<(FileName, Fate)> {
        let chat = self.chat;
        let own = manifest.files.iter().filter(|(_, listing)| listing.belongs_to(chat));
        let fate = |(name, listing): (&FileName, &Listing)| {
            let fate = self.fate(dir, name, listing).unwrap_or_else(|error| {
                self.failed(self.at.child(name.as_str()).spelled(), &error);
                Fate::Failed
            });
            (name.clone(), fate)
        };
        own.map(fate).collect()
    }

    fn fate(&self, dir: &Dir, name: &FileName, listing: &Listing) -> io::Result<Fate> {
        let metadata = match dir.symlink_metadata(name.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fate::Gone),
            Err(error) => return Err(error),
        };
        let why = if !metadata.is_file() || !is_own(&metadata) {
            Keeping::Foreign
        } else if listing.mentions.iter().any(|chat| *chat != self.chat)
            || listing.maker().is_some_and(|maker| maker != self.chat)
        {
            Keeping::Shared
        } else if listing.maker().is_none() || born_after(&metadata, listing) {
            Keeping::UnknownMaker
        } else {
            return Ok(Fate::Goes(metadata.len()));
        };
        Ok(Fate::Stays(why))
    }

    /// Notes the end of each file before it is deleted. Where the disk has no room
    /// for that, deleting makes some: the manifest that is written then says it.
    fn note_ends(&mut self, locked: &File, manifest: &Manifest, fates: &[(FileName, Fate)]) {
        let mut lines = Vec::new();
        for (name, fate) in fates {
            let ended = manifest.files.get(name).is_some_and(|listing| listing.ended.is_some());
            if matches!(fate, Fate::Goes(_)) && !ended {
                push_end(&mut lines, name, self.now, End::ChatDeleted);
            }
        }
        if lines.is_empty() {
            return;
        }
        let noted = manifest::append_to(locked, &lines).and_then(|()| locked.sync_data());
        if let Err(error) = noted {
            tracing::warn!(%error, "ends could not be noted before the files are deleted");
        }
    }

    /// Takes the chat out of what is said of a file.
    fn forget(&self, listing: &mut Listing, fate: Fate) {
        match fate {
            Fate::Goes(_) | Fate::Gone => {
                listing.mentions.remove(&self.chat);
                if listing.maker() == Some(self.chat) {
                    listing.ended.get_or_insert((self.now, End::ChatDeleted));
                    listing.entry = None;
                }
            }
            Fate::Stays(_) => {
                listing.mentions.remove(&self.chat);
                if let Some(entry) = &mut listing.entry
                    && entry.chat == Some(self.chat)
                {
                    // The call was this chat's; others have their own.
                    entry.call = Call::default();
                    entry.chat = listing.mentions.pop_first();
                }
            }
            Fate::Failed => {}
        }
    }

    fn tell(&mut self, fates: &[(FileName, Fate)]) {
        for (name, fate) in fates {
            let path = self.at.child(name.as_str()).spelled().to_owned();
            match fate {
                Fate::Goes(bytes) => {
                    self.deletion.bytes += bytes;
                    self.deletion.deleted.push(DeletedFile { path, bytes: *bytes });
                }
                Fate::Stays(why) => self.deletion.kept.push(KeptFile { path, why: *why }),
                Fate::Gone | Fate::Failed => {}
            }
        }
    }

    fn failed(&mut self, path: &str, error: &io::Error) {
        self.deletion.errors.push(Trouble { path: path.to_owned(), why: error.to_string() });
    }
}

/// True where a file was made after the end that is noted of its name: what made
/// this one could not be noted, and may be of another chat.
fn born_after(metadata: &cap_std::fs::Metadata, listing: &Listing) -> bool {
    let Some((ended, _)) = listing.ended else { return false };
    let born = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
    let born = born.filter(|born| *born > UNIX_EPOCH);
    born.is_some_and(|born| stamp::unix(born) > stamp::unix(ended))
}

/// The folder's manifest, locked against every writer; None where it is not there.
fn lock(dir: &Dir) -> io::Result<Option<File>> {
    for _ in 0..REOPENS {
        let flags = OFlags::RDWR | OFlags::APPEND;
        let Some(file) = manifest::open(dir, flags)? else { return Ok(None) };
        if !lock_within(&file, FlockOperation::NonBlockingLockExclusive, LOCK_TRIES)? {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "the manifest stays locked"));
        }
        if manifest::is_named(dir, &file)? {
            return Ok(Some(file));
        }
    }
    Err(io::Error::new(io::ErrorKind::WouldBlock, "the manifest is replaced without end"))
}

#[cfg(test)]
#[path = "deletion_tests.rs"]
mod tests;
