//! Stems: the parts from which a file's name is formed, so that no caller's string ever becomes a
//! path.

use redact::hidden;

use super::file_name::{FILE_LIST, FileName, GROUP, RESULT, SNAPSHOT, TEXT, is_hash_part, is_hex};
use super::lro_name::{self, LroPrefix};

/// Maximum length of the id part of a name, in bytes; with prefix, hash and extension a name stays
/// within 128 bytes.
const ID_BYTES: usize = 96;

/// Maximum length of the chat part of a name, in bytes.
const CHAT_BYTES: usize = 64;

/// Maximum number of numbered files of one chat.
const MAX_NUMBERED: u64 = 1_000_000;

/// The source of a file's names: everything except the part that distinguishes contents.
///
/// ```
/// use context_store::Stem;
///
/// let hash = blake3::hash(b"a long log");
/// let mut names = Stem::of_call(Some("9"), &hash).names(&hash);
/// assert_eq!(names.next().unwrap().as_str(), "tool_call_9.txt");
/// let other = names.next().unwrap().to_string();
/// assert!(other.starts_with("tool_call_9-"), "a name for other content of the same call");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stem(Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    /// A call's result: `{stem}.txt`, or with a part of the hash.
    Result(String),
    /// A numbered file of a chat: `{prefix}{number}{extension}`.
    Numbered { prefix: String, extension: &'static str, first_free_number: u64 },
    /// A cached snapshot, by the hash of its key.
    Snapshot(String),
    /// A large result; `bits` are those of its identity.
    Lro { prefix: LroPrefix, operation: String, time_ms: u64, bits: u128 },
}

impl Stem {
    /// Returns the stem of a call's result: `tool_call_{id}.txt`, or for a result without
    /// an id, its name by 16 digits of its content's hash.
    pub fn of_call(id: Option<&str>, content: &blake3::Hash) -> Stem {
        Stem(Kind::Result(match id.filter(|id| !id.is_empty()) {
            None => format!("{RESULT}{}", digits(content, 16)),
            // An id that begins with `call_` does not get the prefix twice.
            Some(id) => {
                let prefix = if id.starts_with("call_") { "tool_" } else { RESULT };
                format!("{prefix}{}", safe(id, ID_BYTES))
            }
        }))
    }

    /// Returns the stem of a text that is offloaded on its own, with its own lifetime:
    /// `tool_text_{operation}_{16 digits of the hash}.txt`.
    pub fn of_text(operation: &str, content: &blake3::Hash) -> Stem {
        let (operation, hash) = (safe(operation, CHAT_BYTES), digits(content, 16));
        Stem(Kind::Result(format!("{TEXT}{operation}_{hash}")))
    }

    /// Returns the stem of the original messages of a chat's compressed group:
    /// `compressed_group_{chat}_{number}.json`. A new file gets the first number from
    /// `first_free_number` on that was never assigned.
    pub fn of_group(chat: &str, first_free_number: u64) -> Stem {
        Stem::numbered(GROUP, chat, ".json", first_free_number)
    }

    /// Returns the stem of a list of a chat's moved files that is too long for a snapshot:
    /// `compressed_files_{chat}_{number}.txt`, numbered like groups.
    pub fn of_file_list(chat: &str, first_free_number: u64) -> Stem {
        Stem::numbered(FILE_LIST, chat, ".txt", first_free_number)
    }

    fn numbered(kind: &str, chat: &str, extension: &'static str, first_free_number: u64) -> Stem {
        let prefix = format!("{kind}{}_", safe(chat, CHAT_BYTES));
        Stem(Kind::Numbered { prefix, extension, first_free_number })
    }

    /// Returns the stem of a cached snapshot with the hash `key`. Its file is hidden, so that no
    /// agent's search finds it.
    pub fn of_snapshot(key: &blake3::Hash) -> Stem {
        Stem(Kind::Snapshot(format!("{SNAPSHOT}{}", digits(key, 32))))
    }

    /// Returns the stem of a large result: `{prefix}-{operation}-{ulid}.jsonl`. `hash` is the
    /// identity of the result, which need not be the hash of the file's bytes; `time_ms` is 0 if
    /// the name must not depend on a clock. Other content with the same identity gets the next
    /// millisecond.
    pub fn of_lro(prefix: LroPrefix, operation: &str, time_ms: u64, hash: &blake3::Hash) -> Stem {
        let bits = lro_name::identity_bits(hash);
        Stem(Kind::Lro { prefix, operation: safe_operation(operation), time_ms, bits })
    }

