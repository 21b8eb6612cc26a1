//! One pass over a stored file.

use std::fmt;
use std::io::{self, Read};

use cap_std::fs::File;

use crate::objects::range_reader::RangeReader;

/// A stored file that is read from its start, locally or from an object store.
pub struct FileReader(Source);

enum Source {
    File(File),
    Ranges(Box<RangeReader>),
}

impl FileReader {
    /// Returns the reader of an open file.
    pub fn file(file: File) -> FileReader {
        FileReader(Source::File(file))
    }

    pub(crate) fn ranges(ranges: RangeReader) -> FileReader {
        FileReader(Source::Ranges(Box::new(ranges)))
    }
}

impl Read for FileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Source::File(file) => file.read(buffer),
            Source::Ranges(ranges) => ranges.read(buffer),
        }
    }
}

impl fmt::Debug for FileReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::File(_) => "FileReader(file)",
            Source::Ranges(_) => "FileReader(ranges)",
        })
    }
}
