//! Mentions: the stored files that a text names, in references, snapshots, lists
//! and descriptors alike. A name counts that this service could have minted; what
//! stands before it is its folder.

use std::collections::BTreeSet;

use crate::store::names_in;

/// Longest folder that is looked at, in bytes.
const FOLDER: usize = 1024;
/// Most paths that are looked for.
pub(super) const MENTIONS: usize = 10_000;

/// Every path in `text` whose file name could have been minted here. `text` may be
/// raw JSON: no escape stands inside a name, and one inside a folder ends it there.
pub(super) fn mentions<'a>(text: &'a str, found: &mut BTreeSet<&'a str>) {
    for name in names_in(text) {
        if found.len() >= MENTIONS {
            return;
        }
        // A name in a folder's place is no folder of anybody's.
        let start = folder_before(text, name.start);
        let start = if text[start..name.start].contains(".txt/") { name.start } else { start };
        found.insert(&text[start..name.end]);
    }
}

/// Where the path begins whose name begins at `name`.
fn folder_before(text: &str, name: usize) -> usize {
    let bytes = text.as_bytes();
    if name == 0 || bytes[name - 1] != b'/' {
        return name;
    }
    let inside = |at: &usize| !b"\"'`()<>,;\\ \t\r\n".contains(&bytes[*at]);
    let start = (name.saturating_sub(FOLDER)..name).rev().take_while(inside).last().unwrap_or(name);
    (start..=name).find(|at| text.is_char_boundary(*at)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        let mut found = BTreeSet::new();
        mentions(text, &mut found);
        found.into_iter().collect()
    }

    #[test]
    fn references_lists_and_descriptors_name_files() {
        assert_eq!(
            of("(detailed result is stored in ./s/tool_call_7.txt)"),
            ["./s/tool_call_7.txt"]
        );
        assert_eq!(
            of(r#"{"file_path":"/tmp/lro-search-0000000000AB0123456789ABCD.jsonl","n":1}"#),
            ["/tmp/lro-search-0000000000AB0123456789ABCD.jsonl"]
        );
        assert_eq!(
            of("(Original 9 messages are stored in: /w/compressed_group_demo_0.json)"),
            ["/w/compressed_group_demo_0.json"]
        );
        assert_eq!(of("tool_call_a.txt and tool_call_a.txt"), ["tool_call_a.txt"]);
    }

    #[test]
    fn other_names_do_not_count() {
        assert_eq!(of("notes.txt, package.json, src/tool_x.txty, lro-.jsonl"), Vec::<&str>::new());
        assert_eq!(of(&format!("{}tool_call_7.txt", "x".repeat(200))), Vec::<&str>::new());
        assert_eq!(of(". .txt ..json"), Vec::<&str>::new());
    }
}
