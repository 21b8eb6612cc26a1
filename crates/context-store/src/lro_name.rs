//! Names of large results: `{prefix}-{operation}-{ulid}.jsonl` (lro-spec-1600,
//! "JSONL File Format"). The ULID's 80 random bits are the first bits of the
//! content's identity, so that a repeated result finds its file again; its 48
//! bits of time are the caller's, and 0 where a name must not depend on a clock.

use std::fmt;
use std::io;

use ulid::Ulid;

use super::file::is_own;
use super::index::Index;
use super::{FileName, Store};

/// Longest operation part of a name, in bytes.
pub(super) const OPERATION_BYTES: usize = 48;

/// What an operation is called that has no word of its own.
pub(super) const NAMELESS: &str = "result";

/// Most names that one identity may get: each next one has a later time.
pub(super) const NAMES: u64 = 64;

const EXTENSION: &str = ".jsonl";

/// What a large result's name begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LroPrefix {
    /// `lro`: any records.
    Lro,
    /// `atlatl`: the memory profiles.
    Atlatl,
}

impl LroPrefix {
    /// The prefix as it stands in a name, without the `-`.
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
pub struct LroName<'a> {
    /// The prefix.
    pub prefix: LroPrefix,
    /// The operation, as it was made safe.
    pub operation: &'a str,
    /// Time and identity.
    pub ulid: Ulid,
}

impl<'a> LroName<'a> {
    /// Reads a name; None where it is not one that a large result could have got.
    pub(super) fn parse(name: &'a str) -> Option<LroName<'a>> {
        let (prefix, rest) = name.split_once('-')?;
        let prefix = [LroPrefix::Lro, LroPrefix::Atlatl]
            .into_iter()
            .find(|known| known.as_str() == prefix)?;
        let (operation, text) = rest.strip_suffix(EXTENSION)?.rsplit_once('-')?;
        let ulid = Ulid::from_string(text).ok()?;
        // Lower case and overlong times decode, too, but are never minted.
        let minted = ulid.to_string() == text
            && (1..=OPERATION_BYTES).contains(&operation.len())
            && operation.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        minted.then_some(LroName { prefix, operation, ulid })
    }
}

/// The first 80 bits of an identity.
pub(super) fn identity_bits(hash: &blake3::Hash) -> u128 {
    hash.as_bytes().iter().take(10).fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// The n-th name of an identity.
pub(super) fn spell(prefix: LroPrefix, operation: &str, time_ms: u64, bits: u128) -> String {
    format!("{prefix}-{operation}-{}{EXTENSION}", Ulid::from_parts(time_ms, bits))
}

impl Store {
    /// The file in this folder that already holds the result of this prefix,
    /// operation and identity: the one with the smallest ULID where there are
    /// several. Only regular files of this user count. A folder that is not there holds
    /// none; any other failure to look at it is an error.
    pub fn find_lro(
        &self,
        prefix: LroPrefix,
        operation: &str,
        hash: &blake3::Hash,
    ) -> io::Result<Option<FileName>> {
        let folder = match self.folder().dir().open_dir(self.folder().relative()) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let operation = super::name::safe_operation(operation);
        let bits = identity_bits(hash);
        let key = key(prefix, &operation, bits);
        let mut names: Vec<FileName> = match Index::open(&folder)? {
            Some(index) => index.names_of_call(&key),
            None => Vec::new(),
        };
        names.retain(|name| identity_key(name).as_ref() == Some(&key));
        // One of a compaction names no moment.
        names.extend(FileName::of_minted(&spell(prefix, &operation, 0, bits)));
        names.sort_unstable();
        // In a folder that others write to, only what is this user's own counts.
        let is_own = |name: &FileName| {
            let found = folder.symlink_metadata(name.as_str());
            found.is_ok_and(|found| found.is_file() && is_own(&found))
        };
        Ok(names.into_iter().find(is_own))
    }
}

/// The key by which the index finds a large result that was given out by itself.
pub(super) fn identity_key(name: &FileName) -> Option<String> {
    let LroName { prefix, operation, ulid } = LroName::parse(name.as_str())?;
    (ulid.timestamp_ms() > 0).then(|| key(prefix, operation, ulid.random()))
}

fn key(prefix: LroPrefix, operation: &str, bits: u128) -> String {
    format!("{prefix}-{operation}-{bits:020x}")
}

#[cfg(test)]
#[path = "lro_name_tests.rs"]
mod tests;
