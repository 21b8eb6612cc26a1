//! Large results: when arrays of records leave as files, how long those live,
//! and the ceilings of questions about them (`lro-spec-1600`, "Configuration").

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::offload_result;
use crate::reading::extract;
use jq_sandbox as jq;

/// `[prompt]`: the section that the specification names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PromptConfig {
    /// Large result offloading.
    pub offload: LargeConfig,
}

/// `[prompt.offload]`; the environment may say `ATLATL_` for `UNBURDEN_`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LargeConfig {
    /// False gives every result back inline, and moves records as text.
    pub enabled: bool,
    /// Results estimated to exceed this are offloaded, in tokens; a request's
    /// profile `mif-6400` has its own default.
    pub threshold_tokens: u64,
    /// How long a file lives after it was last given out, in seconds.
    pub ttl_seconds: u64,
    /// Where files go; empty means the system's folder for temporary files, or
    /// the first root where that one is not allowed.
    pub output_dir: String,
}

impl Default for LargeConfig {
    fn default() -> LargeConfig {
        LargeConfig {
            enabled: true,
            threshold_tokens: 1_600,
            ttl_seconds: 3_600,
            output_dir: String::new(),
        }
    }
}

/// Ceilings of one question about records.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    /// Longest question, in milliseconds; then what was found, or an error.
    pub deadline_ms: u64,
    /// Memory of the worker process that runs jq, in bytes.
    pub memory_bytes: u64,
    /// Largest answer, in bytes.
    pub answer_bytes: usize,
    /// Size of an answer where the caller names no `max_tokens`, in tokens.
    pub default_max_tokens: u64,
    /// Largest file that is asked, in bytes.
    pub file_bytes: u64,
    /// The program whose `jq-worker` runs filters; empty means this one.
    pub worker: String,
}

impl Default for ExtractConfig {
    fn default() -> ExtractConfig {
        ExtractConfig {
            deadline_ms: 3_000,
            memory_bytes: 512 * 1024 * 1024,
            answer_bytes: 1024 * 1024,
            default_max_tokens: 8_000,
            file_bytes: 512 * 1024 * 1024,
            worker: String::new(),
        }
    }
}

impl ExtractConfig {
    /// The ceilings of a question.
    pub fn limits(&self) -> extract::Limits {
        extract::Limits {
            deadline: Duration::from_millis(self.deadline_ms),
            answer_bytes: self.answer_bytes,
            default_max_tokens: self.default_max_tokens,
            file_bytes: self.file_bytes,
        }
    }

    /// The ceilings of a filter.
    pub fn jq(&self) -> jq::Limits {
        jq::Limits {
            deadline: Duration::from_millis(self.deadline_ms),
            memory_bytes: self.memory_bytes,
            output_bytes: self.answer_bytes,
            ..jq::Limits::default()
        }
    }
}

impl From<LargeConfig> for offload_result::Settings {
    fn from(config: LargeConfig) -> offload_result::Settings {
        let LargeConfig { enabled, threshold_tokens, ttl_seconds, output_dir } = config;
        let output_dir = Some(output_dir).filter(|folder| !folder.trim().is_empty());
        offload_result::Settings { enabled, threshold_tokens, ttl_seconds, output_dir }
    }
}
