//! Reads stored files from an object store: the record tells whether a file lives, and its content
//! comes from the cache, or is fetched whole or in ranges.

use std::io;

use cap_std::fs::{File, Metadata};

use super::client::Objects;
use super::content_cache::Fetched;
use super::folder::Place;
use super::range_reader::RangeReader;
use crate::index::folder_index::Index;
use crate::index::records::RecordState;
use crate::local::location::Location;
use crate::names::file_name::FileName;
use crate::read::ended::EndedFile;
use crate::read::file_reader::FileReader;
use crate::records::record::Record;

/// Maximum size of a content that is always fetched whole, in bytes.
pub(crate) const SMALL: u64 = 1024 * 1024;

/// A live file of an object store.
#[derive(Clone)]
pub(crate) struct StoredObject {
    pub(crate) record: Record,
    content: Place,
}

impl StoredObject {
    /// Finds the file at a location.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::NotFound`] if no file lives there, with the [`EndedFile`] if one
    /// did, and with the store's reason if it is not available.
    pub(crate) fn find(at: &Location) -> io::Result<StoredObject> {
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        let (folder, name) = at.parent().ok_or_else(absent)?;
        let name = FileName::parse(name).ok_or_else(absent)?;
        let opened = folder.open_folder()?.ok_or_else(absent)?;
        let index = Index::open(&opened)?.ok_or_else(absent)?;
        let RecordState::Present(record) = index.records.read(&name)? else {
            return Err(absent());
        };
        if record.ended.is_some() {
            return Err(io::Error::new(io::ErrorKind::NotFound, EndedFile::of(record)));
        }
        let place = folder.place().ok_or_else(absent)?;
        Ok(StoredObject::of(&place, &name, record))
    }

    /// Calls `read` with the file, which was found at a location. If its content is missing, the
    /// file has ended meanwhile, or lives again; only a lost content stays missing.
    ///
    /// # Errors
    ///
    /// Fails like [`StoredObject::find`] and `read`.
    pub(crate) fn read<T>(
        mut self,
        at: &Location,
        read: impl Fn(&StoredObject) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match read(&self) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let known = std::mem::replace(&mut self, StoredObject::find(at)?);
                    if known.record.life == self.record.life {
                        return Err(error);
                    }
                }
                read => return read,
            }
        }
    }

    /// Returns the file of a record in a store's folder.
    pub(crate) fn of(folder: &Place, name: &FileName, record: Record) -> StoredObject {
        StoredObject { content: folder.contents().child(&record.file(name)), record }
    }

    /// Replaces the content without changing the record.
    #[cfg(test)]
    pub(crate) fn overwrite(&self, text: &str) {
        let Place { objects, patience, key } = &self.content;
        objects.put(key, text.into(), patience).unwrap();
    }

    fn objects(&self) -> &Objects {
        &self.content.objects
    }

    /// Opens the content, whole and checked.
    ///
    /// # Errors
    ///
    /// Fails with [`io::ErrorKind::NotFound`] if the content is missing.
    pub(crate) fn open(&self) -> io::Result<(File, Metadata)> {
        let Some(hash) = self.record.hash else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let file = match self.objects().cache.get(&hash) {
            Some(file) => file,
            None => self.fetch(&hash)?,
        };
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    fn fetch(&self, hash: &blake3::Hash) -> io::Result<File> {
        let mut fetched = self.objects().cache.begin()?;
        self.fetch_to(&mut fetched, self.record.bytes)?;
        fetched.end(hash)
    }

    /// Fetches bytes of the content, up to `end`.
    pub(crate) fn fetch_to(&self, fetched: &mut Fetched, end: u64) -> io::Result<()> {
        let Place { objects, patience, key } = &self.content;
        objects.fetch(key, fetched, end, patience)
    }

    /// Returns true if the content is in the cache.
    pub(crate) fn is_cached(&self) -> bool {
        self.record.hash.is_some_and(|hash| self.objects().cache.get(&hash).is_some())
    }

    /// Opens the content for one pass from its start.
    pub(crate) fn reader(&self) -> io::Result<FileReader> {
        if self.record.bytes <= SMALL || self.is_cached() {
            return self.open().map(|(file, _)| FileReader::file(file));
        }
        let fetched = self.objects().cache.begin()?;
        RangeReader::begin(self.clone(), fetched).map(FileReader::ranges)
    }

    /// Reads the first bytes, at most `max_bytes`, of the cached content or of the object.
    pub(crate) fn start(&self, max_bytes: u64) -> io::Result<Vec<u8>> {
        use std::io::Read;
        let cached = self.record.hash.and_then(|hash| self.objects().cache.get(&hash));
        if let Some(file) = cached {
            let mut start = Vec::new();
            file.take(max_bytes).read_to_end(&mut start)?;
            return Ok(start);
        }
        if self.record.bytes == 0 {
            return Ok(Vec::new());
        }
        let Place { objects, patience, key } = &self.content;
        let read = objects.get(key, Some(max_bytes), patience)?;
        read.map(|read| read.bytes).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}
