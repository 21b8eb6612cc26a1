//! Verifying a folder: whether each file that has a record still holds the bytes it was
//! made with.

use std::io;

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};

use super::file::open_named;
use super::index::Index;
use super::migrate::migrate;
use super::{Bounded, FileName, Location, StoreError, Trouble};

/// The state of a folder's files. Paths are spelled as the folder was; all are counted,
/// the first are listed, in the order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// False where the folder is no store of this user's.
    pub store: bool,
    /// Files that hold what they were made with.
    pub intact: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Files that hold something else.
    pub changed: Bounded<String>,
    /// Files that are gone and did not come to their end.
    pub missing: Bounded<String>,
    /// Files that are gone because they expired, or their chat was deleted.
    pub expired: Bounded<String>,
    /// Files with a name of the store's that has no record.
    pub unlisted: Bounded<String>,
    /// Files that could not be read.
    pub errors: Bounded<Trouble>,
}

/// The state of one name.
enum State {
    Intact(u64),
    Changed,
    Missing,
    Expired,
    Unlisted,
}

/// Reads every file of `folder` that has a record and compares its hash. Takes the time
/// of reading all of them, and little memory. A folder that cannot be opened or listed
/// is an error; one bad file is none.
pub fn verify(folder: &Location) -> Result<VerifyReport, StoreError> {
    let failed =
        |step| move |source| StoreError::Io { step, path: folder.spelled().to_owned(), source };
    let dir = folder.dir().open_dir(folder.relative()).map_err(failed("opening"))?;
    migrate(&dir).map_err(failed("reading the manifest of"))?;
    let index = Index::open(&dir).map_err(failed("opening the index of"))?;
    let mut report = VerifyReport { store: index.is_some(), ..VerifyReport::default() };
    if let Some(index) = &index {
        for name in index.each_name().map_err(failed("listing"))? {
            let name = name.map_err(failed("listing"))?;
            let state = state(&dir, index, &name);
            report.take(folder.child(name.as_str()).spelled().to_owned(), state);
        }
    }
    for entry in dir.entries().map_err(failed("listing"))? {
        let name = entry.map_err(failed("listing"))?.file_name();
        let Some(name) = name.to_str().and_then(FileName::of_minted) else { continue };
        let is_known = |index: &Index| index.record(&name).is_some();
        if !index.as_ref().is_some_and(is_known) {
            report.unlisted.push(folder.child(name.as_str()).spelled().to_owned());
        }
    }
    let lists = [&mut report.changed, &mut report.missing, &mut report.expired];
    lists.into_iter().for_each(Bounded::sort);
    report.unlisted.sort();
    Ok(report)
}

impl VerifyReport {
    fn take(&mut self, path: String, state: io::Result<State>) {
        match state {
            Ok(State::Intact(bytes)) => {
                self.intact += 1;
                self.bytes += bytes;
            }
            Ok(State::Changed) => self.changed.push(path),
            Ok(State::Missing) => self.missing.push(path),
            Ok(State::Expired) => self.expired.push(path),
            Ok(State::Unlisted) => {}
            Err(error) => self.errors.push(Trouble { path, why: error.to_string() }),
        }
    }
}

fn state(dir: &Dir, index: &Index, name: &FileName) -> io::Result<State> {
    // One that cannot be read is told with the files that have none.
    let Some(record) = index.record(name) else { return Ok(State::Unlisted) };
    let mut file = match open_named(dir, name.as_str(), OFlags::RDONLY, Mode::empty()) {
        Ok((file, _)) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let expired = record.ended.is_some();
            return Ok(if expired { State::Expired } else { State::Missing });
        }
        Err(error) => return Err(error),
    };
    let mut hasher = blake3::Hasher::new();
    let bytes = io::copy(&mut file, &mut hasher)?;
    let intact = record.hash == Some(hasher.finalize());
    Ok(if intact { State::Intact(bytes) } else { State::Changed })
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
