//! A key or a token: read, handed on, and never shown.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

/// A secret word: never shown, not even to `Debug`.
#[derive(Clone, PartialEq, Deserialize)]
pub struct Key(String);

impl Key {
    /// Wraps a key.
    pub fn new(key: String) -> Key {
        Key(key)
    }

    /// Reads a file that holds a key, as secrets are mounted; white space around it is
    /// dropped, and an empty file is refused.
    pub fn read(path: &Path) -> io::Result<Key> {
        let text = std::fs::read_to_string(path)?;
        let key = text.trim();
        if key.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is empty"));
        }
        Ok(Key(key.to_owned()))
    }

    /// The key itself.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(hidden)")
    }
}
