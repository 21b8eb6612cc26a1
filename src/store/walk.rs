//! Finding the store's folders under the roots: those that hold a manifest. The
//! walk is bounded and goes from the top down, so that a bound costs the deepest
//! folders; links are never followed, other users' folders never entered.

use std::collections::VecDeque;
use std::io;

use cap_std::fs::Dir;
use rustix::fs::OFlags;

use super::file::is_own;
use super::{Location, Roots, manifest};

/// How deep under a root a store's folder is looked for.
const DEPTH: usize = 6;

/// Most entries looked at, of all roots together.
const ENTRIES: usize = 50_000;

/// Folders that no store is in.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];

/// What a walk found.
pub(super) struct Walk {
    /// Folders that hold this user's manifest.
    pub(super) folders: Vec<Location>,
    /// False where a bound cut the walk short; the depth is none of them.
    pub(super) complete: bool,
}

/// Looks for the store's folders under every root.
pub(super) fn walk(roots: &Roots) -> Walk {
    walk_within(roots, ENTRIES)
}

fn walk_within(roots: &Roots, entries: usize) -> Walk {
    let mut left = entries;
    let mut walk = Walk { folders: Vec::new(), complete: true };
    let mut waiting: VecDeque<(Location, usize)> = roots.all().map(|root| (root, 0)).collect();
    while let Some((at, depth)) = waiting.pop_front() {
        // What cannot be opened is no folder of this store.
        let Ok(folder) = at.dir().open_dir(at.relative()) else { continue };
        let own = folder.dir_metadata().is_ok_and(|metadata| is_own(&metadata));
        if depth > 0 && !own {
            continue;
        }
        if let Ok(Some(_)) = manifest::open(&folder, OFlags::RDONLY) {
            walk.folders.push(at.clone());
        }
        if depth < DEPTH && !push_below(&folder, &at, depth, &mut left, &mut waiting) {
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
    left: &mut usize,
    waiting: &mut VecDeque<(Location, usize)>,
) -> bool {
    let Ok(entries) = folder.entries() else { return true };
    for entry in entries {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let Ok(name) = entry.and_then(|entry| match entry.file_type()?.is_dir() {
            true => Ok(entry.file_name()),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }) else {
            continue;
        };
        if let Some(name) = name.to_str().filter(|name| !SKIPPED.contains(name)) {
            waiting.push_back((at.child(name), depth + 1));
        }
    }
    true
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
