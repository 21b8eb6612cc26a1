//! Walks the files under a folder, one at a time, in the string order of their relative paths, so
//! that a truncated search has seen exactly the first of them. Yields only regular files: links are
//! not followed, and names that begin with a dot are skipped.

use std::{ffi::OsString, io, os::unix::ffi::OsStrExt, path::Path, vec};

use cap_std::fs::Dir;
use context_store::FileReader;
use ignore::overrides::{Override, OverrideBuilder};

use crate::reading::error::ReloadError;
use crate::reading::regular_file::{self, Opened, Symlinks};
use crate::reading::watch::{Interruption, Watch, WatchedReader};

/// Maximum depth of folders. Each level holds a handle open.
const DEPTH: usize = 64;

/// The next step of a walk.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    File {
        path: String,
        file: WatchedReader<'a, FileReader>,
    },
    /// A file or folder that exists, but cannot be read.
    Unreadable {
        path: String,
    },
    /// A folder that is too deep.
    TooDeep {
        path: String,
    },
    /// A folder with more entries than one search visits.
    TooMany,
    /// The deadline has passed.
    Late,
}

#[derive(Debug)]
pub(crate) struct Walk<'a> {
    folders: Vec<Folder>,
    glob: &'a Override,
    watch: &'a Watch,
    /// Maximum number of entries in one folder.
    entries: usize,
}

#[derive(Debug)]
struct Folder {
    dir: Dir,
    /// The prefix of every path in it: empty, or ending in a slash.
    prefix: String,
    entries: vec::IntoIter<Entry>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The name, with a slash after that of a folder. In the order of these keys, a depth-first
    /// walk visits whole paths in string order.
    key: Vec<u8>,
    name: OsString,
    kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EntryKind {
    File,
    Folder,
}

/// The reason that a folder could not be listed.
#[derive(Debug)]
enum Unlisted {
    Late,
    TooMany,
    Io,
}

/// Parses a glob like ripgrep's `-g`: `*.txt` matches at any depth, a leading `!` excludes.
pub(crate) fn compile_glob(glob: Option<&str>, limit: usize) -> Result<Override, ReloadError> {
    let Some(glob) = glob else {
        return Ok(Override::empty());
    };
    let bad = |reason: String| ReloadError::BadGlob { glob: glob.to_owned(), reason };
    if glob.len() > limit {
        return Err(bad(format!("it has {} bytes; accepted are at most {limit}", glob.len())));
    }
    // The library parses lines of ignore files, in which this is a comment.
    let line = if glob.starts_with('#') { format!("\\{glob}") } else { glob.to_owned() };
    let mut builder = OverrideBuilder::new("");
    builder.add(&line).map_err(|error| bad(error.to_string()))?;
    builder.build().map_err(|error| bad(error.to_string()))
}

impl<'a> Walk<'a> {
    pub(crate) fn new(root: Dir, glob: &'a Override, watch: &'a Watch, entries: usize) -> Self {
        let root = Folder {
            dir: root,
            prefix: String::new(),
            // The root lists itself as its first entry, so that listing it
            // fails the same way as listing any other folder.
            entries: vec![Entry { key: b"./".to_vec(), name: ".".into(), kind: EntryKind::Folder }]
                .into_iter(),
        };
        Self { folders: vec![root], glob, watch, entries }
    }

    fn enter(&mut self, dir: Dir, prefix: String) -> Option<Step<'a>> {
        match self.list(&dir, &prefix) {
            Ok(entries) => {
                self.folders.push(Folder { dir, prefix, entries: entries.into_iter() });
                None
            }
            Err(Unlisted::Late) => Some(Step::Late),
            Err(Unlisted::TooMany) => Some(Step::TooMany),
            Err(Unlisted::Io) => Some(Step::Unreadable { path: prefix }),
        }
    }

    fn list(&self, dir: &Dir, prefix: &str) -> Result<Vec<Entry>, Unlisted> {
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            self.watch.check()?;
            let entry = entry?;
            let name = entry.file_name();
            if name.as_bytes().starts_with(b".") {
                continue;
            }
            let mut file_type = entry.file_type()?;
            if !(file_type.is_file() || file_type.is_dir() || file_type.is_symlink()) {
                // Some file systems do not report the type in a listing.
                match entry.metadata() {
                    Ok(metadata) => file_type = metadata.file_type(),
                    Err(_gone) => continue,
                }
            }
            let mut key = name.as_bytes().to_vec();
            let kind = if file_type.is_file() {
                EntryKind::File
            } else if file_type.is_dir() {
                key.push(b'/');
                EntryKind::Folder
            } else {
                continue;
            };
            let path = format!("{prefix}{}", name.to_string_lossy());
            if selects(self.glob, &path, kind) {
                if entries.len() == self.entries {
                    return Err(Unlisted::TooMany);
                }
                entries.push(Entry { key, name, kind });
            }
        }
        entries.sort_unstable();
        Ok(entries)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        loop {
            let depth = self.folders.len();
            let folder = self.folders.last_mut()?;
            let Some(entry) = folder.entries.next() else {
                self.folders.pop();
                continue;
            };
            let path = if entry.name == "." {
                String::new()
            } else {
                format!("{}{}", folder.prefix, entry.name.to_string_lossy())
            };
            let name = Path::new(&entry.name);
            match regular_file::open(&folder.dir, name, Symlinks::Refuse, self.watch) {
                Ok(Some(Opened::File(file))) => return Some(Step::File { path, file }),
                Ok(Some(Opened::Folder(_))) if depth > DEPTH => {
                    return Some(Step::TooDeep { path });
                }
                // Never below a local folder.
                Ok(Some(Opened::Objects(_))) => {}
                Ok(Some(Opened::Folder(dir))) => {
                    let prefix = if path.is_empty() { path } else { path + "/" };
                    if let Some(step) = self.enter(dir, prefix) {
                        return Some(step);
                    }
                }
                // Replaced by something else, or deleted, since the listing.
                Ok(None) => {}
                Err(error) if regular_file::is_absent(&error) => {}
                Err(_) => return Some(Step::Unreadable { path }),
            }
        }
    }
}

/// Returns true if a glob selects a file, or a folder to enter.
fn selects(glob: &Override, path: &str, kind: EntryKind) -> bool {
    !glob.matched(path, kind == EntryKind::Folder).is_ignore()
}

/// Returns true if a glob selects the one file that a query names.
pub(crate) fn selects_file(glob: &Override, name: &str) -> bool {
    selects(glob, name, EntryKind::File)
}

impl From<io::Error> for Unlisted {
    fn from(_: io::Error) -> Self {
        Self::Io
    }
}

impl From<Interruption> for Unlisted {
    fn from(_: Interruption) -> Self {
        Self::Late
    }
}
