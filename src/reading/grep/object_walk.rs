//! Walks the files of a folder in an object store, in the string order of their relative paths.
//! Fetches several at a time, ahead of the search; of large files only the first range.

use std::io;
use std::vec;

use context_store::{FileReader, Location};
use ignore::overrides::Override;

use super::walk::{Step, selects_file};
use crate::reading::regular_file::is_absent;
use crate::reading::watch::{Watch, WatchedReader};

/// The number of files to fetch at a time.
const AHEAD: usize = 16;

pub(crate) struct ObjectWalk<'a> {
    files: vec::IntoIter<(String, Location)>,
    ahead: vec::IntoIter<(String, io::Result<FileReader>)>,
    watch: &'a Watch,
    is_whole: bool,
}

impl<'a> ObjectWalk<'a> {
    /// Lists at most `most` files.
    pub(crate) fn new(
        at: &Location,
        glob: &Override,
        watch: &'a Watch,
        most: usize,
    ) -> io::Result<ObjectWalk<'a>> {
        let selects = |path: &str| selects_file(glob, path);
        let (files, is_whole) = at.files_below(most, &selects)?;
        Ok(ObjectWalk { files: files.into_iter(), ahead: Vec::new().into_iter(), watch, is_whole })
    }
}

impl<'a> Iterator for ObjectWalk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        loop {
            if self.watch.check().is_err() {
                return Some(Step::Late);
            }
            match self.ahead.next() {
                Some((path, Ok(file))) => {
                    let file = WatchedReader { inner: file, watch: self.watch };
                    return Some(Step::File { path, file });
                }
                // The file expired or was deleted.
                Some((_, Err(error))) if is_absent(&error) => {}
                Some((path, Err(_))) => return Some(Step::Unreadable { path }),
                None => {
                    let (paths, files): (Vec<_>, Vec<_>) = self.files.by_ref().take(AHEAD).unzip();
                    if paths.is_empty() {
                        let was_whole = std::mem::replace(&mut self.is_whole, true);
                        return (!was_whole).then_some(Step::TooMany);
                    }
                    let opened = Location::open_readers(&files);
                    self.ahead = paths.into_iter().zip(opened).collect::<Vec<_>>().into_iter();
                }
            }
        }
    }
}
