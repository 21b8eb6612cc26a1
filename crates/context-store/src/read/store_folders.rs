//! Finds the folders of stores under the roots: those that contain a private folder. The walk has
//! limits and goes from the top down, so that a limit omits the deepest folders. Links are never
//! followed, and other users' folders never entered.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use cap_std::fs::{Dir, MetadataExt};

use crate::local::location::Location;
use crate::local::open::is_own;
use crate::local::own_file;
use crate::local::private::PRIVATE;
use crate::local::roots::Roots;
use crate::objects::client::Objects;
use crate::objects::patience::Patience;

/// Maximum depth below a root.
const DEPTH: usize = 6;

/// Maximum number of folders searched and of entries read, for all roots together.
const BOUNDS: Bounds = Bounds { folders: 50_000, entries: 10_000_000 };

/// Folders that are not searched.
const SKIPPED: [&str; 4] = [PRIVATE, ".git", "node_modules", "target"];

/// The folders of stores under the roots.
pub(crate) struct StoreFolders {
    /// This user's folders that are stores.
    pub(crate) folders: Vec<Location>,
    /// False if a limit other than the depth stopped the walk.
    pub(crate) complete: bool,
}

#[derive(Clone, Copy)]
struct Bounds {
    folders: usize,
    entries: usize,
}

/// Returns every folder under the roots that is a store, sorted by path. The walk has the same
/// limits as that of a sweep.
///
/// # Errors
///
/// Fails if an object store is not available.
pub fn store_folders(roots: &Roots) -> io::Result<Vec<Location>> {
    let found = match roots.objects() {
        Some(objects) => listed(roots, objects, &roots.patience(), BOUNDS.folders)?,
        None => find_store_folders(roots),
    };
    let mut folders = found.folders;
    folders.sort_by(|a, b| a.spelled().cmp(b.spelled()));
    Ok(folders)
}

/// Finds the folders of stores under every root.
pub(crate) fn find_store_folders(roots: &Roots) -> StoreFolders {
    find_within(roots, BOUNDS)
}

fn find_within(roots: &Roots, mut left: Bounds) -> StoreFolders {
    if let Some(objects) = roots.objects() {
        let found = listed(roots, objects, &Arc::new(Patience::unlimited()), left.folders);
        return found.unwrap_or(StoreFolders { folders: Vec::new(), complete: false });
    }
    let mut found = StoreFolders { folders: Vec::new(), complete: true };
    let mut waiting: VecDeque<(Location, usize)> = roots.all().map(|root| (root, 0)).collect();
    while let Some((at, depth)) = waiting.pop_front() {
        // A folder that cannot be opened is not a store of this user.
        let Some(Ok(folder)) = at.local().map(|(dir, path)| dir.open_dir(path)) else { continue };
        let Ok(metadata) = folder.dir_metadata() else { continue };
        if depth > 0 && !is_own(&metadata) {
            continue;
        }
        let has_private = matches!(own_file::open_folder(&folder, PRIVATE), Ok(Some(_)));
        if has_private {
            found.folders.push(at.clone());
        }
        // A folder has two links, plus one for each folder in it. With three, the private folder is
        // the only one, so that a million files need not be listed to find this out.
        let is_leaf = has_private && metadata.nlink() == 3;
        if depth < DEPTH && !is_leaf && !push_below(&folder, &at, depth, &mut left, &mut waiting) {
            found.complete = false;
        }
    }
    found
}

/// Returns the folders under the roots that are registered as stores in the object store.
fn listed(
    roots: &Roots,
    objects: &Arc<Objects>,
    patience: &Arc<Patience>,
    most: usize,
) -> io::Result<StoreFolders> {
    let paths = objects.stores(patience, most.saturating_add(1))?;
    let complete = paths.len() <= most;
    let folders = paths.iter().take(most).filter_map(|path| roots.at_real(path)).collect();
    Ok(StoreFolders { folders, complete })
}

/// Queues the folders directly below. Returns false if a limit was reached.
fn push_below(
    folder: &Dir,
    at: &Location,
    depth: usize,
    left: &mut Bounds,
    waiting: &mut VecDeque<(Location, usize)>,
) -> bool {
    let Ok(entries) = folder.entries() else { return true };
    for entry in entries {
        if left.entries == 0 {
            return false;
        }
        left.entries -= 1;
        let Ok(name) = entry.and_then(|entry| match entry.file_type()?.is_dir() {
            true => Ok(entry.file_name()),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }) else {
            continue;
        };
        if let Some(name) = name.to_str().filter(|name| !SKIPPED.contains(name)) {
            if left.folders == 0 {
                return false;
            }
            left.folders -= 1;
            waiting.push_back((at.child(name), depth + 1));
        }
    }
    true
}

#[cfg(test)]
#[path = "store_folders_tests.rs"]
mod tests;
