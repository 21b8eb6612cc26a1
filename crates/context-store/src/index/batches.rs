//! Batches: a limited number of files end at a time, so that others get the lock in between.

use std::io;
use std::time::Duration;

use crate::folder::Folder;
use crate::names::file_name::FileName;

/// Maximum number of files that end under one lock.
pub(crate) const BATCH: usize = 256;

/// Pause between two batches, in which others can take the lock.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);

/// Calls `each` with the file names in the entries of a folder, in batches.
pub(crate) fn each_batch(
    folder: &Folder,
    mut each: impl FnMut(&[FileName]) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = Vec::new();
    for name in folder.names()? {
        names.extend(FileName::parse(&name?));
        if names.len() >= BATCH {
            each(&std::mem::take(&mut names))?;
            std::thread::sleep(PAUSE);
        }
    }
    if names.is_empty() { Ok(()) } else { each(&names) }
}
