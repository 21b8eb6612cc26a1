//! The file of records: a header, then one record a line; and the way back from
//! it to the text that the records come from.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::header::{Header, TYPE};
use super::records::Found;
use super::shape::{Broken, Shape};
use super::token;

/// The longest header that is read, in bytes: what stands around the records of
/// the largest text is far below it.
const HEADER_BYTES: usize = 64 * 1024 * 1024;

/// The members of a header that are not found in the text itself.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// What was done to get the records.
    pub operation: String,
    /// What was asked for.
    pub query: Option<String>,
    /// How much of each record is there.
    pub detail: String,
    /// The version of the records' schema.
    pub schema_version: String,
    /// When the file is written, ISO 8601.
    pub timestamp: String,
    /// How long it is to live.
    pub ttl_seconds: Option<u64>,
    /// The profile it is written under.
    pub profile: Option<String>,
    /// Estimated tokens of the records.
    pub estimated_tokens: u64,
    /// The recipes offered for it, as JSON.
    pub recipes: Option<Box<RawValue>>,
}

/// What keeps a file from being read as one of records.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The first line is no header.
    #[error(
        "the first line is no header of records: {found}; it must be a JSON object with \"type\":\"lro_header\" and a count"
    )]
    NoHeader {
        /// What it is instead.
        found: String,
    },
    /// The first line is too long for a header.
    #[error("the first line has more than {limit} bytes, the most that a header may have")]
    HeaderTooLong {
        /// The longest header.
        limit: usize,
    },
    /// A line is no JSON value.
    #[error("line {line} is no JSON value: {error}; every line after the header must be one")]
    NoRecord {
        /// The line, from 1; the header is line 1.
        line: usize,
        /// What the parser says.
        error: serde_json::Error,
    },
    /// Lines are missing, or there are too many.
    #[error("the header counts {counted} records and {found} follow; the file was cut or changed")]
    Count {
        /// By the header.
        counted: u64,
        /// Lines there are.
        found: u64,
    },
    /// The header's layout cannot be read.
    #[error("the layout in the header is none that was written with this file")]
    Layout,
    /// A record of a map is no entry.
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

/// The content of the file: the header's line, then the records' lines.
pub fn render(found: &Found, facts: &Facts) -> String {
    let header = header(found, facts);
    // A header holds strings, numbers and valid raw JSON: it serialises.
    let line = serde_json::to_string(&header).unwrap_or_default();
    [line.as_str(), "\n", found.body()].concat()
}

/// Names the content of the file: a hash over everything in it but timestamp,
/// lifetime, recipes, schema version and estimate, which a repeat may differ in.
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

/// Raw JSON without line feeds.
fn one_line(json: &RawValue) -> Option<Box<RawValue>> {
    let mut line = String::with_capacity(json.get().len());
    token::minify(json.get(), &mut line);
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

/// A file of records, read.
#[derive(Debug, Clone)]
pub struct Stored<'a> {
    /// Its first line.
    pub header: Header,
    body: &'a str,
}

/// Splits a file into header and records and counts them; the records are not
/// looked at.
pub fn split(content: &str) -> Result<Stored<'_>, FileError> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let (line, body) = content.split_once('\n').unwrap_or((content, ""));
    if line.len() > HEADER_BYTES {
        return Err(FileError::HeaderTooLong { limit: HEADER_BYTES });
    }
    let header: Header = serde_json::from_str(line)
        .map_err(|error| FileError::NoHeader { found: error.to_string() })?;
    if header.header_type != TYPE {
        let found = format!("its type is {:?}", header.header_type);
        return Err(FileError::NoHeader { found });
    }
    let stored = Stored { header, body };
    let (counted, found) = (stored.header.count, stored.records().count() as u64);
    if counted != found {
        return Err(FileError::Count { counted, found });
    }
    Ok(stored)
}

/// As [`split`], and every record is checked to be a JSON value.
pub fn parse(content: &str) -> Result<Stored<'_>, FileError> {
    let stored = split(content)?;
    for (line, record) in stored.numbered() {
        serde_json::from_str::<IgnoredAny>(record)
            .map_err(|error| FileError::NoRecord { line, error })?;
    }
    Ok(stored)
}

impl<'a> Stored<'a> {
    /// The lines after the header, as they are in the file.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// The records, one JSON value each.
    pub fn records(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.numbered().map(|(_, record)| record)
    }

    /// The records with their lines in the file, from 1; blank lines are none.
    fn numbered(&self) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let lines = self.body.lines().enumerate();
        lines
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| (index + 2, line))
    }

    /// The records as lines for a reader; of a text, its own lines.
    pub fn text(&self) -> Cow<'a, str> {
        let shape = self.header.source.as_ref().map(|source| source.shape);
        match self.rebuild() {
            Ok(text) if shape == Some(Shape::Text) => Cow::Owned(text),
            _ => Cow::Borrowed(self.body),
        }
    }

    /// The content's name, as [`identity`] gave it.
    pub fn identity(&self) -> blake3::Hash {
        hash(self.header.clone(), self.body)
    }

    /// The whole text that the records come from; a JSON array of them where the
    /// header does not say.
    pub fn rebuild(&self) -> Result<String, FileError> {
        let Some(source) = &self.header.source else {
            let records: Vec<&str> = self.records().collect();
            return Ok(format!("[{}]", records.join(",")));
        };
        let expected = source.bytes;
        let text = source.text(self.records(), expected).map_err(|broken| match broken {
            Broken::Layout => FileError::Layout,
            Broken::Entry(record) => {
                let line = self.numbered().nth(record - 1).map_or(0, |(line, _)| line);
                FileError::NoEntry { line }
            }
            Broken::Length => FileError::TooLong { expected },
        })?;
        let found = text.len() as u64;
        if found == expected { Ok(text) } else { Err(FileError::Length { found, expected }) }
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
