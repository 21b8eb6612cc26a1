//! The command line arguments. The commands interpret them.

mod delete;
pub(crate) mod offload;
mod privacy;
mod proxy;
mod reach;

pub(crate) use delete::Delete;
pub(crate) use offload::Offload;
pub(crate) use privacy::Privacy;
pub(crate) use proxy::Proxy;
pub(crate) use reach::Reach;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::config::address;

/// Context manager for LLM agents: a message history in, a smaller valid one out,
/// everything back again.
#[derive(Debug, Parser)]
#[command(name = "unburden", version, max_term_width = 100)]
pub(crate) struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the HTTP server
    Serve(Serve),
    /// Shrink a history: large tool results move to files
    Offload(Offload),
    /// Search stored results with a regular expression
    Grep(Grep),
    /// Read a stored result, whole or by lines or bytes
    Read(Read),
    /// Query a file of records: filter, count, group, sort, or run SQL or jq
    Extract(Extract),
    /// Count the tokens of a history
    Count(Count),
    /// List what a provider would reject in a history; exit status 0 if nothing
    Validate(Validate),
    /// Delete expired files
    Sweep(Sweep),
    /// Delete everything that was stored for a chat
    Delete(Delete),
    /// Compare the files of a store with the hashes they were written with
    Verify(Verify),
    /// Run the MCP server on standard input and output
    Mcp(Mcp),
    /// Run in front of another MCP server: its large results move to files
    Proxy(Proxy),
    /// Show the savings: a scripted agent with and without the service
    Demo(Demo),
    /// Probe a running service; exit status 0 if it is alive
    Healthcheck(Healthcheck),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(Man),
}

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address and port; port 0 picks a free one [default: 127.0.0.1:8002]
    #[arg(long, value_name = "HOST:PORT", value_parser = address::parse)]
    pub listen: Option<SocketAddr>,
    /// Folder under which a store_dir may lie, or SEEN=REAL if callers see it under
    /// another path; may be given again [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// File with the bearer token that requests must carry
    #[arg(long, value_name = "FILE", conflicts_with = "no_auth")]
    pub token_file: Option<PathBuf>,
    /// Listen beyond loopback without a token
    #[arg(long)]
    pub no_auth: bool,
    /// For a program that starts the service itself: end when standard input is closed. Where a
    /// service for the same folders runs, print its address and keep it running until then
    #[arg(long)]
    pub shared: bool,
    /// Redaction.
    #[command(flatten)]
    pub privacy: Privacy,
}

/// `mcp`.
#[derive(Debug, Args)]
pub(crate) struct Mcp {
    /// Folder that may be read, and under which a store_dir may lie; may be given again
    /// [default: the working directory; if that is /, unburden-UID in the system's folder
    /// for temporary files]
    #[arg(long, value_name = "DIR")]
    pub root: Vec<String>,
    /// Configuration file (TOML); environment variables UNBURDEN_SECTION__KEY override it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Redaction.
    #[command(flatten)]
    pub privacy: Privacy,
}

/// `demo`.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Number of turns
    #[arg(long, value_name = "COUNT", default_value_t = 40, value_parser = clap::value_parser!(u64).range(3..=1000))]
    pub turns: u64,
    /// Print the numbers as JSON instead of a chart
    #[arg(long)]
    pub json: bool,
}

/// Options of the commands that read stored data.
#[derive(Debug, Args)]
pub(crate) struct ReadAnswer {
    /// Largest answer, in tokens; 0 for everything [default: 10000]
    #[arg(long, value_name = "TOKENS")]
    pub max_tokens: Option<u64>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
    /// Configuration and reach.
    #[command(flatten)]
    pub reach: Reach,
}

/// `grep`.
#[derive(Debug, Args)]
pub(crate) struct Grep {
    /// Regular expression
    pub pattern: String,
    /// File or folder [default: the first allowed folder]
    pub path: Option<String>,
    /// Only files whose name matches, such as '*.txt'
    #[arg(long, short, value_name = "GLOB")]
    pub glob: Option<String>,
    /// Most matches
    #[arg(long, short, value_name = "COUNT")]
    pub limit: Option<u64>,
    /// Matches left out at the start
    #[arg(long, value_name = "COUNT")]
    pub offset: Option<u64>,
    /// Context lines around each match
    #[arg(long, short = 'C', value_name = "LINES")]
    pub context: Option<u64>,
    /// Match case
    #[arg(long, short = 's')]
    pub case_sensitive: bool,
    /// Treat the pattern as plain text
    #[arg(long, short = 'F')]
    pub literal: bool,
    /// The answer.
    #[command(flatten)]
    pub answer: ReadAnswer,
}

