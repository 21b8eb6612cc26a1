//! Names of stored files: minted here from a call's id and the content's hash,
//! so that no caller's string ever becomes a path. `tool_call_{id}.txt`; another
//! content under the same id gets `-` and 8 digits of its hash; a result without
//! an id is named by 16 digits of its hash (api.md §2, compact).

use std::fmt;

/// Longest id part of a name, in bytes; with prefix, hash and extension a name
/// stays within 128 bytes.
const ID_BYTES: usize = 96;

/// The part of a name before the hash and the extension.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stem(String);

impl Stem {
    /// The stem for a call's id, or for a result without one, for its content.
    pub fn of_call(id: Option<&str>, content: &blake3::Hash) -> Stem {
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return Stem(format!("tool_call_{}", digits(content, 16)));
        };
        // An id that already says `call_` is not given the prefix twice.
        let prefix = if id.starts_with("call_") { "tool_" } else { "tool_call_" };
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let id: String = id.chars().map(safe).take(ID_BYTES).collect();
        Stem(format!("{prefix}{id}"))
    }

    /// The names a content may get under this stem, best first.
    pub fn names(&self, content: &blake3::Hash) -> impl Iterator<Item = FileName> {
        let hashed =
            [8, 12, 16].map(|n| FileName(format!("{}-{}.txt", self.0, digits(content, n))));
        std::iter::once(FileName(format!("{}.txt", self.0))).chain(hashed)
    }

    /// True where `name` is one that a result of the call `id` could have got.
    pub fn minted(id: Option<&str>, name: &str) -> bool {
        let Some(name) = name.strip_suffix(".txt") else { return false };
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            let rest = name.strip_prefix("tool_call_").and_then(|rest| rest.split_at_checked(16));
            return rest.is_some_and(|(own, more)| is_hex(own) && is_hash_part(more));
        };
        let stem = Stem::of_call(Some(id), &blake3::Hash::from_bytes([0; 32]));
        name.strip_prefix(&stem.0).is_some_and(is_hash_part)
    }

    /// True where `name` is one that some result could have got.
    pub fn minted_for_any(name: &str) -> bool {
        name.starts_with("tool_") && name.ends_with(".txt")
    }
}

/// The name of a stored file: no separator, at most 128 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn digits(hash: &blake3::Hash, count: usize) -> String {
    hash.to_hex().chars().take(count).collect()
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Nothing, or `-` and as many digits as a name may add.
fn is_hash_part(text: &str) -> bool {
    let hash = text.strip_prefix('-');
    text.is_empty() || hash.is_some_and(|hash| [8, 12, 16].contains(&hash.len()) && is_hex(hash))
}
