//! The options of a sweep.

use crate::clock::moment::Moment;
use crate::lease::lifetimes::Lifetimes;
use crate::local::location::Location;
use crate::local::roots::Roots;
use crate::report::Run;

/// The options of a sweep.
///
/// ```
/// use std::time::Duration;
///
/// use context_store::{Lifetimes, Moment, RootSpec, Roots, Run, SweepOptions, sweep};
///
/// let folder = tempfile::tempdir()?;
/// let roots = Roots::open(&[RootSpec::parse(&folder.path().display().to_string())])?;
/// let hour = Duration::from_secs(3_600);
/// let lifetimes =
///     Lifetimes { store: Some(hour), lro: None, temporary: hour, header_ttl: |_| None };
/// let options = SweepOptions {
///     roots: &roots,
///     folders: &[],
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
    /// Every store under these roots is swept.
    pub roots: &'a Roots,
    /// Further folders, under the roots or not. In one without an index, only large results
    /// whose header says so expire.
    pub folders: &'a [Location],
    /// The lifetimes of files that have none of their own.
    pub lifetimes: &'a Lifetimes,
    /// The moment at which a lease has expired or not. The folder's clock tells how old a
    /// file is by then.
    pub now: &'a Moment,
    /// Whether files are deleted.
    pub run: Run,
}
