//! Names in a text: those of stored files, wherever they stand in it. A name counts
//! that this service could have minted and that an agent may be told to read.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Stem;

/// The beginnings of extensions of stored files.
static FINDERS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(".txt"), Finder::new(".json")]);

/// Where such names stand. `text` may be raw JSON: no escape stands inside a name.
pub fn names_in(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = FINDERS.iter().flat_map(|finder| finder.find_iter(text.as_bytes()));
    ends.filter_map(|dot| {
        let name = name_before(text, dot)?..dot + extension(&text[dot..])?;
        Stem::minted_for_any(&text[name.clone()]).then_some(name)
    })
}

/// The length of a stored file's extension at the start of `text`.
fn extension(text: &str) -> Option<usize> {
    let known = [".jsonl", ".json", ".txt"].into_iter().find(|known| text.starts_with(known))?;
    let after = text.as_bytes().get(known.len());
    (!after.is_some_and(|byte| is_name(*byte))).then_some(known.len())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Where the name that ends at `end` begins.
fn name_before(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let least = end.saturating_sub(130);
    let start = (least..end).rev().take_while(|at| is_name(bytes[*at])).last()?;
    // A name that goes on is no name of ours, and costs no more than this.
    (start > least || start == 0).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_a_name_are_none_of_it() {
        for text in [
            "see tool_call_9.txt.",
            "tool_call_9.txt(1-20)",
            "0./s/tool_call_9.txt",
            "\u{fffd}tool_call_9.txt.\\",
            "tool_call_9.txt%20",
        ] {
            let found: Vec<&str> = names_in(text).map(|name| &text[name]).collect();
            assert_eq!(found, ["tool_call_9.txt"], "{text}");
        }
        for text in ["xcompressed_group_c_1.json", "tool_call_9.txt_", "notes.txt"] {
            assert_eq!(names_in(text).count(), 0, "{text}");
        }
    }
}
