//! Names of stored files in a text.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::file_name::is_reference_target;

/// Beginnings of the extensions of stored files.
static FINDERS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [Finder::new(".txt"), Finder::new(".json")]);

/// Returns the ranges of `text` that name a file which an agent may be told to read.
/// `text` may be raw JSON: no name holds an escape.
///
/// ```
/// let text = "see tool_call_9.txt.";
/// let names: Vec<&str> = context_store::names_in(text).map(|name| &text[name]).collect();
/// assert_eq!(names, ["tool_call_9.txt"]);
/// ```
pub fn names_in(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = FINDERS.iter().flat_map(|finder| finder.find_iter(text.as_bytes()));
    ends.filter_map(|dot| {
        let name = name_before(text, dot)?..dot + extension(&text[dot..])?;
        is_reference_target(&text[name.clone()]).then_some(name)
    })
}

/// Returns the path in `text` whose last part is the name of a file at `name`. A number or a mark
/// before a path is not part of it.
///
/// ```
/// let text = "2./s/tool_call_9.txt";
/// assert_eq!(context_store::path_at(text, 5..20), "s/tool_call_9.txt");
/// ```
pub fn path_at(text: &str, name: Range<usize>) -> &str {
    let before = &text[..name.start];
    if !before.ends_with('/') {
        return &text[name];
    }
    let folders = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let path = &text[before.trim_end_matches(folders).len()..name.end];
    let mark = |head: &str| !["", ".."].contains(&head) && !head.contains(char::is_alphabetic);
    match path.split_once('/') {
        Some((head, rest)) if mark(head) => rest,
        _ => path,
    }
}

/// Returns the length of a stored file's extension at the start of `text`.
fn extension(text: &str) -> Option<usize> {
    let known = [".jsonl", ".json", ".txt"].into_iter().find(|known| text.starts_with(known))?;
    let after = text.as_bytes().get(known.len());
    (!after.is_some_and(|byte| is_name(*byte))).then_some(known.len())
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns where the name that ends at `end` begins.
fn name_before(text: &str, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let earliest = end.saturating_sub(130);
    let start = (earliest..end).rev().take_while(|at| is_name(bytes[*at])).last()?;
    // A longer run of name bytes is not the name of a stored file.
    (start > earliest || start == 0).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_a_name_do_not_belong_to_it() {
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
