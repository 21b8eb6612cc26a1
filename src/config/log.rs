//! Log settings.

use serde::{Deserialize, Serialize};

/// Log settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// The format of a line.
    pub format: LogFormat,
}

/// Formats of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text if standard error is a terminal, otherwise JSON.
    #[default]
    Auto,
    /// One JSON object per line.
    Json,
    /// A line for people.
    Text,
}
