//! Splits a text into lines, one JSON value each, and into parts of whole lines.

use memchr::memchr;

/// Returns the lines of `text` as `str::lines` does, but several times as fast.
///
/// ```
/// assert!(raw_json::lines("1\n\n[2]\r\n").eq(["1", "", "[2]"]));
/// ```
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
        Some(if end.is_some() { line.strip_suffix('\r').unwrap_or(line) } else { line })
    })
}

/// Splits a text into parts of whole lines. Each part ends with the line that contains byte
/// `bytes`.
///
/// ```
/// assert!(raw_json::parts("1\n22\n3\n4", 2).eq(["1\n22\n", "3\n4"]));
/// ```
pub fn parts(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, behind) = rest.split_at(line_end(rest, bytes));
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}

/// Returns the end of the line that contains byte `at`, including its line feed.
pub fn line_end(text: &str, at: usize) -> usize {
    let after = text.as_bytes().get(at..).unwrap_or_default();
    memchr(b'\n', after).map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "\n\na\r\nb\r", "é\r\n\n"] {
            assert!(lines(text).eq(text.lines()), "{text:?}");
        }
    }
}
