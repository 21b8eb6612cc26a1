//! The options of a sweep.

use crate::clock::moment::Moment;
use crate::lease::lifetimes::Lifetimes;
use crate::local::location::Location;
use crate::local::roots::Roots;
use crate::report::Run;

/// The files that a sweep covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every store under the roots, and the given folders, as far as they exist.
    Roots,
    /// The given folders only; one that does not exist is a failure.
    Folders,
}

/// The options of a sweep.
///
/// ```
/// use std::time::Duration;
///
/// use context_store::{Coverage, Lifetimes, Moment, RootSpec, Roots, Run, SweepOptions, sweep};
///
/// let folder = tempfile::tempdir()?;
/// let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
/// let hour = Duration::from_secs(3_600);
/// let lifetimes =
///     Lifetimes { store: Some(hour), lro: None, temporary: hour, header_ttl: |_| None };
/// let options = SweepOptions {
///     roots: &roots,
///     folders: &[],
///     coverage: Coverage::Roots,
///     lifetimes: &lifetimes,
///     now: &Moment::now(),
///     run: Run::Dry,
/// };
/// let report = sweep(&options, &mut |_event| {});
/// assert_eq!(report.expired.total(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct SweepOptions<'a> {
    /// The roots that the folders are under.
    pub roots: &'a Roots,
    /// Folders to sweep. In a folder without an index, only large results expire, by their header.
    pub folders: &'a [Location],
    /// Whether other stores are swept, too.
    pub coverage: Coverage,
    /// The lifetimes of files that have none of their own.
    pub lifetimes: &'a Lifetimes,
    /// The moment that decides whether a lease has expired. The folder's clock tells how old a file
    /// is at this moment.
    pub now: &'a Moment,
    /// Whether files are deleted.
    pub run: Run,
}
