//! Names of stored files: their exact forms, and the meaning of each form.

use std::fmt;

use super::lro_name::LroName;

pub(super) const RESULT: &str = "tool_call_";
/// The name of a text of `/offload_result` begins with this.
pub(super) const TEXT: &str = "tool_text_";
pub(super) const GROUP: &str = "compressed_group_";
pub(super) const FILE_LIST: &str = "compressed_files_";
pub(super) const SNAPSHOT: &str = ".unburden-snapshot-";

/// Maximum length of the name of a stored file, in bytes.
const NAME_BYTES: usize = 128;

/// The name of a stored file: no separator, at most 128 bytes.
///
/// ```
/// use context_store::FileName;
///
/// assert!(FileName::parse("tool_call_9.txt").is_some());
/// assert!(FileName::parse("../etc/passwd").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// Parses a name. Returns `None` unless it has exactly a form that a store assigns. Only files
    /// with such names are listed, verified, and deleted when they expire.
    pub fn parse(name: &str) -> Option<FileName> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let is_body = |body: &str| !body.is_empty() && body.bytes().all(is_plain);
        let result = name.strip_prefix(RESULT).or_else(|| name.strip_prefix(TEXT));
        let result = result.and_then(|rest| rest.strip_suffix(".txt"));
        let snapshot = name.strip_prefix(SNAPSHOT).and_then(|rest| rest.strip_suffix(".json"));
        let snapshot = snapshot.and_then(|rest| rest.split_at_checked(32));
        let is_known = result.is_some_and(is_body)
            || snapshot.is_some_and(|(key, more)| is_hex(key) && is_hash_part(more))
            || numbered(name).is_some_and(|(series, _)| is_body(series))
            || LroName::parse(name).is_some();
        (is_known && name.len() <= NAME_BYTES).then(|| FileName(name.to_owned()))
    }

    /// Returns a name that a stem has formed.
    pub(super) fn spelled(name: String) -> FileName {
        FileName(name)
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number of a numbered file.
    pub(crate) fn number(&self) -> Option<u64> {
        Some(numbered(&self.0)?.1)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns true for the name of a file that refers to other files: the messages of a
/// group, or a list of files.
///
/// ```
/// assert!(context_store::contains_references("compressed_group_chat_0.json"));
/// assert!(!context_store::contains_references("tool_call_9.txt"));
/// ```
pub fn contains_references(name: &str) -> bool {
    name.starts_with(FILE_LIST) || group_of(name).is_some()
}

/// Returns true for the name of a file that an agent may be told to read.
///
/// ```
/// assert!(context_store::is_reference_target("tool_call_9.txt"));
/// assert!(!context_store::is_reference_target("notes.txt"));
/// ```
pub fn is_reference_target(name: &str) -> bool {
    let is_text = name.starts_with("tool_") || name.starts_with(FILE_LIST);
    let is_ours = is_text && name.ends_with(".txt")
        || group_of(name).is_some()
        || LroName::parse(name).is_some();
    is_ours && name.len() <= NAME_BYTES
}

/// Returns true for a text that was offloaded on its own, not in a history.
pub(crate) fn is_text(name: &FileName) -> bool {
    name.0.starts_with(TEXT)
}

/// Returns true for a result that was offloaded on its own. Records of a compaction have no time in
/// their name and no lifetime in their header, and live as long as their chat.
///
/// ```
/// use context_store::{FileName, has_own_ttl};
/// let name = FileName::parse("tool_call_9.txt").expect("a name that a store gives");
/// assert!(!has_own_ttl(&name));
/// ```
pub fn has_own_ttl(name: &FileName) -> bool {
    is_text(name) || LroName::parse(name.as_str()).is_some_and(|lro| lro.ulid.timestamp_ms() > 0)
}

/// Returns the chat and the number in the name of a group's file.
///
/// ```
/// assert_eq!(context_store::group_of("compressed_group_my_chat_3.json"), Some(("my_chat", 3)));
/// ```
pub fn group_of(name: &str) -> Option<(&str, u32)> {
    let (chat, number) = split_number(name.strip_prefix(GROUP)?.strip_suffix(".json")?)?;
    Some((chat, u32::try_from(number).ok()?))
}

/// Returns the series (the chat with its prefix) and the number of a numbered file's name.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let stem = match name.strip_suffix(".json") {
        Some(stem) => stem.starts_with(GROUP).then_some(stem),
        None => name.strip_suffix(".txt").filter(|stem| stem.starts_with(FILE_LIST)),
    }?;
    split_number(stem)
}

/// Splits `chat_7` into the chat and the number.
fn split_number(text: &str) -> Option<(&str, u64)> {
    let (before, number) = text.rsplit_once('_')?;
    let is_plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| number.parse().ok()).flatten().map(|number| (before, number))
}

pub(super) fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Returns true for an empty text, or `-` and as many hash digits as a name may add.
pub(super) fn is_hash_part(text: &str) -> bool {
    let hash = text.strip_prefix('-');
    text.is_empty() || hash.is_some_and(|hash| [8, 12, 16].contains(&hash.len()) && is_hex(hash))
}