    /// Returns the names that a content can have with this stem, best first.
    pub fn names(&self, content: &blake3::Hash) -> Box<dyn Iterator<Item = FileName>> {
        self.names_from(content, 0)
    }

    /// Like [`Stem::names`], but numbered names begin with the number `first`.
    pub(crate) fn names_from(
        &self,
        content: &blake3::Hash,
        first: u64,
    ) -> Box<dyn Iterator<Item = FileName>> {
        // Formed lazily: nearly every content gets the first name.
        let hashed = |stem: &str, extension: &'static str| {
            let (stem, content) = (stem.to_owned(), *content);
            let plain = format!("{stem}{extension}");
            let spell = move |n| format!("{stem}-{}{extension}", digits(&content, n));
            std::iter::once(plain).chain([8, 12, 16].into_iter().map(spell)).map(FileName::spelled)
        };
        match &self.0 {
            Kind::Result(stem) => Box::new(hashed(stem, ".txt")),
            Kind::Snapshot(stem) => Box::new(hashed(stem, ".json")),
            Kind::Numbered { .. } => {
                let stem = self.clone();
                Box::new((first..).map_while(move |number| stem.numbered_name(number)))
            }
            Kind::Lro { prefix, operation, time_ms, bits } => {
                let (prefix, operation, bits) = (*prefix, operation.clone(), *bits);
                let times = *time_ms..time_ms.saturating_add(lro_name::MAX_NAMES);
                let spell = move |ms| lro_name::spell(prefix, &operation, ms, bits);
                Box::new(times.map(spell).map(FileName::spelled))
            }
        }
    }

    /// Returns the name with that number; `None` if names are not numbered, or the number is too
    /// large.
    pub(crate) fn numbered_name(&self, number: u64) -> Option<FileName> {
        let Kind::Numbered { prefix, extension, .. } = &self.0 else { return None };
        (number < MAX_NUMBERED).then(|| FileName::spelled(format!("{prefix}{number}{extension}")))
    }

    /// Returns the first number that a new file may have; `None` if names are not numbered.
    pub(crate) fn first_free_number(&self) -> Option<u64> {
        match &self.0 {
            Kind::Numbered { first_free_number, .. } => Some(*first_free_number),
            Kind::Result(_) | Kind::Snapshot(_) | Kind::Lro { .. } => None,
        }
    }

    /// Returns the first name that a result of the call `id` can have.
    pub(crate) fn first_result_name(id: &str) -> Option<FileName> {
        let stem = Stem::of_call(Some(id), &NO_HASH);
        stem.names(&NO_HASH).next()
    }

    /// Returns true if `name` is a possible name of a result of the call `id`.
    pub fn is_result_name(id: Option<&str>, name: &str) -> bool {
        let Some(name) = name.strip_suffix(".txt") else { return false };
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            let rest = name.strip_prefix(RESULT).and_then(|rest| rest.split_at_checked(16));
            return rest.is_some_and(|(own, more)| is_hex(own) && is_hash_part(more));
        };
        // With redaction, a name has a mark in place of a secret in the id.
        [id, hidden(id).as_str()].into_iter().any(|id| {
            let Stem(Kind::Result(stem)) = Stem::of_call(Some(id), &NO_HASH) else { return false };
            name.strip_prefix(&stem).is_some_and(is_hash_part)
        })
    }
}

/// The hash for a name that does not depend on the content.
const NO_HASH: blake3::Hash = blake3::Hash::from_bytes([0; 32]);

/// Returns a caller's word for an operation as a part of a name; never empty.
pub(crate) fn safe_operation(word: &str) -> String {
    let safe = safe(word, lro_name::OPERATION_BYTES);
    if safe.is_empty() { lro_name::NAMELESS.to_owned() } else { safe }
}

/// Returns a caller's word as a part of a name.
fn safe(word: &str, max_chars: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    word.chars().map(safe).take(max_chars).collect()
}

fn digits(hash: &blake3::Hash, count: usize) -> String {
    hash.to_hex().chars().take(count).collect()
}
