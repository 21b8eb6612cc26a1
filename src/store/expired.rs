//! Files that are gone: told from files that never were by their folder's
//! manifest.

use std::time::SystemTime;

use rustix::fs::OFlags;

use super::entry::{Call, End, Line, name_of};
use super::manifest::{self, Listing};
use super::{FileName, Location};

/// A file that was stored and is no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone {
    /// The call that made it, as far as it was recorded.
    pub call: Call,
    /// When it was deleted, in whole seconds, and why; None where it was removed by
    /// somebody else, or the disk had no room to note it.
    pub ended: Option<(SystemTime, End)>,
}

/// What is known of a stored file that is not at `at` any more; None where there
/// never was one. To be asked only after opening `at` said that it is not there:
/// a file is noted as expired before it is deleted, so a 404 is never a file
/// that was swept a moment ago.
pub fn expired(at: &Location) -> Option<Gone> {
    let (folder, name) = at.parent()?;
    FileName::of_minted(name)?;
    let folder = folder.dir().open_dir(folder.relative()).ok()?;
    let file = manifest::open(&folder, OFlags::RDONLY).ok()??;
    let mut found: Option<Listing> = None;
    manifest::scan(file, |line| {
        if name_of(line) == Some(name)
            && let Some(line) = Line::parse(line)
        {
            found.get_or_insert_default().take(line);
        }
    })
    .ok()?;
    let listing = found?;
    let call = listing.entry.map(|entry| entry.call).unwrap_or_default();
    Some(Gone { call, ended: listing.ended })
}

/// The hash of what the file at `at` was stored with, as the folder's index says.
pub(super) fn recorded(at: &Location) -> Option<blake3::Hash> {
    let (folder, name) = at.parent()?;
    let folder = folder.dir().open_dir(folder.relative()).ok()?;
    let manifest = manifest::Manifest::read(&folder).ok()??;
    manifest.files.get(&FileName::of_minted(name)?)?.entry.as_ref().map(|entry| entry.hash)
}

#[cfg(test)]
#[path = "expired_tests.rs"]
mod tests;
