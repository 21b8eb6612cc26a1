//! Modification times: the beginning of a file's lease.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, File, Metadata};
use rustix::fs::{Timespec, Timestamps, UTIME_OMIT};

use super::open::{is_own, open_to_read};

/// Maximum difference between two clocks that show the same moment.
pub(crate) const SAME_MOMENT: Duration = Duration::from_secs(2);

/// Returns a file's modification time.
pub(crate) fn modified(metadata: &Metadata) -> io::Result<SystemTime> {
    Ok(metadata.modified()?.into_std())
}

/// Sets the modification time of an open file.
pub(crate) fn set_modified(file: &File, at: SystemTime) -> io::Result<()> {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let times = Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: since.subsec_nanos().into() },
    };
    Ok(rustix::fs::futimens(file, &times)?)
}

/// Sets the time of a file that was just written, if the file system's clock differs from this
/// process's.
pub(super) fn correct_modified(file: &File) -> io::Result<()> {
    let (now, written) = (SystemTime::now(), modified(&file.metadata()?)?);
    let apart = now.duration_since(written).unwrap_or_else(|later| later.duration());
    if apart > SAME_MOMENT { set_modified(file, now) } else { Ok(()) }
}

/// Restarts the lease of an existing file whose path is returned again. A failure is logged: the
/// lease is then shorter, but no data is lost.
pub(crate) fn touch(folder: &Dir, name: &str) {
    let touched = open_to_read(folder, name).and_then(|(file, metadata)| {
        if is_own(&metadata) { set_modified(&file, SystemTime::now()) } else { Ok(()) }
    });
    if let Err(error) = touched {
        tracing::warn!(%error, "a lease could not be renewed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{folder, seconds, set_modified, start};

    /// If the file system has another clock, a file still gets this process's time.
    #[test]
    fn a_file_is_dated_by_the_clock_that_it_expires_by() {
        let (temp, _dir) = folder();
        let path = temp.path().join("tool_call_1.txt");
        std::fs::write(&path, "x").unwrap();
        let open = || File::from_std(std::fs::File::options().write(true).open(&path).unwrap());
        let modified_at = || path.metadata().unwrap().modified().unwrap();
        let real = modified_at();
        correct_modified(&open()).unwrap();
        assert_eq!(modified_at(), real, "the same clock");
        for other in [start(), real - seconds(100)] {
            set_modified(&path, other);
            correct_modified(&open()).unwrap();
            assert!(modified_at() >= real);
        }
    }
}
