//! Keys and codes: a key is a secret by which the service recognises its own notes. Anybody who can
//! write into a history can copy the form of a note; only a holder of the key can make its code.

use std::fmt;

/// Length of a key, in bytes.
pub(crate) const KEY_BYTES: usize = 32;

/// Minimum length of an operator's secret, in bytes.
pub const MIN_SECRET_BYTES: usize = 32;

/// The number of different codes.
const CODES: u128 = 1_000_000_000_000_000;

/// Digits of a code: about 50 bits.
const DIGITS: usize = 15;

/// The secret of a folder.
///
/// ```
/// use context_store::{Code, Key};
///
/// let key = Key::of_secret("a secret of at least 32 characters").unwrap();
/// let code = key.code("notes", &[b"call_1", b"the note"]);
/// assert_eq!(Code::parse(&code.to_string()), Some(code));
/// assert_ne!(key.code("notes", &[b"call_1", b"a forged note"]), code);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

/// A [`Key`]'s signature of a text: 15 decimal digits, which are five tokens in the public
/// encodings, whatever the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Code(u64);

impl Key {
    /// Returns a key for a folder that has none and must not be written to: its codes have the
    /// usual length and prove nothing.
    pub fn placeholder() -> Key {
        Key([0; KEY_BYTES])
    }

    /// Returns the code of `parts`. Codes of different `purpose` are unrelated.
    pub fn code(&self, purpose: &str, parts: &[&[u8]]) -> Code {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let mut first = [0; 16];
        hasher.finalize_xof().fill(&mut first);
        Code(u64::try_from(u128::from_le_bytes(first) % CODES).unwrap_or_default())
    }

    /// Derives a key from an operator's secret; `None` if that is shorter than
    /// [`MIN_SECRET_BYTES`].
    pub fn of_secret(secret: &str) -> Option<Key> {
        let is_long = secret.len() >= MIN_SECRET_BYTES;
        is_long.then(|| {
            Key(blake3::derive_key("unburden 2026-11 signing of references", secret.as_bytes()))
        })
    }

    /// Parses a key's file: 64 hexadecimal digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Key> {
        let hash = blake3::Hash::from_hex(text.trim_ascii_end()).ok()?;
        Some(Key(*hash.as_bytes()))
    }
}

/// Hides the secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Code {
    /// Parses the form of [`fmt::Display`]; `None` for any other text.
    pub fn parse(text: &str) -> Option<Code> {
        let is_code = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        is_code.then(|| text.parse().ok()).flatten().map(Code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$}", self.0, width = DIGITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_depends_on_every_part() {
        let key = Key([7; KEY_BYTES]);
        let codes = [
            key.code("a", &[b"x", b"y"]),
            key.code("a", &[b"xy", b""]),
            key.code("a", &[b"x"]),
            key.code("b", &[b"x", b"y"]),
            Key([8; KEY_BYTES]).code("a", &[b"x", b"y"]),
        ];
        let different: std::collections::HashSet<Code> = codes.into_iter().collect();
        assert_eq!(different.len(), codes.len());
        for code in codes {
            assert_eq!(code.to_string().len(), DIGITS);
            assert_eq!(Code::parse(&code.to_string()), Some(code));
        }
        assert_eq!(Code::parse("+00000000000001"), None);
    }
}
