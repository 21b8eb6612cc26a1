//! Verifying a folder: whether each recorded file still holds the bytes it was made with.

use std::io;

use cap_std::fs::Dir;

use crate::error::StoreError;
use crate::index::folder_index::Index;
use crate::index::migrate::migrate;
use crate::local::location::Location;
use crate::local::open::{found, open_to_read};
use crate::local::regular_file::hash_content;
use crate::names::file_name::FileName;
use crate::report::{Bounded, PathError};

/// The state of a folder's files. Paths are spelled as the folder was and sorted; all are
/// counted, the first are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// False if the folder is no store of this user.
    pub store: bool,
    /// Files that hold the bytes they were made with.
    pub intact: usize,
    /// The bytes of intact files.
    pub bytes: u64,
    /// Files that hold other bytes.
    pub changed: Bounded<String>,
    /// Files that are missing and did not end.
    pub missing: Bounded<String>,
    /// Files that expired, or whose chat was deleted.
    pub expired: Bounded<String>,
    /// Files with a name of the store's form and no record.
    pub unlisted: Bounded<String>,
    /// Files that could not be read.
    pub errors: Bounded<PathError>,
}

/// The state of one recorded name.
enum State {
    Intact(u64),
    Changed,
    Missing,
    Expired,
    /// The record cannot be read: the file is reported with those that have none.
    Unlisted,
}

/// Reads every recorded file of `folder` and compares its hash. Takes the time of reading
/// all of them, and little memory. A file that cannot be read is reported.
///
/// # Errors
///
/// Fails if the folder or its index cannot be opened or listed.
pub fn verify(folder: &Location) -> Result<VerifyReport, StoreError> {
    let failed =
        |step| move |source| StoreError::Io { step, path: folder.spelled().to_owned(), source };
    let dir = folder.dir().open_dir(folder.relative()).map_err(failed("opening"))?;
    migrate(&dir).map_err(failed("reading the manifest of"))?;
    let index = Index::open(&dir).map_err(failed("opening the index of"))?;
    let mut report = VerifyReport { store: index.is_some(), ..VerifyReport::default() };
    if let Some(index) = &index {
        for name in index.records.names().map_err(failed("listing"))? {
            let name = name.map_err(failed("listing"))?;
            let state = state(&dir, index, &name);
            report.add(folder.child(name.as_str()).spelled().to_owned(), state);
        }
    }
    for entry in dir.entries().map_err(failed("listing"))? {
        let name = entry.map_err(failed("listing"))?.file_name();
        let Some(name) = name.to_str().and_then(FileName::parse) else { continue };
        let has_record = |index: &Index| index.records.get(&name).is_some();
        if !index.as_ref().is_some_and(has_record) {
            report.unlisted.push(folder.child(name.as_str()).spelled().to_owned());
        }
    }
    let VerifyReport { changed, missing, expired, unlisted, .. } = &mut report;
    [changed, missing, expired, unlisted].into_iter().for_each(Bounded::sort);
    Ok(report)
}

impl VerifyReport {
    fn add(&mut self, path: String, state: io::Result<State>) {
        match state {
            Ok(State::Intact(bytes)) => {
                self.intact += 1;
                self.bytes += bytes;
            }
            Ok(State::Changed) => self.changed.push(path),
            Ok(State::Missing) => self.missing.push(path),
            Ok(State::Expired) => self.expired.push(path),
            Ok(State::Unlisted) => {}
            Err(error) => self.errors.push(PathError { path, reason: error.to_string() }),
        }
    }
}

fn state(dir: &Dir, index: &Index, name: &FileName) -> io::Result<State> {
    let Some(record) = index.records.get(name) else { return Ok(State::Unlisted) };
    let Some((mut file, metadata)) = found(open_to_read(dir, name.as_str()))? else {
        return Ok(if record.ended.is_some() { State::Expired } else { State::Missing });
    };
    let is_intact = record.hash == Some(hash_content(&mut file)?);
    Ok(if is_intact { State::Intact(metadata.len()) } else { State::Changed })
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
