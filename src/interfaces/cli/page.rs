//! The width of a page, and prose that fits it.

use console::Term;

/// Width of output that does not go to a terminal, in columns.
const WIDTH: usize = 80;
/// Minimum width that output is laid out for, in columns.
const MIN_WIDTH: usize = 40;

/// Returns the width of a terminal in columns, 80 if the output goes elsewhere.
pub(super) fn width(term: &Term) -> usize {
    let columns = term.is_term().then(|| term.size_checked()).flatten();
    columns.map_or(WIDTH, |(_, columns)| usize::from(columns).max(MIN_WIDTH))
}

/// Breaks `text` at spaces into lines of at most `width` columns; all but the first begin with
/// `indent`. A longer word stays whole.
pub(super) fn fold(text: &str, width: usize, indent: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for word in text.split(' ') {
        let length = console::measure_text_width(word);
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// Cuts the middle out of a text that is longer than `width` columns.
pub(super) fn shorten(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let head: String = text.chars().take(kept / 2).collect();
    let tail: String = text.chars().skip(length - (kept - kept / 2)).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::{fold, shorten};

    #[test]
    fn prose_is_broken_at_spaces() {
        assert_eq!(fold("one two three", 8, "  "), "one two\n  three");
        assert_eq!(fold("a longer-than-the-page b", 6, ""), "a\nlonger-than-the-page\nb");
        assert_eq!(fold("", 6, ""), "");
    }

    #[test]
    fn the_ends_of_a_long_text_stay() {
        assert_eq!(shorten("tool_call_1.txt", 15), "tool_call_1.txt");
        assert_eq!(shorten("tool_call_12.txt", 9), "tool….txt");
    }
}
