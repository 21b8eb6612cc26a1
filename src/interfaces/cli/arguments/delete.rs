//! `unburden delete`: arguments.

use std::path::PathBuf;

use clap::Args;

/// `delete`.
#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The chat's chat_id
    #[arg(value_name = "CHAT_ID")]
    pub chat: String,
    /// Stores to delete from [default: every store under the configured roots]
    #[arg(value_name = "STORE")]
    pub stores: Vec<String>,
    /// Show the files that would be deleted; delete nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the whole report as JSON
    #[arg(long)]
    pub json: bool,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Allowed folder, instead of the configured ones; may be given again
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
}
