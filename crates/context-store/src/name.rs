//! Names of stored files: minted here from a call's id and the content's hash,
//! so that no caller's string ever becomes a path. `tool_call_{id}.txt`; another
//! content under the same id gets `-` and 8 digits of its hash; a result without
//! an id is named by 16 digits of its hash. Files of a compression are numbered
//! by chat: `compressed_group_{chat}_{idx}.json`.

use std::fmt;

use redact::hidden;

use super::lro_name::{self, LroName, LroPrefix};

/// Longest id part of a name, in bytes; with prefix, hash and extension a name
/// stays within 128 bytes.
const ID_BYTES: usize = 96;

/// Longest chat part of a name, in bytes.
const CHAT_BYTES: usize = 64;

/// Most numbered files of one chat.
const NUMBERED: u64 = 1_000_000;

/// What a name is made from: all but what tells contents apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stem(Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    /// A call's result: `{stem}.txt`, or with a part of the hash.
    Result(String),
    /// A numbered file of a chat: prefix, extension, and the least number that a new
    /// file may have.
    Numbered(String, &'static str, u64),
    /// A snapshot kept for its next use, by the hash of what it stands for.
    Kept(String),
    /// A large result: prefix, operation, time, and the bits of its identity.
    Lro(LroPrefix, String, u64, u128),
}

impl Stem {
    /// The stem for a call's id, or for a result without one, for its content.
    pub fn of_call(id: Option<&str>, content: &blake3::Hash) -> Stem {
        Stem(Kind::Result(match id.filter(|id| !id.is_empty()) {
            None => format!("tool_call_{}", digits(content, 16)),
            // An id that already says `call_` is not given the prefix twice.
            Some(id) => {
                let prefix = if id.starts_with("call_") { "tool_" } else { "tool_call_" };
                format!("{prefix}{}", safe(id, ID_BYTES))
            }
        }))
    }

    /// The stem for the originals of a chat's compressed messages:
    /// `compressed_group_{chat}_{idx}.json`. A new one counts on from `least` and
    /// from what is there: a number that a history names is not given out again.
    pub fn of_group(chat: &str, least: u64) -> Stem {
        Stem(Kind::Numbered(format!("{GROUP}{}_", safe(chat, CHAT_BYTES)), ".json", least))
    }

    /// The stem for the list of a chat's moved files, where it is too long for a
    /// snapshot: `compressed_files_{chat}_{idx}.txt`, counted as groups are.
    pub fn of_file_list(chat: &str, least: u64) -> Stem {
        Stem(Kind::Numbered(format!("{FILE_LIST}{}_", safe(chat, CHAT_BYTES)), ".txt", least))
    }

