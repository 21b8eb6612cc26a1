//! Finding the store's folders under the roots: those that hold a private folder, or the
//! manifest of an earlier version. The walk is bounded and goes from the top down, so
//! that a bound costs the deepest folders; links are never followed, other users'
//! folders never entered.

use std::collections::VecDeque;
use std::io;

use cap_std::fs::{Dir, MetadataExt};

use super::file::is_own;
use super::{Location, PRIVATE, Roots, manifest, private};

/// How deep under a root a store's folder is looked for.
const DEPTH: usize = 6;

/// Most folders looked into, and most entries looked at, of all roots together.
const BOUNDS: Bounds = Bounds { folders: 50_000, entries: 10_000_000 };

/// Folders that no store is in.
const SKIPPED: [&str; 4] = [PRIVATE, ".git", "node_modules", "target"];

/// What a walk found.
pub(super) struct Walk {
    /// Folders of this user's that are stores.
    pub(super) folders: Vec<Location>,
    /// False where a bound cut the walk short; the depth is none of them.
    pub(super) complete: bool,
}

#[derive(Clone, Copy)]
struct Bounds {
    folders: usize,
    entries: usize,
}

/// Looks for the store's folders under every root.
pub(super) fn walk(roots: &Roots) -> Walk {
    walk_within(roots, BOUNDS)
}

fn walk_within(roots: &Roots, mut left: Bounds) -> Walk {
    let mut walk = Walk { folders: Vec::new(), complete: true };
    let mut waiting: VecDeque<(Location, usize)> = roots.all().map(|root| (root, 0)).collect();
    while let Some((at, depth)) = waiting.pop_front() {
        // What cannot be opened is no folder of this store.
        let Ok(folder) = at.dir().open_dir(at.relative()) else { continue };
        let Ok(metadata) = folder.dir_metadata() else { continue };
        if depth > 0 && !is_own(&metadata) {
            continue;
        }
        let has_private = matches!(private::open(&folder), Ok(Some(_)));
        if has_private || matches!(manifest::open(&folder), Ok(Some(_))) {
            walk.folders.push(at.clone());
        }
        // Two links of its own, and one of each folder in it: there is the private one
        // only, and a million files need not be listed to know it.
        let is_leaf = has_private && metadata.nlink() == 3;
        if depth < DEPTH && !is_leaf && !push_below(&folder, &at, depth, &mut left, &mut waiting) {
            walk.complete = false;
        }
    }
    walk
}

/// Queues the folders right below; false where not all entries were looked at.
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
#[path = "walk_tests.rs"]
mod tests;
