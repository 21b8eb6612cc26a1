//! Privacy: what of a result the service itself repeats.

use redact::Redact;
use serde::{Deserialize, Serialize};

/// What is kept out of everything that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrivacyConfig {
    /// What previews, descriptors, snapshots, prompts and logs show in place of
    /// secrets. Stored files hold them either way.
    pub redact: RedactConfig,
}

/// What is kept out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RedactConfig {
    /// Nothing.
    #[default]
    Off,
    /// What the rules take for a key, a token or a password.
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
