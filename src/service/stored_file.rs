//! Access to the stored files that a request names.

use std::fmt::Write;
use std::io::ErrorKind;
use std::time::Instant;

use redact::Redact;

use super::budget::GrowingReservation;
use super::failure::Failure;
use super::state::Service;
use crate::reading::error::{ReloadError, SeveralFiles};
use crate::reading::regular_file::unopened;
use crate::snapshot::format::originals::Originals;
use context_store::{
    Allowance, Call, End, EndedFile, Location, ReadError, Reader, StoreError, ended_file, is_away,
    rfc3339,
};

/// Copies of a text in memory while it is read: itself, escaped, and in the answer.
pub(super) const COPIES: u64 = 3;

/// Returns an answer if the start of a file suffices for it.
type FromStart<'a, T> = &'a dyn Fn(&str) -> Option<T>;

/// Length of the start of a file that is read first if it may suffice, in bytes.
const START_BYTES: u64 = 1024 * 1024;

impl Service {
    /// Returns the failure for a file that cannot be read; for a deleted file with the reason
    /// and the call that created it.
    pub(super) fn no_file(
        &self,
        field: &'static str,
        at: &Location,
        source: ReloadError,
    ) -> Failure {
        let ReloadError::NotFound { path, ended } = source else {
            return Failure::Reload { field, source };
        };
        let ended = ended.map_or_else(|| ended_file(at), |ended| Ok(Some(*ended)));
        let source = match ended {
            Err(error) if is_away(&error) => unopened(path, error),
            Err(_) | Ok(None) => {
                several(&path).unwrap_or(ReloadError::NotFound { path, ended: None })
            }
            Ok(Some(ended)) => gone_file_error(at, ended, self.large.redact)
                .unwrap_or(ReloadError::NotFound { path, ended: None }),
        };
        Failure::Reload { field, source }
    }

    /// Returns the limits of an operation that starts now: it reads at most `bytes` of files,
    /// into memory that `hold` reserves.
    pub(super) fn allowance<'a>(
        &self,
        bytes: u64,
        hold: &'a (dyn Fn(u64) -> bool + Sync),
    ) -> Allowance<'a> {
        Allowance { bytes, until: Instant::now() + self.time_limit, hold }
    }

    /// Reads the file that a request names, of at most `bytes`, and passes its text to
    /// `answer`. Reserves memory for [`COPIES`] copies.
    pub(super) fn with_text<T>(
        &self,
        field: &'static str,
        at: &Location,
        bytes: u64,
        answer: impl FnOnce(&str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.with_start(field, at, bytes, None, answer)
    }

    /// Like [`Service::with_text`], but reads only the start of a large file of an object store if
    /// `from_start` returns an answer to it.
    pub(super) fn with_start<T>(
        &self,
        field: &'static str,
        at: &Location,
        bytes: u64,
        from_start: Option<FromStart<'_, T>>,
        answer: impl FnOnce(&str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let memory = GrowingReservation::new(&self.budget);
        let hold = |bytes: u64| memory.take(bytes.saturating_mul(COPIES));
        let reader = Reader::new(&self.offloader.file_cache, self.allowance(bytes, &hold));
        if let Some(from_start) = from_start
            && let Ok(Some(start)) = reader.start(at, START_BYTES)
            && let Some(answer) = from_start(&start)
        {
            return Ok(answer);
        }
        match reader.text(at) {
            Ok(stored) => answer(&stored.text),
            Err(ReadError::Memory) => Err(memory.error().into()),
            Err(error) => Err(self.no_file(field, at, unread(at, error))),
        }
    }

    /// Returns the location of a path to read. A path outside the roots is reported as missing,
    /// so that callers cannot tell the two apart.
    pub(super) fn readable(&self, field: &'static str, path: &str) -> Result<Location, Failure> {
        self.roots.locate(path).map_err(|source| match source {
            StoreError::Outside { .. } | StoreError::Private { .. } => missing(field, path),
            source => Failure::Store { field, source },
        })
    }
}

/// Returns the error for a file that was not read whole.
fn unread(at: &Location, error: ReadError) -> ReloadError {
    let path = at.spelled().to_owned();
    match error {
        ReadError::Missing(source) if source.kind() == ErrorKind::InvalidInput => {
            ReloadError::NotAFile { path }
        }
        ReadError::Missing(source) => unopened(path, source),
        ReadError::TooLarge { found, limit } => ReloadError::TooLarge { path, found, limit },
        ReadError::NotText(byte_offset) => ReloadError::NotText { path, byte_offset },
        // Of the limits on many files, a single file reaches only the one on time.
        ReadError::Deadline | ReadError::Memory | ReadError::Allowance(_) | ReadError::Searched => {
            ReloadError::TooSlow { path }
        }
    }
}

/// Returns the error for a path that names several files.
pub(super) fn several(path: &str) -> Option<ReloadError> {
    let files = Originals::several(path)?;
    let newest = files.newest()?;
    let folder = newest.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
    let files = SeveralFiles { count: files.names(), newest, folder, glob: files.glob() };
    Some(ReloadError::Several { path: path.to_owned(), files: Box::new(files) })
}

/// Returns the failure for a path that does not exist.
pub(super) fn missing(field: &'static str, path: &str) -> Failure {
    Failure::Reload { field, source: ReloadError::NotFound { path: path.to_owned(), ended: None } }
}

/// Returns what is known of a file that no longer exists.
fn gone_file_error(at: &Location, ended: EndedFile, redact: Redact) -> Option<ReloadError> {
    let EndedFile { call, ended } = ended;
    let (when, end) = ended?;
    let (path, when) = (at.spelled().to_owned(), rfc3339(when));
    if end == End::ChatDeleted {
        return Some(ReloadError::Deleted { path, at: when });
    }
    let Call { tool, call_id, arguments } = call;
    // They may have been stored before redaction was enabled.
    let word = |word: String| redact.word(&word).into_owned();
    let (tool, call_id) = (tool.map(word), call_id.map(word));
    let arguments = arguments.map(|arguments| redact.text(arguments));
    let mut again = match (tool, arguments) {
        (Some(tool), Some(arguments)) => format!("the call {tool}({arguments})"),
        (Some(tool), None) => format!("a call of {tool}"),
        (None, _) => "the call that made it".to_owned(),
    };
    if let Some(id) = call_id {
        let _ = write!(again, " (it was {id})");
    }
    Some(ReloadError::Expired { path, expired_at: when, again })
}
