//! The model and who summarises: what an operator sets, and nobody else. No
//! request can name an endpoint, a key or a model for summaries.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Key;
use crate::model::{Calls, Client, ModelError, Settings};
use crate::pipeline::{Summariser, SummariserKind};

/// Where OpenAI's own API begins.
const OPENAI: &str = "https://api.openai.com/v1";

/// The model that writes snapshots: an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LlmConfig {
    /// Where the API begins; `/chat/completions` is added. Else
    /// `OPENAI_BASE_URL`, else OpenAI's own.
    pub base_url: Option<String>,
    /// The key. Else the file below, else `OPENAI_API_KEY`.
    pub api_key: Option<Key>,
    /// File with the key, as secrets are mounted; white space around it is dropped.
    pub api_key_file: Option<PathBuf>,
    /// The model's name. Without one no model is ever called.
    pub model: Option<String>,
    /// What prompt and answer may have together, in tokens.
    pub context_window: u64,
    /// Longest time for the snapshots of one request, in seconds.
    pub timeout_seconds: u64,
    /// Longest time for one call, in seconds.
    pub try_timeout_seconds: u64,
    /// Calls for one snapshot, tries after failures and rejections together; 1 to 3.
    pub tries: u32,
    /// Calls under way at a time; more wait for their turn.
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
            tries: Calls::MOST,
            concurrency: 4,
        }
    }
}

/// How older messages are summarised.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompressionConfig {
    /// Who writes snapshots.
    pub summariser: SummariserConfig,
}

impl Default for CompressionConfig {
    fn default() -> CompressionConfig {
        CompressionConfig { summariser: SummariserConfig::Auto }
    }
}

/// Who writes snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SummariserConfig {
    /// The model where one is configured, the built-in summariser where none is
    /// or it fails.
    Auto,
    /// The model; where it fails, the history stays as compaction leaves it.
    Llm,
    /// The built-in summariser, always.
    Extractive,
}

/// Why no summariser could be made of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum SummariserError {
    /// The model's settings.
    #[error("llm: {0}")]
    Model(#[from] ModelError),
    /// `llm` without a model.
    #[error(
        "compression.summariser is \"llm\", but llm.model is not set; accepted is a model's name \
         there, or \"auto\" or \"extractive\" here"
    )]
    NoModel,
    /// The file with the key.
    #[error("llm.api_key_file \"{path}\" cannot be read: {source}")]
    KeyFile {
        /// Its path.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl LlmConfig {
    /// The summariser that this configuration means. Calls nobody.
    pub fn summariser(&self, kind: SummariserConfig) -> Result<Summariser, SummariserError> {
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
