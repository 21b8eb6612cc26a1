//! Configuration: file < environment < options. Every setting has a default and a unit in its
//! name; unknown keys are rejected with their path. `config.example.toml` documents all of
//! them, and a test compares it with [`Config`].

pub(crate) mod address;
mod key;
mod llm;
mod load;
mod log;
mod offload_result;
mod privacy;
mod server;
mod tenants;
mod tool_prefix;
mod traces;

pub use key::Key;
pub(crate) use llm::SummariserError;
pub use llm::{CompressionConfig, LlmConfig, SummariserConfig};
pub use load::ConfigError;
pub use log::{LogConfig, LogFormat};
pub use offload_result::{ExtractConfig, OffloadResultConfig, PromptConfig};
pub use privacy::{PrivacyConfig, RedactConfig};
pub use server::ServerConfig;
pub use tenants::TenantConfig;
pub(crate) use tool_prefix::InvalidPrefix;
pub(crate) use tool_prefix::ToolPrefix;
pub use traces::TracesConfig;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use context_store::ObjectSettings;
use serde::{Deserialize, Serialize};

use crate::reading::{grep, read_file};

/// All settings of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The HTTP interface.
    pub server: ServerConfig,
    /// Other tenants, each with its own folders.
    pub tenants: BTreeMap<String, TenantConfig>,
    /// The stores.
    pub store: StoreConfig,
    /// Limits of the retrieval operations.
    pub reload: ReloadConfig,
    /// Limits of queries of records.
    pub extract: ExtractConfig,
    /// Large result offloading.
    pub prompt: PromptConfig,
    /// Caches.
    pub cache: CacheConfig,
    /// The model that writes snapshots.
    pub llm: LlmConfig,
    /// How older messages are summarised.
    pub compression: CompressionConfig,
    /// Redaction.
    pub privacy: PrivacyConfig,
    /// Logs.
    pub log: LogConfig,
    /// Traces.
    pub traces: TracesConfig,
}

/// Settings of stores.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Folders under which a `store_dir` may lie: `DIR`, or `SEEN=REAL`.
    pub roots: Vec<String>,
    /// When a file's name is returned.
    pub durability: DurabilityConfig,
    /// Lifetime of a chat's files after the last history that referred to them, in seconds; 0
    /// keeps them forever.
    pub ttl_seconds: u64,
    /// Time between two sweeps, in seconds; the first is at the start. 0 never sweeps.
    pub sweep_seconds: u64,
    /// File with the secret that signs references; without one each store has its own.
    pub key_file: Option<PathBuf>,
    /// Whether `serve` and `mcp` give up access to files outside the roots.
    pub landlock: LandlockConfig,
    /// `s3://BUCKET/PREFIX`: the stores are in an object store, for any number of replicas.
    /// Without it they are local folders.
    pub url: Option<String>,
    /// URL of the object store's server; by default that of the environment, then AWS.
    pub endpoint: Option<String>,
    /// Whether the bucket is in the path instead of the host's name; by default only if there is an
    /// `endpoint`.
    pub path_style: Option<bool>,
    /// Region of the bucket; by default that of the environment, then `us-east-1`.
    pub region: Option<String>,
    /// Longest time that one operation waits for the object store, in seconds.
    pub timeout_seconds: u64,
    /// Folder of the cache of the object store's contents; by default a folder in the system's
    /// folder for temporary files.
    pub cache_dir: Option<PathBuf>,
    /// Size of that cache, in bytes.
    pub cache_bytes: u64,
}

impl Default for StoreConfig {
    /// The working directory is the only root. In `/`, where hosts of MCP servers start programs,
    /// there is no root: it would open every file.
    fn default() -> StoreConfig {
        let everywhere = std::env::current_dir().is_ok_and(|folder| folder.parent().is_none());
        StoreConfig {
            roots: (!everywhere).then(|| ".".to_owned()).into_iter().collect(),
            durability: DurabilityConfig::Sync,
            ttl_seconds: 30 * 24 * 3_600,
            sweep_seconds: 3_600,
            key_file: None,
            landlock: LandlockConfig::Auto,
            url: None,
            endpoint: None,
            path_style: None,
            region: None,
            timeout_seconds: 10,
            cache_dir: None,
            cache_bytes: 1024 * 1024 * 1024,
        }
    }
}

