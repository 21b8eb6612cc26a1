//! A key or a token that is never shown.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};

/// A secret; `Debug` and serialisation hide it.
#[derive(Clone, PartialEq, Deserialize)]
pub struct Key(String);

impl Key {
    /// Creates a key.
    pub fn new(key: String) -> Key {
        Key(key)
    }

    /// Reads a mounted secret. White space around it is dropped; an empty file is an error.
    pub(crate) fn read(path: &Path) -> io::Result<Key> {
        let text = std::fs::read_to_string(path)?;
        let key = text.trim();
        if key.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the file is empty"));
        }
        Ok(Key(key.to_owned()))
    }

    /// Returns the key.
    pub(crate) fn text(&self) -> &str {
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
