//! The lines of a text, one JSON value each.

use memchr::memchr;

/// Returns the lines of `text` as `str::lines` does, several times as fast.
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
