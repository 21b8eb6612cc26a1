//! A chat's identity: the hash of its name exactly as given. The escaped form in file names is not
//! sufficient: `a/b` and `a_b` are two chats.

use std::fmt;

/// Number of digits of a chat's hash.
const DIGITS: usize = 32;

/// The identity of a chat: 128 bits of its name's hash.
///
/// ```
/// use context_store::Chat;
///
/// assert_ne!(Chat::of("a/b"), Chat::of("a_b"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chat([u8; DIGITS / 2]);

impl Chat {
    /// Returns the chat of that name.
    pub fn of(name: &str) -> Chat {
        let hash = blake3::hash(name.as_bytes());
        let mut own = [0; DIGITS / 2];
        own.copy_from_slice(&hash.as_bytes()[..DIGITS / 2]);
        Chat(own)
    }

    /// Parses the form of [`fmt::Display`]; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Chat> {
        let plain = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != DIGITS || !text.bytes().all(plain) {
            return None;
        }
        let number = u128::from_str_radix(text, 16).ok()?;
        Some(Chat(number.to_be_bytes()))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Chat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chat({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_are_different_chats() {
        let names = ["a/b", "a_b", "a b", "A_b", "a_b ", "", "é", "e\u{301}", "a\0b"];
        let chats: std::collections::BTreeSet<Chat> =
            names.iter().map(|name| Chat::of(name)).collect();
        assert_eq!(chats.len(), names.len());
    }

    #[test]
    fn a_chat_reads_back_and_nothing_else_does() {
        for name in ["a", "b", "0", ""] {
            let chat = Chat::of(name);
            let text = chat.to_string();
            assert_eq!(text.len(), DIGITS);
            assert_eq!(Chat::parse(&text), Some(chat));
            for other in [&text[1..], &text.to_uppercase(), &format!("+{}", &text[1..]), ""] {
                let same = *other == text;
                assert!(same || Chat::parse(other).is_none(), "{other}");
            }
        }
    }
}
