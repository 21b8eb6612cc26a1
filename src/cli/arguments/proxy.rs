//! `proxy`, as typed.

use std::path::PathBuf;

use clap::Args;

use super::Privacy;

/// `proxy`.
#[derive(Debug, Args)]
#[command(after_help = "\
The server gets HOME, LANG, LC_*, LOGNAME, PATH, SHELL, TERM, TMPDIR, TZ, USER and XDG_* of the
environment, and what --env names.

Examples:
  unburden proxy -- npx -y @modelcontextprotocol/server-filesystem .
  unburden proxy --env GITHUB_TOKEN -- npx -y @modelcontextprotocol/server-github
  unburden proxy --url https://HOST/mcp --header 'Authorization: Bearer TOKEN'")]
pub struct Proxy {
    /// The server, as a command and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// The server, as an address (streamable HTTP)
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Header of every request to --url; may be given again
    #[arg(long, value_name = "NAME: VALUE")]
    pub header: Vec<String>,
    /// Variable of the environment that the server gets, too; NAME passes it on, NAME=VALUE sets
    /// it (other users can see a VALUE in the list of processes); may be given again
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    /// A text of a result above this becomes a file, in tokens [default: 1600]
    #[arg(long, value_name = "TOKENS")]
    pub threshold: Option<u64>,
    /// Only results of this tool become files; may be given again
    #[arg(long, value_name = "TOOL")]
    pub allow: Vec<String>,
    /// Results of this tool never become files; may be given again
    #[arg(long, value_name = "TOOL")]
    pub deny: Vec<String>,
    /// Change nothing: every message passes as it comes
    #[arg(long)]
    pub off: bool,
    /// Folder that the files go to, and that the reading tools open; made where it is not there
    /// [default: the first --root, else unburden-UID in the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<String>,
    /// Further folder that the reading tools open; may be given again [default: none]
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What is kept out of sight.
    #[command(flatten)]
    pub privacy: Privacy,
}
