//! Work on blocking threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// True while [`start_a_thread`] runs.
static STARTS: AtomicBool = AtomicBool::new(false);

/// Pause before another try to start a thread.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs `work` on a blocking thread, within the current span and for its holder's fair share. A
/// panic continues in the caller.
pub(super) async fn run<T: Send + 'static>(
    holder: fair_share::Holder,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let span = tracing::Span::current();
    let work = move || {
        let _entered = fair_share::enter(holder);
        span.in_scope(work)
    };
    let started = catch_unwind(AssertUnwindSafe(|| tokio::task::spawn_blocking(work)));
    let done = started.unwrap_or_else(|panic| {
        tracing::error!("no thread can be started for a request; is there a limit on threads?");
        if !STARTS.swap(true, Ordering::Relaxed) {
            tokio::spawn(start_a_thread());
        }
        resume_unwind(panic)
    });
    match done.await {
        Ok(done) => done,
        // A panic is a bug; the interface reports it with an id.
        Err(panic) => resume_unwind(panic.into_panic()),
    }
}

/// Starts a blocking thread as soon as the system permits one. It runs the work that no thread
/// could be started for, which releases its permits: nothing else would start a thread once work
/// without a thread holds all permits.
async fn start_a_thread() {
    let is_started = || catch_unwind(|| drop(tokio::task::spawn_blocking(|| ()))).is_ok();
    while !is_started() {
        tokio::time::sleep(PAUSE).await;
    }
    STARTS.store(false, Ordering::Relaxed);
}
