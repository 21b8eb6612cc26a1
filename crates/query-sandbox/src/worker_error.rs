//! The errors of a worker, whatever it runs.

use serde::{Deserialize, Serialize};

/// Why a worker gave no answer.
#[derive(Debug, Serialize, Deserialize, thiserror::Error)]
pub enum WorkerError {
    /// The query ran out of time.
    #[error("the query did not end within {ms} ms: let it read or return less")]
    Deadline {
        /// The time limit in milliseconds.
        ms: u64,
    },
    /// No worker was free before the deadline.
    #[error("no query worker was free within {ms} ms: ask again later, or with `where`")]
    Busy {
        /// The time limit in milliseconds.
        ms: u64,
    },
    /// The query ran out of memory.
    #[error("the query needs more than {bytes} bytes of memory: let it build smaller values")]
    Memory {
        /// The memory limit in bytes.
        bytes: u64,
    },
    /// The worker crashed.
    #[error("the query broke its worker: {how}")]
    Crashed {
        /// A description of its end.
        how: String,
    },
    /// A worker could not be started.
    #[error("the query worker cannot be started")]
    #[serde(skip)]
    Spawn {
        /// The error of the system.
        source: std::io::Error,
    },
}
