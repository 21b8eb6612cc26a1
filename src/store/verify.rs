//! Verifying a folder: whether each file that the manifest lists still holds the
//! bytes it was made with.

use std::collections::HashSet;
use std::io;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};

use super::file::open_named;
use super::manifest::{Listing, Manifest};
use super::{FileName, Location, StoreError, Trouble};

/// What a folder's files came to. Paths are spelled as the folder was, in the
/// order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// False where the folder has no manifest of this user's.
    pub manifest: bool,
    /// Listed files that hold what they were made with.
    pub intact: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Listed files that hold something else.
    pub changed: Vec<String>,
    /// Listed files that are gone and have not expired.
    pub missing: Vec<String>,
    /// Listed files that are gone because they expired, or their chat was deleted.
    pub expired: Vec<String>,
    /// Files with a name of the store's that no line tells about.
    pub unlisted: Vec<String>,
    /// Files that could not be read.
    pub errors: Vec<Trouble>,
}

/// What one listed name came to.
enum State {
    Intact(u64),
    Changed,
    Missing,
    Expired,
    Unlisted,
}

/// Reads every listed file of `folder` and compares its hash. Takes the time of
/// reading all of them, and little memory. A folder that cannot be opened or
/// listed is an error; one bad file is none.
pub fn verify(folder: &Location) -> Result<VerifyReport, StoreError> {
    let failed =
        |step| move |source| StoreError::Io { step, path: folder.spelled().to_owned(), source };
    let dir = folder.dir().open_dir(folder.relative()).map_err(failed("opening"))?;
    let manifest = Manifest::read(&dir).map_err(failed("reading the manifest of"))?;
    let mut report = VerifyReport { manifest: manifest.is_some(), ..VerifyReport::default() };
    let mut files = manifest.unwrap_or_default().files;
    files.retain(|_, listing| listing.is_told());
    let mut known = HashSet::new();
    for (name, listing) in &files {
        known.insert(name.as_str());
        let path = folder.child(name.as_str()).spelled().to_owned();
        match state(&dir, name, listing) {
            Ok(State::Intact(bytes)) => {
                report.intact += 1;
                report.bytes += bytes;
            }
            Ok(State::Changed) => report.changed.push(path),
            Ok(State::Missing) => report.missing.push(path),
            Ok(State::Expired) => report.expired.push(path),
            Ok(State::Unlisted) => report.unlisted.push(path),
            Err(error) => report.errors.push(Trouble { path, why: error.to_string() }),
        }
    }
    for entry in dir.entries().map_err(failed("listing"))? {
        let name = entry.map_err(failed("listing"))?.file_name();
        let Some(name) = name.to_str().filter(|name| !known.contains(name)) else { continue };
        if FileName::of_minted(name).is_some() {
            report.unlisted.push(folder.child(name).spelled().to_owned());
        }
    }
    report.unlisted.sort();
    Ok(report)
}

fn state(dir: &Dir, name: &FileName, listing: &Listing) -> io::Result<State> {
    let mut file = match open_named(dir, name.as_str(), OFlags::RDONLY, Mode::empty()) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let expired = listing.ended.is_some();
            return Ok(if expired { State::Expired } else { State::Missing });
        }
        Err(error) => return Err(error),
    };
    let Some(entry) = &listing.entry else { return Ok(State::Unlisted) };
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut file, &mut hasher)?;
    Ok(if hasher.finalize() == entry.hash { State::Intact(bytes) } else { State::Changed })
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
