//! Verifies a folder: whether each recorded file still holds its original bytes.

use std::io;

use cap_std::fs::File;

use crate::error::StoreError;
use crate::folder::Folder;
use crate::index::folder_index::Index;
use crate::local::location::Location;
use crate::local::open::{found, open_to_read};
use crate::local::regular_file::hash_content;
use crate::names::file_name::FileName;
use crate::objects::file::StoredObject;
use crate::records::record::Record;
use crate::report::{Bounded, PathError};

/// The state of a folder's files. Paths are spelled like the folder, and sorted. All are counted,
/// but only the first are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// False if the folder is not a store of this user.
    pub store: bool,
    /// Files that hold their original bytes.
    pub intact: usize,
    /// The bytes of intact files.
    pub bytes: u64,
    /// Files that hold other bytes.
    pub changed: Bounded<String>,
    /// Files that are missing although they did not end.
    pub missing: Bounded<String>,
    /// Files whose write is unfinished: no answer refers to them.
    pub unfinished: Bounded<String>,
    /// Files that expired, or whose chat was deleted.
    pub expired: Bounded<String>,
    /// Files with a name of the store's form, but no record.
    pub unlisted: Bounded<String>,
    /// Files that could not be read.
    pub errors: Bounded<PathError>,
}

/// The state of one recorded name.
enum State {
    Intact(u64),
    Changed,
    Missing,
    Unfinished,
    Expired,
    /// The record cannot be read: the file is reported with those that have no record.
    Unlisted,
}

/// Reads every recorded file of `folder` and compares its hash. Takes the time to read all files,
/// but little memory. A file that cannot be read is reported.
///
/// # Errors
///
/// Fails if the folder or its index cannot be opened or listed.
pub fn verify(folder: &Location) -> Result<VerifyReport, StoreError> {
    let folder = &folder.unhurried();
    let failed =
        |step| move |source| StoreError::Io { step, path: folder.spelled().to_owned(), source };
    let opened = folder.open_folder().map_err(failed("opening"))?;
    let missing = || failed("opening")(io::ErrorKind::NotFound.into());
    let dir = opened.ok_or_else(missing)?;
    let index = Index::open(&dir).map_err(failed("opening the index of"))?;
    let mut report = VerifyReport { store: index.is_some(), ..VerifyReport::default() };
    if let Some(index) = &index {
        for name in index.records.names().map_err(failed("listing"))? {
            let name = name.map_err(failed("listing"))?;
            let state = state(folder, &dir, index, &name);
            report.add(folder.child(name.as_str()).spelled().to_owned(), state);
        }
    }
    for name in dir.names().map_err(failed("listing"))? {
        let name = name.map_err(failed("listing"))?;
        let name = match dir.local() {
            Some(_) => FileName::parse(&name),
            None => Record::parse_file(&name).map(|(name, _)| name),
        };
        let Some(name) = name else { continue };
        let record = index.as_ref().map_or(Ok(None), |index| index.records.get(&name));
        if record.map_err(failed("reading the index of"))?.is_none() {
            report.unlisted.push(folder.child(name.as_str()).spelled().to_owned());
        }
    }
    let VerifyReport { changed, missing, unfinished, expired, unlisted, .. } = &mut report;
    [changed, missing, unfinished, expired, unlisted].into_iter().for_each(Bounded::sort);
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
            Ok(State::Unfinished) => self.unfinished.push(path),
            Ok(State::Expired) => self.expired.push(path),
            Ok(State::Unlisted) => {}
            Err(error) => self.errors.push(PathError { path, reason: error.to_string() }),
        }
    }
}

fn state(at: &Location, dir: &Folder, index: &Index, name: &FileName) -> io::Result<State> {
    let Some(record) = index.records.get(name)? else { return Ok(State::Unlisted) };
    let Some((mut file, len)) = open_stored(at, dir, name, &record)? else {
        let unfinished = index.markers().unfinished()?;
        let is_unfinished = unfinished.map_or(Ok(false), |begun| begun.is_there(name.as_str()))?;
        return Ok(match (record.ended, is_unfinished) {
            (Some(_), _) => State::Expired,
            (None, true) => State::Unfinished,
            (None, false) => State::Missing,
        });
    };
    let is_intact = record.hash == Some(hash_content(&mut file)?);
    Ok(if is_intact { State::Intact(len) } else { State::Changed })
}

/// Opens the file of a record, with its length; `None` if it does not exist.
fn open_stored(
    at: &Location,
    dir: &Folder,
    name: &FileName,
    record: &Record,
) -> io::Result<Option<(File, u64)>> {
    let opened = match (dir.local(), at.place()) {
        (Some(dir), _) => open_to_read(dir, name.as_str()),
        (None, Some(_)) if record.ended.is_some() => return Ok(None),
        (None, Some(place)) => StoredObject::of(&place, name, record.clone()).open(),
        (None, None) => return Ok(None),
    };
    Ok(found(opened)?.map(|(file, metadata)| (file, metadata.len())))
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
