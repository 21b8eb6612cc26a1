//! What a process that stays does for its memory before it begins.

/// Small pages: a huge one stays whole for the last kilobyte in it, and a service in a
/// small container has many threads with a heap each. Measured over histories of half
/// a megabyte: 312 MiB with huge pages, 205 MiB without, in the same time.
pub(super) fn use_small_pages() {
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay as the system has them");
    }
}
