//! Keys of objects: a caller's path as segments that every server accepts unchanged.

use std::path::{Component, Path};

/// Returns a path as a key: each component escaped, joined by slashes.
pub(crate) fn key_of(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(part) => Some(escape(&part.to_string_lossy())),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns a text as one segment of a key: letters, digits, `-`, `_` and inner dots are unchanged,
/// any other byte becomes `!` and two digits.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if is_plain || byte == b'.' && at > 0 {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("!{byte:02x}"));
        }
    }
    out
}

/// Parses the result of [`escape`].
pub(crate) fn unescape(segment: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), segment.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'!' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_key_of_plain_segments() {
        assert_eq!(key_of(Path::new("/tmp/my chat/é.x")), "tmp/my!20chat/!c3!a9.x");
        for text in ["a", "a b", "!", "..", ".hidden", "é", "a%2Fb", "a/b", "~", ""] {
            assert_eq!(unescape(&escape(text)).as_deref(), Some(text));
            assert!(!escape(text).contains(['/', '~', '%', ' ']), "{text}");
        }
        assert_ne!(escape(".."), "..");
        assert_eq!(unescape("!zz"), None);
    }
}
