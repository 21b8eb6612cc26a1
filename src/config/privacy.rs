//! Redaction settings.

use redact::Redact;
use serde::{Deserialize, Serialize};

/// Redaction settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrivacyConfig {
    /// Whether previews, descriptors, snapshots, prompts and logs hide secrets. Stored files
    /// keep them.
    pub redact: RedactConfig,
}

/// Redaction modes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RedactConfig {
    /// Nothing.
    #[default]
    Off,
    /// Keys, tokens and passwords, as the rules detect them.
    Secrets,
}

impl From<PrivacyConfig> for Redact {
    fn from(config: PrivacyConfig) -> Redact {
        match config.redact {
            RedactConfig::Off => Redact::Off,
            RedactConfig::Secrets => Redact::Secrets,
        }
    }
}
