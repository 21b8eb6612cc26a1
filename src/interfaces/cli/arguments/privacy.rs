//! Redaction options.

use clap::Args;

use crate::config::{Config, RedactConfig};

/// Redaction options.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Privacy {
    /// Keep keys, tokens and passwords out of previews, descriptors, snapshots, prompts
    /// and logs; stored files keep them
    #[arg(long)]
    pub redact: bool,
}

impl Privacy {
    /// Turns redaction on in the configuration if the flag is set; never turns it off.
    pub(crate) fn enter(self, config: &mut Config) {
        if self.redact {
            config.privacy.redact = RedactConfig::Secrets;
        }
    }
}
