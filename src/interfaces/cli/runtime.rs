//! The async runtime of a command.

use super::error::CliError;

/// Runs a future to its end, then shuts the runtime down without waiting for its threads:
/// a blocked read of standard input, or work that outlives its request, would keep the
/// process running.
pub(super) fn run<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    result
}
