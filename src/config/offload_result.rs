//! Settings of `/offload_result` and of queries of records (`lro-spec-1600`, "Configuration").

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::offload_result;
use crate::reading::extract;
use query_sandbox as sandbox;

/// `[prompt]`: the section named by the specification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptConfig {
    /// Large result offloading.
    pub offload: OffloadResultConfig,
}

/// `[prompt.offload]`; environment variables may begin with `ATLATL_` instead of `UNBURDEN_`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct OffloadResultConfig {
    /// False returns every result inline, and moves records as text.
    pub enabled: bool,
    /// Estimated size in tokens above which a result is offloaded; the request profile
    /// `mif-6400` has its own default.
    pub threshold_tokens: u64,
    /// Lifetime of a file after it was last returned, in seconds.
    pub ttl_seconds: u64,
    /// Output folder; empty means the system's folder for temporary files, or the first root if
    /// that is not allowed.
    pub output_dir: String,
}

impl Default for OffloadResultConfig {
    fn default() -> OffloadResultConfig {
        OffloadResultConfig {
            enabled: true,
            threshold_tokens: 1_600,
            ttl_seconds: 3_600,
            output_dir: String::new(),
        }
    }
}

/// Limits of a query of records.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// Longest query, in milliseconds; then the results so far are returned, or an error.
    pub deadline_ms: u64,
    /// Memory of the worker process that runs jq or SQL, in bytes.
    pub memory_bytes: u64,
    /// Largest answer, in bytes.
    pub answer_bytes: usize,
    /// Largest file that is queried, in bytes.
    pub file_bytes: u64,
    /// Program whose `query-worker` runs jq and SQL; empty means this one.
    pub worker: String,
}

impl Default for ExtractConfig {
    fn default() -> ExtractConfig {
        ExtractConfig {
            deadline_ms: 3_000,
            memory_bytes: 512 * 1024 * 1024,
            answer_bytes: 1024 * 1024,
            file_bytes: 512 * 1024 * 1024,
            worker: String::new(),
        }
    }
}

impl ExtractConfig {
    /// Returns the limits of a query.
    pub(crate) fn limits(&self) -> extract::Limits {
        extract::Limits {
            deadline: Duration::from_millis(self.deadline_ms),
            answer_bytes: self.answer_bytes,
            file_bytes: self.file_bytes,
        }
    }

    /// Returns the limits of a worker.
    pub fn worker_limits(&self) -> sandbox::Limits {
        sandbox::Limits {
            deadline: Duration::from_millis(self.deadline_ms),
            memory_bytes: self.memory_bytes,
            output_bytes: self.answer_bytes,
            ..sandbox::Limits::default()
        }
    }
}

impl From<OffloadResultConfig> for offload_result::Settings {
    fn from(config: OffloadResultConfig) -> offload_result::Settings {
        let OffloadResultConfig { enabled, threshold_tokens, ttl_seconds, output_dir } = config;
        let output_dir = Some(output_dir).filter(|folder| !folder.trim().is_empty());
        offload_result::Settings { enabled, threshold_tokens, ttl_seconds, output_dir }
    }
}
