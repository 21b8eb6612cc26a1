//! `proxy`, as typed.

use std::path::PathBuf;

use clap::Args;

use super::Privacy;

/// `proxy`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  unburden proxy -- npx -y @modelcontextprotocol/server-filesystem .
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
    /// Folder that the files go to, under an allowed one [default: the system's folder for
    /// temporary files where it is allowed, else the first allowed folder]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<String>,
    /// Folder that may be read, and under which files go; may be given again [default: the
    /// working directory and the system's folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY win over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What is kept out of sight.
    #[command(flatten)]
    pub privacy: Privacy,
}