impl StoreConfig {
    /// Returns the settings of the object store, if the stores are in one.
    pub(crate) fn objects(&self) -> Option<ObjectSettings> {
        Some(ObjectSettings {
            url: self.url.clone()?,
            endpoint: self.endpoint.clone(),
            path_style: self.path_style,
            region: self.region.clone(),
            timeout: Duration::from_secs(self.timeout_seconds.max(1)),
            cache_dir: self.cache_dir.clone(),
            cache_bytes: self.cache_bytes,
        })
    }
}

/// When a file's name is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DurabilityConfig {
    /// After the file is synced to disk.
    Sync,
    /// After the file is in the system's cache.
    Relaxed,
}

/// Whether the process confines itself with Landlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LandlockConfig {
    /// If the kernel supports it.
    Auto,
    /// Never.
    Off,
    /// Fails to start if the kernel does not support it.
    Required,
}

/// Limits of the retrieval operations.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReloadConfig {
    /// Largest answer without `max_tokens`, in tokens; 0 sets no limit.
    pub max_tokens: u64,
    /// Longest search, in milliseconds; then the matches so far are returned.
    pub grep_deadline_ms: u64,
    /// Maximum number of matches of one search.
    pub grep_matches: u64,
    /// Largest answer of one search, in bytes.
    pub grep_answer_bytes: usize,
    /// Largest page of a file, in bytes.
    pub read_answer_bytes: usize,
    /// Maximum number of bytes that one rehydration restores.
    pub rehydrate_bytes: u64,
}

impl Default for ReloadConfig {
    fn default() -> ReloadConfig {
        ReloadConfig {
            max_tokens: 10_000,
            grep_deadline_ms: 3_000,
            grep_matches: 10_000,
            grep_answer_bytes: 1024 * 1024,
            read_answer_bytes: 16 * 1024 * 1024,
            rehydrate_bytes: 256 * 1024 * 1024,
        }
    }
}

impl ReloadConfig {
    /// Returns the maximum tokens of an answer, or `None` for no limit; `asked` is the limit in the
    /// request.
    pub(crate) fn ceiling(&self, asked: Option<u64>) -> Option<u64> {
        Some(asked.unwrap_or(self.max_tokens)).filter(|tokens| *tokens > 0)
    }

    /// Returns the limits of a search.
    pub(crate) fn grep(&self) -> grep::Limits {
        grep::Limits {
            deadline: Duration::from_millis(self.grep_deadline_ms),
            max_matches: self.grep_matches,
            answer_bytes: self.grep_answer_bytes,
            ..grep::Limits::default()
        }
    }

    /// Returns the limits of a page that is read within `deadline`.
    pub(crate) fn read_file(&self, deadline: Duration) -> read_file::Limits {
        read_file::Limits { answer_bytes: self.read_answer_bytes, deadline }
    }
}

/// Sizes of caches, in each case the maximum.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CacheConfig {
    /// Counts and views of messages, in bytes.
    pub measured_bytes: u64,
    /// Previews with their references, in bytes.
    pub replacement_bytes: u64,
    /// Number of files whose content hash is cached; about a kilobyte each.
    pub files: usize,
}

impl CacheConfig {
    /// Returns the size of all full caches, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let files = (self.files as u64).saturating_mul(1024);
        self.measured_bytes.saturating_add(self.replacement_bytes).saturating_add(files)
    }
}

impl Default for CacheConfig {
    fn default() -> CacheConfig {
        CacheConfig {
            measured_bytes: 32 * 1024 * 1024,
            replacement_bytes: 16 * 1024 * 1024,
            files: 30_000,
        }
    }
}

impl Config {
    /// Returns the number of tenants, with the operator if it has a token or is alone.
    pub(crate) fn callers(&self) -> usize {
        let has_token = self.server.token.is_some() || self.server.token_file.is_some();
        self.tenants.len() + usize::from(has_token || self.tenants.is_empty())
    }
}
