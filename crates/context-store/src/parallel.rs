//! The size of parallel work on files.

/// Minimum number of files in a task on the counting threads: examining one takes a microsecond or
/// two, waking a thread several times as long.
pub const MIN_FILES_PER_TASK: usize = 16;
