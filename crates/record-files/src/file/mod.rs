//! The file of records: a header line, then one record on each line. The text that the
//! records come from is rebuilt from it.
//!
//! ```
//! use record_files::file::{Facts, parse, render};
//! use record_files::find::records_of_array;
//!
//! let text = "[{\"id\": 1}, {\"id\": 2}]";
//! let found = records_of_array(text).ok_or("no array")?;
//! let content = render(&found, &Facts::default());
//! assert_eq!(parse(&content)?.rebuild()?, text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;

use fair_share::on;
use raw_json::minify;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

pub mod header;

use crate::find::Found;
use crate::layout::{RebuildError, Shape};
use header::{Header, TYPE};

/// Maximum length of a header, in bytes. The text around the records of the largest text is much
/// shorter.
const MAX_HEADER_BYTES: usize = 64 * 1024 * 1024;

/// Size of a part whose records one thread counts, in bytes.
const PART_BYTES: usize = 1024 * 1024;

/// The members of a header that are not in the text itself.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The operation that returned the records.
    pub operation: String,
    /// The query of the operation.
    pub query: Option<String>,
    /// The detail of the records.
    pub detail: String,
    /// The version of the records' schema.
    pub schema_version: String,
    /// The time of writing, ISO 8601.
    pub timestamp: String,
    /// The lifetime of the file in seconds.
    pub ttl_seconds: Option<u64>,
    /// The profile of the file.
    pub profile: Option<String>,
    /// Estimated tokens of the records.
    pub estimated_tokens: u64,
    /// The recipes in its descriptor, as JSON.
    pub recipes: Option<Box<RawValue>>,
}

/// The reason why a file cannot be read as a file of records, or why its text cannot be rebuilt.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The first line is not a header.
    #[error(
        "the first line is not a header of records: {found}; it must be a JSON object with \"type\":\"lro_header\" and a count"
    )]
    NoHeader {
        /// The problem.
        found: String,
    },
    /// The first line is longer than a header may be.
    #[error("the first line has more than {limit} bytes, the most that a header may have")]
    HeaderTooLong {
        /// Maximum number of bytes of a header.
        limit: usize,
    },
    /// A line is not a JSON value.
    #[error("line {line} is not a JSON value: {error}; every line after the header must be one")]
    NoRecord {
        /// The line, from 1; the header is line 1.
        line: usize,
        /// The error of the parser.
        error: serde_json::Error,
    },
    /// Lines are missing, or there are too many.
    #[error("the header counts {counted} records and {found} follow; the file was cut or changed")]
    Count {
        /// The count in the header.
        counted: u64,
        /// The number of lines.
        found: u64,
    },
    /// A record of a map is not an entry.
    #[error(
        "line {line} must read {{\"key\":…,\"value\":…}}, since the records were members of an object"
    )]
    NoEntry {
        /// The line, from 1.
        line: usize,
    },
    /// The rebuilt text is longer than the one that was stored.
    #[error(
        "the rebuilt text has more than the {expected} bytes of the original; the file was changed"
    )]
    TooLong {
        /// Bytes of the original.
        expected: u64,
    },
    /// The rebuilt text is not the one that was stored.
    #[error(
        "the rebuilt text has {found} bytes and the original {expected}; the records were changed"
    )]
    Length {
        /// Bytes of the rebuilt text.
        found: u64,
        /// Bytes of the original.
        expected: u64,
    },
}

/// Returns the content of the file: the header line, then the records as lines.
pub fn render(found: &Found, facts: &Facts) -> String {
    let header = header(found, facts);
    // Strings, numbers and valid raw JSON always serialise.
    let line = serde_json::to_string(&header).unwrap_or_default();
    [line.as_str(), "\n", found.body()].concat()
}

/// Returns a hash of the file without timestamp, lifetime, recipes, schema version and
/// estimate: it is the same if the same result is written again.
pub fn identity(found: &Found, facts: &Facts) -> blake3::Hash {
    hash(header(found, facts), found.body())
}

fn header(found: &Found, facts: &Facts) -> Header {
    Header {
        header_type: TYPE.to_owned(),
        operation: facts.operation.clone(),
        query: facts.query.clone(),
        count: found.count() as u64,
        schema_version: facts.schema_version.clone(),
        timestamp: facts.timestamp.clone(),
        estimated_tokens: facts.estimated_tokens,
        detail: facts.detail.clone(),
        profile: facts.profile.clone(),
        ttl_seconds: facts.ttl_seconds,
        source: Some(found.source().clone()),
        recipes: facts.recipes.as_deref().and_then(one_line),
    }
}

/// Returns raw JSON without line feeds.
fn one_line(json: &RawValue) -> Option<Box<RawValue>> {
    let mut line = String::with_capacity(json.get().len());
    minify(json.get(), &mut line);
    RawValue::from_string(line).ok()
}

fn hash(header: Header, body: &str) -> blake3::Hash {
    let lasting = Header {
        schema_version: String::new(),
        timestamp: String::new(),
        estimated_tokens: 0,
        ttl_seconds: None,
        recipes: None,
        ..header
    };
    let line = serde_json::to_string(&lasting).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(line.as_bytes()).update(b"\n").update(body.as_bytes());
    hasher.finalize()
}

