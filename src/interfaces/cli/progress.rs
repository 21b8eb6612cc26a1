//! A progress bar for work that takes longer than a second, on a terminal.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::service::Service;

/// Runs `work`; after a second a bar shows how many of `bytes` are counted.
pub(super) fn with_bar<T: Send>(
    service: &Service,
    bytes: u64,
    work: impl FnOnce() -> T + Send,
) -> T {
    let (done, finished) = channel();
    std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let result = work();
            // The receiver lives as long as this scope.
            let _ = done.send(());
            result
        });
        if finished.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
            let bar = ProgressBar::new(bytes).with_style(style());
            while finished.recv_timeout(Duration::from_millis(100))
                == Err(RecvTimeoutError::Timeout)
            {
                bar.set_position(service.counted_bytes().min(bytes));
            }
            bar.finish_and_clear();
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("counting {bar:40} {percent:>3} %  {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
