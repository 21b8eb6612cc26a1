//! `offload`, as typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::privacy::Privacy;
use super::reach::Reach;

/// How far to go.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// Compact; compress what compaction leaves too large
    Auto,
    /// Only move results to files
    Compact,
    /// Only summarise older messages
    Compress,
}

/// `offload`.
#[derive(Debug, Args)]
pub struct Offload {
    /// The history: a JSON array of messages, or an object with "messages" (and
    /// "tools", "system"); - reads standard input
    #[arg(value_name = "FILE|-")]
    pub input: String,
    /// Folder that the moved results go to
    #[arg(long, value_name = "DIR", default_value = "./context_store")]
    pub store_dir: String,
    /// How far to go
    #[arg(long, default_value = "auto")]
    pub mode: Mode,
    /// Below this size nothing happens, in tokens [default: 20000]
    #[arg(long, value_name = "TOKENS")]
    pub max_total_tokens: Option<u64>,
    /// A result above this may move, in tokens [default: 2000]
    #[arg(long, value_name = "TOKENS")]
    pub max_tool_message_tokens: Option<u64>,
    /// The newest messages, never touched [default: 1 for compaction, 2 for compression]
    #[arg(long, value_name = "COUNT")]
    pub keep_recent_count: Option<u64>,
    /// Compress in groups of up to this, in tokens [default: one group]
    #[arg(long, value_name = "TOKENS")]
    pub group_token_threshold: Option<u64>,
    /// Name of the chat in the files of a compression [default: made from its beginning]
    #[arg(long, value_name = "NAME")]
    pub chat_id: Option<String>,
    /// What stays visible of a moved result, in tokens; 0 leaves the reference only [default: 120]
    #[arg(long, value_name = "TOKENS")]
    pub preview_tokens: Option<u64>,
    /// Do more than the thresholds ask for, until the history fits this, in tokens
    #[arg(long, value_name = "TOKENS")]
    pub target_tokens: Option<u64>,
    /// The model whose tokenizer counts [default: o200k_base]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The format of the messages [default: found out from them]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Mend a broken history first: drop results without a call, answer calls
    /// without a result
    #[arg(long)]
    pub repair: bool,
    /// What is kept out of sight.
    #[command(flatten)]
    pub privacy: Privacy,
    /// Show what would be done; write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write the new history there instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the whole answer with its report as JSON, and no table
    #[arg(long)]
    pub json: bool,
    /// Configuration and reach.
    #[command(flatten)]
    pub reach: Reach,
}