/// A file of records that was read.
///
/// ```
/// let content = "{\"type\":\"lro_header\",\"count\":2}\n{\"id\":1}\n{\"id\":2}\n";
/// let stored = record_files::file::parse(content)?;
/// assert_eq!(stored.header.count, 2);
/// assert_eq!(stored.records().last(), Some("{\"id\":2}"));
/// # Ok::<(), record_files::file::FileError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stored<'a> {
    /// Its first line.
    pub header: Header,
    body: &'a str,
}

/// Splits a file into header and records. Counts the records but does not parse them.
///
/// # Errors
///
/// Fails if the first line is not a header, or if the count is wrong.
pub fn split(content: &str) -> Result<Stored<'_>, FileError> {
    let stored = parted(content)?;
    let (counted, found) = (stored.header.count, count(stored.body));
    if counted != found {
        return Err(FileError::Count { counted, found });
    }
    Ok(stored)
}

/// Splits the start of a file, cut anywhere, into header and complete records. The header counts
/// all records of the file.
///
/// ```
/// let start = "{\"type\":\"lro_header\",\"count\":9}\n{\"id\":1}\n{\"id\"";
/// let stored = record_files::file::split_start(start)?;
/// assert_eq!((stored.header.count, stored.records().count()), (9, 1));
/// # Ok::<(), record_files::file::FileError>(())
/// ```
///
/// # Errors
///
/// Fails if the first line is not a header, whole.
pub fn split_start(start: &str) -> Result<Stored<'_>, FileError> {
    parted(&start[..start.rfind('\n').map_or(0, |end| end + 1)])
}

fn parted(content: &str) -> Result<Stored<'_>, FileError> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let (line, body) = content.split_once('\n').unwrap_or((content, ""));
    if line.len() > MAX_HEADER_BYTES {
        return Err(FileError::HeaderTooLong { limit: MAX_HEADER_BYTES });
    }
    let header: Header = serde_json::from_str(line)
        .map_err(|error| FileError::NoHeader { found: error.to_string() })?;
    if header.header_type != TYPE {
        let found = format!("its type is {:?}", header.header_type);
        return Err(FileError::NoHeader { found });
    }
    Ok(Stored { header, body })
}

/// Returns the number of lines that are not blank.
fn count(body: &str) -> u64 {
    let filled = |part: &&str| {
        raw_json::lines(part).filter(|line| !line.trim_ascii_start().is_empty()).count() as u64
    };
    let parts: Vec<&str> = raw_json::parts(body, PART_BYTES).collect();
    match parts.as_slice() {
        [only] => filled(only),
        many => on(|| many.par_iter().map(filled).sum()),
    }
}

/// Splits a file like [`split`], and parses every record.
///
/// # Errors
///
/// Fails like [`split`], and if a record is not a JSON value.
pub fn parse(content: &str) -> Result<Stored<'_>, FileError> {
    let stored = split(content)?;
    for (line, record) in stored.numbered() {
        serde_json::from_str::<IgnoredAny>(record)
            .map_err(|error| FileError::NoRecord { line, error })?;
    }
    Ok(stored)
}

impl<'a> Stored<'a> {
    /// Returns the lines after the header, unchanged.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// Returns the records, one JSON value each.
    pub fn records(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.numbered().map(|(_, record)| record)
    }

    /// Returns the records with their line numbers in the file, from 1. Skips blank lines.
    fn numbered(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        raw_json::lines(self.body)
            .enumerate()
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| (index + 2, line))
    }

    /// Returns the records as lines; if they are the lines of a text, the text.
    pub fn text(&self) -> Cow<'a, str> {
        let shape = self.header.source.as_ref().map(|source| source.shape);
        match self.rebuild() {
            Ok(text) if shape == Some(Shape::Text) => Cow::Owned(text),
            _ => Cow::Borrowed(self.body),
        }
    }

    /// Returns the hash of [`identity`].
    pub fn identity(&self) -> blake3::Hash {
        hash(self.header.clone(), self.body)
    }

    /// Rebuilds the text that the records come from; a JSON array of them if the header has
    /// no source.
    ///
    /// # Errors
    ///
    /// Fails if the rebuilt text does not have the length of the original.
    pub fn rebuild(&self) -> Result<String, FileError> {
        let Some(source) = &self.header.source else {
            let records: Vec<&str> = self.records().collect();
            return Ok(format!("[{}]", records.join(",")));
        };
        let expected = source.bytes;
        let text = source.text(self.records(), expected).map_err(|error| match error {
            RebuildError::Record(record) => {
                let line = self.numbered().nth(record - 1).map_or(0, |(line, _)| line);
                FileError::NoEntry { line }
            }
            RebuildError::Length => FileError::TooLong { expected },
        })?;
        let found = text.len() as u64;
        if found == expected { Ok(text) } else { Err(FileError::Length { found, expected }) }
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
