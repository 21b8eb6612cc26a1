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
        /// Regular expression, matched line by line.
        ///
        /// Syntax of the Rust `regex` crate: no back-references, no look-around. The carriage
        /// return before a line feed is no part of a line, so `ok$` finds `ok` there and `ok.`
        /// does not; a pattern that names it (`\r`) finds it. At most 1024 bytes.
        pattern: String {
            aka: &["regex", "query", "search", "text", "expression", "keyword"],
            accepted: "a regular expression, as a string",
            typed: "a regular expression, as a string",
            schema: r#"{"minLength": 1, "maxLength": 1024}"#,
        },
        /// Only files that it matches, as ripgrep's `-g`.
        ///
        /// `*.txt` matches at any depth, a leading `!` excludes. Empty: all files.
        glob: Option<String> {
            aka: &["include", "file_pattern", "filename", "files"],
            absent: "all files",
            schema: r#"{"maxLength": 1024}"#,
        },
        /// The most matching lines; 0 leaves it to the service's 10 000.
        limit: Option<u64> { aka: MOST } = 0,
        /// Lines shown before and after each match.
        context: u64 {
            aka: &["context_lines", "lines", "-C", "before", "after"],
            schema: r#"{"maximum": 50}"#,
        } = 0,
        /// Whether upper and lower case are the same.
        ignore_case: bool { aka: &["case_insensitive", "insensitive", "-i"] } = true,
        /// Whether `pattern` is plain text.
        literal: bool { aka: &["fixed_strings", "fixed", "plain", "-F"] } = false,
        /// How many matching lines are left out at the start.
        offset: u64 { aka: &["skip", "start", "from"] } = 0,
        /// Ceiling of `answer`, in tokens of `o200k_base`; 0 for everything.
        ///
        /// The last matches are left out.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
        /// A file or a folder.
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
        /// The file; absolute, or relative to the service's working directory.
        ///
        /// At most 4096 bytes, no control character.
        absolute_path: String {
            aka: &["path", "file", "file_path", "filename"],
            accepted: "a path, as a string",
            schema: PATH,
        },
        /// The first byte, from 0.
        byte_offset: Option<u64> = 0,
        /// The most bytes.
        byte_limit: Option<u64> { min: 1, absent: "to the end" },
        /// The first line, from 0.
        offset: Option<u64> = 0,
        /// The first line, from 1; instead of `offset`.
        start_line: Option<u64> { aka: &["start", "from", "line", "first_line"], min: 1, absent: "1" },
        /// The most lines.
        limit: Option<u64> { aka: MOST, min: 1, absent: "to the end" },
        /// Ceiling of `answer`, in tokens of `o200k_base`; 0 for everything.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
    }
}

request! {
    /// `POST /read_tool_result`.
    pub(crate) struct ToolResult {
        /// The id of the tool call, the name of the file with or without extension, or its path.
        result_id: String {
            aka: &["id", "tool_call_id", "call_id", "tool_use_id", "path", "file_path"],
            blank: Blank::Absent,
            accepted: "the id of a tool call, a file's name or its path, as a string",
            schema: r#"{"minLength": 1}"#,
        },
        /// The part of the result.
        ///
        /// `all`, `first:100`, `last:50`, `10-80` (both included), `7`, `head_tail:20` (so many
        /// from each end), or `grep:` and a regular expression.
        lines: String { aka: &["range", "line", "selector", "part"], schema: LINES } = "all",
        /// Ceiling of `answer`, in tokens of `o200k_base`; 0 for everything.
        max_tokens: Option<u64> { absent: MAX_TOKENS },
        /// The folder that ids and names are looked for in.
        ///
        /// At most 4096 bytes, no control character.
        store_dir: Option<String> {
            aka: &["folder", "dir", "directory", "store"],
            absent: "the first root, and every folder of the service below the roots",
            schema: PATH,
        },
    }
}

request! {
    /// The members that only `POST /count_tokens` has.
    pub(crate) struct Count {
        /// Name of the model, with or without a provider's prefix; it picks the tokenizer.
        ///
        /// With an unknown name `exact` is false.
        model: Option<String> { blank: Blank::Absent, absent: "`o200k_base`" },
    }
}

request! {
    /// `DELETE /chats/{chat_id}`.
    pub(crate) struct Deletion {
        /// The chat, exactly as in its requests.
        chat_id: String {
            blank: Blank::Absent,
            accepted: "the id of a chat, as a string that is not blank",
        },
        /// Whether to report what would be deleted, and delete nothing.
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
        /// Whether to report what would be deleted, and delete nothing.
        dry_run: bool = false,
        /// The folders to sweep; None: every store under the roots.
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