    /// For a numbered file: the number in `name`, where it is one of these.
    pub(super) fn number_of(&self, name: &str) -> Option<u64> {
        let Kind::Numbered(stem, extension, _) = &self.0 else { return None };
        let number = name.strip_prefix(stem.as_str())?.strip_suffix(extension)?;
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| number.parse().ok()).flatten()
    }

    /// The name with that number; None where names are not numbered, or not so far.
    pub(super) fn numbered_name(&self, number: u64) -> Option<FileName> {
        let Kind::Numbered(stem, extension, _) = &self.0 else { return None };
        (number < NUMBERED).then(|| FileName(format!("{stem}{number}{extension}")))
    }

    /// The least number that a new file may have; None where names are not numbered.
    pub(super) fn least(&self) -> Option<u64> {
        match &self.0 {
            Kind::Numbered(_, _, least) => Some(*least),
            Kind::Result(_) | Kind::Kept(_) | Kind::Lro(..) => None,
        }
    }

    /// The stem for a kept snapshot of what hashes to `key`. Its file is hidden:
    /// it is this service's own, and no agent's search should find it.
    pub fn of_kept(key: &blake3::Hash) -> Stem {
        Stem(Kind::Kept(format!("{KEPT}{}", digits(key, 32))))
    }

    /// The stem for a large result: `{prefix}-{operation}-{ulid}.jsonl`. `hash` is
    /// the identity of what is stored, which need not be the hash of the file's
    /// bytes; `time_ms` is 0 where the name must not depend on a clock. Other
    /// content under the same identity gets the next millisecond.
    pub fn of_lro(prefix: LroPrefix, operation: &str, time_ms: u64, hash: &blake3::Hash) -> Stem {
        let bits = lro_name::identity_bits(hash);
        Stem(Kind::Lro(prefix, safe_operation(operation), time_ms, bits))
    }

    /// The names a content may get under this stem, best first.
    pub fn names(&self, content: &blake3::Hash) -> Box<dyn Iterator<Item = FileName>> {
        self.names_from(content, 0)
    }

    /// The same; numbered ones from the number `first` on.
    pub(super) fn names_from(
        &self,
        content: &blake3::Hash,
        first: u64,
    ) -> Box<dyn Iterator<Item = FileName>> {
        // Spelled when they are asked for: nearly every content gets the first.
        let hashed = |stem: &str, extension: &'static str| {
            let (stem, content) = (stem.to_owned(), *content);
            let plain = FileName(format!("{stem}{extension}"));
            let spell = move |n| FileName(format!("{stem}-{}{extension}", digits(&content, n)));
            std::iter::once(plain).chain([8, 12, 16].into_iter().map(spell))
        };
        match &self.0 {
            Kind::Result(stem) => Box::new(hashed(stem, ".txt")),
            Kind::Kept(stem) => Box::new(hashed(stem, ".json")),
            Kind::Numbered(stem, extension, _) => {
                let (stem, extension) = (stem.clone(), *extension);
                Box::new((first..NUMBERED).map(move |n| FileName(format!("{stem}{n}{extension}"))))
            }
            Kind::Lro(prefix, operation, time_ms, bits) => {
                let (prefix, operation, bits) = (*prefix, operation.clone(), *bits);
                let times = *time_ms..time_ms.saturating_add(lro_name::NAMES);
                Box::new(
                    times.map(move |ms| FileName(lro_name::spell(prefix, &operation, ms, bits))),
                )
            }
        }
    }

    /// The first name that a result of the call `id` can have.
    pub(super) fn plain_name(id: &str) -> Option<FileName> {
        let stem = Stem::of_call(Some(id), &blake3::Hash::from_bytes([0; 32]));
        stem.names(&blake3::Hash::from_bytes([0; 32])).next()
    }

    /// True where `name` is one that a result of the call `id` could have got.
    pub fn minted(id: Option<&str>, name: &str) -> bool {
        let Some(name) = name.strip_suffix(".txt") else { return false };
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            let rest = name.strip_prefix("tool_call_").and_then(|rest| rest.split_at_checked(16));
            return rest.is_some_and(|(own, more)| is_hex(own) && is_hash_part(more));
        };
        // A secret in the id is hidden in the name, where secrets are not shown.
        [id, hidden(id).as_str()].into_iter().any(|id| {
            let Stem(kind) = Stem::of_call(Some(id), &blake3::Hash::from_bytes([0; 32]));
            let Kind::Result(stem) = kind else { return false };
            name.strip_prefix(&stem).is_some_and(is_hash_part)
        })
    }

    /// True where `name` is that of a file which mentions others: a group's
    /// messages, or a list of files.
    pub fn leads_on(name: &str) -> bool {
        name.starts_with(FILE_LIST) || Stem::chat_of_group(name).is_some()
    }

    /// True where `name` is one that a file of records could have got.
    pub fn of_records(name: &str) -> bool {
        Stem::lro_identity(name).is_some()
    }

    /// True where `name` is one that an agent may be told to read.
    pub fn minted_for_any(name: &str) -> bool {
        let is_text = name.starts_with("tool_") || name.starts_with(FILE_LIST);
        let is_ours = is_text && name.ends_with(".txt")
            || Stem::chat_of_group(name).is_some()
            || Stem::lro_identity(name).is_some();
        is_ours && name.len() <= NAME_BYTES
    }

    /// The parts of a large result's name; None for any other name.
    pub fn lro_identity(name: &str) -> Option<LroName<'_>> {
        LroName::parse(name)
    }

    /// The chat with its prefix, and the number, of a numbered file's name.
    pub(super) fn numbered(name: &str) -> Option<(&str, u64)> {
        let stem = match name.strip_suffix(".json") {
            Some(stem) => stem.starts_with(GROUP).then_some(stem),
            None => name.strip_suffix(".txt").filter(|stem| stem.starts_with(FILE_LIST)),
        }?;
        let (chat, number) = stem.rsplit_once('_')?;
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| number.parse().ok()).flatten().map(|number| (chat, number))
    }

    /// A numbered file's name with another number.
    pub(super) fn with_number(name: &FileName, number: u64) -> Option<FileName> {
        let (chat, _) = Stem::numbered(name.as_str())?;
        let (_, extension) = name.as_str().rsplit_once('.')?;
        FileName::of_minted(&format!("{chat}_{number}.{extension}"))
    }

    /// The chat and the number of a group's file.
    pub fn chat_of_group(name: &str) -> Option<(&str, u32)> {
        let numbered = name.strip_prefix(GROUP)?.strip_suffix(".json")?;
        let (chat, number) = numbered.rsplit_once('_')?;
        let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        plain.then_some(())?;
        Some((chat, number.parse().ok()?))
    }
}

const GROUP: &str = "compressed_group_";
const FILE_LIST: &str = "compressed_files_";
const RESULT: &str = "tool_call_";
const KEPT: &str = ".unburden-snapshot-";

/// Longest name of a stored file, in bytes.
const NAME_BYTES: usize = 128;

/// A caller's word for what it did, as a part of a name: never empty.
pub(super) fn safe_operation(word: &str) -> String {
    let safe = safe(word, lro_name::OPERATION_BYTES);
    if safe.is_empty() { lro_name::NAMELESS.to_owned() } else { safe }
}

/// A caller's word as a part of a name.
fn safe(word: &str, most: usize) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    word.chars().map(safe).take(most).collect()
}

/// The name of a stored file: no separator, at most 128 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// `name` where it has the exact form of a name that this store mints: what
    /// may be listed, kept account of, and deleted once it has expired.
    pub fn of_minted(name: &str) -> Option<FileName> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let body = |stem: &str| !stem.is_empty() && stem.bytes().all(plain);
        let result = name.strip_prefix(RESULT).and_then(|rest| rest.strip_suffix(".txt"));
        let kept = name.strip_prefix(KEPT).and_then(|rest| rest.strip_suffix(".json"));
        let kept = kept.and_then(|rest| rest.split_at_checked(32));
        let minted = result.is_some_and(body)
            || kept.is_some_and(|(own, more)| is_hex(own) && is_hash_part(more))
            || Stem::numbered(name).is_some_and(|(chat, _)| body(chat))
            || Stem::lro_identity(name).is_some();
        (minted && name.len() <= NAME_BYTES).then(|| FileName(name.to_owned()))
    }

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
