//! Settings of the model and the summariser. No request can name an endpoint, a key or a model
//! for summaries.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::model::{CallBudget, Client, ModelError, Settings};
use crate::pipeline::{Summariser, SummariserKind};

/// Base URL of OpenAI's API.
const OPENAI: &str = "https://api.openai.com/v1";

/// The model that writes snapshots, at an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// Base URL, to which `/chat/completions` is added; by default `OPENAI_BASE_URL`, then
    /// OpenAI's.
    pub base_url: Option<String>,
    /// The key; by default from the file below, then `OPENAI_API_KEY`.
    pub api_key: Option<Key>,
    /// File with the key, as secrets are mounted; white space around it is dropped.
    pub api_key_file: Option<PathBuf>,
    /// The model's name. Without one no model is ever called.
    pub model: Option<String>,
    /// Maximum number of tokens of prompt and answer together.
    pub context_window: u64,
    /// Longest time for the snapshots of one request, in seconds.
    pub timeout_seconds: u64,
    /// Longest time for one call, in seconds.
    pub try_timeout_seconds: u64,
    /// HTTP calls for one snapshot, including retries after failures and rejected texts; 1 to
    /// 3.
    pub tries: u32,
    /// Maximum number of calls in flight; further calls wait.
    pub concurrency: usize,
}

impl Default for LlmConfig {
    fn default() -> LlmConfig {
        LlmConfig {
            base_url: None,
            api_key: None,
            api_key_file: None,
            model: None,
            context_window: 128_000,
            timeout_seconds: 60,
            try_timeout_seconds: 30,
            tries: CallBudget::MAX,
            concurrency: 4,
        }
    }
}

/// The summariser of older messages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompressionConfig {
    /// The summariser.
    pub summariser: SummariserConfig,
}

impl Default for CompressionConfig {
    fn default() -> CompressionConfig {
        CompressionConfig { summariser: SummariserConfig::Auto }
    }
}

/// The summariser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SummariserConfig {
    /// The model if one is configured; the built-in summariser if there is none or it fails.
    Auto,
    /// The model; if it fails, the history is only compacted.
    Llm,
    /// Always the built-in summariser.
    Extractive,
}

/// Errors of the summariser's settings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SummariserError {
    /// The model's settings are invalid.
    #[error("llm: {0}")]
    Model(#[from] ModelError),
    /// `llm` without a model.
    #[error(
        "compression.summariser is \"llm\", but llm.model is not set; accepted is a model's name \
         there, or \"auto\" or \"extractive\" here"
    )]
    NoModel,
    /// The key file cannot be read.
    #[error("llm.api_key_file \"{path}\" cannot be read: {source}")]
    KeyFile {
        /// Its path.
        path: String,
        /// The error.
        source: std::io::Error,
    },
}

impl LlmConfig {
    /// Returns the configured summariser; makes no call.
    pub(crate) fn summariser(&self, kind: SummariserConfig) -> Result<Summariser, SummariserError> {
        let kind = match kind {
            SummariserConfig::Auto => SummariserKind::Auto,
            SummariserConfig::Llm => SummariserKind::Llm,
            SummariserConfig::Extractive => return Ok(Summariser::extractive()),
        };
        let model = self.model.as_deref().map(str::trim).filter(|model| !model.is_empty());
        let Some(model) = model else {
            return match kind {
                SummariserKind::Llm => Err(SummariserError::NoModel),
                SummariserKind::Auto | SummariserKind::Extractive => Ok(Summariser::extractive()),
            };
        };
        let settings = Settings {
            base_url: self.base_url(),
            api_key: self.key()?.map(Into::into),
            model: model.to_owned(),
            context_window: self.context_window,
            max_output_tokens: None,
            timeout: Duration::from_secs(self.timeout_seconds),
            try_timeout: Duration::from_secs(self.try_timeout_seconds.min(self.timeout_seconds)),
            concurrency: self.concurrency,
            tries: self.tries,
        };
        Ok(Summariser { kind, client: Some(Arc::new(Client::new(settings)?)) })
    }

    fn base_url(&self) -> String {
        let own = self.base_url.clone().or_else(|| std::env::var("OPENAI_BASE_URL").ok());
        own.filter(|url| !url.trim().is_empty()).unwrap_or_else(|| OPENAI.to_owned())
    }

    fn key(&self) -> Result<Option<String>, SummariserError> {
        if let Some(key) = &self.api_key {
            return Ok(Some(key.text().to_owned()));
        }
        if let Some(path) = &self.api_key_file {
            let key = Key::read(path).map_err(|source| SummariserError::KeyFile {
                path: path.display().to_string(),
                source,
            })?;
            return Ok(Some(key.text().to_owned()));
        }
        Ok(std::env::var("OPENAI_API_KEY").ok())
    }
}
