//! The errors of queries.

use std::io;

use context_store::EndedFile;
use thiserror::Error;

/// The errors of reading. Paths are as the caller spells them.
#[derive(Debug, Error)]
pub enum ReloadError {
    /// The path does not exist, or leads outside of the handle. A caller cannot tell which.
    #[error("{path:?} was not found; accepted is an existing file or folder")]
    NotFound {
        /// The path as the caller spells it.
        path: String,
        /// The record of the file that existed at this path, if it was found.
        ended: Option<Box<EndedFile>>,
    },
    /// The path names several files, as a reference after a snapshot does.
    #[error(
        "{path:?} names {} files; accepted is one of them, such as {:?}; grep searches all of them \
         with path={:?} and glob={:?}",
        files.count,
        files.newest,
        files.folder,
        files.glob
    )]
    Several {
        /// The path as the caller spells it.
        path: String,
        /// The files that it names.
        files: Box<SeveralFiles>,
    },
    /// The path is a folder, or neither a file nor a folder.
    #[error("{path:?} is not a regular file; accepted is the path of a file")]
    NotAFile {
        /// The path as the caller spells it.
        path: String,
    },
    /// The page contains a byte that is not part of any UTF-8 text.
    #[error(
        "{path:?} is not UTF-8 text at byte {byte_offset}; accepted is a range without that byte"
    )]
    NotText {
        /// The path as the caller spells it.
        path: String,
        /// The offset of that byte in the file, from 0.
        byte_offset: u64,
    },
    /// A file that is too large to be read whole.
    #[error(
        "{path:?} has {found} bytes; accepted are up to {limit}; read_file returns parts of larger \
         files"
    )]
    TooLarge {
        /// The path as the caller spells it.
        path: String,
        /// Its length in bytes.
        found: u64,
        /// The maximum length in bytes.
        limit: u64,
    },
    /// A file that could not be read in the time for one request.
    #[error("reading {path:?} took longer than a request may; accepted is a smaller file")]
    TooSlow {
        /// The path as the caller spells it.
        path: String,
    },
    /// A part of a file that begins after its last line.
    #[error(
        "line {first} is past the end of {path:?}, which has {total_lines} lines; accepted are lines 1 to {total_lines}"
    )]
    LinesPastEnd {
        /// The request field that names the line.
        field: &'static str,
        /// The path as the caller spells it.
        path: String,
        /// The line that was asked for, from 1.
        first: u64,
        /// The lines of the file.
        total_lines: u64,
    },
    /// No stored result has this id.
    #[error(
        "no stored result {id:?} was found; accepted is the id of a tool call, or a file's name or \
         path; if a snapshot replaced the call, grep the id in the snapshot's group file"
    )]
    NoResult {
        /// The id, shortened.
        id: String,
    },
    /// Results in several folders have this id.
    #[error(
        "{found} results of {id:?} are in different folders: {}; accepted is one of these paths as \
         result_id, or its folder as store_dir",
        choice(paths, *found)
    )]
    Ambiguous {
        /// The id, shortened.
        id: String,
        /// Some of their paths.
        paths: Vec<String>,
        /// Their number.
        found: usize,
    },
    /// The file expired and was deleted.
    #[error("{path:?} has expired and was deleted at {expired_at}; {again} makes it again")]
    Expired {
        /// The path as the caller spells it.
        path: String,
        /// When it was deleted, RFC 3339.
        expired_at: String,
        /// Describes the call that makes it again.
        again: String,
    },
    /// The file was deleted with its chat.
    #[error("{path:?} was deleted with its chat at {at}; the call that made it makes it again")]
    Deleted {
        /// The path as the caller spells it.
        path: String,
        /// When it was deleted, RFC 3339.
        at: String,
    },
    /// A page of bytes that begins after the last byte.
    #[error(
        "byte offset {offset} is past the end of {path:?}, which has {total_bytes} bytes; accepted are 0 to {}",
        total_bytes.saturating_sub(1)
    )]
    ByteOffsetPastEnd {
        /// The path as the caller spells it.
        path: String,
        /// The byte that was asked for, from 0.
        offset: u64,
        /// The bytes of the file.
        total_bytes: u64,
    },
    /// The pattern is empty, and would match every line.
    #[error("the pattern is empty; accepted is a regular expression or a literal")]
    EmptyPattern,
    /// A pattern that is longer than [`grep::Limits::pattern_bytes`].
    #[error("the pattern has {found} bytes; accepted are at most {limit}")]
    PatternTooLong {
        /// Its length in bytes.
        found: usize,
        /// The maximum length in bytes.
        limit: usize,
    },
    /// A pattern that takes more memory than [`grep::Limits::compile_bytes`].
    #[error("the pattern compiles to more than {limit} bytes; send fewer repetitions")]
    PatternTooCostly {
        /// The maximum size of a compiled pattern, in bytes.
        limit: usize,
    },
    /// The pattern is not a regular expression, or contains a line break.
    #[error("the pattern {pattern:?} is not valid{}: {reason}", at(*position))]
    BadPattern {
        /// The pattern as the caller spells it.
        pattern: String,
        /// The position of the mistake in characters, from 0; `None` if it concerns the whole
        /// pattern.
        position: Option<usize>,
        /// The mistake.
        reason: String,
    },
    /// The glob is invalid, or exceeds the maximum length of a pattern.
    #[error("the glob {glob:?} is not valid: {reason}")]
    BadGlob {
        /// The glob as the caller spells it.
        glob: String,
        /// The mistake.
        reason: String,
    },
    /// A number is outside the range that its field accepts.
    #[error("{field} is {found}; accepted is {accepted}")]
    InvalidRange {
        /// The field of the request.
        field: &'static str,
        /// The number.
        found: u64,
        /// The accepted numbers, in words.
        accepted: String,
    },
    /// The object store that holds the file is not available.
    #[error("{path:?} cannot be read at the moment: {reason}; send the same request again later")]
    Away {
        /// The path as the caller spells it.
        path: String,
        /// The store's reason.
        reason: String,
    },
    /// The file or folder exists, but cannot be opened or read.
    #[error("{path:?} could not be read")]
    Io {
        /// The path as the caller spells it.
        path: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// The files that one path names.
#[derive(Debug)]
pub struct SeveralFiles {
    /// The number of files.
    pub count: u64,
    /// The path of the newest file.
    pub newest: String,
    /// The folder of the files.
    pub folder: String,
    /// A glob that matches the files.
    pub glob: String,
}

fn at(position: Option<usize>) -> String {
    position.map_or_else(String::new, |position| format!(" at position {position}"))
}

/// Lists paths to choose from, and how many more there are.
fn choice(paths: &[String], found: usize) -> String {
    let shown = paths.iter().map(|path| format!("{path:?}")).collect::<Vec<_>>().join(", ");
    match found.saturating_sub(paths.len()) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
