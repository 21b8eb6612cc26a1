//! The origin of a file: the call that made it, and the chat it was made for.

use serde::Serialize;

use super::lro_name::identity_key;
use super::{Chat, FileName, Stem};

/// Most of a call's text that is recorded, in bytes each part.
const PART_BYTES: usize = 1_024;

/// The same as JSON spells it.
const ESCAPED_BYTES: usize = 2 * PART_BYTES;

/// The call that made a file, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The tool's name.
    pub tool: Option<String>,
    /// The call's id.
    pub call_id: Option<String>,
    /// The call's arguments as text.
    pub arguments: Option<String>,
}

/// The origin of a file. Each part of the call is cut to 1 KiB where it is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The call.
    pub call: Call,
    /// The chat that the file was made for; None where it was given out by itself, or
    /// made before chats were noted. Such a file is never deleted with a chat.
    pub chat: Option<Chat>,
    /// The file's own lifetime, in seconds; None where it has the folder's.
    pub ttl_seconds: Option<u64>,
}

impl Origin {
    /// The keys by which the index leads to `name`: the id of the call where the plain name of the
    /// call's result is another, and the identity of a large result.
    pub(super) fn keys(&self, name: &FileName) -> impl Iterator<Item = String> {
        let id = self.call.call_id.as_deref().filter(|id| !id.is_empty());
        let id = id.filter(|id| Stem::plain_name(id).as_ref() != Some(name));
        id.map(str::to_owned).into_iter().chain(identity_key(name))
    }
}

/// The part of a call's text that is recorded.
pub(super) fn cut(text: &str) -> &str {
    let mut escaped = 0;
    let over = text.char_indices().find(|(at, c)| {
        escaped += match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            c if *c < ' ' => 6,
            c => c.len_utf8(),
        };
        escaped > ESCAPED_BYTES || at + c.len_utf8() > PART_BYTES
    });
    over.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_part_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        let text = "a".to_owned() + &"é".repeat(5_000);
        assert_eq!(cut(&text).len(), 1_023);
        assert!(cut(&text).ends_with('é'));
        let control = "\u{1}".repeat(5_000);
        assert_eq!(serde_json::to_string(cut(&control)).unwrap().len(), 2 + 6 * 341);
    }

    #[test]
    fn only_a_name_that_its_id_does_not_give_needs_a_way_to_it() {
        let name = |name: &str| FileName::of_minted(name).unwrap();
        let call = Call { call_id: Some("call_1".to_owned()), ..Call::default() };
        let origin = Origin { call, ..Origin::default() };
        let keys = |origin: &Origin, text: &str| Vec::from_iter(origin.keys(&name(text)));
        assert_eq!(keys(&origin, "tool_call_1.txt"), Vec::<String>::new());
        assert_eq!(keys(&origin, "tool_call_1-01234567.txt"), ["call_1"]);
        assert_eq!(keys(&Origin::default(), "tool_call_1.txt"), Vec::<String>::new());
        let lro = "lro-search-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl";
        assert_eq!(keys(&origin, lro).len(), 2);
        assert_eq!(keys(&origin, "lro-search-0000000000TSV4RRFFQ69G5FAV.jsonl").len(), 1);
    }
}
