//! The header: the first line of a file of records (`lro-spec-1600`,
//! `OffloadHeader`, with members of our own after the spec's).

use memchr::memmem;
use raw_json as raw;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::layout::{Shape, Source};

/// The `type` of every header.
pub const TYPE: &str = "lro_header";

/// The version of the schema of records.
pub const SCHEMA_VERSION: &str = "1.0";

/// Returns the lifetime from the first bytes of a file, in seconds: `None` if the bytes are not a
/// header, `Some(None)` if the header has no lifetime.
pub fn ttl(first_bytes: &[u8]) -> Option<Option<u64>> {
    header_of(first_bytes)?.ttl_seconds.map(Some)
}

/// The first line of a file of records. A file of another implementation of the specification
/// has only the members of the specification, and unknown ones, which are ignored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    /// Always [`TYPE`].
    #[serde(rename = "type")]
    pub header_type: String,
    /// The operation that returned the records, such as `search`.
    #[serde(default)]
    pub operation: String,
    /// The query of the operation.
    #[serde(default)]
    pub query: Option<String>,
    /// The number of records.
    pub count: u64,
    /// The version of the records' schema.
    #[serde(default)]
    pub schema_version: String,
    /// When the file was written, ISO 8601.
    #[serde(default)]
    pub timestamp: String,
    /// Estimated tokens of the records.
    #[serde(default)]
    pub estimated_tokens: u64,
    /// The detail of the records (see [`crate::recipes::Detail`]).
    #[serde(default)]
    pub detail: String,
    /// The profile the file was written under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The lifetime of the file in seconds, from `timestamp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<u64>,
    /// The rest of the text of the records.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "ours")]
    pub(crate) source: Option<Source>,
    /// The recipes in the descriptor of the file, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipes: Option<Box<RawValue>>,
}

impl Header {
    /// Returns the length of the text that the file rebuilds, in bytes; `None` if the file comes
    /// from another implementation. A caller can refuse it before anything is built.
    pub fn text_bytes(&self) -> Option<u64> {
        self.source.as_ref().map(|source| source.bytes)
    }

    /// Returns `records` with the text before and after them; `None` if the file comes from another
    /// implementation.
    pub fn around(&self, records: &str) -> Option<String> {
        self.source.as_ref().map(|source| source.around(records.to_owned()))
    }

    /// Returns the form of the records in the file if it differs from the form in their text.
    pub fn other_form(&self) -> Option<&'static str> {
        match self.source.as_ref()?.shape {
            Shape::Entries => Some("{\"key\":…,\"value\":…} for each member of the object"),
            Shape::Rows => Some("an object with the columns' names for each row"),
            Shape::Array | Shape::Lines | Shape::Text => None,
        }
    }
}

/// Reads a source of this crate, recognised by its `shape`; ignores any other.
fn ours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Source>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    let fields = raw::fields(raw.get()).unwrap_or_default();
    if raw::field(&fields, "shape").is_none() {
        return Ok(None);
    }
    serde_json::from_str(raw.get()).map(Some).map_err(serde::de::Error::custom)
}

/// Reads a header from the first bytes of a file. If the first line is incomplete, source and
/// recipes are missing. Returns `None` if the file is not a file of records.
pub fn header_of(first_bytes: &[u8]) -> Option<Header> {
    let header: Header = match memchr::memchr(b'\n', first_bytes) {
        Some(end) => serde_json::from_slice(&first_bytes[..end]).ok()?,
        // These bytes cannot be inside a string, where the quotes would be escaped.
        None => match memmem::find(first_bytes, b",\"source\":") {
            Some(end) => serde_json::from_slice(&[&first_bytes[..end], b"}"].concat()).ok()?,
            None => serde_json::from_slice(first_bytes).ok()?,
        },
    };
    (header.header_type == TYPE).then_some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = r#"{"type":"lro_header","operation":"recall","query":null,"count":2,"schema_version":"1.0","timestamp":"2026-11-21T10:00:00Z","estimated_tokens":7,"detail":"light"}"#;

    #[test]
    fn a_header_of_the_spec_is_read_and_written_as_it_is() {
        let header = header_of(SPEC.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&header).unwrap(), SPEC);
    }

    #[test]
    fn members_of_others_are_ignored() {
        let other = SPEC.replace("\"light\"}", "\"light\",\"source\":\"db\",\"x\":{}}\n{}");
        let header = header_of(other.as_bytes()).unwrap();
        assert!(header.source.is_none());
        assert_eq!(header.count, 2);
    }

    #[test]
    fn a_source_of_ours_that_is_damaged_is_an_error() {
        let bad = SPEC.replace("\"light\"}", "\"light\",\"source\":{\"shape\":\"cube\"}}");
        assert!(serde_json::from_str::<Header>(&bad).is_err());
    }

    #[test]
    fn a_cut_header_still_says_when_the_file_expires() {
        let cut = SPEC.replace("\"light\"}", "\"light\",\"ttl_seconds\":60,\"source\":{\"sha");
        assert_eq!(header_of(cut.as_bytes()).unwrap().ttl_seconds, Some(60));
    }

    #[test]
    fn other_files_have_no_header() {
        for text in ["", "{}", "{\"a\":1}\n", "words", "{\"type\":\"x\",\"count\":1}\n"] {
            assert!(header_of(text.as_bytes()).is_none(), "{text}");
        }
    }
}
