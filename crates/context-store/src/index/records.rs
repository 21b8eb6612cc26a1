//! The records of a folder: one small file for each name that was ever given out.

use std::io;

use cap_std::fs::Dir;
use rustix::io::Errno;

use crate::local::own_file::{self, Synced};
use crate::local::publish::sync_folder;
use crate::names::file_name::FileName;
use crate::records::record::{RECORD_BYTES, Record};

const EXTENSION: &str = ".json";

/// The state of a name's record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecordState {
    /// There is none: the name is free, or its file is older than the index.
    Absent,
    /// There is one.
    Present(Record),
    /// Something that this service did not write has its place: the name is taken.
    Unreadable,
}

impl RecordState {
    /// Returns the record, if there is one.
    pub(crate) fn record(self) -> Option<Record> {
        match self {
            RecordState::Present(record) => Some(record),
            RecordState::Absent | RecordState::Unreadable => None,
        }
    }
}

/// The records of a folder.
pub(crate) struct Records {
    pub(super) folder: Dir,
}

impl Records {
    /// Returns the folder's handle.
    pub(crate) fn folder(&self) -> &Dir {
        &self.folder
    }

    /// Reads the record of a name.
    ///
    /// # Errors
    ///
    /// Fails if the system is out of handles or memory, or the disk fails: that says
    /// nothing about the record.
    pub(crate) fn read(&self, name: &FileName) -> io::Result<RecordState> {
        match own_file::read(&self.folder, &file_of(name), RECORD_BYTES) {
            Ok(None) => Ok(RecordState::Absent),
            Ok(Some(bytes)) => {
                Ok(Record::parse(&bytes).map_or(RecordState::Unreadable, RecordState::Present))
            }
            Err(error) if is_busy(&error) => Err(error),
            Err(_) => Ok(RecordState::Unreadable),
        }
    }

    /// Returns the record of a name; None if there is none, or it cannot be read.
    pub(crate) fn get(&self, name: &FileName) -> Option<Record> {
        self.read(name).ok().and_then(RecordState::record)
    }

    /// Writes the record of a name that has none; false if it has one.
    pub(crate) fn create(&self, name: &FileName, record: &Record) -> io::Result<bool> {
        own_file::create(&self.folder, &file_of(name), &record.render(), Synced::No)
    }

    /// Replaces the record of a name.
    pub(crate) fn replace(&self, name: &FileName, record: &Record) -> io::Result<()> {
        own_file::replace(&self.folder, &file_of(name), &record.render(), Synced::No)
    }

    /// Replaces the record of a name and syncs it. Its entry in the folder is not synced:
    /// [`Records::sync`] does that for many.
    pub(crate) fn replace_synced(&self, name: &FileName, record: &Record) -> io::Result<()> {
        own_file::replace(&self.folder, &file_of(name), &record.render(), Synced::Yes)
    }

    /// Syncs the entries of the folder.
    pub(crate) fn sync(&self) -> io::Result<()> {
        sync_folder(&self.folder)
    }

    /// Lists every name with a record, in no order.
    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<FileName>>> {
        let entries = self.folder.entries()?;
        Ok(entries.filter_map(|entry| match entry {
            Ok(entry) => {
                let text = entry.file_name();
                let name = text.to_str().and_then(|text| text.strip_suffix(EXTENSION));
                name.and_then(FileName::parse).map(Ok)
            }
            Err(error) => Some(Err(error)),
        }))
    }
}

fn file_of(name: &FileName) -> String {
    format!("{name}{EXTENSION}")
}

fn is_busy(error: &io::Error) -> bool {
    let busy = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|code| busy.contains(&code))
}
