//! `unburden proxy`: arguments.

use std::path::PathBuf;

use clap::Args;

use super::privacy::Privacy;
use crate::interfaces::proxy::ToolsFrom;

/// `proxy`.
#[derive(Debug, Args)]
#[command(after_help = "\
The server gets HOME, LANG, LC_*, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ, USER and XDG_* of the
environment, and what --env names.

One set of retrieval tools is enough for several proxies of a user, as they share a folder: give
all but one of them --tools elsewhere.

Examples:
  unburden proxy -- npx -y @modelcontextprotocol/server-filesystem .
  unburden proxy --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github
  unburden proxy --tools elsewhere -- npx -y @modelcontextprotocol/server-everything
  unburden proxy --url https://HOST/mcp --header 'Authorization: Bearer TOKEN'")]
pub(crate) struct Proxy {
    /// The server, as a command and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// The server, as an address (streamable HTTP)
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Header of every request to --url; may be given again
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// Environment variable for the server; NAME passes it on, NAME=VALUE sets
    /// it (other users can see a VALUE in the list of processes); may be given again
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    /// Size above which a text of a result moves to a file, in tokens [default: 1600]
    #[arg(long, value_name = "TOKENS")]
    pub threshold: Option<u64>,
    /// Move only results of this tool to files; may be given again
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
    /// Never move results of this tool to files; may be given again
    #[arg(long, value_name = "TOOL")]
    pub deny: Vec<String>,
    /// Pass every message through unchanged
    #[arg(long)]
    pub off: bool,
    /// Folder that the files go to, and that the retrieval tools open; created if missing
    /// [default: the first --root, else unburden-UID in the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<String>,
    /// Additional folder that the retrieval tools open; may be given again [default: none]
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// The server that lists the retrieval tools
    #[arg(long, value_name = "WHERE", value_enum, default_value_t)]
    pub tools: ToolsFrom,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Redaction.
    #[command(flatten)]
    pub privacy: Privacy,
}
