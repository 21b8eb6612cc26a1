//! What is kept out of sight, as typed.

use clap::Args;

use crate::config::{Config, RedactConfig};

/// What is kept out of sight.
#[derive(Debug, Clone, Copy, Args)]
pub struct Privacy {
    /// Keep keys, tokens and passwords out of previews, descriptors, snapshots, prompts
    /// and logs; stored files hold them as they came
    #[arg(long)]
    pub redact: bool,
}

impl Privacy {
    /// Takes the flag into the configuration; it only ever says yes.
    pub fn enter(self, config: &mut Config) {
        if self.redact {
            config.privacy.redact = RedactConfig::Secrets;
        }
    }
}
