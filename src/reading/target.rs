//! The place that a query reads.

use std::path::Path;

use cap_std::fs::Dir;
use context_store::Location;

/// The place that a query reads, and the caller's spelling of it. Answers and errors contain only
/// that spelling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The place.
    pub place: Place<'a>,
    /// The path as the caller spells it.
    pub spelled: &'a str,
}

/// A place below a root.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// A path under a confined handle: nothing outside of the handle can be opened. An empty path
    /// means the handle itself.
    Local(&'a Dir, &'a Path),
    /// A path in an object store.
    Objects(&'a Location),
}

impl<'a> Target<'a> {
    /// Returns the target of a location.
    pub(crate) fn of(at: &'a Location) -> Target<'a> {
        let place = match at.local() {
            Some((dir, path)) => Place::Local(dir, path),
            None => Place::Objects(at),
        };
        Target { place, spelled: at.spelled() }
    }

    /// Returns a target below an open folder.
    #[cfg(test)]
    pub(crate) fn local(dir: &'a Dir, path: &'a Path, spelled: &'a str) -> Target<'a> {
        Target { place: Place::Local(dir, path), spelled }
    }

    /// Returns the path inside the root.
    pub(crate) fn path(&self) -> &'a Path {
        match self.place {
            Place::Local(_, path) => path,
            Place::Objects(at) => at.relative(),
        }
    }
}
