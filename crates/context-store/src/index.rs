//! The index of a store's folder: a record for each name that was ever given out, in
//! the private folder. Each operation reads the records that it needs; none reads all
//! of them. Records of files that live are not synced: one that a power cut takes costs
//! a call or a check, never data. That a file came to its end is synced before the file
//! is deleted.

use std::io;

use cap_std::fs::{Dir, File};

use super::own_file::{self, Synced};
use super::record::{RECORD_BYTES, Record};
use super::{FileName, clock, manifest, private};

/// The folder of records.
const NAMES: &str = "names";

/// The file that states the private folder's format, and the format of this version.
const FORMAT: &str = "format";
const FORMAT_WORDS: &str = "unburden store ";
const VERSION: u32 = 2;

/// The file that is locked while files come to their end.
const LOCK: &str = "lock";

/// How often, a millisecond apart, the lock is asked for: a batch of deletions holds it
/// for much less.
const LOCK_TRIES: u32 = 5_000;

/// The answer of the index for a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing: the name is free, or its file is older than its index.
    Nothing,
    Record(Record),
    /// Something that this service did not write: the name is taken by it.
    Unreadable,
}

impl Told {
    pub(super) fn record(self) -> Option<Record> {
        match self {
            Told::Record(record) => Some(record),
            Told::Nothing | Told::Unreadable => None,
        }
    }
}

/// The index of one folder.
pub(super) struct Index {
    pub(super) private: Dir,
    pub(super) names: Dir,
}

impl Index {
    /// Opens a folder's index; None where it has none.
    pub(super) fn open(folder: &Dir) -> io::Result<Option<Index>> {
        let Some(private) = private::open(folder)? else { return Ok(None) };
        check_format(&private)?;
        let names = own_file::open_folder(&private, NAMES)?;
        Ok(names.map(|names| Index { private, names }))
    }

    /// Opens a folder's index, which is made where there is none.
    pub(super) fn make(folder: &Dir) -> io::Result<Index> {
        let private = private::make(folder)?;
        if !check_format(&private)? {
            // Files of an older version are older than this moment; the sweep sees to it.
            if manifest::open(folder)?.is_none() {
                clock::begin(&private)?;
            }
            let words = format!("{FORMAT_WORDS}{VERSION}\n");
            // A power cut that left its name without its words would close the folder.
            own_file::create(&private, FORMAT, words.as_bytes(), Synced::Yes)?;
        }
        let names = own_file::make_folder(&private, NAMES)?;
        Ok(Index { private, names })
    }

    /// Waits until no other process brings files of this folder to their end.
    pub(super) fn lock(&self) -> io::Result<File> {
        own_file::lock(&self.private, LOCK, LOCK_TRIES)
    }

    pub(super) fn told(&self, name: &FileName) -> io::Result<Told> {
        match own_file::read(&self.names, &file_of(name), RECORD_BYTES) {
            Ok(None) => Ok(Told::Nothing),
            Ok(Some(bytes)) => Ok(Record::parse(&bytes).map_or(Told::Unreadable, Told::Record)),
            // Out of handles or memory is no word about the record.
            Err(error) if is_busy(&error) => Err(error),
            Err(_) => Ok(Told::Unreadable),
        }
    }

    /// The record of a name, where there is one to believe.
    pub(super) fn record(&self, name: &FileName) -> Option<Record> {
        self.told(name).ok().and_then(Told::record)
    }

    /// Claims a name; false where it has a record.
    pub(super) fn create(&self, name: &FileName, record: &Record) -> io::Result<bool> {
        own_file::create(&self.names, &file_of(name), &record.render(), Synced::No)
    }

    /// Replaces the record of a name.
    pub(super) fn replace(&self, name: &FileName, record: &Record) -> io::Result<()> {
        self.put(name, record, Synced::No)
    }

    /// Replaces the record of a name, which is on the disk then but for its place in the
    /// folder: [`Index::sync`] sees to that for many.
    pub(super) fn replace_synced(&self, name: &FileName, record: &Record) -> io::Result<()> {
        self.put(name, record, Synced::Yes)
    }

    fn put(&self, name: &FileName, record: &Record, synced: Synced) -> io::Result<()> {
        let bytes = record.render();
        own_file::replace(&self.names, &file_of(name), &bytes, synced)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        super::write::sync_folder(&self.names)
    }

    /// Every name with a record, as the folder lists them.
    pub(super) fn each_name(&self) -> io::Result<impl Iterator<Item = io::Result<FileName>>> {
        let entries = self.names.entries()?;
        Ok(entries.filter_map(|entry| match entry {
            Ok(entry) => {
                let text = entry.file_name();
                let name = text.to_str().and_then(|text| text.strip_suffix(EXTENSION));
                name.and_then(FileName::of_minted).map(Ok)
            }
            Err(error) => Some(Err(error)),
        }))
    }
}

const EXTENSION: &str = ".json";

fn file_of(name: &FileName) -> String {
    format!("{name}{EXTENSION}")
}

fn is_busy(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let busy = [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|code| busy.contains(&code))
}

/// True where the private folder is one of this version's; false where it is being made.
/// A newer one is refused: this version does not know what it may not do there.
fn check_format(private: &Dir) -> io::Result<bool> {
    let Some(bytes) = own_file::read(private, FORMAT, 64)? else { return Ok(false) };
    let text = String::from_utf8_lossy(&bytes);
    let version = text.trim_end().strip_prefix(FORMAT_WORDS).and_then(|rest| rest.parse().ok());
    match version {
        Some(VERSION) => Ok(true),
        Some(version) if version > VERSION => {
            let why = format!(
                "this folder has the form \"{FORMAT_WORDS}{version}\" of a newer version of \
                 Unburden, and this one reads up to {VERSION}; run the newer version, or use \
                 another folder"
            );
            Err(io::Error::new(io::ErrorKind::Unsupported, why))
        }
        _ => {
            let why = format!(
                "the file \".unburden/{FORMAT}\" holds {text:?}; \"{FORMAT_WORDS}{VERSION}\" \
                 would be accepted: restore it from a backup, or use another folder"
            );
            Err(io::Error::new(io::ErrorKind::InvalidData, why))
        }
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
