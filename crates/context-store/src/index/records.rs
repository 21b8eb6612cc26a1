//! The records of a folder: one small file for each name that was ever assigned.

use std::io;

use rustix::io::Errno;

use crate::folder::Folder;
use crate::local::own_file::Synced;
use crate::names::file_name::FileName;
use crate::objects::health::is_away;
use crate::records::record::{RECORD_BYTES, Record};

const EXTENSION: &str = ".json";

/// The state of a name's record.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one is there at a time, for a moment")]
pub(crate) enum RecordState {
    /// There is no record: the name is free, or its file is older than the index.
    Absent,
    /// There is a record.
    Present(Record),
    /// Its place is taken by a file that this service did not write: the name is taken.
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
    pub(super) folder: Folder,
}

impl Records {
    /// Returns the folder's handle.
    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Reads the record of a name.
    ///
    /// # Errors
    ///
    /// Fails if the system is out of handles or memory, or if the disk fails: the state of the
    /// record is then unknown.
    pub(crate) fn read(&self, name: &FileName) -> io::Result<RecordState> {
        match self.folder.read(&file_of(name), RECORD_BYTES) {
            Ok(None) => Ok(RecordState::Absent),
            Ok(Some(read)) => Ok(match Record::parse(&read.bytes) {
                Some(record) => RecordState::Present(Record { version: read.version, ..record }),
                None => RecordState::Unreadable,
            }),
            // If the object store is not available, the state is unknown as well.
            Err(error) if is_busy(&error) || is_away(&error) => Err(error),
            Err(_) => Ok(RecordState::Unreadable),
        }
    }

    /// Returns the record of a name; `None` if there is none, or if its place is taken by another
    /// file.
    ///
    /// # Errors
    ///
    /// Fails like [`Records::read`].
    pub(crate) fn get(&self, name: &FileName) -> io::Result<Option<Record>> {
        self.read(name).map(RecordState::record)
    }

    /// Writes the record of a name that has none. Returns false if it has one.
    pub(crate) fn create(&self, name: &FileName, record: &Record) -> io::Result<bool> {
        self.folder.create(&file_of(name), &self.render(record), Synced::No)
    }

    /// Replaces the record of a name.
    pub(crate) fn replace(&self, name: &FileName, record: &Record) -> io::Result<()> {
        self.folder.replace(&file_of(name), &self.render(record), Synced::No, &record.version)
    }

    /// Replaces the record of a name and syncs it. Its entry in the folder is not synced:
    /// [`Records::sync`] does that for many records.
    pub(crate) fn replace_synced(&self, name: &FileName, record: &Record) -> io::Result<()> {
        self.folder.replace(&file_of(name), &self.render(record), Synced::Yes, &record.version)
    }

    /// If the bytes identify a version, no two writes may have the same bytes.
    fn render(&self, record: &Record) -> Vec<u8> {
        if self.folder.local().is_some() { record.render() } else { record.render_version() }
    }

    /// Syncs the entries of the folder.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.folder.sync()
    }

    /// Lists every name with a record, in no order.
    pub(crate) fn names(&self) -> io::Result<impl Iterator<Item = io::Result<FileName>>> {
        let names = self.folder.names()?;
        Ok(names.filter_map(|name| match name {
            Ok(name) => name.strip_suffix(EXTENSION).and_then(FileName::parse).map(Ok),
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
