//! Names of large results: `{prefix}-{operation}-{ulid}.jsonl` (`lro-spec-1600`, "JSONL File
//! Format"). The ULID's 80 random bits are the first bits of the content's identity, so that a
//! repeated result finds its file again; its 48 bits of time are the caller's, and 0 if a name must
//! not depend on a clock.

use std::fmt;

use ulid::Ulid;

/// Maximum length of the operation part of a name, in bytes.
pub(super) const OPERATION_BYTES: usize = 48;

/// The operation part of a name if the caller gives no word for it.
pub(super) const NAMELESS: &str = "result";

/// Maximum number of names for one identity: each further one has a later time.
pub(super) const MAX_NAMES: u64 = 64;

const EXTENSION: &str = ".jsonl";

/// The beginning of a large result's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LroPrefix {
    /// `lro`: any records.
    Lro,
    /// `atlatl`: the memory profiles.
    Atlatl,
}

impl LroPrefix {
    /// Returns the prefix as it is in a name, without the `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            LroPrefix::Lro => "lro",
            LroPrefix::Atlatl => "atlatl",
        }
    }
}

impl fmt::Display for LroPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The parts of a large result's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LroName<'a> {
    pub(crate) prefix: LroPrefix,
    pub(crate) operation: &'a str,
    /// The time and the identity.
    pub(crate) ulid: Ulid,
}

impl<'a> LroName<'a> {
    /// Parses a name. Returns `None` unless it is a possible name of a large result.
    pub(crate) fn parse(name: &'a str) -> Option<LroName<'a>> {
        let (prefix, rest) = name.split_once('-')?;
        let prefix = [LroPrefix::Lro, LroPrefix::Atlatl]
            .into_iter()
            .find(|known| known.as_str() == prefix)?;
        let (operation, text) = rest.strip_suffix(EXTENSION)?.rsplit_once('-')?;
        let ulid = Ulid::from_string(text).ok()?;
        // Lower case and overlong times can be decoded, too, but are never assigned.
        let is_given = ulid.to_string() == text
            && (1..=OPERATION_BYTES).contains(&operation.len())
            && operation.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        is_given.then_some(LroName { prefix, operation, ulid })
    }

    /// Returns the key by which the index finds a large result that was offloaded on its own;
    /// `None` for one of a compaction, whose name has no time.
    pub(crate) fn identity_key(&self) -> Option<String> {
        let is_timed = self.ulid.timestamp_ms() > 0;
        is_timed.then(|| identity_key(self.prefix, self.operation, self.ulid.random()))
    }
}

/// Returns the key of an identity: the prefix, a safe operation, and the identity's bits.
pub(crate) fn identity_key(prefix: LroPrefix, operation: &str, bits: u128) -> String {
    format!("{prefix}-{operation}-{bits:020x}")
}

/// Returns the first 80 bits of an identity.
pub(crate) fn identity_bits(hash: &blake3::Hash) -> u128 {
    hash.as_bytes().iter().take(10).fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// Forms the name of an identity at a time.
pub(crate) fn spell(prefix: LroPrefix, operation: &str, time_ms: u64, bits: u128) -> String {
    format!("{prefix}-{operation}-{}{EXTENSION}", Ulid::from_parts(time_ms, bits))
}

#[cfg(test)]
#[path = "lro_name_tests.rs"]
mod tests;
