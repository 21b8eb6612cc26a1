//! Work on blocking threads.

/// Runs `work` on a blocking thread, within the current span and for its holder's fair share. A
/// panic continues in the caller.
pub(super) async fn run<T: Send + 'static>(
    holder: fair_share::Holder,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let span = tracing::Span::current();
    let done = tokio::task::spawn_blocking(move || {
        let _entered = fair_share::enter(holder);
        span.in_scope(work)
    });
    match done.await {
        Ok(done) => done,
        // A panic is a bug; the interface reports it with an id.
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}
