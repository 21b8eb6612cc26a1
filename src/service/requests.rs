//! The requests of the operations that read, count and delete.

use crate::params::{Blank, PATH, request};

/// Keywords of the JSON Schema of a selector of lines.
const LINES: &str = concat!(
    r#"{"pattern": "^\\s*([Aa][Ll][Ll]|(first|last|head_tail):\\s*0*[1-9][0-9]*"#,
    r#"|0*[1-9][0-9]*\\s*(-\\s*0*[1-9][0-9]*)?|grep:.+)\\s*$"}"#
);

/// The default of `max_tokens`, in words.
pub(crate) const MAX_TOKENS: &str = "10000 (`reload.max_tokens`)";

/// Other names of a limit.
const MOST: &[&str] =
    &["max_results", "max_matches", "max_count", "max_lines", "head_limit", "count", "top", "n"];

request! {
    /// `POST /grep`.
    pub(crate) struct Grep {
        /// Regular expression, matched against each line.
        ///
        /// The syntax is that of the Rust `regex` crate, without back-references and look-around.
        /// The carriage return before a line feed is not part of a line: `ok$` matches such a
        /// line that ends in `ok`, and `ok.` does not. A pattern that names it (`\r`) matches it.
        /// At most 1024 bytes.
        pattern: String {
            aka: &["regex", "query", "search", "text", "expression", "keyword"],
            accepted: "a regular expression, as a string",
            typed: "a regular expression, as a string",
            schema: r#"{"minLength": 1, "maxLength": 1024}"#,
        },
        /// Glob that selects the files to search, like `-g` of ripgrep.
        ///
        /// `*.txt` matches at any depth. A leading `!` excludes files. An empty string selects all
        /// files.
        glob: Option<String> {
            aka: &["include", "file_pattern", "filename", "files"],
            absent: "all files",
            schema: r#"{"maxLength": 1024}"#,
        },
        /// Maximum number of matching lines; 0 means the service's limit of 10,000.
        limit: Option<u64> { aka: MOST } = 0,
        /// Number of lines to show before and after each match.
        context: u64 {
            aka: &["context_lines", "lines", "-C", "before", "after"],
            schema: r#"{"maximum": 50}"#,
        } = 0,
        /// Whether the search ignores case.
        ignore_case: bool { aka: &["case_insensitive", "insensitive", "-i"] } = true,
        /// Whether `pattern` is literal text instead of a regular expression.
        literal: bool { aka: &["fixed_strings", "fixed", "plain", "-F"] } = false,
        /// Number of matching lines to skip.
        offset: u64 { aka: &["skip", "start", "from"] } = 0,
        /// Maximum size of `answer`, in tokens of `o200k_base`; 0 sets no limit.
        ///
        /// If the limit is reached, the last matches are omitted.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
        /// The file or folder to search.
        path: Option<String> {
            aka: &[
                "file", "file_path", "absolute_path", "folder", "dir", "directory", "store_dir",
            ],
            absent: "the first allowed root",
            schema: PATH,
        },
    }
}

request! {
    /// `POST /read_file`.
    pub(crate) struct Read {
        /// Path of the file; absolute, or relative to the service's working directory.
        ///
        /// Limits: 4096 bytes, no control characters.
        absolute_path: String {
            aka: &["path", "file", "file_path", "filename"],
            accepted: "a path, as a string",
            schema: PATH,
        },
        /// Offset of the first byte, from 0.
        byte_offset: Option<u64> = 0,
        /// Maximum number of bytes.
        byte_limit: Option<u64> { min: 1, absent: "to the end" },
        /// Offset of the first line, from 0.
        offset: Option<u64> = 0,
        /// Number of the first line, from 1; an alternative to `offset`.
        start_line: Option<u64> { aka: &["start", "from", "line", "first_line"], min: 1, absent: "1" },
        /// Maximum number of lines.
        limit: Option<u64> { aka: MOST, min: 1, absent: "to the end" },
        /// Maximum size of `answer`, in tokens of `o200k_base`; 0 sets no limit.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
    }
}

request! {
    /// `POST /read_tool_result`.
    pub(crate) struct ToolResult {
        /// The id of the tool call, or the name of the file (extension optional) or its path.
        result_id: String {
            aka: &["id", "tool_call_id", "call_id", "tool_use_id", "path", "file_path"],
            blank: Blank::Absent,
            accepted: "the id of a tool call, a file's name or its path, as a string",
            schema: r#"{"minLength": 1}"#,
        },
        /// The part of the result to return.
        ///
        /// `all`, `first:100`, `last:50`, `10-80` (inclusive), `7`, `head_tail:20` (20 lines from
        /// each end), or `grep:` and a regular expression.
        lines: String { aka: &["range", "line", "selector", "part"], schema: LINES } = "all",
        /// Maximum size of `answer`, in tokens of `o200k_base`; 0 sets no limit.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
        /// The folder in which ids and names are searched.
        ///
        /// Limits: 4096 bytes, no control characters.
        store_dir: Option<String> {
            aka: &["folder", "dir", "directory", "store"],
            absent: "the first root, and every folder of the service under the roots",
            schema: PATH,
        },
    }
}

request! {
    /// The members that only `POST /count_tokens` has.
    pub(crate) struct Count {
        /// Name of the model, which selects the tokenizer; a provider's prefix is optional.
        ///
        /// If the name is unknown, `exact` is false.
        model: Option<String> { blank: Blank::Absent, absent: "`o200k_base`" },
    }
}

request! {
    /// `DELETE /chats/{chat_id}`.
    pub(crate) struct Deletion {
        /// The `chat_id` of the chat, exactly as in its requests.
        chat_id: String {
            blank: Blank::Absent,
            accepted: "the id of a chat, as a string that is not blank",
        },
        /// Whether to report the files that would be deleted, without deleting them.
        dry_run: bool = false,
        /// The store to delete from.
        store_dir: Option<String> { absent: "every store under the roots" },
        /// The stores to delete from.
        folders: Option<Vec<String>> { typed: "a list of folders" },
    }
}

request! {
    /// `unburden sweep`.
    pub(crate) struct Sweep {
        /// Whether to report the files that would be deleted, without deleting them.
        dry_run: bool = false,
        /// The folders to sweep; if absent, every store under the roots.
        folders: Option<Vec<String>> { typed: "a list of folders" },
    }
}

request! {
    /// `unburden verify`.
    pub(crate) struct Verify {
        /// The folder of the store.
        store_dir: String { accepted: "a store's folder, as a string" },
    }
}