/// `read`. The service checks which of lines and bytes go together, as over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// The file; with --lines also the id of a tool call
    pub path: String,
    /// Part of a result: all, first:100, last:50, 10-80 (lines from 1), head_tail:20
    /// or grep:PATTERN
    #[arg(long, value_name = "PART", conflicts_with_all = ["start_line", "offset", "limit", "byte_offset", "byte_limit"])]
    pub lines: Option<String>,
    /// With --lines: the folder that holds the result [default: every store under
    /// the allowed folders]
    #[arg(long, value_name = "DIR", requires = "lines")]
    pub store_dir: Option<String>,
    /// First line, counted from 1
    #[arg(long, value_name = "LINE")]
    pub start_line: Option<u64>,
    /// First line, counted from 0
    #[arg(long, value_name = "LINE")]
    pub offset: Option<u64>,
    /// Most lines
    #[arg(long, value_name = "LINES")]
    pub limit: Option<u64>,
    /// First byte, counted from 0
    #[arg(long, value_name = "BYTE")]
    pub byte_offset: Option<u64>,
    /// Most bytes
    #[arg(long, value_name = "BYTES")]
    pub byte_limit: Option<u64>,
    /// The answer.
    #[command(flatten)]
    pub answer: ReadAnswer,
}

/// `extract`. The service checks which of these go together, as over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Extract {
    /// The file of records
    pub path: String,
    /// jq filter, run on each record, or on the array of all if it is meant for that; a shell
    /// command with jq is accepted, too
    pub query: Option<String>,
    /// Condition as JSON, such as '{"field":"priority","op":">","value":3}', or in words,
    /// such as 'priority > 3 and owner is null'
    #[arg(long = "where", value_name = "JSON")]
    pub condition: Option<String>,
    /// SQL statement (SQLite) over the table `records`
    #[arg(long, value_name = "SELECT")]
    pub sql: Option<String>,
    /// One of the file's recipes, 1 to 10
    #[arg(long, value_name = "NUMBER")]
    pub recipe: Option<u64>,
    /// A value for the recipe or the filter, as NAME=VALUE; may be given again
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Ids to look for, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub ids: Vec<String>,
    /// The field that holds ids [default: id]
    #[arg(long, value_name = "FIELD")]
    pub id_field: Option<String>,
    /// Only these fields of each record, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub select: Vec<String>,
    /// Print only the number of matching records
    #[arg(long)]
    pub count: bool,
    /// Count the matches for each value of a field
    #[arg(long, value_name = "FIELD")]
    pub group_by: Option<String>,
    /// Sort by a field; a leading - sorts in descending order
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    pub sort_by: Option<String>,
    /// Give jq all records as one array; --slurp=false gives it each [default: as the filter uses
    /// its input]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub slurp: Option<bool>,
    /// Most results
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u64>,
    /// Results to skip
    #[arg(long, value_name = "COUNT")]
    pub offset: Option<u64>,
    /// The answer.
    #[command(flatten)]
    pub answer: ReadAnswer,
}

/// `sweep`.
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Folders to sweep [default: every store under the configured roots, and where
    /// /offload_result writes]
    #[arg(value_name = "DIR")]
    pub folders: Vec<String>,
    /// Show what would be deleted; delete nothing
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

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The store's folder
    #[arg(value_name = "STORE")]
    pub store: String,
    /// Print the whole report as JSON
    #[arg(long)]
    pub json: bool,
    /// Configuration and reach.
    #[command(flatten)]
    pub reach: Reach,
}

/// `count`.
#[derive(Debug, Args)]
pub(crate) struct Count {
    /// The history, as for offload; - reads standard input
    #[arg(value_name = "FILE|-")]
    pub input: String,
    /// The format of the messages [default: detected automatically]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// The model whose tokenizer counts [default: o200k_base]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// `validate`.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The history, as for offload; - reads standard input
    #[arg(value_name = "FILE|-")]
    pub input: String,
    /// The format of the messages [default: detected automatically]
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// `healthcheck`.
#[derive(Debug, Args)]
pub(crate) struct Healthcheck {
    /// Address of the service [default: as configured]
    #[arg(long, value_name = "HOST:PORT", value_parser = address::parse)]
    pub address: Option<SocketAddr>,
    /// Configuration file of the service
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    pub shell: Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder that gets a page for each command
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
