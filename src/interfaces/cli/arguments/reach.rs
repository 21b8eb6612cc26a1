//! The configuration of a command, and the folders that it may use.

use std::path::PathBuf;

use clap::Args;

/// Options for the configuration and the allowed folders.
#[derive(Debug, Args)]
pub(crate) struct Reach {
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Allowed folder, instead of the configured ones; may be given again
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// Read and write under the allowed folders only
    #[arg(long)]
    pub confined: bool,
}
