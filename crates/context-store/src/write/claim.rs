//! A claim: the name of a content before it is written.

use std::collections::HashMap;

use crate::names::file_name::FileName;
use crate::names::stem::Stem;
use crate::records::origin::Origin;

/// A content, and the name that it has or will get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name.
    pub name: FileName,
    /// The content's hash.
    pub hash: blake3::Hash,
    /// True if a file of that name already holds this content.
    pub stored: bool,
}

/// A function that returns true for names that no claim may get.
pub type ExcludedNames<'a> = &'a (dyn Fn(&FileName) -> bool + Sync);

/// Excludes no name.
pub(crate) const NONE_EXCLUDED: fn(&FileName) -> bool = |_| false;

/// The names claimed in one request: two parts of a request must not get one name for different
/// contents.
#[derive(Debug, Default)]
pub struct Claims(HashMap<FileName, Claim>);

impl Claims {
    pub(super) fn get(&self, name: &FileName) -> Option<&Claim> {
        self.0.get(name)
    }

    pub(super) fn add(&mut self, claim: Claim) {
        self.0.insert(claim.name.clone(), claim);
    }
}

/// A file to write.
#[derive(Debug, Clone)]
pub struct ClaimedFile {
    /// The source of its names.
    pub stem: Stem,
    /// The name and the content's hash.
    pub claim: Claim,
    /// The call and chat that made it.
    pub origin: Origin,
}
