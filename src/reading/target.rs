//! The place that a query reads.

use std::path::Path;

use cap_std::fs::Dir;

/// The place that a query reads, under a confined handle, and the caller's spelling of it,
/// which is the only one in answers and errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The handle that nothing outside of is opened through.
    pub dir: &'a Dir,
    /// Relative to `dir`; empty means `dir` itself.
    pub path: &'a Path,
    /// The path as the caller spells it.
    pub spelled: &'a str,
}
