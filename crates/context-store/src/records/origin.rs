//! The origin of a file: the call that made it, and the chat it was made for.

use serde::Serialize;

use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::names::lro_name::LroName;
use crate::names::stem::Stem;

/// Maximum length of each recorded part of a call, in bytes.
const PART_BYTES: usize = 1_024;

/// Maximum length of a part with JSON escapes.
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

/// The origin of a file. A record keeps at most 1 KiB of each part of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The call.
    pub call: Call,
    /// The chat that the file was made for. `None` if it belongs to no chat: it is never deleted
    /// with one.
    pub chat: Option<Chat>,
    /// The file's own lifetime in seconds; `None` if it has the folder's.
    pub ttl_seconds: Option<u64>,
}

impl Origin {
    /// Returns the keys by which the index finds `name`: the id of the call unless the name
    /// follows from it, and the identity of a large result.
    pub(crate) fn keys(&self, name: &FileName) -> impl Iterator<Item = String> {
        let id = self.call.call_id.as_deref().filter(|id| !id.is_empty());
        let id = id.filter(|id| Stem::first_result_name(id).as_ref() != Some(name));
        let lro = LroName::parse(name.as_str()).and_then(|lro| lro.identity_key());
        id.map(str::to_owned).into_iter().chain(lro)
    }
}

/// Returns the beginning of a call's text, as it is recorded.
pub(crate) fn cut(text: &str) -> &str {
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
    fn only_a_name_that_its_id_does_not_give_needs_a_key() {
        let name = |name: &str| FileName::parse(name).unwrap();
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
