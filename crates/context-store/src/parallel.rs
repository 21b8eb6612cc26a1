//! The size of parallel work on files.

/// Least files of a task on the counting threads: a look at one takes a microsecond or two,
/// waking a thread several times that.
pub const MIN_FILES_PER_TASK: usize = 16;
