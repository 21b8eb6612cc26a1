//! Memory settings of long-running commands.

/// Disables huge pages: a huge page stays whole for its last kilobyte, and many threads with a
/// heap each would waste memory. Measured over histories of half a megabyte: 312 MiB with huge
/// pages, 205 MiB without, in the same time.
pub(super) fn use_small_pages() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages could not be disabled");
    }
}
