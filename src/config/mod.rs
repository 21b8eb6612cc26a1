//! Configuration: file < environment < options. Every setting has a default and a unit in its
//! name; unknown keys are rejected with their path. `config.example.toml` documents all of
//! them, and a test compares it with [`Config`].

pub(crate) mod address;
mod key;
mod llm;
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
pub use log::{LogConfig, LogFormat};
pub use offload_result::{ExtractConfig, OffloadResultConfig, PromptConfig};
pub use privacy::{PrivacyConfig, RedactConfig};
pub use server::ServerConfig;
pub use tenants::TenantConfig;
pub(crate) use tool_prefix::InvalidPrefix;
pub(crate) use tool_prefix::ToolPrefix;
pub use traces::TracesConfig;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{Environment, File, FileFormat};
use context_store::ObjectSettings;
use serde::{Deserialize, Serialize};

use crate::reading::{grep, read_file};

/// All settings of an operator.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The HTTP interface.
    pub server: ServerConfig,
    /// Further tenants, each with folders of its own.
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
    /// keeps them.
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
    /// Folder of the cache of the object store's contents; by default one below the system's folder
    /// for temporary files.
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
    /// Largest answer without `max_tokens`, in tokens; 0 for everything.
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
    /// Files whose content is known; about a kilobyte each.
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

/// Prefix of environment variables.
const PREFIX: &str = "UNBURDEN_";
/// Suffixes of variables that hold secrets.
const SECRETS: [&str; 2] = ["__API_KEY", "__TOKEN"];

/// Errors of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file or the environment cannot be read.
    #[error("the configuration cannot be read: {0}")]
    Read(#[from] config::ConfigError),
    /// A key is unknown, or its value has the wrong type.
    #[error("the setting \"{key}\" is invalid: {reason}")]
    Key {
        /// The key's path.
        key: String,
        /// The problem.
        reason: String,
    },
    /// A request would time out before its snapshot.
    #[error(
        "server.request_timeout_seconds is {request}, llm.timeout_seconds is {snapshot}; accepted \
         is a request's limit that is longer than a snapshot's by 5 seconds or more"
    )]
    Timeouts {
        /// The request's limit.
        request: u64,
        /// The snapshot's.
        snapshot: u64,
    },
    /// `PORT` is not a port.
    #[error("PORT is \"{found}\"; accepted is a number from 0 to 65535")]
    Port {
        /// The text found.
        found: String,
    },
}

impl Config {
    /// Returns the number of tenants, with the operator if it has a token or is alone.
    pub(crate) fn callers(&self) -> usize {
        let has_token = self.server.token.is_some() || self.server.token_file.is_some();
        self.tenants.len() + usize::from(has_token || self.tenants.is_empty())
    }

    /// Reads the file, if any, and the environment, which overrides it.
    pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
        let mut builder = config::Config::builder();
        if let Some(file) = file {
            builder = builder.add_source(File::from(file).format(FileFormat::Toml));
        }
        // The specification's prefix, with lower priority.
        let seed = environment("ATLATL", "ATLATL_PROMPT__OFFLOAD__");
        let own = environment("UNBURDEN", PREFIX);
        let read = builder.add_source(seed).add_source(own).build()?;
        let mut config: Config = serde_path_to_error::deserialize(read).map_err(|error| {
            ConfigError::Key { key: error.path().to_string(), reason: error.inner().to_string() }
        })?;
        config.take_secrets();
        config.take_port()?;
        config.check_timeouts()?;
        Ok(config)
    }

    /// Checks that a request outlives its snapshot.
    fn check_timeouts(&self) -> Result<(), ConfigError> {
        let (request, snapshot) = (self.server.request_timeout_seconds, self.llm.timeout_seconds);
        if self.llm.model.is_some() && request < snapshot.saturating_add(5) {
            return Err(ConfigError::Timeouts { request, snapshot });
        }
        Ok(())
    }

    /// Reads keys and tokens from the environment. The generic reader would parse a secret of
    /// digits as a number.
    fn take_secrets(&mut self) {
        let secret = |name: &str| std::env::var(format!("{PREFIX}{name}")).ok().map(Key::new);
        let llm = secret("LLM__API_KEY");
        self.llm.api_key = llm.or(self.llm.api_key.take());
        let server = secret("SERVER__TOKEN");
        self.server.token = server.or(self.server.token.take());
        for (name, tenant) in &mut self.tenants {
            let token = secret(&format!("TENANTS__{}__TOKEN", name.to_uppercase()));
            tenant.token = token.or(tenant.token.take());
        }
    }

    /// Reads `PORT`, as platforms set it, unless the address is set.
    fn take_port(&mut self) -> Result<(), ConfigError> {
        if std::env::var_os("UNBURDEN_SERVER__LISTEN").is_some() {
            return Ok(());
        }
        if let Ok(port) = std::env::var("PORT") {
            let port = port.trim().parse().map_err(|_| ConfigError::Port { found: port })?;
            self.server.listen.set_port(port);
        }
        Ok(())
    }
}

/// Returns the environment's settings under a prefix.
fn environment(prefix: &str, begin: &str) -> Environment {
    Environment::with_prefix(prefix)
        .source(Some(variables(begin)))
        .prefix_separator("_")
        .separator("__")
        .try_parsing(true)
        .list_separator(":")
        .with_list_parse_key("store.roots")
}

/// Returns the variables that name a section and a key. Others with the prefix are ignored:
/// Kubernetes sets `UNBURDEN_PORT` for a service of that name.
fn variables(begin: &str) -> config::Map<String, String> {
    let names_setting =
        |name: &str| name.split_once('_').is_some_and(|(_, key)| key.contains("__"));
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| name.starts_with(begin) && names_setting(name))
        .filter(|(name, _)| !SECRETS.iter().any(|secret| name.ends_with(secret)))
        .collect()
}
