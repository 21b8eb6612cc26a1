//! Lifetimes: how long a lease lasts.

use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use cap_std::fs::File;

use crate::names::file_name::{FileName, has_own_ttl};
use crate::names::lro_name::LroName;

/// Number of bytes at the beginning of a large result that a [`HeaderTtl`] gets.
pub(super) const HEADER_BYTES: u64 = 64 * 1024;

/// Reads a lifetime in seconds from the first 64 KiB of a large result's file: `None` if the header
/// states none, `Some(None)` if it states that the file never expires.
pub type HeaderTtl = fn(&[u8]) -> Option<Option<u64>>;

/// The lifetimes of files that have none of their own.
///
/// ```
/// use std::time::Duration;
///
/// let day = Duration::from_secs(86_400);
/// let lifetimes = context_store::Lifetimes {
///     store: Some(30 * day),
///     lro: None,
///     temporary: Duration::from_secs(3_600),
///     header_ttl: |_| None,
/// };
/// assert_eq!(lifetimes.store, Some(30 * day));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// The lifetime of results, groups, lists and cached snapshots; `None` if they never expire.
    pub store: Option<Duration>,
    /// The lifetime of large results; `None` if they never expire.
    pub lro: Option<Duration>,
    /// The lifetime of temporary files that a crashed process left.
    pub temporary: Duration,
    /// The function that reads a large result's header.
    pub header_ttl: HeaderTtl,
}

impl Lifetimes {
    /// Returns the lifetime of `name`. For a large result that is not part of a history, it is the
    /// one in its header (`head`), otherwise that in its record (`recorded`, in seconds), otherwise
    /// that of large results; for any other file, that of the folder.
    pub(crate) fn of(
        &self,
        name: &FileName,
        recorded: impl FnOnce() -> Option<u64>,
        head: &[u8],
    ) -> Option<Duration> {
        if !has_own_ttl(name) {
            return self.store;
        }
        match (self.header_ttl)(head) {
            Some(own) => own.map(Duration::from_secs),
            None => recorded().map(Duration::from_secs).or(self.lro),
        }
    }
}

/// Returns true if a lease that began at `modified` has expired. A file with a time in the future
/// is not old, and an end that the system cannot represent never comes.
pub(crate) fn is_expired(modified: SystemTime, ttl: Option<Duration>, now: SystemTime) -> bool {
    let end = ttl.and_then(|ttl| modified.checked_add(ttl));
    end.is_some_and(|end| now >= end)
}

/// Returns true if it is the name of a large result.
pub(crate) fn is_lro(name: &FileName) -> bool {
    LroName::parse(name.as_str()).is_some()
}

/// Reads the first bytes of a large result; empty for any other file.
pub(crate) fn read_head(file: &File, name: &FileName) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    if is_lro(name) {
        file.take(HEADER_BYTES).read_to_end(&mut head)?;
    }
    Ok(head)
}
