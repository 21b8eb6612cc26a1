//! The processor's time that a thread has used: what a busy machine does to the clock on the
//! wall, it does not do to this.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The processor's time that `work` takes on this thread.
pub(crate) fn of(work: impl FnOnce()) -> Duration {
    let used = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
    let before = used();
    work();
    used() - before
}
